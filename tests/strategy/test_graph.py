"""Ranks of small graphs as worked out by hand, and of random ones as a plain dictionary would have them."""

from __future__ import annotations

import math
import tracemalloc
from array import array
from collections.abc import Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from shoal.strategy.graph import Graph, Values
from shoal.urls import key_of

A, B, C, D, E = 11, -22, 33, -44, 55
"""Keys of pages: any 64-bit number can be one."""

Web = Sequence[tuple[int, Sequence[int]]]
"""Pages in the order of fetching, with their links."""

WEBS = st.lists(st.tuples(st.integers(-4, 4), st.lists(st.integers(-6, 6), max_size=6)), max_size=10)


def graph_of(web: Web) -> Graph:
    graph = Graph()
    for page, targets in web:
        graph.add(page, targets)
    return graph


def by_key(graph: Graph, values: Values) -> dict[int, float]:
    keys = [int(key) for key in graph.snapshot().keys]
    return {key: float(values[graph.number(key)]) for key in keys}


def pagerank(web: Web, *, damping: float = 0.85) -> dict[int, float]:
    graph = graph_of(web)
    return by_key(graph, graph.snapshot().pagerank(damping=damping, tolerance=1e-13))


def topic_pagerank(web: Web, relevance: Mapping[int, float]) -> dict[int, float]:
    graph = graph_of(web)
    return by_key(graph, graph.snapshot().topic_pagerank(numbered(graph, relevance), tolerance=1e-13))


def numbered(graph: Graph, relevance: Mapping[int, float]) -> list[float]:
    return [relevance.get(int(key), 0.0) for key in graph.snapshot().keys]


def hits(web: Web, roots: Iterable[int]) -> tuple[dict[int, float], dict[int, float]]:
    graph = graph_of(web)
    hubs, authorities = graph.snapshot().hits(roots, tolerance=1e-13)
    return by_key(graph, hubs), by_key(graph, authorities)


# --- the graph -------------------------------------------------------------------------------------------------------


def test_it_knows_pages_and_what_they_link_to() -> None:
    graph = graph_of([(A, [B, C])])
    assert (len(graph), graph.edges, graph.fetched) == (3, 2, 1)
    assert [A in graph, B in graph, D in graph] == [True, True, False]
    assert [graph.is_fetched(key) for key in (A, B, D)] == [True, False, False]
    assert [graph.out_degree(key) for key in (A, B, D)] == [2, 0, 0]
    assert [graph.targets(key) for key in (A, B, D)] == [(B, C), (), ()]


def test_numbers_go_by_the_order_of_seeing_and_stay() -> None:
    graph = graph_of([(A, [C, B])])
    assert [graph.number(key) for key in (A, C, B)] == [0, 1, 2]
    graph.add(B, [D, A])
    assert [graph.number(key) for key in (A, C, B, D)] == [0, 1, 2, 3]
    assert list(graph.snapshot().keys) == [A, C, B, D]
    assert list(graph.snapshot().pages) == [0, 2]
    with pytest.raises(KeyError):
        graph.number(E)


def test_a_link_counts_once_and_a_link_to_itself_never() -> None:
    graph = graph_of([(A, [B, A, C, B, B])])
    assert (graph.targets(A), graph.edges) == ((B, C), 2)
    assert pagerank([(A, [B, A, C, B, B])]) == pagerank([(A, [B, C])])


def test_a_page_that_comes_again_changes_nothing() -> None:
    graph = graph_of([(A, [B]), (A, [C, D])])
    assert (len(graph), graph.edges, graph.fetched, graph.targets(A)) == (2, 1, 1, (B,))
    assert C not in graph


def test_a_page_without_links_counts_as_fetched() -> None:
    graph = graph_of([(A, []), (B, [A])])
    assert [graph.is_fetched(A), graph.out_degree(A), graph.targets(B)] == [True, 0, (A,)]


def test_keys_of_real_urls_and_the_largest_ones_fit() -> None:
    keys = [key_of("http://grid.test/"), key_of("http://电网.测试/变电站"), -(2**63), 2**63 - 1]
    graph = graph_of([(keys[0], keys[1:]), (keys[3], keys[:1])])
    assert graph.targets(keys[0]) == tuple(keys[1:])
    assert list(graph.snapshot().keys) == keys


