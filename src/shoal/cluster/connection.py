"""How do we talk to RabbitMQ? Over a line: one connection with one channel, on which everything published is confirmed.

A line is never mended. When anything goes wrong with it, it is lost, and `stay_on_line` dials again.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine, Sequence
from contextlib import asynccontextmanager
from typing import Any, NamedTuple, TypeVar

from shoal.errors import BrokerRefused, InputError, first_of
from shoal.extras import ExtraMissing, missing
from shoal.urls import shown

try:
    import pika
    from pika.adapters.asyncio_connection import AsyncioConnection
    from pika.exceptions import ProbableAccessDeniedError, ProbableAuthenticationError
except ModuleNotFoundError as error:  # here, because whoever imports this module is about to talk to RabbitMQ
    raise ExtraMissing(missing("pika")) from error

_T = TypeVar("_T")
logger = logging.getLogger(__name__)
# It logs every lost connection in several lines; we say so in one.
logging.getLogger("pika").setLevel(logging.CRITICAL)

HEARTBEAT = 15
"""Seconds, unless the URL says otherwise: a line that is silent for twice as long is lost."""
_DIAL_SECONDS = 10.0
_CLOSE_SECONDS = 2.0
_PAUSES = (0.2, 0.5, 1.0, 2.0)
"""Seconds between two attempts to dial; the last one goes on."""
_QUORUM = {"x-queue-type": "quorum"}
_DURABLE = pika.BasicProperties(delivery_mode=2)


_READ_BYTES = 2**16


class _PikaConnection(AsyncioConnection):  # type: ignore[misc]  # the library does not say that it has types
    """The library's connection, with fewer calls of the system: results are large, and tasks are many.

    It would read 4 KB at a time, and begin anew to make a message of them each time; and send a message in three parts. There is
    no option for either.
    """

    def _proto_connection_made(self, transport: Any) -> None:
        transport._MAX_RECV_BYTES = _READ_BYTES
        super()._proto_connection_made(transport)

    def _output_marshaled_frames(self, marshaled_frames: Sequence[bytes]) -> None:
        super()._output_marshaled_frames([b"".join(marshaled_frames)])


class ConnectionLost(Exception):
    """The connection is gone; why is in the message."""


class Delivery(NamedTuple):
    """A message that came."""

    body: bytes
    tag: int
    """By which it is acknowledged, on the line that it came on."""
    again: bool
    """The broker gave it to somebody before."""
    reply_to: str


class Connection:
    """An open connection. Sole owner of what waits for confirmation on it."""

    def __init__(self, connection: AsyncioConnection) -> None:
        self._connection = connection
        self._channel: Any = None
        self._sent = 0
        self._unconfirmed: dict[int, asyncio.Future[None]] = {}
        self._asked: set[asyncio.Future[Any]] = set()
        """Questions to the broker that it has not answered yet."""
        self._end: asyncio.Future[str] = asyncio.get_running_loop().create_future()

    async def open(self) -> None:
        """Make it ready for use."""
        self._channel = await self._ask(self._connection.channel, callback="on_open_callback")
        self._channel.add_on_close_callback(lambda _, why: self.lose(why))
        await self._ask(self._channel.confirm_delivery, self._confirmed)

    async def watch(self) -> None:
        """Never returns; raises `ConnectionLost` when the line is."""
        raise ConnectionLost(await asyncio.shield(self._end))

    @property
    def is_lost(self) -> bool:
        return self._end.done()

    # --- queues ------------------------------------------------------------------------------------------------------

    async def declare(self, queue: str, **arguments: object) -> int:
        """Make sure of a durable queue that is kept by most of the brokers; answers how many messages are in it."""
        made = await self._ask(self._channel.queue_declare, queue, durable=True, arguments=_QUORUM | arguments)
        return int(made.method.message_count)

    async def declare_own(self, exchange: str = "") -> str:
        """A queue that ends with this line; hears all that is said to everybody at the exchange. Answers its name."""
        made = await self._ask(self._channel.queue_declare, "", exclusive=True)
        name = str(made.method.queue)
        if exchange:
            await self._ask(self._channel.queue_bind, name, exchange)
        return name

    async def declare_meeting(self, exchange: str) -> None:
        """A place where what is said is heard by all who listen."""
        await self._ask(self._channel.exchange_declare, exchange, "fanout", durable=True)

    async def count(self, queue: str) -> int:
        """How many messages wait in a queue that must be there."""
        there = await self._ask(self._channel.queue_declare, queue, passive=True)
        return int(there.method.message_count)

    async def delete_if_empty(self, queue: str) -> None:
        """Nobody needs it any more, unless something is in it."""
        if await self.count(queue) == 0:
            await self._ask(self._channel.queue_delete, queue)

    async def get(self, queue: str) -> Delivery | None:
        """One message, without waiting for it; what is not acknowledged goes back when the line ends."""
        answer: asyncio.Future[Delivery | None] = asyncio.get_running_loop().create_future()
        self._asked.add(answer)
        self._channel.add_callback(lambda _: _answer(answer, None), [pika.spec.Basic.GetEmpty], one_shot=True)
        self._channel.basic_get(queue, callback=lambda *said: _answer(answer, _delivery(*said)))
        return await self._answered(answer)

    # --- messages ----------------------------------------------------------------------------------------------------

    async def consume(
        self, queue: str, tell: Callable[[Delivery], None], *, prefetch: int = 0, ack: bool = True
    ) -> str:
        """From now on `tell` hears of every message; at most `prefetch` that are not acknowledged. Answers how to `hang_up`."""
        await self._ask(self._channel.basic_qos, prefetch_count=prefetch)

        def hear(*said: Any) -> None:
            tell(_delivery(*said))

        consumed = await self._ask(self._channel.basic_consume, queue, hear, auto_ack=not ack)
        return str(consumed.method.consumer_tag)

    async def hang_up(self, consumer: str) -> None:
        """Hear no more."""
        await self._ask(self._channel.basic_cancel, consumer)

    def publish(self, queue: str, body: bytes) -> asyncio.Future[None]:
        """Put a durable message into a queue. The future is done when the broker has it; `ConnectionLost` when nobody knows."""
        sure: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        if self.is_lost:
            sure.set_exception(ConnectionLost(self._end.result()))
            sure.exception()  # it was looked at: not all that is published is waited for
            return sure
        self._sent += 1
        self._unconfirmed[self._sent] = sure
        self._channel.basic_publish("", queue, body, _DURABLE)
        return sure

    def say(self, body: bytes, *, to: str = "", at: str = "", reply_to: str | None = None) -> None:
        """Something that may be lost: to a queue, or to all who listen at an exchange."""
        if not self.is_lost:
            self._sent += 1
            self._channel.basic_publish(at, to, body, pika.BasicProperties(reply_to=reply_to))

    def ack(self, tag: int, *, up_to: bool = False) -> None:
        """The broker may forget a message, or all up to this one."""
        if not self.is_lost:
            self._channel.basic_ack(tag, multiple=up_to)

    def put_aside(self, tag: int) -> None:
        """The broker may give a message to nobody any more, but keep it where dead letters are kept."""
        if not self.is_lost:
            self._channel.basic_reject(tag, requeue=False)

    # --- its end -----------------------------------------------------------------------------------------------------

    def lose(self, why: object) -> None:
        """It is of no use any more."""
        if self._end.done():
            return
        self._end.set_result(_sentence(why))
        for waiting in (*self._unconfirmed.values(), *self._asked):
            if not waiting.done():
                waiting.set_exception(ConnectionLost(self._end.result()))
                waiting.exception()
        self._unconfirmed.clear()
        self._asked.clear()

    async def close(self) -> None:
        """Hang up politely, but do not wait for long."""
        self.lose("we hung up")
        if not (self._connection.is_closed or self._connection.is_closing):
            self._connection.close()
        for _ in range(int(_CLOSE_SECONDS / 0.02)):
            if self._connection.is_closed:
                return
            await asyncio.sleep(0.02)

    # --- how it is done ----------------------------------------------------------------------------------------------

    def _confirmed(self, frame: Any) -> None:
        method = frame.method
        if isinstance(method, pika.spec.Basic.Nack):  # then nobody knows what else it did not take
            self.lose("the broker did not take a message")
            return
        tags = [method.delivery_tag]
        if method.multiple:
            tags = [tag for tag in self._unconfirmed if tag <= method.delivery_tag]
        for tag in tags:
            if (sure := self._unconfirmed.pop(tag, None)) is not None:
                _answer(sure, None)

    async def _ask(self, method: Any, *arguments: Any, callback: str = "callback", **named: Any) -> Any:
        """Call a method of the library and wait for what it hears."""
        answer: asyncio.Future[Any] = asyncio.get_running_loop().create_future()
        self._asked.add(answer)
        try:
            method(*arguments, **named, **{callback: lambda *said: _answer(answer, said[-1])})
        except pika.exceptions.AMQPError as error:
            self.lose(error)
        return await self._answered(answer)

    async def _answered(self, answer: asyncio.Future[_T]) -> _T:
        if self.is_lost and not answer.done():
            raise ConnectionLost(self._end.result())
        try:
            return await answer
        finally:
            self._asked.discard(answer)


def _answer(waiting: asyncio.Future[Any], said: Any) -> None:
    if not waiting.done():
        waiting.set_result(said)


def _delivery(_: object, method: Any, properties: Any, body: bytes) -> Delivery:
    return Delivery(body, method.delivery_tag, bool(method.redelivered), properties.reply_to or "")


# --- dialling --------------------------------------------------------------------------------------------------------


def check_url(url: str) -> None:
    """One sentence when this cannot be the URL of a broker."""
    _parameters(url)


@asynccontextmanager
async def dialled(url: str) -> AsyncIterator[Connection]:
    """A line to the broker; `ConnectionLost` when it cannot be reached, `BrokerRefused` when it does not let us in."""
    opened: asyncio.Future[None] = asyncio.get_running_loop().create_future()
    connection = _PikaConnection(
        _parameters(url),
        on_open_callback=lambda _: _answer(opened, None),
        on_open_error_callback=lambda _, why: _not_opened(opened, url, why),
        on_close_callback=lambda _, why: line.lose(why),
        custom_ioloop=asyncio.get_running_loop(),
    )
    line: Connection = Connection(connection)
    try:
        async with asyncio.timeout(_DIAL_SECONDS):
            await opened
            await line.open()
    except TimeoutError:
        if not (connection.is_closed or connection.is_closing):
            connection.close()
        raise ConnectionLost("it does not answer") from None
    try:
        yield line
    finally:
        await line.close()


Stay = Callable[[str, Callable[[Connection], Awaitable[None]]], Coroutine[Any, Any, None]]
"""How one stays on a line: `stay_on_line`, or what a test has in its place."""


async def stay_on_line(url: str, use: Callable[[Connection], Awaitable[None]]) -> None:
    """Use a line to the broker until that returns. When the line is lost, `use` is cancelled, and begins anew on the next one.

    A broker that is away is waited for, however long; one that refuses us from the start is an error.
    """
    known = away = False
    attempt = 0
    while True:
        try:
            async with dialled(url) as line:
                if away:
                    logger.warning("The broker at %s is back: work goes on.", shown(url))
                known, away, attempt = True, False, 0
                if not (why := await _used(line, use)):
                    return
        except ConnectionLost as lost:
            why = str(lost)
        except BrokerRefused as refused:
            if not known:
                raise
            why = str(refused)
        if not away:
            logger.warning("The broker at %s is away (%s): waiting for it.", shown(url), why)
            away = True
        await asyncio.sleep(_PAUSES[min(attempt, len(_PAUSES) - 1)])
        attempt += 1


async def _used(line: Connection, use: Callable[[Connection], Awaitable[None]]) -> str:
    """Why the line was lost before the end; empty when it was not."""
    why = ""
    try:
        async with asyncio.TaskGroup() as group:
            watching = group.create_task(line.watch())
            await use(line)
            watching.cancel()
    except* ConnectionLost as lost:
        why = str(first_of(lost))
    return why


def _parameters(url: str) -> pika.URLParameters:
    try:
        if not url.startswith(("amqp://", "amqps://")):
            raise ValueError("it begins with neither amqp:// nor amqps://")
        parameters = pika.URLParameters(url)
    except (ValueError, TypeError) as error:
        # The URL itself may have a password, and what the library says may have the URL.
        raise InputError(
            f"'{shown(url)}' is not the URL of a broker: it should look like amqp://user:password@host:5672/."
        ) from (error if "password" not in str(error) else None)
    if "heartbeat=" not in url:
        parameters.heartbeat = HEARTBEAT
    parameters.connection_attempts = 1
    parameters.socket_timeout = parameters.stack_timeout = _DIAL_SECONDS
    return parameters


def _not_opened(opened: asyncio.Future[None], url: str, why: object) -> None:
    if opened.done():
        return
    if isinstance(why, ProbableAuthenticationError):
        opened.set_exception(BrokerRefused(f"The broker at {shown(url)} does not know this user and password."))
    elif isinstance(why, ProbableAccessDeniedError):
        opened.set_exception(BrokerRefused(f"The broker at {shown(url)} does not let this user in there."))
    else:
        opened.set_exception(ConnectionLost(_sentence(why)))


def _sentence(why: object) -> str:
    """What the library says, in a few words."""
    inner = why
    while isinstance(inner, BaseException) and (deeper := inner.__cause__ or next(iter(_inside(inner)), None)):
        inner = deeper
    text = getattr(inner, "reply_text", "") or getattr(inner, "strerror", "") or str(inner) or type(inner).__name__
    return str(text).splitlines()[0][:200]


def _inside(error: BaseException) -> list[BaseException]:
    """The errors that an error of the library has among its arguments."""
    found = [argument for argument in error.args if isinstance(argument, BaseException)]
    return found or [getattr(item, "exception", item) for item in getattr(error, "exceptions", ())]
