"""How does a crawl get its database back? From its page files: every page is understood, judged and followed once more.

What the files do not say comes from the copy of the settings (`store/recovery.py`), or from a topic file. What failed,
moved or was forbidden is not in them, so those URLs wait again. Nothing that is there is changed; what is damaged goes aside.
"""

from __future__ import annotations

import os
import tempfile
import time
import uuid
from contextlib import closing
from itertools import accumulate
from pathlib import Path

import msgspec
from msgspec.structs import replace

from shoal.assembly import make_coordinator
from shoal.crawl.coordinator import Coordinator
from shoal.crawl.readers import open_reader
from shoal.database.sqlite import open_file
from shoal.errors import DatabaseDamaged, FolderError, InputError
from shoal.fetch.client import is_text
from shoal.files import place, set_aside, sync
from shoal.installation.sqlite_ledger import SqliteLedger
from shoal.internal_errors import place_of
from shoal.model import Response, Seen, SeenImage, Task
from shoal.protocols import Progress, Reader
from shoal.services.own_parts import without_own
from shoal.settings import Budget, Settings
from shoal.store import crawl_folder as folders
from shoal.store import recovery
from shoal.store.crawl_status import StoreAnswer
from shoal.store.crawl_store import CrawlStore
from shoal.store.recovery import LostRecord, Passed, Places, SalvagedRecord, next_file, page_files, records
from shoal.store.warc import Position, read_body
from shoal.urls import host_of

_SHOWN = 10
_PAUSE = 60.0
"""Seconds between two pages that count as crawling; after more, the crawl was resumed."""


class Repair(StoreAnswer, frozen=True, kw_only=True):
    """What came back, and what did not."""

    why: str
    """What was wrong with the database."""
    files: int
    pages: int
    images: int
    copies: int
    """Of the pages, those whose bytes another one has."""
    unreadable: int
    """Parts of files that cannot be read, and records that nothing can be made of."""
    unreadable_bytes: int
    problems: tuple[str, ...]
    """The first of them, in a sentence each."""
    aside: tuple[str, ...] = ()
    """Where the damaged database is now."""


def why_broken(folder: Path) -> str:
    """Why the folder needs a new database, as one sentence; empty when it has a sound one."""
    if folders.is_remote(folder):
        raise InputError(f"The crawl of {folder} is in a PostgreSQL database, which has its own backups.")
    if not os.path.lexists(folder / folders.DATABASE):
        return "There is no database."
    try:
        with folders.reading(folder) as database:
            folders.read_settings(folder, database)
            return next((f"The database is damaged: {line}." for line in database.damage()), "")
    except DatabaseDamaged as error:
        return str(error)


async def repair(folder: Path, why: str, said: Settings | None, progress: Progress) -> Repair:
    """Make a new database from the page files; `said` is what the user says the crawl was, else what is known of it counts."""
    if not (files := page_files(folder)):
        raise FolderError(f"There are no page files in {folder} from which a database could be made.")
    known = recovery.read(folder) or recovery.from_remains(folder)
    settings = said or (known.settings if known is not None else None)
    if settings is None:
        raise InputError(f"Nothing in {folder} says what the crawl was: name its topic file with --topic-file.")
    with (
        folders.lock(folder),
        folders.storage_errors(folder),
        tempfile.TemporaryDirectory(prefix=".shoal-", dir=folder) as half_done,
    ):
        scratch = Path(half_done)
        _begin(folder, scratch, settings)
        found = await _replayed(folder, scratch, files, why, progress)
        part = _finished(scratch / "crawl", known.crawl if known is not None else uuid.uuid4().hex)
        aside = [str(set_aside(path, "damaged")) for path in _remains(folder)]
        place(part, folder / folders.DATABASE)
        if said is not None:  # with what of it is secret
            with folders.reading(folder) as database:
                folders.write_settings(folder, database, replace(said, has_model=_has_model(folder, said)))
    return replace(found, aside=tuple(aside))


def _begin(folder: Path, scratch: Path, settings: Settings) -> None:
    """A crawl of which nothing has come yet."""
    has_model = _has_model(folder, settings)
    model = (folder / folders.MODEL).read_bytes() if has_model else b""
    folders.create(scratch / "crawl", replace(settings, has_model=has_model), model)


def _has_model(folder: Path, settings: Settings) -> bool:
    return settings.has_model and (folder / folders.MODEL).is_file()


def _remains(folder: Path) -> list[Path]:
    """What is left of the database that was here; the log of another one must not get into the new one."""
    names = [folders.DATABASE + ending for ending in ("", "-wal", "-shm", "-journal")]
    return [folder / name for name in names if os.path.lexists(folder / name)]