def test_a_link_costs_few_bytes() -> None:
    keys = range(1000, 1300)
    tracemalloc.start()
    try:
        graph = graph_of([(key, keys) for key in keys])
        used, _ = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert graph.edges == 300 * 299
    assert used < 8 * graph.edges


# --- snapshots -------------------------------------------------------------------------------------------------------


def test_a_snapshot_does_not_change_when_the_graph_grows() -> None:
    graph = graph_of([(A, [B]), (B, [A])])
    snapshot = graph.snapshot()
    graph.add(C, [A, B, D])
    graph.add(D, [A])
    assert (len(snapshot), list(snapshot.keys), list(snapshot.pages)) == (2, [A, B], [0, 1])
    assert snapshot.pagerank(tolerance=1e-12) == pytest.approx([1, 1])
    assert len(graph.snapshot().pagerank()) == 4


def test_a_snapshot_cannot_be_written_to() -> None:
    snapshot = graph_of([(A, [B])]).snapshot()
    for numbers in (snapshot.keys, snapshot.pages, snapshot.places, snapshot.starts, snapshot.targets):
        with pytest.raises(ValueError, match="read-only"):
            numbers[0] = 1


def test_a_thread_computes_while_the_graph_grows() -> None:
    graph = graph_of([(page, range(page + 1, page + 20)) for page in range(2000)])
    snapshot = graph.snapshot()
    with ThreadPoolExecutor(1) as thread:
        elsewhere = thread.submit(snapshot.pagerank)
        for page in range(5000, 7000):
            graph.add(page, range(page - 4999, page - 4980))
        assert np.array_equal(elsewhere.result(), snapshot.pagerank())
    assert graph.snapshot().pagerank()[graph.number(1000)] > snapshot.pagerank()[graph.number(1000)]


def test_nothing_follows_from_an_empty_graph() -> None:
    snapshot = Graph().snapshot()
    hubs, authorities = snapshot.hits([A])
    answers = (snapshot.pagerank(), snapshot.topic_pagerank([]), hubs, authorities, snapshot.best_parent(hubs))
    assert [len(values) for values in answers] == [0, 0, 0, 0, 0]


# --- PageRank --------------------------------------------------------------------------------------------------------


def test_two_pages_that_link_to_each_other_have_rank_1() -> None:
    # x = 0.15 + 0.85 x/1, so x = 1.
    assert pagerank([(A, [B]), (B, [A])]) == pytest.approx({A: 1, B: 1})


def test_rank_runs_down_a_chain() -> None:
    # a = 0.15; b = 0.15 + 0.85 * 0.15 = 0.2775; c = 0.15 + 0.85 * 0.2775 = 0.385875; c was not fetched and ranks all the same.
    assert pagerank([(A, [B]), (B, [C])]) == pytest.approx({A: 0.15, B: 0.2775, C: 0.385875})


def test_a_page_shares_its_rank_among_its_links() -> None:
    # Centre 0.15, each of four leaves 0.15 + 0.85 * 0.15/4 = 0.181875.
    leaf = pytest.approx(0.181875)
    assert pagerank([(A, [B, C, D, E])]) == {A: pytest.approx(0.15), B: leaf, C: leaf, D: leaf, E: leaf}


def test_a_star_whose_leaves_link_back() -> None:
    # centre = 0.15 + 0.85 * 4 leaf, leaf = 0.15 + 0.85 * centre/4, so
    # centre = 0.15 + 0.85 * (0.6 + 0.85 centre) = 0.66 + 0.7225 centre = 0.66/0.2775, leaf = 0.15 + 0.2125 centre.
    centre = 0.66 / 0.2775
    leaf = pytest.approx(0.15 + 0.2125 * centre)
    web = [(A, [B, C, D, E]), (B, [A]), (C, [A]), (D, [A]), (E, [A])]
    assert pagerank(web) == {A: pytest.approx(centre), B: leaf, C: leaf, D: leaf, E: leaf}


def test_what_flows_into_a_page_without_links_is_gone() -> None:
    # a = 0.15 + 0.85 b; b = 0.15 + 0.85 a/2; so a = 0.15 + 0.1275 + 0.36125 a = 0.2775/0.63875; c gets what b gets.
    a = 0.2775 / 0.63875
    b = 0.15 + 0.425 * a
    unfetched = pagerank([(A, [B, C]), (B, [A])])
    assert unfetched == pytest.approx({A: a, B: b, C: b})
    assert pagerank([(A, [B, C]), (B, [A]), (C, [])]) == pytest.approx(unfetched)


