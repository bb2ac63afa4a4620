"""How did the topic change during a crawl? Every version is kept in its database."""

from __future__ import annotations

import msgspec
from msgspec.structs import replace

from shoal.model import Topic
from shoal.remembered import TopicChange
from shoal.store.database import Database
from shoal.topic.combined import said_of_topic


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
    return TopicChange(topic=first, pages=0, at=_started(connection), why="as the crawl was started")


def _change(pages: int, at: float, why: str, topic: str, memory: bytes) -> TopicChange:
    return TopicChange(topic=msgspec.json.decode(topic, type=Topic), pages=pages, at=at, why=why, memory=memory)


def _started(connection: Database) -> float:
    """When the first page came; 0 before that."""
    row = connection.execute("SELECT fetched_at FROM pages ORDER BY fetch_order LIMIT 1").fetchone()
    return row[0] if row else 0.0
