"""Every version of a page that differs in what it says is kept, and no other."""

from __future__ import annotations

import pytest

from shoal.model import PageSummary
from shoal.store import page_versions
from shoal.store.packed_page import pack_text
from tests.store.conftest import HandMade

URL = "http://a.test/"


def say(crawl: HandMade, text: str, *, title: str = "T", at: float = 1.0, noindex: bool = False) -> bool:
    """A visit, as the store takes it in."""
    page, packed = PageSummary(url=URL, title=title, noindex=noindex), b"" if noindex else pack_text(text)
    if news := page_versions.is_news(crawl.connection, 1, page, packed):
        page_versions.add(crawl.connection, 1, at, page, packed, ("pages-00001.warc.gz", int(at)))
    return news


def said(crawl: HandMade) -> list[tuple[int, str, str]]:
    return [(version.number, version.title, version.text) for version in page_versions.versions(crawl.connection, 1)]


def test_a_page_that_changes_and_changes_back_has_three_versions(crawl: HandMade) -> None:
    assert [say(crawl, text, at=at) for at, text in enumerate(["电网一", "电网二", "电网二", "电网一"], start=1)] == [
        True,
        True,
        False,
        True,
    ]
    assert said(crawl) == [(1, "T", "电网一"), (2, "T", "电网二"), (3, "T", "电网一")]
    assert page_versions.latest_text(crawl.connection, 1) == "电网一"
    assert [version.warc_offset for version in page_versions.versions(crawl.connection, 1)] == [1, 2, 4]


def test_another_title_is_another_version(crawl: HandMade) -> None:
    assert say(crawl, "same", title="old")
    assert say(crawl, "same", title="new")


def test_a_page_that_asks_not_to_be_kept_is_forgotten_and_the_index_is_told(crawl: HandMade) -> None:
    say(crawl, "one")
    say(crawl, "two")
    assert say(crawl, "secret", noindex=True, at=3.0)
    assert said(crawl) == []
    assert page_versions.latest_text(crawl.connection, 1) is None
    assert crawl.connection.execute("SELECT page, text FROM versions").fetchall() == [(1, None)]
    assert not say(crawl, "secret again", noindex=True), "it is forgotten already"
    assert say(crawl, "back", at=5.0), "it may be kept again"
    assert said(crawl) == [(1, "T", "back")]


def test_a_page_that_asks_not_to_be_kept_is_forgotten_though_it_says_the_same(crawl: HandMade) -> None:
    say(crawl, "one")
    assert say(crawl, "one", noindex=True)
    assert said(crawl) == []


def test_a_page_that_never_wanted_to_be_kept_leaves_no_trace(crawl: HandMade) -> None:
    assert not say(crawl, "secret", noindex=True)
    assert crawl.connection.execute("SELECT count(*) FROM versions").fetchone() == (0,)


@pytest.mark.parametrize("page", [1, 7])
def test_of_a_page_that_is_not_there_nothing_is_known(crawl: HandMade, page: int) -> None:
    assert page_versions.versions(crawl.connection, page) == []
    assert page_versions.latest_text(crawl.connection, page) is None
