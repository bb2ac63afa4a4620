"""How does a crawl run without anybody at its keyboard? It is started as a process of its own, found again, paused and stopped.

Nothing of it depends on who started it: whoever can read the crawl finds it, also on another machine when it is in PostgreSQL.
The lock says whether a crawl lives, never a time: clocks are set. What is told and wished stands in `store/run_control.py`.

These are plain functions that wait; a server calls them by `await asyncio.to_thread(supervisor.start, …)`.
"""

from __future__ import annotations

import os
import signal
import socket
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import wait
from pathlib import Path
from typing import BinaryIO, Literal

from shoal.crawl.termination import Ending
from shoal.database.sql import Database
from shoal.errors import FolderBusy, FolderError, ShoalError, StartFailed
from shoal.files import created, unfinished
from shoal.installation.location import Installation
from shoal.model.live import LiveFigures, RunRecord, WishWord
from shoal.os_process import OutlivingProcess, born, send_signal
from shoal.printable import typed
from shoal.settings import ListenAddress
from shoal.store import crawl_folder as folders
from shoal.store import run_control
from shoal.store.crawl_status import StoreAnswer
from shoal.store.ownership import RUN_LOG

StateWord = Literal["new", "running", "paused", "stopping", "stopped", "finished", "failed", "dead"]
AT_WORK: frozenset[StateWord] = frozenset({"running", "paused", "stopping"})
"""While a crawl has one of these states, a process has it."""
_LEFT = frozenset({Ending.STOPPED, Ending.RESTING})
"""Endings after which there is something left to do without a larger budget."""
_LARGEST_LOG = 2**20
"""Bytes; the next start puts a larger one aside, and that in the place of the one before."""
_PROBE_BYTES = 2**16
_BETWEEN_LOOKS = 0.1
_START_SECONDS = 60.0
_TERM_SECONDS = 1.0
"""Between the first request to end and the second, which ends a crawl at once."""
_GRACE_SECONDS = 15.0
"""A batch that is on its way to the disk may take ten; who takes longer is killed, which loses half a second of pages."""


class RunState(StoreAnswer, frozen=True, kw_only=True):
    """Whether a crawl runs at this moment, and what became of it if it does not."""

    state: StateWord
    """`new`: it never ran; `stopped`: there is something left; `failed` says why; `dead`: it was killed, and says nothing."""
    why: str = ""
    """Why it does not run."""
    pid: int | None = None
    """The process that runs it, or ran it last; None when nobody knows."""
    host: str = ""
    """The machine of that process."""
    began: float | None = None
    """When its last run began."""
    live: LiveFigures | None = None
    """How it stands, or stood when that run ended; None as long as that run has not said so."""

    @property
    def at_work(self) -> bool:
        """True while a process has the crawl."""
        return self.state in AT_WORK

    def age(self, now: float) -> float | None:
        """How old the figures are, in seconds; only to be shown, because clocks are set."""
        return None if self.live is None else max(0.0, now - self.live.at)


class Started(StoreAnswer, frozen=True, kw_only=True):
    """A crawl that was started as a process of its own."""

    pid: int
    state: StateWord
    """It may be over already: small crawls are quick."""
    why: str = ""


# --- how does it stand -----------------------------------------------------------------------------------------------


def state_of(folder: Path) -> RunState:
    """Whether a crawl runs, and how it stands; nothing of it is disturbed."""
    with folders.reading(folder) as database:
        return state_in(folder, database)


def state_in(folder: Path, database: Database) -> RunState:
    """The same for whoever has the database of the crawl open."""
    pid, known = folders.at_work(folder, database), False
    while not known:  # what it says holds only if nobody came or went meanwhile
        run, live = run_control.read_run(database), run_control.read_live(database)
        before, pid = pid, folders.at_work(folder, database)
        known = before == pid
    if pid is not None:
        return _at_work(pid, run, live)
    if run is not None:
        return _over(run, live)
    # It never ran, was brought back from a backup, or an older shoal ran it.
    has_pages = database.execute("SELECT 1 FROM pages LIMIT 1").fetchone() is not None
    return RunState(state="stopped" if has_pages else "new")


def live(folder: Path) -> LiveFigures | None:
    """How a crawl stands that runs at this moment; None when it does not, or has just begun."""
    now = state_of(folder)
    return now.live if now.at_work else None


