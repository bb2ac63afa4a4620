"""W = g R + (1 - g) sim of the page, and what the link's own words promise.

The graph of the tests with ranks is that of `test_pagerank.py`: PR(c) = 0.1925, and the largest is PR(b) = 0.356125.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from shoal.judge.vector import CONTEXT_SHARE
from shoal.model import Candidate, Reason, Seen, State
from shoal.strategy.fish_pagerank import FishPageRank
from shoal.testing.fakes import html
from tests.crawl import simulated
from tests.running import ask, fates
from tests.strategy.pages import TOPIC, page

HOME, A = page("", "a", "b", "c", depth=0), page("a", "b")


def one_link(strategy: FishPageRank, visit: Seen) -> Candidate:
    [candidate] = strategy.follow(visit)
    return candidate


async def ranked(g: float = 0.5, threshold: float = 0.05) -> FishPageRank:
    strategy = FishPageRank(TOPIC, g=g, threshold=threshold)
    for visit in (HOME, A):
        list(strategy.follow(visit))
    assert list(await strategy.refresh()) == [], "what waits keeps the worth it was found with"
    return strategy


def test_a_seed_is_as_important_as_a_page_can_be() -> None:
    candidate = one_link(FishPageRank(TOPIC), page("", "x", score=0.6, hint=0.25, depth=0))
    # W = 0.5 * 1 + 0.5 * 0.6 = 0.8, and the link's 0.25.
    assert candidate.priority == pytest.approx(1.05)
    assert candidate.why == "page 0.80 (importance 1.00, relevance 0.60), link text 0.25"


def test_before_the_first_ranking_all_other_pages_have_the_least() -> None:
    # W = 0.5 * 0.15 + 0.5 * 0.6 = 0.375
    assert one_link(FishPageRank(TOPIC), page("p", "x", score=0.6)).priority == pytest.approx(0.375)


@pytest.mark.parametrize(
    ("g", "name", "worth"),
    [
        # R(c) = 0.1925 / 0.356125 = 0.540541
        (0.5, "c", 0.5 * 0.540541 + 0.5 * 0.6),
        (0.2, "c", 0.2 * 0.540541 + 0.8 * 0.6),
        (0.0, "c", 0.6),
        (1.0, "c", 0.540541),
        # b is the most important of all that is known, fetched or not.
        (0.5, "b", 0.5 * 1 + 0.5 * 0.6),
        # Nobody linked to z when ranks were computed: R = 0.15 / 0.356125 = 0.421200
        (0.5, "z", 0.5 * 0.421200 + 0.5 * 0.6),
    ],
)
async def test_importance_and_relevance(g: float, name: str, worth: float) -> None:
    strategy = await ranked(g)
    assert one_link(strategy, page(name, "x", score=0.6)).priority == pytest.approx(worth, rel=1e-5)


def test_a_page_above_1_is_worth_more_than_one_at_1() -> None:
    # The judge of the paper goes up to 2.1: g = 0.5, 0.5 * 1 + 0.5 * 2.1 = 1.55.
    assert one_link(FishPageRank(TOPIC), page("", "x", score=2.1, depth=0)).priority == pytest.approx(1.55)


async def test_what_is_worth_too_little_is_dropped() -> None:
    strategy = await ranked(threshold=0.5)
    # c without relevance: W = 0.5 * 0.540541 = 0.27027; with the links' 0.2 or 0.3: 0.47 and 0.57.
    assert one_link(strategy, page("c", "x", hint=0.2)).refused is Reason.THRESHOLD
    assert one_link(strategy, page("c", "x", hint=0.3)).refused is None


def test_dropped_links_come_back_when_a_better_page_has_them(tmp_path: Path) -> None:
    # The seed is not relevant: 0.5 * 1 + 0 = 0.5, less than 0.55; only the link whose address says grid has more. Its
    # page is relevant: 0.5 * 0.15 + 0.5 * 1 = 0.575.
    web = {
        simulated.SEED: html("", '<p>Nothing.</p> <a href="/x">one</a> <a href="/y">two</a> <a href="/grid">more</a>'),
        simulated.SEED + "grid": simulated.page("/x", text="grid"),
        simulated.SEED + "x": simulated.page(text="the end"),
    }
    parameters = (("g", 0.5), ("threshold", 0.55))
    crawl = simulated.Simulation(tmp_path, web, strategy="fish-pagerank", parameters=parameters, workers=1)
    crawl.run()
    assert crawl.pages_asked == [simulated.SEED + name for name in ("", "grid", "x")]
    assert fates(tmp_path)[simulated.SEED + "y"] == (State.SKIPPED, Reason.THRESHOLD)
    [(priority,)] = ask(tmp_path, "SELECT priority FROM found WHERE url LIKE '%/x'")
    assert priority == pytest.approx(0.575 + CONTEXT_SHARE), "the text in front of the link says grid"


async def test_a_ranking_of_nothing_is_none() -> None:
    """The first pages of a crawl may all be images."""
    strategy = FishPageRank(TOPIC)
    await strategy.refresh()
    assert one_link(strategy, page("p", "x", score=0.6)).priority == pytest.approx(0.375)
