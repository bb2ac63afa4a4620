"""PostgreSQL behind the verbs of the store: rows stream, what is lost is said, and one schema is the truth for both databases."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from importlib.resources import files

import asyncpg
import pytest

from shoal.database import postgres as module
from shoal.database.postgres import PostgresDatabase, in_our_words
from shoal.database.sqlite import open_file
from shoal.errors import DatabaseGone, FolderError
from shoal.testing.servers import PostgreSQL


@pytest.fixture
def database(postgres: str) -> Iterator[PostgresDatabase]:
    with closing(PostgresDatabase(postgres)) as database:
        yield database


SCHEMA = files("shoal.store").joinpath("schema.sql").read_text(encoding="utf-8")
_COLUMNS = "SELECT table_name, column_name, data_type FROM information_schema.columns WHERE table_schema = 'public'"
_CALLED = {"INTEGER": "bigint", "REAL": "double precision", "TEXT": "text", "BLOB": "bytea"}


def test_both_databases_have_the_same_tables_and_columns(database: PostgresDatabase) -> None:
    database.executescript(SCHEMA)
    with closing(open_file(":memory:")) as sqlite:
        sqlite.executescript(SCHEMA)
        tables = [name for (name,) in sqlite.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
        expected = {
            (table, name, _CALLED[kind])
            for table in tables
            for _, name, kind, *_ in sqlite.execute(f"PRAGMA table_info({table})")
        }
    found = {row for row in database.execute(_COLUMNS) if row[0] != "urls"}
    assert found == expected
    assert "INTEGER" not in in_our_words(SCHEMA)


def test_rows_stream_portion_by_portion(database: PostgresDatabase) -> None:
    rows = database.stream("SELECT * FROM generate_series(1, ?::bigint)", (3 * module._PREFETCH,))
    assert next(rows) == (1,)
    assert database.execute("SELECT 5").fetchone() == (5,), "others may ask meanwhile"
    assert sum(1 for _ in rows) == 3 * module._PREFETCH - 1
    assert not database.in_transaction


def test_two_streams_share_their_transaction(database: PostgresDatabase) -> None:
    first, second = (database.stream("SELECT * FROM generate_series(1, 5000)") for _ in range(2))
    assert (next(first), next(second)) == ((1,), (1,))
    assert len(list(first)) == len(list(second)) == 4_999
    assert not database.in_transaction


def test_a_stream_that_nobody_reads_to_its_end_leaves_nothing_behind(database: PostgresDatabase) -> None:
    rows = database.stream("SELECT * FROM generate_series(1, 5000)")
    next(rows)
    del rows
    assert not database.in_transaction


def test_an_answer_has_the_names_of_its_columns_also_without_rows(database: PostgresDatabase) -> None:
    names, none = database.answered("SELECT n, 'x' AS x FROM generate_series(1, 2) AS n WHERE n > $1", (5,))
    assert (names, none.fetchall(), none.rowcount) == (("n", "x"), [], 0)
    database.executescript("CREATE TABLE t (n INTEGER)")
    names, written = database.answered("INSERT INTO t VALUES ($1), ($2)", (1, 2))
    assert (names, written.rowcount) == ((), 2)


def test_a_lost_connection_is_known_for_one(database: PostgresDatabase) -> None:
    known = [database.is_lost]
    for change in (database.abort, database.reconnect):
        change()
        known.append(database.is_lost)
    assert known == [False, True, False]


def test_a_transaction_is_there_together_or_not_at_all(database: PostgresDatabase) -> None:
    database.executescript("CREATE TABLE t (n INTEGER)")

    def half() -> None:
        with database.transaction():
            database.execute("INSERT INTO t VALUES (1)")
            database.execute("SELECT 1 / 0")

    with pytest.raises(asyncpg.DivisionByZeroError):
        half()
    assert database.execute("SELECT n FROM t").fetchall() == []
    database.executemany("INSERT INTO t VALUES (?)", [(1,), (2,)])
    assert database.execute("UPDATE t SET n = n + ?", (1,)).rowcount == 2
    assert database.execute("SELECT n FROM t ORDER BY n").fetchall() == [(2,), (3,)]


def test_a_connection_that_is_lost_says_so_and_can_be_made_anew(
    database: PostgresDatabase, postgres_server: PostgreSQL
) -> None:
    postgres_server.kill()
    for _ in range(2):
        with pytest.raises(
            DatabaseGone, match=rf"The database at 127.0.0.1:{postgres_server.port}/\w+ cannot be reached"
        ):
            database.execute("SELECT 1")
    with pytest.raises(DatabaseGone):
        database.reconnect()
    postgres_server.start()
    database.reconnect()
    assert database.execute("SELECT 1").fetchone() == (1,)


def test_a_server_that_does_not_answer_in_time_counts_as_gone(postgres: str) -> None:
    with (
        closing(PostgresDatabase(postgres, patience=0.2)) as database,
        pytest.raises(DatabaseGone, match="it does not answer"),
    ):
        database.execute("SELECT pg_sleep(20)")


def test_a_wrong_password_is_one_sentence_without_it(postgres: str) -> None:
    login, _, place = postgres.rpartition("@")
    with pytest.raises(FolderError, match=r"refuses us: password authentication failed") as told:
        PostgresDatabase(f"{login}wrong@{place}")
    assert login.rpartition(":")[2] not in str(told.value)
