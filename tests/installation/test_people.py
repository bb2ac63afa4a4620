"""People: who they are, what they are called, and what becomes of what was theirs."""

from __future__ import annotations

from pathlib import Path

import pytest
from msgspec.structs import replace
from sqlalchemy import Connection

from shoal.errors import InputError
from shoal.installation import crawl_registry, people, topic_library
from shoal.model.person import OPERATOR, Person, Role

NOW = 1_800_000_000.0


def add(connection: Connection, name: str, role: Role = Role.MEMBER) -> Person:
    return people.add(connection, name=name, role=role, now=NOW)


def test_a_person_is_found_however_the_name_is_typed(connection: Connection) -> None:
    ada = add(connection, "Ada")
    assert ada == Person(id=ada.id, name="Ada", role=Role.MEMBER, made_at=NOW)
    assert people.person_named(connection, "ＡＤＡ") == people.person_of(connection, ada.id) == ada
    assert people.person_named(connection, "艾达") is None
    assert people.person_of(connection, "nobody") is None


@pytest.mark.parametrize("name", ["ADA", "ada", "Ａda", "Operator"])
def test_nobody_takes_the_name_of_somebody_else(connection: Connection, name: str) -> None:
    add(connection, "Ada")
    with pytest.raises(InputError, match=r"There is a person named (Ada|operator) already: choose another name\."):
        add(connection, name)
    with pytest.raises(InputError, match="There is a person named"):
        people.rename(connection, str(add(connection, "艾达").id), name)


def test_people_are_listed_by_name(connection: Connection) -> None:
    for name in ("Grace", "艾达", "Ada"):
        add(connection, name)
    assert [person.name for person in people.all_people(connection)] == ["Ada", "Grace", "艾达"]


def test_what_is_known_of_a_person_changes(connection: Connection) -> None:
    ada = add(connection, "Ada")
    id = str(ada.id)
    assert people.rename(connection, id, "ADA") == replace(ada, name="ADA")
    assert people.rename(connection, id, "艾达").name == "艾达"
    assert people.change_role(connection, id, Role.VIEWER).role is Role.VIEWER
    assert people.saw(connection, id, NOW + 5).last_seen == NOW + 5
    assert people.set_password_hash(connection, id, "hash").has_password
    assert people.password_hash_of(connection, id) == "hash"
    assert not people.set_password_hash(connection, id, None).has_password


def test_what_somebody_owned_is_the_operators_when_they_leave(connection: Connection, tmp_path: Path) -> None:
    id = str(add(connection, "Ada").id)
    crawl_registry.register(connection, crawl="1", folder=tmp_path, now=NOW, owner=id)
    topic = topic_library.add(connection, name="grid", text="", now=NOW, owner=id)
    assert people.remove(connection, id)
    assert not people.remove(connection, id)
    assert [entry.owner for entry in crawl_registry.all_crawls(connection)] == [None]
    assert [entry.owner for entry in topic_library.all_topics(connection)] == [None]
    assert topic_library.history(connection, topic.id)[0].author is None
    with pytest.raises(InputError, match="no longer there"):
        people.saw(connection, id, NOW)


def test_the_operator_needs_no_entry(connection: Connection) -> None:
    assert people.person_of(connection, None) is OPERATOR
    assert people.all_people(connection) == []


def test_a_password_does_not_travel_with_its_person(connection: Connection) -> None:
    ada = people.add(connection, name="Ada", role=Role.MEMBER, now=NOW, password_hash="$argon2id$secret")
    assert ada.has_password
    assert "secret" not in repr(ada)
