"""Depth first is a stack."""

from __future__ import annotations

from pathlib import Path

from shoal.strategy import SEED_PRIORITY
from shoal.strategy.depth import Depth
from tests.crawl import simulated
from tests.strategy.pages import TOPIC, Queue, page


def test_the_links_of_the_newest_page_are_on_top_the_first_of_them_first() -> None:
    queue, depth = Queue(), Depth(TOPIC)
    queue.follow(depth, page("", "a", "b", ended=10.0))
    queue.follow(depth, page("x", "c", "d", ended=11.0))
    assert queue.order() == ["c", "d", "a", "b"]


def test_a_url_that_is_found_again_comes_to_the_top() -> None:
    queue, depth = Queue(), Depth(TOPIC)
    queue.follow(depth, page("", "a", "b", "c", ended=10.0))
    queue.follow(depth, page("x", "c", ended=11.0))
    assert queue.order() == ["c", "a", "b"]


def test_the_papers_example(tmp_path: Path) -> None:
    # Figure 2-9: A has B and C, B has D, D has F, C has E. Depth first: A B D F C E.
    tree = {"": ("b", "c"), "b": ("d",), "d": ("f",), "c": ("e",), "f": (), "e": ()}
    web = {simulated.SEED + name: simulated.page(*links, text=f"page {name}") for name, links in tree.items()}
    crawl = simulated.Simulation(tmp_path, web, strategy="depth", workers=1)
    crawl.run()
    assert crawl.pages_asked == [simulated.SEED + name for name in ("", "b", "d", "f", "c", "e")]


def test_no_time_of_day_comes_before_the_seeds() -> None:
    in_the_year_3000 = 32_503_680_000.0
    [candidate] = Depth(TOPIC).follow(page("", "a", ended=in_the_year_3000))
    assert candidate.priority < SEED_PRIORITY


def test_what_a_page_says_does_not_matter() -> None:
    depth = Depth(TOPIC)
    assert list(depth.follow(page("", "a", score=0.0))) == list(depth.follow(page("", "a", score=1.0, hint=1.0)))
