"""What is known of the links of a page when it comes."""

from __future__ import annotations

import numpy as np
import pytest

from shoal.strategy.link_model.hashing import MOST_TOKENS, NO_TOKEN, anchor_tokens, url_tokens
from shoal.strategy.link_model.link_rows import (
    NEXT_PAGE,
    PLACES,
    SAME_FOLDER,
    SAME_SITE,
    TWIN,
    Rows,
    hints_beside,
    page_place,
    row_type,
)
from shoal.urls import key_of
from tests.strategy.link_model.pages import HOME, found, rows, source


def place(row: Rows, name: str) -> int:
    return int(row["places"][PLACES.index(name)])


def test_a_row_for_each_link_in_order() -> None:
    made = rows([found("a"), found("b"), found("http://y.example/")])
    assert made["key"].tolist() == [key_of(HOME + "a"), key_of(HOME + "b"), key_of("http://y.example/")]
    assert made.dtype == row_type(0)
    assert len(rows([])) == 0


def test_tokens_fill_up_with_nothing() -> None:
    [row] = rows([found("网/a.html", "电网")])
    tokens = anchor_tokens("电网")
    assert len(tokens) == 3
    assert row["anchor"].tolist() == [*tokens, *[NO_TOKEN] * (MOST_TOKENS - 3)]
    words = url_tokens(HOME + "网/a.html").words
    assert row["address"].tolist() == [*words, *[NO_TOKEN] * (MOST_TOKENS - len(words))]


def test_places_of_a_link() -> None:
    page = source("http://x.example/news/")
    links = [
        found("a/1", path="ul/li/a"),
        found("a/2", path="ul/li/a"),
        found("http://y.example/a/1", path="p/a"),
    ]
    one, two, elsewhere = rows(links, page)
    address = url_tokens(HOME + "a/1")
    assert one["places"][:4].tolist() == [address.host, address.section, address.folder, address.shape]
    assert place(one, "page") == place(two, "page") == place(elsewhere, "page") == page_place(page.key)
    assert place(one, "list") == place(two, "list") != place(elsewhere, "list")
    assert place(one, "host") != place(elsewhere, "host")


def test_the_frame_of_a_site_is_the_same_on_all_its_pages() -> None:
    menu = found("menu", path="nav/ul/li/a")
    [here], [there] = (rows([menu], source(f"http://x.example/{name}")) for name in "ab")
    assert place(here, "frame") == place(there, "frame")
    assert place(here, "list") != place(there, "list")
    [abroad] = rows([menu], source("http://y.example/a"))
    assert place(abroad, "frame") != place(here, "frame")


@pytest.mark.parametrize(
    ("url", "anchor", "flags"),
    [
        ("http://x.example/list/2.html", "2", SAME_SITE | NEXT_PAGE | SAME_FOLDER | TWIN),
        ("http://x.example/list/2.html", "第2页", SAME_SITE | NEXT_PAGE | SAME_FOLDER | TWIN),
        ("http://x.example/list/2.html", "two", SAME_SITE | SAME_FOLDER | TWIN),
        ("http://x.example/list/ann.html", "Ann", SAME_SITE | SAME_FOLDER),
        ("http://x.example/ann.html", "Ann", SAME_SITE),
        ("http://y.example/list/1.html", "next", NEXT_PAGE),
        ("http://y.example/list/1.html", "Ann", 0),
    ],
)
def test_flags(url: str, anchor: str, flags: int) -> None:
    [row] = rows([found(url, anchor)], source("http://x.example/list/1.html"))
    assert row["flags"] == flags


def test_how_much_the_links_of_a_list_promise() -> None:
    links = [found("a", named=0.25, path="ul"), found("b", named=0.75, path="ul"), found("c", named=1.0, path="p")]
    assert hints_beside(links) == {"ul": 0.5, "p": 1.0}
    assert rows(links)["beside"].tolist() == [0.5, 0.5, 1.0]


@pytest.mark.parametrize(("position", "links", "expected"), [(0, 10, 0.0), (5, 10, 0.5), (99, 10, 1.0), (3, 0, 1.0)])
def test_position(position: int, links: int, expected: float) -> None:
    [row] = rows([found("a", position=position)], source(links=links))
    assert row["position"] == expected


def test_very_deep_pages_are_no_deeper_than_deep() -> None:
    assert rows([found("a")], source(depth=0))["depth"].tolist() == [1]
    assert rows([found("a")], source(depth=100_000))["depth"].tolist() == [255]


def test_what_a_page_leads_to_is_not_known_yet() -> None:
    assert rows([found("a")], source(score=1.0))["leads"].tolist() == [0.0]


def test_the_same_links_give_the_same_rows() -> None:
    links = [found("a", "电网", 0.5, "ul"), found("http://y.example/%E7%94%B5", "\ud800 grid", 0.25)]
    assert np.array_equal(rows(links), rows(links))


def test_a_link_has_the_words_of_its_own_anchor() -> None:
    one, other = rows([found("a", "grid"), found("b", "电网")])
    assert set(one["anchor"]) & set(other["anchor"]) == {NO_TOKEN}
