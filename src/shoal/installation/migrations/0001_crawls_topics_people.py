"""Step 1: what is there from the beginning? Crawls, topics and people."""

from __future__ import annotations

from alembic import op
from sqlalchemy import Column, Double, ForeignKeyConstraint, PrimaryKeyConstraint, Text, UniqueConstraint

revision = "0001"
down_revision = None


def upgrade() -> None:
    """Make the first tables."""
    op.create_table(
        "people",
        Column("id", Text, nullable=False),
        Column("name", Text, nullable=False),
        Column("login", Text, nullable=False),
        Column("role", Text, nullable=False),
        Column("made_at", Double, nullable=False),
        Column("last_seen", Double),
        Column("password_hash", Text),
        PrimaryKeyConstraint("id", name="pk_people"),
        UniqueConstraint("login", name="uq_people_login"),
    )
    op.create_table(
        "crawls",
        Column("id", Text, nullable=False),
        Column("crawl", Text, nullable=False),
        Column("name", Text, nullable=False),
        Column("machine", Text, nullable=False),
        Column("folder", Text, nullable=False),
        Column("owner", Text),
        Column("topic", Text, nullable=False),
        Column("made_at", Double, nullable=False),
        PrimaryKeyConstraint("id", name="pk_crawls"),
        UniqueConstraint("name", name="uq_crawls_name"),
        UniqueConstraint("machine", "folder", name="uq_crawls_machine_folder"),
        ForeignKeyConstraint(["owner"], ["people.id"], name="fk_crawls_owner", ondelete="SET NULL"),
    )
    op.create_index("ix_crawls_crawl", "crawls", ["crawl"])
    op.create_table(
        "topics",
        Column("id", Text, nullable=False),
        Column("name", Text, nullable=False),
        Column("owner", Text),
        Column("text", Text, nullable=False),
        Column("made_at", Double, nullable=False),
        Column("changed_at", Double, nullable=False),
        PrimaryKeyConstraint("id", name="pk_topics"),
        UniqueConstraint("name", name="uq_topics_name"),
        ForeignKeyConstraint(["owner"], ["people.id"], name="fk_topics_owner", ondelete="SET NULL"),
    )
