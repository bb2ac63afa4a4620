"""What has the crawl taught us about its topic? Seeds, relevant and irrelevant pages become new versions of the topic.

    seed pages ─learn─► version 2 ─every interval: estimate (Rocchio), threshold─► version 3, 4 …

Which of it happens the user says (`settings.Learning`). The formulas are in `topic/`; here is when, and from which pages.
"""

from __future__ import annotations

import asyncio
import zlib
from collections import deque
from collections.abc import Iterable

import msgspec
from msgspec.structs import replace

from shoal.model import Origin, Page, Seen, Topic, TopicChange, Verdict
from shoal.settings import Learning
from shoal.text import flattened
from shoal.topic.background import general
from shoal.topic.feedback import estimate
from shoal.topic.learn import Words, learn, words_of
from shoal.topic.threshold import Threshold, begin

SAMPLES = 60
"""The latest pages of either kind that the topic is estimated from."""


class Memory(msgspec.Struct, kw_only=True):
    """What the next version builds on; stored with each version, so that a restart goes on from there."""

    start: Topic
    """The topic before the crawl taught us anything but its seeds."""
    awaits_seeds: bool
    relevant: list[Words] = []
    irrelevant: list[Words] = []
    threshold: Threshold | None = None


class Learner:
    """The topic as it is now. Sole owner of it; workers are told of changes by the coordinator."""

    def __init__(self, learning: Learning, last: TopicChange, *, seeds: int, pages: int) -> None:
        """`last` is the latest version of the topic, of this run or of an earlier one, after `pages` pages."""
        self.topic = last.topic
        self._learning = learning
        self._seeds = seeds
        self._seen = pages
        self._studied = pages
        """Pages at the last study."""
        memory = _decoded(last.memory) or Memory(start=last.topic, awaits_seeds=learning.from_seeds)
        self._start, self._awaits_seeds = memory.start, memory.awaits_seeds
        self._samples: list[Words] = []
        """The seed pages, until they were learned from."""
        self._relevant = deque(memory.relevant, maxlen=SAMPLES)
        self._irrelevant = deque(memory.irrelevant, maxlen=SAMPLES)
        self._threshold = memory.threshold
        self._verdicts: list[Verdict] = []
        """Since the last study."""
        if learning.from_seeds or learning.feedback:
            general()  # takes a moment, in which a crawl that runs would fetch many pages that are judged as before

    def recall(self, seeds: Iterable[Page]) -> None:
        """Seed pages that an earlier run fetched and did not come to learn from."""
        if self._awaits_seeds:
            self._samples.extend(map(self._words, seeds))

    def saw(self, seen: Seen) -> None:
        """A page came."""
        self._seen += 1
        if seen.page is None or seen.verdict is None or not seen.page.text:
            return
        if self._awaits_seeds and seen.task.depth == 0:
            self._samples.append(self._words(seen.page))
        if self._learning.feedback:
            kind = self._relevant if seen.verdict.relevant else self._irrelevant
            kind.append(self._words(seen.page))
        if self._learning.adapt_threshold:
            self._verdicts.append(seen.verdict)

    @property
    def due(self) -> bool:
        """It is time for `study`."""
        if self._awaits_seeds and self._samples and len(self._samples) >= self._seeds:
            return True
        learns = self._awaits_seeds or self._learning.feedback or self._learning.adapt_threshold
        return learns and self._interval_is_over

    @property
    def _interval_is_over(self) -> bool:
        return self._seen - self._studied >= self._learning.interval

    async def study(self, now: float) -> TopicChange | None:
        """The new version of the topic, if the pages since the last one give reason to; the crawl goes on meanwhile."""
        pages, reasons = self._seen, []
        topic, why = await asyncio.to_thread(self._learn_from_seeds, self.topic)
        reasons.append(why)
        if self._interval_is_over:
            self._studied = pages
            topic, why = await asyncio.to_thread(self._estimate, topic)
            reasons.append(why)
            topic, why = self._adapt_threshold(topic)
            reasons.append(why)
        if not any(reasons):
            return None
        self.topic = replace(topic, version=self.topic.version + 1)
        return TopicChange(
            topic=self.topic, pages=pages, at=now, why=" ".join(filter(None, reasons)), memory=self._memory()
        )

    # --- one source after the other: the topic, and why it is another one ---------------------------------------------

    def _learn_from_seeds(self, topic: Topic) -> tuple[Topic, str]:
        """Once, when all seeds came or the first interval is over: some may never come."""
        if not self._awaits_seeds:
            return topic, ""
        self._awaits_seeds = False
        samples, self._samples = self._samples, []
        if not samples:
            return topic, ""
        self._start = learned = learn(topic, samples, general()).topic
        count = sum(term.origin is Origin.SEEDS for term in learned.terms)
        return learned, f"Learned {count} words from {len(samples)} seed page{'s' if len(samples) > 1 else ''}."

    def _estimate(self, topic: Topic) -> tuple[Topic, str]:
        if not self._learning.feedback:
            return topic, ""
        new = estimate(self._start, topic, tuple(self._relevant), tuple(self._irrelevant), general())
        return new.topic, new.why

    def _adapt_threshold(self, topic: Topic) -> tuple[Topic, str]:
        verdicts, self._verdicts = self._verdicts, []
        if not self._learning.adapt_threshold or not verdicts:
            return topic, ""
        before = self._threshold or begin(verdicts[0].threshold, self._learning.wanted)
        self._threshold = after = before.after(verdicts)
        return (after.on(topic), after.why) if after.why else (topic, "")

    def _words(self, page: Page) -> Words:
        # The flat form was for the judge and stayed with the worker.
        return words_of(replace(page, flat=flattened(f"{page.title}\n{page.text}")), self.topic)

    def _memory(self) -> bytes:
        memory = Memory(
            start=self._start,
            awaits_seeds=self._awaits_seeds,
            relevant=list(self._relevant),
            irrelevant=list(self._irrelevant),
            threshold=self._threshold,
        )
        return zlib.compress(msgspec.msgpack.encode(memory))


def _decoded(memory: bytes) -> Memory | None:
    return msgspec.msgpack.decode(zlib.decompress(memory), type=Memory) if memory else None
