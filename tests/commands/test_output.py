"""Nothing that a stranger wrote steers the terminal, whichever command prints it; data for other programs stays as it is."""

from __future__ import annotations

import ast
import asyncio
import json
import os
import pty
import subprocess
import sys
import threading
from collections.abc import Mapping
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path
from unittest.mock import patch

import click
import pytest
from msgspec.structs import replace

from shoal.cli import main
from shoal.commands.output import STOPPED, run_async
from shoal.model import Reason, State
from shoal.store import crawl_folder as folders
from shoal.store.crawl_store import open_store
from tests.commands.conftest import FOLDER, HOME
from tests.evil_words import EVIL, dangerous
from tests.shell import Said, Shell
from tests.store.pages import SETTINGS, batch, page

SOURCE = Path(__file__).parent.parent.parent / "src" / "shoal"


# --- one way out -----------------------------------------------------------------------------------------------------


MAY_PRINT = {"commands/output.py", "python/progress.py"}
MAY_TOUCH_STREAMS = MAY_PRINT | {"cli.py", "printable.py"}
OWN_PROGRAMS = {
    *("evaluate/gate.py", "evaluate/serve.py", "indexer.py"),
    *("commands/completion.py", "commands/mark.py", "commands/seeds.py"),
}
"""These print numbers of ours, or only read or ask whether somebody watches."""


def _name(node: ast.AST) -> str:
    return ast.unparse(node)


@pytest.mark.slow
def test_whatever_is_printed_goes_through_the_place_that_cleans_it() -> None:
    found = []
    for path in sorted(SOURCE.rglob("*.py")):
        where = str(path.relative_to(SOURCE))
        if where.startswith("testing/") or where in OWN_PROGRAMS:
            continue
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            name = _name(node.func) if isinstance(node, ast.Call) else ""
            printed = name in {"print", "input", "Console"} or name.startswith(
                ("click.echo", "click.secho", "rich.print")
            )
            stream = isinstance(node, ast.Attribute) and _name(node) in {"sys.stdout", "sys.stderr", "click.echo"}
            if (printed and where not in MAY_PRINT) or (stream and where not in MAY_TOUCH_STREAMS):
                found.append(f"{where}:{getattr(node, 'lineno', 0)} {name or _name(node)}")
    assert found == []


def test_the_own_programs_print_nothing_else() -> None:
    """Those that may: what they print is here, so that a new line is looked at."""
    prints = {
        where: sum(
            isinstance(node, ast.Call) and _name(node.func) == "print"
            for node in ast.walk(ast.parse((SOURCE / where).read_text(encoding="utf-8")))
        )
        for where in sorted(OWN_PROGRAMS)
    }
    assert prints == {
        "commands/completion.py": 0, "commands/mark.py": 0, "commands/seeds.py": 0,
        "evaluate/gate.py": 3, "evaluate/serve.py": 1, "indexer.py": 0,
    }  # fmt: skip


# --- every command on a real terminal --------------------------------------------------------------------------------


URL = "http://a.test/1"
COMMANDS = {
    "show": ("show", URL),
    "show --html": ("show", URL, "--html"),
    "show --json": ("show", URL, "--json"),
    "show --versions": ("show", URL, "--versions"),
    "export": ("export",),
    "export --format csv": ("export", "--format", "csv"),
    "explain": ("explain", URL),
    "explain --json": ("explain", URL, "--json"),
    "explain a failure": ("explain", "http://a.test/2"),
    "status": ("status",),
    "status --json": ("status", "--json"),
    "search": ("search", "owned"),
    "similar": ("similar", URL),
    "mark": ("mark", "--list"),
    "check": ("check",),
    "an error": ("explain", "http://a.test/" + EVIL.replace("\x00", "")),
    "a folder": ("explain", "x", "--dir", "/nowhere/\x1b[2J\u202e"),
}


