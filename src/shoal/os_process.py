"""How is a process started that outlives us, and how is one signalled that is not our child, without hitting another program?

A number of a process is given to another one when it has ended: whoever only knows the number may hit a stranger.
"""

from __future__ import annotations

import os
import signal
import subprocess
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Future
from contextlib import suppress
from pathlib import Path
from threading import Thread
from typing import IO


class OutlivingProcess:
    """A process in a session of its own: it goes on when we end, and leaves no zombie behind when we go on.

    Nothing of it belongs to an event loop, so it may be started in one, beside one, and be left alone when that closes.
    """

    def __init__(
        self,
        command: Sequence[str],
        *,
        environ: Mapping[str, str] | None = None,
        stdin: int = subprocess.DEVNULL,
        output: int | IO[bytes] | None = None,
        complaints: int | IO[bytes] | None = None,
    ) -> None:
        """`output` and `complaints` take its standard output and standard error; None: they go where ours go."""
        self._process = subprocess.Popen(
            command, env=environ, stdin=stdin, stdout=output, stderr=complaints, start_new_session=True
        )
        self.pid = self._process.pid
        self.ended: Future[int] = Future()
        """Its exit code, once it has one; the number of a signal counts as negative."""
        self.ended.set_running_or_notify_cancel()  # from now on whoever waits may give up, and this stays as it is
        Thread(target=self._wait, name=f"shoal-process-{self.pid}", daemon=True).start()

    def _wait(self) -> None:
        self.ended.set_result(self._process.wait())

    def close_stdin(self) -> None:
        """It reads that there is nothing more to read."""
        if self._process.stdin is not None:
            with suppress(BrokenPipeError):  # it has ended already
                self._process.stdin.close()


# --- which process is it ---------------------------------------------------------------------------------------------


def born(pid: int) -> str:
    """When a process began, in the words of the system; empty when there is none, or the system does not say."""
    try:
        text = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return ""
    # The name of the program stands in brackets, and may have blanks and brackets itself.
    return text.rpartition(")")[2].split()[19]


def send_signal(pid: int, number: signal.Signals, is_right: Callable[[], bool]) -> bool:
    """Signal a process if `is_right` says that its number is still that of the one that is meant; False when it is not.

    Where the system can hold on to a process, it is held while that is asked: no other one can take its place meanwhile.
    """
    if pid <= 0 or pid == os.getpid():  # 0 and below would mean whole groups of processes
        return False
    if not hasattr(os, "pidfd_open"):
        return is_right() and _signalled(lambda: os.kill(pid, number))
    try:
        held = os.pidfd_open(pid)
    except ProcessLookupError:
        return False
    try:
        return is_right() and _signalled(lambda: signal.pidfd_send_signal(held, number))
    finally:
        os.close(held)


def _signalled(send: Callable[[], None]) -> bool:
    try:
        send()
    except ProcessLookupError:
        return False
    return True
