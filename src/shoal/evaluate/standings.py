"""Which strategy is how good? The figures of a comparison, per topic, per web and over all webs.

    Result (one crawl) ─► TopicFigures ─mean over topics─► per web ─mean over webs─► overall

Every web counts the same, however many topics it has. Precision is what the labels say; what the judge says of its own pages
stands in a column that says so.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TypeVar

import msgspec

from shoal.evaluate.curves import Curve, curve_of, mean, of_oracle
from shoal.evaluate.jobs import JUDGING, ORACLE, STEP, Conditions, Job, Result
from shoal.evaluate.ratings import JudgeStanding, judge_standings

_Number = TypeVar("_Number", int, float)


class TopicFigures(msgspec.Struct, frozen=True, kw_only=True):
    """How one strategy did on one topic, within the pages that were compared."""

    web: str
    topic: str
    name: str
    """The strategy, with its judge where several are compared."""
    strategy: str
    judge: str
    """Empty: the strategy's own."""
    of_oracle: float
    """Area under the recall curve as a share of the omniscient crawler's."""
    precision: float
    recall: float
    value: float | None
    """Relevant pages per second of simulated time; None for who does not need time."""
    half_after: int | None
    """Pages fetched until half of all relevant ones were found; None when they never were."""
    most_after: int | None
    """The same for nine tenths."""
    fetched: int
    found: int
    """Relevant pages among them."""
    relevant: int
    """Relevant pages that could have been found."""
    reachable: int
    compared: int
    """Fetches that count: the budget, or all reachable pages if they are fewer."""
    judged_relevant: int | None
    """The judge's own opinion of what was fetched, not the truth."""
    requests: int | None
    seconds: float | None
    """Simulated."""
    ending: str


class Means(msgspec.Struct, frozen=True, kw_only=True):
    """The figures of a strategy, averaged."""

    of_oracle: float
    precision: float
    recall: float
    value: float | None
    judged_share: float | None
    """The share of the fetched pages that the judge takes for relevant."""


class StrategyStanding(msgspec.Struct, frozen=True, kw_only=True):
    """One row of the final table."""

    name: str
    strategy: str
    judge: str
    overall: Means
    webs: Mapping[str, Means]


class TopicFacts(msgspec.Struct, frozen=True, kw_only=True):
    """What there is to find."""

    name: str
    title: str
    """As its author calls it."""
    relevant: int
    reachable: int
    oracle_needs: int | None
    """Pages that the omniscient crawler fetches until it has them all; None when the budget does not suffice."""


class WebFacts(msgspec.Struct, frozen=True, kw_only=True):
    """What was crawled."""

    name: str
    pages: int
    links: int
    topics: tuple[TopicFacts, ...]


class Comparison(msgspec.Struct, frozen=True, kw_only=True):
    """All figures of a comparison."""

    title: str
    conditions: Conditions
    webs: tuple[WebFacts, ...]
    standings: tuple[StrategyStanding, ...]
    """The best first, the omniscient crawler left out."""
    oracle: StrategyStanding
    topics: tuple[TopicFigures, ...]
    judges: tuple[JudgeStanding, ...] = ()
    """The best first."""
    folder: str
    files: tuple[str, ...]
    seconds: float
    """Of real time, for all crawls that were made now."""


# --- from crawls to figures ------------------------------------------------------------------------------------------


