"""What has the crawl taught us about its topic? Seeds, relevant and irrelevant pages become new versions of the topic.

    seed pages ─learn─► version 2 ─every interval: estimate (Rocchio), threshold─► version 3, 4 …

Which of it happens the user says (`settings.Learning`). The formulas are in `topic/`; here is when, and from which pages.
"""

from __future__ import annotations

import asyncio
import zlib
from collections import deque
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import msgspec
from msgspec.structs import replace

from shoal.model import Origin, Page, Seen, Topic, Verdict
from shoal.model.stored import TopicChange
from shoal.settings import Learning
from shoal.text import flattened
from shoal.topic.relevance_feedback import Threshold, begin, estimate
from shoal.topic.term_weights import Words, learn, words_of
from shoal.topic.word_frequencies import general

SAMPLES = 60
"""The latest pages of either kind that the topic is estimated from."""


class TopicMemory(msgspec.Struct, frozen=True, kw_only=True):
    """What the next version builds on; stored with each version, so that a restart goes on from there."""

    start: Topic
    """The topic before the crawl taught us anything but its seeds."""
    seeds_learned: bool = False
    """The seeds had their turn; who asks for it only after that changes nothing."""
    relevant: tuple[Words, ...] = ()
    irrelevant: tuple[Words, ...] = ()
    threshold: Threshold | None = None


@dataclass(slots=True, eq=False)
class Sample:
    """A page to learn from. Its words are made in the thread of a study, because most pages never get there."""

    text: str = ""
    words: Words | None = None


class TopicLearner:
    """The topic as it is now. Sole owner of it; workers are told of changes by the coordinator.

    What is kept here changes on the event loop only. A study takes what it needs and sends pure functions to threads.
    """

    def __init__(self, learning: Learning, last: TopicChange, *, seeds: int, pages: int) -> None:
        """`last` is the latest version of the topic, of this run or of an earlier one, after `pages` pages."""
        self.topic = last.topic
        self._learning = learning
        self._seeds = seeds
        self._seen = self._began = pages
        self._studied = pages - max(0, pages - last.pages) % learning.interval
        """Pages at the last study: intervals go on over a restart."""
        memory = _decoded(last.memory) or TopicMemory(start=last.topic)
        self._start, self._seeds_learned = memory.start, memory.seeds_learned
        self._samples: list[Sample] = []
        """The seed pages, until they were learned from."""
        self._relevant = deque((Sample(words=words) for words in memory.relevant), maxlen=SAMPLES)
        self._irrelevant = deque((Sample(words=words) for words in memory.irrelevant), maxlen=SAMPLES)
        self._threshold = _still_valid(memory.threshold, last.topic, learning.wanted)
        self._verdicts: list[Verdict] = []
        """Since the last study."""
        if learning.from_seeds or learning.adapt_topic:
            general()  # takes a moment, in which a crawl that runs would fetch many pages that are judged as before

    @property
    def awaits_seeds(self) -> bool:
        """The seed pages are to be learned from and were not yet; those that earlier runs fetched are to be recalled."""
        return self._learning.from_seeds and not self._seeds_learned

    def recall(self, seeds: Iterable[Page]) -> None:
        """Seed pages that an earlier run fetched and did not come to learn from."""
        if self.awaits_seeds:
            self._samples.extend(_sample(page.title, page.text) for page in seeds if page.text)

    def saw(self, seen: Seen) -> None:
        """A page came."""
        self._seen += 1
        if seen.page is None or seen.verdict is None or not seen.text:
            return
        if self._learning.adapt_threshold:
            self._verdicts.append(seen.verdict)
        is_seed = self.awaits_seeds and seen.task.depth == 0
        if not is_seed and not self._learning.adapt_topic:
            return
        sample = _sample(seen.page.title, seen.text)
        if is_seed:
            self._samples.append(sample)
        if self._learning.adapt_topic:
            kind = self._relevant if seen.verdict.relevant else self._irrelevant
            kind.append(sample)

    @property
    def due(self) -> bool:
        """It is time for `study`."""
        if self.awaits_seeds and self._samples and len(self._samples) >= self._seeds:
            return True
        learns = self.awaits_seeds or self._learning.adapt_topic or self._learning.adapt_threshold
        return learns and self._interval_is_over

    @property
    def _interval_is_over(self) -> bool:
        return self._seen - self._studied >= self._learning.interval

    async def study(self, now: float) -> TopicChange | None:
        """The new version of the topic, if the pages since the last one give reason to; the crawl goes on meanwhile."""
        pages, interval_is_over = self._seen, self._interval_is_over
        seeds, verdicts = self._take_seeds(), self._take_interval()
        relevant, irrelevant = tuple(self._relevant), tuple(self._irrelevant)
        await _read((*seeds, *relevant, *irrelevant), self.topic)
        good, bad = _words(relevant), _words(irrelevant)
        topic, learned = await self._learn_from_seeds(self.topic, _words(seeds))
        estimated = ""
        # Who learns from seeds begins anew, so the words of an earlier feedback must be found again at once.
        if interval_is_over or (learned and any(term.origin is Origin.ADAPTED for term in self.topic.terms)):
            topic, estimated = await self._estimate(topic, good, bad)
        topic, moved = self._adapt_threshold(topic, verdicts)
        if not (learned or estimated or moved):
            return None
        why = " ".join(filter(None, (learned, estimated, moved)))
        memory = await asyncio.to_thread(_encoded, self._memory(good, bad))
        self.topic = replace(topic, version=self.topic.version + 1)
        return TopicChange(topic=self.topic, pages=pages, at=now, why=why, memory=memory)

    def _take_interval(self) -> list[Verdict]:
        """The verdicts of an interval that is over; from here on the next one runs."""
        if not self._interval_is_over:
            return []
        self._studied = self._seen
        verdicts, self._verdicts = self._verdicts, []
        # Of the interval in which this run began only a part is known: too little to say that too little came.
        return verdicts if self._seen - self._began >= self._learning.interval else []

    def _take_seeds(self) -> list[Sample]:
        """Once, when all seeds came or the first interval is over: some may never come."""
        if not self.awaits_seeds:
            return []
        self._seeds_learned = True
        samples, self._samples = self._samples, []
        return samples

    def _memory(self, relevant: tuple[Words, ...], irrelevant: tuple[Words, ...]) -> TopicMemory:
        return TopicMemory(
            start=self._start,
            seeds_learned=self._seeds_learned,
            relevant=relevant,
            irrelevant=irrelevant,
            threshold=self._threshold,
        )

    # --- one source after the other: the topic, and why it is another one ---------------------------------------------

    async def _learn_from_seeds(self, topic: Topic, samples: tuple[Words, ...]) -> tuple[Topic, str]:
        if not samples:
            return topic, ""
        # Feedback may have raised typed words already; the seeds teach what the crawl began with.
        start = _with_thresholds_of(topic, self._start)
        self._start = learned = (await asyncio.to_thread(learn, start, samples, general())).topic
        count = sum(term.origin is Origin.SEEDS for term in learned.terms)
        return learned, f"Learned {count} words from {len(samples)} seed page{'s' if len(samples) > 1 else ''}."

    async def _estimate(
        self, topic: Topic, relevant: tuple[Words, ...], irrelevant: tuple[Words, ...]
    ) -> tuple[Topic, str]:
        if not self._learning.adapt_topic:
            return topic, ""
        return await asyncio.to_thread(estimate, self._start, topic, relevant, irrelevant, general())

    def _adapt_threshold(self, topic: Topic, verdicts: Sequence[Verdict]) -> tuple[Topic, str]:
        if not verdicts:
            return topic, ""
        start = verdicts[0].threshold if topic.threshold is None else topic.threshold
        before = self._threshold or begin(start, self._learning.wanted)
        self._threshold = after = before.after(verdicts)
        return (after.on(topic), after.why) if after.why else (topic, "")


