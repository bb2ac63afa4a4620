"""What does somebody see who waits? A line in a terminal, in a notebook and in a log; nothing when they do not want to."""

from __future__ import annotations

import asyncio
import io
import sys
from types import SimpleNamespace
from typing import Any

import pytest

import shoal
from shoal.crawl.metrics import Statistics
from shoal.python.progress import LogDisplay, NotebookDisplay, ProgressLine, TerminalDisplay, display_for
from shoal.testing.fakes import ManualClock

NOW = Statistics(
    pages=250, relevant=100, harvest_rate=0.4, bytes=0, elapsed=75.0, rate=12.4, failed=0, skipped=0, retries=0
)
LINE = "电网  ██████████░░░░░░░░░░  250 / 500 pages  100 relevant (40%)  12 pages/s  1:15"


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


class Shown:
    """Remembers what it was to show."""

    def __init__(self) -> None:
        self.lines: list[str] = []
        self.last = ""

    def show(self, line: str) -> None:
        self.lines.append(line)

    def end(self, line: str) -> None:
        self.last = line


async def followed(line: ProgressLine) -> None:
    coordinator: Any = SimpleNamespace(statistics=lambda: NOW)
    watching = asyncio.create_task(line.watch(coordinator))
    await asyncio.sleep(0)
    watching.cancel()
    await asyncio.gather(watching, return_exceptions=True)


async def test_the_line_says_how_it_stands(caplog: pytest.LogCaptureFixture) -> None:
    display = Shown()
    line = ProgressLine("电网", display, 500)
    with line.shown():
        await followed(line)
        line.say("Finishing the index …")
        line.say("The newest pages are not in the index\x1b.")
    assert display.lines == [LINE]
    assert display.last == LINE
    assert [record.getMessage() for record in caplog.records] == ["The newest pages are not in the index ."]


async def test_a_thread_of_its_own_only_brings_figures() -> None:
    display = Shown()
    line = ProgressLine("电网", display)
    await asyncio.to_thread(lambda: asyncio.run(followed(line)))
    assert display.lines == []
    line.tick()
    assert display.lines == ["电网  250 pages  100 relevant (40%)  12 pages/s  1:15"]


async def test_who_wants_no_line_sees_none_but_is_told_what_to_know(
    capsys: pytest.CaptureFixture[str], caplog: pytest.LogCaptureFixture
) -> None:
    line = ProgressLine("电网", display_for(False))
    with line.shown():
        await followed(line)
        line.say("Finishing the index …")
        line.say("This crawl is not on the list of crawls.")
    assert capsys.readouterr() == ("", "")
    assert [record.getMessage() for record in caplog.records] == ["This crawl is not on the list of crawls."]


def test_a_terminal_is_drawn_over(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "11")
    stream = Terminal()
    display = display_for(True, stream)
    assert isinstance(display, TerminalDisplay)
    display.show("电网电网电网")
    display.end("电网 250 pages")
    assert stream.getvalue() == "\r\x1b[K电网电网电\r\x1b[K电网 250 pages\n"


def test_a_log_has_a_line_now_and_then() -> None:
    stream, clock = io.StringIO(), ManualClock()
    assert isinstance(display_for(True, stream), LogDisplay)
    display = LogDisplay(stream, clock)
    for number in range(12):
        display.show(f"line {number}")
        clock.advance(1.0)
    display.end("the end")
    assert stream.getvalue() == "line 5\nline 10\nthe end\n"


def test_a_notebook_has_a_line_that_changes(monkeypatch: pytest.MonkeyPatch) -> None:
    shown: list[tuple[str, dict[str, str]]] = []
    handle = SimpleNamespace(update=lambda data, raw: shown.append(("update", data)))

    def display(data: dict[str, str], *, raw: bool, display_id: bool) -> SimpleNamespace:
        shown.append(("new", data))
        return handle

    notebook = NotebookDisplay(display)
    notebook.end("")
    assert shown == []
    for line in ("one", "two"):
        notebook.show(line)
    notebook.end("last")
    assert shown == [
        ("new", {"text/plain": "one"}),
        ("update", {"text/plain": "two"}),
        ("update", {"text/plain": "last"}),
    ]


@pytest.mark.parametrize(
    ("shell", "is_notebook"), [(SimpleNamespace(kernel=1), True), (SimpleNamespace(), False), (None, False)]
)
def test_only_a_kernel_is_a_notebook(shell: object, is_notebook: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "IPython", SimpleNamespace(get_ipython=lambda: shell))
    monkeypatch.setitem(sys.modules, "IPython.display", SimpleNamespace(display=print))
    assert isinstance(display_for(True, io.StringIO()), NotebookDisplay) is is_notebook


def test_a_crawl_shows_it_on_standard_error(
    about: dict[str, Any], home: object, capsys: pytest.CaptureFixture[str]
) -> None:
    shoal.crawl(**about | {"progress": True}, max_pages=4)
    said = capsys.readouterr()
    assert said.out == ""
    assert "power-grid-电网  ████████████████████  4 / 4 pages  3 relevant (75%)" in said.err
