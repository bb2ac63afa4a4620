"""`shoal crawl` says why it is over and what to do next, loses nothing to a full disk, and leaves nothing of a mistake."""

from __future__ import annotations

import asyncio
import json
import signal
from collections.abc import Iterator
from pathlib import Path
from random import Random

import pytest
from msgspec.structs import replace

from shoal.commands.crawl import outcome
from shoal.crawl.termination import Ending
from shoal.store.crawl_status import FailedSeed, Status
from shoal.testing.webserver import SimpleWeb, WebAnswer, WebServer
from tests.bad_luck import mount, small_disk
from tests.commands.conftest import FOLDER, HOME, TOPIC, small_web
from tests.running import Operator
from tests.shell import Said, Shell, served

OVER = Status(
    running=False,
    waiting=10,
    fetching=0,
    done=1234,
    failed=2,
    skipped=1,
    moved=0,
    fetching_urls=(),
    failures=(),
    skips=(),
    pages=1234,
    judged=1234,
    relevant=617,
    harvest_rate=0.5,
    bytes=5_000_000,
    first_fetch=None,
    last_fetch=None,
    elapsed=3725.4,
    pages_per_second=12.34,
    hosts=5,
    hosts_waiting=3,
    hosts_closed=(),
    closed=(),
    top_hosts=(),
    failed_seeds=(),
)


@pytest.mark.parametrize(
    ("ending", "first", "advice"),
    [
        (Ending.STOPPED, "Stopped.", 'Go on with: shoal resume --dir "a b"'),
        (Ending.NOTHING_LEFT, "The crawl is over: nothing left to fetch.", 'Take with: shoal export --dir "a b"'),
        (Ending.PAGES, "The crawl is over: the page budget", 'Go on with: shoal resume --dir "a b" --max-pages N'),
        (Ending.BYTES, "The crawl is over: the byte budget", 'Go on with: shoal resume --dir "a b" --max-bytes BYTES'),
        (Ending.TIME, "The crawl is over: the time budget", 'Go on with: shoal resume --dir "a b" --max-time TIME'),
    ],
)
def test_the_end_says_why_and_what_to_type_next(ending: Ending, first: str, advice: str) -> None:
    lines = outcome(Path("a b"), ending, OVER).splitlines()
    assert lines[0].startswith(first)
    assert lines[1] == "1,234 pages (5.0 MB) in 1:02:05, 12.3 pages/s"
    assert lines[2] == "617 relevant by the judge (harvest rate 50.0%)"
    assert lines[3] == "10 URLs waiting, 2 failed, 1 skipped"
    assert advice in lines


def test_a_crawl_without_pages_has_no_rates() -> None:
    nothing = replace(OVER, pages=0, relevant=0, harvest_rate=None, pages_per_second=None, bytes=0, waiting=0)
    text = outcome(Path("c"), Ending.TIME, nothing)
    assert "0 pages (0 B) in 1:02:05\n0 relevant by the judge\n" in text
    assert "resume" not in text


def test_a_seed_that_gave_nothing_is_named() -> None:
    seeds = tuple(FailedSeed(url=f"http://{number}.test/", why="No such name") for number in range(7))
    said = outcome(Path("x"), Ending.NOTHING_LEFT, replace(OVER, failed_seeds=seeds))
    assert said.count("gave no page: No such name.") == 5
    assert "Nor did 2 more seeds" in said
    assert "gave no page" not in outcome(Path("x"), Ending.NOTHING_LEFT, OVER)


# --- as it is typed --------------------------------------------------------------------------------------------------


def test_a_crawl_says_why_it_is_over_and_what_to_type_next(finished: tuple[Path, Said]) -> None:
    _, said = finished
    assert said.code == 0
    assert said.err == ""
    first, *_ = said.out.splitlines()
    assert first == "The crawl is over: the page budget is reached."
    assert "6 pages" in said.out
    assert "harvest rate" in said.out
    assert f'shoal resume --dir "{FOLDER}" --max-pages N' in said.out


