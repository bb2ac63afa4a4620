"""What a person sees while a crawl runs."""

from __future__ import annotations

import io
from pathlib import Path

import pytest
from msgspec.structs import replace
from rich.console import Console

from shoal.commands import live_view
from shoal.crawl.metrics import Statistics

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


def drawn(now: Statistics, width: int = 80) -> list[str]:
    console = Console(file=io.StringIO(), width=width, force_terminal=True, color_system=None)
    console.print(live_view.screen(Path("crawls/电网"), now))
    assert isinstance(console.file, io.StringIO)
    return console.file.getvalue().splitlines()


def test_says_why_so_few_requests_are_in_flight() -> None:
    patient = replace(NOW, holding_back=True)
    assert live_view.line(patient).endswith("40 waiting; better links wait for their hosts (--hurry does not)")
    assert "  better links wait for their hosts (--hurry does not)" in [line.rstrip() for line in drawn(patient)]
    assert not any("--hurry" in line for line in drawn(NOW))


def test_one_line_says_how_the_crawl_stands() -> None:
    assert live_view.line(NOW) == (
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
    assert live_view.line(failing).endswith("; last failure: http://a.test/robots.txt: There is no connection:  [2J.")
    assert "last failure: http://a.test/robots.txt: There is no connection" in drawn(failing)[-2]
    assert "last failure" not in live_view.line(replace(failing, pages=1))


def test_ctrl_c_is_answered_on_the_screen() -> None:
    assert drawn(NOW)[-1].strip() == "Ctrl-C stops; nothing is lost."
    stopping = replace(NOW, stopping=True)
    assert drawn(stopping)[-1].strip() == "Finishing 9 requests in flight; Ctrl-C again stops at once."
    assert "Finishing 1 request in flight" in live_view.stopping_line(replace(stopping, fetching=("http://a.test/",)))
