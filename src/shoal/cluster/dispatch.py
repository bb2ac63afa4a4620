"""Who stands between a coordinator and RabbitMQ? Hands out its tasks, takes in what workers bring, and answers their questions.

1. As many tasks are leased from the coordinator as the workers that were heard lately can do at once, and some more.
2. Results are acknowledged when the coordinator has them on the disk: if it dies before, the next one gets them.
3. A result whose lease is over, or of a run that died, is offered to the coordinator as late (`Coordinator.settle_late`).
4. When the broker is away nothing is handed out. Workers go on with what they have, and bring it when it is back.
5. A message that cannot be read, or does not fit what was leased, is put aside. What came of a task is judged by our lease of it
   (`crawl/validation.py`), never by what the message says of the task.
"""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Callable, Mapping
from typing import Any

import msgspec
from msgspec.structs import replace

from shoal import __version__
from shoal.cluster import leases, wire
from shoal.cluster.connection import Connection, ConnectionLost, Delivery, Stay, stay_on_line
from shoal.cluster.leases import Lease, Leases
from shoal.cluster.wire import DEAD, TASKS, VOICES, WIRE, Assigned, Beat, Declined, Returned, Sealed, results_of
from shoal.cluster.worker_registry import WorkerRegistry, shown_name
from shoal.crawl.coordinator import Coordinator
from shoal.crawl.metrics import ClusterFigures
from shoal.crawl.validation import Misfit, Unreadable, checked, in_words, is_of, settle_checked
from shoal.errors import ShoalError
from shoal.internal_errors import at_once
from shoal.model import Failure, Missed, Reason, Seen, Task, Visit, timing_of
from shoal.settings import Settings
from shoal.store import packed_page
from shoal.urls import host_of, normalise

logger = logging.getLogger(__name__)
AHEAD = 1.5
"""Tasks handed out for each that the workers can do at once: who is done finds the next one in its hands."""
KILLS = 3
"""A task that is lost with its worker so many times in a row killed them, for all we know."""
_RESULTS_AT_ONCE = 1000
"""Results in memory that are not on the disk yet."""
_TICK = 0.5
"""Seconds between two looks at what time has changed."""
_ALONE = 5.0
"""Seconds without a worker before anybody is told: workers and coordinators may be started in any order."""
_TOLD = 100
"""Messages that were put aside are told of one by one; more than so many nobody reads."""
_SENTENCE = 500
_OLDEST = 30 * 86400.0
"""Seconds; a result that waited in the queue for longer counts as so old."""
_LAST_WORDS = 5.0
"""Seconds for the last acknowledgements, when the crawl is over."""


