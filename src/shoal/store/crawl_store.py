"""What have we seen? One crawl's memory: a database and WARC files in one folder.

Order of writes, so that a crash at any moment loses nothing that was said to be stored:
1. a transaction begins; each page goes to the WARC file, its row into the transaction;
2. the WARC file is synced to the disk;
3. the transaction commits, with the position up to which the WARC file counts.
Whatever a crash leaves behind that position is set aside at the next start, and the pages are fetched again.
"""

from __future__ import annotations

import contextlib
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path

import msgspec
from msgspec.structs import astuple

from shoal.database.postgres import PostgresDatabase
from shoal.database.sql import Database, Steps, Write, in_bites, question_marks, upsert
from shoal.model import Entry, Response, State, Timing
from shoal.model.stored import Changes, Duplicate, Revisited, RobotsRecord, TopicChange, Totals
from shoal.model.stored import PatternCount as Pattern
from shoal.store import commit as commits
from shoal.store import crawl_folder as folders
from shoal.store import recovery, run_control
from shoal.store.commit import Batch, PostgresCommit, SqliteCommit
from shoal.store.crawl_status import INTERNAL_ERRORS, FailedSeed, failed_seeds
from shoal.store.kept_images import ImageWriter, SqliteBacklog
from shoal.store.page_writer import PageWriter
from shoal.store.revisits import TALLY
from shoal.store.strategy_memory import StrategyMemory, add_version, latest
from shoal.store.warc import Bodies, WarcWriter, is_elsewhere, read_body
from shoal.urls import key_of

_ROWS_OF_A_PAGE = 20
"""With its text, a page takes as much of the log as so many URLs; an image with its thumbnail, too."""
_FoundRow = tuple[int, int, int, float, int, int, int, int, str, str, str, float | None]
_HOST = "INSERT INTO hosts (id, name) VALUES (?, ?)"
_FOUND = f"INSERT INTO found VALUES ({question_marks(12)})"
_FOUND_ANEW = """
    UPDATE found SET priority = ?, depth = ?, parent = ?, origin = ?, hop = ?, anchor = ?, why = ?, inherited = ?
    WHERE id = ?
"""
_CLOSE = """
    INSERT INTO fates VALUES (?, ?, ?, ?, 1, 0, '')
    ON CONFLICT (id) DO UPDATE SET state = excluded.state, reason = excluded.reason, detail = excluded.detail
"""
_FATE = upsert("fates", "id", "state", "reason", "detail", "attempt", "not_before", "target")
_ROBOTS = upsert("robots", "origin", "text", "status", "fetched_at", "expires_at")
_PATTERN = upsert("patterns", "host, pattern", "pages", "repeats", "relevant")
_TOTALS = """
    SELECT count(*), CAST(coalesce(sum(relevant), 0) AS BIGINT),
           CAST(coalesce(sum(bytes), 0) + (SELECT coalesce(sum(bytes), 0) FROM images) AS BIGINT), coalesce(max(fetch_order), 0)
    FROM pages
"""


class _TakenBack(Exception):
    """What was written was only a trial."""


