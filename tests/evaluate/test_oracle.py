"""The omniscient crawler goes where its definition says, worked by hand and against a second, plain implementation."""

from __future__ import annotations

import time
from collections.abc import Sequence
from itertools import accumulate
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from shoal.evaluate.oracle import SurveyGraph, graph_of, omniscient, reachable

Pages = Sequence[Sequence[int]]
"""The links of each page."""


def made(links: Pages) -> SurveyGraph:
    return graph_of([0, *accumulate(map(len, links))], [end for page in links for end in page])


# --- worked by hand --------------------------------------------------------------------------------------------------


def test_a_relevant_page_that_is_known_comes_first() -> None:
    # The seed 0 links to 1, 2 and 3, of which only 3 is relevant.
    assert omniscient(made([[1, 2, 3], [], [], []]), [0], [3], 10) == [0, 3]


def test_relevant_seeds_come_before_others_and_useless_ones_never() -> None:
    assert omniscient(made([[], [], []]), [0, 1, 2], [2], 10) == [2]


def test_among_pages_next_to_relevant_ones_that_with_the_most() -> None:
    #     0 ─► 1 ─► 3          1 is found first, but 2 has two links to relevant pages, and one of them
    #     └──► 2 ─► 4, 5       (3 to 5 are relevant) is worth as much as the other.
    assert omniscient(made([[1, 2], [3], [4, 5], [], [], []]), [0], [3, 4, 5], 10) == [0, 2, 4, 5, 1, 3]


def test_links_to_what_was_fetched_already_do_not_count() -> None:
    # 1 links to 3 and 4, 2 links to 3, 4 and 5; behind 2 nothing but 6 is missing, which only 1 knows.
    links = [[1, 2], [3, 4, 6], [3, 4, 5, 7], [], [], [], [], []]
    assert omniscient(made(links), [0], [3, 4, 5, 6, 7], 10) == [0, 2, 3, 4, 5, 7, 1, 6]


def test_the_nearest_way_even_if_it_is_long() -> None:
    # 0 ─► 1 ─► 2 ─► 3 ─► 4 is one link longer than 0 ─► 5 ─► 6 ─► 4; only 4 is relevant.
    links = [[1, 5], [2], [3], [4], [], [6], [4]]
    assert omniscient(made(links), [0], [4], 10) == [0, 5, 6, 4]


def test_what_is_equal_goes_in_the_order_of_discovery() -> None:
    assert omniscient(made([[3, 2, 1], [4], [4], [4], []]), [0], [4], 10) == [0, 3, 4]


def test_it_ends_with_the_budget_with_the_last_relevant_page_or_when_nothing_leads_further() -> None:
    chain = made([[1], [2], [3], []])
    assert omniscient(chain, [0], [1, 2, 3], 2) == [0, 1]
    assert omniscient(chain, [0], [1], 10) == [0, 1]
    assert omniscient(chain, [1], [0], 10) == []
    assert omniscient(chain, [], [0], 10) == []


def test_a_way_that_leads_beyond_the_depth_limit_is_none() -> None:
    #     0 ─► 1 ─► 2 ─► 3     1 to 3 are relevant. Over 2 the page 3 would lie three links deep;
    #     └──► 4 ────────┘     over 4, which is not relevant, it lies two links deep.
    links = made([[1, 4], [2], [3], [], [3]])
    assert omniscient(links, [0], [1, 2, 3], 10, 2) == [0, 1, 2, 4, 3]
    assert omniscient(links, [0], [1, 2, 3], 10, 3) == [0, 1, 2, 3]
    assert omniscient(links, [0], [1, 2, 3], 10, 1) == [0, 1]
    assert omniscient(links, [0], [0, 1], 10, 0) == [0]


def test_a_shorter_way_opens_what_was_fetched_at_the_limit() -> None:
    #     0 ─► 1 ─► 2 ─► 3     1, 2 and 3 are relevant, the limit is 2: 2 is fetched at the limit, and its link is not
    #     └──► 4 ─► 5 ─► 2     followed. From the seed 6, which links to 2 itself, it is one link deep, and 3 is two.
    links = made([[1, 4], [2], [3], [], [5], [2], [2]])
    assert omniscient(links, [0, 6], [1, 2, 3], 10, 2) == [0, 1, 2, 6, 3]
    assert omniscient(links, [0], [1, 2, 3], 10, 2) == [0, 1, 2]


