"""The graph that ranking strategies keep: when it is ranked, what is told, and what a restart brings back."""

from __future__ import annotations

import asyncio
from array import array
from collections.abc import Iterable, Sequence

import msgspec
import pytest

from shoal.model import Candidate, Link, Repriced, Seen
from shoal.strategy.crawled_graph import CrawledGraph, LinkRanking, Noted, readable
from shoal.strategy.graph import Graph
from shoal.strategy.hits import Hits
from shoal.strategy.pagerank import PageRank
from shoal.urls import key_of
from tests.strategy.pages import TOPIC, page, seen, url_of


class Quiet(CrawledGraph):
    """A chart and nothing else."""

    def follow(self, seen: Seen) -> Iterable[Candidate]:
        self.chart(seen)
        return ()

    async def refresh(self) -> Sequence[Repriced]:
        return ()


def grown(chart: CrawledGraph, pages: int, start: int = 0) -> CrawledGraph:
    """So many more pages, without links."""
    for number in range(start, start + pages):
        chart.graph.add(number, ())
    return chart


# --- the graph -------------------------------------------------------------------------------------------------------


def test_pages_and_links_and_seeds() -> None:
    chart = Quiet()
    chart.follow(page("", "a", "b", depth=0))
    chart.follow(page("a", "b", depth=1))
    home, a, b = (key_of(url_of(name)) for name in ("", "a", "b"))
    assert chart.graph.targets(home) == (a, b)
    assert chart.graph.targets(a) == (b,)
    assert chart.seeds == {home}


def test_a_link_that_must_not_be_followed_is_no_recommendation() -> None:
    chart = Quiet()
    links = [Link(url=url_of("a"), rel=("nofollow",)), Link(url=url_of("b"))]
    chart.follow(seen(score=0, hints=(0, 0), links=links, url=url_of("p")))
    assert chart.graph.targets(key_of(url_of("p"))) == (key_of(url_of("b")),)
    assert key_of(url_of("a")) not in chart.graph


# --- when ------------------------------------------------------------------------------------------------------------


async def test_a_refresh_is_due_when_the_graph_has_grown_by_a_tenth() -> None:
    strategy = PageRank(TOPIC)
    assert strategy.pace() == 50, "a tenth of nothing is not worth the trouble"
    grown(strategy, 1000)
    await strategy.refresh()
    assert strategy.pace() == 100
    grown(strategy, 30, start=1000)  # those that came while it was computed
    assert strategy.pace() == 70


async def test_what_was_recalled_is_ranked_with_the_next_page() -> None:
    strategy = PageRank(TOPIC)
    strategy.recall(PageRank(TOPIC).memo(page(str(number), "a")) for number in range(200))
    assert strategy.pace() == 1
    await strategy.refresh()
    assert strategy.pace() == 50


# --- what is told ----------------------------------------------------------------------------------------------------


async def test_what_was_told_and_is_still_true_is_not_told_again() -> None:
    strategy = PageRank(TOPIC)
    strategy.chart(page("", "a", "b"))
    assert {one.key for one in await strategy.refresh()} == {key_of(url_of("a")), key_of(url_of("b"))}
    assert await strategy.refresh() == []
    strategy.chart(page("c", "b"))
    assert [one.key for one in await strategy.refresh()] == [key_of(url_of("b"))]


async def test_what_was_among_the_best_and_is_no_longer_is_told_so() -> None:
    hits = Hits(TOPIC)
    hits.seeds = {1, 3}
    hits.graph.add(1, [2])
    assert [(one.key, round(one.priority, 3)) for one in await hits.refresh()] == [(2, 1.0)]
    # Another seed links to more URLs than are re-priced at once: next to this hub the first one is nothing.
    hits.graph.add(3, range(10, 10 + 10_001))
    told = {one.key: one.priority for one in await hits.refresh()}
    assert len(told) == 10_000, "the largest changes"
    assert told[2] == pytest.approx(0.0, abs=1e-6)
    assert told[10] == pytest.approx(0.01, rel=0.01)  # 1 / sqrt(10 001)


async def test_what_was_fetched_is_not_told() -> None:
    strategy = PageRank(TOPIC)
    strategy.chart(page("", "a", "b"))
    await strategy.refresh()
    strategy.chart(page("a", "b", "c"))
    assert key_of(url_of("a")) not in {one.key for one in await strategy.refresh()}