def _at_work(pid: int, run: RunRecord | None, live: LiveFigures | None) -> RunState:
    if run is None or run.pid != pid:  # it has just begun; or it is no crawl, but moves or mends one
        return RunState(state="running", pid=pid or None)
    # One that has ended as a crawl makes the index complete now.
    state: StateWord = "running" if live is None else live.state if live.state in ("running", "paused") else "stopping"
    return RunState(state=state, pid=pid, host=run.host, began=run.began, live=live)


def _over(run: RunRecord, live: LiveFigures | None) -> RunState:
    state: StateWord
    if live is None or live.state not in ("ended", "failed"):
        state, why = (
            "dead",
            f"It died: process {run.pid} on {run.host} has ended without a word. Nothing stored is lost.",
        )
    else:
        why = live.why
        state = "failed" if live.state == "failed" else "stopped" if why in _LEFT else "finished"
    return RunState(state=state, why=why, pid=run.pid, host=run.host, began=run.began, live=live)


def wait_until(
    folder: Path,
    reached: Callable[[RunState], bool],
    timeout: float | None = None,
    *,
    sleep: Callable[[float], None] = time.sleep,
) -> RunState:
    """Return when a crawl stands as it shall, or does not run any more, or after so many seconds; answers how it stands."""
    return _last(_looks(folder, timeout, sleep), lambda now: reached(now) or not now.at_work)


def wait_for_end(folder: Path, timeout: float | None = None) -> RunState:
    """The same until it does not run any more."""
    return wait_until(folder, lambda now: False, timeout)


def _looks(folder: Path, timeout: float | None, sleep: Callable[[float], None] = time.sleep) -> Iterator[RunState]:
    """How a crawl stands, again and again for so many seconds."""
    over = None if timeout is None else time.monotonic() + timeout
    while True:
        yield state_of(folder)
        if over is not None and time.monotonic() >= over:
            return
        sleep(_BETWEEN_LOOKS)


def _last(looks: Iterator[RunState], enough: Callable[[RunState], bool]) -> RunState:
    now = next(looks)
    while not enough(now):
        if (later := next(looks, None)) is None:
            return now
        now = later
    return now


# --- starting --------------------------------------------------------------------------------------------------------


def start(
    folder: Path,
    installation: Installation,
    environ: Mapping[str, str],
    *,
    metrics: ListenAddress | None = None,
    timeout: float = _START_SECONDS,
) -> Started:
    """Go on with a crawl in a process of its own, which outlives this one; returns when that is at work, or is over already.

    What it says, and what it ends with, is added to `run.log` in its folder. `environ` is all that it finds in its environment,
    beside what the installation says; passwords travel nowhere else. One that ends at once with an error, or has not begun
    after so many seconds, raises what is known of that.
    """
    if (pid := folders.at_work(folder)) is not None:
        raise FolderBusy(f"The crawl in {folder} runs already (process {pid or 'unknown'}).")
    if not folders.find(folder):
        with folders.reading(folder):  # which says that there is none
            pass
    with folders.storage_errors(folder), _log(folder) as log:
        said = log.tell()
        process = OutlivingProcess(
            _command(folder, metrics), environ=_environment(installation, environ), output=log, complaints=log
        )
    over = time.monotonic() + timeout
    while not process.ended.done() and time.monotonic() < over:
        if (now := _at_work_as(process.pid, folder)) is not None:
            return Started(pid=process.pid, state=now.state)
        wait([process.ended], timeout=_BETWEEN_LOOKS)
    if not process.ended.done():
        raise StartFailed(
            f"The crawl in {folder} has not begun within {timeout:g} seconds; process {process.pid} still tries to, and "
            f"writes to {log_of(folder)}."
        )
    if process.ended.result():
        raise _failure(folder, process, said)
    now = state_of(folder)
    return Started(pid=process.pid, state=now.state, why=now.why)


def _at_work_as(pid: int, folder: Path) -> RunState | None:
    """How the crawl stands once this process has said so: all that could have kept it from crawling is behind it then.

    Who cannot look, because the disk is full or the database away, waits: the process meets that, too, and tells of it.
    """
    try:
        now = state_of(folder)
    except ShoalError:
        return None
    is_it = now.at_work and now.live is not None and (now.host, now.pid) == (socket.gethostname(), pid)
    return now if is_it else None


def _command(folder: Path, metrics: ListenAddress | None) -> list[str]:
    watched = () if metrics is None else ("--metrics", f"{metrics.host}:{metrics.port}")
    return [sys.executable, "-m", "shoal", "resume", "--dir", str(folder.absolute()), "--quiet", *watched]


