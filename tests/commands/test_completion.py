"""Tab finishes commands, options, strategies, crawls and what help is there for, in three real shells, and loads little."""

from __future__ import annotations

import os
import pty
import select
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from shoal.cli import COMMANDS
from shoal.commands.completion import PLACES, VARIABLE
from shoal.model import Term, Topic
from shoal.settings import Settings
from shoal.store import crawl_folder as folders
from shoal.testing.packages import ensure_installed
from tests.commands.conftest import HOME
from tests.commands.test_help import PAGES
from tests.shell import Shell

PROGRAMS = Path(sys.executable).parent
HEAVY = ("numpy", "sqlalchemy", "rich", "aiohttp", "tantivy", "turbohtml", "opencc")


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """An installation with two crawls, and something else beside them."""
    home = tmp_path / "home"
    for name in ("power-grid", "电网"):
        folders.create(
            home / "crawls" / name,
            Settings(topic=Topic(name=name, terms=(Term(text=name, weight=1.0),)), seeds=(HOME,)),
        )
    (home / "crawls" / "power-tools").mkdir()
    return home


def surroundings(home: Path) -> dict[str, str]:
    found = {"PATH": f"{PROGRAMS}:/usr/bin:/bin", "LC_ALL": "C.UTF-8", "TERM": "dumb", "HOME": str(home)}
    return os.environ | found | {"SHOAL_HOME": str(home)}


def finished(home: Path, *words: str) -> list[str]:
    """What may stand in the place of the last of these words."""
    asked = {VARIABLE: "bash_complete", "COMP_WORDS": " ".join(("shoal", *words)), "COMP_CWORD": str(len(words))}
    done = subprocess.run(
        [PROGRAMS / "shoal"], env=surroundings(home) | asked, capture_output=True, text=True, check=True
    )
    assert done.stderr == ""
    return [line.partition(",")[2] for line in done.stdout.splitlines() if line.startswith("plain,")]


# --- what could be meant ---------------------------------------------------------------------------------------------


@pytest.mark.slow
def test_commands_and_their_options(home: Path) -> None:
    assert finished(home, "re") == ["resume", "revisit", "reindex", "restore", "replay"]
    assert finished(home, "seeds", "") == ["find", "read"]
    assert finished(home, "export", "--fo") == ["--format"]
    assert finished(home, "export", "--format", "p") == ["parquet"]


@pytest.mark.slow
def test_strategies_and_judges(home: Path) -> None:
    for command in ("crawl", "resume", "compare"):
        assert finished(home, command, "--strategy", "fish") == ["fish", "fish-improved", "fish-pagerank"]
        assert "evidence" in finished(home, command, "--judge", "")


@pytest.mark.slow
def test_crawls_by_their_names(home: Path) -> None:
    assert finished(home, "search", "--crawl", "") == ["power-grid", "电网"]
    assert finished(home, "status", "pow") == ["power-grid"]
    assert finished(home, "status", "电") == ["电网"]
    assert finished(home, "status", "./pow") == [], "a path is the shell's business"


@pytest.mark.slow
def test_what_help_is_there_for(home: Path) -> None:
    assert finished(home, "help", "stra") == ["strategies"]
    assert finished(home, "help", "st") == ["strategies", "start", "stop", "status"]
    assert finished(home, "help", "strategies", "") == ["which-link-next", "learned", "is-it-about-the-topic"]
    assert finished(home, "help", "topic", "l") == ["learn"]
    assert {*PAGES, *COMMANDS} == set(finished(home, "help", ""))


@pytest.mark.slow
def test_a_home_that_cannot_be_read_is_not_the_shells_business(home: Path, tmp_path: Path) -> None:
    shutil.rmtree(home / "crawls")
    (home / "crawls").symlink_to(home / "crawls")
    assert finished(home, "status", "") == []


