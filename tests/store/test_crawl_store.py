"""One crawl's memory: what was committed stays, whatever happens; copies are found and stored once."""

from __future__ import annotations

import asyncio
import os
import signal
import sqlite3
import subprocess
import sys
from pathlib import Path

import asyncpg
import pytest
from msgspec.structs import replace
from warcio.archiveiterator import ArchiveIterator

from shoal.errors import StorageFull
from shoal.model import Entry, Evidence, Page, Response, Seen, State, Task, Term, Timing, Topic, Verdict
from shoal.remembered import Changes, Duplicate, PatternCount, RobotsRecord, StoredPage, Totals
from shoal.settings import Cluster, Settings
from shoal.store import crawl_folder as folders
from shoal.store.crawl_status import FailedSeed
from shoal.store.crawl_store import CrawlStore, open_store
from shoal.store.warc import read_body
from shoal.text import fingerprint, flattened
from shoal.urls import key_of

SETTINGS = Settings(topic=Topic(name="t", terms=(Term(text="t"),)), seeds=("http://a.test/",))
TEXT = " ".join(f"word{number} of the power grid" for number in range(200))


@pytest.fixture
def folder(tmp_path: Path, cluster: Cluster) -> Path:
    folders.create(tmp_path / "crawl", SETTINGS, cluster=cluster)
    return tmp_path / "crawl"


def entry(id: int, state: State = State.WAITING) -> Entry:
    return Entry(id=id, url=f"http://a.test/{id}", host="a.test", priority=0.5, state=state)


def page(id: int, body: bytes, *, text: str = "", noindex: bool = False, relevant: bool = True) -> StoredPage:
    url = f"http://a.test/{id}"
    timing = Timing(started=1000.0 + id, answered=1000.5 + id, ended=1001.0 + id, address="192.0.2.1")
    headers = (("content-type", "text/html; charset=utf-8"),)
    seen = Seen(
        task=Task(id=id, url=url, host="a.test"),
        response=Response(url=url, status=200, headers=headers, body=body, timing=timing),
        page=Page(
            url=url, title=f"Page {id} 电网", noindex=noindex, fingerprint=fingerprint(flattened(text)) if text else b""
        ),
        verdict=Verdict(score=0.8 if relevant else 0.1, threshold=0.5, why=(Evidence(what="grid", amount=0.8),)),
    )
    return StoredPage(seen=seen, fetch_order=id)


def batch(*pages: StoredPage) -> Changes:
    """The URLs of some pages are found and fetched at once."""
    added = tuple(entry(page.seen.task.id, State.DONE) for page in pages)
    return Changes(added=added, pages=pages, tally=((State.DONE, None, len(pages)),))


def rows(folder: Path, query: str) -> list[tuple[object, ...]]:
    database = folders.connect(folder)
    try:
        return database.execute(query).fetchall()
    finally:
        database.close()


def warc_file(folder: Path) -> Path:
    (file,) = folder.glob("pages-*00001.warc.gz")
    return file


def warc_types(folder: Path) -> list[str]:
    with warc_file(folder).open("rb") as file:
        return [record.rec_type for record in ArchiveIterator(file)]


# --- what was committed comes back -----------------------------------------------------------------------------------


async def test_a_batch_is_there_in_the_next_run(folder: Path) -> None:
    robots = RobotsRecord(origin="http://a.test", text="User-agent: *", status=200, fetched_at=1.0, expires_at=2.0)
    pattern = PatternCount(host="a.test", pattern="/#", pages=3, repeats=1, relevant=2)
    with open_store(folder) as store:
        assert (store.totals(), list(store.patterns()), store.robots("http://a.test")) == (Totals(), [], None)
        first_id = store.crawl_id
        changes = batch(page(1, b"one"), page(2, b"three", relevant=False))
        await store.commit(replace(changes, robots=(robots,), patterns=(pattern,), elapsed=12.5))
    with open_store(folder) as store:
        assert store.totals() == Totals(pages=2, relevant=1, bytes=8, last_order=2, elapsed=12.5)
        assert (store.robots("http://a.test"), list(store.patterns())) == (robots, [pattern])
        assert (store.crawl_id, store.settings) == (first_id, SETTINGS)
        assert [host.pages for host in store.shelf.hosts()] == [2]


async def test_a_page_keeps_its_body_its_score_and_its_words(folder: Path) -> None:
    with open_store(folder) as store:
        await store.commit(batch(page(1, "电网".encode())))
    ((title, score, relevant, why, file, offset),) = rows(
        folder, "SELECT title, score, relevant, why, warc_file, warc_offset FROM pages"
    )
    assert (title, score, relevant, why) == ("Page 1 电网", 0.8, 1, '[{"what":"grid","amount":0.8}]')
    assert read_body(folder, str(file), int(str(offset))) == "电网".encode()