class CrawlResults:
    """What came of all jobs, by topic and strategy; the judges, who do not crawl, stand apart."""

    def __init__(self, results: Iterable[Result], pages: int) -> None:
        ordered = sorted(results, key=lambda result: result.job)
        self.judges = judge_standings(result for result in ordered if result.job.strategy == JUDGING)
        self._results = {result.job: result for result in ordered if result.job.strategy != JUDGING}
        self._pages = pages
        self._curves = {
            result.job: curve_of(result.hits, result.fetched, result.relevant) for result in self._results.values()
        }
        self._say_judge = len({job.judge for job in self._curves if job.strategy != ORACLE}) > 1

    def __getitem__(self, job: Job) -> Result:
        return self._results[job]

    @property
    def webs(self) -> list[str]:
        return list(dict.fromkeys(job.web for job in self._curves))

    def topics(self, web: str) -> list[str]:
        """Those of a web."""
        return list(dict.fromkeys(job.topic for job in self._curves if job.web == web))

    @property
    def contestants(self) -> list[tuple[str, str]]:
        """Strategy and judge of every row, the omniscient crawler too."""
        return list(dict.fromkeys((job.strategy, job.judge) for job in self._curves))

    def name(self, strategy: str, judge: str) -> str:
        """What a row is called: a judge is named only where it makes a difference."""
        if strategy == ORACLE or not self._say_judge:
            return strategy
        return f"{strategy} · {judge or 'own judge'}"

    def curves(self, web: str, strategy: str, judge: str) -> list[Curve]:
        """One per topic."""
        return [self._curves[Job(web=web, topic=topic, strategy=strategy, judge=judge)] for topic in self.topics(web)]

    def compared(self, web: str, topic: str) -> int:
        """Fetches that count."""
        return min(self._pages, self._results[Job(web=web, topic=topic, strategy=ORACLE)].reachable)

    def figures(self) -> list[TopicFigures]:
        """Everything, topic by topic."""
        return [self._figures(job) for job in self._results]

    def _figures(self, job: Job) -> TopicFigures:
        result, curve = self._results[job], self._curves[job]
        oracle = self._curves[Job(web=job.web, topic=job.topic, strategy=ORACLE)]
        pages = self.compared(job.web, job.topic)
        end = curve.at(pages)
        seconds = at_mark(result.clock, end.fetched)
        return TopicFigures(
            web=job.web,
            topic=job.topic,
            name=self.name(job.strategy, job.judge),
            strategy=job.strategy,
            judge=job.judge,
            of_oracle=of_oracle(curve, oracle, pages),
            precision=end.harvest_rate,
            recall=end.recall,
            value=end.relevant / seconds if seconds else None,
            half_after=_within(curve.pages_until(0.5), pages),
            most_after=_within(curve.pages_until(0.9), pages),
            fetched=end.fetched,
            found=end.relevant,
            relevant=result.relevant,
            reachable=result.reachable,
            compared=pages,
            judged_relevant=at_mark(result.judged, end.fetched),
            requests=result.requests or None,
            seconds=seconds,
            ending=result.ending,
        )

    def standings(self) -> tuple[list[StrategyStanding], StrategyStanding]:
        """The rows of the final table, the best first, and the omniscient crawler's own."""
        figures = self.figures()
        rows = [self._standing(strategy, judge, figures) for strategy, judge in self.contestants]
        oracle = next(row for row in rows if row.strategy == ORACLE)
        others = sorted((row for row in rows if row is not oracle), key=lambda row: (-row.overall.of_oracle, row.name))
        return others, oracle

    def _standing(self, strategy: str, judge: str, figures: Sequence[TopicFigures]) -> StrategyStanding:
        own = [row for row in figures if (row.strategy, row.judge) == (strategy, judge)]
        webs = {web: _means([_of_topic(row) for row in own if row.web == web]) for web in self.webs}
        return StrategyStanding(
            name=self.name(strategy, judge),
            strategy=strategy,
            judge=judge,
            overall=_means(list(webs.values())),
            webs=webs,
        )


def at_mark(marks: Sequence[_Number], fetched: int) -> _Number | None:
    """What stood after so many pages: marks are set at each STEP and at the end, and `fetched` rounds up to the next."""
    return marks[min(-(-fetched // STEP), len(marks)) - 1] if marks and fetched else None


def _within(pages: int | None, limit: int) -> int | None:
    return pages if pages is not None and pages <= limit else None


def _of_topic(row: TopicFigures) -> Means:
    judged = row.judged_relevant
    return Means(
        of_oracle=row.of_oracle,
        precision=row.precision,
        recall=row.recall,
        value=row.value,
        judged_share=judged / row.fetched if judged is not None and row.fetched else None,
    )


def _means(rows: Sequence[Means]) -> Means:
    return Means(
        of_oracle=mean([row.of_oracle for row in rows]),
        precision=mean([row.precision for row in rows]),
        recall=mean([row.recall for row in rows]),
        value=_mean_of_some([row.value for row in rows]),
        judged_share=_mean_of_some([row.judged_share for row in rows]),
    )


def _mean_of_some(values: Sequence[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return mean(known) if known else None


def topic_facts(results: CrawlResults, web: str, titles: Mapping[str, str]) -> tuple[TopicFacts, ...]:
    """What there is to find on a web."""
    facts = []
    for topic in results.topics(web):
        oracle = results[Job(web=web, topic=topic, strategy=ORACLE)]
        facts.append(
            TopicFacts(
                name=topic,
                title=titles.get(topic, topic),
                relevant=oracle.relevant,
                reachable=oracle.reachable,
                oracle_needs=oracle.hits[-1] if len(oracle.hits) == oracle.relevant else None,
            )
        )
    return tuple(facts)