@pytest.mark.slow
@pytest.mark.parametrize(
    "words", [("",), ("crawl", "--"), ("status", ""), ("help", ""), ("help", "strategies", "")], ids=" ".join
)
def test_nothing_heavy_is_loaded_for_it(home: Path, words: tuple[str, ...]) -> None:
    program = f"""
import sys
from shoal.cli import main
try:
    main([])
finally:
    print(*(name for name in {HEAVY!r} if name in sys.modules), file=sys.stderr)
"""
    asked = {VARIABLE: "bash_complete", "COMP_WORDS": " ".join(("shoal", *words)), "COMP_CWORD": str(len(words))}
    done = subprocess.run(
        [sys.executable, "-c", f"import sys; sys.argv = ['shoal']\n{program}"],
        env=surroundings(home) | asked,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.stdout != ""
    assert done.stderr == "\n"


# --- the scripts -----------------------------------------------------------------------------------------------------


def shell_program(name: str) -> Path:
    """A real shell, installed when it is missing and we may."""
    return ensure_installed(name, lambda: Path(found) if (found := shutil.which(name)) else None)


@pytest.mark.parametrize("name", PLACES)
def test_the_script_goes_to_standard_output_and_nothing_else(shoal: Shell, name: str) -> None:
    said = shoal("completion", name)
    assert (said.code, said.err) == (0, "")
    assert VARIABLE in said.out
    assert said.out.startswith("#compdef shoal\n") == (name == "zsh"), "zsh reads the first line"


def test_another_shell_is_a_mistake(shoal: Shell) -> None:
    assert "bash" in shoal("completion", "tcsh").sentence()
    assert "Choose from: bash, zsh, fish. See " in shoal("completion").sentence()


def script_of(name: str, shoal: Shell, folder: Path) -> Path:
    script = folder / f"shoal.{name}"
    script.write_text(shoal("completion", name).out, encoding="utf-8")
    return script


@pytest.mark.slow
def test_bash_finishes_what_is_typed(shoal: Shell, home: Path, tmp_path: Path) -> None:
    program = f"source {script_of('bash', shoal, tmp_path)}; COMP_WORDS=(shoal status p); COMP_CWORD=2"
    program += '; complete -p shoal; _shoal_completion shoal; echo "${COMPREPLY[@]}"'
    done = subprocess.run(
        [shell_program("bash"), "--norc", "-c", program],
        env=surroundings(home),
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.stdout, done.stderr) == ("complete -o nosort -F _shoal_completion shoal\npower-grid\n", "")


@pytest.mark.slow
def test_fish_finishes_what_is_typed(shoal: Shell, home: Path, tmp_path: Path) -> None:
    program = f"source {script_of('fish', shoal, tmp_path)}"
    program += "; complete -C 'shoal status p'; complete -C 'shoal comple'; complete -C 'shoal help strategies is'"
    done = subprocess.run(
        [shell_program("fish"), "--no-config", "-c", program],
        env=surroundings(home),
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.stderr == ""
    assert done.stdout.splitlines() == [
        "power-grid",
        "completion\tLet bash, zsh or fish finish what you type.",
        "is-it-about-the-topic\tIs it about the topic?",
    ]


@pytest.mark.slow
def test_zsh_finishes_what_is_typed(shoal: Shell, home: Path, tmp_path: Path) -> None:
    """Only its line editor knows what Tab brings, so somebody must sit at a terminal and type."""
    script = script_of("zsh", shoal, tmp_path)
    with at_a_terminal([str(shell_program("zsh")), "-f", "-i"], home) as terminal:
        os.write(terminal, f"autoload -Uz compinit && compinit -u -D && source {script} && echo rea''dy\n".encode())
        assert until(terminal, "ready")
        os.write(terminal, b"shoal status p\t")
        assert until(terminal, "power-grid")
        os.write(terminal, b"\x15exit\n")  # what stands in the line is taken back


@contextmanager
def at_a_terminal(command: list[str], home: Path) -> Iterator[int]:
    """Our end of the terminal of a program."""
    ours, theirs = pty.openpty()
    with subprocess.Popen(
        ["setsid", "--ctty", *command], cwd=home, env=surroundings(home), stdin=theirs, stdout=theirs, stderr=theirs
    ):
        os.close(theirs)
        try:
            yield ours
        finally:
            os.close(ours)  # a shell whose terminal is gone ends


def until(terminal: int, text: str) -> bool:
    """Whether a terminal shows this, sooner or later."""
    shown = b""
    while text.encode() not in shown:
        if not select.select([terminal], [], [], 30.0)[0]:
            pytest.fail(shown.decode(errors="replace"))
        shown += os.read(terminal, 4096)
    return True
