"""What is each part of the strategy `learned` good for, and which settings are best on webs that they were not chosen on?

    python -m benchmarks.learned ablations WEBS          what is lost without each part
    python -m benchmarks.learned tune WEBS               leave-one-web-out: choose on all webs but one, measure on that one

WEBS is a folder of recorded webs, or `generated`. Everything is simulated, one request in flight unless the variant says
otherwise, and counted against labels that no strategy sees: the share of the omniscient crawler's harvest.
"""

from __future__ import annotations

import argparse
import dataclasses
import os
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from functools import cached_property, partial, update_wrapper
from itertools import product
from typing import Literal

import numpy as np
from msgspec.structs import replace

from shoal.errors import InputError
from shoal.evaluate.curves import Curve, curve_of, mean, of_oracle
from shoal.evaluate.job_pool import Ended, share
from shoal.evaluate.jobs import ORACLE, Bench, BenchWeb, Conditions, Job, Result
from shoal.evaluate.offline_web import MeasuredWeb, Subject, open_web
from shoal.evaluate.survey import cache_folder, kept_survey, stamp_of
from shoal.model import Repriced, Topic
from shoal.strategy import strategies
from shoal.strategy.learned import CHOICE, Learned
from shoal.strategy.link_model.link_rows import LinkTable
from shoal.strategy.link_model.pricing import EXPLORE, LinkPricing
from shoal.strategy.link_model.valuation import HUBS, KEPT, BayesianRegression, LinkModel, leads_prior, worth_prior
from shoal.topic.word_vectors import Meanings, spaces

PAGES = 2_000
STRATEGY = "learned"
Scores = dict[str, dict[str, float]]
"""By web, then by topic."""
Part = Literal["rescore", "prior", "vectors"]
"""What no user would do without, and is left out only to see what it is good for."""


@dataclass(frozen=True)
class Measured:
    """What came of a variant."""

    scores: Scores
    """Shares of the oracle's harvest."""
    seconds: float
    """Simulated, of all crawls together."""


@dataclass(frozen=True)
class Variant:
    """One way to run the strategy."""

    name: str
    parameters: Mapping[str, float] = field(default_factory=dict)
    judge: str = ""
    concurrency: int | None = None
    hurry: bool = False
    strategy: str = STRATEGY
    without: Part | None = None
    """What `learned` is put together without."""


ABLATIONS = (
    Variant("learned"),
    Variant("no re-scoring", without="rescore"),
    Variant("no prior", without="prior"),
    Variant("no vectors", without="vectors"),
    Variant("no hub credit", {"hubs": 0.0}),
    Variant("no exploration", {"explore": 0.0}),
    Variant("no forgetting", {"kept": 1.0}),
    Variant("8 in flight", concurrency=8),
    Variant("64 in flight", concurrency=64),
    Variant("64 in flight, hurried", concurrency=64, hurry=True),
    Variant("host cap 25 %", {"host_share": 0.25}),
    Variant("judge cosine", judge="cosine"),
    Variant("best-first, judge evidence", judge="evidence", strategy="best-first"),
)
GRID = {"hubs": (0.5, 0.8, 1.2), "kept": (0.996, 0.998, 0.9995), "explore": (0.2, 0.4)}
"""What `tune` tries, unless told otherwise: all combinations."""


class _PricesAsFound(LinkPricing):
    """Links keep the price that they had when found."""

    async def reprice(self) -> Sequence[Repriced]:
        """What was learned counts for links that are found from here on, and for no other."""
        self.reprice_all()
        return ()

    def reprice_all(self) -> None:
        """The same after a restart."""
        self.solve()
        self._links.shed()


def ablated(
    without: Part | None,
    topic: Topic,
    *,
    hubs: float = HUBS,
    kept: float = KEPT,
    explore: float = EXPLORE,
    host_share: float = 1.0,
) -> Learned:
    """`learned`, put together without one of its parts."""
    meanings = Meanings(() if without == "vectors" else spaces())
    links = LinkTable(meanings.width)
    worth, leads = worth_prior(meanings.of_topic(topic).astype(np.float64)), leads_prior()
    if without == "prior":
        worth, leads = (one._replace(weights=np.zeros_like(one.weights)) for one in (worth, leads))
    model = LinkModel(links, BayesianRegression(worth, kept), BayesianRegression(leads, kept), hubs=hubs)
    pricing = _PricesAsFound if without == "rescore" else LinkPricing
    return Learned(topic, meanings, model, pricing(links, model, explore=explore, host_share=host_share))


