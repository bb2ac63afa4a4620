"""Which pictures are kept? Each once, in its largest size, with all the pages that show it."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime

import msgspec

from shoal.model import Evidence, Image, State
from shoal.store.crawl_status import Answer, time_of
from shoal.store.database import Database

_KEPT = """
SELECT id, url, format, width, height, bytes, fetched_at, warc_file, warc_offset FROM pictures
WHERE state = ? AND same_as = 0 AND id BETWEEN ? AND ? ORDER BY id
"""
# Who shows a smaller one shows the picture.
_SIGHTINGS = """
SELECT found.url, pages.title, sightings.score, sightings.topic, image, sightings.why
FROM pictures JOIN sightings ON picture = pictures.id JOIN pages ON pages.id = page JOIN found ON found.id = page
WHERE pictures.id = ? OR same_as = ? ORDER BY sightings.score DESC, fetch_order
"""


LARGEST = 2**63 - 1
"""No number is larger than this."""


class Shown(Answer, frozen=True, kw_only=True):
    """A page that shows a picture, and what it says about it."""

    page: str
    title: str
    score: float
    topic: str
    image: Image
    why: tuple[Evidence, ...]


class Kept(Answer, frozen=True, kw_only=True):
    """A picture that is here."""

    id: int
    url: str
    format: str
    width: int
    height: int
    bytes: int
    fetched_at: datetime
    warc_file: str
    warc_offset: int
    shown: tuple[Shown, ...]
    """The page whose description fits best first."""


def kept(connection: Database, id: int | None = None) -> Iterator[Kept]:
    """All of them in the order in which they were found, or one."""
    for row in connection.execute(_KEPT, (State.DONE, id or 0, id or LARGEST)).fetchall():
        values = dict(zip(Kept.__struct_fields__, row, strict=False))
        yield Kept(**values | {"fetched_at": time_of(row[6]), "shown": tuple(_shown(connection, row[0]))})


def _shown(connection: Database, id: int) -> Iterator[Shown]:
    for page, title, score, topic, image, why in connection.execute(_SIGHTINGS, (id, id)):
        yield Shown(
            page=page,
            title=title,
            score=score,
            topic=topic,
            image=msgspec.json.decode(image, type=Image),
            why=msgspec.json.decode(why, type=tuple[Evidence, ...]),
        )


def thumbnail(connection: Database, id: int) -> bytes:
    """A small WebP."""
    data: bytes
    (data,) = connection.execute("SELECT thumbnail FROM pictures WHERE id = ?", (id,)).fetchone()
    return data


def state(connection: Database) -> int:
    """A number that grows with every picture and every page that shows one."""
    (number,) = connection.execute(
        "SELECT (SELECT count(*) FROM sightings) + (SELECT count(*) FROM pictures WHERE state = ?)", (State.DONE,)
    ).fetchone()
    return int(number)
