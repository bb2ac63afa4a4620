"""Which of all that turns up is suggested?"""

import pytest

from shoal.model import Suggestion
from shoal.seeds.gathering import Gathering, phrases_in, plain, suggestion


def at(url: str) -> Suggestion:
    return Suggestion(url=url)


def test_each_url_is_suggested_once_up_to_the_limit() -> None:
    gathering = Gathering(2)
    assert [gathering.add(at(f"http://a.test/{page}")) for page in "aabcc"] == [True, False, True, True, False]
    answer = gathering.answer()
    assert [one.url for one in answer.found] == ["http://a.test/a", "http://a.test/b"]
    assert answer.more


def test_exactly_as_many_as_asked_for_is_not_more() -> None:
    gathering = Gathering(1)
    gathering.add(at("http://a.test/"))
    assert gathering.full
    assert not gathering.answer().more


def test_what_is_not_wanted_does_not_count() -> None:
    gathering = Gathering(1, wanted=lambda url: "b.test" in url)
    assert gathering.add(at("http://a.test/"))
    assert not gathering.full
    assert gathering.add(at("http://b.test/"))
    assert [one.url for one in gathering.found] == ["http://b.test/"]
    assert not gathering.untouched


def test_only_what_has_one_of_the_words() -> None:
    gathering = Gathering(9, phrases=("变电站", "power grid"))
    for page in (
        Suggestion(url="http://a.test/1", title="新的變電站"),
        Suggestion(url="http://a.test/2", snippet="Power grids of the north"),
        Suggestion(url="http://a.test/power_grid/3.html"),
        Suggestion(url="http://a.test/4", title="Powerful grid"),
        Suggestion(url="http://a.test/5", title="发电厂"),
    ):
        gathering.add(page)
    assert [one.url[-6:] for one in gathering.found] == ["test/1", "test/2", "3.html"]


@pytest.mark.parametrize(
    "url", ["", "  ", "ftp://a.test/", "javascript:alert(1)", "magnet:?xt=1", "http://", "//x", "电网"]
)
def test_what_is_no_http_address_is_no_suggestion(url: str) -> None:
    assert suggestion(url) is None


def test_a_suggestion_is_one_line_in_normal_form() -> None:
    made = suggestion(" HTTP://A.test:80/%7eb/#part\n", title="a\n\t b", snippet="x" * 400, engines=["bing"])
    assert made is not None
    assert (made.url, made.title, made.engines) == ("http://a.test/~b/", "a b", ("bing",))
    assert len(made.snippet) == 300
    assert made.snippet.endswith("x…")


def test_markup_becomes_text() -> None:
    assert " ".join(plain("<p>Grid &amp; <b>电网</b>").split()) == "Grid & 电网"
    assert len(plain("<" * 10**6)) == 5000


def test_words_lose_their_weights() -> None:
    assert phrases_in("power grid=0.5，电网、 變電站") == ("power grid", "电网", "變電站")
