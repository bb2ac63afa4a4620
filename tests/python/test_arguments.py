"""Can a program say what a topic file can? And is a mistake told in its own words?"""

from __future__ import annotations

import pytest

from shoal.errors import InputError
from shoal.python.arguments import TOPIC_KEYS, CrawlSettings, in_python_words, python_words
from shoal.topic.setting_table import SETTINGS, setting


def test_every_key_of_a_topic_file_is_a_keyword() -> None:
    assert CrawlSettings.__annotations__.keys() | TOPIC_KEYS == {entry.name for entry in SETTINGS}


@pytest.mark.parametrize("key", sorted(CrawlSettings.__annotations__))
def test_an_option_is_called_as_its_keyword(key: str) -> None:
    assert python_words(f"{setting(key).spelling} must be a number, not 'x'") == f"{key} must be a number, not 'x'"


@pytest.mark.parametrize(
    ("sentence", "meant"),
    [
        ("or say --until-done=0.", "or say until_done=0."),
        ("choose fish with --strategy, or leave it", "choose fish with strategy, or leave it"),
        ("go on with 'shoal resume 电网', or", "go on with shoal.open('电网').resume(), or"),
        ("go on with 'shoal resume --dir \"/a b/c\"'.", "go on with shoal.open('/a b/c').resume()."),
        ("start one with 'shoal crawl … --dir /a'.", "start one with shoal.crawl(…)."),
        ("there are a, b and 3 more (shoal crawls).", "there are a, b and 3 more (shoal.crawls())."),
        ("it has no --colour, as in a--b", "it has no --colour, as in a--b"),
    ],
)
def test_a_sentence_for_a_terminal(sentence: str, meant: str) -> None:
    assert python_words(sentence) == meant


def test_an_error_stays_what_it_is() -> None:
    error = InputError("--delay must be a number")
    with pytest.raises(InputError, match=r"^delay must be a number$") as caught, in_python_words():
        raise error
    assert caught.value is error
