"""Which tables does the installation's database have today? The same in SQLite and PostgreSQL.

`installation/migrations/` has the steps that lead here; a test holds the two to each other.
"""

from __future__ import annotations

from sqlalchemy import Column, Double, ForeignKey, Index, Integer, MetaData, Table, Text, UniqueConstraint

VERSION = "0002"
"""The number of the last step. Raised together with the tables below, by a step in `installation/migrations/`."""

metadata = MetaData(
    naming_convention={
        "pk": "pk_%(table_name)s",
        "uq": "uq_%(table_name)s_%(column_0_N_name)s",
        "fk": "fk_%(table_name)s_%(column_0_N_name)s",
        "ix": "ix_%(table_name)s_%(column_0_N_name)s",
    }
)
"""What has no name of its own cannot be changed by a later step."""

people = Table(
    "people",
    metadata,
    Column("id", Text, primary_key=True),
    Column("name", Text, nullable=False),  # as it is shown
    Column("login", Text, nullable=False, unique=True),  # as it is compared
    Column("role", Text, nullable=False),
    Column("made_at", Double, nullable=False),
    Column("last_seen", Double),
    Column("password_hash", Text),
)
crawls = Table(
    "crawls",
    metadata,
    Column("id", Text, primary_key=True),
    Column("crawl", Text, nullable=False),  # the crawl's own id; copies of a folder share it
    Column("name", Text, nullable=False, unique=True),
    Column("machine", Text, nullable=False),  # where the folder is; empty: where this database is a file, too
    Column("folder", Text, nullable=False),
    Column("owner", Text, ForeignKey(people.c.id, ondelete="SET NULL")),  # nobody: the operator
    Column("topic", Text, nullable=False),
    Column("made_at", Double, nullable=False),
    UniqueConstraint("machine", "folder"),
    Index(None, "crawl"),
)
topics = Table(
    "topics",
    metadata,
    Column("id", Text, primary_key=True),
    Column("name", Text, nullable=False, unique=True),
    Column("owner", Text, ForeignKey(people.c.id, ondelete="SET NULL")),
    Column("made_at", Double, nullable=False),
    Column("changed_at", Double, nullable=False),
)
topic_versions = Table(
    "topic_versions",
    metadata,
    Column("topic", Text, ForeignKey(topics.c.id, ondelete="CASCADE"), primary_key=True),
    Column("number", Integer, primary_key=True),  # from 1; the last one counts
    Column("text", Text, nullable=False),  # a topic file, as it was written
    Column("author", Text, ForeignKey(people.c.id, ondelete="SET NULL")),
    Column("made_at", Double, nullable=False),
)
