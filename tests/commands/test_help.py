"""`shoal help`: the manual in a pipe and on a terminal, with a pager that may be left, and out of a wheel."""

from __future__ import annotations

import os
import pty
import re
import subprocess
import sys
import threading
import zipfile
from pathlib import Path

import pytest

from shoal.cli import COMMANDS
from tests.shell import Shell
from tests.test_cli import HEAVY

ROOT = Path(__file__).parent.parent.parent
DOCS = ROOT / "docs"
PAGES = sorted(path.stem for path in DOCS.glob("*.md"))


# --- into a pipe -----------------------------------------------------------------------------------------------------


def test_without_a_subject_it_lists_the_pages_and_the_commands(shoal: Shell) -> None:
    said = shoal("help")
    assert (said.code, said.err) == (0, "")
    assert [name for name in PAGES if not re.search(rf"^  {name} +\S.*\?$", said.out, re.M)] == []
    listed = said.out.partition("Commands:")[2].replace(",", " ").split()
    assert listed == list(COMMANDS)
    assert max(map(len, said.out.splitlines())) <= 80


def test_a_page_is_its_file(shoal: Shell) -> None:
    for name in PAGES:
        said = shoal("help", name)
        assert (said.code, said.err) == (0, "")
        assert said.out == (DOCS / f"{name}.md").read_text("utf-8")


def test_a_section_is_what_stands_below_its_heading(shoal: Shell) -> None:
    out = shoal("help", "strategies", "learned").out
    assert out.startswith("### learned\n\nThe strategies of the papers")
    assert out in (DOCS / "strategies.md").read_text("utf-8")
    assert "Is it about the topic?" not in out


@pytest.mark.parametrize("name", [name for name in COMMANDS if name not in PAGES])
def test_a_command_is_what_is_written_about_it(shoal: Shell, name: str) -> None:
    assert shoal("help", name).out.startswith(f"## shoal {name}")


def test_words_of_several_pages_bring_what_can_be_asked(shoal: Shell) -> None:
    out = shoal("help", "limits").out
    assert out.startswith("Several sections are about this:\n")
    subjects = re.findall(r"^  shoal help (.*?)   ", out, re.M)
    assert len(subjects) > 1
    assert all(shoal("help", *subject.split()).out.startswith("## Limits\n") for subject in subjects)


def test_a_subject_that_is_none_is_one_sentence_with_what_is_near(shoal: Shell) -> None:
    said = shoal("help", "strategeis")
    assert said.sentence() == 'The manual has nothing about "strategeis"; did you mean strategies?'
    assert said.code == 2


def test_the_list_of_commands_says_that_it_is_there(shoal: Shell) -> None:
    assert "shoal help" in shoal("--help").out.splitlines()[-1]


@pytest.mark.slow
def test_nothing_is_drawn_where_nobody_looks() -> None:
    lines = [["help"], ["help", "topics"], ["help", "status"], ["help", "strategies", "learned"]]
    code = f"""
import contextlib, io, sys
from shoal.cli import main
for line in {lines}:
    with contextlib.suppress(SystemExit), contextlib.redirect_stdout(io.StringIO()):
        main(line)
    print(line, sorted({HEAVY} & set(sys.modules)))
"""
    said = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert said.stdout.splitlines() == [f"{line} []" for line in lines]


# --- on a terminal ---------------------------------------------------------------------------------------------------


def at_a_terminal(*arguments: str, environ: dict[str, str]) -> tuple[int, str]:
    """The exit code of a real process with a screen of 80 × 24, and what it shows."""
    ours, theirs = pty.openpty()
    shown = bytearray()
    reader = threading.Thread(target=_read_all, args=(ours, shown))
    reader.start()
    surroundings = {name: value for name, value in os.environ.items() if name not in ("LESS", "PAGER", "NO_COLOR")}
    surroundings |= {"COLUMNS": "80", "LINES": "24", "TERM": "xterm"}
    command = [sys.executable, "-m", "shoal", "help", *arguments]
    ended = subprocess.run(
        command, env=surroundings | environ, stdin=theirs, stdout=theirs, stderr=theirs, timeout=60, check=False
    )
    os.close(theirs)
    reader.join()
    os.close(ours)
    return ended.returncode, shown.decode().replace("\r\n", "\n")


