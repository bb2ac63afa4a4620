"""The right pages, the best first, each once, and nothing but sentences when there is nothing."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shoal.errors import InputError
from shoal.index.query import parse, today
from shoal.index.schema import Freshness
from shoal.index.searcher import Index
from tests.index.pages import DAY, FILLER, NOW, found, index_of, page

# --- what is found ---------------------------------------------------------------------------------------------------


def test_all_fields_are_searched(tmp_path: Path) -> None:
    pages = [
        page(1, title="Smart grid"),
        page(2, headings="History\nSmart grids"),
        page(3, anchors=("see the smart grid", "home")),
        page(4, "All about the smart grid."),
        page(5, "nothing"),
    ]
    index = index_of(tmp_path, [*pages, *FILLER])
    assert sorted(found(index, "smart grid")) == [1, 2, 3, 4]
    assert found(index, "title:grid") == [1]


def test_anchors_do_not_run_into_each_other(tmp_path: Path) -> None:
    index = index_of(tmp_path, [page(1, anchors=("smart", "grid")), page(2, anchors=("smart grid",))])
    assert found(index, '"smart grid"') == [2]


@pytest.mark.parametrize("query", ["智能电网", "智能電網", "“智能电网”", "智能电网建设", "電網建設"])
def test_chinese_is_found_in_either_script(tmp_path: Path, query: str) -> None:
    pages = [page(1, "我国智能电网建设加快。"), page(2, "我國智能電網建設加快。"), page(3, "网电能智，设建国我")]
    assert found(index_of(tmp_path, [*pages, *FILLER]), query) == [1, 2]


def test_a_chinese_word_is_all_of_its_characters_together(tmp_path: Path) -> None:
    pages = [page(1, "变电所与发电站"), page(2, "新的变电站"), page(3, "变电设备、电站"), page(4, "变，电站")]
    assert sorted(found(index_of(tmp_path, [*pages, *FILLER]), '"变电站"')) == [2, 4]


@pytest.mark.parametrize(
    ("query", "expected"), [('"B超"', [1, 2]), ('"B超检查"', [1]), ("超", [1, 2, 3, 4]), ('"做B超"', [2])]
)
def test_scripts_side_by_side(tmp_path: Path, query: str, expected: list[int]) -> None:
    pages = [page(1, "B超检查"), page(2, "先做B超"), page(3, "超市的B座"), page(4, title="超市B")]
    assert sorted(found(index_of(tmp_path, [*pages, *FILLER]), query)) == expected


def test_one_chinese_character(tmp_path: Path) -> None:
    texts = ["茶馆里有人喝酒，也有人喝水", "茶是茶树的叶子，茶叶可以泡茶", "水", "说明"]
    titles = ["人物", "植物", "别的", "茶"]
    index = index_of(tmp_path, [page(id, texts[id - 1], title=titles[id - 1]) for id in (1, 2, 3, 4)])
    assert found(index, "茶") == [2, 4, 1]
    assert found(index, "title:茶") == [4]
    assert found(index, "水 -茶") == [3]
    assert found(index, "茶 酒") == [1]


@pytest.mark.slow
def test_a_phrase_of_common_words_is_as_rare_as_the_rarest_of_them(tmp_path: Path) -> None:
    many = 5_010
    pages = [page(id, "power and grid" if id > 9 else "smart power grid") for id in range(1, many + 1)]
    index = index_of(tmp_path, pages)
    explanation = index.explain(parse('"power grid"'), 1)
    counted = index.explain(parse('"smart power"'), 1)
    assert explanation is not None
    assert counted is not None
    assert explanation.score < 0.01 < 1 < counted.score


def test_two_words_must_both_be_there_of_three_most(tmp_path: Path) -> None:
    pages = [page(1, "alpha beta gamma"), page(2, "alpha beta"), page(3, "alpha"), page(4, "beta gamma delta epsilon")]
    index = index_of(tmp_path, [*pages, *FILLER])
    assert sorted(found(index, "alpha beta")) == [1, 2]
    assert found(index, "alpha beta gamma")[0] == 1
    assert sorted(found(index, "alpha beta gamma")) == [1, 2, 4]
    assert sorted(found(index, "alpha beta gamma delta")) == [1, 4]
    assert sorted(found(index, "the alpha of the beta")) == [1, 2]


def test_four_words_are_enough_however_many_are_asked(tmp_path: Path) -> None:
    pages = [page(1, "alpha beta gamma delta"), page(2, "alpha beta gamma")]
    index = index_of(tmp_path, [*pages, *FILLER])
    assert found(index, "alpha beta gamma delta epsilon zeta eta theta iota kappa") == [1]


def test_some_of_the_words_when_no_page_has_enough(tmp_path: Path) -> None:
    index = index_of(tmp_path, [page(1, "alpha"), page(2, "beta"), page(3, "智能手机")])
    results = index.search(parse("alpha beta"))
    assert sorted(hit.id for hit in results.hits) == [1, 2]
    assert results.notes == ("No page has all these words; these have some of them.",)
    results = index.search(parse("智能电网"))
    assert [hit.id for hit in results.hits] == [3]
    assert [words.text for words in results.query.wanted] == ["智能", "电网"]


def test_exact_means_exact(tmp_path: Path) -> None:
    index = index_of(tmp_path, [page(1, "power of the grid")])
    assert index.search(parse('"power grid"')).total == 0
    assert index.search(parse('"power grid" power')).total == 0


def test_dates_go_by_the_day_published_else_fetched(tmp_path: Path) -> None:
    pages = [page(1, "grid", published="2024-04-30"), page(2, "grid", published="2024-05"), page(3, "grid")]
    index = index_of(tmp_path, pages)  # fetched on 2024-10-04
    assert found(index, "grid after:2024-05") == [2, 3]
    assert found(index, "grid before:2024-05") == [1]
    assert found(index, "grid -after:2024-05") == [1]
    assert found(index, "grid after:2024-05 before:2024-06") == [2]
    assert found(index, "grid after:2024-10-04") == [3]
    assert found(index, "grid after:2024-10-05") == []
    assert found(index, "grid after:2023 after:2024-10") == [3]


def test_sites(tmp_path: Path) -> None:
    urls = ["http://www.example.org/", "http://example.org:8080/", "http://notexample.org/", "http://192.0.2.7/"]
    index = index_of(tmp_path, [page(id, "grid", url=url) for id, url in enumerate(urls)])
    assert found(index, "site:example.org") == [0, 1]
    assert found(index, "site:www.example.org") == [0]
    assert found(index, "site:example.org:8080") == [1]
    assert found(index, "site:192.0.2.7") == [3]
    assert found(index, "site:org -site:example.org") == [2]


# --- what comes with the hits ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("query", "suggestion"),
    [
        ('"trnasformer"', '"transformer"'),
        ("title:voltage", "voltage"),
        ('"voltage transformer"', "voltage transformer"),
        ("voltage site:example.net", "voltage"),
        ("voltage after:2100", "voltage"),
        ("“智能变压器”", "变压器"),
        ("vlotgae", "voltage"),
        ("elephant", ""),
        ("site:example.net", ""),
        ('"topic:7"', ""),  # without its quotes it would be an operator
    ],
)
def test_did_you_mean(tmp_path: Path, query: str, suggestion: str) -> None:
    index = index_of(tmp_path, [page(1, "A transformer changes the voltage. 变压器"), *FILLER])
    results = index.search(parse(query))
    assert (results.total, results.suggestion) == (0, suggestion)
    if suggestion:
        assert found(index, suggestion) == [1]


@pytest.mark.parametrize("query", ["", "?!", "🙂", '""'])
def test_nothing_asked_is_a_sentence(tmp_path: Path, query: str) -> None:
    results = index_of(tmp_path, [page(1, "grid")]).search(parse(query))
    assert results.hits == ()
    assert results.notes == ("There is no word to search for in this query.",)


def test_an_empty_index(tmp_path: Path) -> None:
    index = index_of(tmp_path, [])
    assert index.search(parse("grid -fan site:example.org")).total == 0
    assert index.similar("grid", "grid grid") == ()
    assert index.explain(parse("grid"), 1) is None


# --- similar pages ---------------------------------------------------------------------------------------------------


def test_similar_pages(tmp_path: Path) -> None:
    pages = [
        page(1, "The substation feeds the transformer. High voltage lines meet there."),
        page(2, "A transformer in a substation changes high voltage to low voltage.", group=2),
        page(3, "A transformer in a substation changes high voltage to low voltage!", group=2),
        page(4, "Cats sleep on warm stones."),
        page(5, "变电站里的变压器改变电压。变电站很大。"),
        page(6, "變電站與變壓器，電壓等級。"),
    ]
    index = index_of(tmp_path, [*pages, *FILLER])
    hits = index.similar("", pages[0].text, exclude=[("", 1)])
    assert [(hit.id, hit.similar) for hit in hits] == [(2, 1)]
    assert [hit.id for hit in index.similar("", pages[1].text, exclude=[("", 2)])] == [1]
    assert [hit.id for hit in index.similar("", pages[4].text, exclude=[("", 5)])] == [6]
    assert index.similar("", pages[3].text, exclude=[("", 4)]) == ()
    assert index.similar("", "") == ()


# --- whatever is typed -----------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> Index:
    pages = [page(1, "smart grid 智能电网", title="电网"), page(2, "x-ray of a fan"), *FILLER]
    return index_of(tmp_path_factory.mktemp("small"), pages)


PIECES = st.sampled_from(
    ["grid", "gird", "智能电网", "电", '"', "“", "-", "site:", "example.org", "after:2024", "title:", "x-ray", " ", "🙂", "的",
     "the", "is:relevant", "topic:", "lang:zh", "\ud800", "\x00", "*", "fliler"]
)  # fmt: skip


@pytest.mark.slow
@given(st.one_of(st.text(max_size=40), st.lists(PIECES, max_size=10).map("".join)), st.booleans())
def test_any_query_has_an_answer(small: Index, text: str, fresh: bool) -> None:
    try:
        query = parse(text)
    except InputError:
        return
    results = small.search(query, fresh=Freshness(today=today(NOW + DAY)) if fresh else None)
    assert len(results.hits) <= results.total
    assert results.total or not results.hits
    for hit in results.hits[:1]:
        assert small.explain(query, hit.id) is not None


def test_mistakes_are_looked_for_in_some_words_only(tmp_path: Path) -> None:
    """Each takes a while: 50 of them took 2.6 s in an index of 40,000 words."""
    names = [f"transform{letter}r" for letter in "abcdefghijkl"]
    index = index_of(tmp_path, [page(1, " ".join(names)), *FILLER])
    results = index.search(parse(" ".join(f"{name}x" for name in names)))
    assert results.notes[0] == "Only the first 8 words that no page has were looked at for mistakes."
    assert [words.text for words in results.query.wanted] == [*names[:8], *(f"{name}x" for name in names[8:])]
    assert index.search(parse("transformaxr")).notes == ("Searched for 'transformar' instead of 'transformaxr'.",)
