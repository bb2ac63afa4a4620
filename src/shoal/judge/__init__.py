"""Is it about the topic? One file per judge; a new file that declares a `CHOICE` is found by itself."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from math import inf

from msgspec.structs import replace

from shoal.judge.registry import Registered, choices_in
from shoal.model import Link, Page, Topic, Verdict
from shoal.protocols import Judge


@cache
def judges() -> Mapping[str, Registered[Judge]]:
    """Every judge there is, by name; `judges()["cosine"].make(topic)` builds one for one topic."""
    return choices_in(__name__, __path__)


def make_judge(name: str, topic: Topic) -> Judge:
    """The named judge for this topic, or for each of its topics when it has several (`Topic.any`).

    One of several topics that has no threshold of its own takes that of the whole, and else the judge's default.
    """
    make = judges()[name].make
    if not topic.any:
        return make(topic)
    topics = [replace(one, threshold=topic.threshold) if one.threshold is None else one for one in topic.any]
    return Several([(one.name, make(one)) for one in topics])


class Several:
    """One judge per topic; a page counts when one of them matches (IMAGE 2).

    A page's verdict is that of the topic it is furthest above the threshold of (score / threshold, because topics may have
    thresholds of their own), or nearest to when it reaches none. So the page is relevant when any of the topics says so,
    and the reasons are those of that topic alone. A link promises what it promises to the topic that likes it most.
    """

    def __init__(self, judges: Sequence[tuple[str, Judge]]) -> None:
        """The name of each topic with its judge, at least one."""
        self._judges = tuple(judges)

    def judge(self, page: Page) -> Verdict:
        """The verdict of the topic that fits best; the first of those that fit equally well."""
        verdicts = [(name, judge.judge(page)) for name, judge in self._judges]
        name, best = max(verdicts, key=lambda one: _times_the_threshold(one[1]))
        # A page that says nothing of any topic is not about the first of them.
        return replace(best, topic=name) if best.score or best.relevant else best

    def judge_links(self, links: Sequence[Link]) -> tuple[float, ...]:
        """The best that any topic says of each link."""
        scores = [judge.judge_links(links) for _, judge in self._judges]
        return tuple(map(max, zip(*scores, strict=True))) if len(scores) > 1 else scores[0]


def _times_the_threshold(verdict: Verdict) -> float:
    """1 and more is relevant. A threshold of 0 is just reached by 0, and by anything else exceeded beyond measure."""
    if verdict.threshold:
        return verdict.score / verdict.threshold
    return inf if verdict.score else 1.0
