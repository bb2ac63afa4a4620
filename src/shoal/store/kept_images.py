"""Which images are wanted, and which are here? Each once, in its largest size, with all the pages that show it."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator
from datetime import datetime

import msgspec
import numpy as np

from shoal.database.sql import Database, upsert
from shoal.images.fingerprint import NEAR
from shoal.model import Evidence, Image, SeenImage, State
from shoal.model.stored import DueRevisit, ImageFate, ImageOnPage, WantedImage
from shoal.store.crawl_status import StoreAnswer, time_of
from shoal.store.warc import Bodies

# --- what is here ----------------------------------------------------------------------------------------------------

_KEPT = """
SELECT id, url, format, width, height, bytes, fetched_at, warc_file, warc_offset FROM images
WHERE state = ? AND same_as = 0 AND id BETWEEN ? AND ? ORDER BY id
"""
# Who shows a smaller one shows the image.
_SIGHTINGS = """
SELECT found.url, pages.title, sightings.score, sightings.topic, image, sightings.why
FROM images JOIN sightings ON image_id = images.id JOIN pages ON pages.id = page JOIN found ON found.id = page
WHERE images.id = ? OR same_as = ? ORDER BY sightings.score DESC, fetch_order
"""


LARGEST = 2**63 - 1
"""No number is larger than this."""


class ShownOn(StoreAnswer, frozen=True, kw_only=True):
    """A page that shows an image, and what it says about it."""

    page: str
    title: str
    score: float
    topic: str
    image: Image
    why: tuple[Evidence, ...]


class KeptImage(StoreAnswer, frozen=True, kw_only=True):
    """An image that is here."""

    id: int
    url: str
    format: str
    width: int
    height: int
    bytes: int
    fetched_at: datetime
    warc_file: str
    warc_offset: int
    shown: tuple[ShownOn, ...]
    """The page whose description fits best first."""


def kept(connection: Database, id: int | None = None) -> Iterator[KeptImage]:
    """All of them in the order in which they were found, or one."""
    for row in connection.execute(_KEPT, (State.DONE, id or 0, id or LARGEST)).fetchall():
        values = dict(zip(KeptImage.__struct_fields__, row, strict=False))
        yield KeptImage(**values | {"fetched_at": time_of(row[6]), "shown": tuple(_shown(connection, row[0]))})


def _shown(connection: Database, id: int) -> Iterator[ShownOn]:
    for page, title, score, topic, about, evidence in connection.execute(_SIGHTINGS, (id, id)):
        image = msgspec.json.decode(about, type=Image)
        why = msgspec.json.decode(evidence, type=tuple[Evidence, ...])
        yield ShownOn(page=page, title=title, score=score, topic=topic, image=image, why=why)


def thumbnail(connection: Database, id: int) -> bytes:
    """A small WebP."""
    data: bytes
    (data,) = connection.execute("SELECT thumbnail FROM images WHERE id = ?", (id,)).fetchone()
    return data


def state(connection: Database) -> int:
    """A number that grows with every image and every page that shows one."""
    (number,) = connection.execute(
        "SELECT (SELECT count(*) FROM sightings) + (SELECT count(*) FROM images WHERE state = ?)", (State.DONE,)
    ).fetchone()
    return int(number)


# --- what is wanted, and what comes ----------------------------------------------------------------------------------

_SHAPE = 0.1
"""Width through height of two images may differ by this share; more, and one is at best a part of the other."""
_WANTED = """
    INSERT INTO images VALUES (?, ?, ?, 0, NULL, '', 0.0, '', 0, 0, 0, ?, 0, ?, '', 0) ON CONFLICT DO NOTHING
"""
_SIGHTED = upsert("sightings", "image_id, page", "score", "topic", "image", "why")
_CAME = """
    UPDATE images SET state = ?, fetched_at = ?, format = ?, width = ?, height = ?, bytes = ?, fingerprint = ?, same_as = ?,
                        thumbnail = ?, warc_file = ?, warc_offset = ?
    WHERE id = ?
