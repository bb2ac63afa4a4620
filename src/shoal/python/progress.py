"""What does somebody see who waits for a crawl in Python? One line that is drawn over, on a terminal or below a notebook's cell.

Elsewhere a line now and then, as long commands print it. All of it goes to standard error, for the answer is a value. What they
should know afterwards is a warning in the log, which Python shows there, too, unless the program says otherwise.
"""

from __future__ import annotations

import asyncio
import logging
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import accumulate
from shutil import get_terminal_size
from typing import TYPE_CHECKING, Any, Protocol, TextIO

from shoal.printable import harmless, width_of

if TYPE_CHECKING:
    from shoal.crawl.coordinator import Coordinator
    from shoal.crawl.metrics import Statistics

logger = logging.getLogger(__name__)
_FRAME_SECONDS = 0.25
_SECONDS_PER_LINE = 5.0
_BAR = 20
_CLEAR = "\r\x1b[K"


class Display(Protocol):
    """Where the line is shown."""

    def show(self, line: str) -> None:
        """How the crawl stands now."""

    def end(self, line: str) -> None:
        """How it stood in the end; empty when nothing was ever shown."""


class ProgressLine:
    """Follows one crawl. The loop of the crawl brings figures, and the thread that may show them does."""

    def __init__(self, name: str, display: Display | None, most: int | None = None) -> None:
        """Without a display nobody sees anything. `most` are the pages that may come, if there is a limit."""
        self._name = name
        self._display = display
        self._most = most
        self._thread = threading.get_ident()
        self._now: Statistics | None = None
        self._said: list[str] = []

    async def watch(self, coordinator: Coordinator) -> None:
        """Bring figures until cancelled, and show them if this thread may; a `services.run.Watch`."""
        here = threading.get_ident() == self._thread
        try:
            while True:
                self._now = coordinator.statistics()
                if here:
                    self.tick()
                await asyncio.sleep(_FRAME_SECONDS)
        finally:
            self._now = coordinator.statistics()

    def tick(self) -> None:
        """Show the last figures."""
        if self._display is not None and self._now is not None:
            self._display.show(self._line(self._now))

    def say(self, sentence: str) -> None:
        """What a user should know once the crawl is over; what is only happening (`Finishing the index …`) passes."""
        if not sentence.endswith("…"):
            self._said.append(sentence)

    @contextmanager
    def shown(self) -> Iterator[None]:
        """Whatever ends the crawl, the line is left in order, and what a user should know is told: also who wants no line."""
        try:
            yield
        finally:
            if self._display is not None:
                self._display.end(self._line(self._now) if self._now else "")
            for sentence in self._said:
                logger.warning("%s", harmless(sentence))

    def _line(self, now: Statistics) -> str:
        what = f"{now.pages:,} / {self._most:,} pages" if self._most else f"{now.pages:,} pages"
        bar = f"{_bar(now.pages / self._most)}  " if self._most else ""
        stopping = f"  finishing, {len(now.fetching)} in flight" if now.stopping else ""
        minutes, seconds = divmod(int(now.elapsed), 60)
        return harmless(
            f"{self._name}  {bar}{what}  {now.relevant:,} relevant ({now.harvest_rate:.0%})  "
            f"{now.rate:.0f} pages/s  {minutes}:{seconds:02}{stopping}"
        )


def _bar(share: float) -> str:
    full = round(min(max(share, 0.0), 1.0) * _BAR)
    return "█" * full + "░" * (_BAR - full)


# --- where it is shown -----------------------------------------------------------------------------------------------


def display_for(progress: bool, stream: TextIO | None = None) -> Display | None:
    """Where this program's user looks; nowhere if they do not want to."""
    if not progress:
        return None
    if (show := _notebook()) is not None:
        return NotebookDisplay(show)
    stream = sys.stderr if stream is None else stream
    if stream is None:  # the program has closed it
        return None
    return TerminalDisplay(stream) if stream.isatty() else LogDisplay(stream)


def _notebook() -> Callable[..., Any] | None:
    """IPython's `display`, if there is a notebook to show things in: its kernel has imported IPython then."""
    ipython = sys.modules.get("IPython")
    shell = ipython.get_ipython() if ipython is not None else None
    if shell is None or not hasattr(shell, "kernel"):
        return None
    from IPython.display import display  # here, because only a notebook has it

    return display


class TerminalDisplay:
    """One line, drawn over."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream

    def show(self, line: str) -> None:
        self._stream.write(f"{_CLEAR}{_cut(line, get_terminal_size().columns - 1)}")
        self._stream.flush()

    def end(self, line: str) -> None:
        if line:
            self._stream.write(f"{_CLEAR}{line}\n")
            self._stream.flush()


def _cut(line: str, most: int) -> str:
    """What fits into so many columns: who folds a line cannot draw over it."""
    return "".join(
        character for character, end in zip(line, accumulate(map(width_of, line)), strict=True) if end <= most
    )


class LogDisplay:
    """A line now and then."""

    def __init__(self, stream: TextIO, clock: Callable[[], float] = time.monotonic) -> None:
        self._stream = stream
        self._clock = clock
        self._last = clock()

    def show(self, line: str) -> None:
        if self._clock() - self._last >= _SECONDS_PER_LINE:
            self._last = self._clock()
            self._write(line)

    def end(self, line: str) -> None:
        if line:
            self._write(line)

    def _write(self, line: str) -> None:
        self._stream.write(f"{line}\n")
        self._stream.flush()


class NotebookDisplay:
    """A line below the cell, which changes; text only, so that a notebook needs nothing installed for it."""

    def __init__(self, show: Callable[..., Any]) -> None:
        self._show = show
        self._handle: Any = None

    def show(self, line: str) -> None:
        data = {"text/plain": line}
        if self._handle is None:
            self._handle = self._show(data, raw=True, display_id=True)
        else:
            self._handle.update(data, raw=True)

    def end(self, line: str) -> None:
        if line:
            self.show(line)
