"""`--until-done`, as it is typed and as it ends crawls of a web on loopback: in time, with an estimate, and for good."""

from __future__ import annotations

import asyncio
import io
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace
from rich.console import Console

from shoal import services
from shoal.commands import live_screen
from shoal.commands.crawl import crawl, outcome
from shoal.commands.resume import resume
from shoal.crawl.termination import Ending
from shoal.errors import InputError
from shoal.model import Outlook
from shoal.settings import Budget
from shoal.store.crawl_status import Forecast
from shoal.testing.webserver import WebServer
from shoal.topic.topic_file import overlay, read_topic, topic_from_words
from tests.commands.test_crawl import OVER
from tests.commands.test_live_lines import NOW
from tests.commands.test_live_screen import drawn
from tests.crawl.simulated import SEED, Simulation, page
from tests.running import Finished, ask, assert_consistent, stored
from tests.telling import HOME, TOPIC, Foreteller, ShallowWeb, teller_laid

pytestmark = pytest.mark.slow  # commands, each a process of its own
GOOD, DULL = 40, 600


@pytest.fixture
def teller() -> Iterator[None]:
    with teller_laid():
        yield


# --- what can be typed -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("typed", "share", "file"),
    [
        (["grid.toml"], None, "grid.toml"),
        (["--until-done", "grid.toml"], "0.05", "grid.toml"),
        (["--until-done", "电网.toml"], "0.05", "电网.toml"),
        (["grid.toml", "--until-done"], "0.05", "grid.toml"),
        (["--until-done", "--quiet", "grid.toml"], "0.05", "grid.toml"),
        (["--until-done", "--", "grid.toml"], "0.05", "grid.toml"),
        (["--until-done=0.1", "grid.toml"], "0.1", "grid.toml"),
        (["--until-done", "0.1", "grid.toml"], "0.1", "grid.toml"),
        (["--until-done", "10%", "grid.toml"], "10%", "grid.toml"),
        (["grid.toml", "--until-done", "10%"], "10%", "grid.toml"),
        (["--until-done", "10", "grid.toml"], "10", "grid.toml"),  # refused later, with a sentence about shares
        (["--until-done", "-0.1", "grid.toml"], "-0.1", "grid.toml"),
        (["--until-done=grid.toml"], "grid.toml", None),  # refused later, too
        (["--until-done", "./10%"], "0.05", "10%"),
        (["--until-done", "2024.toml"], "0.05", "2024.toml"),
        (["--", "--until-done"], None, "--until-done"),
    ],
)
def test_the_share_may_be_left_out_before_a_topic_file(typed: list[str], share: str | None, file: str | None) -> None:
    given = crawl.make_context("crawl", list(typed)).params
    assert (given["until_done"], given["topic_file"]) == (share, None if file is None else Path(file))


def test_resume_reads_it_in_the_same_way() -> None:
    given = resume.make_context("resume", ["--until-done", "--dir", "c"]).params
    assert (given["until_done"], given["folder"]) == ("0.05", Path("c"))


@pytest.mark.parametrize(
    ("said", "share"),
    [("true", 0.05), ("false", None), ("0.1", 0.1), ('"10%"', 0.1), ('"0.02"', 0.02), ("0", None), ("1", 1.0)],
)
def test_a_topic_file_can_say_it(tmp_path: Path, said: str, share: float | None) -> None:
    path = tmp_path / "电网.toml"
    path.write_text(f'keywords = ["电网"]\nseeds = ["{HOME}"]\nuntil_done = {said}\n', encoding="utf-8")
    assert read_topic(path, names=services.choices.names()).budget == Budget(until_done=share)


def test_what_is_typed_wins_and_0_takes_it_back() -> None:
    settings = topic_from_words("grid", [HOME], names=services.choices.names(), options={"until_done": "5%"})
    assert settings.budget.until_done == 0.05
    assert overlay(settings, {}, names=services.choices.names()).budget.until_done == 0.05
    assert overlay(settings, {"until_done": "2.5%"}, names=services.choices.names()).budget.until_done == 0.025
    assert overlay(settings, {"until_done": "0"}, names=services.choices.names()).budget.until_done is None


