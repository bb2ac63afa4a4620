"""What a person sees while a crawl runs, and when it is over."""

from __future__ import annotations

import io
from pathlib import Path

import pytest
from msgspec.structs import replace
from rich.console import Console

from shoal.crawl.allowance import Ending
from shoal.crawl.statistics import Statistics
from shoal.store.crawl_status import FailedSeed, Status
from shoal.terminal import crawl as terminal

NOW = Statistics(
    pages=1234,
    relevant=617,
    harvest_rate=0.5,
    bytes=5_000_000,
    elapsed=3725.4,
    rate=12.34,
    queue=98_765,
    hosts_ready=3,
    hosts_waiting=40,
    failed=2,
    skipped=1,
    retries=0,
    fetching=tuple(f"http://host{number}.test/{'a-long-path/' * 20}" for number in range(9)),
)
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


def drawn(now: Statistics, width: int = 80) -> list[str]:
    console = Console(file=io.StringIO(), width=width, force_terminal=True, color_system=None)
    console.print(terminal.screen(Path("crawls/电网"), now))
    assert isinstance(console.file, io.StringIO)
    return console.file.getvalue().splitlines()


def test_says_why_so_few_requests_are_in_flight() -> None:
    patient = replace(NOW, holding_back=True)
    assert terminal.line(patient).endswith("40 waiting; better links wait for their hosts (--hurry does not)")
    assert "  better links wait for their hosts (--hurry does not)" in [line.rstrip() for line in drawn(patient)]
    assert not any("--hurry" in line for line in drawn(NOW))


def test_one_line_says_how_the_crawl_stands() -> None:
    assert terminal.line(NOW) == (
        "1:02:05  1,234 pages, 617 relevant (50%), 12.3 pages/s, 98,765 waiting, 9 in flight, hosts 3 ready 40 waiting"
    )


@pytest.mark.parametrize("width", [120, 80, 40])
def test_the_screen_fits_its_window(width: int) -> None:
    lines = drawn(NOW, width)
    assert max(map(len, lines)) <= width
    assert len(lines) <= 24
    assert "crawls/电网  1:02:05" in lines[0]
    assert sum("→" in line for line in lines) == 6
    assert "and 3 more in flight" in lines[-2]


def test_the_screen_shows_every_figure_of_the_promise() -> None:
    text = " ".join(drawn(NOW, 200))
    figures = ("1,234 pages", "617 relevant", "50.0% harvest rate", "12.3 pages/s", "98,765 queue", "3 hosts ready")
    assert [figure for figure in (*figures, "40 hosts waiting", "2 failed") if figure not in text] == []


def test_the_last_failure_is_told_to_whoever_waits_for_a_first_page() -> None:
    failing = replace(NOW, pages=0, trouble="http://a.test/robots.txt: There is no connection: \x1b[2J.")
    assert terminal.line(failing).endswith("; last failure: http://a.test/robots.txt: There is no connection:  [2J.")
    assert "last failure: http://a.test/robots.txt: There is no connection" in drawn(failing)[-2]
    assert "last failure" not in terminal.line(replace(failing, pages=1))


def test_ctrl_c_is_answered_on_the_screen() -> None:
    assert drawn(NOW)[-1].strip() == "Ctrl-C stops; nothing is lost."
    stopping = replace(NOW, stopping=True)
    assert drawn(stopping)[-1].strip() == "Finishing 9 requests in flight; Ctrl-C again stops at once."
    assert "Finishing 1 request in flight" in terminal.stopping_line(replace(stopping, fetching=("http://a.test/",)))


@pytest.mark.parametrize(
    ("ending", "first", "advice"),
    [
        (Ending.STOPPED, "Stopped.", "Go on with: shoal resume --dir 'a b'"),
        (Ending.NOTHING_LEFT, "The crawl is over: nothing left to fetch.", "Take with: shoal export --dir 'a b'"),
        (Ending.PAGES, "The crawl is over: the page budget", "Go on with: shoal resume --dir 'a b' --max-pages N"),
        (Ending.BYTES, "The crawl is over: the byte budget", "Go on with: shoal resume --dir 'a b' --max-bytes N"),
        (Ending.TIME, "The crawl is over: the time budget", "Go on with: shoal resume --dir 'a b' --max-time TIME"),
    ],
)
def test_the_end_says_why_and_what_to_type_next(ending: Ending, first: str, advice: str) -> None:
    lines = terminal.ending(Path("a b"), ending, OVER).splitlines()
    assert lines[0].startswith(first)
    assert lines[1] == "1,234 pages (5.0 MB) in 1:02:05, 12.3 pages/s"
    assert lines[2] == "617 relevant by the judge (harvest rate 50.0%)"
    assert lines[3] == "10 URLs waiting, 2 failed, 1 skipped"
    assert advice in lines


def test_a_crawl_without_pages_has_no_rates() -> None:
    nothing = replace(OVER, pages=0, relevant=0, harvest_rate=None, pages_per_second=None, bytes=0, waiting=0)
    text = terminal.ending(Path("c"), Ending.TIME, nothing)
    assert "0 pages (0 B) in 1:02:05\n0 relevant by the judge\n" in text
    assert "resume" not in text


def test_a_seed_that_gave_nothing_is_named() -> None:
    seeds = tuple(FailedSeed(url=f"http://{number}.test/", why="No such name") for number in range(7))
    said = terminal.ending(Path("x"), Ending.NOTHING_LEFT, replace(OVER, failed_seeds=seeds))
    assert said.count("gave no page: No such name.") == 5
    assert "Nor did 2 more seeds" in said
    assert "gave no page" not in terminal.ending(Path("x"), Ending.NOTHING_LEFT, OVER)