"""

_OUTDONE = "UPDATE images SET same_as = ?, thumbnail = ? WHERE id = ? OR same_as = ?"


class SqliteBacklog:
    """What a crawl still wants besides new pages (`protocols.Backlog`)."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def image_numbers(self) -> dict[int, int]:
        return dict(self._database.execute("SELECT key, id FROM images"))

    def images_here(self) -> int:
        count: int
        (count,) = self._database.execute("SELECT count(*) FROM images WHERE state = ?", (State.DONE,)).fetchone()
        return count

    def wanted(self, start: int, limit: int) -> list[WantedImage]:
        rows = self._database.execute(
            """
            SELECT id, url, (SELECT found.url FROM sightings JOIN found ON found.id = page WHERE image_id = images.id LIMIT 1)
            FROM images WHERE id >= ? AND state = ? ORDER BY id LIMIT ?
            """,
            (start, State.WAITING, limit),
        )
        return [WantedImage(id=id, url=url, referrer=referrer) for id, url, referrer in rows]

    def due(self) -> list[DueRevisit]:
        rows = self._database.execute(
            """
            SELECT pages.id, url, etag, last_modified FROM due JOIN pages ON pages.id = page JOIN found ON found.id = page
            ORDER BY pages.fetch_order
            """
        )
        return [DueRevisit(id=id, url=url, etag=etag, last_modified=changed) for id, url, etag, changed in rows]


class ImageWriter:
    """Writes images inside the transaction of `store.crawl_store.CrawlStore.commit`, whose connection and WARC file it uses."""

    def __init__(self, database: Database, warc: Bodies) -> None:
        self._database = database
        self._warc = warc
        rows = database.execute(
            "SELECT id, fingerprint FROM images WHERE state = ? AND same_as = 0", (State.DONE,)
        ).fetchall()
        # The largest image of each kind; a number of `_ids` stands for the fingerprint at the same place.
        self._ids = [id for id, _ in rows]
        self._fingerprints = [int.from_bytes(fingerprint, "big") for _, fingerprint in rows]

    def show(self, shown: Iterable[ImageOnPage]) -> None:
        """Pages show images; those that nobody knew wait from now on."""
        together = [*shown]
        self._database.executemany(_WANTED, [(one.image, one.key, one.url, b"", b"") for one in together])
        self._database.executemany(_SIGHTED, [_sighted(one) for one in together])

    def settle(self, fate: ImageFate) -> None:
        """What became of an image."""
        if fate.came is not None:
            self._keep(fate.id, fate.came)
        else:
            statement = "UPDATE images SET state = ?, reason = ?, detail = ? WHERE id = ?"
            self._database.execute(statement, (fate.state, fate.reason, fate.detail, fate.id))

    def marked_for_rewind(self) -> Callable[[], None]:
        """What forgets all images that are settled from now on."""
        ids, fingerprints = self._ids.copy(), self._fingerprints.copy()

        def rewind() -> None:
            self._ids, self._fingerprints = ids, fingerprints

        return rewind

    def _keep(self, id: int, came: SeenImage) -> None:
        """Of images that show the same, the largest is kept; of the others, only that they exist."""
        image, response = came.image, came.response
        place = self._like(came)
        other = self._ids[place] if place is not None else 0
        smaller = bool(other) and math.prod(self._size(other)) >= image.width * image.height
        body = ("", 0) if smaller else self._warc.write(response)
        self._database.execute(_CAME, (
            State.DONE, response.timing.answered, image.format, image.width, image.height, len(response.body),
            image.fingerprint, other if smaller else 0, b"" if smaller else image.thumbnail, *body, id,
        ))  # fmt: skip
        if smaller:
            return
        fingerprint = int.from_bytes(image.fingerprint, "big")
        if place is None:
            self._ids.append(id)
            self._fingerprints.append(fingerprint)
            return
        self._ids[place], self._fingerprints[place] = id, fingerprint
        self._database.execute(_OUTDONE, (id, b"", other, other))

    def _like(self, came: SeenImage) -> int | None:
        """The place of the kept image that shows the same; of several, of the one that is most alike."""
        if not self._ids:
            return None
        own = np.uint64(int.from_bytes(came.image.fingerprint, "big"))
        distances = np.bitwise_count(np.array(self._fingerprints, dtype=np.uint64) ^ own)
        shape = came.image.width / came.image.height
        for place in np.argsort(distances, kind="stable")[: int((distances <= NEAR).sum())].tolist():
            width, height = self._size(self._ids[place])
            if abs(width / height - shape) <= _SHAPE * shape:
                return int(place)
        return None

    def _size(self, id: int) -> tuple[int, int]:
        row: tuple[int, int] = self._database.execute("SELECT width, height FROM images WHERE id = ?", (id,)).fetchone()
        return row


def _sighted(shown: ImageOnPage) -> tuple[object, ...]:
    sighting = shown.sighting
    image, why = (msgspec.json.encode(value).decode() for value in (sighting.image, sighting.why))
    return shown.image, shown.page, sighting.score, sighting.topic, image, why