class Dispatch:
    """The cluster, as one coordinator sees it. Sole owner of its leases."""

    def __init__(
        self,
        coordinator: Coordinator,
        settings: Settings,
        *,
        crawl: str,
        run: str,
        inherited: Mapping[str, float],
        clock: Callable[[], float] = time.time,
    ) -> None:
        """`inherited` are the hosts that an earlier run had asked when it died, and when nobody can be asking them any more."""
        self._coordinator = coordinator
        self._settings = settings
        self._crawl = crawl
        self._run = run
        self._inherited = dict(inherited)
        self._clock = clock
        self._begin_within, self._lease_seconds = leases.begin_within(settings), leases.longest(settings)
        self._leases = Leases()
        self.worker_registry = WorkerRegistry()
        self._limit = 0.0
        """So many leases at once; by the workers that were there at the last look."""
        self._room = asyncio.Event()
        """Set while more may be handed out."""
        self._over = asyncio.Event()
        self._line: Connection | None = None
        self._unsaved: dict[int, int] = {}
        """For each batch of the coordinator that is not on the disk yet: the last result in it, by its tag on this line."""
        self._alone_since: float | None = clock()
        """When somebody worked last, or might have; None once we have said that nobody does."""
        self._refusals: set[str] = set()
        """What workers said that cannot work for this crawl."""
        self._redeliveries = self._expired = self._late = self._dead = 0
        coordinator.work_with(self._durable, lambda: self.worker_registry.records(clock()))

    async def run(self, url: str, crawl: asyncio.Future[Any], stay: Stay = stay_on_line) -> None:
        """Be there for the coordinator until the crawl is over, and all of it is on the disk."""
        async with asyncio.TaskGroup() as group:
            watching = group.create_task(self._watch_time())
            serving = group.create_task(stay(url, self._serve))
            await asyncio.wait([crawl])
            self._over.set()
            # The broker may be away at this moment; then the next run gets the last results again, and knows them.
            await asyncio.wait([serving], timeout=_LAST_WORDS)
            serving.cancel()
            watching.cancel()

    def figures(self) -> ClusterFigures:
        """How the cluster stands at this moment."""
        now = self._clock()
        return ClusterFigures(
            workers=self.worker_registry.size(now),
            capacity=self.worker_registry.capacity(now),
            redeliveries=self._redeliveries,
            expired=self._expired,
            late=self._late,
            dead_letters=self._dead,
        )

    # --- one line ----------------------------------------------------------------------------------------------------

    async def _serve(self, line: Connection) -> None:
        results = results_of(self._crawl)
        await line.declare(DEAD, **wire.DEAD_LIMITS)
        await line.declare(TASKS, **wire.TASKS_LIMITS)
        waiting = await line.declare(results)
        await line.declare_meeting(VOICES)
        await line.consume(await line.declare_own(VOICES), lambda said: self._hear(line, said), ack=False)
        self._line, self._unsaved = line, {}
        came: asyncio.Queue[Delivery] = asyncio.Queue()
        await line.consume(results, came.put_nowait, prefetch=_RESULTS_AT_ONCE)
        try:
            for _ in range(waiting):  # what is known must not be asked for again
                await self._take_in(await came.get())
            async with asyncio.TaskGroup() as group:
                tasks = [group.create_task(self._take_in_all(came)), group.create_task(self._hand_out(line))]
                await self._over.wait()
                for task in tasks:
                    task.cancel()
            await line.delete_if_empty(results)
        finally:
            self._line = None

    # --- handing out -------------------------------------------------------------------------------------------------

    async def _hand_out(self, line: Connection) -> None:
        while True:
            await self._room.wait()
            if (task := await self._coordinator.lease()) is None:
                return
            if line.is_lost or not self._room.is_set():  # the workers have left while we waited
                self._coordinator.take_back(task)
            else:
                self._assign(line, task)

    def _assign(self, line: Connection, task: Task) -> None:
        now = self._clock()
        assigned = Assigned(
            **msgspec.structs.asdict(task),
            crawl=self._crawl,
            run=self._run,
            lease=self._leases.new_number(),
            until=now + self._begin_within,
        )
        self._leases.add(assigned, now + self._lease_seconds)
        # When the line is lost now, nobody knows whether the broker has the task: its lease will tell.
        line.publish(TASKS, wire.encode(assigned))
        self._count_room()

    def _count_crew(self) -> None:
        self._limit = AHEAD * self.worker_registry.capacity(self._clock())
        self._count_room()

    def _count_room(self) -> None:
        if len(self._leases) < self._limit:
            self._room.set()
        else:
            self._room.clear()

    # --- taking in ---------------------------------------------------------------------------------------------------

    async def _take_in_all(self, came: asyncio.Queue[Delivery]) -> None:
        while True:
            await self._take_in(await came.get())
            # Results may wait by the hundred; what became free by each of them goes out before the next is looked at.
            await asyncio.sleep(0)

    async def _take_in(self, delivery: Delivery) -> None:
        """The boundary around a message: whatever it is, and whatever it does to us, it costs no other one."""
        try:
            await self._settle(wire.read_result(delivery.body))
        except ShoalError:
            raise  # the disk is full, the database is gone: no message is to blame for that
        except (Unreadable, Misfit) as problem:
            self._put_aside(delivery.body, f"A result ({in_words(problem)})")
        except Exception as error:
            self._put_aside(delivery.body, f"A result ({type(error).__name__})")
            logger.exception("A result could not be taken in, which is our fault.")
        self._unsaved[self._coordinator.batch] = delivery.tag
        self._count_room()

    async def _settle(self, result: wire.Arrived) -> None:
        ours = self._leases.find(result.lease) if result.run == self._run else None
        if ours is None and result.run == self._run and not self._leases.was_given(result.lease):
            raise Misfit("There never was such a lease.")
        match result:
            case Sealed() if ours is not None:
                await self._came(result, ours)
            case Sealed():
                self._late += 1
                await self._came_late(wire.read_visit(result.visit))
            case Declined(why=why) if ours is not None:
                self._leases.end(result.lease)
                self._coordinator.take_back(wire.plain(ours.task))
                self._tell_of_refusal(why)
            case Declined(task=task) if (host := _host_of(task)) in self._inherited:
                del self._inherited[host]
                self._coordinator.let_go(host)
            case Returned() if ours is not None:
                self._redeliveries += 1
                ours.returned = True

    async def _came(self, sealed: Sealed, lease: Lease) -> None:
        """What came of a task that is out; a visit of another task ends nothing: the right one may be on its way."""
        task = wire.plain(lease.task)
        said = _opened(sealed)
        if not isinstance(said, Unreadable) and not is_of(said, task):
            raise Misfit("It is of another task than the one that was leased.")
        self._leases.end(lease.task.lease)
        since, now = lease.ends - self._lease_seconds, self._clock()
        error = await settle_checked(self._coordinator, task, lambda: _whole(said), since=since, now=now)
        if error is not None:
            raise Misfit(in_words(error)) from error

    async def _came_late(self, visit: Visit) -> None:
        """What nobody waits for any more is believed only about URLs and hosts that we know, and as long as it can be true."""
        task, now = visit.task, self._clock()
        if (host := _host_of(task)) is None:
            raise Misfit("It is late, and of no URL.")
        known = replace(task, host=host)
        ended = min(max(timing_of(visit).ended, now - _OLDEST), now)
        late = checked(_whole(visit), known, since=ended - self._lease_seconds, now=ended)
        self._inherited.pop(host, None)
        await self._coordinator.settle_late(late)

    def _durable(self, batch: int) -> None:
        """All results of this batch, and of those before it, are on the disk."""
        tags = [self._unsaved.pop(done) for done in sorted(self._unsaved) if done <= batch]
        if tags and self._line is not None:
            self._line.ack(tags[-1], up_to=True)

    # --- time --------------------------------------------------------------------------------------------------------

    async def _watch_time(self) -> None:
        while True:
            now = self._clock()
            for lease in self._leases.ended(now):
                self._expired += 1
                await self._coordinator.settle(self._lost(lease, now))
            for host in [host for host, until in self._inherited.items() if until <= now]:
                del self._inherited[host]
                self._coordinator.let_go(host)
            self._count_crew()
            self._tell_of_workers(now)
            if self._line is not None and len(self._leases) and not self.worker_registry.size(now):
                await self._decline_for_all(self._line)
            await asyncio.sleep(_TICK)

    def _tell_of_workers(self, now: float) -> None:
        """That nobody works is worth a line, once; and that somebody does again."""
        if self.worker_registry.size(now):
            if self._alone_since is None:
                logger.warning("Workers are here: the crawl goes on.")
            self._alone_since = now
        elif self._alone_since is not None and self._line is not None and now - self._alone_since > _ALONE:
            self._alone_since = None
            logger.warning("No worker is here: the crawl waits for a shoal worker with this broker.")

    async def _decline_for_all(self, line: Connection) -> None:
        """The last worker has left: what lies in the queue, of whatever crawl, is not begun by anybody."""
        try:
            while (delivery := await line.get(TASKS)) is not None:
                try:
                    task = wire.read_assigned(delivery.body)
                except Unreadable as problem:
                    self._count_dead(f"A task ({problem})")
                    line.put_aside(delivery.tag)
                    continue
                answer = Returned if delivery.again else Declined
                left = answer(run=task.run, lease=task.lease, task=wire.plain(task))
                await line.publish(results_of(task.crawl), wire.encode(left))
                line.ack(delivery.tag)
        except ConnectionLost:
            return  # whoever is on the next line goes on

    def _lost(self, lease: Lease, now: float) -> Missed:
        """Nobody brought it home; one that takes its workers with it is put aside."""
        kills = lease.returned and lease.task.attempt >= KILLS
        if kills and lease.task.kind in ("page", "revisit"):
            why = f"{lease.task.attempt} workers died while they had it"
            self._put_aside(wire.encode(lease.task), lease.task.url, why)
        detail = (
            f"{lease.task.attempt} workers died while they had it."
            if kills
            else "The worker that had it is gone."
            if lease.returned
            else f"No worker brought it back in {self._lease_seconds:.0f} seconds."
        )
        failure = Failure(
            url=lease.task.url, reason=Reason.WORKER_DIED, detail=detail, heals=not kills, timing=at_once(now)
        )
        return Missed(task=lease.task, failure=failure)

    # --- what nobody can do anything with ----------------------------------------------------------------------------

    def _put_aside(
        self, body: bytes, what: str, why: str = "it cannot be read, or fits nothing that was asked for"
    ) -> None:
        self._count_dead(what, why)
        if self._line is not None:
            self._line.publish(DEAD, body)

    def _count_dead(self, what: str, why: str = "it cannot be read") -> None:
        self._dead += 1
        if self._dead <= _TOLD:
            logger.warning("%s was put aside: %s.", what, why)

    def _tell_of_refusal(self, why: str) -> None:
        """That a worker cannot work for this crawl is worth a line, once."""
        if why and why not in self._refusals and len(self._refusals) < _TOLD:
            self._refusals.add(why)
            logger.warning("%s", shown_name(why, _SENTENCE))

    # --- voices ------------------------------------------------------------------------------------------------------

    def _hear(self, line: Connection, said: Delivery) -> None:
        now = self._clock()
        match wire.read_voice(said.body):
            case Beat() as beat:
                if self.worker_registry.heard(beat, now):
                    self._count_crew()
                reply = _refusal(beat) or wire.Heard(crawl=self._crawl, run=self._run, sent=beat.sent, now=now)
                line.say(wire.encode(reply), to=said.reply_to)
            case wire.Ask(crawl=self._crawl) as ask:
                settings = replace(self._settings, topic=self._coordinator.topic)
                brief = wire.Brief(crawl=self._crawl, run=self._run, settings=settings, sent=ask.sent, now=now)
                line.say(wire.encode(brief), to=said.reply_to)


def _opened(sealed: Sealed) -> Visit | Unreadable:
    try:
        return wire.read_visit(sealed.visit)
    except Unreadable as problem:
        return problem


def _whole(visit: Visit | Unreadable) -> Visit:
    """The visit, if what is packed in it can be unpacked."""
    if isinstance(visit, Unreadable):
        raise visit
    if isinstance(visit, Seen) and (why := packed_page.damage(visit)):
        raise Misfit(why)
    return visit


def _host_of(task: Task) -> str | None:
    """The host of a task, by its URL and not by what else is said of it; None when that is no URL."""
    return host_of(task.url) if normalise(task.url) == task.url else None


def _refusal(beat: Beat) -> wire.Refused | None:
    if beat.wire == WIRE:
        return None
    worker, shoal = shown_name(beat.worker), shown_name(beat.shoal)
    return wire.Refused(
        why=f"The coordinator (shoal {__version__}) speaks version {WIRE} of shoal's messages, and the worker {worker} "
        f"(shoal {shoal}) version {beat.wire}: install the same shoal on both."
    )
