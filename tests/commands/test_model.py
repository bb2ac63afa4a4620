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

from shoal.errors import InputError
from shoal.model import Term, Topic
from shoal.protocols import Strategy
from shoal.services import crawls as app
from shoal.services import marks as knowing
from shoal.settings import Settings
from shoal.store import crawl_folder as folders
from shoal.store.crawl_store import open_store
from shoal.store.models import FORMAT, Model, read_model, write_model
from shoal.testing.webserver import Answer, WebServer
from tests.running import Finished, stored
from tests.telling import HOME, TOPIC, Foreteller, ShallowWeb, teller_laid

pytestmark = pytest.mark.slow  # commands, each a process of its own
ARGUMENTS = ("--topic", TOPIC, "--seed", HOME, "--delay", "0", "--strategy", "teller", "--concurrency", "1", "--quiet")
SETTINGS = Settings(topic=Topic(name="电网", terms=(Term(text="电网"),)), seeds=(HOME,), strategy="teller")
KNOWLEDGE = b"\x81\xa9good.test\x92\x64\x64"
"""`good.test` had 100 relevant pages of 100."""
MODEL = Model(strategy="teller", shoal="0.1.0", topic=SETTINGS.topic, pages=100, at=1_800_000_000, knowledge=KNOWLEDGE)


@pytest.fixture
def teller() -> Iterator[None]:
    with teller_laid():
        yield


def sentence(said: Finished) -> str:
    """The one line on standard error, of a command that was refused."""
    assert (said.code, said.out) == (2, "")
    assert said.err.startswith("shoal: ")
    assert said.err.count("\n") == 1, said.err
    return said.err.removeprefix("shoal: ").rstrip()


def strategy_of(folder: Path) -> Strategy:
    """As the next run would have it."""
    with open_store(folder) as store:
        return app.make_strategy(store)


# --- from crawl to crawl ---------------------------------------------------------------------------------------------


class Carried:
    """A crawl, its model, and a second crawl that begins with it."""

    def __init__(self, home: Path) -> None:
        self.home, self.operator = home, Foreteller(home)

    async def play(self) -> None:
        first, second, plain = (ShallowWeb(good=10, dull=30, good_last=True) for _ in range(3))
        async with WebServer(first) as server:
            await self.operator.runs("crawl", *ARGUMENTS, "--proxy", server.proxy, "--dir", "一")
        self.exported = await self.operator.runs("model", "export", "--dir", "一", "--out", "模型 1.model")
        self.exported_json = await self.operator.runs("model", "export", "--dir", "一", "--out", "2.model", "--json")
        self.shown = await self.operator.runs("model", "show", "模型 1.model")
        self.shown_json = await self.operator.runs("model", "show", "模型 1.model", "--json")
        (self.home / "电网.toml").write_text(
            f'keywords = ["电网", "power grid"]\nseeds = ["{HOME}"]\nstrategy = "teller"\ndelay = 0\nconcurrency = 1\n',
            encoding="utf-8",
        )
        async with WebServer(second) as server:
            begin = ("crawl", "电网.toml", "--model", "模型 1.model", "--max-pages", "11", "--proxy", server.proxy)
            self.second = await self.operator.runs(*begin, "--dir", "二", "--quiet")
        async with WebServer(plain) as server:
            await self.operator.runs("crawl", *ARGUMENTS, "--max-pages", "11", "--proxy", server.proxy, "--dir", "三")
        self.asked, self.asked_plain = second.asked, plain.asked
        self.again = await self.operator.runs("model", "export", "--dir", "二", "--out", "3.model")


@pytest.fixture(scope="module")
def carried(tmp_path_factory: pytest.TempPathFactory) -> Carried:
    crawls = Carried(tmp_path_factory.mktemp("carried"))
    asyncio.run(crawls.play())
    return crawls


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

    def answer(self, host: str, target: str, nth: int) -> Answer:
        answer = self.web.answer(host, target, nth)
        if len(self.web.asked) >= self._pages:
            self._reached.set()
        return answer


