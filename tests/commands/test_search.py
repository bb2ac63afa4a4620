"""`shoal search`, as it is typed."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from shoal.installation.location import Installation
from shoal.services import catalog
from tests.shell import Said, Shell
from tests.stocked import WEB, Stock, article


def test_a_search_shows_title_url_snippet_and_figures(stocked: Shell) -> None:
    said = stocked("search", "變電站")
    assert (said.code, said.err) == (0, "")
    parts = ("1. 智能电网", "http://a.test/%E8%BD%AC%E5%8F%98", "变电站把高压变成低压", "topic 0.00 not relevant")
    assert [part for part in (*parts, "1 page matches") if part not in said.out] == []


def test_json_has_all_of_it(stocked: Shell) -> None:
    found = json.loads(stocked("search", "substation", "--json", "--limit", "1", "--explain").out)
    (hit,) = found["hits"]
    assert (hit["title"], found["total"], found["more"]) == ("Substations", 2, True)
    assert ["Substations", True] in hit["snippet"]["parts"]
    assert hit["why"]["parts"][0]["field"] == "title"
    assert found["facets"]["site"] == [{"value": "a.test", "pages": 2}]


def test_the_next_page_of_hits_is_told_how_to_get(stocked: Shell) -> None:
    assert "go on with --offset 1." in stocked("search", "substation", "--limit", "1").out
    assert stocked("search", "substation", "--offset", "7").out == "There are no more hits: 2 pages match in all.\n"


def test_words_may_begin_with_a_minus(stocked: Shell) -> None:
    assert "Transformers" in stocked("search", "substation").out
    assert "Transformers" not in stocked("search", "substation", "-hums").out
    assert "Transformers" not in stocked("search", "-hums", "substation").out
    said = stocked("search", "substation", "--limt=3")
    assert (said.code, said.err.startswith("shoal: No such option '--limt'.")) == (2, True)


def test_reasons_are_printed_for_who_asks(stocked: Shell) -> None:
    out = stocked("search", "oven", "--explain").out
    assert "oven in body" in out
    assert "× 1.000 freshness" in out


@pytest.mark.slow
def test_a_typing_mistake_is_put_right_and_said(stocked: Shell) -> None:
    assert stocked("search", "trasformer").out.startswith("Searched for 'transformer' instead of 'trasformer'.\n")


def test_nothing_found_is_said_with_a_suggestion_and_a_code(stocked: Shell) -> None:
    assert stocked("search", "zzzzqqqq") == Said(1, "No page was found.\n", "")
    said = stocked("search", '"substation hums transformer"')
    assert (said.code, said.out.splitlines()[0]) == (1, "No page was found.")


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        ("after:someday", "after: needs a date such as 2024, 2024-05 or 2024-05-01, not 'someday'."),
        ("before:2024-13", "before: needs a date such as 2024, 2024-05 or 2024-05-01, not '2024-13'."),
    ],
)
def test_what_means_nothing_is_one_sentence(stocked: Shell, words: str, sentence: str) -> None:
    assert stocked("search", words) == Said(2, "", f"shoal: {sentence}\n")


ODD = ("", "   ", '"', '"""', "-", "🐟🐟", "，。！", "site:", "-site:a.test", "foo:bar", "grid " * 3000)


@pytest.mark.slow
@pytest.mark.parametrize("words", ODD)
def test_odd_queries_are_answered(stocked: Shell, words: str) -> None:
    said = stocked("search", words)
    assert said.code in (0, 1, 2)
    assert "Traceback" not in said.out + said.err


def test_a_page_cannot_steer_the_terminal(tmp_path: Path) -> None:
    Stock(tmp_path / "c", {"http://a.test/": article("Evil \x1b[31m grid", "The grid \x1b]0;title\x07 is evil.")})
    assert "\x1b" not in Shell(tmp_path)("search", "evil", "--dir", "c").out


def test_a_search_needs_a_crawl(shoal: Shell) -> None:
    assert shoal("search", "grid", "--dir", "none").sentence().startswith("There is no crawl in none")


# --- several crawls --------------------------------------------------------------------------------------------------


@pytest.fixture
def two(stock: Stock) -> Shell:
    """A crawl beside the usual one; both are asked."""
    web = {
        "http://a.test/": article("Towers", "A substation has 變電站.", "/bread"),
        "http://a.test/bread": WEB["http://a.test/bread"],
    }
    Stock(stock.folder.parent / "towers", web)
    return Shell(stock.folder.parent, "--dir", stock.folder.name, "--dir", "towers")


def test_hits_of_several_crawls_say_where_they_are(two: Shell, stock: Stock) -> None:
    out = two("search", "oven").out
    assert out.count("http://a.test/bread") == 1
    assert f"in towers; also in {stock.folder.name}\n" in out
    assert "Crawls: towers 1, 爬 行 1" in out
    assert "in towers" in two("search", "变电站").out, "which stands there in traditional characters"
    (hit,) = json.loads(two("search", "oven", "--json").out)["hits"]
    assert (hit["crawl"], hit["also_in"], hit["folder"]) == ("towers", [stock.folder.name], "towers")
    assert "in towers" in two("similar", "http://a.test/substation").out


def test_hits_name_crawls_as_the_list_does(two: Shell) -> None:
    installation = Installation(home=two.home / "state")
    for folder in (two.home / "爬 行", two.home / "towers"):
        catalog.write_down(installation, folder)
    out = Shell(two.home)("search", "oven").out
    assert "in towers; also in 爬-行\n" in out
    assert "in 爬-行" in Shell(two.home)("search", "oven", "crawl:爬-行").out
    assert "in 爬-行" in Shell(two.home)("search", "oven", "crawl:爬-行", "--crawl", "爬-行", "--crawl", "towers").out


def test_a_search_of_one_crawl_does_not_repeat_its_name(stocked: Shell) -> None:
    assert "Crawls:" not in stocked("search", "substation").out
    assert "     in " not in stocked("search", "substation").out


def test_a_crawl_that_is_gone_is_one_line(two: Shell) -> None:
    said = two("search", "oven", "--dir", "gone")
    assert said.code == 0
    assert said.out.startswith("gone: There is no crawl in gone: start one with")
    said = two("search", "oven crawl:elsewhere")
    assert (said.code, said.sentence()) == (
        2,
        "crawl: needs one of the crawls that are searched (towers, 爬 行), not 'elsewhere'.",
    )
