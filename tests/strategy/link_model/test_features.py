"""How tokens have fared, with numbers worked by hand."""

from __future__ import annotations

from math import log

import numpy as np
import pytest

from shoal.strategy.link_model.features import (
    FEATURES,
    FEW,
    FEW_OF_A_SITE,
    FEW_WORDS,
    MEAN_PAGES,
    PRIOR_LEADS,
    PRIOR_WORTH,
    FeatureReader,
    Features,
    TokenCounts,
    hand_on,
)
from shoal.strategy.link_model.hashing import NO_TOKEN
from shoal.strategy.link_model.link_rows import PLACES, Rows
from tests.strategy.link_model.pages import feature, found, rows, source


def numbers(*given: int) -> np.ndarray:
    return np.array(given, dtype=np.int32)


def counts() -> TokenCounts:
    """Piece 7: two pages worth 1 and 0.5, leading to 2 and 0. Piece 8: the second of them."""
    made = TokenCounts()
    made.add(numbers(7), 1.0, 2.0)
    made.add(numbers(7, 8), 0.5, 0.0)
    return made


def test_pages_are_counted_by_their_pieces() -> None:
    made = counts()
    assert made.pages[[7, 8, 9]].tolist() == [2.0, 1.0, 0.0]
    assert made.worth[[7, 8, 9]].tolist() == [1.5, 0.5, 0.0]
    assert made.leads[[7, 8, 9]].tolist() == [2.0, 0.0, 0.0]


def test_a_tokens_that_stands_twice_in_a_link_counts_once_and_nothing_counts_never() -> None:
    made = TokenCounts()
    made.add(numbers(7, NO_TOKEN, 7, NO_TOKEN), 0.5, 0.25)
    assert (made.pages[7], made.worth[7], made.leads[7]) == (1.0, 0.5, 0.25)
    assert (made.pages[NO_TOKEN], made.worth[NO_TOKEN], made.leads[NO_TOKEN]) == (0.0, 0.0, 0.0)


@pytest.mark.slow
def test_what_is_taken_back_was_never_there() -> None:
    made, before = counts(), counts()
    made.add(numbers(7, 9), 0.1, 0.3)
    made.add(numbers(7, 9), -0.1, -0.3, pages=-1.0)
    assert np.array_equal(made.pages, before.pages)
    assert made.worth == pytest.approx(before.worth, abs=1e-6)
    assert made.leads == pytest.approx(before.leads, abs=1e-6)


def test_a_page_may_count_for_several() -> None:
    made = TokenCounts()
    made.add(numbers(7), 10.0, 5.0, pages=10.0)
    assert (made.pages[7], made.worth[7], made.leads[7]) == (10.0, 10.0, 5.0)


# --- means -----------------------------------------------------------------------------------------------------------


def test_by_how_much_tokens_differ_from_the_mean() -> None:
    made = counts()
    # (1.5 - 0.25 x 2) / (2 + 6), (0.5 - 0.25 x 1) / (1 + 6); of what was never seen, nothing is said
    made.means = (1.0, 0.25, 0.5)
    worth, leads = made.deviations(numbers(7, 8, 9, NO_TOKEN)).T
    assert worth == pytest.approx([1.0 / 8, 0.25 / 7, 0.0, 0.0])
    assert leads == pytest.approx([1.0 / 8, -0.5 / 7, 0.0, 0.0]), "(2 - 0.5 x 2) / (2 + 6), (0 - 0.5 x 1) / (1 + 6)"
    assert made.deviations()[7].tolist() == [worth[0], leads[0]], "all at once"


def test_before_the_first_page_a_tenth_is_good() -> None:
    assert (TokenCounts().mean_worth, TokenCounts().mean_leads) == (0.1, 0.1)


