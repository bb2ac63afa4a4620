"""How does a program without an event loop wait for a crawl, and a notebook whose loop is taken? And how do they stop it?

    main thread, no loop      ours runs here: Ctrl-C stops it, pages are read here
    a loop runs (Jupyter)     ours runs in a thread of its own, and this one waits; the stop button is Ctrl-C
    another thread            ours runs here; nobody can press anything

The first Ctrl-C stops the crawl when what is under way has come home, the second at once. The handler of the program is back
afterwards, and one that is not Python's own stays in its place all the time.
"""

from __future__ import annotations

import asyncio
import signal
import threading
from collections.abc import Callable, Coroutine, Iterator
from contextlib import contextmanager
from contextvars import copy_context
from types import FrameType
from typing import Any, Generic, TypeVar

import uvloop

_T = TypeVar("_T")
_TICK_SECONDS = 0.2


class Interruption:
    """Hears Ctrl-C for one run. Whoever presses it is in the main thread, the run may be in another one."""

    def __init__(self) -> None:
        self._loop: asyncio.AbstractEventLoop | None = None
        self._task: asyncio.Task[Any] | None = None
        self._stop: Callable[[], None] | None = None
        self.times = 0
        """How often it was pressed."""

    def runs_in(self, loop: asyncio.AbstractEventLoop, task: asyncio.Task[Any] | None) -> None:
        """What there is to end."""
        self._loop, self._task = loop, task
        if self.times:
            self.end_at_once()

    @contextmanager
    def interrupted(self, stop: Callable[[], None]) -> Iterator[None]:
        """Meanwhile it can end gracefully (`services.run.Interrupted`)."""
        self._stop = stop
        try:
            yield
        finally:
            self._stop = None

    def heard(self, number: int = 0, frame: FrameType | None = None) -> None:
        """Ctrl-C."""
        self.times += 1
        if self.times == 1 and self._stop is not None and self._loop is not None:
            self._loop.call_soon_threadsafe(self._stop)
        else:
            self.end_at_once()

    def end_at_once(self) -> None:
        """As if the process had been killed; nothing that was committed is lost."""
        if self._loop is not None and self._task is not None and not self._loop.is_closed():
            self._loop.call_soon_threadsafe(self._task.cancel)

    @contextmanager
    def listening(self) -> Iterator[None]:
        """Until the end of the block Ctrl-C comes here, if this is the main thread and the program has no handler of its own."""
        if not _is_main_thread() or signal.getsignal(signal.SIGINT) is not signal.default_int_handler:
            yield
            return
        before = signal.signal(signal.SIGINT, self.heard)
        try:
            yield
        finally:
            signal.signal(signal.SIGINT, before)


def run(make: Callable[[Interruption], Coroutine[Any, Any, _T]], tick: Callable[[], None] = lambda: None) -> _T:
    """The result of a coroutine, wherever this is called; `tick` is called now and then by a thread that only waits.

    KeyboardInterrupt when it was ended at once.
    """
    interruption = Interruption()
    work = _Work(make, interruption)
    with interruption.listening():
        if _a_loop_runs():
            _wait(work, interruption, tick)
        else:
            work()
    return work.result()


class _Work(Generic[_T]):
    """Runs a coroutine on a loop of its own, and keeps what came of it for whoever started that."""

    def __init__(self, make: Callable[[Interruption], Coroutine[Any, Any, _T]], interruption: Interruption) -> None:
        self._make = make
        self._interruption = interruption
        self._outcome: Callable[[], _T]

    def __call__(self) -> None:
        try:
            with asyncio.Runner(loop_factory=_loop_factory()) as runner:
                value = runner.run(self._main())
        except BaseException as error:  # whatever it is, it belongs to whoever waits for the result
            raised = error
            self._outcome = lambda: _raise(raised)
        else:
            self._outcome = lambda: value

    async def _main(self) -> _T:
        self._interruption.runs_in(asyncio.get_running_loop(), asyncio.current_task())
        return await self._make(self._interruption)

    def result(self) -> _T:
        """What came of it."""
        try:
            return self._outcome()
        except asyncio.CancelledError:
            raise KeyboardInterrupt from None


def _loop_factory() -> Callable[[], asyncio.AbstractEventLoop] | None:
    """The fast loop; but in another thread it cannot always let go of processes that it has just ended."""
    return uvloop.new_event_loop if _is_main_thread() else None


def _is_main_thread() -> bool:
    return threading.current_thread() is threading.main_thread()


def _raise(error: BaseException) -> Any:
    raise error


def _wait(work: _Work[_T], interruption: Interruption, tick: Callable[[], None]) -> None:
    thread = threading.Thread(target=copy_context().run, args=(work,), name="shoal")
    thread.start()
    try:
        while thread.is_alive():
            thread.join(_TICK_SECONDS)
            tick()
    except BaseException:  # a Ctrl-C that the program hears itself, or nobody to show it to any more
        interruption.end_at_once()
        thread.join()
        raise


def _a_loop_runs() -> bool:
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return False
    return True