async def test_a_killed_crawl_does_not_need_the_file_again(tmp_path: Path, teller: None) -> None:
    write_model(tmp_path / "模型", MODEL)
    operator, web = Foreteller(tmp_path), Waiting(ShallowWeb(good=60, dull=60, good_last=True, delay=0.05), pages=30)
    async with WebServer(web) as server:
        options = (*ARGUMENTS, "--max-pages", "50", "--proxy", server.proxy)
        crawl = await operator.types("crawl", *options, "--model", "模型", "--dir", "c")
        assert await crawl.lives_until(web.wait())
        await crawl.kill()
        (tmp_path / "模型").unlink()
        assert (await operator.runs("resume", "--dir", "c", "--quiet")) == Finished(0, "", "")
    pages = {url for url, _, _ in stored(tmp_path / "c")}
    assert len(pages) == 50
    assert pages - {HOME} == {url for url in pages if url.startswith("http://good.test/")}, "the good ones, to the end"
    counted = json.loads((await operator.runs("model", "export", "--dir", "c", "--out", "m", "--json")).out)
    assert counted["pages"] == 100 + 50


def test_the_strategy_has_the_model_before_its_own_pages(teller: None, tmp_path: Path) -> None:
    made = app.start_crawl(tmp_path / "c", SETTINGS, MODEL)
    assert strategy_of(tmp_path / "c").knowledge() == KNOWLEDGE
    assert sorted(path.name for path in (tmp_path / "c").iterdir() if "sqlite" not in path.name) == [
        "crawl.model",
        "lock",
        "pages-00001.warc.gz",
        "settings.json",
    ]
    app.forget_crawl(made)
    assert list(tmp_path.iterdir()) == []


def test_another_strategy_is_not_given_it_and_who_comes_back_is(teller: None, tmp_path: Path) -> None:
    app.start_crawl(tmp_path, SETTINGS, MODEL)
    app.change_settings(tmp_path, {"strategy": "breadth"})
    assert strategy_of(tmp_path).knowledge() == b""
    app.change_settings(tmp_path, {"strategy": "teller"})
    assert strategy_of(tmp_path).knowledge() == KNOWLEDGE


def test_a_crawl_whose_model_is_gone_says_so(teller: None, tmp_path: Path) -> None:
    app.start_crawl(tmp_path, SETTINGS, MODEL)
    (tmp_path / folders.MODEL).unlink()
    with pytest.raises(InputError, match=r"crawl\.model: there is no such model file"):
        strategy_of(tmp_path)


def test_a_file_of_the_user_in_the_folder_is_not_taken_for_a_model(teller: None, tmp_path: Path) -> None:
    app.start_crawl(tmp_path, SETTINGS)
    (tmp_path / folders.MODEL).write_bytes(b"not ours")
    assert strategy_of(tmp_path).knowledge() == b""


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
        "huge": "huge is too large for a model: at most 64 MiB are read.",
        "fish": "The model was learned by the strategy fish, and this crawl uses teller, which cannot read it: "
        "add --strategy fish, or leave --model out.",
        "stranger": "The model was learned by the strategy 电网-2, which is not installed here.",
        "garbage": "The model holds no hosts with their pages, so teller cannot begin with it.",
    }


async def test_a_file_that_no_crawl_can_begin_with_is_one_sentence_and_leaves_nothing(tmp_path: Path) -> None:
    operator = Foreteller(tmp_path)
    for file, complaint in refused_files(tmp_path).items():
        assert sentence(await operator.runs("crawl", *ARGUMENTS, "--model", file, "--dir", "c")) == complaint
        assert not (tmp_path / "c").exists()


async def test_show_says_the_same_of_files_that_are_none(tmp_path: Path) -> None:
    operator = Foreteller(tmp_path)
    complaints = refused_files(tmp_path)
    for file in ("none", "截断", "text", "newer", "huge"):
        assert sentence(await operator.runs("model", "show", file)) == complaints[file]
    assert (await operator.runs("model", "show", "fish")).out.startswith("fish  learned by fish from 100 pages\n")


