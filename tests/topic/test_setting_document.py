"""The tables of docs/commands.md are those of the settings as they are now."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from shoal.errors import InputError
from shoal.topic.setting_document import rewritten
from shoal.topic.setting_table import SECTIONS, SETTINGS, setting

ROOT = Path(__file__).parents[2]
COMMANDS = (ROOT / "docs" / "commands.md").read_text(encoding="utf-8")


def test_the_tables_are_current() -> None:
    assert rewritten(COMMANDS) == COMMANDS, "run: python -m shoal.topic.setting_document docs/commands.md"
    for name in (*SECTIONS.keys() - {"rare"}, "keys", "again"):
        assert COMMANDS.count(f"<!-- settings: {name} -->") == 1


def test_every_setting_is_there_with_its_range_default_and_help() -> None:
    rows = {row.split("`")[1]: row for row in COMMANDS.splitlines() if row.startswith("| `")}
    for entry in SETTINGS:
        row = rows[entry.name]
        assert entry.help.en.replace("*", "\\*") in row
        assert entry.range in row
        assert entry.written(entry.default) in row
        assert ("operator" in row) is not entry.allows("person")


def test_what_stands_outside_of_the_markers_is_left_alone() -> None:
    document = "电网\n<!-- settings: again -->\nstale words\n<!-- end -->\nafter\n"
    new = rewritten(document)
    assert new.startswith("电网\n<!-- settings: again -->\n\n`--strategy`")
    assert new.endswith("\n<!-- end -->\nafter\n")
    assert "stale words" not in new
    assert rewritten(new) == new
    assert rewritten("no markers") == "no markers"


@pytest.mark.parametrize("document", ["<!-- settings: nothing -->\n<!-- end -->", "<!-- settings: keys -->\nno end"])
def test_a_marker_that_means_nothing_is_one_sentence(document: str) -> None:
    with pytest.raises(InputError, match="There is no table of settings"):
        rewritten(document)


@pytest.mark.slow
def test_the_module_writes_the_file_anew(tmp_path: Path) -> None:
    path = tmp_path / "commands.md"
    path.write_text(COMMANDS.replace(f"| {setting('attempts').help.en} |", "| something else |"), encoding="utf-8")
    subprocess.run([sys.executable, "-m", "shoal.topic.setting_document", str(path)], check=True, timeout=60)
    assert path.read_text(encoding="utf-8") == COMMANDS


PROSE = {
    "connecting {} s": "connect_timeout",
    "first byte {} s": "answer_timeout",
    "a whole page {} s": "total_timeout",
    "`--delay` ({} second)": "delay",
    "share at most {} requests": "per_address",
}


@pytest.mark.parametrize(("phrase", "name"), PROSE.items())
def test_what_the_prose_says_of_a_default_is_so(phrase: str, name: str) -> None:
    default = setting(name).default
    assert isinstance(default, int | float)
    text = " ".join((ROOT / "docs" / "crawling.md").read_text(encoding="utf-8").split())
    assert phrase.format(f"{default:g}") in text
