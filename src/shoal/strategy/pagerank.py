"""PageRank: what many pages link to goes first, whatever it is about (PUSH table 4-1, AVSM 2.2.2)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from shoal.judge.registry import Registered
from shoal.model import Candidate, Link, Repriced, Seen, Topic
from shoal.strategy import refusal
from shoal.strategy.crawled_graph import CrawledGraph
from shoal.strategy.graph import DAMPING
from shoal.urls import key_of


class PageRank(CrawledGraph):
    """priority = PageRank of the URL in the graph known so far, unfetched URLs included."""

    def __init__(self, topic: Topic) -> None:
        """The topic is not looked at: importance is not relevance."""
        super().__init__()

    def follow(self, seen: Seen) -> Iterable[Candidate]:
        """Each link with its rank, and what this page adds to it; both are exact again after the next refresh."""
        if (page := seen.page) is None:
            return
        keys, own = self.chart(seen), key_of(seen.task.url)
        share = DAMPING * self._rank(own) / max(self.graph.out_degree(own), 1)
        for link in page.links:
            yield refusal(page, link) or self._ranked(link, next(keys), share)

    async def refresh(self) -> Sequence[Repriced]:
        """The ranks in the graph as it is now."""
        last = self.ranking.values
        await self.rank(lambda graph: graph.pagerank(last))
        return await self.changed("PageRank {:.2f}")

    def _ranked(self, link: Link, key: int, share: float) -> Candidate:
        rank = self._rank(key) + share
        return Candidate(link=link, priority=rank, why=f"PageRank {rank:.2f}", key=key)

    def _rank(self, key: int) -> float:
        """What it was at the last refresh; what a page without links to it has, if it was not known then."""
        return self.ranking.get(key, 1 - DAMPING)


CHOICE = Registered(
    name="pagerank",
    summary="what many pages link to first, whatever it is about",
    paper="PUSH table 4-1, AVSM 2.2.2",
    make=PageRank,
)
