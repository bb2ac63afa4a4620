"""What is committed in the tests of the store: pages, URLs, and batches of them; and what is then on the disk."""

from __future__ import annotations

from pathlib import Path

from warcio.archiveiterator import ArchiveIterator

from shoal.model import Entry, Evidence, Page, Response, Seen, State, Task, Term, Timing, Topic, Verdict
from shoal.model.stored import Changes, FetchedPage
from shoal.settings import Settings
from shoal.store import crawl_folder as folders
from shoal.store.packed_page import pack
from shoal.text import fingerprint, flattened

SETTINGS = Settings(topic=Topic(name="t", terms=(Term(text="t"),)), seeds=("http://a.test/",))
TEXT = " ".join(f"word{number} of the power grid" for number in range(200))


def entry(id: int, state: State = State.WAITING) -> Entry:
    return Entry(id=id, url=f"http://a.test/{id}", host="a.test", priority=0.5, state=state)


def page(id: int, body: bytes, *, text: str = "", noindex: bool = False, relevant: bool = True) -> FetchedPage:
    url = f"http://a.test/{id}"
    timing = Timing(started=1000.0 + id, answered=1000.5 + id, ended=1001.0 + id, address="192.0.2.1")
    headers = (("content-type", "text/html; charset=utf-8"),)
    response = Response(url=url, status=200, headers=headers, body=body, timing=timing)
    likeness = fingerprint(flattened(text)) if text else b""
    page = Page(url=url, title=f"Page {id} 电网", noindex=noindex, fingerprint=likeness)
    seen = Seen(
        task=Task(id=id, url=url, host="a.test"),
        response=response,
        packed=pack(response, page),
        page=page,
        verdict=Verdict(score=0.8 if relevant else 0.1, threshold=0.5, why=(Evidence(what="grid", amount=0.8),)),
    )
    return FetchedPage(seen=seen, fetch_order=id)


def batch(*pages: FetchedPage) -> Changes:
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
