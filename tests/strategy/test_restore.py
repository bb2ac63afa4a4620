"""As the genetic factor, with the full value back where an anchor promises."""

from __future__ import annotations

from pathlib import Path

import pytest

from shoal.strategy.restore import Restore
from tests.crawl import simulated
from tests.strategy.pages import TOPIC, Queue, page
from tests.strategy.test_genetic_factor import inherit


def test_a_chain_of_pages() -> None:
    # m = 100, b = 0.8, f = 0.2: two links without promise, then one that has it: a new main channel.
    assert inherit(Restore(TOPIC), [0.1, 0.0, 0.9, 0.3, 0.1]) == pytest.approx([80, 64, 100, 100, 80])


@pytest.mark.parametrize(("hint", "value"), [(0.19, 51.2), (0.2, 100.0)])
def test_from_the_threshold_on_a_link_promises(hint: float, value: float) -> None:
    [candidate] = Restore(TOPIC).follow(page("p", "a", hint=hint, inherited=64.0))
    assert candidate.inherited == pytest.approx(value)


def test_a_new_main_channel_is_as_good_as_the_old_one() -> None:
    queue, strategy = Queue(), Restore(TOPIC)
    queue.follow(strategy, page("p", "main", hint=0.3))
    queue.follow(strategy, page("q", "side", hint=0.1))
    queue.follow(strategy, page("r", "new", hint=0.4, inherited=51.2))
    assert queue.order() == ["new", "main", "side"]


def test_values_travel_through_a_crawl(tmp_path: Path) -> None:
    # A link's text is its URL here: only /grid promises anything.
    web = {
        simulated.SEED: simulated.page("/a", text="one"),
        simulated.SEED + "a": simulated.page("/b", text="two"),
        simulated.SEED + "b": simulated.page("/grid", text="three"),
        simulated.SEED + "grid": simulated.page("/c", text="four"),
        simulated.SEED + "c": simulated.page(text="five"),
    }
    crawl = simulated.Simulation(tmp_path, web, strategy="restore", workers=1)
    crawl.run()
    values = [task.inherited for _, task in crawl.servers.requests if task.kind == "page"]
    assert values[0] is None
    assert values[1:] == pytest.approx([80, 64, 100, 80])