@pytest.mark.parametrize("share", ["-0.1", "1.1", "101%", "nan", "inf", "soon", "", "%", "5 %%"])
def test_what_is_no_share_is_one_sentence(share: str) -> None:
    with pytest.raises(
        InputError, match=r"^--until-done must be a share from 0 to 1 or a percentage, such as 0.05 or '5%'"
    ):
        topic_from_words("grid", [HOME], names=services.choices.names(), options={"until_done": share})


# --- a crawl of an exhausted topic -----------------------------------------------------------------------------------

ARGUMENTS = ("--topic", TOPIC, "--seed", HOME, "--delay", "0", "--strategy", "teller")


class Exhausted:
    """A crawl that was done, and everything that was typed about it since."""

    def __init__(self, home: Path) -> None:
        self.operator, self.folder = Foreteller(home), home / "电网"
        self.asked: list[int] = []
        """Pages that were asked for by the end of each command."""

    async def play(self) -> None:
        web = ShallowWeb(good=GOOD, dull=DULL)
        async with WebServer(web) as server:
            options = (*ARGUMENTS, "--proxy", server.proxy, "--concurrency", "1", "--dir", "电网")
            self.crawl = await self.operator.runs("crawl", "--until-done", *options)
            self.asked.append(len(web.asked))
            self.status = await self.operator.runs("status", "--dir", "电网")
            self.status_json = json.loads((await self.operator.runs("status", "--dir", "电网", "--json")).out)
            self.again = await self.operator.runs("resume", "--dir", "电网")
            self.asked.append(len(web.asked))
            self.lower = await self.operator.runs("resume", "--dir", "电网", "--until-done", "2%", "--json")
            self.asked.append(len(web.asked))
            self.off = await self.operator.runs("resume", "--dir", "电网", "--until-done", "0", "--json")
            self.asked.append(len(web.asked))


@pytest.fixture(scope="module")
def exhausted(tmp_path_factory: pytest.TempPathFactory) -> Exhausted:
    crawl = Exhausted(tmp_path_factory.mktemp("exhausted"))
    asyncio.run(crawl.play())
    return crawl


def test_a_crawl_ends_by_itself_when_the_topic_is_exhausted(exhausted: Exhausted) -> None:
    said = exhausted.crawl
    # On a busy machine it says how far it is, and that it finishes its index.
    complaints = [line for line in said.err.splitlines() if " pages, " not in line and "the index …" not in line]
    assert (said.code, complaints) == (0, [])
    assert said.out.startswith("The crawl is over: the topic is exhausted.\n")
    assert f"{GOOD + 1} relevant by the judge" in said.out, "nothing is missed"
    assert "Go on with: shoal resume --dir 电网 --until-done SHARE\n" in said.out
    # With n pages of each of the six dull hosts, a link to one is worth 1 / (n + 2): below 5 % from n = 19 on, which is after
    # 41 + 114 pages. Asked at 200 and again at 300; one more page may be in flight.
    assert 300 <= exhausted.asked[0] <= 301


def test_it_says_what_it_missed(exhausted: Exhausted) -> None:
    # 259 of 600 dull pages came, about 43 of each host: 341 wait, and each is worth about 1 / 45.
    waiting = 1 + GOOD + DULL - exhausted.asked[0]
    estimate = (
        f"The next 200 pages would bring about {round(exhausted.status_json['outlook']['relevant'])} relevant ones; "
        f"about 8 relevant pages remain among the {waiting} that wait."
    )
    assert estimate in exhausted.crawl.out.splitlines()
    assert estimate in exhausted.status.out.splitlines()
    outlook = exhausted.status_json["outlook"]
    assert (outlook["pages"], outlook["waiting"], outlook["after"]) == (200, waiting, exhausted.asked[0])
    assert outlook["relevant"] == pytest.approx(200 / 45, rel=0.15)
    assert outlook["missed"] == pytest.approx(341 / 45, rel=0.1)
    assert outlook["warning"] == ""


