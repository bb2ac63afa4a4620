"""What does an answer say, and is it about the topic? Parse, judge, pack: here, or in a process that can be ended."""

from __future__ import annotations

import asyncio
import socket
from asyncio.subprocess import Process
from collections.abc import Callable, Sequence
from typing import BinaryIO

import msgspec
from msgspec.structs import replace

from shoal.crawl.processes import LENGTH, Channel, started
from shoal.crawl.time_slices import Alarm, TookTooLong
from shoal.internal_errors import missed_by
from shoal.model import (
    Failure,
    Missed,
    Packed,
    Page,
    PageSummary,
    Reason,
    Response,
    ResponseHead,
    Seen,
    SeenImage,
    Task,
    Topic,
    Visit,
)
from shoal.protocols import ImageDecoder, ImageJudge, Judge, Parser
from shoal.settings import Settings

Reading = Seen | SeenImage | Missed
Pack = Callable[[Response, Page | None], Packed]
"""Makes a page ready for the disk (`store/packed_page.py`)."""


class PageReader:
    """Reads one page or image after another, and keeps nothing."""

    def __init__(
        self,
        parser: Parser,
        judge: Judge,
        pack: Pack,
        image_judge: ImageJudge | None = None,
        decoder: ImageDecoder | None = None,
        *,
        learns: bool = False,
    ) -> None:
        """Without an image judge no image is worth having, and no decoder needed. Who `learns` needs the texts."""
        self._parser = parser
        self._judge = judge
        self._image_judge = image_judge
        self._decoder = decoder
        self._pack = pack
        self._learns = learns

    def adopt(self, judge: Judge, image_judge: ImageJudge | None = None) -> None:
        """Judge by these from now on: the topic has changed."""
        self._judge = judge
        self._image_judge = image_judge

    def read(self, task: Task, response: Response) -> Reading:
        """Make of an answer what can be made."""
        return self._decode(task, response) if task.kind == "image" else self._understand(task, response)

    def _understand(self, task: Task, response: Response) -> Seen:
        page = self._parser.parse(response)
        packed, head = self._pack(response, page), _head(response)
        if page is None:
            return Seen(task=task, response=head, packed=packed)
        verdict, hints = self._judge.judge(page), self._judge.judge_links(page.links)
        # What a page does not want to be kept of itself, it does not want of its images.
        sightings = self._image_judge.judge_images(page) if self._image_judge and not page.noindex else ()
        text = page.text if self._learns else ""
        return Seen(
            task=task, response=head, packed=packed, page=_summary(page), verdict=verdict, hints=hints, sightings=sightings,
            text=text,
        )  # fmt: skip

    def _decode(self, task: Task, response: Response) -> SeenImage | Missed:
        assert self._decoder is not None, "nobody wants images here"
        developed = self._decoder.decode(response)
        if isinstance(developed, Failure):
            return Missed(task=task, failure=developed)
        return SeenImage(task=task, response=response, image=developed)


def _head(response: Response) -> ResponseHead:
    """The body is packed, and needed no more."""
    return ResponseHead(
        url=response.url, status=response.status, headers=response.headers, timing=response.timing,
        truncated=response.truncated,
    )  # fmt: skip


def _summary(page: Page) -> PageSummary:
    """Its text and its images were judged and packed, and are needed no more."""
    return PageSummary(
        url=page.url, title=page.title, description=page.description, keywords=page.keywords, canonical=page.canonical,
        language=page.language, published=page.published, charset=page.charset, headings=page.headings, links=page.links,
        noindex=page.noindex, nofollow=page.nofollow, fingerprint=page.fingerprint,
    )  # fmt: skip


# --- who reads what may take long ------------------------------------------------------------------------------------

CPU_SECONDS = 4.0
"""Of CPU that one page may take; the slowest honest pages of ten megabytes take half of it."""
_WALL_SECONDS = 12.0
"""Then it is ended; longer, because the machine may be busy with other things."""


class Read(msgspec.Struct, frozen=True):
    """One page or image to read."""

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
        self._process, self._channel = await started(self._command)
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
        case Missed() | Seen():
            return visit
        case SeenImage():
            return replace(visit, response=response)
        case _:
            raise ValueError(f"a page was read, and {type(visit).__name__} is no answer to that")


# --- the other side --------------------------------------------------------------------------------------------------


def serve(line: socket.socket, make_reader: Callable[[Settings], PageReader], adopt: Callable[..., None]) -> None:
    """Read what comes, until nobody is there any more. `adopt` tells a reader of another topic."""
    decoder = msgspec.msgpack.Decoder(Read)
    incoming = line.makefile("rb")
    if (message := _receive(incoming)) is None:
        return
    settings = msgspec.msgpack.decode(message, type=Settings)
    reader = make_reader(settings)
    with Alarm() as alarm:
        while (message := _receive(incoming)) is not None:
            wanted = decoder.decode(message)
            if wanted.topic is not None:
                adopt(reader, settings, wanted.topic)
            answer = _answer(reader, wanted, alarm)
            line.sendall(len(answer).to_bytes(LENGTH, "big") + answer)


def _answer(reader: PageReader, wanted: Read, alarm: Alarm) -> bytes:
    task, response = wanted.task, wanted.response
    try:
        return msgspec.msgpack.encode(_bodiless(alarm.within(CPU_SECONDS, lambda: reader.read(task, response))))
    except TookTooLong:
        missed = given_up(task, response)
    except MemoryError:
        missed = given_up(task, response, "It takes more memory to understand than a page gets.")
    except Exception as error:
        missed = missed_by(error, task, response.timing)
    return msgspec.msgpack.encode(missed)


def _bodiless(reading: Reading) -> Reading:
    if isinstance(reading, SeenImage):
        return replace(reading, response=replace(reading.response, body=b""))
    return reading


def _receive(line: BinaryIO) -> bytes | None:
    """The next message; None when nobody is there any more."""
    try:
        head = line.read(LENGTH)
        length = int.from_bytes(head, "big")
        message = line.read(length)
    except ConnectionError:
        return None
    return message if len(head) == LENGTH and len(message) == length else None
