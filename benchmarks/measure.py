"""What does a command cost, or a process that runs? Its time, the CPU and the memory of it and all its children."""

from __future__ import annotations

import os
import signal
import subprocess
import tempfile
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

SAMPLE_EVERY = 0.5
"""Seconds between two looks at the memory."""
TICKS = os.sysconf("SC_CLK_TCK")
"""In which the kernel counts a second of CPU."""


class CommandFailed(Exception):
    """A measured command ended badly; the message has its last words."""


@dataclass(frozen=True, kw_only=True)
class Cost:
    """What one run of a command cost."""

    seconds: float
    cpu: float
    """Seconds, user and system, of the process and all its children."""
    peak_mb: float
    """The most memory the processes held together; pages they share are counted once."""
    elsewhere: float
    """Processors that everything else kept busy meanwhile, the server and other tenants included."""


def run(command: Sequence[str], *, folder: Path, timeout: float, environment: Mapping[str, str] | None = None) -> Cost:
    """Run a command to its end in `folder` and say what it cost. It has to exit with 0 within `timeout` seconds."""
    with tempfile.TemporaryFile() as output:
        began, busy = time.perf_counter(), busy_seconds()
        process = subprocess.Popen(
            command,
            cwd=folder,
            env={**os.environ, **(environment or {})},
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT,
            start_new_session=True,  # so that its children are known by their session, and only they
        )
        with _Watch(process.pid, timeout) as watch:
            # wait4, not wait: it tells the CPU of the process together with that of all the children it waited for.
            _, status, usage = os.wait4(process.pid, 0)
        seconds, busy_after = time.perf_counter() - began, busy_seconds()
        process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode != 0:
            output.seek(0)
            said = output.read().decode("utf-8", "replace").strip()[-2000:]
            raise CommandFailed(f"{' '.join(command)}\nended with {process.returncode} after {seconds:.1f} s: {said}")
    cpu = usage.ru_utime + usage.ru_stime
    return Cost(
        seconds=seconds,
        cpu=cpu,
        # The kernel remembers the true peak of the largest process, which a look twice a second may miss.
        peak_mb=max(watch.peak_kb, usage.ru_maxrss) / 1024,
        elsewhere=max(0.0, (busy_after - busy - cpu) / seconds),
    )


class _Watch:
    """Looks at the memory of a session now and then, and ends it when its time is up."""

    def __init__(self, session: int, timeout: float) -> None:
        self.peak_kb = 0  # written by the thread only, read after it has ended
        self._session = session
        self._ends = time.monotonic() + timeout
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._look)

    def __enter__(self) -> _Watch:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._over.set()
        self._thread.join()

    def _look(self) -> None:
        while not self._over.wait(SAMPLE_EVERY):
            self.peak_kb = max(self.peak_kb, sum(_memory_kb(pid) for pid in _processes(self._session)))
            if time.monotonic() > self._ends:
                os.killpg(self._session, signal.SIGKILL)
                return


def busy_seconds() -> float:
    """What all processors together have worked since the machine started."""
    user, nice, system, _idle, _iowait, *rest = (int(n) for n in Path("/proc/stat").read_text().split()[1:9])
    return (user + nice + system + sum(rest)) / TICKS


def cpu_seconds(pid: int) -> float:
    """What a process that runs has cost so far, user and system, without its children."""
    fields = dict(_stats())[pid]
    return (int(fields[11]) + int(fields[12])) / TICKS


def family_cpu_seconds(pid: int) -> float:
    """What a process that runs, all that it has started and all that these have started have cost so far."""
    stats = dict(_stats())
    family = {pid}
    while born := {child for child, fields in stats.items() if int(fields[1]) in family} - family:
        family |= born
    # Four fields: those who have ended are counted with who has waited for them.
    return sum(int(ticks) for member in family for ticks in stats[member][11:15]) / TICKS


def _processes(session: int) -> Iterator[int]:
    return (pid for pid, fields in _stats() if int(fields[3]) == session)


def _stats() -> Iterator[tuple[int, list[str]]]:
    """The number of each process, and what the kernel says of it after its name."""
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            # The name of the program, in brackets, may hold anything: the fields after it are safe to split.
            yield int(folder.name), (folder / "stat").read_text(errors="replace").rpartition(")")[2].split()
        except OSError:  # it ended while we looked
            continue


def _memory_kb(pid: int) -> int:
    try:
        lines = Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines()
    except OSError:  # it ended while we looked
        return 0
    return next((int(line.split()[1]) for line in lines if line.startswith("Pss:")), 0)
