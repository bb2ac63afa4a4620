"""How far could a crawler get that follows links? `learned`, told beforehand what stands behind every link that it has found.

    python -m benchmarks.clairvoyance WEBS [--topic NAME ...]

WEBS is a folder of recorded webs, or `generated`. Three crawls of each topic, by the share of the omniscient crawler's harvest:

    as it is          it guesses what stands behind a link
    knows scores      of every link that was found it knows what our judge will say of the page: it guesses without fault
    knows labels      of every link that was found it knows the truth, which no judge can tell

None of them knows the links of pages that it has not fetched. What is missing between the first and the second is lost by
guessing, between the second and the third by judging, and from there to 1 by not finding the pages that list others.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Mapping, Sequence
from functools import partial

import numpy as np

from benchmarks.learned import PAGES, Grounds, replaced, score_of
from shoal.errors import InputError
from shoal.evaluate.curves import mean
from shoal.evaluate.jobs import ORACLE, Bench, Job, Result
from shoal.evaluate.judge_quality import OfflineReader
from shoal.evaluate.offline_web import open_web
from shoal.evaluate.survey import Ground
from shoal.judge import make_judge
from shoal.model import Topic
from shoal.strategy.learned import CHOICE, Learned
from shoal.strategy.link_model.features import Features
from shoal.strategy.link_model.link_rows import LinkTable, Slots
from shoal.strategy.link_model.pricing import LinkPricing
from shoal.strategy.link_model.valuation import LinkModel
from shoal.topic.word_vectors import Meanings, spaces
from shoal.urls import key_of

WAYS = ("as it is", "knows scores", "knows labels")
Truth = Mapping[int, float]
"""What the page behind a link is worth, by the key of its URL."""


class Clairvoyant(Learned):
    """Adds to the value of every link what is behind it, so that nothing else decides unless two are alike."""

    def __init__(self, topic: Topic, meanings: Meanings, model: LinkModel, pricing: LinkPricing) -> None:
        super().__init__(topic, meanings, model, pricing)
        self.truth: Truth = {}
        valued = self._pricing._value

        def value(slots: Slots) -> None:
            valued(slots)
            self._reveal(self._links, slots)

        self._pricing._value = value  # type: ignore[method-assign]

    def _value(self, slots: Slots, features: Features) -> None:
        super()._value(slots, features)
        self._reveal(self._links, slots)
        self._links.told[slots] = self._links.told[slots].clip(self._links.value[slots])

    def _reveal(self, links: LinkTable, slots: Slots) -> None:
        slots = slots[links.open[slots]]
        known = [self.truth.get(key, 0.0) for key in links.rows["key"][slots].tolist()]
        links.value[slots] += np.array(known, dtype=np.float32)


def _knowing(truth: Truth, topic: Topic, **parameters: float) -> Clairvoyant:
    made = Clairvoyant.make(topic, Meanings(spaces()), **parameters)
    made.truth = truth
    return made


class Foresight(Bench):
    """Does the jobs, and reveals what the way to be measured may know."""

    way = WAYS[0]

    def _crawl(self, job: Job, ground: Ground, relevant: frozenset[int]) -> Result:
        if self.way == WAYS[0]:
            return super()._crawl(job, ground, relevant)
        truth = self._labels(ground, relevant) if self.way == WAYS[2] else self._scores(job, ground)
        with replaced(partial(_knowing, truth)):
            return super()._crawl(job, ground, relevant)

    @staticmethod
    def _labels(ground: Ground, relevant: frozenset[int]) -> Truth:
        return {key_of(url): 1.0 for url in ground.names(relevant)}

    def _scores(self, job: Job, ground: Ground) -> Truth:
        field = self._fields[job.web]
        settings = field.subjects[job.topic].settings
        judge, reader = make_judge(CHOICE.judge, settings.topic), OfflineReader(field.web, settings, self._cache)
        pages = ((url, reader.page(url)) for url in ground.names(ground.reachable))
        return {key_of(url): judge.judge(page).score for url, page in pages if page is not None}


def main(arguments: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.clairvoyance", description=__doc__)
    parser.add_argument("webs", help="a folder of recorded webs with labels, one of them, or `generated`")
    parser.add_argument("--topic", action="append", default=[], help="only this topic; repeat for several")
    parser.add_argument("--pages", type=int, default=PAGES, help=f"pages of each crawl (default: {PAGES})")
    given = parser.parse_args(arguments)
    with open_web(given.webs) as webs:
        grounds = Grounds(webs, given.webs, 1, given.pages)
        bench = Foresight(grounds.fields, grounds.conditions)
        print("| topic | " + " | ".join(WAYS) + " |\n|---|" + "---:|" * len(WAYS))
        for web, field in grounds.fields.items():
            lines = [
                _line(bench, web, topic, given.pages)
                for topic in field.subjects
                if not given.topic or topic in given.topic
            ]
            if lines:
                means = (mean([line[place] for line in lines]) for place in range(len(WAYS)))
                print(f"| **{web}** | " + " | ".join(f"**{value:.3f}**" for value in means) + " |", flush=True)
    return 0


def _line(bench: Foresight, web: str, topic: str, pages: int) -> list[float]:
    oracle = bench(Job(web=web, topic=topic, strategy=ORACLE))
    scores = []
    for bench.way in WAYS:
        scores.append(score_of(bench(Job(web=web, topic=topic, strategy=CHOICE.name)), oracle, pages))
    print(f"| {web}/{topic} | " + " | ".join(f"{score:.3f}" for score in scores) + " |", flush=True)
    return scores


if __name__ == "__main__":
    try:
        sys.exit(main(sys.argv[1:]))
    except InputError as error:
        sys.exit(str(error))
