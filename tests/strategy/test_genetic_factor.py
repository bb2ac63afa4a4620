"""Links inherit their page's value; where they promise nothing, a part of it."""

from __future__ import annotations

import pytest

from shoal.model import Link, LinkKind
from shoal.strategy.genetic_factor import GeneticFactor
from tests.strategy.pages import TOPIC, Queue, page, seen


def inherit(strategy: GeneticFactor, hints: list[float]) -> list[float]:
    """The values of pages in a row, from a seed on, each found by a link with the next of the hints."""
    values: list[float] = []
    inherited = None
    for hint in hints:
        [candidate] = strategy.follow(page("p", "a", hint=hint, inherited=inherited))
        assert candidate.inherited is not None
        inherited = candidate.inherited
        values.append(inherited)
    return values


def test_a_chain_of_pages() -> None:
    # f = 0.15, r = 0.8: 100, then 100 * 0.8 = 80, 80 * 0.8 = 64; a link that promises keeps 64, and never gets more back.
    assert inherit(GeneticFactor(TOPIC), [0.2, 0.1, 0.0, 0.9, 0.1]) == pytest.approx([100, 80, 64, 64, 51.2])


@pytest.mark.parametrize(("hint", "value"), [(0.1499, 80.0), (0.15, 100.0), (0.1501, 100.0)])
def test_from_the_threshold_on_a_link_promises(hint: float, value: float) -> None:
    assert inherit(GeneticFactor(TOPIC), [hint]) == pytest.approx([value])


def test_the_numbers_can_be_set() -> None:
    assert inherit(GeneticFactor(TOPIC, f=0.5, r=0.5), [0.4, 0.5, 0.4]) == pytest.approx([50, 50, 25])


def test_the_value_decides_and_then_the_links_own_relevance() -> None:
    queue, strategy = Queue(), GeneticFactor(TOPIC)
    queue.follow(strategy, page("p", "low", hint=0.14, inherited=80.0))  # 64
    queue.follow(strategy, page("q", "side", hint=1.0, inherited=80.0))  # 80
    queue.follow(strategy, page("r", "main", hint=0.2))  # 100
    queue.follow(strategy, page("s", "better", hint=0.3))  # 100, and more relevant
    assert queue.order() == ["better", "main", "side", "low"]


def test_a_small_value_is_still_a_value() -> None:
    # After 200 links without promise 100 * 0.8^200 = 4e-18 is left. One link more still counts more than any relevance.
    queue, strategy = Queue(), GeneticFactor(TOPIC)
    queue.follow(strategy, page("p", "less", hint=0.149, inherited=4e-18))  # 3.2e-18
    queue.follow(strategy, page("q", "more", hint=0.0, inherited=5e-18))  # 4e-18
    assert queue.order() == ["more", "less"]


def test_nothing_is_thrown_away() -> None:
    candidates = GeneticFactor(TOPIC, f=1.0, r=0.01).follow(page("p", "a", "b", hint=0.0, inherited=1e-300))
    assert [one.refused for one in candidates] == [None, None]


def test_found_again_a_url_has_the_larger_value() -> None:
    queue, strategy = Queue(), GeneticFactor(TOPIC)
    queue.follow(strategy, page("p", "a", hint=0.5, inherited=64.0))
    queue.follow(strategy, page("q", "a", hint=0.0))  # 80
    queue.follow(strategy, page("r", "a", hint=0.0, inherited=64.0))
    entry = queue.pop()
    assert entry is not None
    assert (entry.inherited, entry.why) == (80.0, "value 80 of 100, link 0.00")


def test_the_same_page_under_another_name_is_as_relevant_as_the_page() -> None:
    link = Link(url="http://x.example/frame", kind=LinkKind.FRAME)
    [candidate] = GeneticFactor(TOPIC).follow(seen(score=0.6, hints=[0.0], links=[link]))
    assert (candidate.inherited, candidate.why) == (100.0, "value 100 of 100, link 0.60")