def _read_all(terminal: int, into: bytearray) -> None:
    try:
        while chunk := os.read(terminal, 65536):
            into += chunk
    except OSError:  # how a terminal ends
        return


@pytest.mark.slow
def test_what_fits_the_screen_is_drawn_there() -> None:
    code, shown = at_a_terminal("marks", "中文", environ={"PAGER": "false"})
    assert code == 0
    assert shown.startswith("\x1b[1;36m中文页面\x1b[0m\n\n网址可以直接写中文")
    assert "##" not in shown


@pytest.mark.slow
def test_what_is_longer_goes_to_the_pager_of_the_user() -> None:
    code, shown = at_a_terminal("topics", environ={"PAGER": "sed s/^/|/"})
    assert code == 0
    assert all(line.startswith("|") for line in shown.splitlines())
    assert "|Three sources" in shown.splitlines()
    assert shown.rstrip().splitlines()[-1].startswith("|  shoal help ")


@pytest.mark.slow
def test_the_list_does_too() -> None:
    code, shown = at_a_terminal(environ={"PAGER": "sed s/^/|/"})
    assert code == 0
    assert "|Where to begin:" in shown.splitlines()


@pytest.mark.slow
@pytest.mark.parametrize("pager", ["true", "false", "head -n 1", "no-such-pager"])
def test_a_pager_that_has_had_enough_or_is_none_is_no_error(pager: str) -> None:
    code, shown = at_a_terminal("commands", environ={"PAGER": pager})
    assert code == 0
    assert "Traceback" not in shown
    assert "\nshoal: " not in shown


@pytest.mark.slow
def test_a_pager_that_cannot_be_read_is_one_sentence() -> None:
    code, shown = at_a_terminal("commands", environ={"PAGER": "'less"})
    assert (code, shown) == (2, "shoal: PAGER is no command that can be run: No closing quotation.\n")


@pytest.mark.slow
def test_colours_are_the_users_choice() -> None:
    _, shown = at_a_terminal("marks", "中文", environ={"NO_COLOR": "1"})
    assert shown.startswith("\x1b[1m中文页面\x1b[0m\n"), "bold is no colour"
    _, shown = at_a_terminal("marks", "中文", environ={"TERM": "dumb"})
    assert "\x1b" not in shown


# --- out of a wheel --------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where a wheel of this tree was unpacked, far from the repository."""
    folder = tmp_path_factory.mktemp("wheel")
    offline = ("--quiet", "--no-deps", "--no-index", "--no-build-isolation", "--disable-pip-version-check")
    subprocess.run([sys.executable, "-m", "pip", "wheel", *offline, "--wheel-dir", str(folder), str(ROOT)], check=True)
    (wheel,) = folder.glob("*.whl")
    with zipfile.ZipFile(wheel) as packed:
        packed.extractall(folder / "site")
    return folder / "site"


@pytest.mark.slow
def test_a_wheel_has_the_pages_and_nothing_else_of_the_documents(installed: Path) -> None:
    there = sorted(path.relative_to(installed / "shoal" / "docs").as_posix() for path in installed.rglob("docs/**/*"))
    assert there == [f"{name}.md" for name in PAGES]


@pytest.mark.slow
def test_an_installed_shoal_needs_no_repository(installed: Path, tmp_path: Path) -> None:
    code = "import shoal, sys; sys.stderr.write(shoal.__file__); from shoal.cli import main; main(['help', 'topics'])"
    said = subprocess.run(
        [sys.executable, "-c", code],
        cwd=tmp_path,
        env=os.environ | {"PYTHONPATH": str(installed)},
        capture_output=True,
        check=True,
    )
    assert said.stderr.decode() == str(installed / "shoal" / "__init__.py")
    assert said.stdout == (DOCS / "topics.md").read_bytes()
    (installed / "shoal" / "docs").rename(installed / "shoal" / "elsewhere")
    try:
        said = subprocess.run(
            [sys.executable, "-c", code],
            cwd=tmp_path,
            env=os.environ | {"PYTHONPATH": str(installed)},
            capture_output=True,
            check=False,
        )
    finally:
        (installed / "shoal" / "elsewhere").rename(installed / "shoal" / "docs")
    assert (said.returncode, said.stdout) == (2, b""), "it was the wheel's own that were read"
    assert b"The manual is not installed with this shoal" in said.stderr