# --- a restart -------------------------------------------------------------------------------------------------------


def test_the_graph_comes_back() -> None:
    visits = [page("", "a", "b", depth=0), page("a", "c"), page("a", "d"), page("b")]
    before, after = Quiet(), Quiet()
    memos = []
    for visit in visits:
        before.follow(visit)
        memos.append(before.memo(visit))
    after.recall(memos)
    assert after.seeds == before.seeds
    for name in ("", "a", "b"):
        key = key_of(url_of(name))
        assert after.graph.is_fetched(key)
        assert after.graph.targets(key) == before.graph.targets(key)


def test_what_is_no_page_leaves_no_memo() -> None:
    assert Quiet().memo(msgspec.structs.replace(page("a"), page=None, verdict=None)) == b""


@pytest.mark.parametrize(
    "memo",
    [
        b"",
        b"\xff\x00garbage",
        msgspec.msgpack.encode(["links", 1, True, b"seven b"]),
        msgspec.msgpack.encode(["links", 2**63, True, b""]),
        msgspec.msgpack.encode(["links", 1, True]),
        msgspec.msgpack.encode(["genes", 1, 0.5, 1, []]),
        msgspec.msgpack.encode({"page": 1}),
    ],
)
def test_what_others_noted_is_left_out(memo: bytes) -> None:
    ours = msgspec.msgpack.encode(Noted(1, True, array("q", [2, 3]).tobytes()))
    assert [noted.page for noted in readable([memo, ours, memo], Noted)] == [1]


def test_refresh_runs_beside_the_crawl() -> None:
    """Pages come in while ranks are computed in a thread."""

    async def crawl() -> None:
        strategy = PageRank(TOPIC)
        strategy.chart(page("", "a", "b"))
        refreshing = asyncio.create_task(strategy.refresh())
        await asyncio.sleep(0)
        strategy.chart(page("a", "c", "d", "e"))
        assert {one.key for one in await refreshing} == {key_of(url_of("a")), key_of(url_of("b"))}

    asyncio.run(crawl())


# --- what is lost ----------------------------------------------------------------------------------------------------


async def test_what_is_lost_is_never_priced_again_and_a_restart_knows_it() -> None:
    strategy = PageRank(TOPIC)
    list(strategy.follow(page("p", "dead", "alive", depth=0)))
    strategy.lost([key_of(url_of("dead")), key_of(url_of("never heard of"))])
    assert [one.key for one in await strategy.refresh()] == [key_of(url_of("alive"))]


async def test_no_more_than_the_limit_is_told_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("shoal.strategy.crawled_graph._MOST_REPRICED", 3)
    strategy = PageRank(TOPIC)
    for number in range(6):
        list(strategy.follow(page(f"p{number}", *(f"{number}-{link}" for link in range(number + 1)))))
        assert len(await strategy.refresh()) <= 3


# --- what each URL was worth at one moment ---------------------------------------------------------------------------


def small() -> tuple[Graph, LinkRanking]:
    """Pages 1 and 2 link to 10, 11, 12. Numbers in the graph: 1, 10, 11, 2, 12."""
    graph = Graph()
    graph.add(1, [10, 11])
    graph.add(2, [12])
    return graph, LinkRanking(graph, graph.snapshot(), [0.5, 0.2, 0.7, 0.9, 0.2])


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
    ranking = LinkRanking(graph, graph.snapshot(), [])
    assert ranking.best_waiting(5) == []
    assert ranking.largest == 0.0


def test_values_of_another_moment_are_a_bug_and_are_heard() -> None:
    graph, _ = small()
    with pytest.raises(ValueError, match="4 values for 5 URLs"):
        LinkRanking(graph, graph.snapshot(), [0.1] * 4)


def test_what_is_lost_is_not_waited_for() -> None:
    graph, ranking = small()
    lost = bytearray(len(graph))
    lost[graph.number(11)] = 1
    assert ranking.best_waiting(9, bytes(lost)) == [(10, 0.2), (12, 0.2)]
    assert ranking.waiting([10, 11], bytes(lost)) == {10: 0.2}
    assert ranking.best_waiting(1, bytes(lost) + bytes(100)) == [(10, 0.2)], "the graph has grown since"
