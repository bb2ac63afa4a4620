"""Which of the numbered suggestions does the user mean?"""

import pytest

from shoal.errors import InputError
from shoal.model import Suggestion
from shoal.seeds.selection import SuggestionCollector, chosen, listed, phrases_in, read_choice


@pytest.mark.parametrize(
    ("typed", "numbers"),
    [
        ("1-5,8", (1, 2, 3, 4, 5, 8)),
        ("8,1", (1, 8)),
        ("3,3,2-4", (2, 3, 4)),
        ("all", (1, 2, 3, 4, 5, 6, 7, 8)),
        ("ALL", (1, 2, 3, 4, 5, 6, 7, 8)),
        ("none", ()),
        ("-3", (1, 2, 4, 5, 6, 7, 8)),
        ("-3,-5", (1, 2, 4, 6, 7, 8)),
        ("-3-7", (1, 2, 8)),
        ("all,-8", (1, 2, 3, 4, 5, 6, 7)),
        ("1-5,-3", (1, 2, 4, 5)),
        ("1-5 -3", (1, 2, 4, 5)),
        ("-3,1-5", (1, 2, 4, 5)),
        (" 1 - 3 ; 8 ", (1, 2, 3, 8)),
        ("１－３，８", (1, 2, 3, 8)),
        ("1–3、8", (1, 2, 3, 8)),
        ("-1-8", ()),
    ],
)
def test_what_is_typed_is_understood(typed: str, numbers: tuple[int, ...]) -> None:
    assert chosen(read_choice(typed), 8) == numbers


@pytest.mark.parametrize(
    ("typed", "complaint"),
    [
        ("some", "'some' is not a choice; 1-5,8 keeps these"),
        ("1-", "'1-' is not a choice"),
        ("1..5", "'1..5' is not a choice"),
        ("--3", "'--3' is not a choice"),
        ("none,1", "'none' is not a choice"),
        ("5-1", "'5-1' runs backwards; did you mean 1-5?"),
        ("", "Nothing was chosen"),
        (" , ", "Nothing was chosen"),
        ("9", "There is no number 9; the list goes from 1 to 8"),
        ("0", "There is no number 0"),
        ("3-12", "There is no number 12"),
        ("-9", "There is no number 9"),
        ("9" * 5000, "is not a choice"),
    ],
)
def test_a_mistake_is_explained(typed: str, complaint: str) -> None:
    with pytest.raises(InputError) as refused:
        chosen(read_choice(typed), 8)
    assert complaint in str(refused.value)
    assert len(str(refused.value)) < 200


def test_a_list_is_numbered_and_says_which_words_were_found_and_what_is_known() -> None:
    suggestions = [
        Suggestion(url="http://a.test/", title="智能電網與變電站", engines=("baidu",)),
        Suggestion(url="http://a.test/smart-grid", snippet="About the grid."),
        Suggestion(url="http://a.test/c", title="Smart grids", updated="2025-01-02"),
        Suggestion(url="http://a.test/%E7%94%B5%E7%BD%91"),
        Suggestion(url="http://a.test/%B5%E7%CD%F8"),  # 电网 in GBK
    ]
    rows = listed(suggestions, ("smart grid", "电网"), known={"http://a.test/c"})
    assert [row.number for row in rows] == [1, 2, 3, 4, 5]
    # Traditional characters and plurals count; a phrase that is not there as a whole is told word by word.
    assert [row.matched for row in rows] == [("电网",), ("smart grid",), ("smart grid",), ("电网",), ("电网",)]
    assert [row.known for row in rows] == [False, False, True, False, False]


def test_words_of_a_long_question_are_told_one_by_one() -> None:
    (row,) = listed([Suggestion(url="http://a.test/", title="The price of power")], ("price of grid power",), ())
    assert row.matched == ("price", "power")


# --- all that turns up -----------------------------------------------------------------------------------------------


def at(url: str) -> Suggestion:
    return Suggestion(url=url)


def test_each_url_is_suggested_once_up_to_the_limit() -> None:
    collector = SuggestionCollector(2)
    assert [collector.add(at(f"http://a.test/{page}")) for page in "aabcc"] == [True, False, True, True, False]
    answer = collector.answer()
    assert [one.url for one in answer.found] == ["http://a.test/a", "http://a.test/b"]
    assert answer.more


def test_exactly_as_many_as_asked_for_is_not_more() -> None:
    collector = SuggestionCollector(1)
    collector.add(at("http://a.test/"))
    assert collector.full
    assert not collector.answer().more


def test_what_is_not_wanted_does_not_count() -> None:
    collector = SuggestionCollector(1, wanted=lambda url: "b.test" in url)
    assert collector.add(at("http://a.test/"))
    assert not collector.full
    assert collector.add(at("http://b.test/"))
    assert [one.url for one in collector.found] == ["http://b.test/"]
    assert not collector.untouched


def test_only_what_has_one_of_the_words() -> None:
    collector = SuggestionCollector(9, phrases=("变电站", "power grid"))
    for page in (
        Suggestion(url="http://a.test/1", title="新的變電站"),
        Suggestion(url="http://a.test/2", snippet="Power grids of the north"),
        Suggestion(url="http://a.test/power_grid/3.html"),
        Suggestion(url="http://a.test/4", title="Powerful grid"),
        Suggestion(url="http://a.test/5", title="发电厂"),
    ):
        collector.add(page)
    assert [one.url[-6:] for one in collector.found] == ["test/1", "test/2", "3.html"]


def test_words_lose_their_weights() -> None:
    assert phrases_in("power grid=0.5，电网、 變電站") == ("power grid", "电网", "變電站")
