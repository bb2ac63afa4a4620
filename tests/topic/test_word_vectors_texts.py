"""What short texts mean, as numbers: a block per language, against directions chosen by hand."""

from __future__ import annotations

from math import sqrt
from pathlib import Path

import numpy as np
import pytest

from shoal.model import Term, Topic
from shoal.testing.vector_packages import install_chinese, install_english
from shoal.topic.word_vectors import Meaning, Meanings, Space, language_of, meaning_of, spaces

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


# --- one word or phrase -----------------------------------------------------------------------------------------------

ENGLISH_WORDS = {
    "grid": (1.0,),
    "power": (0.0, 1.0),
    "siemens": (0.8, 0.0, 0.0, 0.6),
    "e-mail": (0.0, 0.0, 0.0, 0.0, 1.0),
    "em": (0.0, 0.0, 1.0),
}
CHINESE_WORDS = {
    "电网": (1.0,),
    "智能": (0.0, 1.0),
    "变压器": (0.75, 0.0, 1.0),
    "变电": (1.0,),
    "站": (0.0, 1.0),
    "电": (0.0, 0.0, 1.0),
    "特": (1.0,),
}
RARE = 0.98710
"""The weight of words from row 8000 on: a / (a + p) with a = 0.001 and p = 1 / (8001 x 9.5655)."""


@pytest.fixture(scope="module")
def both(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Space]:
    folder = tmp_path_factory.mktemp("vectors")
    install_english(folder, ENGLISH_WORDS, frequent={"the": (0.0, 1.0)})
    install_chinese(folder, CHINESE_WORDS, frequent={"的": (0.0, 1.0)})
    return {space.language: space for space in spaces([str(folder)])}


def known(both: dict[str, Space], text: str) -> Meaning:
    found = meaning_of(text, both[language_of(text)])
    assert found is not None
    assert float(found.vector @ found.vector) == pytest.approx(1.0, abs=1e-6)
    return found


def points(both: dict[str, Space], text: str) -> list[float]:
    """The first four numbers of what it means; in these spaces only one word has others."""
    return [float(number) for number in known(both, text).vector[:4]]


def towards(*numbers: float, digits: float = 1e-5) -> object:
    return pytest.approx([*numbers, *[0.0] * (4 - len(numbers))], abs=digits)


def cosine(both: dict[str, Space], one: str, other: str) -> float:
    return float(known(both, one).vector @ known(both, other).vector)


# --- languages -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "language"),
    [("grid", "en"), ("power grid", "en"), ("電網", "zh"), ("5G 基站", "zh"), ("km", "en"), ("Netz", "en"), ("", "en")],
)
def test_a_chinese_character_makes_it_chinese(text: str, language: str) -> None:
    assert language_of(text) == language


def test_languages_are_not_mixed(both: dict[str, Space]) -> None:
    assert meaning_of("grid", both["zh"]) is None
    assert meaning_of("电网", both["en"]) is None


# --- one word --------------------------------------------------------------------------------------------------------


def test_a_word_is_what_the_space_says_of_it(both: dict[str, Space]) -> None:
    assert points(both, "grid") == towards(1.0)
    assert points(both, "siemens") == towards(0.8, 0.0, 0.0, 0.6)
    assert points(both, "变压器") == towards(0.6, 0.0, 0.8)  # (0.75, 0, 1) / 1.25
    assert known(both, "grid").weight == pytest.approx(RARE, abs=1e-5)


@pytest.mark.parametrize(
    ("spelling", "word"),
    [
        ("GRID", "grid"),
        ("grids", "grid"),
        ("Grids", "grid"),
        ("ｇｒｉｄ", "grid"),
        (" grid ", "grid"),
        ("E-Mail", "e-mail"),
        ("電網", "电网"),
        ("變壓器", "变压器"),
    ],
)
def test_spellings(both: dict[str, Space], spelling: str, word: str) -> None:
    assert cosine(both, spelling, word) == pytest.approx(1.0, abs=1e-6)
    assert known(both, spelling).weight == known(both, word).weight


def test_a_word_that_lost_its_s_to_the_analyser(both: dict[str, Space]) -> None:
    assert points(both, "Siemens") == points(both, "siemen") == towards(0.8, 0.0, 0.0, 0.6)


@pytest.mark.parametrize("text", ["", " ", "...", "unheardof", "unheardof word", "朱鹮", "朱鹮。"])
def test_what_has_no_meaning(both: dict[str, Space], text: str) -> None:
    assert meaning_of(text, both[language_of(text)]) is None


# --- phrases ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("phrase", ["power grid", "Power Grids", "智能电网", "智能電網"])
def test_a_phrase_lies_between_its_words(both: dict[str, Space], phrase: str) -> None:
    # (1, 1) / sqrt 2; the two weights, of words at rows 8000 and 8001, differ in the sixth digit
    assert points(both, phrase) == towards(1 / sqrt(2), 1 / sqrt(2), digits=1e-4)
    assert known(both, phrase).weight == pytest.approx(RARE, abs=1e-4)


@pytest.mark.parametrize("phrase", ["the grid", "电网的"])
def test_grammar_hardly_counts_in_a_phrase(both: dict[str, Space], phrase: str) -> None:
    # 的 and `the` are across. By the 8,000 rows and a few p = 0.10454, so they weigh 0.001 / 0.10554 = 0.009475: beside RARE that
    # is a tangent of 0.009599, and so much across at length 1. The weight of the phrase is the mean of both.
    assert points(both, phrase) == towards(0.99995, 0.0096, digits=1e-5)
    assert known(both, phrase).weight == pytest.approx((RARE + 0.009475) / 2, abs=1e-5)


def test_unknown_words_of_a_phrase_do_not_matter(both: dict[str, Space]) -> None:
    assert points(both, "unheardof grid") == towards(1.0)
    assert known(both, "unheardof grid").weight == known(both, "grid").weight


# --- Chinese words without a vector ----------------------------------------------------------------------------------


def test_an_unknown_chinese_word_is_the_sum_of_its_pieces(both: dict[str, Space]) -> None:
    # 变电站 and 特高压 are one word each to the analyser. 变电 is along the axis, 站 across, and 电 is used up.
    assert points(both, "变电站") == towards(1 / sqrt(2), 1 / sqrt(2), digits=1e-4)
    # Neither 特高 nor 高压 nor 压 has a vector: 特 remains.
    assert points(both, "特高压") == towards(1.0)


def test_an_unknown_english_word_is_not_cut(both: dict[str, Space]) -> None:
    assert points(both, "em") == towards(0.0, 0.0, 1.0)
    assert meaning_of("embargo", both["en"]) is None