def test_damping_is_the_share_that_is_passed_on() -> None:
    # a = 0.5; b = 0.5 + 0.5 * 0.5
    assert pagerank([(A, [B])], damping=0.5) == pytest.approx({A: 0.5, B: 0.75})


def test_the_order_of_fetching_does_not_matter() -> None:
    web = [(A, [B, C]), (B, [A]), (C, [D, E]), (D, [A, B])]
    assert pagerank(web[::-1]) == pytest.approx(pagerank(web))


def test_an_earlier_result_of_a_larger_graph_is_refused() -> None:
    with pytest.raises(ValueError, match="the earlier result has 3 URLs, more than the 2 of this snapshot"):
        graph_of([(A, [B])]).snapshot().pagerank(np.ones(3))


def test_a_good_start_saves_rounds_and_a_bad_one_does_no_harm() -> None:
    snapshot = graph_of([(key, [(key * 7 + step) % 50 for step in range(5)]) for key in range(50)]).snapshot()
    cold = snapshot.pagerank(tolerance=1e-12)
    # With a tolerance this coarse one round is enough, so that the result shows where it began.
    assert snapshot.pagerank(cold, tolerance=0.9) == pytest.approx(cold, rel=1e-9)
    assert snapshot.pagerank(tolerance=0.9) != pytest.approx(cold, rel=1e-2)
    assert snapshot.pagerank(1000 * np.ones(50), tolerance=1e-12) == pytest.approx(cold, rel=1e-9)


def plain_pagerank(web: Web, damping: float) -> dict[int, float]:
    links = plain(web)
    ranks = dict.fromkeys(everyone(links), 1.0)
    for _ in range(250):  # 0.85 ** 250 < 1e-17
        ranks = {
            key: 1 - damping + damping * sum(ranks[page] / len(links[page]) for page in links if key in links[page])
            for key in ranks
        }
    return ranks


def plain(web: Web) -> dict[int, set[int]]:
    links: dict[int, set[int]] = {}
    for page, targets in web:
        links.setdefault(page, set(targets) - {page})
    return links


def everyone(links: Mapping[int, set[int]]) -> set[int]:
    return set(links).union(*links.values())


@pytest.mark.slow
@given(WEBS)
def test_pagerank_is_what_plain_dictionaries_say(web: Web) -> None:
    assert pagerank(web) == pytest.approx(plain_pagerank(web, 0.85), rel=1e-9)


@pytest.mark.slow
@given(WEBS, WEBS)
def test_a_warm_start_leads_to_the_same_ranks(early: Web, late: Web) -> None:
    graph = graph_of(early)
    before = graph.snapshot().pagerank()
    for page, targets in late:
        graph.add(page, targets)
    snapshot = graph.snapshot()
    assert snapshot.pagerank(before) == pytest.approx(snapshot.pagerank(), rel=1e-4)


# --- topic PageRank --------------------------------------------------------------------------------------------------


def test_rank_goes_where_the_topic_is() -> None:
    # R = 1, 3, 1, in all 5. Without links: a = c = 0.15 * 1/5 = 0.03, b = 0.15 * 3/5 = 0.09.
    # The links of a have 3 + 1 = 4: b = 0.09 + 0.85 * 0.03 * 3/4 = 0.109125, c = 0.03 + 0.85 * 0.03 * 1/4 = 0.036375.
    ranks = topic_pagerank([(A, [B, C])], {A: 1, B: 3, C: 1})
    assert ranks == pytest.approx({A: 0.03, B: 0.109125, C: 0.036375})


def test_topic_rank_goes_in_circles() -> None:
    # As above, and b links to a, its only link: a = 0.03 + 0.85 b, b = 0.09 + 0.85 * 3/4 a = 0.09 + 0.6375 a, so
    # a = 0.03 + 0.0765 + 0.541875 a = 0.1065/0.458125; c = 0.03 + 0.85/4 a.
    a = 0.1065 / 0.458125
    ranks = topic_pagerank([(A, [B, C]), (B, [A])], {A: 1, B: 3, C: 1})
    assert ranks == pytest.approx({A: a, B: 0.09 + 0.6375 * a, C: 0.03 + 0.2125 * a})