def _environment(installation: Installation, environ: Mapping[str, str]) -> dict[str, str]:
    chosen = {
        "SHOAL_HOME": str(installation.home),
        "SHOAL_DATABASE": installation.database,
        "SHOAL_BROKER": installation.broker,
        "SHOAL_PROXY": installation.proxy,
    }
    return {**environ, **{name: value for name, value in chosen.items() if value}}


def log_of(folder: Path) -> Path:
    """Where stands what a crawl said that was started here."""
    return folder / RUN_LOG


def _log(folder: Path) -> BinaryIO:
    """What the process says is added to what earlier ones said."""
    path = log_of(folder)
    if path.exists() and path.stat().st_size > _LARGEST_LOG:
        path.replace(path.with_name(f"{RUN_LOG}.old"))
    # Complaints may repeat what stands in the crawl's own files; those who may not read these need not read it here.
    log = os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC, 0o600), "wb")
    log.seek(0, os.SEEK_END)
    return log


def _failure(folder: Path, process: OutlivingProcess, begin: int) -> StartFailed:
    """What a process that ended at once said last."""
    with log_of(folder).open("rb") as log:
        log.seek(begin)
        lines = log.read(_LARGEST_LOG).decode("utf-8", "replace").split("\n")
    if said := next((line.strip() for line in reversed(lines) if line.strip()), ""):
        return StartFailed(said.removeprefix("shoal: "))
    _check_room(folder)
    return StartFailed(
        f"The crawl in {folder} ended at once (process {process.pid}, exit code {process.ended.result()})."
    )


def _check_room(folder: Path) -> None:
    """On a full disk a process cannot even write down that the disk is full: whoever started it finds out."""
    with folders.storage_errors(folder), unfinished(folder) as probe, created(probe) as stream:
        stream.write(bytes(_PROBE_BYTES))


# --- pausing and stopping --------------------------------------------------------------------------------------------


def pause(folder: Path, *, by: str = "") -> None:
    """Let a crawl ask for nothing more until `go_on`; it obeys within about a second, and what is in flight comes home."""
    _wish(folder, "pause", by)


def go_on(folder: Path, *, by: str = "") -> None:
    """Let a crawl that was paused go on."""
    _wish(folder, "run", by)


def stop(folder: Path, *, by: str = "") -> None:
    """Ask a crawl to stop, as the first Ctrl-C does: what is in flight comes home, all of it is stored."""
    _wish(folder, "stop", by)


def _wish(folder: Path, want: WishWord, by: str) -> None:
    if not state_of(folder).at_work:
        advice = "" if want == "stop" else f": 'shoal start --dir {typed(folder)}' lets it go on"
        raise FolderError(f"The crawl in {folder} does not run{advice}.")
    run_control.wish(folder, want, time.time(), by)


def stop_at_once(folder: Path, *, grace: float = _GRACE_SECONDS) -> RunState:
    """End a crawl of this machine as the second Ctrl-C does, and kill it if it takes longer than so many seconds.

    Only the process is signalled that has the crawl, and is still the one that said so: its number may be another program's.
    """
    run = _own_process(folder)
    for number, patience in ((signal.SIGTERM, _TERM_SECONDS), (signal.SIGTERM, grace), (signal.SIGKILL, grace)):
        if not send_signal(run.pid, number, lambda: _has(folder, run)):
            break
        if not wait_for_end(folder, patience).at_work:
            break
    if (now := wait_for_end(folder, 0)).state != "dead":
        return now
    run_control.end_run(folder, run, "ended", Ending.STOPPED)  # it could not say so itself
    return state_of(folder)


def _own_process(folder: Path) -> RunRecord:
    """Which process has the crawl, if it may be signalled from here; else one sentence that says why it may not."""
    now = state_of(folder)
    if not now.at_work:
        raise FolderError(f"The crawl in {folder} does not run.")
    with folders.reading(folder) as database:
        run = run_control.read_run(database)
    where = f"process {now.pid or 'unknown'}" + (f" on {now.host}" if now.host else "")
    if now.host and now.host != socket.gethostname():
        raise FolderBusy(f"The crawl in {folder} runs on another machine ({where}): end it there, or ask it to stop.")
    if run is None or not _has(folder, run):
        raise FolderBusy(
            f"Something is at work in {folder} ({where}) that is no crawl of this machine: it is left alone."
        )
    if not run.heeds_signals:
        raise FolderBusy(
            f"The crawl in {folder} runs inside another program ({where}): end it there, or ask it to stop."
        )
    return run


def _has(folder: Path, run: RunRecord) -> bool:
    """True while this very process has the crawl."""
    return run.host == socket.gethostname() and born(run.pid) == run.born and folders.at_work(folder) == run.pid
