"""Fish search and PageRank together: links inherit their page's relevance and importance (PUSH 4.2)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from shoal.judge.registry import Parameter, Registered
from shoal.model import Candidate, Link, Reason, Repriced, Seen, Topic
from shoal.strategy import promising
from shoal.strategy.crawled_graph import CrawledGraph
from shoal.strategy.graph import DAMPING
from shoal.urls import key_of

SHARE, THRESHOLD = 0.5, 0.05


class FishPageRank(CrawledGraph):
    """W = g R + (1 - g) sim of the page; a link is worth the W of its page and what its own words promise.

    R is the page's PageRank as a share of the largest, 1 for a seed (as in the paper); sim is the judge's score. Links below
    the threshold are dropped, until a better page links to them. As in the paper's table 4-2, what waits keeps the worth it
    was found with, or a larger one of another page.
    """

    def __init__(self, topic: Topic, *, g: float = SHARE, threshold: float = THRESHOLD) -> None:
        """The topic is in the judge's scores."""
        super().__init__()
        self._g, self._threshold = g, threshold

    def follow(self, seen: Seen) -> Iterable[Candidate]:
        """Each link with the worth of its page and its own."""
        if seen.page is None or seen.verdict is None:
            return
        keys = self.chart(seen)
        importance = self._importance(seen)
        similarity = seen.verdict.score
        page = self._g * importance + (1 - self._g) * similarity
        why = f"page {page:.2f} (importance {importance:.2f}, relevance {similarity:.2f}), link text "
        for link, hint, refused in promising(seen):
            yield refused or self._worth(link, next(keys), page + hint, f"{why}{hint:.2f}")

    async def refresh(self) -> Sequence[Repriced]:
        """How important pages are from now on; nothing that waits changes its place."""
        if self.graph.fetched:
            last = self.ranking.values
            await self.rank(lambda graph: graph.pagerank(last))
        return ()

    def _worth(self, link: Link, key: int, worth: float, why: str) -> Candidate:
        refused = Reason.THRESHOLD if worth < self._threshold else None
        return Candidate(link=link, priority=worth, why=why, refused=refused, key=key)

    def _importance(self, seen: Seen) -> float:
        """From 0 to 1; before the first ranking all pages but the seeds have the least, as if the largest were 1."""
        if seen.task.depth == 0:
            return 1.0
        return self.ranking.get(key_of(seen.task.url), 1 - DAMPING) / (self.ranking.largest or 1.0)


CHOICE = Registered(
    name="fish-pagerank",
    summary="links inherit the relevance and the importance of their page",
    paper="PUSH 4.2",
    make=FishPageRank,
    judge="zones",
    parameters=(
        Parameter("g", SHARE, least=0.0, most=1.0, what="how much importance counts, against relevance"),
        Parameter("threshold", THRESHOLD, least=0.0, most=3.1, what="links worth less are dropped"),
    ),
)
