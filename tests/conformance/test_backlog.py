"""Whoever keeps what a crawl wants besides new pages keeps it in order, and forgets nothing."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from pathlib import Path

import pytest

from shoal.model import (
    DecodedImage,
    Entry,
    Image,
    Response,
    Seen,
    SeenImage,
    Sighting,
    State,
    Task,
    Term,
    Timing,
    Topic,
)
from shoal.model.stored import Changes, FetchedPage, ImageFate, ImageOnPage
from shoal.protocols import Backlog
from shoal.settings import Cluster, Settings
from shoal.store import crawl_folder as folders
from shoal.store.crawl_store import CrawlStore, open_store
from shoal.store.kept_images import SqliteBacklog
from shoal.store.packed_page import pack
from shoal.urls import key_of

AT = Timing(started=1.0, answered=2.0, ended=3.0)
PAGE = "http://a.test/"


def url(number: int) -> str:
    return f"http://cdn.test/{number}.png"


def fill(folder: Path, cluster: Cluster, images: int) -> None:
    """One page that shows so many images, the second of which is here already."""
    folders.create(folder, Settings(topic=Topic(name="t", terms=(Term(text="t"),)), seeds=(PAGE,)), cluster=cluster)

    async def commit(store: CrawlStore) -> None:
        entry = Entry(id=1, url=PAGE, host="a.test", priority=1.0, state=State.DONE)
        response = Response(url=PAGE, status=200, headers=(("etag", '"1"'),), body=b"x", timing=AT)
        task = Task(id=1, url=PAGE, host="a.test")
        page = FetchedPage(seen=Seen(task=task, response=response, packed=pack(response, None)), fetch_order=1)
        sightings = [Sighting(image=Image(url=url(number)), score=0.5) for number in range(1, images + 1)]
        shown = tuple(
            ImageOnPage(image=number, key=key_of(one.image.url), url=one.image.url, page=1, sighting=one)
            for number, one in enumerate(sightings, start=1)
        )
        body = Response(url=url(2), status=200, headers=(), body=b"png", timing=AT)
        look = DecodedImage(format="png", width=100, height=80, fingerprint=b"12345678", thumbnail=b"t")
        came = SeenImage(task=Task(id=-1, url=url(2), kind="image"), response=body, image=look)
        await store.commit(Changes(added=(entry,), pages=(page,), shown=shown))
        await store.commit(Changes(images=(ImageFate(id=2, state=State.DONE, came=came),)))

    with open_store(folder) as store:
        asyncio.run(commit(store))


@pytest.fixture
def backlog(tmp_path: Path, cluster: Cluster) -> Iterator[Backlog]:
    fill(tmp_path / "c", cluster, 7)
    with folders.reading(tmp_path / "c") as database:
        yield SqliteBacklog(database)


def test_every_image_has_its_number(backlog: Backlog) -> None:
    assert backlog.image_numbers() == {key_of(url(number)): number for number in range(1, 8)}


def test_what_is_here_does_not_wait(backlog: Backlog) -> None:
    assert backlog.images_here() == 1
    assert [wanted.id for wanted in backlog.wanted(1, 100)] == [1, 3, 4, 5, 6, 7]


@pytest.mark.parametrize(("start", "limit", "ids"), [(1, 2, [1, 3]), (4, 2, [4, 5]), (7, 5, [7]), (8, 5, [])])
def test_what_waits_comes_in_order_from_any_number_on(backlog: Backlog, start: int, limit: int, ids: list[int]) -> None:
    found = backlog.wanted(start, limit)
    assert [wanted.id for wanted in found] == ids
    assert [wanted.url for wanted in found] == [url(number) for number in ids]
    assert {wanted.referrer for wanted in found} <= {PAGE}


def test_pages_to_look_at_again_come_with_what_the_server_said(tmp_path: Path, backlog: Backlog) -> None:
    assert backlog.due() == []
    with folders.reading(tmp_path / "c") as database:
        database.execute("INSERT INTO due VALUES (1)")
    (due,) = backlog.due()
    assert (due.id, due.url, due.etag, due.last_modified) == (1, PAGE, '"1"', "")
