"""`shoal search`, `similar`, `show`, `diff`, `revisit`, `reindex` and `check`, as they are typed."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest

from shoal.cli import main
from tests.stocked import WEB, Stock, article

BREAD = "http://a.test/bread"


@dataclass(frozen=True)
class Said:
    code: int
    out: str
    err: str


Shoal = Callable[..., Said]


@pytest.fixture
def stock(tmp_path: Path) -> Stock:
    return Stock(tmp_path / "爬 行")


@pytest.fixture
def shoal(stock: Stock, capsys: pytest.CaptureFixture[str]) -> Shoal:
    def run(command: str, *words: str) -> Said:
        with pytest.raises(SystemExit) as ended:
            main([command, *words, "--dir", str(stock.folder)])
        printed = capsys.readouterr()
        assert isinstance(ended.value.code, int)
        return Said(ended.value.code, printed.out, printed.err)

    return run


# --- search ----------------------------------------------------------------------------------------------------------


def test_a_search_shows_title_url_snippet_and_figures(shoal: Shoal) -> None:
    said = shoal("search", "變電站")
    assert (said.code, said.err) == (0, "")
    parts = ("1. 智能电网", "http://a.test/%E8%BD%AC%E5%8F%98", "变电站把高压变成低压", "topic 0.00 not relevant")
    assert [part for part in (*parts, "1 page matches") if part not in said.out] == []


def test_json_has_all_of_it(shoal: Shoal) -> None:
    found = json.loads(shoal("search", "substation", "--json", "--limit", "1", "--explain").out)
    (hit,) = found["hits"]
    assert (hit["title"], found["total"], found["more"]) == ("Substations", 2, True)
    assert ["Substations", True] in hit["snippet"]["parts"]
    assert hit["why"]["parts"][0]["field"] == "title"
    assert found["facets"]["site"] == [{"value": "a.test", "pages": 2}]


def test_the_next_page_of_hits_is_told_how_to_get(shoal: Shoal) -> None:
    assert "go on with --offset 1." in shoal("search", "substation", "--limit", "1").out
    assert shoal("search", "substation", "--offset", "7").out == "There are no more hits: 2 pages match in all.\n"


def test_words_may_begin_with_a_minus(shoal: Shoal) -> None:
    assert "Transformers" in shoal("search", "substation").out
    assert "Transformers" not in shoal("search", "substation", "-hums").out
    assert "Transformers" not in shoal("search", "-hums", "substation").out
    said = shoal("search", "substation", "--limt=3")
    assert (said.code, said.err.startswith("shoal: No such option '--limt'.")) == (2, True)


def test_reasons_are_printed_for_who_asks(shoal: Shoal) -> None:
    out = shoal("search", "oven", "--explain").out
    assert "oven in body" in out
    assert "× 1.000 freshness" in out


def test_a_typing_mistake_is_put_right_and_said(shoal: Shoal) -> None:
    assert shoal("search", "trasformer").out.startswith("Searched for 'transformer' instead of 'trasformer'.\n")


def test_nothing_found_is_said_with_a_suggestion_and_a_code(shoal: Shoal) -> None:
    assert shoal("search", "zzzzqqqq") == Said(1, "No page was found.\n", "")
    said = shoal("search", '"substation hums transformer"')
    assert (said.code, said.out.splitlines()[0]) == (1, "No page was found.")


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        ("after:someday", "after: needs a date such as 2024, 2024-05 or 2024-05-01, not 'someday'."),
        ("before:2024-13", "before: needs a date such as 2024, 2024-05 or 2024-05-01, not '2024-13'."),
    ],
)
def test_what_means_nothing_is_one_sentence(shoal: Shoal, words: str, sentence: str) -> None:
    assert shoal("search", words) == Said(2, "", f"shoal: {sentence}\n")


ODD = ("", "   ", '"', '"""', "-", "🐟🐟", "，。！", "site:", "-site:a.test", "foo:bar", "grid " * 3000)


@pytest.mark.parametrize("words", ODD)
def test_odd_queries_are_answered(shoal: Shoal, words: str) -> None:
    said = shoal("search", words)
    assert said.code in (0, 1, 2)
    assert "Traceback" not in said.out + said.err