def test_a_page_whose_links_are_all_irrelevant_passes_nothing_on() -> None:
    # R = 2, 0, 0, 2. a = d = 0.15 * 2/4 = 0.075, and nobody links to d.
    ranks = topic_pagerank([(A, [B, C]), (D, [])], {A: 2, D: 2})
    assert ranks == pytest.approx({A: 0.075, B: 0, C: 0, D: 0.075})


def test_without_a_relevant_page_none_is_important() -> None:
    assert topic_pagerank([(A, [B]), (B, [A, C])], {}) == {A: 0, B: 0, C: 0}


def test_the_smallest_relevances_there_are_do_not_break_it() -> None:
    # Only their proportions count. a = 1/2 * 0.15 + 0.85 b, b = 1/2 * 0.15 + 0.85 a: both 0.5.
    assert topic_pagerank([(A, [B]), (B, [A])], {A: 5e-324, B: 5e-324}) == pytest.approx({A: 0.5, B: 0.5})


def test_every_url_needs_its_relevance() -> None:
    graph, relevance = graph_of([(A, [B])]), array("d", [1.0, 1.0])
    # Alone a = b = 0.15/2; b is the only link of a: 0.075 + 0.85 * 0.075.
    assert graph.snapshot().topic_pagerank(relevance) == pytest.approx([0.075, 0.13875])
    for count in (1, 3):
        with pytest.raises(ValueError, match=f"{count} relevances for 2 URLs"):
            graph.snapshot().topic_pagerank(count * relevance[:1])


@pytest.mark.parametrize("wrong", [-0.1, math.nan, math.inf])
def test_a_relevance_that_is_none_is_refused(wrong: float) -> None:
    with pytest.raises(ValueError, match="a relevance is less than 0, or no number"):
        graph_of([(A, [B])]).snapshot().topic_pagerank([1.0, wrong])


def plain_topic_pagerank(web: Web, relevance: Mapping[int, float]) -> dict[int, float]:
    links = plain(web)
    total = sum(relevance[key] for key in everyone(links))
    sums = {page: sum(relevance[key] for key in links[page]) for page in links}
    ranks = dict.fromkeys(everyone(links), 1.0)
    for _ in range(250):
        ranks = {
            key: 0.15 * relevance[key] / total
            + 0.85 * sum(ranks[page] * relevance[key] / sums[page] for page in links if key in links[page])
            if relevance[key]
            else 0.0
            for key in ranks
        }
    return ranks


RELEVANCES = st.fixed_dictionaries({key: st.sampled_from([0.0, 0.0, 0.1, 0.5, 1.0]) for key in range(-6, 7)})


@pytest.mark.slow
@given(WEBS, RELEVANCES)
def test_topic_pagerank_is_what_plain_dictionaries_say(web: Web, relevance: Mapping[int, float]) -> None:
    assert topic_pagerank(web, relevance) == pytest.approx(plain_topic_pagerank(web, relevance), rel=1e-9)


@pytest.mark.slow
@given(WEBS, WEBS, RELEVANCES)
def test_a_warm_start_leads_to_the_same_topic_ranks(early: Web, late: Web, relevance: Mapping[int, float]) -> None:
    graph = graph_of(early)
    before = graph.snapshot().topic_pagerank(numbered(graph, relevance))
    for page, targets in late:
        graph.add(page, targets)
    snapshot, now = graph.snapshot(), numbered(graph, relevance)
    assert snapshot.topic_pagerank(now, before) == pytest.approx(snapshot.topic_pagerank(now), rel=1e-4)


# --- hubs and authorities --------------------------------------------------------------------------------------------


def test_hubs_and_authorities_in_the_golden_ratio() -> None:
    # a links to c and d, b to c only. Authorities: c = a + b = (c + d) + c, d = a = c + d, times a factor: the ratio x = c/d
    # is (2x + 1)/(x + 1), the golden one. Hubs: a/b = (c + d)/c = 1 + 1/x, which is x again. Scaled to length 1.
    golden = (1 + math.sqrt(5)) / 2
    length = math.hypot(golden, 1)
    hubs, authorities = hits([(A, [C, D]), (B, [C])], roots=[A, C])
    assert hubs == pytest.approx({A: golden / length, B: 1 / length, C: 0, D: 0})
    assert authorities == pytest.approx({A: 0, B: 0, C: golden / length, D: 1 / length})


