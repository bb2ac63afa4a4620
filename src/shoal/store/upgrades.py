"""How does the database of an older folder become one of today? By numbered steps, each of which says what changed.

A step is tried as a whole. It must leave what a new folder has, column by column, because rows are copied between databases.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from importlib.resources import files

from shoal.database.postgres import PostgresDatabase
from shoal.database.sql import Database
from shoal.model import State

VERSION = 4
"""Raised together with `schema.sql`, by a step that brings the version before it up to this one."""
MARKS_OF_3 = "feedback.jsonl"
"""Where the marks of a crawl on one machine were."""
_VIEW_OF_4 = """
CREATE VIEW urls AS
  SELECT found.*, coalesce(state, 0) AS state, reason, coalesce(detail, '') AS detail, coalesce(attempt, 1) AS attempt,
         coalesce(not_before, 0.0) AS not_before, coalesce(target, '') AS target
  FROM found LEFT JOIN fates USING (id)
"""
_WORDS_OF_4 = {
    '"pictures":': '"images":',
    '"max_pictures":': '"max_images":',
    '"max_picture":': '"max_image":',
    '"feedback":': '"adapt_topic":',
    '"origin":"feedback"': '"origin":"adapted"',
}
_NOTED_BY_3 = re.compile(r"Moved to (\S+) (\(\d+\)\.)")


def schema() -> str:
    """The tables of a crawl of today, in the words of SQLite."""
    return files("shoal.store").joinpath("schema.sql").read_text(encoding="utf-8")


def upgrade(database: Database, version: int) -> None:
    """Bring a database up to date, as far as there are steps. Runs in a transaction."""
    while step := _STEPS.get(version):
        step(database)
        version += 1
    database.execute("UPDATE meta SET value = ? WHERE key = 'version'", (str(version),))


def can_upgrade(version: int) -> bool:
    """True when there is a way from this version to today's."""
    return version in _STEPS


def _to_4(database: Database) -> None:
    """The target of a redirect is a column; what was called a picture, an opinion or feedback has the name of today."""
    _part_targets(database)
    database.execute("ALTER TABLE pictures RENAME TO images")
    database.execute("ALTER TABLE sightings RENAME COLUMN picture TO image_id")
    for table in ("fates", "images"):
        database.execute(f"UPDATE {table} SET reason = 'image' WHERE reason = 'picture'")
    if isinstance(database, PostgresDatabase):  # elsewhere it is a file
        database.execute("ALTER TABLE opinions RENAME TO mark_log")
    for table, key, value in (("meta", "key", "value"), ("topics", "version", "topic")):
        for name, said in database.execute(f"SELECT {key}, {value} FROM {table}").fetchall():
            if (today := _renamed(said)) != said:
                database.execute(f"UPDATE {table} SET {value} = ? WHERE {key} = ?", (today, name))


def _renamed(said: str) -> str:
    """Settings and topics as JSON, in the words of today."""
    for before, today in _WORDS_OF_4.items():
        said = said.replace(before, today)
    return said


def _part_targets(database: Database) -> None:
    database.execute("ALTER TABLE fates ADD COLUMN target TEXT NOT NULL DEFAULT ''")
    database.execute("DROP VIEW urls")
    database.execute(_VIEW_OF_4)
    moved = database.execute("SELECT id, detail FROM fates WHERE state = ?", (State.MOVED,)).fetchall()
    parted = [(said[1], f"Moved {said[2]}", id) for id, detail in moved if (said := _NOTED_BY_3.fullmatch(detail))]
    database.executemany("UPDATE fates SET target = ?, detail = ? WHERE id = ?", parted)


_STEPS: dict[int, Callable[[Database], None]] = {3: _to_4}
OLDEST = min(_STEPS)
"""The first format from which there is a way to today's."""
