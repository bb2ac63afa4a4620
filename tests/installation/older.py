"""The database of an installation as an older Shoal left it, with something in every table, and as it must be afterwards."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path

from sqlalchemy import text

from shoal.installation import crawl_registry, people, topic_library
from shoal.installation.installation_database import open_installation, reading
from shoal.installation.location import Installation
from shoal.installation.postgres_home import PostgresHome
from shoal.installation.schema_migration import DatabasePlace, take_steps
from shoal.installation.sqlite_home import SqliteHome
from shoal.model.person import Role

_ROWS = (
    "INSERT INTO people VALUES ('p1', 'Ada', 'ada', 'member', 1.5, NULL, 'hash')",
    "INSERT INTO crawls VALUES ('c1', 'x', '电网', '', '/data/电网', 'p1', 'Power grid', 2.5)",
    "INSERT INTO topics VALUES ('t1', '变电站', 'p1', 'terms = \"變電站\"', 3.5, 4.5)",
)


def place_for(installation: Installation) -> DatabasePlace:
    return PostgresHome(installation.database) if installation.database else SqliteHome(installation.file)


def make_older(installation: Installation) -> None:
    """What version 0001 had."""
    with closing(place_for(installation)) as place:
        place.make()
        with place.alone() as connection:
            take_steps(connection, "", "0001")
            for row in _ROWS:
                connection.execute(text(row))


def check_all_there(installation: Installation) -> None:
    """Nothing of it was lost, and the topic has its first version."""
    with reading(installation) as connection:
        (crawl,) = crawl_registry.all_crawls(connection)
        (person,) = people.all_people(connection)
        (topic,) = topic_library.all_topics(connection)
        (version,) = topic_library.history(connection, "t1")
        assert people.password_hash_of(connection, "p1") == "hash"
    assert (crawl.name, crawl.folder, crawl.owner, crawl.made_at) == ("电网", Path("/data/电网"), "p1", 2.5)
    assert (person.name, person.role, person.has_password) == ("Ada", Role.MEMBER, True)
    assert (topic.name, topic.owner, topic.made_at, topic.changed_at) == ("变电站", "p1", 3.5, 4.5)
    assert (version.number, version.text, version.author) == (1, 'terms = "變電站"', "p1")


def bring_up(installation: Installation) -> None:
    """As the first command of a newer Shoal does."""
    open_installation(installation).close()