def test_the_general_means_begin_with_two_pages_and_forget() -> None:
    made = TokenCounts()
    made.add_to_means(1.0, 0.0)
    # two pages with a tenth each, of which a thousandth is forgotten, and one
    assert made.mean_worth == pytest.approx((0.2 * 0.999 + 1) / (2 * 0.999 + 1))
    assert made.mean_leads == pytest.approx(0.2 * 0.999 / (2 * 0.999 + 1))
    for _ in range(10 * MEAN_PAGES):
        made.add_to_means(0.0, 0.5)
    assert made.mean_worth < 1e-4
    assert made.mean_leads == pytest.approx(0.5, abs=1e-3)


def test_the_general_means_can_be_carried_elsewhere() -> None:
    made, other = TokenCounts(), TokenCounts()
    made.add_to_means(1.0, 0.5)
    other.means = made.means
    assert (other.mean_worth, other.mean_leads) == (made.mean_worth, made.mean_leads)
    for each in (made, other):
        each.add_to_means(0.0, 0.0)
    assert other.means == made.means


# --- dead links ------------------------------------------------------------------------------------------------------


def alive(made: TokenCounts, host: int, *, same_site: bool = True) -> float:
    return float(made.alive(numbers(host), np.array([same_site]))[0])


def test_before_anything_is_known_one_link_in_five_is_dead() -> None:
    assert alive(TokenCounts(), 7) == pytest.approx(0.8)
    assert alive(TokenCounts(), 7, same_site=False) == pytest.approx(0.8)


def test_links_to_a_host_are_as_alive_as_those_that_were_tried() -> None:
    made = TokenCounts()
    made.add(numbers(7), 0.0, 0.0, pages=4.0)
    for _ in range(2):
        made.led(7, same_site=True, alive=False)
    # of links within a site 1 page and 2.25 dead ones are known; of this host 4 pages and 2 dead ones
    usual = 1 / 3.25
    assert alive(made, 7) == pytest.approx((4 + 2 * usual) / (4 + 2 + 2))
    assert alive(made, 8) == pytest.approx(usual), "of another one nothing"
    assert alive(made, 8, same_site=False) == pytest.approx(0.8), "links to other sites are another matter"
    made.led(9, same_site=False, alive=True)
    assert alive(made, 8, same_site=False) == pytest.approx(2 / 2.25)


# --- by which features a link is known, with numbers worked by hand --------------------------------------------------


def read(row: Rows, counts: TokenCounts | None = None, ways: float = 1.0) -> Features:
    return FeatureReader(counts or TokenCounts(), means=False).features(row, np.full(len(row), ways, dtype=np.float32))


def came(counts: TokenCounts, row: Rows, place: str, *worth: float, leads: float = 0.0) -> None:
    """Pages came from a place of this link."""
    for each in worth:
        counts.add(row["places"][:, PLACES.index(place)], each, leads)


def test_there_is_a_number_for_every_feature_of_every_link() -> None:
    features = read(rows([found("a"), found("b"), found("c")]))
    assert features.shape == (3, len(FEATURES)) == (3, len(PRIOR_WORTH))
    assert len(PRIOR_LEADS) == len(FEATURES)
    assert len({one.name for one in FEATURES}) == len(FEATURES)
    assert read(rows([])).shape == (0, len(FEATURES))


def test_what_a_row_says() -> None:
    page = source("http://x.example/list/", depth=3, score=0.5, above=0.75, links=19)
    links = [found("list/1", "grid", 0.25, position=5), found("other/1", "x" * 90, 0.75)]
    features = read(rows(links, page), ways=5.0)
    assert feature(features, "always") == 1.0
    assert feature(features, "named") == 0.25
    assert feature(features, "around") == 0.25
    assert feature(features, "named anywhere") == 0.25
    assert feature(features, "beside") == 0.5, "the mean of both: they stand in one list"
    assert feature(features, "score") == 0.5
    assert feature(features, "above") == 0.75
    assert feature(features, "near a seed") == 0.25, "a link of a page three links away is four away"
    assert feature(features, "depth") == pytest.approx(0.4)
    assert feature(features, "ways") == pytest.approx(log(6) / 3)
    assert feature(features, "position") == pytest.approx(5 / 19)
    assert feature(features, "crowd") == pytest.approx(log(20) / 6)
    assert feature(features, "length") == pytest.approx(4 / 60)
    assert feature(features, "length", 1) == 1.0, "very long is no more than long"
    assert [feature(features, "same folder", line) for line in (0, 1)] == [0.5, 0.0]
    assert [feature(features, "same site", line) for line in (0, 1)] == [1.0, 1.0]