def test_who_resumes_it_hears_that_it_is_done_and_fetches_nothing(exhausted: Exhausted) -> None:
    assert exhausted.again.out.startswith("The crawl is over: the topic is exhausted.\n")
    assert exhausted.again.code == 0
    assert exhausted.asked[1] == exhausted.asked[0]


def test_with_a_smaller_share_it_goes_on(exhausted: Exhausted) -> None:
    answer = json.loads(exhausted.lower.out)
    assert answer["ending"] == "the topic is exhausted"
    assert answer["outlook"] == answer["status"]["outlook"]
    assert answer["outlook"]["after"] == exhausted.asked[2] > exhausted.asked[1] + 100
    # 1 / (n + 2) is below 2 % from n = 49 on, which is after 41 + 294 pages.
    assert answer["outlook"]["relevant"] < 0.02 * answer["outlook"]["pages"]


def test_without_it_it_goes_on_to_the_end(exhausted: Exhausted) -> None:
    answer = json.loads(exhausted.off.out)
    assert (answer["ending"], answer["status"]["waiting"]) == ("nothing left to fetch", 0)
    assert exhausted.asked[3] == 1 + GOOD + DULL
    assert ask(exhausted.folder, "SELECT value FROM meta WHERE key = 'finish'") == []


async def crawled(home: Path, *options: str, web: ShallowWeb) -> tuple[Finished, dict[str, Any]]:
    async with WebServer(web) as server:
        said = await Foreteller(home).runs("crawl", *options, "--proxy", server.proxy, "--dir", "c", "--json")
    return said, json.loads(said.out) if said.out else {}


async def test_random_checks_that_find_more_keep_it_going_and_are_told(tmp_path: Path) -> None:
    checks = ("--set", "checked=25", "--set", "found=6", "--set", "expected=1.2")
    options = (*ARGUMENTS, *checks, "--until-done", "10%")
    said, answer = await crawled(tmp_path, *options, web=ShallowWeb(good=10, dull=340))
    # 6 of 25 are 24 %, more than twice the limit: the model is not believed.
    assert (said.code, answer["ending"]) == (0, "nothing left to fetch")
    warning = (
        "Random checks find more than the model expects (6 of 25, expected 1.2): the topic may be wider than its words."
    )
    assert answer["outlook"]["warning"] == warning
    assert warning in (await Foreteller(tmp_path).runs("status", "--dir", "c")).out.splitlines()


async def test_worker_processes_go_home_when_it_is_done(tmp_path: Path) -> None:
    # A worker process does not have the strategy of this test; it need not, if the judge is named.
    options = (*ARGUMENTS, "--until-done", "--judge", "cosine", "--processes", "2", "--concurrency", "4")
    said, answer = await crawled(tmp_path, *options, web=ShallowWeb(good=10, dull=DULL))
    assert (said.code, said.err, answer["ending"]) == (0, "", "the topic is exhausted")
    assert answer["status"]["pages"] < 450


async def test_a_topic_file_with_a_chinese_name_ends_it_too(tmp_path: Path) -> None:
    (tmp_path / "电网.toml").write_text(
        f'name = "智能电网"\nkeywords = ["电网", "power grid"]\nseeds = ["{HOME}"]\nstrategy = "teller"\n'
        'delay = 0\nuntil_done = "5%"\nconcurrency = 4\n',
        encoding="utf-8",
    )
    said, answer = await crawled(tmp_path, "电网.toml", web=ShallowWeb(good=10, dull=DULL))
    assert (said.code, answer["ending"]) == (0, "the topic is exhausted")