async def test_what_is_under_way_is_kept_for_those_who_ask(folder: Path) -> None:
    with open_store(folder) as store:
        await store.commit(Changes(added=(entry(1), entry(2)), fetching=("http://a.test/1",)))
    assert rows(folder, "SELECT value FROM meta WHERE key = 'fetching'") == [('["http://a.test/1"]',)]


async def test_a_large_batch_leaves_room_for_others_while_it_is_written(folder: Path) -> None:
    turns = 0

    async def others() -> None:
        nonlocal turns
        while True:
            turns += 1
            await asyncio.sleep(0)

    with open_store(folder) as store:
        busy = asyncio.create_task(others())
        await store.commit(Changes(added=tuple(entry(id) for id in range(1, 5001))))
        busy.cancel()
    assert turns >= 20
    assert rows(folder, "SELECT count(*) FROM found") == [(5000,)]


async def test_seeds_that_failed_say_why(folder: Path) -> None:
    failed = replace(entry(1, State.FAILED), detail="No such name.")
    with open_store(folder) as store:
        await store.commit(Changes(added=(failed, entry(2), replace(entry(3, State.FAILED), parent=2))))
        assert store.failed_seeds() == (FailedSeed(url="http://a.test/1", why="No such name"),)


# --- copies ----------------------------------------------------------------------------------------------------------


async def test_an_exact_copy_is_linked_and_stored_as_a_revisit(folder: Path) -> None:
    with open_store(folder) as store:
        assert await store.commit(batch(page(1, b"same"), page(2, b"other"))) == []
        assert await store.commit(batch(page(3, b"same"), page(4, b"same"))) == [
            Duplicate(page=3, of=1, similarity=1.0),
            Duplicate(page=4, of=1, similarity=1.0),
        ]
    assert rows(folder, "SELECT id, duplicate_of FROM pages ORDER BY id") == [(1, 0), (2, 0), (3, 1), (4, 1)]
    assert warc_types(folder) == ["warcinfo", "response", "response", "revisit", "revisit"]


async def test_a_near_copy_is_linked_and_stored_whole(folder: Path) -> None:
    with open_store(folder) as store:
        await store.commit(
            batch(page(1, b"first", text=TEXT), page(2, b"second", text="something else entirely " * 40))
        )
        (twin,) = await store.commit(batch(page(3, b"third", text=TEXT + " and one more sentence")))
    assert (twin.page, twin.of) == (3, 1)
    assert 0.75 <= twin.similarity < 1
    assert warc_types(folder) == ["warcinfo", "response", "response", "response"]


async def test_equal_texts_in_different_bytes_are_no_exact_copy(folder: Path) -> None:
    with open_store(folder) as store:
        (twin,) = await store.commit(batch(page(1, b"one frame", text=TEXT), page(2, b"another frame", text=TEXT)))
    assert 0.99 < twin.similarity < 1
    assert warc_types(folder) == ["warcinfo", "response", "response"]


async def test_a_page_that_asks_not_to_be_kept_has_no_body(folder: Path) -> None:
    with open_store(folder) as store:
        await store.commit(batch(page(1, b"secret", noindex=True)))
    assert rows(folder, "SELECT warc_file, noindex FROM pages") == [("", 1)]
    assert warc_types(folder) == ["warcinfo"]


async def test_a_copy_of_a_page_without_a_body_is_stored_whole(folder: Path) -> None:
    with open_store(folder) as store:
        await store.commit(batch(page(1, b"same", noindex=True)))
        assert await store.commit(batch(page(2, b"same"))) == [Duplicate(page=2, of=1, similarity=1.0)]
    assert warc_types(folder) == ["warcinfo", "response"]


# --- when things go wrong --------------------------------------------------------------------------------------------


def state_of_disk(folder: Path) -> tuple[list[tuple[object, ...]], list[str]]:
    with open_store(folder):
        pass
    return rows(folder, "SELECT id, state FROM urls JOIN pages USING (id) ORDER BY id"), warc_types(folder)


@pytest.mark.parametrize("cluster", [Cluster()], ids=["sqlite"])
async def test_a_full_disk_below_the_database_loses_nothing_that_was_committed(folder: Path) -> None:
    with open_store(folder) as store:
        await store.commit(batch(page(1, b"kept")))
        pages = store._database.execute("PRAGMA page_count").fetchone()[0]
        store._database.execute(f"PRAGMA max_page_count = {pages}")
        with pytest.raises(StorageFull, match=r"disk is full.*shoal resume"):
            await store.commit(batch(*(page(id, bytes([id]) * 500, text=TEXT) for id in range(2, 60))))
    assert state_of_disk(folder) == ([(1, State.DONE)], ["warcinfo", "response"])


