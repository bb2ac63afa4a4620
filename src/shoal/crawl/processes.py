"""Which processes visit pages for a crawl beside its own, and how do they talk to the coordinator?

Each is kept going until the crawl is over, and has a socket with length-prefixed msgpack messages.

A worker process has a `PipeBroker`, which is a broker like any other. The coordinator's process has a `serve` per worker
process, which turns its messages into `lease` and `settle`. When a worker process dies, what it had leased is settled as
missed, so that it is tried again.

A result is judged by our own record of its task (`crawl/validation.py`). A process that says what cannot be read, or brings what
it was not given, is hung up on: then all that it had gets its fate, and another process takes its place.
"""

from __future__ import annotations

import asyncio
import logging
import socket
import sys
import time
from asyncio.subprocess import Process
from collections import deque
from collections.abc import Callable, Sequence
from contextlib import suppress

import msgspec
from msgspec.structs import replace

from shoal.crawl.coordinator import Coordinator
from shoal.crawl.validation import Unreadable, in_words, read, settle_checked
from shoal.internal_errors import at_once, missed_by
from shoal.model import Failure, Missed, Reason, Task, TaskKind, Topic, Visit
from shoal.protocols import Broker
from shoal.settings import Settings

logger = logging.getLogger(__name__)
_EXIT_SECONDS = 1.0
"""What a worker process that has hung up gets to end by itself."""
_BUFFER = 2**20
LENGTH = 4
"""Bytes that say how long a message is."""
_LARGEST = 2**30
"""Bytes of a message; whoever announces more does not speak our language."""


async def work_elsewhere(coordinator: Coordinator, settings: Settings) -> None:
    """Keep one worker process going; one that dies is replaced, and what it had in hand is tried again."""
    while coordinator.ending is None:
        process, channel = await started((sys.executable, "-m", "shoal.crawl.worker"))
        try:
            topic = coordinator.topic
            await channel.send(replace(settings, topic=topic))
            worked = await serve(coordinator, channel, lambda: coordinator.topic, told=topic, clock=coordinator.now)
            # Whose socket is closed may be on its way out: if we ended it, we would not learn how it would have ended.
            with suppress(TimeoutError):
                async with asyncio.timeout(_EXIT_SECONDS):
                    await process.wait()
        finally:
            await channel.close()
            if process.returncode is None:
                process.terminate()
            await process.wait()
        # One that was killed from outside is replaced; one that cannot even start has a bug, and so would the next.
        if not worked and process.returncode and process.returncode > 0:
            raise RuntimeError(f"a worker process ended with code {process.returncode} before it asked for work")


class Want(msgspec.Struct, frozen=True, tag=True):
    """A worker has nothing to do."""


class Done(msgspec.Struct, frozen=True, tag=True):
    """A worker is back from a visit."""

    kind: TaskKind
    id: int
    """Both of the task."""
    visit: Visit


class _Sealed(msgspec.Struct, frozen=True, tag="Done"):
    """A `Done` as it arrives: whatever its visit turns out to be, the task is known."""

    kind: TaskKind
    id: int
    visit: msgspec.Raw

    @property
    def key(self) -> tuple[TaskKind, int]:
        """By which the task is known."""
        return self.kind, self.id


class Give(msgspec.Struct, frozen=True, tag=True):
    """Work for whoever wants it; no task when the crawl is over."""

    task: Task | None
    topic: Topic | None = None
    """The topic by which the page is to be judged, if it is another one than before."""


_said: msgspec.msgpack.Decoder[Want | _Sealed] = msgspec.msgpack.Decoder(Want | _Sealed)
_visit: msgspec.msgpack.Decoder[Visit] = msgspec.msgpack.Decoder(Visit)


