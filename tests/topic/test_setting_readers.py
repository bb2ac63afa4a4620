"""Each kind of setting has its reader, and what is typed for `--setting` is what a topic file would say."""

from __future__ import annotations

from typing import get_args

import pytest

from shoal.topic.setting_entry import Kind
from shoal.topic.setting_readers import Names, reader_of, value_in
from shoal.topic.setting_table import SETTINGS, setting

NAMES = Names(strategies=("fish",), judges=("cosine",))


def test_every_kind_is_used_and_can_be_read() -> None:
    assert {entry.kind for entry in SETTINGS} == set(get_args(Kind))
    for entry in SETTINGS:
        with pytest.raises(ValueError, match=r"^must "):
            reader_of(entry, NAMES)(object())


@pytest.mark.parametrize(
    ("name", "text", "value"),
    [
        ("attempts", "6", 6),
        ("attempts", "many", "many"),
        ("attempts", "6\nproxy = 'x'", "6\nproxy = 'x'"),
        ("fetch_factor", "1.5", 1.5),
        ("hurry", "true", True),
        ("hurry", "yes", "yes"),
        ("max_body", "20MB", "20MB"),
        ("max_time", "10m", "10m"),
        ("contact", "true", "true"),
        ("contact", '"a b"', "a b"),
        ("include", '["*/电网/*", "*.html"]', ["*/电网/*", "*.html"]),
        ("include", "*/电网/*", "*/电网/*"),
        ("parameters", "{ width = 10 }", {"width": 10}),
        ("attempts", "9" * 5000, "9" * 5000),
        ("include", "[" * 5000, "[" * 5000),
    ],
)
def test_what_is_typed_needs_no_quotes(name: str, text: str, value: object) -> None:
    assert value_in(setting(name), text) == value


@pytest.mark.parametrize(
    ("name", "value", "sentence"),
    [
        ("attempts", 21, "must be a whole number from 1 to 20, not 21"),
        ("attempts", "6", "must be a whole number from 1 to 20, not '6'"),
        ("connect_timeout", 0, "must be seconds or a duration such as '90s', '10m', '2h' or '1d', not 0"),
        ("connect_timeout", "11m", "must be from 0.1 to 600 seconds, not '11m'"),
        ("max_body", "1GB", "must be from 1000 to 67108864 bytes, not '1GB'"),
        ("max_bytes", 0, "must be from 1 to 9223372036854775807 bytes, not 0"),
        ("max_body", "much", "must be a number of bytes, such as 500000, '500k' or '20MB', not 'much'"),
        ("fetch_factor", 101, "must be a number from 0 to 100, not 101"),
        ("robots_ttl", "2d", "must be from 60 to 86400 seconds, not '2d'"),
    ],
)
def test_what_is_out_of_range_is_one_sentence(name: str, value: object, sentence: str) -> None:
    with pytest.raises(ValueError, match="must") as caught:
        reader_of(setting(name), NAMES)(value)
    assert str(caught.value) == sentence


def test_a_person_has_a_narrower_range() -> None:
    assert reader_of(setting("delay"), NAMES)(0) == 0.0
    assert reader_of(setting("delay"), NAMES, "person")(2) == 2.0
    with pytest.raises(ValueError, match=r"^must be a number from 1 to 86400, not 0.5$"):
        reader_of(setting("delay"), NAMES, "person")(0.5)
