"""The best authorities around the seeds first.

The graph of these tests: the seed links to a and b, and a links to b and c. The root set is the seed, the base set the seed,
a and b; c is not linked to by a root. Among them: seed → a, seed → b, a → b.

    authority(a) = hub(seed)                hub(seed) = authority(a) + authority(b)
    authority(b) = hub(seed) + hub(a)       hub(a) = authority(b)

With g = (1 + sqrt 5) / 2 = 1.618 this is solved by hub(seed) : hub(a) = g : 1 and authority(b) : authority(a) = g : 1. Scaled to
length 1 the larger one is g / sqrt(1 + g^2) = 0.850651, the smaller one 1 / sqrt(1 + g^2) = 0.525731.
"""

from __future__ import annotations

import pytest

from shoal.strategy.hits import Hits
from shoal.urls import key_of
from tests.strategy.pages import TOPIC, Queue, page, url_of

LARGE, SMALL = 0.850651, 0.525731
SEED, A = page("", "a", "b", depth=0), page("a", "b", "c")


def charted() -> Hits:
    strategy = Hits(TOPIC)
    for visit in (SEED, A):
        list(strategy.follow(visit))
    return strategy


async def test_authority_then_the_best_hub_among_the_parents() -> None:
    strategy = charted()
    repriced = {one.key: one.priority for one in await strategy.refresh()}
    # b: its authority, and a millionth of the hub of the seed. c: no authority, a millionth of the hub of a.
    assert repriced == pytest.approx(
        {key_of(url_of("b")): LARGE + 1e-6 * LARGE, key_of(url_of("c")): 1e-6 * SMALL}, rel=1e-5
    )


async def test_between_two_refreshes_a_link_has_what_it_had() -> None:
    strategy = charted()
    await strategy.refresh()
    # Page b came: whether it is a hub only the next refresh can tell. c has what it had, d was not known.
    candidates = {one.link.url: one for one in strategy.follow(page("b", "c", "d"))}
    assert candidates[url_of("c")].priority == pytest.approx(1e-6 * SMALL, rel=1e-5)
    assert candidates[url_of("d")].priority == 0.0
    assert candidates[url_of("d")].why == "authority 0.0000"


async def test_before_the_first_refresh_all_are_equal() -> None:
    queue, strategy = Queue(), Hits(TOPIC)
    for visit in (SEED, A):
        queue.follow(strategy, visit)
    assert queue.order() == ["a", "b", "c"]


async def test_the_order_of_fetching() -> None:
    queue, strategy = Queue(), Hits(TOPIC)
    queue.follow(strategy, page("", "a", "b", "e", depth=0))
    queue.follow(strategy, page("x", "y", depth=2))  # nowhere near a seed
    fetched = queue.pop()
    assert fetched is not None
    assert fetched.url == url_of("a")
    queue.follow(strategy, page("a", "c", "e"))
    for one in await strategy.refresh():
        queue.frontier.reprice(one.key, one.priority, one.why)
    # The seed and a both link to e, only the seed links to b. Only a, the lesser hub, links to c, and no hub to y.
    assert queue.order() == ["e", "b", "c", "y"]


async def test_without_seeds_nobody_is_an_authority() -> None:
    strategy = Hits(TOPIC)
    list(strategy.follow(page("p", "q", depth=3)))
    assert await strategy.refresh() == []