class CrawlStore:
    """The only writer of a crawl's folder, and of its database."""

    def __init__(
        self, folder: Path, holder: PostgresDatabase | None = None, *, durable: bool = True, warc: Bodies | None = None
    ) -> None:
        """`holder` is the connection that has the lock of a crawl in PostgreSQL (`crawl_folder.lock`).

        Not durable: a crash of the computer may cost more than a second, but no commit waits for the disk.
        `warc` takes the bodies where they shall not go to files of this folder.
        """
        self.folder = folder
        self._durable = durable
        with folders.storage_errors(folder):
            self._committing = SqliteCommit(folder) if holder is None else PostgresCommit(folder, holder)
        self._database: Database = self._committing.database
        with contextlib.ExitStack() as opened:
            opened.callback(self._committing.close)
            with folders.storage_errors(folder):
                folders.hide_secrets(folder, self._database)
            self.settings = settings = folders.read_settings(folder, self._database)
            position = folders.read_meta(self._database, self._committing.warc_key, tuple[str, int])
            about = settings.fetching
            self._warc: Bodies = warc or WarcWriter(
                folder, position, user_agent=about.user_agent, contact=about.contact, mark=self._committing.mark
            )
            opened.pop_all()
        self.url_index, self.marks = self._committing.url_index, self._committing.marks
        self.wishes = self._committing.wishes
        self.memory = StrategyMemory(folder, settings, self._database)
        self._pages = PageWriter(self._database, self._warc)
        self._images = ImageWriter(self._database, self._warc)
        self.backlog = SqliteBacklog(self._database)
        self._lost: list[tuple[str, Exception]] = []

    # --- what the last run left --------------------------------------------------------------------------------------

    @property
    def crawl_id(self) -> str:
        """The name under which this crawl is known to others, the same over all its runs."""
        return folders.read_meta(self._database, "crawl", str) or ""

    def totals(self) -> Totals:
        """How far the crawl has come."""
        pages, relevant, size, last = self._database.execute(_TOTALS).fetchone()
        elapsed = folders.read_meta(self._database, "elapsed", float) or 0.0
        internal = folders.read_meta(self._database, INTERNAL_ERRORS, int) or 0
        return Totals(pages, relevant, size, last, elapsed, internal)

    def failed_seeds(self) -> tuple[FailedSeed, ...]:
        """The seeds that gave no page, each with the reason."""
        return failed_seeds(self._database)

    def robots(self, origin: str) -> RobotsRecord | None:
        """What the robots.txt of an origin said when it was read last."""
        row = self._committing.near.execute("SELECT * FROM robots WHERE origin = ?", (origin,)).fetchone()
        return RobotsRecord(**dict(zip(RobotsRecord.__struct_fields__, row, strict=True))) if row else None

    def patterns(self) -> Iterator[Pattern]:
        """How families of URLs have fared so far."""
        for row in self._database.stream("SELECT * FROM patterns"):
            yield Pattern(**dict(zip(Pattern.__struct_fields__, row, strict=True)))

    def seed_pages(self) -> Iterator[Response]:
        """What servers said to the first requests of all, as far as it is kept."""
        rows = self._database.execute(
            """
            SELECT url, status, content_type, warc_file, warc_offset FROM pages JOIN found USING (id)
            WHERE depth = 0 AND warc_file <> '' ORDER BY fetch_order
            """
        )
        never = Timing(started=0.0, answered=0.0, ended=0.0)
        for url, status, kind, file, offset in rows:
            if is_elsewhere(self.folder, file):  # of another machine, from which this one took over
                continue
            body = read_body(self.folder, file, offset)
            yield Response(url=url, status=status, headers=(("content-type", kind),), body=body, timing=never)

    def topic(self) -> TopicChange:
        """The topic as the last run left it."""
        return latest(self._database, self.settings.topic)

    # --- what this run adds ------------------------------------------------------------------------------------------

    async def commit(self, changes: Changes) -> list[Duplicate]:
        """Make a batch durable, all of it or nothing; answers which of its pages were known already."""
        with folders.storage_errors(self.folder):
            hosts, rewind = self._new_hosts(changes), self._marked_for_rewind()
            try:
                return await self._committing.commit(self._batch(changes, hosts, rewind))
            except Exception as error:
                if not commits.is_about_content(error):
                    raise
                rewind()
                return await self._salvage(commits.encodable(changes), hosts, rewind)

    def _batch(self, changes: Changes, hosts: list[tuple[int, str]], rewind: Callable[[], None]) -> Batch:
        found = [self._found_row(entry) for entry in changes.added]
        pages = len(changes.pages) + len(changes.looks) + len(changes.images)
        batch = Batch(
            steps=lambda: self._steps(changes, batch),
            rewind=rewind,
            urls=[(_HOST, hosts), (_FOUND, found), *self._url_writes(changes)],
            keys=[(row[1], row[0]) for row in found],
            rows=len(changes.added) + len(changes.changed) + _ROWS_OF_A_PAGE * pages,
        )
        return batch

    async def _salvage(
        self, changes: Changes, hosts: list[tuple[int, str]], rewind: Callable[[], None]
    ) -> list[Duplicate]:
        """Write a batch with which something was wrong, without what cannot be written."""
        lost = commits.LostRow()
        for page in changes.pages:
            await self._rehearse(Changes(pages=(page,)), lost.pages, page.seen.task.id, rewind)
        for fate in changes.images:
            await self._rehearse(Changes(images=(fate,)), lost.images, fate.id, rewind)
        for look in changes.looks:
            await self._rehearse(Changes(looks=(look,)), lost.looks, look.page, rewind)
        urls = {page.seen.task.id: page.seen.task.url for page in changes.pages}
        self._lost += [(urls[id], error) for id, error in lost.pages.items()]
        others = (*lost.images.values(), *lost.looks.values())
        self._lost += [("an image, or a page that was looked at again", error) for error in others]
        return await self._committing.commit(self._batch(commits.without(changes, lost), hosts, rewind))

    async def _rehearse(
        self, changes: Changes, lost: dict[int, Exception], id: int, rewind: Callable[[], None]
    ) -> None:
        """Write one thing and take it back: if it cannot be written, it is lost."""
        try:
            await self._committing.rehearse(lambda: self._rehearsal(changes))
        except _TakenBack:
            pass  # it can be
        except Exception as error:
            if not commits.is_about_content(error):
                raise
            lost[id] = error
        rewind()

    def _rehearsal(self, changes: Changes) -> Steps[None]:
        with self._database.transaction():
            yield from self._pages.write(changes.pages)
            yield from self._write_extras(changes)
            raise _TakenBack

    def take_lost(self) -> list[tuple[str, Exception]]:
        """What could not be written since the last call, each with what it raised: this is our fault."""
        lost, self._lost = self._lost, []
        return lost

    def _marked_for_rewind(self) -> Callable[[], None]:
        """What forgets all that is written to files, or kept in mind, from now on."""
        position, forget_images = self._warc.position, self._images.marked_for_rewind()

        def rewind() -> None:
            self._warc.rewind(position)
            forget_images()

        return rewind

    def _steps(self, changes: Changes, batch: Batch) -> Steps[None]:
        with self._database.transaction():
            for write in batch.urls:
                yield from in_bites(self._database, *write)
            yield from in_bites(self._database, TALLY, _tally(changes))
            batch.duplicates = yield from self._pages.write(changes.pages)
            yield from self._write_extras(changes)
            yield from self._write_memory(changes)
            if (changes.pages or changes.images or changes.looks) and self._durable:
                yield self._warc.sync
            self._write_meta(changes)

    def close(self) -> None:
        """Let go of the folder."""
        self._warc.close()
        self._committing.close()

    # --- URLs --------------------------------------------------------------------------------------------------------

    def _url_writes(self, changes: Changes) -> Iterator[Write]:
        """What happened to URLs and hosts that are known."""
        yield _FOUND_ANEW, [_found_anew(entry) for entry, _ in changes.repriced]
        # In the order of the table, so that neighbours are changed together.
        fates = sorted(map(_fate, (*filter(_has_fate, changes.added), *changes.changed)))
        self.url_index.expect_fates(id for id, *_ in fates)
        yield _FATE, fates
        for closing in changes.closed:
            self.url_index.expect_fates(closing.waiting)
            yield _CLOSE, [(id, closing.state, closing.reason, closing.detail) for id in closing.waiting]
        hosts = self.url_index.host_ids
        closed = [(closing.reason, hosts[closing.host]) for closing in changes.closed]
        yield "UPDATE hosts SET closed = ? WHERE id = ?", closed
        came = Counter(hosts[page.seen.task.host] for page in changes.pages)
        yield "UPDATE hosts SET pages = pages + ? WHERE id = ?", [(pages, id) for id, pages in came.items()]
        yield _ROBOTS, [*map(astuple, changes.robots)]

    def _new_hosts(self, changes: Changes) -> list[tuple[int, str]]:
        names = {entry.host for entry in changes.added}.union(closing.host for closing in changes.closed)
        return [(self.url_index.new_host(name), name) for name in names.difference(self.url_index.host_ids)]

    def _found_row(self, entry: Entry) -> _FoundRow:
        return (
            entry.id, entry.key or key_of(entry.url), self.url_index.host_ids[entry.host], entry.priority, entry.depth,
            entry.parent, entry.origin, entry.hop, entry.url, entry.anchor, entry.why, entry.inherited,
        )  # fmt: skip

    # --- the rest of a batch -----------------------------------------------------------------------------------------

    def _write_extras(self, changes: Changes) -> Steps[None]:
        self._images.show(changes.shown)
        for fate in changes.images:
            self._images.settle(fate)
            yield None
        for look in changes.looks:
            self._look(look)
            yield None

    def _look(self, look: Revisited) -> None:
        if look.seen is not None:
            self._pages.write_again(look.seen)
        elif look.gone:
            self._pages.note_gone(look.page, look.at, look.gone)
        else:
            self._pages.note_unchanged(look.page, look.at)
        self._database.execute("DELETE FROM due WHERE page = ?", (look.page,))

    def _write_memory(self, changes: Changes) -> Steps[None]:
        yield from in_bites(self._database, _PATTERN, [*map(astuple, changes.patterns)])
        memos = [(page.fetch_order, page.memo) for page in changes.pages if page.memo]
        yield from in_bites(self._database, "INSERT INTO memos VALUES (?, ?)", memos)
        for change in changes.topics:
            add_version(self._database, change)

    def _write_meta(self, changes: Changes) -> None:
        meta: dict[str, object] = {
            self._committing.warc_key: self._warc.position,
            "elapsed": changes.elapsed,
            INTERNAL_ERRORS: changes.internal_errors,
            "fetching": changes.fetching,
            "workers": changes.workers,
        }
        if changes.live is not None:
            meta[run_control.LIVE] = changes.live
        meta |= self._committing.note()
        rows = [(key, msgspec.json.encode(value).decode()) for key, value in meta.items()]
        self._database.executemany(folders.META, rows)


