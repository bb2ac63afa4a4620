"""What a user says of pages moves a crawl at once, is shown everywhere, and can be taken back."""

from __future__ import annotations

import json
import re
import shutil
from pathlib import Path
from typing import Any

import pytest

from shoal.store.crawl_folder import lock
from shoal.testing.webserver import SimpleWeb
from tests.shell import Shell, served

HOME = "http://a.test/"
GRID, DULL, IMAGE = f"{HOME}power-grid", f"{HOME}a", f"{HOME}power-grid/image"
CHINESE = f"{HOME}%E7%94%B5%E7%BD%91"
MOVED, NEW, BACK = f"{HOME}power-grid/moved", f"{HOME}power-grid/new", f"{HOME}power-grid/back"
FOLDER = "爬 行"


def small_web() -> SimpleWeb:
    links = ["/power-grid", "/电网", MOVED, BACK, IMAGE, f"{GRID}/private", f"{GRID}/gone", "/a", "/b", "/c"]
    web = SimpleWeb().robots("a.test", "User-agent: *\nDisallow: /power-grid/private")
    web.page(HOME, "The power grid and its news.", links=[*links, "http://far.test/"], title="Home")
    web.page(GRID, "A power grid has substations. " * 5, title="\x1b[31mGrid")
    web.page(CHINESE, "电网调度与变电站的运行情况。" * 5, title="智能电网")
    web.redirect(MOVED, "/power-grid/new").page(NEW, "The power grid moved.", title="New")
    web.redirect(BACK, "/power-grid")
    web.raw(IMAGE, b"GIF89a", content_type="image/gif")
    for dull in "abc":
        web.page(HOME + dull, f"Nothing about that, but {dull * 20}.", title=dull)
    return web


