"""Who reads what may take long? A process that can be ended: large pages, pictures, and pages that took too long elsewhere.

It reads one page at a time (`serve`, in `python -m shoal.readers`). It gives up by itself after `CPU_SECONDS`; when it is stuck
where it cannot notice, or when a page makes it fall over, it is ended and replaced (`ReaderProcess`): that costs this one page.
"""

from __future__ import annotations

import asyncio
import socket
from asyncio.subprocess import Process
from collections.abc import Callable, Sequence

import msgspec
from msgspec.structs import replace

from shoal.crawl.alarm import Alarm, TookTooLong
from shoal.crawl.page_reader import PageReader, Reading
from shoal.crawl.pipe import Channel
from shoal.internal_errors import failure_of
from shoal.model import Failure, Missed, Pictured, Reason, Response, Seen, Task, Topic, Visit
from shoal.settings import Settings

CPU_SECONDS = 4.0
"""Of CPU that one page may take; the slowest honest pages of ten megabytes take half of it."""
_WALL_SECONDS = 12.0
"""Then it is ended; longer, because the machine may be busy with other things."""
_BUFFER = 2**20
_LENGTH = 4


class Read(msgspec.Struct, frozen=True):
    """One page or picture to read."""

    task: Task
    response: Response
    topic: Topic | None = None
    """What we look for from now on, if that has changed."""


class ReaderProcess:
    """A process that reads, started when it is first needed. Sole owner of it; use `close` in the end."""

    def __init__(self, command: Sequence[str], settings: Settings, *, patience: float = _WALL_SECONDS) -> None:
        """`command` gets the number of its socket as its last argument."""
        self._command = command
        self._settings = settings
        self._patience = patience
        self._topic = settings.topic
        self._told = settings.topic
        self._turn = asyncio.Lock()
        self._process: Process | None = None
        self._channel: Channel | None = None
        self._decoder: msgspec.msgpack.Decoder[Visit] = msgspec.msgpack.Decoder(Visit)

    def adopt(self, topic: Topic) -> None:
        """Judge by this topic from the next page on."""
        self._topic = topic

    async def read(self, task: Task, response: Response) -> Reading:
        """What a page says, or that it could not be found out."""
        async with self._turn:
            try:
                async with asyncio.timeout(self._patience):
                    answer = await self._ask(task, response)
            except TimeoutError:
                await self._end()
                return given_up(task, response)
            except asyncio.CancelledError:
                await self._end()  # nobody would wait for its answer
                raise
            if answer is None:
                await self._end()
                return given_up(task, response, "The process that read it fell over, perhaps for want of memory.")
        return _completed(self._decoder.decode(answer), response)

    async def close(self) -> None:
        """Let it go; what it is reading is lost."""
        async with self._turn:
            await self._end()

    async def _ask(self, task: Task, response: Response) -> bytes | None:
        channel = self._channel or await self._start()
        topic = self._topic if self._topic.version != self._told.version else None
        self._told = self._topic
        await channel.send(Read(task, response, topic))
        return await channel.receive()

    async def _start(self) -> Channel:
        ours, theirs = socket.socketpair()
        with theirs:
            # A session of its own: Ctrl-C is for whoever started it.
            self._process = await asyncio.create_subprocess_exec(
                *self._command, str(theirs.fileno()), pass_fds=[theirs.fileno()], start_new_session=True
            )
        self._channel = Channel(*await asyncio.open_connection(sock=ours, limit=_BUFFER))
        self._told = self._topic
        await self._channel.send(replace(self._settings, topic=self._topic))
        return self._channel

    async def _end(self) -> None:
        channel, self._channel = self._channel, None
        process, self._process = self._process, None
        if channel is not None:
            await channel.close()
        if process is not None:
            if process.returncode is None:
                process.kill()
            await process.wait()


def given_up(task: Task, response: Response, why: str = "") -> Missed:
    """A page that nobody could read in bounded time or memory."""
    detail = why or f"It takes more than {CPU_SECONDS:g} seconds to understand."
    failure = Failure(
        url=task.url, reason=Reason.TOO_COMPLEX, detail=detail, status=response.status, timing=response.timing
    )
    return Missed(task=task, failure=failure)


def _completed(visit: Visit, response: Response) -> Reading:
    """A body does not travel back."""
    match visit:
        case Missed():
            return visit
        case Pictured() | Seen(packed=None):
            return replace(visit, response=response)
        case Seen():
            return visit
        case _:
            raise ValueError(f"a page was read, and {type(visit).__name__} is no answer to that")


# --- the other side --------------------------------------------------------------------------------------------------


def serve(line: socket.socket, make_reader: Callable[[Settings], PageReader], adopt: Callable[..., None]) -> None:
    """Read what comes, until nobody is there any more. `adopt` tells a reader of another topic."""
    decoder = msgspec.msgpack.Decoder(Read)
    if (message := _receive(line)) is None:
        return
    settings = msgspec.msgpack.decode(message, type=Settings)
    reader = make_reader(settings)
    with Alarm() as alarm:
        while (message := _receive(line)) is not None:
            wanted = decoder.decode(message)
            if wanted.topic is not None:
                adopt(reader, settings, wanted.topic)
            _send(line, _answer(reader, wanted, alarm))


def _answer(reader: PageReader, wanted: Read, alarm: Alarm) -> bytes:
    task, response = wanted.task, wanted.response
    try:
        return msgspec.msgpack.encode(_bodiless(alarm.within(CPU_SECONDS, lambda: reader.read(task, response))))
    except TookTooLong:
        missed = given_up(task, response)
    except MemoryError:
        missed = given_up(task, response, "It takes more memory to understand than a page gets.")
    except Exception as error:
        missed = Missed(task=task, failure=failure_of(error, task.url, response.timing))
    return msgspec.msgpack.encode(missed)


def _bodiless(reading: Reading) -> Reading:
    if isinstance(reading, Missed):
        return reading
    return replace(reading, response=replace(reading.response, body=b""))


def _receive(line: socket.socket) -> bytes | None:
    head = _exactly(line, _LENGTH)
    return None if head is None else _exactly(line, int.from_bytes(head, "big"))


def _exactly(line: socket.socket, count: int) -> bytes | None:
    data = bytearray()
    while len(data) < count:
        try:
            part = line.recv(count - len(data))
        except ConnectionError:
            return None
        if not part:
            return None
        data += part
    return bytes(data)


def _send(line: socket.socket, message: bytes) -> None:
    line.sendall(len(message).to_bytes(_LENGTH, "big") + message)