def test_links_are_counted_once_and_those_to_nowhere_or_to_oneself_not_at_all() -> None:
    graph = made([[1, 1, 0, -1, 2], [2, 2], []])
    assert [graph.forward.of(page).tolist() for page in range(3)] == [[1, 2], [2], []]
    assert [graph.backward.of(page).tolist() for page in range(3)] == [[], [0], [0, 1]]


@pytest.mark.parametrize(("depth", "pages"), [(None, [0, 2, 1, 3]), (0, [0]), (1, [0, 2, 1]), (2, [0, 2, 1, 3])])
def test_reachable_pages_the_nearest_first(depth: int | None, pages: list[int]) -> None:
    assert reachable(made([[2, 1], [3], [0], [], [0]]), [0, 0], depth) == pages


# --- against a plain implementation ----------------------------------------------------------------------------------


def plain_omniscient(
    links: Pages, seeds: Sequence[int], relevant: set[int], pages: int, limit: int | None = None
) -> list[int]:
    """The definition, word by word."""
    most = len(links) * 2 if limit is None else limit
    depths, fetched = dict.fromkeys(seeds, 0), list[int]()
    while len(fetched) < pages:
        wanted, ranks = relevant - set(fetched), []
        for order, (page, depth) in enumerate(depths.items()):
            distance = plain_distance(links, page, wanted)
            if page not in fetched and distance is not None and depth + distance <= most:
                ranks.append((distance, -len(set(links[page]) & wanted) if distance else 0, order, page))
        if not ranks:
            break
        fetched.append(best := min(ranks)[-1])
        plain_discovery(links, best, depths, fetched, most)
    return fetched


def plain_discovery(links: Pages, page: int, depths: dict[int, int], fetched: Sequence[int], most: int) -> None:
    """The page's links are known now, and so are those of fetched pages that rise by it."""
    rising = [page]
    for source in rising:
        for end in links[source] if depths[source] < most else ():
            if depths[source] + 1 < depths.get(end, most + 1):
                depths[end] = depths[source] + 1
                rising += [end] if end in fetched else []


def plain_distance(links: Pages, page: int, wanted: set[int]) -> int | None:
    seen, level, distance = {page}, {page}, 0
    while level:
        if level & wanted:
            return distance
        level = {end for start in level for end in links[start]} - seen
        seen |= level
        distance += 1
    return None


@st.composite
def webs(draw: st.DrawFn) -> tuple[list[list[int]], list[int], set[int]]:
    size = draw(st.integers(1, 14))
    page = st.integers(0, size - 1)
    links = draw(st.lists(st.lists(page, max_size=4), min_size=size, max_size=size))
    return links, draw(st.lists(page, max_size=3)), draw(st.sets(page, max_size=5))


LIMITS = st.none() | st.integers(0, 6)


@pytest.mark.slow
@given(webs(), st.integers(0, 20), LIMITS)
@settings(max_examples=300, deadline=None)
def test_it_does_what_the_definition_says(
    web: tuple[list[list[int]], list[int], set[int]], pages: int, limit: int | None
) -> None:
    links, seeds, relevant = web
    found = omniscient(made(links), seeds, relevant, pages, limit)
    assert found == plain_omniscient(links, seeds, relevant, pages, limit)


@pytest.mark.slow
@given(webs(), LIMITS)
@settings(max_examples=200, deadline=None)
def test_it_finds_every_relevant_page_that_can_be_reached(
    web: tuple[list[list[int]], list[int], set[int]], limit: int | None
) -> None:
    links, seeds, relevant = web
    found = omniscient(made(links), seeds, relevant, len(links), limit)
    assert set(found) & relevant == relevant & set(reachable(made(links), seeds, limit))


# --- how long it takes -----------------------------------------------------------------------------------------------


@pytest.mark.slow
def test_a_large_web_takes_seconds_at_most() -> None:
    # As large as the largest web we measure on. Relevant pages in clumps far from the seed, so that ways must be found.
    random, size = Random(1), 16_000
    links = [[(page + random.randrange(1, 400)) % size for _ in range(43)] for page in range(size)]
    relevant = [page for page in range(size) if page % 1600 < 60]
    graph = made(links)
    started = time.process_time()
    fetched = omniscient(graph, [0], relevant, 2000)
    # It takes a fifth of a second; the plain implementation above would take hours.
    assert time.process_time() - started < 5.0
    assert set(relevant) <= set(fetched)
