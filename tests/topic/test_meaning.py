"""What short texts mean, as numbers: a block per language, against directions chosen by hand."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from shoal.model import Term, Topic
from shoal.testing.vector_packages import install_chinese, install_english
from shoal.topic.text_vectors import Meanings
from shoal.topic.word_vectors import spaces

ENGLISH = {"grid": (1.0,), "power": (0.0, 1.0), "against": (-1.0,)}
CHINESE = {"电网": (1.0,), "变压": (0.0, 1.0), "电": (0.0, 0.0, 1.0)}
EN, ZH = 50, 64
"""Numbers per word of the two packages."""


@pytest.fixture(scope="module")
def meanings(tmp_path_factory: pytest.TempPathFactory) -> Meanings:
    folder: Path = tmp_path_factory.mktemp("vectors")
    install_english(folder, ENGLISH)
    return Meanings(spaces(install_chinese(folder, CHINESE)))


def numbers(meanings: Meanings, *words: str) -> dict[int, float]:
    """Those that are not 0, by their place."""
    found = meanings.of(words)
    return {int(place): round(float(found[place]), 3) for place in np.flatnonzero(np.abs(found) > 1e-4)}


def test_without_vectors_texts_have_no_numbers() -> None:
    nothing = Meanings(())
    assert nothing.width == 0
    assert len(nothing.of(["grid"])) == 0
    assert len(nothing.of_topic(Topic(name="grid", terms=(Term(text="grid"),)))) == 0


def test_each_language_has_its_block(meanings: Meanings) -> None:
    assert meanings.width == EN + ZH
    assert numbers(meanings, "grid") == {0: 1.0}
    assert numbers(meanings, "电网") == {EN: 1.0}


def test_words_are_taken_together(meanings: Meanings) -> None:
    # Both are about as rare, so the text points between them: 1 / sqrt(2) each.
    assert numbers(meanings, "grid", "power") == {0: pytest.approx(0.707, abs=0.01), 1: pytest.approx(0.707, abs=0.01)}


def test_a_single_chinese_character_counts_less_than_a_word(meanings: Meanings) -> None:
    # 1 and 0.3, at length 1: 0.958 and 0.287.
    found = numbers(meanings, "电网", "电")
    assert found == {EN: pytest.approx(0.958, abs=0.01), EN + 2: pytest.approx(0.287, abs=0.01)}


def test_unknown_words_say_nothing_and_opposites_cancel_out(meanings: Meanings) -> None:
    assert numbers(meanings, "qwertz", "") == {}
    assert all(abs(value) < 0.05 for value in numbers(meanings, "grid", "against").values())


def test_the_topic_in_both_languages(meanings: Meanings) -> None:
    topic = Topic(name="grid", terms=(Term(text="grid", weight=3.0), Term(text="power", weight=4.0), Term(text="电网")))
    aim = meanings.of_topic(topic)
    assert aim[:2] == pytest.approx([0.6, 0.8], abs=0.01)  # 3 and 4, at length 1
    assert aim[EN] == pytest.approx(1.0)
    assert float(aim @ meanings.of(["电网"])) == pytest.approx(1.0)
