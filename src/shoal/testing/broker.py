"""RabbitMQ in memory, as far as Shoal uses it: queues, meetings, acknowledgements, and a place for dead letters.

For tests in which time jumps, or which run by the thousand. It loses nothing, and nobody loses it: what happens then is tried
with the real one (`tests/cluster`).
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Awaitable, Callable
from itertools import count
from typing import NamedTuple


class Letter(NamedTuple):
    """A message that came; has what `cluster.connection.Delivery` has."""

    body: bytes
    tag: int
    again: bool
    reply_to: str


class _Queue:
    """Messages that wait, and who wants them."""

    def __init__(self, dead: str) -> None:
        self.dead = dead
        """Where messages go that are put aside."""
        self.waiting: deque[tuple[bytes, bool, str]] = deque()
        self.consumers: list[_Consumer] = []


class _Consumer(NamedTuple):
    name: str
    line: MemoryLine
    tell: Callable[[Letter], None]
    prefetch: int
    ack: bool
    in_hand: set[int]


class MemoryBroker:
    """All queues. Sole owner of them."""

    def __init__(self) -> None:
        self._queues: dict[str, _Queue] = {}
        self._meetings: dict[str, list[str]] = {}
        self.names = count(1)
        self.dropped = 0
        """Messages for queues that are not there."""

    async def stay(self, url: str, use: Callable[[MemoryLine], Awaitable[None]]) -> None:
        """In place of `cluster.connection.stay_on_line`."""
        line = MemoryLine(self)
        try:
            await use(line)
        finally:
            line.close()

    def bodies(self, queue: str) -> list[bytes]:
        """What waits in a queue."""
        return [body for body, _, _ in self._queues[queue].waiting] if queue in self._queues else []

    def put(self, queue: str, body: bytes, reply_to: str = "", *, again: bool = False) -> None:
        """A message for a queue."""
        if queue not in self._queues:
            self.dropped += 1
            return
        self._queues[queue].waiting.append((body, again, reply_to))
        self.deliver(queue)

    def tell_all(self, meeting: str, body: bytes, reply_to: str = "") -> None:
        """A message for all who listen."""
        for queue in self._meetings.get(meeting, []):
            self.put(queue, body, reply_to)

    def declare(self, queue: str, dead: str = "") -> int:
        """Make sure of a queue; answers how many messages wait there."""
        return len(self._queues.setdefault(queue, _Queue(dead)).waiting)

    def bind(self, queue: str, meeting: str) -> None:
        """From now on the queue hears what is said there."""
        self._meetings.setdefault(meeting, []).append(queue)

    def delete(self, queue: str) -> None:
        """Nobody needs it any more."""
        del self._queues[queue]

    def dead_of(self, queue: str) -> str:
        """Where the dead letters of a queue go."""
        return self._queues[queue].dead

    def pull(self, queue: str) -> tuple[bytes, bool, str] | None:
        """The next message, if there is one."""
        waiting = self._queues[queue].waiting
        return waiting.popleft() if waiting else None

    def add(self, queue: str, consumer: _Consumer) -> None:
        """Somebody wants the messages of a queue."""
        self._queues[queue].consumers.append(consumer)
        self.deliver(queue)

    def leave(self, line: MemoryLine, name: str | None = None) -> None:
        """The consumers of a line want no more, or one of them."""
        for queue in self._queues.values():
            queue.consumers = [
                one for one in queue.consumers if one.line is not line or (name is not None and one.name != name)
            ]

    def deliver(self, queue: str) -> None:
        """Hand out what waits, to those who have room."""
        if (there := self._queues.get(queue)) is None:
            return
        while there.waiting:
            free = [
                one for one in there.consumers if not one.ack or not one.prefetch or len(one.in_hand) < one.prefetch
            ]
            if not free:
                return
            one = min(free, key=lambda one: len(one.in_hand))
            one.line.receive(queue, one, *there.waiting.popleft())


class MemoryLine:
    """A line to it. Has what `cluster.connection.Connection` has, and is never lost by itself."""

    def __init__(self, broker: MemoryBroker) -> None:
        self._broker = broker
        self._tags = count(1)
        self._unacked: dict[int, tuple[str, bytes, str, set[int]]] = {}
        self._own: list[str] = []
        self.is_lost = False

    async def declare(self, queue: str, **arguments: object) -> int:
        """A queue; answers how many messages wait there."""
        return self._broker.declare(queue, str(arguments.get("x-dead-letter-routing-key", "")))

    async def declare_own(self, exchange: str = "") -> str:
        """A queue that ends with this line."""
        self._own.append(name := f"own.{next(self._broker.names)}")
        self._broker.declare(name)
        if exchange:
            self._broker.bind(name, exchange)
        return name

    async def declare_meeting(self, exchange: str) -> None:
        """It is there by itself."""

    async def count(self, queue: str) -> int:
        """How many messages wait."""
        return self._broker.declare(queue)

    async def delete_if_empty(self, queue: str) -> None:
        """Unless something is in it."""
        if not self._broker.bodies(queue):
            self._broker.delete(queue)

    async def get(self, queue: str) -> Letter | None:
        """One message."""
        if (found := self._broker.pull(queue)) is None:
            return None
        body, again, reply_to = found
        return self._letter(queue, body, reply_to, set(), again=again)

    async def consume(self, queue: str, tell: Callable[[Letter], None], *, prefetch: int = 0, ack: bool = True) -> str:
        """From now on `tell` hears of every message."""
        name = f"consumer.{next(self._broker.names)}"
        self._broker.add(queue, _Consumer(name, self, tell, prefetch, ack, set()))
        return name

    async def hang_up(self, consumer: str) -> None:
        """Hear no more."""
        self._broker.leave(self, consumer)

    def receive(self, queue: str, consumer: _Consumer, body: bytes, again: bool, reply_to: str) -> None:
        """A message is here for a consumer of this line."""
        if consumer.ack:
            letter = self._letter(queue, body, reply_to, consumer.in_hand, again=again)
        else:
            letter = Letter(body, 0, again, reply_to)
        asyncio.get_running_loop().call_soon(consumer.tell, letter)

    def publish(self, queue: str, body: bytes) -> asyncio.Future[None]:
        """Into a queue."""
        sure: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        sure.set_result(None)
        if len(queue.encode()) > 255:
            raise ValueError(f"the protocol has no room for the name {queue[:30]}…")
        self._broker.put(queue, body)
        return sure

    def say(self, body: bytes, *, to: str = "", at: str = "", reply_to: str | None = None) -> None:
        """To a queue, or to all who listen."""
        if at:
            self._broker.tell_all(at, body, reply_to or "")
        else:
            self._broker.put(to, body, reply_to or "")

    def ack(self, tag: int, *, up_to: bool = False) -> None:
        """Forget a message, or all up to this one."""
        for one in [one for one in self._unacked if one == tag or (up_to and one <= tag)]:
            queue, _, _, in_hand = self._unacked.pop(one)
            in_hand.discard(one)
            self._broker.deliver(queue)

    def put_aside(self, tag: int) -> None:
        """Keep it where dead letters are kept."""
        queue, body, *_ = self._unacked[tag]
        self.ack(tag)
        if dead := self._broker.dead_of(queue):
            self._broker.put(dead, body)

    def close(self) -> None:
        """What is not acknowledged goes back."""
        self.is_lost = True
        self._broker.leave(self)
        for queue, body, reply_to, _ in self._unacked.values():
            self._broker.put(queue, body, reply_to, again=True)
        self._unacked.clear()
        for name in self._own:
            self._broker.delete(name)

    def _letter(self, queue: str, body: bytes, reply_to: str, in_hand: set[int], *, again: bool) -> Letter:
        tag = next(self._tags)
        self._unacked[tag] = queue, body, reply_to, in_hand
        in_hand.add(tag)
        return Letter(body, tag, again, reply_to)
