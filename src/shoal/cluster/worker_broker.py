"""How does a worker get its tasks, and where does it bring the results? It has a broker like any other; behind it is RabbitMQ.

A task is acknowledged when the broker has its result for sure. One that was in another worker's hands before is not begun: only
the coordinator knows when its host may be asked again. When the line is lost, the worker goes on with what it has in hand, and
brings it home when there is a line again.

A message that cannot be read is put aside; a visit that cannot be sent comes home as a failure of that URL. Nothing that a
message or a page contains ends a worker: it would end the next one, too.
"""

from __future__ import annotations

import asyncio
import logging
from collections import deque
from collections.abc import Callable

from msgspec.structs import replace

from shoal import __version__
from shoal.cluster import wire
from shoal.cluster.clock_offset import ClockOffset, shifted
from shoal.cluster.connection import Connection, ConnectionLost, Delivery, Stay, stay_on_line
from shoal.cluster.wire import TASKS, VOICES, WIRE, Assigned, Brief, results_of
from shoal.cluster.worker_registry import BEAT
from shoal.crawl.metrics import WorkerFigures
from shoal.crawl.validation import Unreadable
from shoal.errors import BrokerRefused
from shoal.internal_errors import at_once, missed_by
from shoal.model import Visit
from shoal.steady_clock import SteadyClock

logger = logging.getLogger(__name__)
_AHEAD = 1.25
"""Tasks in hand for each that can be done at once: who is done need not wait for the next one."""
_SENTENCE = 500
"""Characters of a reason to give a task back."""
_FAREWELL = 0.25
"""Seconds for the last tasks to arrive, when a worker has said that it leaves."""


