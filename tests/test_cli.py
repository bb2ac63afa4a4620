"""The command line as a stranger with bad luck meets it: one clear sentence, the right exit code, nothing lost."""

from __future__ import annotations

import os
import re
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import click
import pytest

from shoal import cli, services
from shoal.store.crawl_folder import lock
from shoal.topic.topic_file import topic_from_words
from tests.commands.conftest import HOME
from tests.shell import Shell
from tests.test_docs import COMMANDS

FILE = 'keywords = ["power grid"]\nseeds = ["http://a.test/"]\n'


@pytest.fixture
def shoal(tmp_path: Path) -> Shell:
    """Any command, in an empty folder."""
    return Shell(tmp_path)


def left_behind(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir() if path.name != "state")


# --- a topic that cannot be used -------------------------------------------------------------------------------------

BAD_FILES: dict[str, tuple[bytes, str]] = {
    "not UTF-8": ('keywords = ["电网"]'.encode("gbk"), "not UTF-8"),
    "not TOML": (b"keywords = [", "not TOML"),
    "nothing in it": (b"", "keywords must name at least one word"),
    "unknown key": (FILE.encode() + b"max_page = 5", 'no key "max_page"; did you mean max_pages?'),
    "no seeds": (b'keywords = ["grid"]', "seeds must name at least one URL"),
    "seed not a URL": (b'keywords = ["grid"]\nseeds = ["ftp://x/"]', "http or https URLs, but 'ftp://x/' is none"),
    "seed without scheme": (b'keywords = ["grid"]\nseeds = ["x.org"]', "did you mean https://x.org?"),
    "weights not numbers": (b'keywords = {grid = "much"}\nseeds = ["http://a.test/"]', "'grid' has 'much'"),
    "unknown strategy": (FILE.encode() + b'strategy = "best-frist"', "did you mean best-first?"),
    "unknown judge": (FILE.encode() + b'judge = "cosin"', "did you mean cosine?"),
    "unknown scope": (FILE.encode() + b'scope = "domian"', "did you mean domain?"),
    "no pages wanted": (FILE.encode() + b"max_pages = 0", "max_pages must be a whole number of at least 1, not 0"),
}


@pytest.mark.parametrize(("content", "complaint"), BAD_FILES.values(), ids=BAD_FILES)
def test_a_bad_topic_file_is_one_sentence_and_leaves_no_folder(
    shoal: Shell, tmp_path: Path, content: bytes, complaint: str
) -> None:
    (tmp_path / "topic.toml").write_bytes(content)
    said = shoal("crawl", "topic.toml", "--dir", "crawl")
    assert complaint in said.sentence()
    assert said.sentence().startswith("topic.toml")
    assert (said.code, left_behind(tmp_path)) == (2, ["topic.toml"])


WORDS = ("--topic", "grid", "--seed", HOME, "--dir", "crawl")
BAD_ARGUMENTS: dict[str, tuple[tuple[str, ...], str]] = {
    "file missing": (("crawl", "none.toml"), "none.toml: there is no such topic file"),
    "file is a folder": (("crawl", "."), "is a folder; give the path of a topic file"),
    "file and words": (("crawl", "x.toml", "--topic", "grid"), "either a topic file or --topic"),
    "neither": (("crawl",), "either a topic file or --topic"),
    "words without seed": (("crawl", "--topic", "grid"), "--seed must name at least one URL"),
    "empty words": (("crawl", "--topic", " ", "--seed", HOME), "--topic must name at least one word"),
    "only punctuation": (("crawl", "--topic", "!!", "--seed", HOME), "must have words in them"),
    "bad weight": (("crawl", "--topic", "电网=x", "--seed", HOME), "'电网' has 'x'"),
    "seed is no URL": (("crawl", "--topic", "grid", "--seed", "a b"), "--seed must be http or https URLs"),
    "seed is empty": (("crawl", "--topic", "grid", "--seed", ""), "--seed must be"),
    "pages 0": (("crawl", *WORDS, "--max-pages", "0"), "--max-pages must be a whole number of at least 1, not 0"),
    "pages -1": (("crawl", *WORDS, "--max-pages", "-1"), "--max-pages must be a whole number of at least 1, not -1"),
    "pages abc": (("crawl", *WORDS, "--max-pages", "abc"), "'--max-pages': 'abc' is not a valid integer"),
    "huge": (("crawl", *WORDS, "--max-bytes", "9" * 30), "--max-bytes must be from 1 to 9223372036854775807 bytes"),
    "time nonsense": (("crawl", *WORDS, "--max-time", "soon"), "--max-time must be seconds or a duration"),
    "time negative": (("crawl", *WORDS, "--max-time", "-5"), "--max-time must be seconds or a duration"),
    "delay negative": (("crawl", *WORDS, "--delay", "-1"), "--delay must be a number from 0 to 86400"),
    "delay nan": (("crawl", *WORDS, "--delay", "nan"), "--delay must be a number"),
    "range nonsense": (("crawl", *WORDS, "--allow-private", "home"), "--allow-private must be address ranges"),
    "proxy nonsense": (("crawl", *WORDS, "--proxy", "nonsense"), "--proxy must be a URL"),
    "proxy not http": (("crawl", *WORDS, "--proxy", "socks5://127.0.0.1:1"), "--proxy must be a URL"),
    "agent nonsense": (("crawl", *WORDS, "--user-agent", "爬虫"), "--user-agent must be one line of plain ASCII"),
    "strategy": (("crawl", *WORDS, "--strategy", "bredth"), "did you mean breadth?"),
    "judge": (("crawl", *WORDS, "--judge", "zone"), "did you mean zones?"),
    "scope": (("crawl", *WORDS, "--scope", "hosts"), "did you mean host?"),
    "unknown option": (("crawl", *WORDS, "--max-page", "5"), "--max-pages"),
    "unknown command": (("crwal",), "No such command 'crwal'"),
    "no folder given": (("status",), "Say which crawl, by its name or its folder"),
    "empty name": (("crawl", *WORDS[:4], "--name", ""), "a name has at least one letter"),
    "empty name beside a folder": (("crawl", *WORDS, "--name", ""), "Either --name or --dir"),
    "long name": (("status", "--dir", "a" * 300), "cannot be used: File name too long"),
    "no time": (("compare", "generated", "--latency", "inf"), "'inf' is not a number of seconds"),
    "unknown number": (
        ("crawl", "--topic", "x", "--seed", "http://a.test/", "--strategy", "fish", "--set", "wdth=3"),
        '--set: strategy fish has no "wdth"; did you mean width?',
    ),
    "unknown format": (("export", "--dir", "x", "--format", "xml"), "'xml' is not one of 'jsonl'"),
}


