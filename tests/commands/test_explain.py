"""`shoal explain` reads well for every fate; of a URL that waits, its strategy says what makes the value at this moment."""

from __future__ import annotations

import asyncio
import json
import re
from pathlib import Path

import pytest

from shoal import services
from shoal.cli import main
from shoal.model import Evidence
from tests.commands.conftest import HOME
from tests.shell import Shell
from tests.waiting_urls import crawled, waiting


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Of a crawl that is over; nobody may change it."""
    folder = tmp_path_factory.mktemp("crawls") / "c"
    crawled(folder)
    return folder


@pytest.mark.slow
def test_a_person_sees_them_with_their_signs(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    url = waiting(folder, "sport")
    assert explained(folder, url) == 0
    said = capsys.readouterr().out
    parts = reasons(folder, url)
    heading = said.index("\nWhat makes its value now\n")
    for part in parts:
        assert said.index(f"  {part.amount:+6.3f}  {part.what}\n") > heading


def test_a_program_reads_them_as_json(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    url = waiting(folder, "电网")
    assert explained(folder, url, "--json") == 0
    parts = reasons(folder, url)
    found = json.loads(capsys.readouterr().out)["value_why"]
    assert found == [{"what": part.what, "amount": pytest.approx(part.amount)} for part in parts]


def reasons(folder: Path, url: str) -> tuple[Evidence, ...]:
    return asyncio.run(services.explain.explain_in_depth(folder, url)).value_why


def explained(folder: Path, url: str, *options: str) -> int:
    with pytest.raises(SystemExit) as ended:
        main(["explain", url, "--dir", str(folder), *options])
    return int(ended.value.code or 0)


def test_a_strategy_that_gives_no_reasons_needs_none(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    crawled(tmp_path, "breadth")
    url = waiting(tmp_path, "sport")
    assert reasons(tmp_path, url) == ()
    assert explained(tmp_path, url) == 0
    assert "value now" not in capsys.readouterr().out


# --- every fate ------------------------------------------------------------------------------------------------------


EXPLAINED = {
    HOME: "It was fetched as page 1 and is ",
    "a.test/电网": "It was fetched as page ",
    f"{HOME}power-grid/private": "Skipped (robots): robots.txt forbids it.",
    f"{HOME}power-grid/gone": "Failed (status): The server answered 404 Not Found.",
    f"{HOME}power-grid/moved": f"It redirects to {HOME}power-grid/new.",
    f"{HOME}power-grid/image": ", of a type that is not judged.",
    "http://elsewhere.test/": "Skipped (scope): scope is host: its host elsewhere.test is not the host of a seed.",
    f"{HOME}f": "; the crawl has reached its budget of 6 pages (--max-pages). On its host it is number ",
}


@pytest.mark.parametrize(("url", "sentence"), EXPLAINED.items(), ids=EXPLAINED)
def test_explain_reads_well_for_every_fate(crawled: Shell, url: str, sentence: str) -> None:
    said = crawled("explain", url)
    assert (said.code, said.err) == (0, "")
    assert sentence in said.out
    assert "How we got there" in said.out
    assert f"{HOME}  a seed" in said.out
    assert "Priority" in said.out
    assert "None" not in said.out


def test_a_seed_goes_first_whatever_number_says_so(crawled: Shell) -> None:
    assert "\nPriority\n   first  a seed\n" in crawled("explain", HOME).out
    assert re.search(r"\nPriority\n   ?\d+\.\d{3}  ", crawled("explain", f"{HOME}power-grid").out)


def test_explain_shows_what_made_the_score(crawled: Shell) -> None:
    said = crawled("explain", f"{HOME}%E7%94%B5%E7%BD%91")
    assert "“智能电网”" in said.out
    assert re.search(r"^  \+0\.\d+  “电网” ", said.out, re.MULTILINE), said.out


def test_a_strangers_title_cannot_steer_the_terminal(crawled: Shell) -> None:
    said = crawled("explain", f"{HOME}power-grid")
    assert "Grid" in said.out
    assert "\x1b" not in said.out
    assert "\u202e" not in said.out


@pytest.mark.parametrize("url", EXPLAINED)
def test_explain_as_json(crawled: Shell, url: str) -> None:
    found = json.loads(crawled("explain", url, "--json").out)
    assert found["state"] in {"waiting", "done", "failed", "skipped", "moved"}
    assert found["sentence"]
    assert found["path"][0]["url"] == HOME
    assert found["path"][-1]["url"] == found["url"]
    assert (found["rank"] is not None) == (found["state"] == "waiting")


@pytest.mark.parametrize(
    ("url", "complaint"),
    [
        ("", "'' is not a URL"),
        ("what is this", "'what is this' is not a URL"),
        ("x" * 100_000, "...xxx"),
        ("mailto:someone@a.test", "is not a URL"),
        (f"{HOME}never-heard-of", f"{HOME}never-heard-of is not known to this crawl: no fetched page links to it."),
        ("http://far.test/", "is not known to this crawl: it is out of scope (scope is host"),
    ],
)
def test_explain_of_something_else_is_one_sentence(crawled: Shell, url: str, complaint: str) -> None:
    said = crawled("explain", url)
    assert complaint in said.sentence()
    assert len(said.sentence()) < 300
    assert said.code == 2


def test_a_narrow_window_breaks_no_url(crawled: Shell, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "20")
    out = crawled("explain", f"{HOME}power-grid/gone").out
    assert f"{HOME}power-grid/gone" in out.splitlines()
    assert "\x1b" not in out
