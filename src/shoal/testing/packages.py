"""Are the programs that a test needs (a server, a shell) on this machine? If not, and if we may, they are installed."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

from shoal.testing.daemons import ServerError

_INSTALL_SECONDS = 540.0


def ensure_installed(package: str, found: Callable[[], Path | None]) -> Path:
    """The folder of the programs that `found` looks for; the Debian package is installed when it is not there.

    A test that needs a program is never left out: without root or apt-get this raises one sentence that says what to install.
    """
    folder = found()
    if folder is None and os.geteuid() == 0 and shutil.which("apt-get"):
        _apt_get("update")
        _apt_get("install", "--yes", "--no-install-recommends", package)
        folder = found()
    if folder is None:
        raise ServerError(f"These tests need a program that is not installed: apt-get install {package}.")
    return folder


def _apt_get(*arguments: str) -> None:
    done = subprocess.run(
        ["apt-get", "--quiet=2", *arguments],
        env={**os.environ, "DEBIAN_FRONTEND": "noninteractive"},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=_INSTALL_SECONDS,
        check=False,
    )
    if done.returncode:
        raise ServerError(f"apt-get {' '.join(arguments)} failed: {done.stderr.strip()[-500:]}")
