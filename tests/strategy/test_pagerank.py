"""PageRank of the URL in the graph known so far.

The graph of these tests: the home page links to a, b and c, and a links to b. With d = 0.85:

    PR(home) = 0.15
    PR(a) = PR(c) = 0.15 + 0.85 * 0.15 / 3 = 0.1925
    PR(b) = 0.15 + 0.85 * (0.15 / 3 + 0.1925 / 1) = 0.356125
"""

from __future__ import annotations

import pytest

from shoal.strategy.pagerank import PageRank
from shoal.urls import key_of
from tests.strategy.pages import TOPIC, Queue, page, url_of

HOME, A = page("", "a", "b", "c", depth=0), page("a", "b")


def follow(strategy: PageRank, *names: str) -> dict[str, float]:
    """The priorities of the links of a page."""
    return {one.link.url: one.priority for one in strategy.follow(page(*names))}


async def test_before_the_first_refresh_a_page_adds_its_share_of_the_least() -> None:
    strategy = PageRank(TOPIC)
    # 0.15, and 0.85 * 0.15 / 2 = 0.06375 from this page.
    assert follow(strategy, "", "a", "b") == pytest.approx({url_of("a"): 0.21375, url_of("b"): 0.21375})


async def test_a_refresh_gives_what_waits_its_rank() -> None:
    strategy = PageRank(TOPIC)
    for visit in (HOME, A):
        list(strategy.follow(visit))
    repriced = {one.key: (round(one.priority, 6), one.why) for one in await strategy.refresh()}
    assert repriced == {
        key_of(url_of("b")): (0.356125, "PageRank 0.36"),
        key_of(url_of("c")): (0.1925, "PageRank 0.19"),
    }, "home and a were fetched"


async def test_between_two_refreshes_a_page_adds_its_share() -> None:
    strategy = PageRank(TOPIC)
    for visit in (HOME, A):
        list(strategy.follow(visit))
    await strategy.refresh()
    # Page c passes 0.85 * 0.1925 / 2 = 0.0818125 on to each: b has 0.356125 already, d the least, 0.15.
    assert follow(strategy, "c", "b", "d") == pytest.approx({url_of("b"): 0.4379375, url_of("d"): 0.2318125}, rel=1e-5)


async def test_a_later_refresh_is_exact_again() -> None:
    strategy = PageRank(TOPIC)
    for visit in (HOME, A):
        list(strategy.follow(visit))
    await strategy.refresh()
    list(strategy.follow(page("c", "b", "d")))
    # b: 0.15 + 0.85 * (0.15 / 3 + 0.1925 / 1 + 0.1925 / 2) = 0.4379375; d: 0.15 + 0.85 * 0.1925 / 2 = 0.2318125.
    repriced = {one.key: one.priority for one in await strategy.refresh()}
    assert repriced == pytest.approx({key_of(url_of("b")): 0.4379375, key_of(url_of("d")): 0.2318125}, rel=1e-5)


async def test_what_more_pages_link_to_goes_first() -> None:
    queue, strategy = Queue(), PageRank(TOPIC)
    for visit in (HOME, A):
        queue.follow(strategy, visit)
    queue.follow(strategy, page("d", "c"))
    queue.follow(strategy, page("e", "c"))
    # c: 0.15 + 0.85 * (0.05 + 0.15 + 0.15) = 0.4475, more than b with 0.356125.
    for one in await strategy.refresh():
        queue.frontier.reprice(one.key, one.priority, one.why)
    assert queue.order()[:2] == ["c", "b"]


async def test_what_a_page_says_does_not_matter() -> None:
    poor, rich = PageRank(TOPIC), PageRank(TOPIC)
    assert list(poor.follow(page("", "a"))) == list(rich.follow(page("", "a", score=1.0, hint=1.0)))
