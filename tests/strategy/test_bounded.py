"""Breadth first within a depth and a width."""

from __future__ import annotations

from pathlib import Path

from shoal import services
from shoal.model import Link, Reason, State
from shoal.strategy.bounded import Bounded
from tests.crawl import simulated
from tests.running import fates
from tests.strategy.pages import TOPIC, Queue, page, seen


def test_only_the_first_links_of_a_page() -> None:
    candidates = list(Bounded(TOPIC, width=2).follow(page("", "a", "b", "c", depth=0)))
    assert [one.refused for one in candidates] == [None, None, Reason.BOUND]
    assert candidates[2].why == "link number 3 of its page, 2 are allowed"
    assert candidates[0].why == "on level 1 of 5"


def test_links_that_must_not_be_followed_take_no_place() -> None:
    links = [
        Link(url="http://x.example/1", rel=("nofollow",)),
        Link(url="http://x.example/2"),
        Link(url="http://x.example/3"),
    ]
    candidates = Bounded(TOPIC, width=1).follow(seen(score=0, hints=[0] * 3, links=links))
    assert [one.refused for one in candidates] == [Reason.NOFOLLOW, None, Reason.BOUND]


def test_only_so_far_from_the_seeds() -> None:
    bounded = Bounded(TOPIC, depth=2)
    # A seed is on level 0. The links of a page on level 1 are on level 2, those of a page on level 2 would be on level 3.
    assert [one.refused for one in bounded.follow(page("", "a", depth=1))] == [None]
    [candidate] = bounded.follow(page("", "a", depth=2))
    assert (candidate.refused, candidate.why) == (Reason.BOUND, "on level 3, the last one is 2")


def test_level_by_level() -> None:
    queue, bounded = Queue(), Bounded(TOPIC)
    queue.follow(bounded, page("x", "c", "d", depth=1))
    queue.follow(bounded, page("y", "a", "b", depth=0))
    assert queue.order() == ["a", "b", "c", "d"]


def test_what_one_page_has_no_room_for_another_page_can_bring_in(tmp_path: Path) -> None:
    web = {
        simulated.SEED: simulated.page("1", "2", "3"),
        simulated.SEED + "1": simulated.page("3", text="one"),
        simulated.SEED + "2": simulated.page("4", "5", "6", text="two"),
        simulated.SEED + "3": simulated.page(text="three"),
        simulated.SEED + "4": simulated.page("7", text="four"),
        simulated.SEED + "5": simulated.page(text="five"),
    }
    parameters = (("width", 2.0), ("depth", 2.0))
    crawl = simulated.Simulation(tmp_path, web, strategy="bounded", parameters=parameters, workers=1)
    crawl.run()
    # 3 is the third link of the seed, but the first of page 1. 6 is the third link of page 2, and 7 is on level 3.
    assert crawl.pages_asked == [simulated.SEED + name for name in ("", "1", "2", "3", "4", "5")]
    assert fates(tmp_path)[simulated.SEED + "6"] == (State.SKIPPED, Reason.BOUND)
    assert fates(tmp_path)[simulated.SEED + "7"] == (State.SKIPPED, Reason.BOUND)
    asked = len(crawl.pages_asked)
    services.crawls.change_settings(tmp_path, {})  # as `shoal resume` does
    crawl.run()
    assert len(crawl.pages_asked) == asked, "its bounds are not those of the budget"
