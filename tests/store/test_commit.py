"""A batch in which something cannot be written costs that thing; all else in it is stored."""

from __future__ import annotations

from pathlib import Path

import pytest
from msgspec.structs import replace

from shoal.errors import StorageFull
from shoal.model import DecodedImage, Reason, Response, SeenImage, State
from shoal.model.stored import Changes, FetchedPage, ImageFate, Revisited, RobotsRecord
from shoal.settings import Cluster
from shoal.store import crawl_folder as folders
from shoal.store.crawl_store import open_store
from shoal.store.page_writer import PageWriter
from tests.running import ask, assert_consistent
from tests.store.pages import SETTINGS, batch, page


@pytest.fixture
def folder(tmp_path: Path, cluster: Cluster) -> Path:
    folders.create(tmp_path / "crawl", SETTINGS, cluster=cluster)
    return tmp_path / "crawl"


def titled(id: int, title: str) -> FetchedPage:
    stored = page(id, b"body %d" % id)
    assert stored.seen.page is not None
    return replace(stored, seen=replace(stored.seen, page=replace(stored.seen.page, title=title)))


def scored(id: int, score: object) -> FetchedPage:
    stored = page(id, b"body %d" % id)
    assert stored.seen.verdict is not None
    return replace(stored, seen=replace(stored.seen, verdict=replace(stored.seen.verdict, score=score, why=({1},))))


def states(folder: Path) -> dict[int, tuple[int, str | None]]:
    return {id: (state, reason) for id, state, reason in ask(folder, "SELECT id, state, reason FROM urls")}


async def test_a_text_that_no_database_can_hold_is_made_one_that_it_can(folder: Path) -> None:
    robots = RobotsRecord(origin="http://a.test", text="\udce1\x00x", status=200, fetched_at=1.0, expires_at=2.0)
    with open_store(folder) as store:
        changes = batch(page(1, b"one"), titled(2, "P\udce1gina"), page(3, b"three"))
        await store.commit(replace(changes, robots=(robots,)))
        assert store.take_lost() == []
        assert store.totals().pages == 3
    assert ("P?gina",) in ask(folder, "SELECT title FROM pages")
    assert_consistent(folder)


@pytest.mark.parametrize("bad", [scored(2, "much"), replace(page(2, b"two"), fetch_order=2**70)], ids=["type", "huge"])
async def test_a_page_that_cannot_be_written_fails_and_the_others_are_stored(folder: Path, bad: FetchedPage) -> None:
    with open_store(folder) as store:
        await store.commit(batch(page(1, b"one"), bad, page(3, b"three")))
        ((url, error),) = store.take_lost()
        assert (url, store.take_lost()) == ("http://a.test/2", [])
        assert isinstance(error, Exception)
        await store.commit(batch(page(4, b"four")))
        assert store.totals().pages == 3
    assert states(folder) == {
        1: (State.DONE, None),
        2: (State.FAILED, Reason.INTERNAL),
        3: (State.DONE, None),
        4: (State.DONE, None),
    }
    assert_consistent(folder, lost=1)
    with open_store(folder) as store:
        assert (store.totals().pages, store.totals().last_order) == (3, 4)


async def test_images_and_pages_looked_at_again_can_be_lost_too(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with open_store(folder) as store:
        await store.commit(batch(page(1, b"one"), page(2, b"two")))

        def stumble(self: PageWriter, seen: object) -> bool:
            raise KeyError("again")

        monkeypatch.setattr(PageWriter, "write_again", stumble)
        nothing = DecodedImage(format="png", width=2**70, height=1, fingerprint=b"12345678", thumbnail=b"")
        task, timing = page(3, b"").seen.task, page(3, b"").seen.response.timing
        response = Response(url=task.url, status=200, headers=(), body=b"\x89PNG", timing=timing)
        came = SeenImage(task=task, response=response, image=nothing)
        changes = Changes(
            looks=(Revisited(page=1, at=5000.0, seen=page(1, b"new").seen), Revisited(page=2, at=5000.0)),
            images=(ImageFate(id=1, state=State.DONE, came=came),),
        )
        await store.commit(changes)
        assert len(store.take_lost()) == 2
    rows = ask(folder, "SELECT id, checked_at, gone <> '' FROM pages ORDER BY id")
    assert rows == [(1, 5000.0, True), (2, 5000.0, False)]
    assert_consistent(folder)


async def test_a_full_disk_is_nobodys_fault_but_the_disks(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(self: PageWriter, *said: object) -> None:
        raise StorageFull("The disk is full.")

    monkeypatch.setattr(PageWriter, "_take", full)
    with open_store(folder) as store:
        with pytest.raises(StorageFull):
            await store.commit(batch(page(1, b"one")))
        assert store.take_lost() == []