class WorkerBroker:
    """The tasks of one worker. Implements `protocols.Broker`; sole owner of what it has in hand. `run` must be running."""

    def __init__(self, name: str, capacity: int, clock: Callable[[], float] | None = None) -> None:
        self.name = name
        self._capacity = capacity
        self._clock = clock or SteadyClock()  # what a coordinator's clock is ahead of ours must not change
        self._ready: deque[Assigned] = deque()
        """Tasks that nobody has begun with."""
        self._unbriefed: dict[tuple[str, int], tuple[Assigned, float]] = {}
        """Tasks of crawls that are not known well enough, by run and lease, each with the moment it came."""
        self._deliveries: dict[tuple[str, int], tuple[Connection, int]] = {}
        """How each task in hand can be acknowledged."""
        self._briefs: dict[str, Brief] = {}
        """What is known of each crawl."""
        self._offsets: dict[str, ClockOffset] = {}
        self._waiting: deque[asyncio.Future[Assigned | None]] = deque()
        self._leaving = asyncio.Event()
        self._gone = asyncio.Event()
        """All is brought home."""
        self._line: Connection | None = None
        self._on_line = asyncio.Event()
        self._own_queue = ""
        self.busy = 0
        """Tasks under way."""
        self.figures = WorkerFigures()
        self._was_on_line = False

    def brief(self, crawl: str) -> Brief:
        """What is known of a crawl whose task is under way."""
        return self._briefs[crawl]

    # --- the broker --------------------------------------------------------------------------------------------------

    async def lease(self) -> Assigned | None:
        """The next request to make; None when the worker is to go home."""
        while True:
            task = await self._next()
            if task is None or self._in_time(task):
                self.busy += task is not None
                return task
            await self._bring(task, _declined(task))

    async def settle(self, visit: Visit) -> None:
        """Bring a result home; returns when the broker has it for sure."""
        task = visit.task
        assert isinstance(task, Assigned), "it was not leased here"
        self.figures.visited(visit)
        try:
            await self._bring(task, self._sendable(task, visit))
        finally:
            self.busy -= 1

    async def decline(self, task: Assigned, why: str) -> None:
        """Give back a leased task that this worker cannot do; others may."""
        try:
            await self._bring(task, _declined(task, why[:_SENTENCE].encode("utf-8", "replace").decode()))
        finally:
            self.busy -= 1

    def _sendable(self, task: Assigned, visit: Visit) -> bytes:
        """A result as it travels. One that cannot be sent is a failure of its URL, not of this worker."""
        offset = self._ahead(task)
        try:
            return self._came(task, shifted(replace(visit, task=wire.plain(task)), offset))
        except Exception as error:
            return self._came(task, missed_by(error, wire.plain(task), at_once(self._clock() + offset)))

    def _came(self, task: Assigned, visit: Visit) -> bytes:
        return wire.encode(wire.Came(run=task.run, lease=task.lease, worker=self.name, visit=visit))

    async def _next(self) -> Assigned | None:
        if self._ready:
            return self._ready.popleft()
        if self._leaving.is_set():
            return None
        waiter: asyncio.Future[Assigned | None] = asyncio.get_running_loop().create_future()
        self._waiting.append(waiter)
        try:
            return await waiter
        except asyncio.CancelledError:
            if not waiter.cancelled() and (task := waiter.result()) is not None:
                self._ready.appendleft(task)
            raise

    def _in_time(self, task: Assigned) -> bool:
        return self._clock() + self._ahead(task) < task.until

    def _ahead(self, task: Assigned) -> float:
        """Seconds by which the clock of its coordinator is ahead of ours."""
        offset = self._offsets.get(task.crawl)
        return offset.seconds if offset else 0.0

    async def _bring(self, task: Assigned, body: bytes) -> None:
        """Publish a result until the broker has it; one that comes twice is known to the coordinator."""
        while True:
            await self._on_line.wait()
            line = self._line
            assert line is not None
            try:
                await line.publish(results_of(task.crawl), body)
            except ConnectionLost:
                if self._line is line:
                    self._on_line.clear()
                continue
            self.figures.in_hand -= 1
            came_on, tag = self._deliveries.pop((task.run, task.lease))
            if came_on is line:  # else the broker has given it to somebody else by now, who returns it
                line.ack(tag)
            return

    # --- one line ----------------------------------------------------------------------------------------------------

    async def run(self, url: str, stay: Stay = stay_on_line) -> None:
        """Take tasks until the worker leaves and all is brought home; also when the broker is away at that moment."""
        async with asyncio.TaskGroup() as group:
            serving = group.create_task(stay(url, self._serve))
            await self._gone.wait()
            if self._line is None:
                serving.cancel()

    def leave(self) -> None:
        """Begin with nothing more; what is under way comes home."""
        self._leaving.set()
        if self._line is None:  # else what is left is given back first
            self._send_home()

    def gone(self) -> None:
        """All that was under way is at home."""
        self._gone.set()

    async def _serve(self, line: Connection) -> None:
        await line.declare_meeting(VOICES)
        self._own_queue = await line.declare_own()
        refused: asyncio.Future[str] = asyncio.get_running_loop().create_future()
        await line.consume(self._own_queue, lambda said: self._hear(said, refused), ack=False)
        self._line = line
        if self._was_on_line:
            self.figures.reconnects += 1
        self._was_on_line = True
        self._on_line.set()
        self._beat(line)
        try:
            async with asyncio.TaskGroup() as group:
                talking = [group.create_task(self._beat_on(line)), group.create_task(self._give_up(refused))]
                await self._take(line)
                await self._gone.wait()
                for task in talking:
                    task.cancel()
        finally:
            self._line = None
            self._on_line.clear()

    async def _take(self, line: Connection) -> None:
        """Take tasks from the queue until the worker leaves; then give back what nobody has begun with."""
        came: asyncio.Queue[Delivery] = asyncio.Queue()
        await line.declare(TASKS, **wire.TASKS_LIMITS)
        consumer = await line.consume(TASKS, came.put_nowait, prefetch=max(1, int(_AHEAD * self._capacity)))
        async with asyncio.TaskGroup() as group:
            taking = group.create_task(self._take_all(line, came))
            await self._leaving.wait()
            self._beat(line)  # so that nobody counts on us any more
            # What is on its way to us when we hang up goes to another worker, who cannot know that nobody has begun with it.
            await asyncio.sleep(_FAREWELL)
            await line.hang_up(consumer)
            taking.cancel()
        await self._decline_all(line, came)

    async def _take_all(self, line: Connection, came: asyncio.Queue[Delivery]) -> None:
        while True:
            self._got(line, await came.get())

    def _got(self, line: Connection, delivery: Delivery) -> None:
        try:
            task = wire.read_assigned(delivery.body)
        except Unreadable as problem:
            logger.warning("A task cannot be read (%s), and was put aside.", problem)
            line.put_aside(delivery.tag)
            return
        if delivery.again:
            returned = wire.Returned(run=task.run, lease=task.lease, task=wire.plain(task))
            line.publish(results_of(task.crawl), wire.encode(returned))
            line.ack(delivery.tag)
            return
        if (task.run, task.lease) in self._deliveries:
            logger.warning("A task came twice, and was put aside the second time.")
            line.put_aside(delivery.tag)
            return
        self.figures.in_hand += 1
        self._deliveries[task.run, task.lease] = line, delivery.tag
        if self._knows(task):
            self._put(task)
        else:
            self._unbriefed[task.run, task.lease] = task, self._clock()
            self._ask(line, task.crawl, task.run)

    async def _decline_all(self, line: Connection, came: asyncio.Queue[Delivery]) -> None:
        """What nobody has begun with goes back."""
        while not came.empty():
            self._got(line, came.get_nowait())
        left = [*self._ready, *(task for task, _ in self._unbriefed.values())]
        self._ready.clear()
        self._unbriefed.clear()
        self._send_home()
        for task in left:
            await self._bring(task, _declined(task))

    def _send_home(self) -> None:
        """Whoever waits for a task gets none any more."""
        while self._waiting:
            _give(self._waiting.popleft(), None)

    def _put(self, task: Assigned) -> None:
        while self._waiting:
            if _give(self._waiting.popleft(), task):
                return
        self._ready.append(task)

    # --- voices ------------------------------------------------------------------------------------------------------

    async def _beat_on(self, line: Connection) -> None:
        while True:
            await asyncio.sleep(BEAT)
            self._beat(line)
            for crawl, run in {(task.crawl, task.run) for task, _ in self._unbriefed.values()}:
                self._ask(line, crawl, run)
            await self._decline_late()

    async def _decline_late(self) -> None:
        """Nobody told us what to do with these, and now it is too late to begin."""
        for key, (task, _) in list(self._unbriefed.items()):
            if not self._in_time(task):
                del self._unbriefed[key]
                await self._bring(task, _declined(task))

    def _beat(self, line: Connection) -> None:
        beat = wire.Beat(
            wire=WIRE,
            shoal=__version__,
            worker=self.name,
            capacity=self._capacity,
            busy=self.busy,
            visits=self.figures.visits,
            failures=self.figures.failures,
            bytes=self.figures.bytes,
            sent=self._clock(),
            leaving=self._leaving.is_set(),
        )
        line.say(wire.encode(beat), at=VOICES, reply_to=self._own_queue)

    def _ask(self, line: Connection, crawl: str, run: str) -> None:
        line.say(wire.encode(wire.Ask(crawl=crawl, run=run, sent=self._clock())), at=VOICES, reply_to=self._own_queue)

    def _hear(self, said: Delivery, refused: asyncio.Future[str]) -> None:
        reply = wire.read_reply(said.body)
        if isinstance(reply, wire.Heard | Brief):
            offset = self._offsets.setdefault(reply.crawl, ClockOffset())
            offset.heard(sent=reply.sent, there=reply.now, back=self._clock())
        if isinstance(reply, Brief):
            self._briefs[reply.crawl] = reply
            self._begin_briefed(reply)
        elif isinstance(reply, wire.Refused) and not refused.done():
            refused.set_result(reply.why)

    def _knows(self, task: Assigned) -> bool:
        brief = self._briefs.get(task.crawl)
        return brief is not None and brief.run == task.run and brief.settings.topic.version >= task.topic_version

    def _begin_briefed(self, brief: Brief) -> None:
        """What was asked after a task had come is all that can be known for it: its coordinator may be another one by now."""
        for key, (task, came_at) in list(self._unbriefed.items()):
            if task.crawl == brief.crawl and (self._knows(task) or came_at <= brief.sent):
                del self._unbriefed[key]
                self._put(task)

    async def _give_up(self, refused: asyncio.Future[str]) -> None:
        raise BrokerRefused(await refused)


def _give(waiter: asyncio.Future[Assigned | None], task: Assigned | None) -> bool:
    if waiter.done():
        return False
    waiter.set_result(task)
    return True


def _declined(task: Assigned, why: str = "") -> bytes:
    return wire.encode(wire.Declined(run=task.run, lease=task.lease, task=wire.plain(task), why=why))
