"""How does a command answer? As JSON when asked to, with an exit code, and from an event loop where one is needed."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Coroutine
from pathlib import Path
from typing import Any, TypeVar

import msgspec
import uvloop

from shoal.terminal.speaking import show_json

STOPPED = 130
"""The exit code of a command that Ctrl-C ended."""
_Result = TypeVar("_Result")


def print_json(value: object) -> None:
    """One value on standard output, for other programs."""
    show_json(msgspec.json.format(msgspec.json.encode(value), indent=2))


def path_text(path: Path) -> str:
    """A path as JSON can hold it, even if its name is not UTF-8."""
    return os.fsencode(path).decode(errors="replace")


def run_async(main: Coroutine[Any, Any, _Result]) -> _Result:
    """Run to the end on the fast event loop."""
    with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        return runner.run(main)
