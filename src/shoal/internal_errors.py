"""What was our own fault? A bug that one page or one message brings to light costs that page, is logged, and is counted.

Whoever catches it makes a `Failure` of it (`failure_of`, `missed_by`), which travels like any other; the coordinator alone writes
it down, so that each is logged once, wherever it happened.
"""

from __future__ import annotations

import logging
import traceback
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from pathlib import Path, PurePath

from shoal.model import Failure, Missed, Reason, Task, Timing

LOGGER = logging.getLogger("shoal.internal_errors")
_own_file: ContextVar[logging.Handler | None] = ContextVar("_own_file", default=None)
"""Of the crawl that we are in: a process may run several, each with the tasks that it began."""
_TRACE_LENGTH = 8_000
_TRACED = 200
"""Places whose tracebacks are written whole, once each; a page in ten thousand must not fill the disk."""


def failure_of(error: BaseException, url: str, timing: Timing) -> Failure:
    """The failure of a URL that is no fault of the web; asking again would only meet the same bug."""
    detail = f"Shoal could not handle it, which is our fault: {type(error).__name__} in {place_of(error)}."
    trace = "".join(traceback.format_exception(error)).encode("utf-8", "replace").decode()[-_TRACE_LENGTH:]
    return Failure(url=url, reason=Reason.INTERNAL, detail=detail, trace=trace, timing=timing)


def missed_by(error: BaseException, task: Task, timing: Timing) -> Missed:
    """What came of a task that ended so."""
    return Missed(task=task, failure=failure_of(error, task.url, timing))


def at_once(now: float) -> Timing:
    """The times of a request of which nobody knows more than that it is over."""
    return Timing(started=now, answered=now, ended=now)


def place_of(error: BaseException) -> str:
    """Where it was raised: `parse/main_text.py, line 87`; the innermost place in our own code, if it passed through any."""
    frames = traceback.extract_tb(error.__traceback__)
    ours = [frame for frame in frames if "shoal" in PurePath(frame.filename).parts]
    last = next(iter((*ours[-1:], *frames[-1:])), None)
    if last is None:
        return "an unknown place"
    path = PurePath(last.filename).parts
    inside = path[len(path) - path[::-1].index("shoal") :] if ours else path[-1:]
    return f"{'/'.join(inside)}, line {last.lineno}"


@contextmanager
def written_to(file: Path) -> Iterator[None]:
    """What is our own fault in here is written down in a file, not in the middle of a crawl's progress."""
    handler = logging.FileHandler(file, delay=True, encoding="utf-8", errors="backslashreplace")
    handler.setFormatter(logging.Formatter("%(asctime)s %(message)s"))
    before = _own_file.set(handler)
    try:
        yield
    finally:
        _own_file.reset(before)
        handler.close()


def _for_all(record: logging.LogRecord) -> bool:
    """False when it was written to a file of its own."""
    if (handler := _own_file.get()) is not None:
        handler.handle(record)
    return handler is None


LOGGER.addFilter(_for_all)


class InternalErrors:
    """Counts and logs them. Sole owner of the count; owned by the coordinator."""

    def __init__(self, before: int = 0) -> None:
        self.count = before
        """Over all runs."""
        self._traced: set[str] = set()

    def note(self, failure: Failure) -> None:
        """It cost this URL its page."""
        self.count += 1
        if failure.detail in self._traced or len(self._traced) >= _TRACED:
            LOGGER.error("%s: %s", failure.url, failure.detail)
            return
        self._traced.add(failure.detail)
        LOGGER.error("%s: %s\n%s", failure.url, failure.detail, failure.trace)

    def note_elsewhere(self, error: Exception, what: str, now: float) -> None:
        """It happened outside of any page; what was to be done is left undone."""
        self.note(failure_of(error, what, at_once(now)))