@pytest.mark.parametrize(("arguments", "complaint"), BAD_ARGUMENTS.values(), ids=BAD_ARGUMENTS)
def test_bad_arguments_are_one_sentence_and_leave_nothing(
    shoal: Shell, tmp_path: Path, arguments: tuple[str, ...], complaint: str
) -> None:
    said = shoal(*arguments)
    assert complaint in said.sentence()
    assert (said.code, left_behind(tmp_path)) == (2, [])


@pytest.mark.slow
def test_a_process_ends_with_the_exit_code_and_without_a_traceback() -> None:
    ended = subprocess.run([sys.executable, "-m", "shoal", "crawl", "none.toml"], capture_output=True, check=False)
    assert (ended.returncode, ended.stdout) == (2, b"")
    assert ended.stderr == b"shoal: none.toml: there is no such topic file.\n"


def test_no_command_shows_what_there_is(shoal: Shell) -> None:
    said = shoal()
    assert said.code == 2
    assert all(name in said.err for name in ("crawl", "resume", "status", "explain", "export"))


# --- a folder that cannot be used ------------------------------------------------------------------------------------


def make_crawl(folder: Path) -> None:
    services.crawls.start_crawl(folder, topic_from_words("grid", [HOME], names=services.choices.names()))


@pytest.mark.parametrize("command", [("resume",), ("status",), ("export",), ("explain", HOME)], ids=lambda c: c[0])
def test_a_folder_without_a_crawl_says_how_to_start_one(shoal: Shell, tmp_path: Path, command: tuple[str, ...]) -> None:
    for folder in ("missing", "."):
        said = shoal(*command, "--dir", folder)
        assert re.match(r"There is no crawl in .*: start one with 'shoal crawl", said.sentence())
        assert said.code == 2
    assert left_behind(tmp_path) == []


@pytest.mark.parametrize("command", [("resume",), ("status",), ("export",), ("explain", HOME)], ids=lambda c: c[0])
@pytest.mark.parametrize(
    ("damage", "complaint"),
    [
        ("UPDATE meta SET value = '99' WHERE key = 'version'", "a newer shoal (format 99"),
        ("DELETE FROM meta WHERE key = 'version'", "a shoal that is too old for this one (format 0"),
        ("DROP TABLE meta", "is damaged or not one of shoal's"),
        (None, "damaged or not one of shoal's"),
    ],
    ids=["newer", "no version", "not ours", "garbage"],
)
def test_a_folder_that_cannot_be_read_is_left_as_it_is(
    shoal: Shell, tmp_path: Path, command: tuple[str, ...], damage: str | None, complaint: str
) -> None:
    make_crawl(tmp_path / "c")
    database = tmp_path / "c" / "crawl.sqlite"
    if damage is None:
        database.write_bytes(b"not a database, " * 1000)
    else:
        with closing(sqlite3.connect(database)) as connection, connection:
            connection.execute(damage)
    before = database.read_bytes()
    said = shoal(*command, "--dir", "c")
    assert complaint in said.sentence()
    assert (said.code, database.read_bytes() == before) == (2, True)


