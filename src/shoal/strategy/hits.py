"""HITS: the best authorities around the seeds first (PUSH 2.3.2.1)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from shoal.judge.registry import Registered
from shoal.model import Candidate, Link, Repriced, Seen, Topic
from shoal.strategy import refusal
from shoal.strategy.crawled_graph import CrawledGraph
from shoal.strategy.graph import Snapshot, Values

_SECOND = 1e-6
"""Among URLs of the same authority the best hub that links to them decides."""


class Hits(CrawledGraph):
    """priority = authority of the URL, then the best hub among its parents.

    The root set is the seeds, the base set they and their neighbours. Outside of it all are equal, and the frontier keeps
    the order in which they were found.
    """

    def __init__(self, topic: Topic) -> None:
        """The topic is not looked at: the seeds stand for it."""
        super().__init__()

    def follow(self, seen: Seen) -> Iterable[Candidate]:
        """Each link with its authority at the last refresh; what this page is worth as a hub, only the next one tells."""
        if (page := seen.page) is None:
            return
        keys = self.chart(seen)
        for link in page.links:
            yield refusal(page, link) or self._valued(link, next(keys))

    def _valued(self, link: Link, key: int) -> Candidate:
        worth = self.ranking.get(key, 0.0)
        return Candidate(link=link, priority=worth, why=f"authority {worth:.4f}", key=key)

    async def refresh(self) -> Sequence[Repriced]:
        """Hubs and authorities in the graph as it is now."""
        seeds = tuple(self.seeds)
        await self.rank(lambda graph: _weigh(graph, seeds))
        return await self.changed("authority {:.4f}")


def _weigh(graph: Snapshot, seeds: Sequence[int]) -> Values:
    """How much each URL is worth."""
    hubs, authorities = graph.hits(seeds)
    return authorities + _SECOND * graph.best_parent(hubs)


CHOICE = Registered(name="hits", summary="the best authorities around the seeds first", paper="PUSH 2.3.2.1", make=Hits)