@contextmanager
def replaced(make: Callable[..., Learned]) -> Iterator[None]:
    """Whoever asks for `learned` in this process gets what this makes."""
    known = strategies()
    assert isinstance(known, dict)
    # A result notes the code of who made the strategy, and that is the code of `learned`.
    known[CHOICE.name] = dataclasses.replace(CHOICE, make=update_wrapper(make, CHOICE.make))
    try:
        yield
    finally:
        known[CHOICE.name] = CHOICE


class AblationBench(Bench):
    """Does the jobs without a part of `learned`."""

    def __init__(self, fields: Mapping[str, BenchWeb], conditions: Conditions, without: Part | None) -> None:
        super().__init__(fields, conditions)
        self._without = without

    def __call__(self, job: Job) -> Result:
        with replaced(partial(ablated, self._without)):
            return super().__call__(job)


class Grounds:
    """The webs, surveyed once; variants run on them one after the other."""

    def __init__(
        self, webs: Sequence[MeasuredWeb], source: str, processes: int, pages: int, delay: float | None = None
    ) -> None:
        self._processes = processes
        self._pages = pages
        self.fields = {web.web.name: _field(web, source, processes) for web in webs}
        """By name."""
        self.conditions = Conditions(pages=pages, delay=delay)

    @cached_property
    def _oracle(self) -> dict[tuple[str, str], Result]:
        return self._run(Variant("oracle", strategy=ORACLE))

    @property
    def webs(self) -> list[str]:
        """Their names."""
        return list(self.fields)

    def measure(self, variant: Variant) -> Measured:
        """Crawl every topic of every web."""
        found = self._run(variant)
        scores: Scores = {name: {} for name in self.fields}
        for (web, topic), result in found.items():
            scores[web][topic] = score_of(result, self._oracle[web, topic], self._pages)
        return Measured(scores, sum(result.clock[-1] for result in found.values()))

    def _run(self, variant: Variant) -> dict[tuple[str, str], Result]:
        fields = {name: _with(field, variant) for name, field in self.fields.items()}
        jobs = [
            Job(web=name, topic=topic, strategy=variant.strategy, judge=variant.judge)
            for name, field in fields.items()
            for topic in field.subjects
        ]
        conditions = replace(self.conditions, concurrency=variant.concurrency or 1)
        bench = AblationBench(fields, conditions, variant.without)
        events = share(bench, jobs, self._processes, lambda job: (job.web, job.topic))
        ended = [event for event in events if isinstance(event, Ended)]
        return {(event.job.web, event.job.topic): event.result for event in ended}


def _field(web: MeasuredWeb, source: str, processes: int) -> BenchWeb:
    stamp = stamp_of(source, web.web)
    also = [url for subject in web.subjects for url in (*subject.settings.seeds, *subject.labelled)]
    agents = {subject.settings.fetching.user_agent for subject in web.subjects}
    folder = cache_folder(os.environ)
    surveys = {
        agent: kept_survey(web.web, stamp, folder, also, user_agent=agent, processes=processes) for agent in agents
    }
    return BenchWeb(
        web=web.web, surveys=surveys, subjects={subject.name: subject for subject in web.subjects}, stamp=stamp
    )


def _with(field: BenchWeb, variant: Variant) -> BenchWeb:
    """The same with the variant's parameters in every topic's settings."""
    numbers = tuple(variant.parameters.items())
    subjects = {
        name: Subject(
            name=subject.name,
            settings=replace(
                subject.settings,
                strategy=variant.strategy,
                parameters=numbers,
                fetching=replace(subject.settings.fetching, hurry=variant.hurry),
            ),
            labelled=subject.labelled,
        )
        for name, subject in field.subjects.items()
    }
    return BenchWeb(web=field.web, surveys=field.surveys, subjects=subjects, stamp=field.stamp)


def score_of(result: Result, oracle: Result, pages: int) -> float:
    """The share of the omniscient crawler's harvest."""
    return of_oracle(_curve(result), _curve(oracle), pages)


