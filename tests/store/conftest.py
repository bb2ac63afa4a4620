"""A crawl's database made by hand, row by row, so that a test says exactly what it is about."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import closing
from importlib.resources import files
from typing import Any

import pytest

from shoal.database.postgres import PostgresDatabase
from shoal.database.sql import Database
from shoal.database.sqlite import open_file
from shoal.model import State
from shoal.settings import Cluster
from shoal.store.mark_log import lay_over
from shoal.urls import host_of, key_of

NOW = 1_800_000_000.0  # 2027-01-15T08:00:00Z


class HandMade:
    """Adds rows with sensible defaults; ids count up from 1."""

    def __init__(self, connection: Database) -> None:
        self.connection = connection

    def meta(self, key: str, value: object) -> None:
        self.connection.execute("INSERT INTO meta VALUES (?, ?)", (key, json.dumps(value)))

    def host(self, name: str, **changes: Any) -> int:
        self.connection.execute("INSERT INTO hosts (name) VALUES (?) ON CONFLICT DO NOTHING", (name,))
        for column, value in changes.items():
            self.connection.execute(f"UPDATE hosts SET {column} = ? WHERE name = ?", (value, name))
        row: tuple[int] = self.connection.execute("SELECT id FROM hosts WHERE name = ?", (name,)).fetchone()
        return row[0]

    def url(self, url: str, state: State = State.WAITING, **changes: Any) -> int:
        found: dict[str, Any] = {
            "key": key_of(url),
            "host": self.host(host_of(url)),
            "url": url,
            "priority": 0.5,
            "depth": 0,
            "parent": 0,
            "origin": 0,
            "hop": 0,
            "anchor": "",
            "why": "",
        }
        fate: dict[str, Any] = {
            "state": state,
            "reason": None,
            "detail": "",
            "attempt": 1,
            "not_before": 0.0,
            "target": "",
        }
        found |= {column: value for column, value in changes.items() if column not in fate}
        fate |= {column: value for column, value in changes.items() if column in fate}
        self.connection.execute(
            "INSERT INTO tally VALUES (?, ?, 1) ON CONFLICT (state, reason) DO UPDATE SET urls = tally.urls + 1",
            (state, fate["reason"] or ""),
        )
        id = self._insert("found", found)
        if state is not State.WAITING or fate["attempt"] > 1:  # what waits for its first request has no row there
            self._insert("fates", {"id": id} | fate)
        return id

    def page(self, url: str, order: int, *, link: dict[str, Any] | None = None, **changes: Any) -> int:
        """A fetched page; `link` has columns of its row in the view `urls`."""
        id = self.url(url, State.DONE, **(link or {}))
        self.connection.execute("UPDATE hosts SET pages = pages + 1 WHERE name = ?", (host_of(url),))
        values: dict[str, Any] = {
            "id": id,
            "fetch_order": order,
            "fetched_at": NOW + order,
            "status": 200,
            "content_type": "text/html",
            "bytes": 1000,
            "truncated": 0,
            "took": 0.1,
            "address": "192.0.2.1",
            "etag": "",
            "last_modified": "",
            "title": f"Page {order}",
            "description": "",
            "language": "en",
            "charset": "utf-8",
            "published": "",
            "canonical": "",
            "noindex": 0,
            "links": 0,
            "images": 0,
            "score": 0.4,
            "threshold": 0.3,
            "relevant": 1,
            "why": "[]",
            "content_hash": order.to_bytes(16, "big"),
            "fingerprint": b"",
            "duplicate_of": 0,
            "similarity": 0.0,
            "warc_file": "",
            "warc_offset": 0,
        } | changes
        return self._insert("pages", values)

    def _insert(self, table: str, values: dict[str, Any]) -> int:
        marks = ", ".join("?" * len(values))
        query = f"INSERT INTO {table} ({', '.join(values)}) VALUES ({marks}) RETURNING id"
        row: tuple[int] = self.connection.execute(query, tuple(values.values())).fetchone()
        return row[0]


@pytest.fixture
def crawl(cluster: Cluster) -> Iterator[HandMade]:
    with closing(PostgresDatabase(cluster.database) if cluster.database else open_file(":memory:")) as connection:
        connection.executescript(files("shoal.store").joinpath("schema.sql").read_text(encoding="utf-8"))
        lay_over(connection, {})
        yield HandMade(connection)