def test_only_roots_and_their_neighbours_count() -> None:
    # Root a: itself and c, d, not b, which only shares a link with it. Its two links are equals: 1/sqrt(2) each.
    hubs, authorities = hits([(A, [C, D]), (B, [C, E])], roots=[A])
    assert hubs == pytest.approx({A: 1, B: 0, C: 0, D: 0, E: 0})
    assert authorities == pytest.approx({A: 0, B: 0, C: math.sqrt(0.5), D: math.sqrt(0.5), E: 0})


def test_pages_that_link_to_a_root_are_its_neighbours() -> None:
    # Root c: itself and a, b. The link from a to d does not count, so a and b are equals.
    hubs, authorities = hits([(A, [C, D]), (B, [C])], roots=[C])
    assert hubs == pytest.approx({A: math.sqrt(0.5), B: math.sqrt(0.5), C: 0, D: 0})
    assert authorities == pytest.approx({A: 0, B: 0, C: 1, D: 0})


def test_links_between_neighbours_count() -> None:
    # Root a links to b and c, and b links to c. c = a + b, b = a; a = b + c, b (as a hub) = c: the golden ratio again.
    golden = (1 + math.sqrt(5)) / 2
    length = math.hypot(golden, 1)
    hubs, authorities = hits([(A, [B, C]), (B, [C])], roots=[A])
    assert hubs == pytest.approx({A: golden / length, B: 1 / length, C: 0})
    assert authorities == pytest.approx({A: 0, B: 1 / length, C: golden / length})


def test_groups_of_equal_strength_count_equally() -> None:
    # Two pages with two links each, none in common: four authorities of 1/2.
    _, authorities = hits([(1, [2, 3]), (4, [5, 6])], roots=[1, 4])
    assert authorities == pytest.approx({1: 0, 2: 0.5, 3: 0.5, 4: 0, 5: 0.5, 6: 0.5})


def test_a_weaker_group_fades() -> None:
    # Three links against two: in each round the weaker group loses a third beside the stronger, so nothing is left of it.
    _, authorities = hits([(1, [2, 3, 4]), (5, [6, 7])], roots=[1, 5])
    third = math.sqrt(1 / 3)
    assert authorities == pytest.approx({1: 0, 2: third, 3: third, 4: third, 5: 0, 6: 0, 7: 0}, abs=1e-9)


@pytest.mark.parametrize(("web", "roots"), [([(A, [])], [A]), ([(A, [B])], []), ([(A, [B])], [D])])
def test_without_a_link_near_a_root_all_are_0(web: Web, roots: list[int]) -> None:
    hubs, authorities = hits(web, roots)
    assert set(hubs.values()) == set(authorities.values()) == {0.0}


def plain_hits(web: Web, roots: set[int]) -> tuple[dict[int, float], dict[int, float]]:
    links = plain(web)
    near = roots & everyone(links)
    near |= {key for page in links if page in roots for key in links[page]}
    near |= {page for page in links if links[page] & roots}
    edges = [(page, key) for page in links for key in links[page] if page in near and key in near]
    hubs, authorities = dict.fromkeys(near, 1.0), dict.fromkeys(near, 0.0)
    for _ in range(200):
        authorities = unit({key: sum(hubs[page] for page, target in edges if target == key) for key in near})
        hubs = unit({page: sum(authorities[key] for source, key in edges if source == page) for page in near})
    nobody = dict.fromkeys(everyone(links), 0.0)
    return nobody | hubs, nobody | authorities


def unit(values: dict[int, float]) -> dict[int, float]:
    length = math.hypot(*values.values()) or 1.0
    return {key: value / length for key, value in values.items()}


@pytest.mark.slow
@given(WEBS, st.sets(st.integers(-6, 6), max_size=4))
def test_hits_are_what_plain_dictionaries_say(web: Web, roots: set[int]) -> None:
    for values, expected in zip(hits(web, roots), plain_hits(web, roots), strict=True):
        assert values == pytest.approx(expected, abs=1e-9)


def test_the_best_parent_of_a_url() -> None:
    graph = graph_of([(A, [C, D]), (B, [D, E]), (C, [])])
    values = np.array([{A: 0.5, B: 0.7, C: 0.9, D: 0.0, E: 0.0}[int(key)] for key in graph.snapshot().keys])
    assert by_key(graph, graph.snapshot().best_parent(values)) == {A: 0, B: 0, C: 0.5, D: 0.7, E: 0.7}