@contextlib.contextmanager
def open_store(folder: Path) -> Iterator[CrawlStore]:
    """Open a crawl's folder for writing; nobody else may while it is open."""
    with folders.lock(folder) as holder:
        run_control.forget_wish(folder, holder)
        with contextlib.closing(CrawlStore(folder, holder)) as store:
            if holder is None:
                with folders.storage_errors(folder):
                    recovery.write(folder, store.crawl_id, store.settings)
            yield store


def _tally(changes: Changes) -> list[tuple[int, str, int]]:
    """By how many URLs each state has grown, for which reason."""
    tally = [(int(state), str(reason or ""), count) for state, reason, count in changes.tally]
    for closing in changes.closed:
        count = len(closing.waiting)
        tally += [(State.WAITING, "", -count), (closing.state, closing.reason, count)]
    return tally


def _found_anew(entry: Entry) -> tuple[object, ...]:
    way = entry.priority, entry.depth, entry.parent, entry.origin, entry.hop
    return *way, entry.anchor, entry.why, entry.inherited, entry.id


def _has_fate(entry: Entry) -> bool:
    return entry.state is not State.WAITING or entry.attempt > 1 or entry.not_before > 0


def _fate(entry: Entry) -> tuple[int, int, str | None, str, int, float, str]:
    return entry.id, entry.state, entry.reason, entry.detail, entry.attempt, entry.not_before, entry.target