async def test_a_strategy_that_cannot_tell_is_one_sentence_on_the_command_line(tmp_path: Path) -> None:
    said = await Foreteller(tmp_path).runs("crawl", "--until-done", *ARGUMENTS, "--strategy", "breadth", "--dir", "c")
    assert (said.code, said.out, said.err.count("\n")) == (2, "", 1)
    assert said.err.startswith("shoal: --until-done needs a strategy that can tell")
    assert not (tmp_path / "c").exists()


# --- a crawl in no time ----------------------------------------------------------------------------------------------


def simulation(folder: Path, good: int, dull: int) -> Simulation:
    urls = [f"http://{'good' if number < good else 'dull'}{number % 8}.test/{number}" for number in range(good + dull)]
    web = {SEED: page(*urls, text="grid")}
    web |= {url: page(text=f"{'grid' if number < good else 'moon'} {number}") for number, url in enumerate(urls)}
    return Simulation(folder, web, strategy="teller", budget=Budget(until_done=0.05), latency=0.1)


def test_a_crawl_that_always_finds_is_never_done(teller: None, tmp_path: Path) -> None:
    assert simulation(tmp_path / "c", good=400, dull=0).run() is Ending.NOTHING_LEFT


def test_what_is_in_flight_when_it_is_done_is_kept(teller: None, tmp_path: Path) -> None:
    crawl = simulation(tmp_path / "c", good=0, dull=500)
    assert crawl.run() is Ending.DONE
    pages = [url for url, _, _ in stored(crawl.folder)]
    # A link is worth less than 5 % from 19 pages of each host on. The next question is at 160 at the earliest, so 260 must have
    # come; with eight workers, the answer is some pages late.
    assert 260 < len(pages) < 340
    assert sorted(pages) == sorted(crawl.pages_asked)
    assert_consistent(crawl.folder)


# --- what it looks like ----------------------------------------------------------------------------------------------

FORECAST = Forecast(
    pages=200,
    relevant=3.2,
    missed=12.4,
    audited=0,
    audited_relevant=0.0,
    expected_relevant=0.0,
    waiting=4310,
    after=OVER.pages,
    warning="",
)


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        (
            {},
            "The next 200 pages would bring about 3 relevant ones; about 12 relevant pages remain among the 4,310 that wait.",
        ),
        (
            {"relevant": 0.1, "missed": 0.4},
            "The next 200 pages would bring hardly a relevant one; hardly a relevant page remains among the 4,310 that wait.",
        ),
        (
            {"pages": 1, "relevant": 0.9, "missed": 0.9, "waiting": 1},
            "The next page would bring about 1 relevant one; about 1 relevant page remains among the 1 that waits.",
        ),
        (
            {"after": 1000, "missed": 1500.0},
            "After 1,000 pages: the next 200 pages would bring about 3 relevant ones; about 1,500 relevant pages remain among "
            "the 4,310 that wait.",
        ),
    ],
)
def test_the_estimate_reads_well(changes: dict[str, Any], sentence: str) -> None:
    status = replace(OVER, outlook=replace(FORECAST, **changes))
    assert sentence in outcome(Path("c"), Ending.DONE, status).splitlines()


def test_where_nothing_waits_there_is_no_estimate() -> None:
    nothing = replace(FORECAST, pages=0, relevant=0.0, missed=0.0, waiting=0)
    said = outcome(Path("c"), Ending.NOTHING_LEFT, replace(OVER, outlook=nothing))
    assert "would bring" not in said


@pytest.mark.parametrize("width", [80, 30])
def test_the_screen_shows_what_is_expected_in_one_line(width: int) -> None:
    console = Console(file=io.StringIO(), width=width, force_terminal=True, color_system=None)
    console.print(live_screen.screen(Path("crawls/电网"), NOW, Outlook(pages=200, relevant=6.4, missed=9.0)))
    assert isinstance(console.file, io.StringIO)
    lines = console.file.getvalue().splitlines()
    assert len(lines) == len(drawn(NOW, width)) + 1
    assert max(map(len, lines)) <= width
    assert "3.2% of the next 200 pages expected to be relevant"[: width - 10] in lines[-2]