def test_what_stands_around_counts_half_of_what_names_the_topic_itself() -> None:
    row = rows([found("a")])
    for name, amount in (("named", 0.25), ("spelt", 0.5), ("around", 0.75)):
        row[name] = amount
    assert feature(read(row), "named anywhere") == 0.5
    row["around"] = 1.0
    row["spelt"] = 0.0
    assert feature(read(row), "named anywhere") == 0.5


# --- how its like have fared -----------------------------------------------------------------------------------------


def test_before_the_first_page_all_places_are_alike() -> None:
    features = read(rows([found("a/b", "电网"), found("http://y.example/c")]))
    for one in ("siblings", "list", "frame", "site", "section", "folder", "shape", "anchor", "address"):
        assert feature(features, one) == pytest.approx(0.0, abs=1e-7)
    assert [feature(features, f"new {place}") for place in ("section", "folder", "site", "shape")] == [1.0] * 4


def test_siblings() -> None:
    row, counts = rows([found("a/b")]), TokenCounts()
    came(counts, row, "page", 1.0, 0.5)
    # (1.5 + 2 x 0.1) / (2 + 2) is 0.325 above the mean of 0.1, doubled; the other features do not care
    features = read(row, counts)
    assert FEW == 2.0
    assert feature(features, "siblings") == pytest.approx(2 * (1.7 / 4 - 0.1))
    assert feature(features, "list") == pytest.approx(0.0, abs=1e-7), "like its page"
    assert feature(features, "section") == pytest.approx(0.0, abs=1e-7)


def test_a_list_is_compared_with_its_page() -> None:
    row, counts = rows([found("a/b")]), TokenCounts()
    came(counts, row, "page", 1.0, 0.0)
    came(counts, row, "list", 1.0)
    # the page: (1 + 0.2) / 4 = 0.3; the list: (1 + 2 x 0.3) / 3
    assert feature(read(row, counts), "list") == pytest.approx(2 * (1.6 / 3 - 0.3))


def test_a_section_is_compared_with_its_site_and_a_folder_with_its_section() -> None:
    row, counts = rows([found("a/b/c")]), TokenCounts()
    came(counts, row, "host", 0.0, 0.0, 0.0, 1.0, 1.0)
    came(counts, row, "section", 1.0, 1.0)
    came(counts, row, "folder", 0.0)
    assert FEW_OF_A_SITE == 5.0
    # the site: (2 + 5 x 0.1) / (5 + 5) = 0.25; the section: (2 + 2 x 0.25) / 4 = 0.625; the folder: (0 + 2 x 0.625) / 3
    features = read(row, counts)
    assert feature(features, "site") == pytest.approx(2 * 0.15)
    assert feature(features, "section") == pytest.approx(2 * 0.375)
    assert feature(features, "folder") == pytest.approx(2 * (1.25 / 3 - 0.625))
    assert feature(features, "shape") == pytest.approx(0.0, abs=1e-7)
    assert feature(features, "new section") == pytest.approx(1 / 3)
    assert feature(features, "new folder") == pytest.approx(1 / 2)
    assert feature(features, "new site") == pytest.approx(1 / 6)


def test_what_places_lead_to_is_counted_beside() -> None:
    row, counts = rows([found("a/b/c")]), TokenCounts()
    came(counts, row, "section", 0.1, 0.1, leads=0.7)
    features = read(row, counts)
    # (1.4 + 2 x 0.1) / 4
    assert feature(features, "section leads") == pytest.approx(2 * (0.4 - 0.1))
    assert feature(features, "section") == pytest.approx(0.0, abs=1e-7)
    assert feature(features, "site leads") == pytest.approx(0.0, abs=1e-7)


