"""Is what all crawls of a PostgreSQL database share made once, whoever comes first, and brought up to date?"""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing

import pytest

from shoal.database.postgres import PostgresDatabase
from shoal.database.shared_schema import SHARED, has_table, make_shared, setting_up


@pytest.fixture
def database(postgres: str) -> Iterator[PostgresDatabase]:
    with closing(PostgresDatabase(postgres)) as database:
        yield database


def test_it_is_not_there_before_anybody_asks(postgres: str, database: PostgresDatabase) -> None:
    assert not has_table(database, f"{SHARED}.crawls")
    make_shared(postgres)
    assert has_table(database, f"{SHARED}.crawls")
    make_shared(postgres)  # a second time changes nothing


def test_many_at_once_make_it_once(postgres: str, database: PostgresDatabase) -> None:
    with ThreadPoolExecutor(4) as pool:
        list(pool.map(make_shared, [postgres] * 4))
    assert has_table(database, f"{SHARED}.clocks")


def test_the_clocks_of_an_older_shoal_get_their_column(postgres: str, database: PostgresDatabase) -> None:
    make_shared(postgres)
    database.execute(f"ALTER TABLE {SHARED}.clocks DROP COLUMN noted_at")
    database.execute(f"INSERT INTO {SHARED}.clocks VALUES ('a.test', 'crawl', 0, 0, 5)")
    make_shared(postgres)
    assert database.execute(f"SELECT next_at, noted_at FROM {SHARED}.clocks").fetchall() == [(5.0, 0.0)]


def test_what_goes_wrong_meanwhile_leaves_nothing(postgres: str, database: PostgresDatabase) -> None:
    def make_and_fail() -> None:
        with setting_up(postgres) as connection:
            connection.execute(f"INSERT INTO {SHARED}.crawls VALUES ('电网', 'id', 'schema', 1)")
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        make_and_fail()
    assert not has_table(database, f"{SHARED}.crawls")
