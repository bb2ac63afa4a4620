"""The table of settings: it reaches every setting, says each thing once, and keeps what is the operator's from others."""

from __future__ import annotations

import ast
import re
from collections import Counter
from pathlib import Path
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from shoal.errors import InputError
from shoal.model import Topic
from shoal.settings import Cluster, Settings, SettingsPart
from shoal.topic.setting_entry import SettingEntry
from shoal.topic.setting_readers import Names, reader_of
from shoal.topic.setting_table import ENVIRONMENT, SECTIONS, SETTINGS, check_allowed, setting
from tests.syntax import nodes_of

NOBODY_SAYS = {"has_model", "topic.version"}
"""What a crawl says of itself."""
ONLY_THE_OPERATOR = (
    {"proxy", "allow_private", "database", "broker", "user_agent", "contact", "processes"}  # the design
    | {"concurrency", "label", "max_queue"}  # what the machine has to give, and what only measuring looks at
    | {"per_host", "per_address", "fetch_factor", "max_crawl_delay", "attempts", "backoff_first", "backoff_cap"}
    | {"max_retry_after", "robots_ttl", "robots_retry"}  # manners: sites meet the operator's name
    | {"connect_timeout", "answer_timeout", "total_timeout", "max_body", "max_image_bytes", "max_image_pixels"}
)
COMMANDS = Path(__file__).parents[2] / "src" / "shoal" / "commands"
EXACT = [entry for entry in SETTINGS if entry.kind in ("whole", "number", "bytes", "time", "share")]
BOUNDED = [entry for entry in EXACT if entry.most is not None]


# --- it is whole -----------------------------------------------------------------------------------------------------


def fields(part: type[msgspec.Struct], before: str = "") -> set[str]:
    """Every place in the settings: `budget.max_pages`."""
    found: set[str] = set()
    for field in msgspec.structs.fields(part):
        kind = field.type
        if isinstance(kind, type) and issubclass(kind, SettingsPart | Topic) and not before:
            found |= fields(kind, f"{field.name}.")
        else:
            found.add(before + field.name)
    return found


def test_every_setting_can_be_said_and_nothing_else() -> None:
    there = (fields(Settings) | fields(Cluster, "cluster.")) - NOBODY_SAYS
    said = {place for entry in SETTINGS for place in entry.places} - {
        "topic.learned"
    }  # becomes words (topic/combined.py)
    assert said == there


def test_no_name_option_or_variable_is_there_twice() -> None:
    names = [entry.name for entry in SETTINGS]
    options = [option for entry in SETTINGS if entry.option for option in entry.option.split("/")]
    assert [name for name, count in Counter(names + options).items() if count > 1] == []
    assert len(ENVIRONMENT) == sum(1 for entry in SETTINGS if entry.variable)
    assert {entry.section for entry in SETTINGS} == set(SECTIONS)


@pytest.mark.parametrize("entry", SETTINGS, ids=lambda entry: entry.name)
def test_each_is_explained_in_one_line_in_both_languages(entry: SettingEntry) -> None:
    for words in (entry.label, entry.help):
        assert (words.en + words.zh).isprintable()
        assert len(words.en) < 110
    assert re.search("[\u4e00-\u9fff]|Crawl-delay|Retry-After", entry.label.zh)
    assert re.search("[\u4e00-\u9fff]", entry.help.zh)
    assert (entry.help.en[-1], entry.help.zh[-1]) == (".", "。")


def test_who_asks_for_a_setting_that_is_not_there_hears_which_was_meant() -> None:
    with pytest.raises(InputError, match=r'^There is no setting "atempts"; did you mean attempts\?$'):
        setting("atempts")
    with pytest.raises(InputError, match=r"^There is no setting \"zzz\"; 'shoal help settings' lists them all$"):
        setting("zzz")


# --- who may say it --------------------------------------------------------------------------------------------------


def test_what_reaches_beyond_a_crawl_is_the_operators() -> None:
    assert {entry.name for entry in SETTINGS if not entry.allows("person")} == ONLY_THE_OPERATOR
    check_allowed([entry.name for entry in SETTINGS], "operator")
    check_allowed([entry.name for entry in SETTINGS if entry.name not in ONLY_THE_OPERATOR], "person")