@pytest.fixture(scope="module")
def hostile(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A crawl whose pages want to have the terminal."""
    folder = tmp_path_factory.mktemp("hostile") / "c"
    folders.create(folder, SETTINGS)
    first = page(1, f"<title>{EVIL}</title>{EVIL}".encode(), text=f"owned {EVIL}")
    seen = first.seen
    assert seen.page is not None
    seen = replace(seen, page=replace(seen.page, title=f"owned {EVIL}", description=EVIL, headings=EVIL))
    with open_store(folder) as store:
        changes = batch(replace(first, seen=seen), page(2, b"x"))
        failed = tuple(
            replace(entry, state=State.FAILED, reason=Reason.STATUS, detail=f"The server answered 404 {EVIL}.")
            if entry.id == 2
            else replace(entry, anchor=EVIL, why=EVIL)
            for entry in changes.added
        )
        asyncio.run(store.commit(replace(changes, added=failed, pages=changes.pages[:1])))
    return folder


def on_a_terminal(*arguments: str, home: Path) -> bytes:
    """What the terminal gets to see, from either stream."""
    ours, theirs = pty.openpty()
    shown = bytearray()
    reader = threading.Thread(target=_read_all, args=(ours, shown))
    reader.start()
    with (
        open(theirs, "w", encoding="utf-8") as stream,
        patch.dict(os.environ, {"SHOAL_HOME": str(home), "TERM": "dumb", "NO_COLOR": "1"}),
        redirect_stdout(stream),
        redirect_stderr(stream),
        pytest.raises(SystemExit),
    ):
        main(arguments)
    reader.join()
    os.close(ours)
    return bytes(shown).replace(b"\r\n", b"\n")


def _read_all(terminal: int, into: bytearray) -> None:
    try:
        while chunk := os.read(terminal, 65536):
            into += chunk
    except OSError:  # how a terminal ends
        return


@pytest.mark.parametrize("name", COMMANDS)
def test_no_command_lets_a_stranger_steer_the_terminal(hostile: Path, tmp_path: Path, name: str) -> None:
    arguments = COMMANDS[name]
    where = () if "--dir" in arguments else ("--dir", str(hostile))
    shown = on_a_terminal(*arguments, *where, home=tmp_path).decode()
    assert shown.strip()
    assert "Traceback" not in shown, shown
    assert not dangerous(shown), ascii(shown)


@pytest.mark.parametrize("arguments", [("show", URL, "--html"), ("export", "--format", "csv")])
def test_whoever_reads_a_pipe_gets_the_very_bytes(hostile: Path, arguments: tuple[str, ...]) -> None:
    code, out, _ = Shell(hostile.parent).bytes(*arguments, "--dir", str(hostile))
    assert code == 0
    assert b"\x1b]0;owned\x07" in out


# --- an end before the end -------------------------------------------------------------------------------------------


async def stopped_at_once() -> None:
    raise asyncio.CancelledError


def test_who_stops_a_command_at_once_is_told_how_to_go_on(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(click.exceptions.Exit) as ended:
        run_async(stopped_at_once(), stopped="Go on with: shoal resume")
    assert ended.value.exit_code == STOPPED
    assert capsys.readouterr() == ("", "Go on with: shoal resume\n")


# --- streams and terminals of all kinds ------------------------------------------------------------------------------


POOR = {
    "ascii": {"PYTHONIOENCODING": "ascii"},
    "C": {"LC_ALL": "C", "LANG": "C"},
}


def as_process(
    *arguments: str, home: Path, stdout: int = subprocess.PIPE, environ: Mapping[str, str] | None = None
) -> subprocess.CompletedProcess[bytes]:
    """The command as a shell runs it."""
    return subprocess.run(
        [sys.executable, "-m", "shoal", *arguments],
        cwd=home,
        env={**os.environ, "SHOAL_HOME": str(home / "state"), **(environ or {})},
        stdin=subprocess.DEVNULL,
        stdout=stdout,
        stderr=subprocess.PIPE,
        timeout=60,
        check=False,
    )


@pytest.mark.slow
@pytest.mark.parametrize("environ", POOR.values(), ids=POOR)
def test_a_terminal_without_chinese_is_no_reason_to_fail(finished: tuple[Path, Said], environ: dict[str, str]) -> None:
    home, _ = finished
    explained = as_process("explain", "a.test/电网", "--dir", FOLDER, home=home, environ=environ)
    assert (explained.returncode, explained.stderr) == (0, b"")
    exported = as_process("explain", "a.test/电网", "--dir", FOLDER, "--json", home=home, environ=environ)
    assert json.loads(exported.stdout)["title"] == "智能电网"


@pytest.mark.slow
def test_a_reader_that_has_had_enough_is_no_error(finished: tuple[Path, Said]) -> None:
    home, _ = finished
    for command in (("export",), ("status",), ("explain", HOME, "--json")):
        reading, writing = os.pipe()
        os.close(reading)
        ended = as_process(*command, "--dir", FOLDER, home=home, stdout=writing)
        os.close(writing)
        assert (ended.returncode, ended.stderr) == (0, b""), command


@pytest.mark.slow
def test_a_full_disk_behind_standard_output_is_one_sentence(finished: tuple[Path, Said]) -> None:
    home, _ = finished
    for command in (("export",), ("status",), ("explain", HOME, "--json")):
        with open("/dev/full", "wb") as full:
            ended = as_process(*command, "--dir", FOLDER, home=home, stdout=full.fileno())
        assert ended.returncode == 2, command
        assert ended.stderr.startswith(b"shoal: There is no room left"), ended.stderr
        assert ended.stderr.count(b"\n") == 1