def _with_thresholds_of(now: Topic, start: Topic) -> Topic:
    parts = zip(start.any, now.any, strict=True)
    same = tuple(replace(part, threshold=other.threshold) for part, other in parts)
    return replace(start, threshold=now.threshold, any=same)


def _still_valid(threshold: Threshold | None, topic: Topic, wanted: int) -> Threshold | None:
    """The threshold of an earlier run, unless the user set another one since then."""
    if threshold is None or topic.threshold not in (None, threshold.value):
        return None
    if threshold.wanted == wanted:
        return threshold
    # What came is compared with what was wanted; of a new wish nothing is owed yet.
    return replace(threshold, wanted=wanted, intervals=0, got=0)


# --- pages as their words ---------------------------------------------------------------------------------------------


def _sample(title: str, text: str) -> Sample:
    return Sample(text=f"{title}\n{text}")


async def _read(samples: Iterable[Sample], topic: Topic) -> None:
    """Make the words of those that have none; the texts are not needed any more."""
    fresh = [sample for sample in dict.fromkeys(samples) if sample.words is None]  # a seed may be relevant, too
    texts = tuple(sample.text for sample in fresh)
    for sample, words in zip(fresh, await asyncio.to_thread(_analysed, texts, topic), strict=True):
        sample.text, sample.words = "", words


def _analysed(texts: Iterable[str], topic: Topic) -> list[Words]:
    # The flat form was for the judge and stayed with the worker.
    return [words_of(Page(url="", text=text, flat=flattened(text)), topic) for text in texts]


def _words(samples: Iterable[Sample]) -> tuple[Words, ...]:
    return tuple(sample.words for sample in samples if sample.words is not None)


def _encoded(memory: TopicMemory) -> bytes:
    return zlib.compress(msgspec.msgpack.encode(memory))


def _decoded(memory: bytes) -> TopicMemory | None:
    return msgspec.msgpack.decode(zlib.decompress(memory), type=TopicMemory) if memory else None
