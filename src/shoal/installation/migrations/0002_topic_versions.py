"""Step 2: what did a topic say before it was changed? Each version of its text is a row; what there is becomes the first."""

from __future__ import annotations

from alembic import op
from sqlalchemy import Column, Double, ForeignKeyConstraint, Integer, PrimaryKeyConstraint, Text

revision = "0002"
down_revision = "0001"


def upgrade() -> None:
    """Make the table, and carry the texts over."""
    op.create_table(
        "topic_versions",
        Column("topic", Text, nullable=False),
        Column("number", Integer, nullable=False),
        Column("text", Text, nullable=False),
        Column("author", Text),
        Column("made_at", Double, nullable=False),
        PrimaryKeyConstraint("topic", "number", name="pk_topic_versions"),
        ForeignKeyConstraint(["topic"], ["topics.id"], name="fk_topic_versions_topic", ondelete="CASCADE"),
        ForeignKeyConstraint(["author"], ["people.id"], name="fk_topic_versions_author", ondelete="SET NULL"),
    )
    op.execute(
        "INSERT INTO topic_versions (topic, number, text, author, made_at) SELECT id, 1, text, owner, changed_at FROM topics"
    )
    op.drop_column("topics", "text")
