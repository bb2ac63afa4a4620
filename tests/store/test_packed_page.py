"""Wherever a page is packed, the same goes to the disk; and a packed page travels light."""

from __future__ import annotations

import struct
import zlib
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as some
from msgspec import msgpack
from msgspec.structs import replace
from warcio.archiveiterator import ArchiveIterator

from shoal.crawl.page_reader import PageReader
from shoal.model import Link, Page, PageSummary, Response, ResponseHead, Seen, Task, Timing, Verdict, size_of
from shoal.settings import ImageSettings, Learning
from shoal.store import crawl_folder as folders
from shoal.store import packed_page
from shoal.store.packed_page import damage, pack, pack_text, text_is_whole, unpack_both, unpack_text
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
    "images": "id, url, state",
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


@pytest.mark.slow
@pytest.mark.parametrize(
    "settings",
    [
        {"strategy": "best-first"},
        {"strategy": "learned"},
        {"learning": Learning(from_seeds=True, adapt_topic=True, adapt_threshold=True, interval=3)},
        {"learning": Learning(adapt_threshold=True, interval=2, wanted=1)},
        {"images": ImageSettings(wanted="all")},
    ],
    ids=str,
)
def test_the_same_goes_to_the_disk_wherever_it_is_packed(tmp_path: Path, settings: dict[str, Any]) -> None:
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

URL = "http://a.test/"
TEXT = "power grid " * 500


def response(body: bytes = b"<p>power grid</p>" * 500) -> Response:
    timing = Timing(started=1.0, answered=2.0, ended=3.0)
    return Response(url=URL, status=200, headers=(("etag", "x"),), body=body, timing=timing)


def page(**changes: Any) -> Page:
    links = (Link(url="http://b.test/", anchor="grids"),)
    return replace(Page(url=URL, title="T", text=TEXT, flat="t\n" + TEXT, links=links), **changes)


class _OnePage:
    """A parser and a judge to whom all pages are one."""

    def __init__(self, page: Page | None) -> None:
        self._page = page

    def parse(self, response: Response) -> Page | None:
        return self._page

    def judge(self, page: Page) -> Verdict:
        return Verdict(score=1.0, threshold=0.5)

    def judge_links(self, links: Sequence[Link]) -> tuple[float, ...]:
        return (0.5,) * len(links)


def read(page: Page | None, *, learns: bool = False) -> Seen:
    reader = PageReader(_OnePage(page), _OnePage(page), pack, learns=learns)
    seen = reader.read(Task(id=1, url=URL), response())
    assert isinstance(seen, Seen)
    return seen


def test_a_page_travels_without_what_only_the_store_reads() -> None:
    light = read(page())
    assert type(light.response) is ResponseHead
    assert type(light.page) is PageSummary
    assert (light.response.headers, light.page.links, light.text) == (response().headers, page().links, "")
    assert size_of(light) == len(response().body)
    assert len(msgpack.encode(light)) < len(response().body) / 5
    assert msgpack.decode(msgpack.encode(light), type=Seen) == light


@pytest.mark.parametrize(
    "learning", [Learning(from_seeds=True), Learning(adapt_topic=True), Learning(adapt_threshold=True)]
)
def test_a_crawl_that_learns_gets_the_text(learning: Learning) -> None:
    assert read(page(), learns=learning.reads_pages).text == TEXT
    assert not Learning().reads_pages


def test_of_a_page_that_asks_not_to_be_kept_neither_body_nor_text_leaves_the_visitor() -> None:
    light = read(page(noindex=True))
    assert (light.packed.record, light.packed.text) == (b"", b"")
    assert b"power grid" not in msgpack.encode(light)
    assert damage(light) == ""


def test_what_was_not_understood_has_only_a_body() -> None:
    ready = pack(response(b"%PDF-1.7"), None)
    assert ready.record
    assert (ready.size, ready.text, ready.links, ready.bands) == (8, b"", b"", ())
    assert not pack(response(b""), None).record


def test_a_page_that_says_nothing_is_kept_as_one() -> None:
    assert unpack_text(pack(response(), page(text="", flat="")).text) == ""


def test_a_page_whose_text_was_left_out_is_damaged() -> None:
    whole = read(page())
    assert damage(whole) == ""
    assert damage(replace(whole, packed=replace(whole.packed, text=b""))) == "The packed text of a page is missing."


@given(some.text())
def test_any_text_comes_back(text: str) -> None:
    assert unpack_text(pack_text(text)) == text.encode("utf-8", "replace").decode()


def test_the_flat_form_counts_only_as_long_as_the_analyser_is_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    packed = pack_text("电网 Grids", "电网 grid ")
    assert unpack_both(packed) == ("电网 Grids", "电网 grid ")
    monkeypatch.setattr(packed_page, "stamp", lambda: 1)
    assert unpack_both(packed) == ("电网 Grids", "")


def test_a_text_that_is_shorter_than_it_says_is_damaged() -> None:
    assert text_is_whole(pack_text("grid"))
    assert not text_is_whole(zlib.compress(struct.pack("<II", 0, 5) + b"grid"))
    assert not text_is_whole(pack_text("grid")[:-1])