@pytest.mark.parametrize("name", sorted(ONLY_THE_OPERATOR))
def test_a_person_is_refused_with_one_sentence(name: str) -> None:
    with pytest.raises(InputError) as refused:
        check_allowed(["max_pages", name, "delay"], "person")
    assert str(refused.value) == f"{name} is for the operator of this installation to set: leave it out"


# --- ranges ----------------------------------------------------------------------------------------------------------


def read(entry: SettingEntry, value: object) -> Any:
    return reader_of(entry, Names())(value)


@pytest.mark.parametrize("entry", EXACT, ids=lambda entry: entry.name)
def test_the_default_and_both_ends_are_accepted(entry: SettingEntry) -> None:
    for value in (entry.default, entry.least, entry.most):
        if value is not None:
            exact = int(value) if entry.kind in ("whole", "bytes") else value
            assert read(entry, exact) == (value or (None if entry.kind == "share" else 0))


@pytest.mark.parametrize("entry", [one for one in EXACT if one.kind in ("bytes", "time")], ids=lambda entry: entry.name)
def test_a_value_as_it_is_written_means_the_same(entry: SettingEntry) -> None:
    for value in (entry.default, entry.least, entry.most):
        if value is not None:
            assert read(entry, entry.written(value)) == value


@given(st.sampled_from(BOUNDED), st.floats(min_value=0.001, max_value=1e6), st.booleans())
def test_beyond_either_end_is_one_sentence(entry: SettingEntry, beyond: float, above: bool) -> None:
    assert entry.least is not None
    assert entry.most is not None
    value = entry.most + beyond if above else entry.least - beyond
    whole = int(entry.most + 1 + beyond) if above else int(entry.least - 1 - beyond)
    with pytest.raises(ValueError, match=r"^must be [^\n]+, not [^\n]+$"):
        read(entry, whole if entry.kind in ("whole", "bytes") else value)


@given(st.sampled_from(BOUNDED), st.floats(min_value=0, max_value=1))
def test_between_the_ends_all_is_accepted(entry: SettingEntry, share: float) -> None:
    assert entry.least is not None
    assert entry.most is not None
    value = entry.least + share * (entry.most - entry.least)
    exact: float = int(value) if entry.kind in ("whole", "bytes") else min(value, entry.most)
    assert read(entry, exact) == (exact or (None if entry.kind == "share" else 0))


# --- nothing is written twice ----------------------------------------------------------------------------------------


def test_no_help_repeats_a_default() -> None:
    for entry in SETTINGS:
        usual = entry.written(entry.default)
        assert "efault" not in entry.help.en
        if entry.kind in ("bytes", "time", "line", "user_agent") and usual:
            assert usual not in entry.help.en


MEASURING = {"compare.py", "demo.py"}
"""They run crawls of their own, under conditions of their own."""


def repeats(path: Path) -> list[str]:
    """Options of settings for which a command writes down what holds without them."""
    options = {option for entry in SETTINGS for option in entry.option.split("/") if option}
    found: list[str] = []
    for call in (node for node in nodes_of(path) if isinstance(node, ast.Call)):
        named = {arg.value for arg in call.args if isinstance(arg, ast.Constant) and arg.value in options}
        said = {word.arg: word.value.value for word in call.keywords if isinstance(word.value, ast.Constant)}
        if said.get("default") not in (None, "") or re.search(r"Default: \d", str(said.get("help"))):
            found += map(str, named)
    return found


def test_no_command_repeats_a_default(tmp_path: Path) -> None:
    commands = [path for path in sorted(COMMANDS.glob("*.py")) if path.name not in MEASURING]
    assert {path.name: found for path in commands if (found := repeats(path))} == {}
    wrong = tmp_path / "wrong.py"
    wrong.write_text(
        "option('--delay', default=1.0)\noption('--processes', help='Default: 1.')\noption('--limit', default=3)"
    )
    assert repeats(wrong) == ["--delay", "--processes"]