class Channel:
    """One end of the connection between two processes."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._reader = reader
        self._writer = writer
        self._encoder = msgspec.msgpack.Encoder()

    async def send(self, message: msgspec.Struct) -> None:
        """Return when the message is on its way, and the other side does not lag behind too far."""
        data = self._encoder.encode(message)
        if self._writer.is_closing():
            return  # the other side is gone: whoever reads from it will notice
        self._writer.writelines((len(data).to_bytes(LENGTH, "big"), data))
        try:
            await self._writer.drain()
        except ConnectionError:
            return  # the same, just now

    async def receive(self) -> bytes | None:
        """The next message as it came; None when the other side is gone, or does not speak our language."""
        try:
            length = int.from_bytes(await self._reader.readexactly(LENGTH), "big")
            if length > _LARGEST:
                return None
            return await self._reader.readexactly(length)
        except (asyncio.IncompleteReadError, ConnectionError):
            return None

    async def close(self) -> None:
        """Hang up."""
        self._writer.close()
        with suppress(ConnectionError):  # the other side was faster
            await self._writer.wait_closed()


async def started(command: Sequence[str]) -> tuple[Process, Channel]:
    """A process that gets the number of its socket as its last argument, and our end of that."""
    ours, theirs = socket.socketpair()
    with theirs:
        channel = Channel(*await asyncio.open_connection(sock=ours, limit=_BUFFER))
        # A session of its own: Ctrl-C is for whoever started it; the coordinator lets what is in flight come home.
        process = await asyncio.create_subprocess_exec(
            *command, str(theirs.fileno()), pass_fds=[theirs.fileno()], start_new_session=True
        )
    return process, channel


async def connect(socket_number: int) -> Channel:
    """The end of a socket that this process was given."""
    return Channel(*await asyncio.open_connection(sock=socket.socket(fileno=socket_number), limit=_BUFFER))


class PipeBroker:
    """The coordinator as seen from a worker process. Implements `protocols.Broker`; `listen` must be running."""

    def __init__(self, channel: Channel, adopt: Callable[[Topic], None]) -> None:
        """`adopt` hears of every new version of the topic, before the first task that is to be judged by it."""
        self._channel = channel
        self._adopt = adopt
        self._waiting: deque[asyncio.Future[Task | None]] = deque()
        self._spare: deque[Task | None] = deque()
        """What came for leases that were cancelled meanwhile: the next ones get it."""
        self._hung_up = False

    async def lease(self) -> Task | None:
        """The next request to make; None when the crawl is over or the coordinator is gone."""
        if self._spare:
            return self._spare.popleft()
        if self._hung_up:
            return None
        answer: asyncio.Future[Task | None] = asyncio.get_running_loop().create_future()
        self._waiting.append(answer)
        await self._channel.send(Want())
        try:
            return await answer
        except asyncio.CancelledError:
            if not answer.cancelled():
                self._pass_on(answer.result())
            raise

    async def settle(self, visit: Visit) -> None:
        """Send a result home. One that cannot be sent is a failure of its URL, not of this process."""
        try:
            await self._channel.send(Done(visit.task.kind, visit.task.id, visit))
        except Exception as error:
            missed = missed_by(error, visit.task, at_once(time.time()))
            await self._channel.send(Done(visit.task.kind, visit.task.id, missed))

    async def listen(self) -> None:
        """Pass on what the coordinator gives, until it hangs up."""
        decoder = msgspec.msgpack.Decoder(Give)
        while (data := await self._channel.receive()) is not None:
            try:
                given = read(decoder, data)
            except Unreadable as problem:  # nobody knows which task it was: who hangs up gives all of them back
                logger.warning(
                    "A task cannot be read (%s): this process ends, and another one takes its place.", problem
                )
                break
            if given.topic is not None:
                self._adopt(given.topic)
            self._pass_on(given.task)
        self._hung_up = True
        while self._waiting:
            self._pass_on(None)

    def _pass_on(self, task: Task | None) -> None:
        while self._waiting:
            answer = self._waiting.popleft()
            if not answer.done():
                answer.set_result(task)
                return
        self._spare.append(task)


async def serve(
    broker: Broker, channel: Channel, topic: Callable[[], Topic], *, told: Topic, clock: Callable[[], float] = time.time
) -> bool:
    """Be the broker of one worker process until it hangs up; False when it never asked for anything.

    `topic` says what we look for at a moment; `told` is what the process was sent with its settings.
    """
    leased: dict[tuple[TaskKind, int], tuple[Task, float]] = {}
    """By kind and id, each with the moment it was handed out."""
    asked = False

    async def give() -> None:
        nonlocal told
        task = await broker.lease()
        if task is not None:
            leased[task.kind, task.id] = task, clock()
        before, told = told, topic()
        await channel.send(Give(task, told if told.version != before.version else None))

    async def take(done: _Sealed) -> None:
        task, since = leased.pop(done.key)
        error = await settle_checked(broker, task, lambda: read(_visit, done.visit), since=since, now=clock())
        if error is not None:
            logger.warning("What came of %s does not count: %s", task.url, in_words(error))

    async with asyncio.TaskGroup() as group:
        giving: set[asyncio.Task[None]] = set()
        while (message := await _message(channel)) is not None:
            if isinstance(message, Want):
                asked = True
                giving.add(pending := group.create_task(give()))
                pending.add_done_callback(giving.discard)
            elif message.key in leased:
                await take(message)
                # Results may wait by the hundred; what became free by each of them goes out before the next is looked at.
                await asyncio.sleep(0)
            else:
                logger.warning("A worker process brought what it was not given; another one takes its place.")
                break
        for pending in giving:
            pending.cancel()
    for task, _ in leased.values():
        await broker.settle(_died(task))
    return asked


async def _message(channel: Channel) -> Want | _Sealed | None:
    """What a worker process says; None when it is gone, or says what cannot be read."""
    if (data := await channel.receive()) is None:
        return None
    try:
        return read(_said, data)
    except Unreadable as problem:
        logger.warning("A worker process cannot be understood (%s); another one takes its place.", problem)
        return None


def _died(task: Task) -> Missed:
    timing, detail = at_once(time.time()), "The worker process that fetched it died."
    failure = Failure(url=task.url, reason=Reason.WORKER_DIED, detail=detail, heals=True, timing=timing)
    return Missed(task=task, failure=failure)
