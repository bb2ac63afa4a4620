"""What do coordinators and workers say to each other? These messages, in these queues, as msgpack.

    coordinator ── Assigned ──► shoal.N.tasks ──► any worker              the work of all crawls, one queue
    worker ── Came | Declined | Returned ──► shoal.N.results.CRAWL ──► the coordinator of that crawl
    worker ── Beat | Ask ──► shoal.voices (to all) ──► every coordinator, which answers with Heard | Brief | Refused

N is the version of these messages: machines of different versions use different queues and cannot misunderstand each other.
Only the voices are heard by all versions, so that a worker of another one can be told that it is not wanted: a `Beat` keeps its
fields for ever, new ones have defaults.
"""

from __future__ import annotations

from functools import partial
from typing import Annotated, TypeVar

import msgspec
from msgspec import Meta

from shoal.crawl.validation import Unreadable, read
from shoal.model import Task, Value, Visit
from shoal.settings import Settings

_T = TypeVar("_T")
WIRE = 4
"""Raised whenever a message changes, and with it what travels inside (`model`, `settings`): a test holds us to it."""
TASKS = f"shoal.{WIRE}.tasks"
DEAD = f"shoal.{WIRE}.dead"
"""What is put aside: tasks that workers died of, and messages that nobody can read, or that fit nothing."""
DEAD_LIMITS = {"x-max-length": 10_000, "x-max-length-bytes": 2**28}
"""Beyond that the oldest are forgotten: whoever sends nonsense for a whole night must not fill the broker's disk."""
TASKS_LIMITS = {"x-delivery-limit": 5, "x-dead-letter-exchange": "", "x-dead-letter-routing-key": DEAD}
"""A task that goes from worker to worker so often without a word of any is put aside by the broker itself."""
VOICES = "shoal.voices"


def results_of(crawl: str) -> str:
    """The queue with what came of the tasks of a crawl."""
    return f"shoal.{WIRE}.results.{crawl}"


# --- work ------------------------------------------------------------------------------------------------------------


class Assigned(Task, frozen=True, kw_only=True):
    """A task on its way through the cluster."""

    crawl: Annotated[str, Meta(max_length=50)]
    """Its id; it has room in the name of a queue."""
    run: str
    """Which start of the crawl's coordinator it is from: a new one may have other settings."""
    lease: int
    """Which time this task is handed out: a result of an earlier time is late."""
    until: float
    """By the coordinator's clock: who has not begun by then must not begin any more."""


def plain(task: Assigned) -> Task:
    """The task as its coordinator knows it."""
    return Task(**{name: getattr(task, name) for name in Task.__struct_fields__})


class Came(Value, frozen=True, kw_only=True, tag=True):
    """What came of a task. Its times are those of the coordinator's clock."""

    run: str
    lease: int
    worker: str
    visit: Visit


class Sealed(Value, frozen=True, kw_only=True, tag="Came"):
    """A `Came` as it arrives: whatever its visit turns out to be (`read_visit`), the lease is known."""

    run: str
    lease: int
    worker: str
    visit: msgspec.Raw


class Declined(Value, frozen=True, kw_only=True, tag=True):
    """Nobody began with it: it came too late, the worker is going home, or it cannot work for this crawl."""

    run: str
    lease: int
    task: Task
    why: str = ""
    """One sentence when the worker cannot work for this crawl at all."""


class Returned(Value, frozen=True, kw_only=True, tag=True):
    """The broker lost the worker that had it, and gave it to another. Whether the first one asked the server, nobody knows."""

    run: str
    lease: int
    task: Task


Result = Came | Declined | Returned
Arrived = Sealed | Declined | Returned


# --- voices ----------------------------------------------------------------------------------------------------------


class Beat(Value, frozen=True, kw_only=True, tag=True):
    """A worker is alive. These fields stay as they are in all versions."""

    wire: int
    shoal: str
    """The version of the package."""
    worker: str
    capacity: int
    """Requests that it makes at once, at most."""
    busy: int = 0
    visits: int = 0
    """Since it began, for all crawls; so are the next ones."""
    failures: int = 0
    bytes: int = 0
    sent: float = 0.0
    """By its own clock."""
    leaving: bool = False
    """It takes no more."""


class Ask(Value, frozen=True, kw_only=True, tag=True):
    """A worker has a task, and does not know the crawl, or not this version of its topic."""

    crawl: str
    run: str
    sent: float


class Heard(Value, frozen=True, kw_only=True, tag=True):
    """A coordinator is alive, too; and what its clock says."""

    crawl: str
    run: str
    sent: float
    """What the worker's clock said when it spoke."""
    now: float


class Brief(Value, frozen=True, kw_only=True, tag=True):
    """All that a worker must know of a crawl; the topic is the one of this moment."""

    crawl: str
    run: str
    settings: Settings
    sent: float
    now: float


class Refused(Value, frozen=True, kw_only=True, tag=True):
    """A worker cannot work for this coordinator. This message stays as it is in all versions."""

    why: str
    """One sentence."""


Voice = Beat | Ask
Reply = Heard | Brief | Refused

# --- bytes -----------------------------------------------------------------------------------------------------------

_encoder = msgspec.msgpack.Encoder()
_arrived: msgspec.msgpack.Decoder[Arrived] = msgspec.msgpack.Decoder(Arrived)
_visit: msgspec.msgpack.Decoder[Visit] = msgspec.msgpack.Decoder(Visit)
_voice: msgspec.msgpack.Decoder[Voice] = msgspec.msgpack.Decoder(Voice)
_reply: msgspec.msgpack.Decoder[Reply] = msgspec.msgpack.Decoder(Reply)


def encode(message: Assigned | Result | Voice | Reply) -> bytes:
    """A message as it travels."""
    return _encoder.encode(message)


def _understood(decoder: msgspec.msgpack.Decoder[_T], data: bytes) -> _T | None:
    """None when it speaks of something that this version does not know."""
    try:
        return read(decoder, data)
    except Unreadable:
        return None


read_assigned = partial(read, msgspec.msgpack.Decoder(Assigned))
"""What a coordinator wants done; `Unreadable` like the next two."""
read_result = partial(read, _arrived)
"""What a worker sends home."""
read_visit = partial(read, _visit)
"""What is in a `Sealed`."""
read_voice = partial(_understood, _voice)
"""What a worker says to all."""
read_reply = partial(_understood, _reply)
"""What a coordinator answers."""
