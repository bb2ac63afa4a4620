"""When does a crawl think, and what of? After enough pages it learns about its topic, prices anew what waits, and asks whether
it is worth going on; what a user says makes it think at once. Fetching goes on meanwhile.
"""

from __future__ import annotations

import asyncio
import math
from collections.abc import Callable, Sequence

from shoal.crawl.metrics import Meter
from shoal.crawl.termination import AHEAD, StoppingRule
from shoal.crawl.topic_learner import TopicLearner
from shoal.frontier.frontier import Frontier
from shoal.internal_errors import InternalErrors
from shoal.model import Mark, Outlook, Seen, Topic
from shoal.model.stored import TopicChange
from shoal.protocols import Repricer
from shoal.strategy import Capabilities

_REPRICED_AT_ONCE = 200
"""URLs that get another priority before others have their turn."""


class BackgroundWork:
    """Lets strategy, learner and finish think when it is time. Owned by the coordinator; owns the changes of the topic."""

    def __init__(
        self,
        *,
        strategy: Capabilities,
        learner: TopicLearner,
        stopping_rule: StoppingRule,
        frontier: Frontier,
        meter: Meter,
        marks: Callable[[], Sequence[Mark]],
        clock: Callable[[], float],
        internal_errors: InternalErrors,
    ) -> None:
        """`marks` are those that a user gave since it was asked last."""
        self._repricer = strategy.repricer
        self._mark_learner = strategy.mark_learner
        self._forecaster = strategy.forecaster
        self._learner = learner
        self.stopping_rule = stopping_rule
        self._frontier = frontier
        self._meter = meter
        self._marks = marks
        self._clock = clock
        self.when_changed: Callable[[], None] = lambda: None
        """Called when other URLs may come next than before."""
        self._internal_errors = internal_errors
        self._refresh_at = self._next_refresh()
        """How many pages it takes until the strategy may re-price what waits; one that never does has for ever."""
        self._due = asyncio.Event()
        self._marked = False
        """A user said something of pages, and the strategy was not asked since what it makes of it."""
        self._on_topic: list[Callable[[Topic], None]] = []
        self._topics: list[TopicChange] = []
        """What the next commit takes."""

    @property
    def topic(self) -> Topic:
        """What we are looking for at this moment."""
        return self._learner.topic

    def when_topic_changes(self, tell: Callable[[Topic], None]) -> None:
        """From the next page on, `tell` hears of every new version of the topic."""
        self._on_topic.append(tell)

    def take_topics(self) -> tuple[TopicChange, ...]:
        """The changes since the last call."""
        topics, self._topics = self._topics, []
        return tuple(topics)

    def outlook(self) -> Outlook | None:
        """What the strategy expects of the next pages at this moment; None when it cannot tell."""
        return self._forecaster.outlook(AHEAD) if self._forecaster is not None else None

    def saw(self, seen: Seen, order: int, *, relevant: bool) -> None:
        """A page came, as the so-many-th, and the strategy knows it."""
        self._learner.saw(seen)
        self.stopping_rule.saw(relevant=relevant)
        if order >= self._refresh_at or self._learner.due or self.stopping_rule.due(order):
            self._due.set()

    def hear_the_user(self) -> None:
        """What a user says of pages counts at once; also while an older refresh is still under way."""
        for mark in self._marks():
            if self._mark_learner is not None:
                self._mark_learner.learn_mark(mark)
                self._marked = self._repricer is not None
        if self._marked:
            self._due.set()

    def ask_whether_done(self) -> None:
        """If it is time to."""
        pages = self._meter.pages
        if self.stopping_rule.due(pages) and self.stopping_rule.ask(self.outlook(), pages):
            self.when_changed()  # those who wait for work go home

    async def run(self) -> None:
        """Think whenever it is time, until cancelled."""
        while True:
            await self._due.wait()
            self._due.clear()
            try:
                await self._think()
            except Exception as error:  # what pages say made it stumble; the crawl goes on as it was
                self._internal_errors.note_elsewhere(error, "what all pages say together", self._clock())
                self._refresh_at = self._next_refresh()

    async def _think(self) -> None:
        if self._learner.due:
            await self._learn()
        if self._repricer is not None and (self._marked or self._meter.pages >= self._refresh_at):
            await self._refresh(self._repricer)
        self.ask_whether_done()

    async def _learn(self) -> None:
        if (change := await self._learner.study(self._clock())) is not None:
            self._topics.append(change)
            for tell in self._on_topic:
                tell(change.topic)

    async def _refresh(self, repricer: Repricer) -> None:
        self._marked = False
        for count, one in enumerate(await repricer.refresh(), start=1):
            if not self._frontier.reprice(one.key, one.priority, one.why):
                repricer.lost([one.key])  # with its host, perhaps
            if count % _REPRICED_AT_ONCE == 0:
                await asyncio.sleep(0)
        self._refresh_at = self._next_refresh()
        self.when_changed()

    def _next_refresh(self) -> float:
        return self._meter.pages + self._repricer.pace() if self._repricer is not None else math.inf
