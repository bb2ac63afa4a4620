"""`shoal model` and `shoal crawl --model`: what one crawl learned, another begins with, also after it was killed."""

from __future__ import annotations

import asyncio
import json
import os
import re
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from msgspec.structs import replace

from shoal import services
from shoal.store.strategy_memory import FORMAT, read_model, write_model
from shoal.testing.webserver import WebAnswer, WebServer
from tests.running import stored
from tests.shell import Said, Shell, served
from tests.telling import HOME, MODEL, SETTINGS, TOPIC, Foreteller, ShallowWeb, teller_laid

ARGUMENTS = ("--topic", TOPIC, "--seed", HOME, "--delay", "0", "--strategy", "teller", "--concurrency", "1", "--quiet")


@pytest.fixture(scope="module", autouse=True)
def teller() -> Iterator[None]:
    """Every command here knows the strategy `teller`."""
    with teller_laid():
        yield


# --- from crawl to crawl ---------------------------------------------------------------------------------------------


class Carried:
    """A crawl, its model, and a second crawl that begins with it."""

    def __init__(self, home: Path) -> None:
        self.home, shoal = home, Shell(home)
        first, second, plain = (ShallowWeb(good=10, dull=30, good_last=True) for _ in range(3))
        with served(first) as server:
            shoal("crawl", *ARGUMENTS, "--proxy", server.proxy, "--dir", "一")
        self.exported = shoal("model", "export", "--dir", "一", "--out", "模型 1.model")
        self.exported_json = shoal("model", "export", "--dir", "一", "--out", "2.model", "--json")
        self.shown = shoal("model", "show", "模型 1.model")
        self.shown_json = shoal("model", "show", "模型 1.model", "--json")
        (home / "电网.toml").write_text(
            f'keywords = ["电网", "power grid"]\nseeds = ["{HOME}"]\nstrategy = "teller"\ndelay = 0\nconcurrency = 1\n',
            encoding="utf-8",
        )
        with served(second) as server:
            begin = ("crawl", "电网.toml", "--model", "模型 1.model", "--max-pages", "11", "--proxy", server.proxy)
            self.second = shoal(*begin, "--dir", "二", "--quiet")
        with served(plain) as server:
            shoal("crawl", *ARGUMENTS, "--max-pages", "11", "--proxy", server.proxy, "--dir", "三")
        self.asked, self.asked_plain = second.asked, plain.asked
        self.again = shoal("model", "export", "--dir", "二", "--out", "3.model")


@pytest.fixture(scope="module")
def carried(teller: None, tmp_path_factory: pytest.TempPathFactory) -> Carried:
    return Carried(tmp_path_factory.mktemp("carried"))


@pytest.mark.slow
def test_a_model_is_exported(carried: Carried) -> None:
    assert (carried.exported.code, carried.exported.out) == (0, "")
    assert carried.exported.err == (
        "What teller learned from 41 pages is in 模型 1.model.\n"
        "Begin with it: shoal crawl TOPIC.toml --strategy teller --model '模型 1.model'\n"
    )
    model = read_model(carried.home / "模型 1.model")
    assert (model.strategy, model.pages, model.topic.name) == ("teller", 41, "power grid, 电网")
    assert datetime.now(UTC) - datetime.fromtimestamp(model.at, UTC) < timedelta(minutes=10)


def test_what_is_inside_is_shown(carried: Carried) -> None:
    assert carried.shown.code == 0
    first, topic, taken, knowledge, advice = carried.shown.out.splitlines()
    assert first == "模型 1.model  learned by teller from 41 pages"
    assert topic == "  topic      power grid, 电网: power grid 1.00, 电网 1.00"
    assert re.fullmatch(r"  taken      \d{4}-\d\d-\d\d \d\d:\d\d:\d\d UTC, by shoal \d+\.\d+\.\d+", taken)
    assert re.fullmatch(r"  knowledge  \d+ bytes", knowledge)
    assert advice == "Begin with it: shoal crawl TOPIC.toml --strategy teller --model '模型 1.model'"


def test_the_same_as_json(carried: Carried) -> None:
    shown = json.loads(carried.shown_json.out)
    assert (shown["file"], shown["format"], shown["strategy"], shown["pages"]) == ("模型 1.model", FORMAT, "teller", 41)
    assert [term["text"] for term in shown["topic"]["terms"]] == ["power grid", "电网"]
    assert shown["topic"]["terms"][0] == {"text": "power grid", "weight": 1.0, "factor": 1.0, "origin": "hand"}
    assert shown["topic"]["any"] == []
    assert shown["bytes"] == len(read_model(carried.home / "模型 1.model").knowledge)
    exported = json.loads(carried.exported_json.out)
    assert exported | {"file": "", "at": ""} == shown | {"file": "", "at": ""}


def test_the_second_crawl_goes_to_the_good_pages_at_once(carried: Carried) -> None:
    assert (carried.second.code, carried.second.err) == (0, "")
    good = [f"http://good.test/{number}" for number in range(10)]
    assert sorted(carried.asked) == sorted([HOME, *good])
    assert len(set(carried.asked_plain) & set(good)) < 5, "without the model it does not know them"


def test_what_a_crawl_began_with_goes_on_to_the_next(carried: Carried) -> None:
    assert carried.again.code == 0
    assert read_model(carried.home / "3.model").pages == 41 + 11


# --- a crawl that was killed -----------------------------------------------------------------------------------------


