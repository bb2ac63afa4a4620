"""The omniscient crawler goes where its definition says, worked by hand and against a second, plain implementation."""

from __future__ import annotations

import time
from collections.abc import Sequence
from itertools import accumulate
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from shoal.evaluate.oracle import Graph, graph_of, omniscient, reachable

Pages = Sequence[Sequence[int]]
"""The links of each page."""


def made(links: Pages) -> Graph:
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


def test_links_are_counted_once_and_those_to_nowhere_or_to_oneself_not_at_all() -> None:
    graph = made([[1, 1, 0, -1, 2], [2, 2], []])
    assert [graph.forward.of(page).tolist() for page in range(3)] == [[1, 2], [2], []]
    assert [graph.backward.of(page).tolist() for page in range(3)] == [[], [0], [0, 1]]


@pytest.mark.parametrize(("depth", "pages"), [(None, [0, 2, 1, 3]), (0, [0]), (1, [0, 2, 1]), (2, [0, 2, 1, 3])])
def test_reachable_pages_the_nearest_first(depth: int | None, pages: list[int]) -> None:
    assert reachable(made([[2, 1], [3], [0], [], [0]]), [0, 0], depth) == pages


# --- against a plain implementation ----------------------------------------------------------------------------------


def plain_omniscient(links: Pages, seeds: Sequence[int], relevant: set[int], pages: int) -> list[int]:
    """The definition, word by word."""
    known, fetched = list(dict.fromkeys(seeds)), list[int]()
    while len(fetched) < pages:
        wanted = relevant - set(fetched)
        choice = [page for page in known if page not in fetched and plain_distance(links, page, wanted) is not None]
        if not choice:
            break

        ranks = []
        for page in choice:
            distance = plain_distance(links, page, wanted) or 0
            ranks.append((distance, -len(set(links[page]) & wanted) if distance else 0, known.index(page), page))
        fetched.append(best := min(ranks)[-1])
        known += [page for page in dict.fromkeys(links[best]) if page not in known]
    return fetched


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


@given(webs(), st.integers(0, 20))
@settings(max_examples=400, deadline=None)
def test_it_does_what_the_definition_says(web: tuple[list[list[int]], list[int], set[int]], pages: int) -> None:
    links, seeds, relevant = web
    assert omniscient(made(links), seeds, relevant, pages) == plain_omniscient(links, seeds, relevant, pages)


@given(webs())
@settings(max_examples=100, deadline=None)
def test_it_finds_every_relevant_page_that_can_be_reached(web: tuple[list[list[int]], list[int], set[int]]) -> None:
    links, seeds, relevant = web
    found = omniscient(made(links), seeds, relevant, len(links))
    assert set(found) & relevant == relevant & set(reachable(made(links), seeds))


# --- how long it takes -----------------------------------------------------------------------------------------------


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