@pytest.fixture(scope="module")
def finished(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A crawl that has stored all pages but the last two."""
    home = tmp_path_factory.mktemp("finished")

    words = ("--topic", "power grid, 电网, 变电站=0.8", "--seed", HOME, "--dir", FOLDER, "--scope", "host")
    budget = ("--max-pages", "6", "--delay", "0", "--concurrency", "1", "--strategy", "best-first")
    with served(small_web()) as server:
        said = Shell(home)("crawl", *words, *budget, "--proxy", server.proxy)
    assert (said.code, said.err) == (0, "")
    return home / FOLDER


@pytest.fixture
def folder(finished: Path, tmp_path: Path) -> Path:
    """A copy that a test may mark as it likes."""
    shutil.copytree(finished, tmp_path / FOLDER)
    return tmp_path / FOLDER


@pytest.fixture
def shoal(folder: Path) -> Shell:
    """Any command about the crawl; `--dir` need not be typed."""
    return Shell(folder.parent, "--dir", FOLDER)


def lines(folder: Path) -> list[dict[str, Any]]:
    path = folder / "marks.jsonl"
    return [json.loads(line) for line in path.read_text().splitlines()] if path.exists() else []


def exported(shoal: Shell, *options: str) -> dict[str, tuple[bool, bool | None]]:
    rows = [json.loads(line) for line in shoal("export", *options).out.splitlines()]
    return {row["final_url"]: (row["relevant"], row["marked"]) for row in rows}


# --- what is typed ---------------------------------------------------------------------------------------------------


def test_a_mark_is_told_with_what_the_judge_said(shoal: Shell, folder: Path) -> None:
    said = shoal("mark", "--irrelevant", GRID)
    assert (said.code, said.err) == (0, "")
    first, last = said.out.splitlines()
    assert re.fullmatch(rf"Marked irrelevant  {GRID}  “ \[31mGrid”  \(judged relevant, 0\.\d+\)", first)
    assert last == f'The crawl hears of it when it goes on: shoal resume --dir "{FOLDER}"'
    assert [(line["url"], line["relevant"]) for line in lines(folder)] == [(GRID, False)]


def test_a_mark_counts_wherever_pages_are_shown(shoal: Shell) -> None:
    before = json.loads(shoal("status", "--json").out)
    shoal("mark", "--irrelevant", GRID, CHINESE)
    shoal("mark", "--relevant", IMAGE)
    after = json.loads(shoal("status", "--json").out)
    assert (after["relevant"], after["marked_relevant"], after["marked_irrelevant"]) == (before["relevant"] - 1, 1, 2)
    assert after["harvest_rate"] == after["relevant"] / 6
    text = shoal("status").out
    assert f"{after['relevant']} relevant by the judge and by hand (harvest rate" in text
    assert "; marked by hand: 1 relevant, 2 irrelevant\n" in text
    rows = exported(shoal)
    assert (rows[GRID], rows[CHINESE], rows[IMAGE], rows[HOME]) == (
        (False, False),
        (False, False),
        (True, True),
        (True, None),
    )
    assert set(exported(shoal, "--relevant")) == {url for url, (relevant, _) in rows.items() if relevant}
    explained = shoal("explain", "a.test/电网").out
    assert re.search(
        r"and was judged relevant .*\. You marked it irrelevant on \d{4}-\d\d-\d\d \d\d:\d\d UTC\.", explained
    )
    assert re.search(r"^ +0\.\d{3}  relevant, the threshold is", explained, re.MULTILINE), "that is the judge's"


def test_the_last_of_several_marks_counts(shoal: Shell, folder: Path) -> None:
    shoal("mark", "--relevant", GRID)
    shoal("mark", "--irrelevant", GRID)
    assert exported(shoal)[GRID] == (False, False)
    again = shoal("mark", "--irrelevant", GRID)
    assert again.out.startswith(f"Marked before as irrelevant  {GRID}")
    assert again.out.count("\n") == 1, "nothing changed, so there is nothing to hear of"
    assert [line["relevant"] for line in lines(folder)] == [True, False]


def test_a_mark_can_be_taken_back(shoal: Shell, folder: Path) -> None:
    shoal("mark", "--irrelevant", GRID)
    said = shoal("mark", "--forget", GRID, HOME)
    assert said.out.splitlines()[0].startswith(f"No longer marked irrelevant  {GRID}")
    assert said.out.splitlines()[1].startswith(f"Was not marked  {HOME}")
    assert exported(shoal)[GRID] == (True, None)
    assert [line["relevant"] for line in lines(folder)] == [False, None]
    assert "marked" not in shoal("explain", GRID).out
    assert shoal("mark", "--list").out == f"No page of {FOLDER} is marked.\n"


@pytest.mark.parametrize("typed", [CHINESE, f"{HOME}电网", "a.test/电网"])
def test_a_chinese_url_is_known_in_any_spelling(shoal: Shell, folder: Path, typed: str) -> None:
    said = shoal("mark", "--relevant", typed)
    assert said.out.startswith(f"Marked relevant  {CHINESE}  “智能电网”  (judged relevant, ")
    assert (f"; typed as {typed})" in said.out) == (typed != CHINESE)
    assert [line["url"] for line in lines(folder)] == [CHINESE]


def test_a_url_that_redirects_counts_for_the_page_it_led_to(shoal: Shell, folder: Path) -> None:
    said = shoal("mark", "--irrelevant", MOVED, BACK, NEW)
    assert [line["url"] for line in lines(folder)] == [NEW, GRID]
    assert said.out.splitlines()[0].endswith(f"; typed as {MOVED})")
    assert said.out.count("Marked irrelevant") == 2, "one page is marked once"


@pytest.mark.parametrize("encoding", ["utf-8", "gbk", "utf-8-sig"])
def test_urls_come_from_standard_input(shoal: Shell, folder: Path, encoding: str) -> None:
    said = shoal("mark", "--relevant", HOME, "-", typed=f"\r\n{HOME}电网\r\n\n  {GRID}  ".encode(encoding))
    assert said.code == 0
    assert [line["url"] for line in lines(folder)] == [HOME, CHINESE, GRID]


def test_as_json(shoal: Shell) -> None:
    shoal("mark", "--irrelevant", GRID)
    answer = json.loads(shoal("mark", "--relevant", "a.test/power-grid", IMAGE, "--json").out)
    assert answer["running"] is False
    grid, image = answer["pages"]
    assert 0 < grid.pop("score") < 1
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d+Z", grid.pop("at"))
    assert grid == {
        "asked": "a.test/power-grid",
        "url": GRID,
        "title": "\x1b[31mGrid",
        "before": False,
        "relevant": True,
        "judged": True,
    }
    assert (image["judged"], image["score"], image["before"]) == (None, None, None)
    listed = json.loads(shoal("mark", "--list", "--json").out)
    assert [(mark["url"], mark["relevant"]) for mark in listed] == [(GRID, True), (IMAGE, True)]


def test_the_list_shows_what_holds_with_the_judge(shoal: Shell) -> None:
    shoal("mark", "--irrelevant", CHINESE)
    shoal("mark", "--relevant", IMAGE, GRID)
    shoal("mark", "--forget", GRID)
    first, second = shoal("mark", "--list").out.splitlines()
    assert re.fullmatch(rf"irrelevant  [-\d]+ [:\d]+ UTC  {CHINESE}  “智能电网”  \(judged relevant, 0\.\d+\)", first)
    assert re.fullmatch(rf"relevant    [-\d]+ [:\d]+ UTC  {IMAGE}  \(not judged\)", second)


def test_a_crawl_at_work_keeps_nobody_from_speaking(shoal: Shell, folder: Path) -> None:
    with lock(folder):
        said = shoal("mark", "--relevant", GRID)
    assert said.out.splitlines()[-1] == "The crawl that is running hears of it now."
    assert [line["url"] for line in lines(folder)] == [GRID]


# --- what cannot be done ---------------------------------------------------------------------------------------------


NOT_FETCHED = {
    f"{HOME}c": rf"^{HOME}c has no page to mark, it is waiting: It waits at rank \d of \d by priority; the crawl has",
    f"{GRID}/gone": rf"^{GRID}/gone has no page to mark, it is failed: The server answered 404 Not Found\.$",
    f"{GRID}/private": rf"^{GRID}/private has no page to mark, it is skipped: robots\.txt forbids it\.$",
    f"{HOME}never": rf"^{HOME}never is not known to this crawl: no fetched page links to it\.$",
    "http://other.test/": r"^http://other\.test/ is not known to this crawl: it is out of scope",
    "what is this": r"^'what is this' is not a URL",
    "": r"^'' is not a URL",
}


@pytest.mark.parametrize(("url", "complaint"), NOT_FETCHED.items(), ids=NOT_FETCHED)
@pytest.mark.parametrize("what", ["--relevant", "--irrelevant", "--forget"])
def test_only_fetched_pages_can_be_marked(shoal: Shell, folder: Path, what: str, url: str, complaint: str) -> None:
    said = shoal("mark", what, GRID, url)
    assert re.search(complaint, said.sentence()), said.err
    assert (said.code, lines(folder)) == (2, []), "not even the page that could be marked is"


def test_of_many_urls_without_a_page_the_first_is_named_and_the_others_counted(shoal: Shell) -> None:
    said = shoal("mark", "--relevant", f"{GRID}/gone", GRID, f"{HOME}c", f"{HOME}never")
    assert "it is failed (2 more of these URLs have no page either): The server" in said.sentence()


BAD: dict[str, tuple[tuple[str, ...], str]] = {
    "nothing said": ((GRID,), "Give exactly one of --relevant, --irrelevant, --forget, --list."),
    "both": (("--relevant", "--irrelevant", GRID), "--relevant and --irrelevant contradict each other"),
    "no page": (("--relevant",), "--relevant needs at least one URL, or - for standard input"),
    "list of one": (("--list", GRID), "--list shows all marks and takes no URL"),
    "nothing on standard input": (("--forget", "-"), "Standard input has no URL in it"),
}


@pytest.mark.parametrize(("arguments", "complaint"), BAD.values(), ids=BAD)
def test_bad_arguments_are_one_sentence(shoal: Shell, folder: Path, arguments: tuple[str, ...], complaint: str) -> None:
    said = shoal("mark", *arguments)
    assert complaint in said.sentence()
    assert (said.code, lines(folder)) == (2, [])


def test_a_torn_file_is_read_up_to_where_it_is_torn(shoal: Shell, folder: Path) -> None:
    shoal("mark", "--irrelevant", GRID, CHINESE)
    whole = (folder / "marks.jsonl").read_bytes()
    (folder / "marks.jsonl").write_bytes(whole[:-5])
    assert (exported(shoal)[GRID], exported(shoal)[CHINESE]) == ((False, False), (True, None))
    shoal("mark", "--irrelevant", NEW)
    assert [line["url"] for line in lines(folder)] == [GRID, NEW]


@pytest.mark.parametrize(
    "command", [("status",), ("export",), ("explain", GRID), ("mark", "--list"), ("resume", "--quiet")]
)
def test_a_damaged_file_is_one_sentence_that_names_the_line(
    shoal: Shell, folder: Path, command: tuple[str, ...]
) -> None:
    (folder / "marks.jsonl").write_text(f'{{"url":"{GRID}","relevant":true,"at":1}}\nnonsense\n')
    said = shoal(*command)
    assert said.sentence().startswith(f"{FOLDER}/marks.jsonl, line 2: it is not a mark in JSON")
    assert said.code == 2


def test_the_file_is_not_overwritten_by_an_export(shoal: Shell, folder: Path) -> None:
    shoal("mark", "--relevant", GRID)
    said = shoal("export", "--out", f"{FOLDER}/marks.jsonl")
    assert "is a file of the crawl itself" in said.sentence()
    assert [line["url"] for line in lines(folder)] == [GRID]