# --- words -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("word", ["grid", "電"])
def test_words_that_paid(word: str) -> None:
    row, counts = rows([found("a", word)]), TokenCounts()
    for _ in range(2):
        counts.add(row["anchor"].ravel(), 1.0, 0.4)
    # (2 - 2 x 0.1) / (2 + 6), (0.8 - 0.2) / 8
    features = read(row, counts)
    assert FEW_WORDS == 6.0
    assert feature(features, "anchor") == pytest.approx(1.8 / 8)
    assert feature(features, "anchor leads") == pytest.approx(0.6 / 8)
    assert feature(features, "best word leads") == pytest.approx(0.6 / 8)
    assert feature(features, "address") == pytest.approx(0.0, abs=1e-7)


def test_many_words_do_not_say_as_many_times_more() -> None:
    one, four = rows([found("a", "aa")]), rows([found("a", "aa bb cc dd")])
    counts = TokenCounts()
    for _ in range(2):
        counts.add(four["anchor"].ravel(), 1.0, 0.0)
    assert feature(read(four, counts), "anchor") == pytest.approx(4 * (1.8 / 8) / 4**0.5)
    assert feature(read(one, counts), "anchor") == pytest.approx(1.8 / 8)


def test_a_word_that_leads_nowhere_does_not_make_the_best_worse() -> None:
    row, counts = rows([found("a", "aa bb")]), TokenCounts()
    good, bad = rows([found("a", "aa")]), rows([found("a", "bb")])
    counts.add(good["anchor"].ravel(), 0.0, 1.0)
    counts.add(bad["anchor"].ravel(), 0.0, 0.0)
    features = read(row, counts)
    assert feature(features, "best word leads") == pytest.approx(0.9 / 7)
    assert feature(features, "anchor leads") == pytest.approx((0.9 / 7 - 0.1 / 7) / 2**0.5)
    assert feature(read(bad, counts), "best word leads") == 0.0


def test_the_words_of_an_address() -> None:
    row, counts = rows([found("http://x.example/people/ann")]), TokenCounts()
    other = rows([found("http://y.example/people/bob")])
    counts.add(row["address"].ravel(), 1.0, 0.0)
    # "people" and the shape are shared, "ann" and "bob" are not: two of three tokens, each (1 - 0.1) / 7
    assert feature(read(other, counts), "address") == pytest.approx(2 * (0.9 / 7) / 3**0.5)


def test_words_are_weighed_when_the_reader_is_made_and_places_at_every_look() -> None:
    row, counts = rows([found("a/b", "grid")]), TokenCounts()
    reader, ways = FeatureReader(counts, means=False), np.ones(1, dtype=np.float32)
    counts.add(row["anchor"].ravel(), 1.0, 0.0)
    came(counts, row, "section", 1.0)
    features = reader.features(row, ways)
    assert feature(features, "anchor") == 0.0
    assert feature(features, "section") > 0


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
    features = read(row)
    assert features[:, [one.name.endswith("leads") for one in FEATURES]] == pytest.approx(0.0, abs=1e-7)
    hand_on(features, row, 0.75)
    names = ("page leads", "next page leads", "same folder leads", "twin leads")
    assert [[feature(features, name, line) for name in names] for line in range(4)] == [
        [0.75, 0.75, 0.75, 0.75],
        [0.75, 0.0, 0.75, 0.0],
        [0.75, 0.75, 0.0, 0.0],
        [0.75, 0.0, 0.0, 0.0],
    ]
    assert np.array_equal(read(row), features), "and the rows know it, too"


def test_what_words_mean_stands_behind_all_other_signs() -> None:
    plain = rows([found("a", "grid")])
    row = np.zeros(1, dtype=[*plain.dtype.descr, ("meaning", "<f2", (3,))])
    for name in plain.dtype.names or ():
        row[name] = plain[name]
    row["meaning"] = (0.25, -0.5, 1.0)
    features = FeatureReader(TokenCounts(), means=True).features(row, np.ones(1, dtype=np.float32))
    assert np.array_equal(features[:, : len(FEATURES)], read(plain))
    assert features[0, len(FEATURES) :].tolist() == [0.25, -0.5, 1.0]
