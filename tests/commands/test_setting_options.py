"""Options come from the table of settings; a mistake in them is told at once, and loads next to nothing."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import click
import pytest

from shoal.commands.crawl import crawl
from shoal.commands.resume import resume
from shoal.commands.setting_options import help_of, with_settings
from shoal.errors import InputError
from shoal.store import crawl_folder as folders
from shoal.topic.setting_table import SETTINGS, setting
from tests.commands.conftest import HOME, TOPIC, small_web
from tests.shell import Shell, served

HEAVY = ("numpy", "rjieba", "opencc", "tantivy", "aiohttp", "rapidfuzz", "pyarrow", "scipy", "rich", "asyncio")


@pytest.mark.parametrize("command", [crawl, resume], ids=["crawl", "resume"])
def test_every_option_of_the_table_is_there(command: click.Command) -> None:
    options = {option for param in command.params for option in (*param.opts, *param.secondary_opts)}
    for entry in SETTINGS:
        wanted = set(entry.option.split("/")) if entry.option else set()
        assert wanted <= options or (command is resume and not entry.resumable)
    assert "--setting" in options


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("delay", " Default: 1."),
        ("user_agent", " Default: Shoal/0.1."),
        ("index", " Default: yes."),
        ("max_pages", "Stop after so many pages."),
        ("hurry", "of a better link."),
        ("include", "'*/energy/*'; repeatable."),
    ],
)
def test_the_help_says_what_holds_otherwise(name: str, text: str) -> None:
    assert help_of(setting(name)).endswith(text)


def test_the_help_lists_what_can_be_chosen(shoal: Shell) -> None:
    assert help_of(setting("scope"), ("any", "host")).endswith(" One of any, host. Default: any.")
    said = shoal("crawl", "--help")
    assert "fish-improved" in said.out
    assert "zones" in said.out


def test_the_help_has_headings(shoal: Shell) -> None:
    titles = [line for line in shoal("resume", "--help").out.splitlines() if line and line[0] != " "]
    assert titles[1] == "Which crawl:"
    assert titles[-1] == "What to print:"


@pytest.mark.slow
@pytest.mark.parametrize("command", ["crawl", "resume"])
def test_a_mistyped_option_loads_next_to_nothing(command: str, tmp_path: Path) -> None:
    code = (
        "import sys\nfrom shoal.cli import main\n"
        f"try:\n    main(['{command}', '--bogus'])\n"
        f"except SystemExit as end:\n    print(end.code, sorted(set({HEAVY}) & sys.modules.keys()))\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=tmp_path)
    assert done.stdout == "2 []\n"
    assert done.stderr.startswith("shoal: No such option '--bogus'. See ")


# --- --setting -------------------------------------------------------------------------------------------------------


def test_both_ways_to_say_a_setting_become_one() -> None:
    given = {
        "max_pages": 5,
        "delay": None,
        "include": (),
        "settings": {"attempts": "6", "delay": "2", "include": "*x*"},
    }
    assert with_settings(given) == {"max_pages": 5, "attempts": 6, "delay": 2, "include": "*x*"}
    assert with_settings({"max_pages": None, "settings": {}}) == {"max_pages": None}


@pytest.mark.parametrize(
    ("given", "sentence"),
    [
        ({"settings": {"atempts": "3"}}, 'There is no setting "atempts"; did you mean attempts?'),
        ({"settings": {"seeds": "http://a.test/"}}, "seeds is nothing for --setting: say it in the topic file"),
        (
            {"max_pages": 5, "settings": {"max_pages": "6"}},
            "max_pages is said by --max-pages and by --setting: say it once",
        ),
    ],
)
def test_what_cannot_be_said_so_is_one_sentence(given: dict[str, object], sentence: str) -> None:
    with pytest.raises(InputError) as caught:
        with_settings(given)
    assert str(caught.value) == sentence


@pytest.mark.parametrize(
    ("typed", "sentence"),
    [
        (("--setting", "attempts=50"), "--setting attempts must be a whole number from 1 to 20, not 50."),
        (("--setting", "max_body=1TB"), "--setting max_body must be from 1000 to 67108864 bytes, not '1TB'."),
        (("--setting", "max_pages=0"), "--max-pages must be a whole number of at least 1, not 0."),
        (
            ("--max-bytes", "lots"),
            "--max-bytes must be a number of bytes, such as 500000, '500k' or '20MB', not 'lots'.",
        ),
        (("--per-host", "0"), "--per-host must be a whole number from 1 to 1000, not 0."),
    ],
)
def test_what_is_out_of_range_is_called_as_it_was_typed(shoal: Shell, typed: tuple[str, ...], sentence: str) -> None:
    said = shoal("crawl", "--topic", TOPIC, "--seed", HOME, *typed)
    assert (said.code, said.sentence()) == (2, sentence)
    assert list(shoal.home.iterdir()) == [], "nothing is left behind"


@pytest.mark.parametrize("typed", ["attempts", "=6", "attempts="])
def test_what_is_no_pair_is_refused(shoal: Shell, typed: str) -> None:
    said = shoal("crawl", "--setting", typed)
    assert "is not NAME=VALUE, such as attempts=6." in said.sentence()
    assert "attempts is said twice." in shoal("crawl", *("--setting", "attempts=1") * 2).sentence()


@pytest.mark.slow
def test_a_setting_is_kept_and_can_be_changed_when_the_crawl_goes_on(shoal: Shell) -> None:
    with served(small_web()) as server:
        start = ("--topic", TOPIC, "--seed", HOME, "--dir", "c", "--max-pages", "1", "--delay", "0", "--no-index")
        shoal("crawl", *start, "--proxy", server.proxy, "--max-bytes", "2MB", "--setting", "attempts=7", "--quiet")
        shoal("resume", "--dir", "c", "--setting", "max_body=500k", "--quiet")
    folder = shoal.home / "c"
    with folders.reading(folder) as database:
        kept = folders.read_settings(folder, database)
    assert (kept.politeness.attempts, kept.budget.max_bytes, kept.fetching.max_body) == (7, 2_000_000, 500_000)