def test_a_crawl_is_not_started_over_another(shoal: Shell, tmp_path: Path) -> None:
    make_crawl(tmp_path / "crawl")
    said = shoal("crawl", *WORDS)
    assert "There is a crawl in crawl already: go on with 'shoal resume --dir crawl'" in said.sentence()
    assert said.code == 2


def test_two_crawls_never_write_to_one_folder(shoal: Shell, tmp_path: Path) -> None:
    make_crawl(tmp_path / "crawl")
    with lock(tmp_path / "crawl"):
        said = shoal("resume", "--dir", "crawl")
        assert re.search(rf"Another crawl \(process {os.getpid()}\) is running in crawl", said.sentence())
        assert said.code == 2
        assert "running" in shoal("status", "--dir", "crawl").out.splitlines()[0]


@pytest.mark.parametrize("where", ["file/below", "/proc/shoal", "/dev/null/x"])
def test_a_folder_that_cannot_be_made_is_one_sentence(shoal: Shell, tmp_path: Path, where: str) -> None:
    (tmp_path / "file").write_text("here already")
    said = shoal("crawl", "--topic", "grid", "--seed", HOME, "--dir", where)
    assert f"The folder {where} cannot be used:" in said.sentence()
    assert (said.code, left_behind(tmp_path)) == (2, ["file"])


# --- help ------------------------------------------------------------------------------------------------------------


FOR_PEOPLE = {"completion", "help"}
"""What they answer is a script, or a page to read."""


@pytest.mark.parametrize("words", COMMANDS)
def test_every_command_and_option_explains_itself_and_can_speak_json(shoal: Shell, words: str) -> None:
    said = shoal(*words.split(), "--help")
    assert (said.code, said.err) == (0, "")
    assert max(map(len, said.out.splitlines())) <= 80
    params = COMMANDS[words].params
    assert [
        param.name for param in params if param.param_type_name == "option" and not getattr(param, "help", "")
    ] == []
    assert ("as_json" in {param.name for param in params}) is (words not in FOR_PEOPLE)


# --- loading ---------------------------------------------------------------------------------------------------------

SHARED = {
    *("setting_options", "output", "console", "terminal", "options", "live_view", "live_lines", "live_screen"),
    *("comparison_view", "comparison_tables", "demo_tables", "manual_view", "next_command"),
}
"""Modules of `commands/` that several commands use, or that a large one has beside it."""


def test_every_command_has_its_module_and_every_module_its_command() -> None:
    folder = Path(cli.__file__).parent / "commands"
    assert {path.stem for path in folder.glob("*.py")} - {"__init__"} == SHARED | set(cli.COMMANDS)
    context = click.Context(cli.commands)
    for name in cli.COMMANDS:
        command = cli.commands.get_command(context, name)
        assert command is not None
        assert command.name == name
        assert command.help


def test_what_there_is_can_be_said_without_loading_it(shoal: Shell) -> None:
    shown = shoal("--help").out
    assert [
        name for name, what in cli.COMMANDS.items() if not re.search(rf"^  {name} +{re.escape(what)}$", shown, re.M)
    ] == []


HEAVY = {
    *("numpy", "tantivy", "rich", "matplotlib", "pyarrow", "scipy", "aiohttp", "sqlalchemy", "rjieba", "opencc"),
    *("asyncio", "asyncpg", "rapidfuzz", "tomlkit", "uvloop"),
}
"""What no mistake and no question about the tool itself waits for."""
TYPED = f"""
import contextlib, io, sys
from shoal.cli import main
HEAVY = {HEAVY!r}
def loaded_by(*arguments):
    with contextlib.suppress(SystemExit), contextlib.redirect_stdout(io.StringIO()):
        main(arguments)
    return sorted(HEAVY & set(sys.modules))
"""


def test_nobody_waits_for_what_is_not_needed() -> None:
    """Version, help, a command that is none, and a wrong option of any command."""
    lines = [["--version"], ["--help"], ["--bogus"], ["sttus"], *([*words.split(), "--bogus"] for words in COMMANDS)]
    code = f"{TYPED}\nfor line in {lines!r}:\n    print(line, loaded_by(*line))"
    said = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert said.stdout.splitlines() == [f"{line} []" for line in lines]
    assert all("shoal: " in complaint for complaint in said.stderr.splitlines())


def test_a_name_that_is_close_is_offered(shoal: Shell) -> None:
    assert "Did you mean 'search'?" in shoal("serch").sentence()
