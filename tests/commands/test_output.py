"""Nothing that a stranger wrote steers the terminal, whichever command prints it; data for other programs stays as it is."""

from __future__ import annotations

import ast
import asyncio
import io
import json
import logging
import os
import pty
import subprocess
import sys
from pathlib import Path

import pytest
from msgspec.structs import replace
from rich.table import Table
from rich.text import Text

from shoal.model import Reason, State
from shoal.printable import Formatter, escaped, harmless
from shoal.store import crawl_folder as folders
from shoal.store.crawl_store import open_store
from shoal.terminal.speaking import Answers
from tests.store.test_crawl_store import SETTINGS, batch, page

SOURCE = Path(__file__).parent.parent.parent / "src" / "shoal"
EVIL = "\x1b]0;owned\x07 \x1b[2J \x9b31m \u202egpj.exe \u2028 \u2066 \x00 \x7f \r"
"""A title for the window, a cleared screen, a CSI of one byte, text that runs backwards, an end of line of another kind."""


# --- one way out -----------------------------------------------------------------------------------------------------

MAY_PRINT = {"terminal/speaking.py"}
MAY_TOUCH_STREAMS = MAY_PRINT | {"cli.py", "harmless.py"}
OWN_PROGRAMS = {"evaluate/gate.py", "evaluate/serve.py", "indexing.py", "commands/feedback.py", "commands/seeds.py"}
"""These print numbers of ours, or only read or ask whether somebody watches."""


def _name(node: ast.AST) -> str:
    return ast.unparse(node)


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
        "commands/feedback.py": 0, "commands/seeds.py": 0, "evaluate/gate.py": 3, "evaluate/serve.py": 1, "indexing.py": 0
    }  # fmt: skip


# --- what is cleaned -------------------------------------------------------------------------------------------------


def dangerous(text: str) -> str:
    """Every character of a text that a terminal does not simply show."""
    return "".join(character for character in text if not character.isprintable() and character not in "\n\u3000\xa0")


def test_what_is_harmless_stays() -> None:
    text = "电网\u3000调度 café 📈\nnext\xa0line"
    assert harmless(text) == text
    assert not dangerous(harmless(EVIL))


def test_json_says_the_same() -> None:
    said = json.dumps({"title": EVIL + "电网\U000e0001"}, ensure_ascii=False)
    assert json.loads(escaped(said)) == json.loads(said)
    assert not dangerous(escaped(said))


def test_a_table_is_clean_and_the_colours_are_ours() -> None:
    out = io.StringIO()
    console = Answers(file=out, force_terminal=True, width=100)
    table = Table("title")
    table.add_row(Text(EVIL, "red"))
    table.add_row(EVIL)
    console.print(table, EVIL)
    ours = out.getvalue()
    assert "\x1b[" in ours, "rich colours it"
    assert not dangerous(__import__("re").sub(r"\x1b\[[0-9;]*m", "", ours))


def test_logs_and_their_tracebacks_are_clean() -> None:
    try:
        raise ValueError(EVIL)
    except ValueError:
        record = logging.LogRecord("x", logging.ERROR, "x", 1, "it says %s", (EVIL,), sys.exc_info())
    assert not dangerous(Formatter("%(message)s").format(record))


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
    "feedback": ("feedback", "list"),
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
    environment = os.environ | {"SHOAL_STATE_DIR": str(home), "TERM": "dumb", "NO_COLOR": "1"}
    process = subprocess.Popen(
        [sys.executable, "-m", "shoal", *arguments],
        stdin=theirs,
        stdout=theirs,
        stderr=theirs,
        env=environment,
        cwd=home,
    )
    os.close(theirs)
    shown = b""
    try:
        while chunk := os.read(ours, 65536):
            shown += chunk
    except OSError:  # how a terminal ends
        process.wait()
    os.close(ours)
    return shown.replace(b"\r\n", b"\n")


@pytest.mark.slow
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
    command = [sys.executable, "-m", "shoal", *arguments, "--dir", str(hostile)]
    assert b"\x1b]0;owned\x07" in subprocess.run(command, capture_output=True, check=True).stdout
