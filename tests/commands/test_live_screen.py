"""What a person sees while a crawl runs."""

from __future__ import annotations

import io
from pathlib import Path

import pytest
from msgspec.structs import replace
from rich.console import Console

from shoal.commands import live_screen
from shoal.crawl.metrics import Statistics
from tests.commands.test_live_lines import NOW


def drawn(now: Statistics, width: int = 80) -> list[str]:
    console = Console(file=io.StringIO(), width=width, force_terminal=True, color_system=None)
    console.print(live_screen.screen(Path("crawls/电网"), now))
    assert isinstance(console.file, io.StringIO)
    return console.file.getvalue().splitlines()


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


def test_what_is_not_always_there_is_said_below() -> None:
    patient = replace(NOW, holding_back=True)
    assert "  better links wait for their hosts (--hurry does not)" in [line.rstrip() for line in drawn(patient)]
    assert not any("--hurry" in line for line in drawn(NOW))
    failing = replace(NOW, pages=0, trouble="http://a.test/robots.txt: There is no connection: \x1b[2J.")
    assert "last failure: http://a.test/robots.txt: There is no connection" in drawn(failing)[-2]


def test_ctrl_c_is_answered_on_the_screen() -> None:
    assert drawn(NOW)[-1].strip() == "Ctrl-C stops; nothing is lost."
    assert drawn(replace(NOW, stopping=True))[-1].strip() == (
        "Finishing 9 requests in flight; Ctrl-C again stops at once."
    )


def test_a_pause_is_told_on_the_screen() -> None:
    paused = replace(NOW, paused=True)
    assert drawn(paused)[-1].strip() == "Paused: shoal start lets it go on, Ctrl-C stops it."
    assert "Finishing" in drawn(replace(paused, stopping=True))[-1]
