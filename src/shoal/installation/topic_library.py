"""Which topics are kept here, and what did each say at any time? The texts of topic files, as they were written."""

from __future__ import annotations

import uuid
from typing import Any

import msgspec
from sqlalchemy import Connection, Row, delete, func, insert, select, update

from shoal.errors import InputError
from shoal.installation.installation_tables import topic_versions, topics
from shoal.installation.names import checked_name, normal_name

_A_TOPIC = "A topic"
_LARGEST = 2**20
"""Letters of a topic file; people write a few thousand."""


class LibraryTopic(msgspec.Struct, frozen=True, kw_only=True):
    """A topic that is kept here."""

    id: str
    name: str
    owner: str | None
    """The id of a person; None for the operator."""
    made_at: float
    changed_at: float
    versions: int


class TopicVersion(msgspec.Struct, frozen=True, kw_only=True):
    """What a topic said from one change to the next."""

    number: int
    """From 1; the last one counts."""
    text: str
    author: str | None
    made_at: float


def add(
    connection: Connection, *, name: str, text: str, now: float, owner: str | None = None, id: str = ""
) -> LibraryTopic:
    """Keep a new topic; its text is not read here."""
    row = {"id": id or uuid.uuid4().hex, "name": _free(connection, name), "owner": owner}
    connection.execute(insert(topics).values(**row, made_at=now, changed_at=now))
    _write(connection, str(row["id"]), 1, text, owner, now)
    return _entry(connection, str(row["id"]))


def change(connection: Connection, id: str, *, text: str, now: float, author: str | None = None) -> LibraryTopic:
    """From now on the topic says this; what it said before is kept. The same text again changes nothing."""
    last = history(connection, id)[-1]
    if text != last.text:
        _write(connection, id, last.number + 1, text, author, now)
        connection.execute(update(topics).where(topics.c.id == id).values(changed_at=now))
    return _entry(connection, id)


def rename(connection: Connection, id: str, name: str) -> LibraryTopic:
    """Give a topic another name."""
    if _entry(connection, id).name != normal_name(name):
        connection.execute(update(topics).where(topics.c.id == id).values(name=_free(connection, name)))
    return _entry(connection, id)


def remove(connection: Connection, id: str) -> bool:
    """Forget a topic with all its versions; crawls have their own copy. False when it was not there."""
    return connection.execute(delete(topics).where(topics.c.id == id)).rowcount > 0


def topic_named(connection: Connection, name: str) -> LibraryTopic | None:
    """The topic of this name."""
    row = connection.execute(_LIST.where(topics.c.name == normal_name(name))).one_or_none()
    return None if row is None else _read(row)


def all_topics(connection: Connection) -> list[LibraryTopic]:
    """All that are kept here, by name."""
    return sorted(map(_read, connection.execute(_LIST)), key=lambda topic: topic.name)


def history(connection: Connection, id: str) -> list[TopicVersion]:
    """All that the topic ever said, from the first version to the last."""
    columns = [column for column in topic_versions.c if column is not topic_versions.c.topic]
    rows = connection.execute(
        select(*columns).where(topic_versions.c.topic == id).order_by(topic_versions.c.number)
    ).all()
    if not rows:
        raise _gone()
    return [TopicVersion(**row._asdict()) for row in rows]


def text_of(connection: Connection, id: str, number: int | None = None) -> str:
    """What the topic says, or said in one of its versions."""
    versions = history(connection, id)
    if number is None:
        return versions[-1].text
    for version in versions:
        if version.number == number:
            return version.text
    raise InputError(f"The topic has no version {number}: there are {len(versions)}.")


_LIST = select(
    topics,
    select(func.count()).where(topic_versions.c.topic == topics.c.id).scalar_subquery().label("versions"),
)


def _write(connection: Connection, topic: str, number: int, text: str, author: str | None, now: float) -> None:
    if len(text) > _LARGEST:
        raise InputError(
            f"The text is too large for a topic: {len(text):,} letters, and at most {_LARGEST:,} are kept."
        )
    if "\0" in text:
        raise InputError("The text of a topic has no zero bytes in it.")
    values = {"topic": topic, "number": number, "text": text, "author": author, "made_at": now}
    connection.execute(insert(topic_versions).values(values))


def _free(connection: Connection, name: str) -> str:
    chosen = checked_name(name, _A_TOPIC)
    if topic_named(connection, chosen) is not None:
        raise InputError(f"There is a topic named {chosen} already: change that one, or choose another name.")
    return chosen


def _entry(connection: Connection, id: str) -> LibraryTopic:
    row = connection.execute(_LIST.where(topics.c.id == id)).one_or_none()
    if row is None:
        raise _gone()
    return _read(row)


def _gone() -> InputError:
    return InputError("That topic is no longer there.")


def _read(row: Row[Any]) -> LibraryTopic:
    return LibraryTopic(**row._asdict())
