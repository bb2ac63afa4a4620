"""Whoever packs a page, the visitor or the store, the same goes to the disk; and a packed page travels light."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from msgspec import msgpack
from msgspec.structs import replace
from warcio.archiveiterator import ArchiveIterator

from shoal.model import Link, Page, Response, Seen, Task, Timing, size_of
from shoal.settings import Learning, Pictures
from shoal.store import crawl_folder as folders
from shoal.store import page_versions as texts
from shoal.store.packed_page import pack, packed
from shoal.testing.fakes import Answer, html
from tests.stocked import WEB, Stock, article

NOTES = article("Notes", "Notes on the substation of our grid, taken by hand.", "/substation")
ODD: dict[str, Answer] = {
    "http://a.test/notes": NOTES,
    "http://a.test/copy": NOTES,
    "http://a.test/near": article("Notes", "Notes on the substation of our grid, taken by  hand.", "/substation"),
    "http://a.test/empty": html("", b""),
    "http://a.test/file": html("", b"%PDF-1.7", content_type="application/pdf"),
    "http://a.test/": article(
        "The power grid", "All.", "/notes", "/copy", "/near", "/empty", "/file", "/substation", "/转变"
    ),
}
TABLES = {
    "found": "*",
    "fates": "*",
    "pages": "*",
    "versions": "id, page, at, title, headings, text, warc_file",
    "links": "*",
    "bands": "*",
    "memos": "*",
    "topics": "*",
    "pictures": "id, url, state",
    "sightings": "*",
}


def rows(folder: Path) -> dict[str, list[Any]]:
    """All that the database knows, without places in files: they hang on how well the random numbers of records pack."""
    with folders.reading(folder) as database:
        found = {table: database.execute(f"SELECT {what} FROM {table}").fetchall() for table, what in TABLES.items()}
        place = [name for _, name, *_ in database.execute("PRAGMA table_info(pages)")].index("warc_offset")
    found["pages"] = [row[:place] + row[place + 1 :] for row in found["pages"]]
    return {table: sorted(values, key=repr) for table, values in found.items()}


def records(folder: Path) -> list[tuple[object, ...]]:
    """Every page file, without what is new in each record."""
    (path,) = folder.glob("pages-*.warc.gz")
    found: list[tuple[object, ...]] = []
    with path.open("rb") as file:
        for record in ArchiveIterator(file, no_record_parse=True):
            head = [(name, value) for name, value in record.rec_headers.headers if name != "WARC-Record-ID"]
            found.append((record.rec_type, head, record.content_stream().read()))
    return found[1:]


@pytest.mark.parametrize(
    "settings",
    [
        {"strategy": "best-first"},
        {"strategy": "learned"},
        {"learning": Learning(from_seeds=True, feedback=True, adapt_threshold=True, interval=3)},
        {"learning": Learning(adapt_threshold=True, interval=2, wanted=1)},
        {"pictures": Pictures(wanted="all")},
    ],
    ids=str,
)
def test_the_same_goes_to_the_disk_whoever_packs_it(tmp_path: Path, settings: dict[str, Any]) -> None:
    here, elsewhere = (
        Stock(tmp_path / name, WEB | ODD, elsewhere=name == "elsewhere", workers=1, **settings)
        for name in ("here", "elsewhere")
    )
    for stock in (here, elsewhere):
        stock.serve(bread=article("Bread", "Water."), secret=article("No secret", "Any more."), near=NOTES)
        stock.serve(notes=article("Notes", "Gone.", head='<meta name="robots" content="noindex">'))
        stock.look_again()
    assert rows(here.folder) == rows(elsewhere.folder)
    assert records(here.folder) == records(elsewhere.folder)
    kinds = [kind for kind, *_ in records(here.folder)]
    assert "response" in kinds
    assert "revisit" in kinds
    assert {similarity for *_, similarity in duplicates(here.folder)} >= {1.0}


def duplicates(folder: Path) -> list[tuple[Any, ...]]:
    with folders.reading(folder) as database:
        return database.execute("SELECT id, similarity FROM pages WHERE duplicate_of <> 0").fetchall()


# --- one page --------------------------------------------------------------------------------------------------------


def seen(body: bytes = b"<p>power grid</p>" * 500, **changes: Any) -> Seen:
    url = "http://a.test/"
    timing = Timing(started=1.0, answered=2.0, ended=3.0)
    links = (Link(url="http://b.test/", anchor="grids"),)
    page = Page(url=url, title="T", text="power grid " * 500, flat="t\n power grid " * 500, links=links)
    return Seen(
        task=Task(id=1, url=url),
        response=Response(url=url, status=200, headers=(("etag", "x"),), body=body, timing=timing),
        page=replace(page, **changes),
    )


def test_a_packed_page_travels_without_what_only_the_store_reads() -> None:
    whole = seen()
    light = packed(whole, Learning())
    assert isinstance(light, Seen)
    assert light.page is not None
    assert (light.response.body, light.page.text, light.page.flat, light.page.images) == (b"", "", "", ())
    assert (light.response.headers, light.page.links) == (whole.response.headers, whole.page and whole.page.links)
    assert size_of(light) == size_of(whole) == len(whole.response.body)
    assert len(msgpack.encode(light)) < len(msgpack.encode(whole)) / 5


@pytest.mark.parametrize(
    "learning", [Learning(from_seeds=True), Learning(feedback=True), Learning(adapt_threshold=True)]
)
def test_a_crawl_that_learns_gets_the_text(learning: Learning) -> None:
    whole, light = seen(), packed(seen(), learning)
    assert isinstance(light, Seen)
    assert light.page is not None
    assert whole.page is not None
    assert light.page.text == whole.page.text


def test_nothing_is_packed_twice() -> None:
    light = packed(seen(), Learning())
    assert packed(light, Learning()) is light


def test_of_a_page_that_asks_not_to_be_kept_neither_body_nor_text_leaves_the_visitor() -> None:
    light = packed(seen(noindex=True), Learning())
    assert isinstance(light, Seen)
    assert light.packed is not None
    assert (light.packed.record, light.packed.text) == (b"", b"")
    assert b"power grid" not in msgpack.encode(light)


def test_what_was_not_understood_has_only_a_body() -> None:
    ready = pack(replace(seen(b"%PDF-1.7"), page=None))
    assert ready.record
    assert (ready.size, ready.text, ready.links, ready.bands) == (8, b"", b"", ())
    assert not pack(replace(seen(b""), page=None)).record


def test_a_page_that_says_nothing_is_kept_as_one() -> None:
    assert texts.unpack(pack(seen(text="", flat="")).text) == ""