def test_a_page_cannot_steer_the_terminal(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    web = {"http://a.test/": article("Evil \x1b[31m grid", "The grid \x1b]0;title\x07 is evil.")}
    with pytest.raises(SystemExit):
        main(["search", "evil", "--dir", str(Stock(tmp_path / "c", web).folder)])
    assert "\x1b" not in capsys.readouterr().out


def test_a_search_needs_a_crawl(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        main(["search", "grid", "--dir", str(tmp_path / "none")])
    assert ended.value.code == 2
    assert "There is no crawl in" in capsys.readouterr().err


def test_similar_pages_are_shown(shoal: Shoal) -> None:
    out = shoal("similar", "http://a.test/transformer").out
    assert out.index("Substations") < out.index("match")
    assert shoal("similar", "http://a.test/none").code == 2


# --- show and diff ---------------------------------------------------------------------------------------------------


def test_show_prints_the_text(shoal: Shoal) -> None:
    out = shoal("show", "a.test/bread").out
    assert out.startswith("Bread\nhttp://a.test/bread\nFetched 1970-01-12")
    assert "Flour, water, salt and an oven." in out


def test_show_html_prints_the_bytes_of_the_page(stock: Stock) -> None:
    command = [sys.executable, "-m", "shoal", "show", "--html", "--dir", str(stock.folder), "http://a.test/转变"]
    done = subprocess.run(command, capture_output=True, check=True)
    assert done.stdout == WEB["http://a.test/%E8%BD%AC%E5%8F%98"].body  # type: ignore[union-attr]


def test_versions_and_differences(shoal: Shoal, stock: Stock) -> None:
    assert shoal("diff", BREAD).code == 2
    stock.serve(bread=article("Bread", "Sourdough needs three days."))
    stock.look_again()
    listed = shoal("show", BREAD, "--versions").out.splitlines()
    assert ["first seen" in line for line in listed] == [True, False]
    assert "+1 -1 lines" in listed[1]
    lines = shoal("diff", BREAD).out.splitlines()
    assert "- Flour, water, salt and an oven." in lines
    assert "+ Sourdough needs three days." in lines
    assert "oven" in shoal("show", BREAD, "--version", "1").out
    found = json.loads(shoal("diff", BREAD, "--json").out)
    assert (found["before"], found["after"]) == (1, 2)
    assert [step["number"] for step in json.loads(shoal("show", BREAD, "--versions", "--json").out)] == [1, 2]


def test_what_cannot_go_together_is_refused(shoal: Shoal) -> None:
    assert shoal("show", BREAD, "--html", "--json").code == 2
    assert shoal("revisit", BREAD, "--older-than", "1d").code == 2
    assert "--older-than" in shoal("revisit", "--older-than", "soon").err


# --- keeping it in order ---------------------------------------------------------------------------------------------


def test_check_says_that_all_is_well_or_what_is_not(shoal: Shoal, stock: Stock) -> None:
    said = shoal("check")
    assert said.code == 1
    assert "There is no index: make it anew with 'shoal reindex" in said.out
    assert shoal("reindex").out == "5 pages are indexed.\n"
    said = shoal("check")
    assert (said.code, said.out.splitlines()[-1]) == (0, "Everything is in order.")
    found = json.loads(shoal("check", "--json").out)
    assert (found["pages"], found["bodies"], found["indexed"], found["problems"]) == (6, 5, 5, [])
    next(stock.folder.glob("*.warc.gz")).write_bytes(b"")
    said = shoal("check")
    assert said.code == 1
    assert "cannot be read" in said.out or "ends within" in said.out


def test_nothing_to_look_at_again_is_said(shoal: Shoal, stock: Stock) -> None:
    said = shoal("revisit", "--older-than", "36500d")
    assert said.code == 2
    assert said.err == (
        "shoal: There is no page to look at again: all were looked at lately (--older-than says how lately).\n"
    )


def test_two_do_not_write_to_one_index(shoal: Shoal, stock: Stock) -> None:
    from shoal.index.index_writer import IndexWriter  # here, because only this test needs one

    shoal("reindex")
    with IndexWriter(stock.folder / "index"):
        said = shoal("reindex")
        assert (said.code, said.err.startswith("shoal: Another shoal is writing to the index in ")) == (2, True)
        assert shoal("search", "oven").code == 0, "what is there can be searched meanwhile"
