"""By which signs a link is known, with numbers worked by hand."""

from __future__ import annotations

from math import log

import numpy as np
import pytest

from shoal.strategy.link_model.features import (
    FEW,
    FEW_OF_A_SITE,
    FEW_WORDS,
    SIGNS,
    Reader,
    Signs,
    first_leads,
    first_worth,
)
from shoal.strategy.link_model.tally import Tally
from shoal.strategy.link_model.waiting_links import PLACES, Rows
from tests.strategy.link_model.pages import found, rows, sign, source


def read(row: Rows, tally: Tally | None = None, ways: float = 1.0) -> Signs:
    return Reader(tally or Tally(), means=False).signs(row, np.full(len(row), ways, dtype=np.float32))


def came(tally: Tally, row: Rows, place: str, *worth: float, leads: float = 0.0) -> None:
    """Pages came from a place of this link."""
    for each in worth:
        tally.add(row["places"][:, PLACES.index(place)], each, leads)


def test_there_is_a_number_for_every_sign_of_every_link() -> None:
    signs = read(rows([found("a"), found("b"), found("c")]))
    assert signs.shape == (3, len(SIGNS)) == (3, len(first_worth()))
    assert len(first_leads()) == len(SIGNS)
    assert len({one.name for one in SIGNS}) == len(SIGNS)
    assert read(rows([])).shape == (0, len(SIGNS))


def test_what_a_row_says() -> None:
    page = source("http://x.example/list/", depth=3, score=0.5, above=0.75, links=19)
    links = [found("list/1", "grid", 0.25, position=5), found("other/1", "x" * 90, 0.75)]
    signs = read(rows(links, page), ways=5.0)
    assert sign(signs, "always") == 1.0
    assert sign(signs, "named") == 0.25
    assert sign(signs, "around") == 0.25
    assert sign(signs, "named anywhere") == 0.25
    assert sign(signs, "beside") == 0.5, "the mean of both: they stand in one list"
    assert sign(signs, "score") == 0.5
    assert sign(signs, "above") == 0.75
    assert sign(signs, "near a seed") == 0.25, "a link of a page three links away is four away"
    assert sign(signs, "depth") == pytest.approx(0.4)
    assert sign(signs, "ways") == pytest.approx(log(6) / 3)
    assert sign(signs, "position") == pytest.approx(5 / 19)
    assert sign(signs, "crowd") == pytest.approx(log(20) / 6)
    assert sign(signs, "length") == pytest.approx(4 / 60)
    assert sign(signs, "length", 1) == 1.0, "very long is no more than long"
    assert [sign(signs, "same folder", line) for line in (0, 1)] == [0.5, 0.0]
    assert [sign(signs, "same site", line) for line in (0, 1)] == [1.0, 1.0]


def test_what_stands_around_counts_half_of_what_names_the_topic_itself() -> None:
    row = rows([found("a")])
    for name, amount in (("named", 0.25), ("spelt", 0.5), ("around", 0.75)):
        row[name] = amount
    assert sign(read(row), "named anywhere") == 0.5
    row["around"] = 1.0
    row["spelt"] = 0.0
    assert sign(read(row), "named anywhere") == 0.5


# --- how its like have fared -----------------------------------------------------------------------------------------


def test_before_the_first_page_all_places_are_alike() -> None:
    signs = read(rows([found("a/b", "电网"), found("http://y.example/c")]))
    for one in ("siblings", "list", "frame", "site", "section", "folder", "shape", "anchor", "address"):
        assert sign(signs, one) == pytest.approx(0.0, abs=1e-7)
    assert [sign(signs, f"new {place}") for place in ("section", "folder", "site", "shape")] == [1.0] * 4


def test_siblings() -> None:
    row, tally = rows([found("a/b")]), Tally()
    came(tally, row, "page", 1.0, 0.5)
    # (1.5 + 2 x 0.1) / (2 + 2) is 0.325 above the mean of 0.1, doubled; the other signs do not care
    signs = read(row, tally)
    assert FEW == 2.0
    assert sign(signs, "siblings") == pytest.approx(2 * (1.7 / 4 - 0.1))
    assert sign(signs, "list") == pytest.approx(0.0, abs=1e-7), "like its page"
    assert sign(signs, "section") == pytest.approx(0.0, abs=1e-7)


def test_a_list_is_compared_with_its_page() -> None:
    row, tally = rows([found("a/b")]), Tally()
    came(tally, row, "page", 1.0, 0.0)
    came(tally, row, "list", 1.0)
    # the page: (1 + 0.2) / 4 = 0.3; the list: (1 + 2 x 0.3) / 3
    assert sign(read(row, tally), "list") == pytest.approx(2 * (1.6 / 3 - 0.3))


def test_a_section_is_compared_with_its_site_and_a_folder_with_its_section() -> None:
    row, tally = rows([found("a/b/c")]), Tally()
    came(tally, row, "host", 0.0, 0.0, 0.0, 1.0, 1.0)
    came(tally, row, "section", 1.0, 1.0)
    came(tally, row, "folder", 0.0)
    assert FEW_OF_A_SITE == 5.0
    # the site: (2 + 5 x 0.1) / (5 + 5) = 0.25; the section: (2 + 2 x 0.25) / 4 = 0.625; the folder: (0 + 2 x 0.625) / 3
    signs = read(row, tally)
    assert sign(signs, "site") == pytest.approx(2 * 0.15)
    assert sign(signs, "section") == pytest.approx(2 * 0.375)
    assert sign(signs, "folder") == pytest.approx(2 * (1.25 / 3 - 0.625))
    assert sign(signs, "shape") == pytest.approx(0.0, abs=1e-7)
    assert sign(signs, "new section") == pytest.approx(1 / 3)
    assert sign(signs, "new folder") == pytest.approx(1 / 2)
    assert sign(signs, "new site") == pytest.approx(1 / 6)


