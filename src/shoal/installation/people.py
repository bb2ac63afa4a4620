"""Who uses this installation, and in which role? Whoever types commands on its machine is its operator, and needs no entry."""

from __future__ import annotations

import uuid
from typing import Any

from sqlalchemy import Connection, Row, delete, insert, select, update

from shoal.errors import InputError
from shoal.installation.installation_tables import people
from shoal.installation.names import checked_name, login_from
from shoal.model.person import OPERATOR, Person, Role

_A_PERSON = "A person"


def add(
    connection: Connection, *, name: str, role: Role, now: float, password_hash: str | None = None, id: str = ""
) -> Person:
    """Somebody new."""
    chosen = _free(connection, name)
    row = {"id": id or uuid.uuid4().hex, "name": chosen, "login": login_from(chosen), "role": Role(role)}
    connection.execute(insert(people).values(**row, made_at=now, password_hash=password_hash))
    return _entry(connection, str(row["id"]))


def person_named(connection: Connection, name: str) -> Person | None:
    """The person of this name, however they type it."""
    return _one(connection, people.c.login == login_from(name))


def person_of(connection: Connection, id: str | None) -> Person | None:
    """The person with this id; what nobody owns is the operator's."""
    return OPERATOR if id is None else _one(connection, people.c.id == id)


def all_people(connection: Connection) -> list[Person]:
    """All that have an entry, by name."""
    return sorted(map(_read, connection.execute(select(people))), key=lambda person: person.name)


def rename(connection: Connection, id: str, name: str) -> Person:
    """Give somebody another name."""
    chosen = checked_name(name, _A_PERSON)
    if login_from(chosen) != login_from(_entry(connection, id).name):
        _free(connection, chosen)
    return _change(connection, id, name=chosen, login=login_from(chosen))


def change_role(connection: Connection, id: str, role: Role) -> Person:
    """From now on somebody may do more, or less."""
    return _change(connection, id, role=Role(role))


def saw(connection: Connection, id: str, now: float) -> Person:
    """Somebody was here."""
    return _change(connection, id, last_seen=now)


def set_password_hash(connection: Connection, id: str, password_hash: str | None) -> Person:
    """Keep what a password can be compared with; None: nobody can log in by this name."""
    return _change(connection, id, password_hash=password_hash)


def password_hash_of(connection: Connection, id: str) -> str | None:
    """What a password is compared with; it never travels with the person."""
    found: str | None = connection.execute(select(people.c.password_hash).where(people.c.id == id)).scalar()
    return found


def remove(connection: Connection, id: str) -> bool:
    """Somebody leaves; what was theirs is the operator's from now on. False when they were not there."""
    return connection.execute(delete(people).where(people.c.id == id)).rowcount > 0


def _free(connection: Connection, name: str) -> str:
    chosen = checked_name(name, _A_PERSON)
    taken = OPERATOR if login_from(chosen) == OPERATOR.name else person_named(connection, chosen)
    if taken is not None:
        raise InputError(f"There is a person named {taken.name} already: choose another name.")
    return chosen


def _change(connection: Connection, id: str, **values: object) -> Person:
    connection.execute(update(people).where(people.c.id == id).values(values))
    return _entry(connection, id)


def _entry(connection: Connection, id: str) -> Person:
    found = _one(connection, people.c.id == id)
    if found is None:
        raise InputError("That person is no longer there.")
    return found


def _one(connection: Connection, condition: Any) -> Person | None:
    row = connection.execute(select(people).where(condition)).one_or_none()
    return None if row is None else _read(row)


def _read(row: Row[Any]) -> Person:
    return Person(
        id=row.id,
        name=row.name,
        role=Role(row.role),
        made_at=row.made_at,
        last_seen=row.last_seen,
        has_password=row.password_hash is not None,
    )
