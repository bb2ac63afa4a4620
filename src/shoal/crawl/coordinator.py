"""The stateful half of a crawl: hands out requests, takes in what came of them, and makes it durable.

Its parts alone own frontier, strategy, clocks and rules (`assembly.py` puts them together). It is the broker of its own process;
worker processes talk to it through `crawl/processes.py`. All state changes between awaits, so there are no locks.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable

from msgspec.structs import replace

from shoal.crawl.committer import Committer
from shoal.crawl.handout import Arrivals, Handout
from shoal.crawl.lane import Lanes
from shoal.crawl.metrics import CrawlFigures, Statistics
from shoal.crawl.parts import CrawlParts
from shoal.crawl.termination import Ending
from shoal.model import Missed, Seen, SeenImage, Task, Topic, Visit, timing_of
from shoal.model.live import LiveFigures, RunWord, Wish


class Coordinator:
    """Runs one crawl. Implements `protocols.Broker`."""

    def __init__(
        self,
        parts: CrawlParts,
        *,
        lanes: Lanes,
        handout: Handout,
        arrivals: Arrivals,
        committer: Committer,
        wishes: Callable[[], Wish | None],
        run: str = "",
        wall: Callable[[], float] = time.time,
    ) -> None:
        """`wishes` answers what somebody wants since it was asked last; `run` and `wall` say which run this is, and when."""
        self._host_schedule = parts.host_schedule
        self._clocks = parts.clocks
        self._background = parts.background
        self._meter = parts.meter
        self._internal_errors = parts.internal_errors
        self._lanes = lanes
        self._handout = handout
        self._arrivals = arrivals
        self._committer = committer
        self.now = parts.clock
        """The time by which it goes."""
        self.stopping_rule = parts.background.stopping_rule
        """What decides whether it is worth going on."""
        self.outlook = parts.background.outlook
        self.when_topic_changes = parts.background.when_topic_changes
        self.work_with = committer.work_with
        self._wishes = wishes
        self._run = run
        self._wall = wall
        self._ended: Ending | None = None
        """Why the crawl is over, once nothing can change that."""
        committer.tell_live(self.live)

    # --- what workers ask and tell -----------------------------------------------------------------------------------

    async def lease(self) -> Task | None:
        """The next request to make, as soon as there is one; None when the crawl is over. Cancelled, it takes nothing."""
        return await self._handout.lease(self.take_back)

    async def settle(self, visit: Visit) -> None:
        """Take in the result of a leased task; it is durable with the next commit."""
        self._arrivals.settle(visit)
        self._committer.hurry_when_full()
        self._is_over(visit.task.host)

    def take_back(self, task: Task) -> None:
        """Nobody went to do a leased task, nor will: it waits again."""
        self._clocks.cancel(task.host)
        self._lanes[task.kind].take_back(task)
        self._is_over(task.host)

    async def settle_late(self, visit: Visit) -> bool:
        """Take in what nobody waits for: its lease ran out, or the run that leased it died. False when it is of no use any more.

        A page that still waits is spared a second request. Of the rest only the clock of the host is told, if we know the host.
        """
        host = visit.task.host
        if host not in self._host_schedule:
            return False
        self._clocks.came_late(host)
        if (late := self._lanes.pages.late(visit)) is not None:
            await self.settle(late)
            return True
        self._clocks.release(host, timing_of(visit), visit.failure if isinstance(visit, Missed) else None)
        self._is_over(host)
        return False

    def let_go(self, host: str) -> None:
        """Nobody will tell any more what came of the request to this host that an earlier run made."""
        if self._clocks.disinherit(host):
            self._is_over(host)

    def _is_over(self, host: str) -> None:
        """A request to this host is."""
        self._host_schedule.free(host)
        self._handout.dispatch_soon()

    # --- from start to end -------------------------------------------------------------------------------------------

    async def run(self) -> Ending:
        """Commit batch after batch until the crawl is over; answers why it is."""
        self._background.hear_the_user()
        self._background.ask_whether_done()
        async with asyncio.TaskGroup() as group:
            thinking = group.create_task(self._background.run())
            ending = await self._commit_all()
            thinking.cancel()
        return ending

    async def _commit_all(self) -> Ending:
        self._handout.dispatch()
        while (ending := self.ending) is None:
            await self._committer.wait(idle=self._handout.paused)
            await self._commit()
        self._ended = ending
        self._handout.dispatch()
        await self._commit()
        if not self._committer.has_all_errors:  # those of the last batch itself
            await self._commit()
        return ending

    async def _commit(self) -> None:
        await self._committer.commit()
        self._obey()
        self._handout.dispatch()

    async def restore(self, visit: Seen | SeenImage) -> bool:
        """Take in what was stored before, and make it durable: its database is lost. False when it is of no use."""
        pages, side_tasks = self._lanes.pages, self._lanes.side_tasks
        known = True
        if isinstance(visit, SeenImage):
            known = side_tasks.restore_image(visit)
        elif (id := pages.number(visit.task.url)) is not None:
            side_tasks.restore_look(replace(visit, task=replace(visit.task, id=id)))
        else:
            pages.restore(visit)
        await self._commit()
        return known

    def stop(self) -> None:
        """Hand out nothing more; the crawl ends when what is in flight has come home."""
        self._handout.stopping = True
        self._handout.dispatch()

    def pause(self) -> None:
        """Hand out nothing until `go_on`; what is in flight comes home. Meanwhile no time counts, and nothing ends the crawl."""
        if not self._handout.paused:
            self._handout.paused = True
            self._meter.pause(self.now())
            self._handout.dispatch()

    def go_on(self) -> None:
        """Hand out again what there is."""
        if self._handout.paused:
            self._handout.paused = False
            self._meter.go_on(self.now())
            self._handout.dispatch()

    def _obey(self) -> None:
        """What others want of the crawl, who are not at its keyboard."""
        match self._wishes():
            case Wish(want="stop"):
                self.stop()
            case Wish(want="pause"):
                self.pause()
            case Wish(want="run"):
                self.go_on()

    @property
    def ending(self) -> Ending | None:
        """Why the crawl is over; None while it goes on."""
        return self._handout.ending

    # --- what others ask ---------------------------------------------------------------------------------------------

    @property
    def batch(self) -> int:
        """The number of the commit that will make durable what is settled now."""
        return self._committer.batch

    def statistics(self) -> Statistics:
        """How the crawl stands at this moment."""
        ready, asleep = self._host_schedule.counts()
        return replace(
            self._meter.snapshot(self.now()),
            queue=len(self._lanes.pages),
            hosts_ready=ready,
            hosts_waiting=asleep,
            fetching=self._lanes.pages.fetching,
            stopping=self._handout.stopping,
            paused=self._handout.paused,
            holding_back=self._handout.is_holding_back,
            images=self._lanes.side_tasks.images,
            side_tasks=len(self._lanes.side_tasks),
            internal=self._internal_errors.count,
        )

    def live(self) -> LiveFigures:
        """The same for those who watch from elsewhere; cheap, because every commit has it."""
        now = self._meter.snapshot(self.now())
        return LiveFigures(
            run=self._run,
            at=self._wall(),
            state=self._word,
            why=self._ended or "",
            pages=now.pages,
            relevant=now.relevant,
            failed=now.failed,
            skipped=now.skipped,
            retries=now.retries,
            in_flight=self._lanes.in_flight,
            waiting=len(self._lanes.pages),
            side_tasks=len(self._lanes.side_tasks),
            images=self._lanes.side_tasks.images,
            bytes=now.bytes,
            elapsed=now.elapsed,
            rate=now.rate,
            hosts=self._host_schedule.known,
            internal=self._internal_errors.count,
        )

    @property
    def _word(self) -> RunWord:
        if self._ended is not None:
            return "ended"
        return "stopping" if self._handout.stopping else "paused" if self._handout.paused else "running"

    def figures(self) -> CrawlFigures:
        """The same with all that an operator watches."""
        return CrawlFigures(
            statistics=self.statistics(),
            leases=self._lanes.in_flight,
            failures=dict(self._arrivals.failures),
            fetches=self._arrivals.fetches.snapshot(),
            rests=self._clocks.rests.snapshot(),
            commits=self._committer.spread.snapshot(),
        )

    @property
    def topic(self) -> Topic:
        """What we are looking for at this moment."""
        return self._background.topic
