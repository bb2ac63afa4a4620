"""The first step makes three tables out of nothing."""

from __future__ import annotations

from sqlalchemy import create_engine, inspect

from shoal.installation.schema_migration import take_steps


def test_the_first_tables_are_made() -> None:
    with create_engine("sqlite://").begin() as connection:
        take_steps(connection, "", "0001")
        assert set(inspect(connection).get_table_names()) == {"alembic_version", "crawls", "people", "topics"}