def test_what_places_lead_to_is_counted_beside() -> None:
    row, tally = rows([found("a/b/c")]), Tally()
    came(tally, row, "section", 0.1, 0.1, leads=0.7)
    signs = read(row, tally)
    # (1.4 + 2 x 0.1) / 4
    assert sign(signs, "section leads") == pytest.approx(2 * (0.4 - 0.1))
    assert sign(signs, "section") == pytest.approx(0.0, abs=1e-7)
    assert sign(signs, "site leads") == pytest.approx(0.0, abs=1e-7)


# --- words -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("word", ["grid", "電"])
def test_words_that_paid(word: str) -> None:
    row, tally = rows([found("a", word)]), Tally()
    for _ in range(2):
        tally.add(row["anchor"].ravel(), 1.0, 0.4)
    # (2 - 2 x 0.1) / (2 + 6), (0.8 - 0.2) / 8
    signs = read(row, tally)
    assert FEW_WORDS == 6.0
    assert sign(signs, "anchor") == pytest.approx(1.8 / 8)
    assert sign(signs, "anchor leads") == pytest.approx(0.6 / 8)
    assert sign(signs, "best word leads") == pytest.approx(0.6 / 8)
    assert sign(signs, "address") == pytest.approx(0.0, abs=1e-7)


def test_many_words_do_not_say_as_many_times_more() -> None:
    one, four = rows([found("a", "aa")]), rows([found("a", "aa bb cc dd")])
    tally = Tally()
    for _ in range(2):
        tally.add(four["anchor"].ravel(), 1.0, 0.0)
    assert sign(read(four, tally), "anchor") == pytest.approx(4 * (1.8 / 8) / 4**0.5)
    assert sign(read(one, tally), "anchor") == pytest.approx(1.8 / 8)


def test_a_word_that_leads_nowhere_does_not_make_the_best_worse() -> None:
    row, tally = rows([found("a", "aa bb")]), Tally()
    good, bad = rows([found("a", "aa")]), rows([found("a", "bb")])
    tally.add(good["anchor"].ravel(), 0.0, 1.0)
    tally.add(bad["anchor"].ravel(), 0.0, 0.0)
    signs = read(row, tally)
    assert sign(signs, "best word leads") == pytest.approx(0.9 / 7)
    assert sign(signs, "anchor leads") == pytest.approx((0.9 / 7 - 0.1 / 7) / 2**0.5)
    assert sign(read(bad, tally), "best word leads") == 0.0


def test_the_words_of_an_address() -> None:
    row, tally = rows([found("http://x.example/people/ann")]), Tally()
    other = rows([found("http://y.example/people/bob")])
    tally.add(row["address"].ravel(), 1.0, 0.0)
    # "people" and the shape are shared, "ann" and "bob" are not: two of three pieces, each (1 - 0.1) / 7
    assert sign(read(other, tally), "address") == pytest.approx(2 * (0.9 / 7) / 3**0.5)


def test_words_are_weighed_when_the_reader_is_made_and_places_at_every_look() -> None:
    row, tally = rows([found("a/b", "grid")]), Tally()
    reader, ways = Reader(tally, means=False), np.ones(1, dtype=np.float32)
    tally.add(row["anchor"].ravel(), 1.0, 0.0)
    came(tally, row, "section", 1.0)
    signs = reader.signs(row, ways)
    assert sign(signs, "anchor") == 0.0
    assert sign(signs, "section") > 0


# --- what is handed on -----------------------------------------------------------------------------------------------


def test_what_a_page_leads_to_is_handed_on_to_those_that_go_on_with_it() -> None:
    page = source("http://x.example/list/page1.html")
    links = [
        found("list/page2.html", "2"),  # turns the page, in the same folder, with the same address but for a number
        found("list/ann.html", "Ann"),  # in the same folder
        found("http://y.example/", "下一頁"),  # turns the page, elsewhere
        found("http://y.example/", "Ann"),
    ]
    row = rows(links, page)
    signs = read(row)
    assert signs[:, [one.name.endswith("leads") for one in SIGNS]] == pytest.approx(0.0, abs=1e-7)
    Reader(Tally(), means=False).hand_on(signs, row, 0.75)
    names = ("page leads", "next page leads", "same folder leads", "twin leads")
    assert [[sign(signs, name, line) for name in names] for line in range(4)] == [
        [0.75, 0.75, 0.75, 0.75],
        [0.75, 0.0, 0.75, 0.0],
        [0.75, 0.75, 0.0, 0.0],
        [0.75, 0.0, 0.0, 0.0],
    ]
    assert np.array_equal(read(row), signs), "and the rows know it, too"


def test_what_words_mean_stands_behind_all_other_signs() -> None:
    plain = rows([found("a", "grid")])
    row = np.zeros(1, dtype=[*plain.dtype.descr, ("meaning", "<f2", (3,))])
    for name in plain.dtype.names or ():
        row[name] = plain[name]
    row["meaning"] = (0.25, -0.5, 1.0)
    signs = Reader(Tally(), means=True).signs(row, np.ones(1, dtype=np.float32))
    assert np.array_equal(signs[:, : len(SIGNS)], read(plain))
    assert signs[0, len(SIGNS) :].tolist() == [0.25, -0.5, 1.0]