async def test_a_model_is_for_the_start_of_a_crawl(teller: None, tmp_path: Path) -> None:
    app.start_crawl(tmp_path / "c", SETTINGS)
    said = await Foreteller(tmp_path).runs("resume", "--dir", "c", "--model", "x")
    assert sentence(said) == "--model is for the start of a crawl: this one has learned from its own pages since."


async def test_seeds_that_cannot_be_reached_leave_no_model_behind(tmp_path: Path) -> None:
    write_model(tmp_path / "m", MODEL)
    unreachable = ("--topic", "grid", "--seed", "http://127.0.0.1:9/", "--strategy", "teller", "--quiet")
    said = await Foreteller(tmp_path).runs("crawl", *unreachable, "--model", "m", "--dir", "c")
    assert said.code == 1
    assert "Not one seed could be fetched" in said.err
    assert not (tmp_path / "c").exists()


def complaint(folder: Path, out: Path) -> str:
    with pytest.raises(InputError) as caught:
        knowing.export_model(folder, out)
    assert not out.exists() or folders.is_own(folder, out)
    return str(caught.value)


def test_a_strategy_that_learns_nothing_says_who_does(teller: None, tmp_path: Path) -> None:
    folder = tmp_path / "c"
    app.start_crawl(folder, Settings(topic=SETTINGS.topic, seeds=(HOME,), strategy="breadth"))
    said = complaint(folder, tmp_path / "m")
    assert said.startswith("The strategy breadth learns nothing that another crawl could begin with; only ")
    assert "teller" in said
    assert "pagerank" not in said


def test_a_crawl_that_has_not_learned_yet_says_so(teller: None, tmp_path: Path) -> None:
    app.start_crawl(tmp_path / "c", SETTINGS)
    assert complaint(tmp_path / "c", tmp_path / "m").startswith("The crawl has learned nothing yet")


def test_a_running_crawl_must_be_stopped_first(teller: None, tmp_path: Path) -> None:
    app.start_crawl(tmp_path / "c", SETTINGS, MODEL)
    with folders.lock(tmp_path / "c"):
        assert complaint(tmp_path / "c", tmp_path / "m").startswith(f"A crawl is running in {tmp_path / 'c'}: stop it")


@pytest.mark.parametrize("name", ["crawl.sqlite", "crawl.model", "lock", "pages-00001.warc.gz", "feedback.jsonl"])
def test_no_file_of_the_crawl_is_overwritten(teller: None, tmp_path: Path, name: str) -> None:
    app.start_crawl(tmp_path / "c", SETTINGS, MODEL)
    assert complaint(tmp_path / "c", tmp_path / "c" / name).endswith(
        "is a file of the crawl itself: choose another name."
    )
    assert knowing.export_model(tmp_path / "c", tmp_path / "c" / "mine.model").knowledge == KNOWLEDGE


async def test_folders_and_places_that_cannot_be_used_are_one_sentence(teller: None, tmp_path: Path) -> None:
    app.start_crawl(tmp_path / "c", SETTINGS, MODEL)
    operator = Foreteller(tmp_path)
    for folder, out, words in (
        ("none", "m", "There is no crawl in none: start one with"),
        ("c", "missing/m", "Cannot write missing/m: No such file or directory."),
        ("c", ".", "Cannot write .: Is a directory."),
        ("c", "/dev/full", "There is no room left to write /dev/full."),
    ):
        assert words in sentence(await operator.runs("model", "export", "--dir", folder, "--out", out))
    assert [name for name in os.listdir(tmp_path) if not name.startswith("said-")] == ["c"]


def test_a_strategy_whose_author_took_it_away_is_named(tmp_path: Path) -> None:
    folders.create_new(tmp_path / "c", SETTINGS)
    assert complaint(tmp_path / "c", tmp_path / "m").startswith("There is no strategy teller any more")
