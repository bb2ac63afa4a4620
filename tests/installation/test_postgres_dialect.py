"""SQLAlchemy over our connections to PostgreSQL: what it needs of a driver, and what a server says."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing

import pytest
from sqlalchemy import Column, Engine, Integer, MetaData, Table, Text, create_engine, insert, select, text
from sqlalchemy.exc import IntegrityError, ProgrammingError

from shoal.database.postgres import PostgresDatabase
from shoal.errors import DatabaseGone
from shoal.installation.postgres_dialect import URL, DatabaseError, PostgresDriver
from shoal.testing.servers import PostgreSQL

things = Table("things", MetaData(), Column("id", Integer, primary_key=True), Column("name", Text, unique=True))


@pytest.fixture
def engine(postgres: str) -> Iterator[Engine]:
    engine = create_engine(URL, creator=lambda: PostgresDriver(PostgresDatabase(postgres)), pool_pre_ping=True)
    things.create(engine)
    yield engine
    engine.dispose()


def test_rows_come_as_sqlalchemy_knows_them(engine: Engine) -> None:
    with engine.connect() as connection:
        assert connection.execute(select(things)).all() == []
        connection.execute(insert(things), [{"id": 1, "name": "电网"}, {"id": 2, "name": None}])
        answer = connection.execute(select(things).order_by(things.c.id))
        assert answer.first() == (1, "电网")
        assert connection.execute(select(things.c.name).where(things.c.id == 1)).scalar_one() == "电网"
        assert connection.execute(things.update().values(name=None)).rowcount == 2
        assert connection.execute(select(things)).fetchmany(1) == [(1, None)]


def test_a_transaction_begins_when_it_is_begun_and_ends_as_it_is_ended(engine: Engine) -> None:
    with engine.connect() as connection:
        for end, expected in ((connection.rollback, []), (connection.commit, [(1, None)])):
            connection.exec_driver_sql("BEGIN")
            connection.execute(insert(things).values(id=1))
            end()
            assert connection.execute(select(things)).all() == expected


def test_what_the_server_refuses_is_an_error_of_sqlalchemy(engine: Engine) -> None:
    with engine.connect() as connection:
        connection.execute(insert(things).values(id=1, name="x"))
        with pytest.raises(IntegrityError, match="things_name_key"):
            connection.execute(insert(things).values(id=2, name="x"))
        with pytest.raises(Exception, match="syntax error") as caught:
            connection.execute(text("SELECT FROM WHERE"))
        assert isinstance(caught.value.__cause__, DatabaseError)
        assert not isinstance(caught.value, ProgrammingError | IntegrityError)


def test_a_connection_that_was_lost_is_made_anew(engine: Engine, postgres: str) -> None:
    with closing(PostgresDatabase(postgres)) as other:
        with engine.connect() as connection:
            (mine,) = connection.execute(text("SELECT pg_backend_pid()")).one()
            other.execute("SELECT pg_terminate_backend(?::bigint::integer)", (mine,))
            with pytest.raises(DatabaseGone, match="cannot be reached"):
                connection.execute(select(things))
        with engine.connect() as connection:
            assert connection.execute(select(things)).all() == []


def test_nobody_believes_that_something_was_written_which_was_not(engine: Engine, postgres: str) -> None:
    with engine.connect() as connection:
        connection.exec_driver_sql("BEGIN")
        connection.execute(insert(things).values(id=1))
        with pytest.raises(IntegrityError):
            connection.execute(insert(things).values(id=1))
        with pytest.raises(Exception, match="nothing was written, because a statement before was refused"):
            connection.commit()
        connection.rollback()
        (mine,) = connection.exec_driver_sql("SELECT pg_backend_pid()").one()
        connection.exec_driver_sql("BEGIN")
        connection.execute(insert(things).values(id=2))
        with closing(PostgresDatabase(postgres)) as other:
            other.execute("SELECT pg_terminate_backend(?::bigint::integer)", (mine,))
        with pytest.raises(DatabaseGone, match="cannot be reached"):
            connection.commit()
    with engine.connect() as connection:
        assert connection.execute(select(things)).all() == []


def test_a_server_that_was_started_again_is_found_by_itself(engine: Engine, postgres_server: PostgreSQL) -> None:
    with engine.connect() as connection:
        assert connection.execute(select(things)).all() == []
    postgres_server.kill()
    with pytest.raises(DatabaseGone, match="cannot be reached"):
        engine.connect()
    postgres_server.start()
    with engine.connect() as connection:
        assert connection.execute(select(things)).all() == []
