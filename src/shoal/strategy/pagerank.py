"""PageRank: what many pages link to goes first, whatever it is about (PUSH table 4-1, AVSM 2.2.2)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from shoal.crawl.ranking import Ranking
from shoal.judge.registry import Choice
from shoal.model import Candidate, Repriced, Seen, Topic
from shoal.strategy.crawled_graph import Chart
from shoal.strategy.graph import DAMPING
from shoal.strategy.nofollow import refusal
from shoal.urls import key_of


class PageRank(Chart):
    """priority = PageRank of the URL in the graph known so far, unfetched URLs included."""

    def __init__(self, topic: Topic) -> None:
        """The topic is not looked at: importance is not relevance."""
        super().__init__()
        self._ranks: Ranking | None = None

    def follow(self, seen: Seen) -> Iterable[Candidate]:
        """Each link with its rank, and what this page adds to it; both are exact again after the next refresh."""
        if (page := seen.page) is None:
            return
        self.chart(seen)
        key = key_of(seen.task.url)
        share = DAMPING * self._rank(key) / max(self.graph.out_degree(key), 1)
        for link in page.links:
            rank = self._rank(key_of(link.url)) + share
            yield refusal(page, link) or Candidate(link=link, priority=rank, why=f"PageRank {rank:.2f}")

    async def refresh(self) -> Sequence[Repriced]:
        """The ranks in the graph as it is now."""
        last = self._ranks.values if self._ranks else None
        self._ranks = await self.ranked(lambda graph: graph.pagerank(last))
        return await self.changed(self._ranks, "PageRank {:.2f}")

    def _rank(self, key: int) -> float:
        """What it was at the last refresh; what a page without links to it has, if it was not known then."""
        return self._ranks.get(key, 1 - DAMPING) if self._ranks else 1 - DAMPING


CHOICE = Choice(
    name="pagerank",
    summary="what many pages link to first, whatever it is about",
    paper="PUSH table 4-1, AVSM 2.2.2",
    make=PageRank,
)