async def test_a_full_disk_below_the_page_file_loses_nothing_that_was_committed(folder: Path) -> None:
    with open_store(folder) as store:
        await store.commit(batch(page(1, b"kept")))
        with _full_from_now_on("00001.warc.gz"), pytest.raises(StorageFull):
            await store.commit(batch(page(2, b"no room for this")))
    assert state_of_disk(folder) == ([(1, State.DONE)], ["warcinfo", "response"])
    with open_store(folder) as store:
        await store.commit(batch(page(2, b"room again")))
    assert state_of_disk(folder) == ([(1, State.DONE), (2, State.DONE)], ["warcinfo", "response", "response"])


class _full_from_now_on:
    """What this process writes to an open file goes to a device that is always full."""

    def __init__(self, name: str) -> None:
        links = {
            int(number): os.readlink(f"/proc/self/fd/{number}")
            for number in os.listdir("/proc/self/fd")
            if _is_open(number)
        }
        (self.handle,) = [number for number, target in links.items() if target.endswith(name)]

    def __enter__(self) -> None:
        self.before = os.dup(self.handle)
        full = os.open("/dev/full", os.O_WRONLY)
        os.dup2(full, self.handle)
        os.close(full)

    def __exit__(self, *error: object) -> None:
        os.dup2(self.before, self.handle)
        os.close(self.before)


def _is_open(number: str) -> bool:
    return os.path.lexists(f"/proc/self/fd/{number}")


async def test_a_batch_that_cannot_be_written_leaves_no_part_of_itself(folder: Path) -> None:
    with open_store(folder) as store:
        await store.commit(Changes(added=(entry(1),), tally=((State.WAITING, None, 1),)))
        with pytest.raises(
            (sqlite3.IntegrityError, asyncpg.UniqueViolationError)
        ):  # a bug, not a trouble of the user's
            await store.commit(Changes(added=(entry(2), entry(1)), tally=((State.WAITING, None, 2),)))
    assert rows(folder, "SELECT id FROM urls") == [(1,)]
    assert rows(folder, "SELECT state, urls FROM tally") == [(0, 1)]


KILLED = """
import asyncio, os, signal, sys
from pathlib import Path
from shoal.store.crawl_store import open_store
from tests.store.test_crawl_store import batch, page
with open_store(Path(sys.argv[1])) as store:
    asyncio.run(store.commit(batch(page(1, b"kept"))))
    store._warc.sync = lambda: os.kill(os.getpid(), signal.SIGKILL)
    asyncio.run(store.commit(batch(page(2, b"lost"))))
"""


def test_a_process_killed_within_a_commit_leaves_the_last_whole_one(folder: Path) -> None:
    done = subprocess.run([sys.executable, "-c", KILLED, str(folder)], check=False, cwd=Path(__file__).parents[2])
    assert done.returncode == -signal.SIGKILL
    with warc_file(folder).open("rb") as file:
        assert len(list(ArchiveIterator(file))) == 3, "the body was written"
    assert state_of_disk(folder) == ([(1, State.DONE)], ["warcinfo", "response"])


async def test_the_indexes_of_a_long_run_and_of_a_new_one_agree(folder: Path) -> None:
    with open_store(folder) as store:
        await store.commit(Changes(added=tuple(entry(id) for id in range(1, 50))))
        await store.commit(Changes(changed=tuple(entry(id, State.DONE) for id in range(1, 50, 3))))
        before = _shown(store)
    with open_store(folder) as store:
        assert _shown(store) == before


def _shown(store: CrawlStore) -> tuple[object, ...]:
    shelf = store.shelf
    return list(shelf.hosts()), list(shelf.waiting()), [shelf.find(key_of(entry(id).url)) for id in range(60)]


async def test_others_can_read_while_a_crawl_writes(folder: Path) -> None:
    with open_store(folder) as store, folders.reading(folder) as reader, reader.snapshot():
        assert reader.execute("SELECT COUNT(*) FROM urls").fetchone() == (0,)
        await store.commit(batch(page(1, b"one")))
        assert reader.execute("SELECT COUNT(*) FROM urls").fetchone() == (0,), "it sees one moment"
    assert rows(folder, "SELECT COUNT(*) FROM urls") == [(1,)]
