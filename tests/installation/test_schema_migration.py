"""The steps lead to the tables of today, whichever database takes them."""

from __future__ import annotations

from alembic.autogenerate import compare_metadata
from alembic.runtime.migration import MigrationContext
from sqlalchemy import Connection

from shoal.installation.installation_tables import metadata


def test_the_steps_lead_to_the_tables_of_today(connection: Connection) -> None:
    context = MigrationContext.configure(connection, opts={"compare_type": True})
    assert compare_metadata(context, metadata) == []
