"""What machines say to each other, and that nobody changes it unnoticed."""

from __future__ import annotations

import hashlib

import msgspec
import pytest

from shoal.cluster import wire
from shoal.cluster.wire import Assigned, Beat, Brief, Came, Declined, Heard, Refused, Returned
from shoal.crawl.validation import Unreadable
from shoal.model import Failure, Missed, Reason, Task, Term, Timing, Topic
from shoal.settings import Settings

TASK = Task(id=3, url="http://a.test/电网", host="a.test", topic_version=4)
SETTINGS = Settings(topic=Topic(name="电网", terms=(Term(text="电网"),)), seeds=("http://a.test/",))
TIMING = Timing(started=1.0, answered=2.0, ended=3.0)
MISSED = Missed(task=TASK, failure=Failure(url=TASK.url, reason=Reason.DNS, timing=TIMING))

SHAPES = {1: "c7639de40c90f257", 2: "821e3dd75b5ba5a5", 3: "8369619593106647", 4: "e76eb20b697c3ecf"}
"""For each version of the messages, a hash of all that can be in them."""


def test_whoever_changes_a_message_raises_its_version() -> None:
    """Also when the change is in `model` or `settings`: both travel. Then raise `wire.WIRE`, and add the new hash here."""
    said = (Assigned, Came, Declined, Returned, Beat, wire.Ask, Heard, Brief, Refused)
    _, parts = msgspec.json.schema_components(said)
    shape = {name: _without_words(part) for name, part in parts.items()}
    digest = hashlib.blake2b(msgspec.json.encode(shape, order="deterministic"), digest_size=8).hexdigest()
    assert SHAPES.get(wire.WIRE) == digest


def _without_words(schema: object) -> object:
    """Descriptions are for people; they may change."""
    if isinstance(schema, dict):
        return {key: _without_words(value) for key, value in schema.items() if key not in ("description", "title")}
    return [_without_words(part) for part in schema] if isinstance(schema, list) else schema


def test_a_task_arrives_as_it_was_sent() -> None:
    fields = {name: getattr(TASK, name) for name in Task.__struct_fields__}
    assigned = Assigned(**fields, crawl="c", run="r", lease=9, until=77.0)
    assert wire.read_assigned(wire.encode(assigned)) == assigned


@pytest.mark.parametrize(
    "result",
    [
        Came(run="r", lease=1, worker="w", visit=MISSED),
        Declined(run="r", lease=1, task=TASK),
        Returned(run="r", lease=1, task=TASK),
    ],
    ids=lambda result: type(result).__name__,
)
def test_a_result_arrives_as_it_was_sent(result: wire.Result) -> None:
    arrived = wire.read_result(wire.encode(result))
    assert (_opened(arrived) if isinstance(arrived, wire.Sealed) else arrived) == result


def _opened(sealed: wire.Sealed) -> Came:
    visit = wire.read_visit(sealed.visit)
    return Came(run=sealed.run, lease=sealed.lease, worker=sealed.worker, visit=visit)


NESTED = b"\x91" * 100_000


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"\xc1",
        b"\x82\xa4type\xa4Beat\xa1x" + NESTED,
        b"\x82\xa4type\xa4Came\xa3run\xa2\xff\xfe",
        b"\x81\xa3url\xa2\xff\xfe",
    ],
    ids=["nothing", "no msgpack", "nested", "no text", "no text in a task"],
)
def test_whatever_is_wrong_with_a_message_is_one_error(data: bytes) -> None:
    for read in (wire.read_assigned, wire.read_result, wire.read_visit):
        with pytest.raises(Unreadable):
            read(data)
    assert wire.read_voice(data) is None
    assert wire.read_reply(data) is None


def test_a_result_whose_visit_cannot_be_read_still_says_of_which_lease_it_is() -> None:
    body = wire.encode(Came(run="r", lease=7, worker="w", visit=MISSED)).replace(b"Missed", b"Massed")
    arrived = wire.read_result(body)
    assert isinstance(arrived, wire.Sealed)
    assert (arrived.run, arrived.lease) == ("r", 7)
    with pytest.raises(Unreadable, match="Massed"):
        wire.read_visit(arrived.visit)


@pytest.mark.parametrize(
    "reply",
    [
        Heard(crawl="c", run="r", sent=1.0, now=2.0),
        Brief(crawl="c", run="r", settings=SETTINGS, sent=1.0, now=2.0),
        Refused(why="no"),
    ],
    ids=lambda reply: type(reply).__name__,
)
def test_a_reply_arrives_as_it_was_sent(reply: wire.Reply) -> None:
    assert wire.read_reply(wire.encode(reply)) == reply


def test_voices_of_a_later_version_are_understood_as_far_as_they_can_be() -> None:
    later = {"type": "Beat", "wire": 99, "shoal": "9.9", "worker": "w", "capacity": 3, "mood": "good"}
    heard = wire.read_voice(msgspec.msgpack.encode(later))
    assert heard == Beat(wire=99, shoal="9.9", worker="w", capacity=3)
    assert wire.read_voice(msgspec.msgpack.encode({"type": "Song", "words": "la la"})) is None
    assert wire.read_voice(b"\xc1") is None
    assert wire.read_reply(b"") is None


def test_each_version_and_each_crawl_has_its_own_queue() -> None:
    assert f".{wire.WIRE}." in wire.TASKS
    assert wire.results_of("a") != wire.results_of("b")
