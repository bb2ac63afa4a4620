"""Topics that are kept: what they say, what they said, and what they are called."""

from __future__ import annotations

import pytest
from msgspec.structs import replace
from sqlalchemy import Connection

from shoal.errors import InputError
from shoal.installation import topic_library as library
from shoal.installation.topic_library import LibraryTopic, TopicVersion

NOW = 1_800_000_000.0
GRID = 'name = "Power grid"\n# 電網\nterms = ["power grid", "電網"]\n'


def test_a_topic_is_kept_as_it_was_written(connection: Connection) -> None:
    topic = library.add(connection, name="电网", text=GRID, now=NOW)
    assert topic == LibraryTopic(id=topic.id, name="电网", owner=None, made_at=NOW, changed_at=NOW, versions=1)
    assert library.topic_named(connection, "电网") == topic
    assert library.text_of(connection, topic.id) == GRID
    assert library.topic_named(connection, "電網") is None


def test_a_change_keeps_what_was_said_before(connection: Connection) -> None:
    topic = library.add(connection, name="grid", text=GRID, now=NOW)
    changed = library.change(connection, topic.id, text="other", now=NOW + 1)
    assert changed == replace(topic, changed_at=NOW + 1, versions=2)
    assert library.change(connection, topic.id, text="other", now=NOW + 2) == changed, "the same again is no change"
    assert library.history(connection, topic.id) == [
        TopicVersion(number=1, text=GRID, author=None, made_at=NOW),
        TopicVersion(number=2, text="other", author=None, made_at=NOW + 1),
    ]
    assert [library.text_of(connection, topic.id, number) for number in (1, 2, None)] == [GRID, "other", "other"]
    with pytest.raises(InputError, match=r"The topic has no version 3: there are 2\."):
        library.text_of(connection, topic.id, 3)


def test_topics_are_listed_by_name_and_have_one_each(connection: Connection) -> None:
    for name in ("wind", "电网", "bees"):
        library.add(connection, name=name, text=name, now=NOW)
    assert [topic.name for topic in library.all_topics(connection)] == ["bees", "wind", "电网"]
    with pytest.raises(InputError, match="There is a topic named wind already: change that one, or"):
        library.add(connection, name="wind", text="", now=NOW)


def test_a_topic_is_renamed_and_forgotten_with_all_it_said(connection: Connection) -> None:
    topic, other = (library.add(connection, name=name, text=name, now=NOW) for name in ("wind", "bees"))
    assert library.rename(connection, topic.id, "风") == replace(topic, name="风")
    assert library.rename(connection, topic.id, "风").name == "风"
    with pytest.raises(InputError, match="There is a topic named bees already"):
        library.rename(connection, topic.id, "bees")
    assert library.remove(connection, topic.id)
    assert not library.remove(connection, topic.id)
    assert library.all_topics(connection) == [other]
    with pytest.raises(InputError, match="no longer there"):
        library.history(connection, topic.id)
    with pytest.raises(InputError, match="no longer there"):
        library.rename(connection, topic.id, "x")


@pytest.mark.parametrize(
    ("text", "why"), [("x" * (2**20 + 1), "too large for a topic: 1,048,577"), ("a\0b", "no zero bytes")]
)
def test_what_cannot_be_a_topic_is_one_sentence(connection: Connection, text: str, why: str) -> None:
    with pytest.raises(InputError, match=why):
        library.add(connection, name="x", text=text, now=NOW)
