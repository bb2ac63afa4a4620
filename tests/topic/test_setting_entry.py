"""A setting says its default, its range and how it is typed in the form in which people write such values."""

from __future__ import annotations

import pytest

from shoal.topic.setting_table import setting


@pytest.mark.parametrize(
    ("name", "default"),
    [
        ("max_pages", None),
        ("delay", 1.0),
        ("strategy", "learned"),
        ("contact", None),
        ("index", True),
        ("images", False),
        ("all_images", False),
        ("include", None),
        ("keywords", None),
        ("learned", None),
        ("database", None),
    ],
)
def test_the_default_is_that_of_the_structs(name: str, default: object) -> None:
    assert setting(name).default == default


@pytest.mark.parametrize(
    ("name", "value", "written"),
    [
        ("robots_ttl", 86_400.0, "1d"),
        ("max_crawl_delay", 300.0, "5m"),
        ("connect_timeout", 0.1, "0.1s"),
        ("connect_timeout", 90.0, "90s"),
        ("max_body", 10 * 2**20, "10MiB"),
        ("max_body", 20 * 10**6, "20MB"),
        ("max_body", 1_234_567, "1234567"),
        ("max_queue", 5_000_000, "5000000"),
        ("fetch_factor", 2.0, "2"),
        ("hurry", False, "no"),
        ("proxy", None, ""),
    ],
)
def test_a_value_is_written_as_a_person_would(name: str, value: float | str | None, written: str) -> None:
    assert setting(name).written(value) == written


@pytest.mark.parametrize(
    ("name", "spelling", "sample"),
    [
        ("max_pages", "--max-pages", "--max-pages N"),
        ("until_done", "--until-done", "--until-done SHARE"),
        ("keywords", "--topic", "--topic WORDS"),
        ("images", "--images", "--images, --no-images"),
        ("attempts", "--setting attempts", "--setting attempts=N"),
    ],
)
def test_how_it_is_typed(name: str, spelling: str, sample: str) -> None:
    assert (setting(name).spelling, setting(name).sample) == (spelling, sample)


def test_a_range_is_said_in_words() -> None:
    assert setting("attempts").range == "1 to 20"
    assert setting("max_pages").range == "at least 1"
    assert setting("max_body").range == "1kB to 64MiB"
    assert setting("proxy").range == ""


def test_a_person_may_only_be_more_polite_than_usual() -> None:
    delay = setting("delay")
    assert (delay.least_for("operator"), delay.least_for("person")) == (0, delay.default)
