"""What each URL was worth at one moment of the graph."""

from __future__ import annotations

import pytest

from shoal.crawl.ranking import Ranking
from shoal.strategy.graph import Graph


def small() -> tuple[Graph, Ranking]:
    """Pages 1 and 2 link to 10, 11, 12. Numbers in the graph: 1, 10, 11, 2, 12."""
    graph = Graph()
    graph.add(1, [10, 11])
    graph.add(2, [12])
    return graph, Ranking(graph, graph.snapshot(), [0.5, 0.2, 0.7, 0.9, 0.2])


def test_the_best_come_first_and_of_equal_ones_the_one_found_first() -> None:
    _, ranking = small()
    assert ranking.best_waiting(9) == [(11, 0.7), (10, 0.2), (12, 0.2)]
    assert ranking.best_pages(9) == [(2, 0.9), (1, 0.5)]
    assert ranking.largest == 0.9


@pytest.mark.parametrize(("limit", "keys"), [(0, []), (1, [11]), (2, [11, 10]), (3, [11, 10, 12])])
def test_no_more_than_asked_for(limit: int, keys: list[int]) -> None:
    _, ranking = small()
    assert [key for key, _ in ranking.best_waiting(limit)] == keys


def test_the_values_stay_what_they_were_when_the_graph_grows() -> None:
    graph, ranking = small()
    graph.add(10, [13, 14])
    assert ranking.get(12, -1.0) == 0.2
    assert ranking.get(13, -1.0) == -1.0, "it was found later"
    assert ranking.get(99, -1.0) == -1.0, "it was never found"
    assert ranking.best_waiting(9) == [(11, 0.7), (10, 0.2), (12, 0.2)]


def test_the_values_of_those_that_wait() -> None:
    graph, ranking = small()
    graph.add(10, [13])
    assert ranking.waiting([2, 11, 10, 13, 99]) == {11: 0.7, 10: 0.2}, "10 was fetched only later"


def test_of_nothing_nothing_is_the_best() -> None:
    graph = Graph()
    ranking = Ranking(graph, graph.snapshot(), [])
    assert ranking.best_waiting(5) == []
    assert ranking.largest == 0.0


def test_values_of_another_moment_are_a_bug_and_are_heard() -> None:
    graph, _ = small()
    with pytest.raises(ValueError, match="4 values for 5 URLs"):
        Ranking(graph, graph.snapshot(), [0.1] * 4)


def test_what_is_lost_is_not_waited_for() -> None:
    graph, ranking = small()
    lost = bytearray(len(graph))
    lost[graph.number(11)] = 1
    assert ranking.best_waiting(9, bytes(lost)) == [(10, 0.2), (12, 0.2)]
    assert ranking.waiting([10, 11], bytes(lost)) == {10: 0.2}
    assert ranking.best_waiting(1, bytes(lost) + bytes(100)) == [(10, 0.2)], "the graph has grown since"