def test_quiet_says_nothing(shoal: Shell) -> None:
    with served(small_web()) as server:
        arguments = ("--topic", TOPIC, "--seed", HOME, "--dir", "c", "--max-pages", "2", "--delay", "0", "--quiet")
        assert shoal("crawl", *arguments, "--proxy", server.proxy) == Said(0, "", "")


@pytest.mark.slow
def test_seeds_that_cannot_be_reached_leave_nothing_in_the_way_of_a_second_try(shoal: Shell, tmp_path: Path) -> None:
    (tmp_path / "c").mkdir()
    for _ in range(2):
        said = shoal("crawl", "--topic", "grid", "--seed", "http://127.0.0.1:9/", "--dir", "c", "--quiet")
        assert said.sentence().startswith("Not one seed could be fetched: http://127.0.0.1:9/ (")
        assert (said.code, list((tmp_path / "c").iterdir())) == (1, [])


class SlowWeb:
    """One page that takes its time, and tells when it was asked for."""

    def __init__(self) -> None:
        self.asked = asyncio.Event()
        self._web = SimpleWeb().page(HOME, "The power grid.", delay=1.5)

    def answer(self, host: str, target: str, nth: int) -> WebAnswer:
        if target == "/":
            self.asked.set()
        return self._web.answer(host, target, nth)


@pytest.mark.slow
async def test_the_first_ctrl_c_finishes_what_is_in_flight(tmp_path: Path) -> None:
    web = SlowWeb()
    async with WebServer(web) as server:
        arguments = ("--topic", "grid", "--seed", HOME, "--dir", "c", "--proxy", server.proxy, "--delay", "0")
        crawl = await Operator(tmp_path).types("crawl", *arguments, "--no-index")
        await web.asked.wait()
        crawl.signal(signal.SIGINT)
        said = await crawl.end()
    assert said.code == 130
    assert said.err == "Finishing 1 request in flight; Ctrl-C again stops at once.\n"
    assert said.out.startswith("Stopped.\n1 page ")
    assert said.out.endswith("Go on with: shoal resume --dir c\n")


@pytest.fixture
def megabyte(tmp_path: Path) -> Iterator[Path]:
    """A disk of one megabyte."""
    with small_disk(tmp_path / "disk", "1m") as place:
        yield place


@pytest.mark.slow
@pytest.mark.parametrize("processes", ["1", "2"])
async def test_a_full_disk_loses_nothing(megabyte: Path, tmp_path: Path, processes: str) -> None:
    folder = str(megabyte / "c")
    web = SimpleWeb()
    numbers = range(60)
    for number in numbers:
        text = Random(number).randbytes(20_000).hex(" ", 4)  # which no packing makes much smaller
        web.page(f"{HOME}{number or ''}", text, links=[f"/{other}" for other in numbers if other], title=f"{number}")
    arguments = ("--topic", "grid", "--seed", HOME, "--dir", folder, "--delay", "0.05", "--processes", processes)
    operator, shoal = Operator(tmp_path), Shell(tmp_path)
    async with WebServer(web) as server:
        full = await operator.runs("crawl", *arguments, "--proxy", server.proxy, "--quiet")
        assert full.sentence().startswith("The disk is full: make room where ")
        assert full.code == 2
        stored = await operator.runs("status", "--dir", folder, "--json")
        assert 0 < json.loads(stored.out)["pages"] < 60
        still = await operator.runs("resume", "--dir", folder, "--quiet")
        assert (still.code, still.sentence()) == (2, full.sentence())
        assert not mount(megabyte, "remount,size=64m").returncode
        rest = await operator.runs("resume", "--dir", folder, "--json")
    assert rest.code == 0, rest.err
    assert json.loads(rest.out)["status"]["pages"] == 60
    exported = shoal("export", "--dir", folder).out.splitlines()
    assert len({json.loads(line)["url"] for line in exported}) == len(exported) == 60