def _finished(home: Path, crawl: str) -> Path:
    """One file with all of it, under the name of the crawl that it is of."""
    with closing(open_file(home / folders.DATABASE)) as database:
        database.execute("UPDATE meta SET value = ? WHERE key = 'crawl'", (msgspec.json.encode(crawl).decode(),))
        database.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        database.execute("PRAGMA journal_mode = DELETE")
    sync(home / folders.DATABASE)
    return home / folders.DATABASE


# --- page by page ----------------------------------------------------------------------------------------------------


async def _replayed(folder: Path, scratch: Path, files: list[Path], why: str, progress: Progress) -> Repair:
    places = Places(next_file(folder))
    with (
        closing(SqliteLedger(scratch / "hosts.sqlite", "repair", time.time)) as ledger,
        closing(CrawlStore(scratch / "crawl", durable=False, warc=places)) as store,
    ):
        store.settings = replace(without_own(store.settings), budget=_boundless(store.settings.budget))
        *starts, total = accumulate((path.stat().st_size for path in files), initial=0)
        before = {path.name: start for path, start in zip(files, starts, strict=True)}
        async with open_reader(store.settings) as (reader, _):
            replay = _Replay(folder, store.settings, reader, make_coordinator(store, ledger), places)
            for found in records(files):
                await replay.take(found)
                file, offset = _position(found)
                progress(min(total, before[file] + offset), total)
        progress(total, total)
        with folders.reading(store.folder) as database:
            folders.write_meta(database, "elapsed", replay.elapsed)
            folders.write_meta(database, "fetching", ())
    return replay.outcome(why, len(files))


def _boundless(budget: Budget) -> Budget:
    """What was fetched was within the budget of that time."""
    return replace(budget, max_pages=None, max_bytes=None, max_time=None, until_done=None)


def _position(found: SalvagedRecord | LostRecord | Passed) -> Position:
    return (found.file, found.end) if isinstance(found, LostRecord) else found.place


class _Replay:
    """Takes in records one by one, and counts what came of them."""

    def __init__(
        self, folder: Path, settings: Settings, reader: Reader, coordinator: Coordinator, places: Places
    ) -> None:
        self._folder = folder
        self._reader = reader
        self._coordinator = coordinator
        self._places = places
        self._shows_images = settings.images.wanted != "none"
        self._bodies: dict[str, tuple[str, int]] = {}
        """Where the bytes of each digest are."""
        self._pages = self._images = self._copies = self._unreadable = self._lost_bytes = 0
        self._problems: list[str] = []
        self.elapsed, self._last = 0.0, 0.0
        """How long the crawl took, as far as the times of its pages tell, and when the last one came."""

    async def take(self, found: SalvagedRecord | LostRecord | Passed) -> None:
        """One part of a file."""
        match found:
            case LostRecord():
                self._lost_bytes += found.end - found.start
                self._complain(str(found))
            case SalvagedRecord():
                await self._take_record(found)

    async def _take_record(self, record: SalvagedRecord) -> None:
        """One record that cannot be handled costs that record."""
        try:
            why = "" if await self._take(record) else "is of no use"
        except Exception as error:
            why = f"met a bug of ours ({type(error).__name__} in {place_of(error)})"
        if why:
            self._complain(f"The record of {record.response.url} in {record.place[0]} {why}.")

    def _response(self, record: SalvagedRecord) -> Response | None:
        if not record.is_copy:
            self._bodies.setdefault(record.payload, record.place)
            return record.response
        if (original := self._bodies.get(record.payload)) is None:
            return None
        return replace(record.response, body=read_body(self._folder, *original))

    async def _take(self, record: SalvagedRecord) -> bool:
        """False when nothing can be made of it."""
        if (response := self._response(record)) is None:
            return False
        is_page = is_text(response.header("content-type"))
        if not is_page and not self._shows_images:
            return False
        self._places.current = record.place
        task = Task(id=0, url=response.url, host=host_of(response.url), kind="page" if is_page else "image")
        visit = await self._reader.read(task, response)
        if not isinstance(visit, Seen | SeenImage) or not await self._coordinator.restore(visit):
            return False
        self._pages += is_page
        self._images += not is_page
        self._copies += record.is_copy
        self.elapsed += min(_PAUSE, max(0.0, record.at - self._last)) if self._last else 0.0
        self._last = max(self._last, record.at)
        return True

    def _complain(self, sentence: str) -> None:
        self._unreadable += 1
        if len(self._problems) < _SHOWN:
            self._problems.append(sentence)

    def outcome(self, why: str, files: int) -> Repair:
        """What came of all."""
        return Repair(
            why=why,
            files=files,
            pages=self._pages,
            images=self._images,
            copies=self._copies,
            unreadable=self._unreadable,
            unreadable_bytes=self._lost_bytes,
            problems=tuple(self._problems),
        )