def _curve(result: Result) -> Curve:
    return curve_of(result.hits, result.fetched, result.relevant)


# --- the two questions -----------------------------------------------------------------------------------------------


def ablations(grounds: Grounds, only: Sequence[str]) -> None:
    """One line per variant, as it is done; its difference in harvest, and its simulated time as a multiple, to the first."""
    print("| variant | all webs | " + " | ".join(grounds.webs) + " | least topic | difference | time |")
    print("|---|---:|" + "---:|" * (len(grounds.webs) + 3))
    first: tuple[float, float] | None = None
    for variant in ABLATIONS:
        if only and variant.name not in only:
            continue
        measured = grounds.measure(variant)
        by_web = [mean(list(topics.values())) for topics in measured.scores.values()]
        least = min(value for topics in measured.scores.values() for value in topics.values())
        total = mean(by_web)
        first = first or (total, measured.seconds)
        figures = " | ".join(f"{value:.3f}" for value in (total, *by_web, least))
        print(
            f"| {variant.name} | {figures} | {total - first[0]:+.3f} | {measured.seconds / first[1]:.2f} |", flush=True
        )


def tune(grounds: Grounds, grid: Mapping[str, Sequence[float]]) -> None:
    """For each web: the best settings by the mean of the others, and what those reach on it."""
    measured: dict[str, dict[str, float]] = {}
    for variant in _combinations(grid):
        scores = grounds.measure(variant).scores
        measured[variant.name] = {web: mean(list(topics.values())) for web, topics in scores.items()}
        print(
            f"{variant.name:44}", *(f"{web} {value:.3f}" for web, value in measured[variant.name].items()), flush=True
        )
    print()
    for held_out in grounds.webs:
        others = [web for web in grounds.webs if web != held_out] or [held_out]
        best = max(measured, key=lambda name: mean([measured[name][web] for web in others]))
        print(
            f"left out {held_out}: chosen on {', '.join(others)}: {best}; reaches {measured[best][held_out]:.3f} there"
        )
    best = max(measured, key=lambda name: mean(list(measured[name].values())))
    print(f"chosen on all: {best}")


def _combinations(grid: Mapping[str, Sequence[float]]) -> Iterator[Variant]:
    for values in product(*grid.values()):
        parameters = dict(zip(grid, values, strict=True))
        yield Variant(" ".join(f"{name}={value:g}" for name, value in parameters.items()), parameters)


def _setting(text: str) -> tuple[str, list[float]]:
    """`hubs=0.5,0.8` as a name and its values."""
    name, _, values = text.partition("=")
    known = [parameter.name for parameter in CHOICE.parameters]
    if name not in known:
        raise argparse.ArgumentTypeError(f"{name!r} is none of {', '.join(known)}")
    try:
        return name, [float(value) for value in values.split(",")]
    except ValueError:
        raise argparse.ArgumentTypeError(f"{values!r} is not a list of numbers") from None


def main(arguments: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.learned", description=__doc__)
    parser.add_argument("question", choices=["ablations", "tune"])
    parser.add_argument("webs", help="a folder of recorded webs with labels, one of them, or `generated`")
    parser.add_argument("--pages", type=int, default=PAGES, help=f"pages of each crawl (default: {PAGES})")
    parser.add_argument("--delay", type=float, metavar="SECONDS", help="hosts wait so long between two requests")
    parser.add_argument("--only", action="append", default=[], help="an ablation by its name; repeat for several")
    parser.add_argument(
        "--grid",
        action="append",
        default=[],
        type=_setting,
        metavar="NAME=VALUE,...",
        help="try these values only; repeat for several",
    )
    given = parser.parse_args(arguments)
    with ExitStack() as stack:
        webs = stack.enter_context(open_web(given.webs))
        grounds = Grounds(webs, given.webs, os.cpu_count() or 1, given.pages, given.delay)
        if given.question == "ablations":
            ablations(grounds, given.only)
        else:
            tune(grounds, dict(given.grid) or GRID)
    return 0


if __name__ == "__main__":
    try:
        sys.exit(main(sys.argv[1:]))
    except InputError as error:
        sys.exit(str(error))