class Waiting:
    """A web that says when so many pages were asked for."""

    def __init__(self, web: ShallowWeb, pages: int) -> None:
        self.web, self._pages, self._reached = web, pages, asyncio.Event()

    async def wait(self) -> None:
        await self._reached.wait()

    def answer(self, host: str, target: str, nth: int) -> WebAnswer:
        answer = self.web.answer(host, target, nth)
        if len(self.web.asked) >= self._pages:
            self._reached.set()
        return answer


@pytest.mark.slow
async def test_a_killed_crawl_does_not_need_the_file_again(tmp_path: Path) -> None:
    write_model(tmp_path / "模型", MODEL)
    operator, web = Foreteller(tmp_path), Waiting(ShallowWeb(good=60, dull=60, good_last=True, delay=0.05), pages=30)
    async with WebServer(web) as server:
        options = (*ARGUMENTS, "--max-pages", "50", "--proxy", server.proxy)
        crawl = await operator.types("crawl", *options, "--model", "模型", "--dir", "c")
        assert await crawl.lives_until(web.wait())
        await crawl.kill()
        (tmp_path / "模型").unlink()
        assert (await operator.runs("resume", "--dir", "c", "--quiet")) == Said(0, "", "")
    pages = {url for url, _, _ in stored(tmp_path / "c")}
    assert len(pages) == 50
    assert pages - {HOME} == {url for url in pages if url.startswith("http://good.test/")}, "the good ones, to the end"
    counted = json.loads((await operator.runs("model", "export", "--dir", "c", "--out", "m", "--json")).out)
    assert counted["pages"] == 100 + 50


# --- what cannot be done ---------------------------------------------------------------------------------------------


def refused_files(home: Path) -> dict[str, str]:
    """Files that no crawl can begin with, and what is said of each."""
    whole = home / "whole"
    write_model(whole, MODEL)
    (home / "截断").write_bytes(whole.read_bytes()[:-5])
    (home / "text").write_text("hello")
    (home / "newer").write_bytes(b"shoal model, format 2\n")
    with (home / "huge").open("wb") as stream:
        stream.truncate(2**27)
    write_model(home / "fish", replace(MODEL, strategy="fish"))
    write_model(home / "stranger", replace(MODEL, strategy="电网-2"))
    write_model(home / "garbage", replace(MODEL, knowledge=b"\xc1"))
    return {
        "none": "none: there is no such model file.",
        "截断": "截断 is truncated: its end is missing, so copy or export it again.",
        "text": "text is not a model file: shoal model export makes them.",
        "newer": f"newer was written by another version of shoal (format 2, this one reads {FORMAT}).",
        "huge": "huge is too large for a model file: at most 64 MiB are read.",
        "fish": "The model was learned by the strategy fish, and this crawl uses teller, which cannot read it: "
        "add --strategy fish, or leave --model out.",
        "stranger": "The model was learned by the strategy 电网-2, which is not installed here.",
        "garbage": "The model holds no hosts with their pages, so teller cannot begin with it.",
    }


@pytest.mark.slow
def test_a_file_that_no_crawl_can_begin_with_is_one_sentence_and_leaves_nothing(shoal: Shell, tmp_path: Path) -> None:
    for file, complaint in refused_files(tmp_path).items():
        said = shoal("crawl", *ARGUMENTS, "--model", file, "--dir", "c")
        assert (said.code, said.sentence()) == (2, complaint)
        assert not (tmp_path / "c").exists()


@pytest.mark.slow
def test_show_says_the_same_of_files_that_are_none(shoal: Shell, tmp_path: Path) -> None:
    complaints = refused_files(tmp_path)
    for file in ("none", "截断", "text", "newer", "huge"):
        assert shoal("model", "show", file).sentence() == complaints[file]
    assert shoal("model", "show", "fish").out.startswith("fish  learned by fish from 100 pages\n")


def test_a_model_is_for_the_start_of_a_crawl(shoal: Shell, tmp_path: Path) -> None:
    services.crawls.start_crawl(tmp_path / "c", SETTINGS)
    said = shoal("resume", "--dir", "c", "--model", "x").sentence()
    assert said == "--model is for the start of a crawl: this one has learned from its own pages since."


def test_seeds_that_cannot_be_reached_leave_no_model_behind(shoal: Shell, tmp_path: Path) -> None:
    write_model(tmp_path / "m", MODEL)
    unreachable = ("--topic", "grid", "--seed", "http://127.0.0.1:9/", "--strategy", "teller", "--quiet")
    said = shoal("crawl", *unreachable, "--model", "m", "--dir", "c")
    assert said.code == 1
    assert "Not one seed could be fetched" in said.err
    assert not (tmp_path / "c").exists()


def test_folders_and_places_that_cannot_be_used_are_one_sentence(shoal: Shell, tmp_path: Path) -> None:
    services.crawls.start_crawl(tmp_path / "c", SETTINGS, MODEL)
    for folder, out, words in (
        ("none", "m", "There is no crawl in none: start one with"),
        ("c", "missing/m", "Cannot write missing/m: No such file or directory."),
        ("c", ".", "Cannot write .: Is a directory."),
        ("c", "/dev/full", "There is no room left to write /dev/full."),
    ):
        assert words in shoal("model", "export", "--dir", folder, "--out", out).sentence()
    assert os.listdir(tmp_path) == ["c"]
