"""Which pictures are wanted, and which are here? Where each was seen, and the largest one of those that show the same."""

from __future__ import annotations

from collections.abc import Callable, Iterable

import msgspec
import numpy as np

from shoal.images.fingerprint import NEAR
from shoal.model import Pictured, State
from shoal.remembered import Due, PictureFate, Shown, Wanted
from shoal.store.database import Database
from shoal.store.warc import Bodies

_SHAPE = 0.1
"""Width through height of two pictures may differ by this share; more, and one is at best a part of the other."""
_WANTED = """
    INSERT INTO pictures VALUES (?, ?, ?, 0, NULL, '', 0.0, '', 0, 0, 0, ?, 0, ?, '', 0) ON CONFLICT DO NOTHING
"""
_SIGHTED = """
    INSERT INTO sightings VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT (picture, page) DO UPDATE
    SET score = excluded.score, topic = excluded.topic, image = excluded.image, why = excluded.why
"""
_CAME = """
    UPDATE pictures SET state = ?, fetched_at = ?, format = ?, width = ?, height = ?, bytes = ?, fingerprint = ?, same_as = ?,
                        thumbnail = ?, warc_file = ?, warc_offset = ?
    WHERE id = ?
"""

_OUTDONE = "UPDATE pictures SET same_as = ?, thumbnail = ? WHERE id = ? OR same_as = ?"


class SqliteBacklog:
    """What a crawl still wants besides new pages (`protocols.Backlog`)."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def picture_numbers(self) -> dict[int, int]:
        """The number of every picture that is known, by `urls.key_of` its URL."""
        return dict(self._database.execute("SELECT key, id FROM pictures"))

    def pictures_here(self) -> int:
        """How many pictures have come."""
        count: int
        (count,) = self._database.execute("SELECT count(*) FROM pictures WHERE state = ?", (State.DONE,)).fetchone()
        return count

    def wanted(self, start: int, limit: int) -> list[Wanted]:
        """The first so many pictures from this number on that wait, in the order of their numbers."""
        rows = self._database.execute(
            """
            SELECT id, url, (SELECT found.url FROM sightings JOIN found ON found.id = page WHERE picture = pictures.id LIMIT 1)
            FROM pictures WHERE id >= ? AND state = ? ORDER BY id LIMIT ?
            """,
            (start, State.WAITING, limit),
        )
        return [Wanted(id=id, url=url, referrer=referrer) for id, url, referrer in rows]

    def due(self) -> list[Due]:
        """The pages that are to be looked at again."""
        rows = self._database.execute(
            """
            SELECT pages.id, url, etag, last_modified FROM due JOIN pages ON pages.id = page JOIN found ON found.id = page
            ORDER BY pages.fetch_order
            """
        )
        return [Due(id=id, url=url, etag=etag, last_modified=changed) for id, url, etag, changed in rows]


class PictureWriter:
    """Writes pictures inside the transaction of `store.crawl.CrawlStore.commit`, whose connection and WARC file it uses."""

    def __init__(self, database: Database, warc: Bodies) -> None:
        self._database = database
        self._warc = warc
        rows = database.execute(
            "SELECT id, fingerprint FROM pictures WHERE state = ? AND same_as = 0", (State.DONE,)
        ).fetchall()
        # The largest picture of each kind; a number of `_ids` stands for the fingerprint at the same place.
        self._ids = [id for id, _ in rows]
        self._fingerprints = [int.from_bytes(fingerprint, "big") for _, fingerprint in rows]

    def show(self, shown: Iterable[Shown]) -> None:
        """Pages show pictures; those that nobody knew wait from now on."""
        together = [*shown]
        self._database.executemany(_WANTED, [(one.picture, one.key, one.url, b"", b"") for one in together])
        self._database.executemany(_SIGHTED, [_sighted(one) for one in together])

    def settle(self, fate: PictureFate) -> None:
        """What became of a picture."""
        if fate.came is not None:
            self._keep(fate.id, fate.came)
            return
        self._database.execute(
            "UPDATE pictures SET state = ?, reason = ?, detail = ? WHERE id = ?",
            (fate.state, fate.reason, fate.detail, fate.id),
        )

    def marked_for_rewind(self) -> Callable[[], None]:
        """What forgets all pictures that are settled from now on."""
        ids, fingerprints = self._ids.copy(), self._fingerprints.copy()

        def rewind() -> None:
            self._ids, self._fingerprints = ids, fingerprints

        return rewind

    def _keep(self, id: int, came: Pictured) -> None:
        """Of pictures that show the same, the largest is kept; of the others, only that they exist."""
        picture, response = came.picture, came.response
        place = self._like(came)
        other = self._ids[place] if place is not None else 0
        smaller = bool(other) and self._pixels(other) >= picture.width * picture.height
        body = ("", 0) if smaller else self._warc.write(response)
        self._database.execute(_CAME, (
            State.DONE, response.timing.answered, picture.format, picture.width, picture.height, len(response.body),
            picture.fingerprint, other if smaller else 0, b"" if smaller else picture.thumbnail, *body, id,
        ))  # fmt: skip
        if smaller:
            return
        fingerprint = int.from_bytes(picture.fingerprint, "big")
        if place is None:
            self._ids.append(id)
            self._fingerprints.append(fingerprint)
            return
        self._ids[place], self._fingerprints[place] = id, fingerprint
        self._database.execute(_OUTDONE, (id, b"", other, other))

    def _like(self, came: Pictured) -> int | None:
        """The place of the kept picture that shows the same; of several, of the one that is most alike."""
        if not self._ids:
            return None
        own = np.uint64(int.from_bytes(came.picture.fingerprint, "big"))
        distances = np.bitwise_count(np.array(self._fingerprints, dtype=np.uint64) ^ own)
        shape = came.picture.width / came.picture.height
        for place in np.argsort(distances, kind="stable")[: int((distances <= NEAR).sum())].tolist():
            width, height = self._size(self._ids[place])
            if abs(width / height - shape) <= _SHAPE * shape:
                return int(place)
        return None

    def _size(self, id: int) -> tuple[int, int]:
        row: tuple[int, int] = self._database.execute(
            "SELECT width, height FROM pictures WHERE id = ?", (id,)
        ).fetchone()
        return row

    def _pixels(self, id: int) -> int:
        width, height = self._size(id)
        return width * height


def _sighted(shown: Shown) -> tuple[object, ...]:
    sighting = shown.sighting
    image, why = (msgspec.json.encode(value).decode() for value in (sighting.image, sighting.why))
    return shown.picture, shown.page, sighting.score, sighting.topic, image, why
