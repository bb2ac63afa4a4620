"""How does a server of the tests live no longer than the tests, whatever happens to them?

A server is a process with a log, started in a session of its own so that Ctrl-C at the keyboard does not reach it. Beside it
sits a small shell, the watch, which reads from a pipe that only we hold open. When we end the server, we tell the watch first.
When we die, however we die, the pipe closes, and the watch kills the server and removes its folder. (The parent-death signal of
Linux would not do: it fires when the *thread* that started the server ends.)
"""

from __future__ import annotations

import os
import shutil
import signal
import socket
import subprocess
import tempfile
import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from random import SystemRandom
from types import TracebackType
from typing import ClassVar, Self

from shoal.errors import ShoalError

USER = "shoal"
"""Whom our servers know."""
START_SECONDS = 300.0
"""Far more than they need (one and six seconds), for machines that are busy with other things."""
STOP_SECONDS = 60.0
PATH = "/usr/lib/erlang/bin:/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
"""Where programs of servers are looked for, whatever the caller's own is."""
_PORTS = range(20_000, 32_000)
"""Below the ports that Linux gives to outgoing connections: a server that is down for a moment finds its port free again."""
_WATCH = 'read -r told || { kill -9 "$@"; rm -rf "$FOLDER"; }'
_LOG_LINES = 15
"""How much of a server's log stands in the error."""
_POLL_SECONDS = 0.02


class ServerError(ShoalError):
    """A server for tests did not start or did not stop."""


def free_port() -> int:
    """A port of 127.0.0.1 that nobody listens on."""
    random = SystemRandom()
    while True:
        port = random.choice(_PORTS)
        with socket.socket() as probe, suppress(OSError):
            probe.bind(("127.0.0.1", port))
            return port


def private_folder(owner: str | None = None) -> Path:
    """A new folder that only `owner` (None: we) may look into."""
    folder = Path(tempfile.mkdtemp(prefix="shoal-server-"))
    if owner is not None:
        shutil.chown(folder, owner, owner)
    return folder


def wait_until(ready: Callable[[], bool], *, seconds: float) -> bool:
    """True as soon as `ready` says so, False when it did not in time."""
    deadline = time.monotonic() + seconds
    while not ready():
        if time.monotonic() > deadline:
            return False
        time.sleep(_POLL_SECONDS)
    return True


class Daemon:
    """One server process. It is started, stopped and killed by its owner, from any thread but one at a time."""

    def __init__(self, name: str, command: Sequence[str], *, folder: Path, environment: Mapping[str, str]) -> None:
        self._name = name
        self._command = command
        self._folder = folder
        self._environment = environment
        self._process: subprocess.Popen[bytes] | None = None
        self._watch: subprocess.Popen[bytes] | None = None

    @property
    def is_running(self) -> bool:
        """False once it has ended, whoever ended it."""
        return self._process is not None and self._process.poll() is None

    @property
    def pid(self) -> int:
        """The number of its process, for those who measure what it costs."""
        assert self._process is not None, f"{self._name} does not run"
        return self._process.pid

    def start(self) -> None:
        """Returns at once: whether it is ready is the owner's question."""
        assert self._process is None, f"{self._name} runs already"
        with self._log.open("ab") as log:
            self._process = subprocess.Popen(
                self._command,
                cwd=self._folder,
                env=dict(self._environment),
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                start_new_session=True,
            )
        self._watch = subprocess.Popen(
            ["/bin/sh", "-c", _WATCH, "watch", str(self._process.pid)],
            env={"PATH": "/usr/bin:/bin", "FOLDER": str(self._folder)},
            stdin=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )

    def wait(self, ready: Callable[[], bool], *, seconds: float) -> None:
        """Until it is ready; a ServerError with the end of its log when it will not be."""
        wait_until(lambda: not self.is_running or ready(), seconds=seconds)
        if not self.is_running or not ready():
            self.end(signal.SIGKILL, seconds=seconds)
            raise ServerError(
                f"{self._name} did not start within {seconds:.0f} seconds; its log ends with:\n{self._tail()}"
            )

    def end(self, how: signal.Signals, *, seconds: float, descendants: bool = False) -> None:
        """Send `how` and wait until it is gone; with `descendants` what it has started is killed with it."""
        if self._process is None:
            return
        family = tuple(_descendants(self._process.pid)) if descendants else ()
        self._process.send_signal(how)
        for child in family:
            with suppress(ProcessLookupError):
                os.kill(child, signal.SIGKILL)
        try:
            self._process.wait(seconds)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
            self._dismiss()
            raise ServerError(f"{self._name} did not stop within {seconds:.0f} seconds, so it was killed.") from None
        wait_until(lambda: not any(map(_is_alive, family)), seconds=seconds)
        self._dismiss()

    def _dismiss(self) -> None:
        """The process is gone: nobody else's may be killed under its number."""
        self._process = None
        if self._watch is not None:
            with suppress(BrokenPipeError):
                self._watch.communicate(b"ended\n")
            self._watch = None

    @property
    def _log(self) -> Path:
        return self._folder / f"{self._name}.log"

    def _tail(self) -> str:
        return "\n".join(self._log.read_text(encoding="utf-8", errors="replace").splitlines()[-_LOG_LINES:])


class RealServer(ABC):
    """A server of our own while its `with` block lasts: a daemon, and a folder that goes with it."""

    stops_by: ClassVar[signal.Signals] = signal.SIGTERM
    """How an operator stops it."""
    _daemon: Daemon
    _folder: Path

    @property
    def is_running(self) -> bool:
        """False before `start` and after `stop` or `kill`."""
        return self._daemon.is_running

    @property
    def pid(self) -> int:
        """The process to which all others of this server belong."""
        return self._daemon.pid

    @abstractmethod
    def start(self) -> None:
        """Returns when clients can connect; after `stop` or `kill` with the port and data of before."""

    def stop(self) -> None:
        """As an operator stops it: clients are sent away, and what is in memory is written."""
        self._daemon.end(self.stops_by, seconds=STOP_SECONDS)

    def kill(self) -> None:
        """As a crash ends it: the server and all that serve its clients are gone in an instant."""
        self._daemon.end(signal.SIGKILL, seconds=STOP_SECONDS, descendants=True)

    def restart(self) -> None:
        """Stopped and started again; after `kill`, `start` is enough."""
        self.stop()
        self.start()

    def __enter__(self) -> Self:
        try:
            self.start()
        except BaseException:
            self._remove()
            raise
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._remove()

    def _remove(self) -> None:
        # Nobody needs what it would still write.
        self.kill()
        shutil.rmtree(self._folder)


def _descendants(pid: int) -> Iterable[int]:
    children: dict[int, list[int]] = {}
    for status in Path("/proc").glob("[0-9]*/stat"):
        with suppress(OSError):  # it ended while we looked
            parent = int(status.read_text(encoding="utf-8", errors="replace").rpartition(")")[2].split()[1])
            children.setdefault(parent, []).append(int(status.parent.name))
    found = list(children.get(pid, ()))
    for child in found:  # grows while we go through it
        found += children.get(child, ())
    return found


def _is_alive(pid: int) -> bool:
    try:
        state = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8", errors="replace").rpartition(")")[2].split()[0]
    except OSError:
        return False
    return state != "Z"
