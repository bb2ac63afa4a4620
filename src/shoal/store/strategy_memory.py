"""What must a strategy know of earlier runs, and of another crawl? All that was stored for it; reading it changes nothing."""

from __future__ import annotations

import re
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import msgspec
from msgspec.structs import replace

from shoal.database.postgres import PostgresDatabase
from shoal.database.sql import Database
from shoal.errors import InputError
from shoal.files import read_bytes, written
from shoal.model import State, Topic, Value
from shoal.model.stored import TopicChange
from shoal.settings import Settings
from shoal.store import crawl_folder as folders
from shoal.store import shared_crawl as clusters
from shoal.topic.combined import said_of_topic

FORMAT = 1
"""Raised when a file of an older shoal can no longer be read as it is."""
LARGEST = 64 * 2**20
"""Bytes, packed or unpacked: more is no model."""
_FIRST_LINE = re.compile(rb"shoal model, format ([0-9]{1,9})\n")
_BEGINNING = b"shoal model, format "
_CUT_OFF = re.compile(_BEGINNING + rb"[0-9]{0,9}")
_LAST_SECOND = 253_402_300_799
"""Of the year 9999; later times have no date."""


class Model(Value, frozen=True, kw_only=True):
    """What the strategy of a crawl learned, and where it comes from."""

    strategy: Annotated[str, msgspec.Meta(pattern=r"^[\w-]{1,64}\Z")]
    """Only this strategy understands the knowledge."""
    shoal: Annotated[str, msgspec.Meta(pattern=r"^[\w.+-]{1,64}\Z")]
    """The version that wrote it."""
    topic: Topic
    """As it was when the model was taken."""
    pages: Annotated[int, msgspec.Meta(ge=0, le=2**63 - 1)]
    """How many it was learned from."""
    at: Annotated[int, msgspec.Meta(ge=0, le=_LAST_SECOND)]
    """When it was taken, in seconds since the epoch."""
    knowledge: bytes


def pack(model: Model) -> bytes:
    """A model as it stands in a file."""
    unpacked = msgspec.msgpack.encode(model)
    if len(unpacked) > LARGEST:
        raise InputError(
            f"What was learned is too large for a model file: {_size(len(unpacked))}, at most {_size(LARGEST)}."
        )
    return b"%b%d\n%b" % (_BEGINNING, FORMAT, zlib.compress(unpacked))


def write_model(path: Path, model: Model) -> int:
    """Write a model to a file, which appears under its name only when it is complete; answers its size in bytes."""
    data = pack(model)
    with written(path) as stream:
        stream.write(data)
    return len(data)


def read_model(path: Path) -> Model:
    """The model in a file, or one sentence that says what is wrong with it."""
    return decode_model(path, read_bytes(path, "model file", LARGEST))


def decode_model(path: Path, data: bytes) -> Model:
    """The same for the bytes of a file, which has, or would have, this path."""
    if (first := _FIRST_LINE.match(data)) is None:
        if data and (_BEGINNING.startswith(data) or _CUT_OFF.fullmatch(data)):
            raise _truncated(path)
        raise InputError(f"{path} is not a model file: shoal model export makes them.")
    if (version := int(first[1])) != FORMAT:
        raise InputError(f"{path} was written by another version of shoal (format {version}, this one reads {FORMAT}).")
    unpacked = _unpacked(path, data[first.end() :])
    try:
        return msgspec.msgpack.decode(unpacked, type=Model)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        raise _damaged(path) from None


def _unpacked(path: Path, packed: bytes) -> bytes:
    unpacking = zlib.decompressobj()
    try:
        data = unpacking.decompress(packed, LARGEST + 1)
    except zlib.error:
        raise _damaged(path) from None
    if len(data) > LARGEST:
        raise InputError(f"{path} is too large for a model file: at most {_size(LARGEST)} are read unpacked")
    if not unpacking.eof:
        raise _truncated(path)
    if unpacking.unused_data:
        raise _damaged(path)
    return data


def _truncated(path: Path) -> InputError:
    return InputError(f"{path} is truncated: its end is missing, so copy or export it again.")


def _damaged(path: Path) -> InputError:
    return InputError(f"{path} is damaged: it begins like a model file, but the rest is none.")


def _size(count: int) -> str:
    return f"{count / 2**20:.0f} MiB"


# --- what has a crawl learned so far ---------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class StrategyMemory:
    """What a crawl has kept for its strategy."""

    folder: Path
    settings: Settings
    database: Database

    def model(self) -> Model | None:
        """What another crawl learned and this one began with."""
        if not self.settings.has_model:
            return None
        path = self.folder / folders.MODEL
        if isinstance(self.database, PostgresDatabase):
            return decode_model(path, clusters.model_of(self.database))
        return read_model(path)

    def memos(self) -> Iterator[bytes]:
        """What the strategy noted about pages, in the order of fetching."""
        for (memo,) in self.database.stream("SELECT memo FROM memos ORDER BY fetch_order"):
            yield memo

    def lost(self) -> Iterator[int]:
        """The keys of the URLs that were asked for in vain, or never will be."""
        query = "SELECT key FROM found JOIN fates USING (id) WHERE state IN (?, ?, ?)"
        for (key,) in self.database.stream(query, (State.FAILED, State.SKIPPED, State.MOVED)):
            yield key


# --- how the topic changed -------------------------------------------------------------------------------------------


def topic_history(connection: Database, first: Topic) -> list[TopicChange]:
    """Every version of the topic, the one that the crawl was started with first."""
    rows = connection.execute("SELECT pages, at, why, topic, memory FROM topics ORDER BY version")
    return [_beginning(connection, first), *(_change(*row) for row in rows)]


def latest(connection: Database, first: Topic) -> TopicChange:
    """The last version of the topic; older ones, of which a long crawl has many, are not read."""
    query = "SELECT pages, at, why, topic, memory FROM topics ORDER BY version DESC LIMIT 1"
    row = connection.execute(query).fetchone()
    return _beginning(connection, first) if row is None else _change(*row)


def add_version(connection: Database, change: TopicChange) -> None:
    """A new version of the topic; of all of them only the latest one's memory is ever needed."""
    topic = msgspec.json.encode(change.topic).decode()
    row = (change.topic.version, change.pages, change.at, change.why, topic, change.memory)
    connection.execute("UPDATE topics SET memory = ?", (b"",))
    connection.execute("INSERT INTO topics VALUES (?, ?, ?, ?, ?, ?)", row)


def set_threshold(connection: Database, topic: Topic, now: float) -> None:
    """The user's threshold, which is in this topic, holds for the topic as the crawl has learned it, too."""
    last = latest(connection, topic)
    if last.topic.version == topic.version:
        return
    changed = said_of_topic(last.topic, {"threshold": topic.threshold})
    new = replace(last.topic, **changed, version=last.topic.version + 1)
    add_version(connection, replace(last, topic=new, at=now, why=f"The user set the threshold to {topic.threshold:g}."))


def _beginning(connection: Database, first: Topic) -> TopicChange:
    """It counts from when the first page came; 0 before that."""
    row = connection.execute("SELECT fetched_at FROM pages ORDER BY fetch_order LIMIT 1").fetchone()
    return TopicChange(topic=first, pages=0, at=row[0] if row else 0.0, why="as the crawl was started")


def _change(pages: int, at: float, why: str, topic: str, memory: bytes) -> TopicChange:
    return TopicChange(topic=msgspec.json.decode(topic, type=Topic), pages=pages, at=at, why=why, memory=memory)
