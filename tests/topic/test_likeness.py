"""How near words and texts are to a topic, against numbers worked out by hand.

In the spaces of `shoal.testing.vectors` every direction has cosines with mean 0 and deviation 0.2, so z is 5 times the cosine and
the likeness is (5 x cosine - 2) / 4: 0.75 for the keyword itself, 0.5 for a cosine of 0.8, 0.25 for 0.6, 0 from 0.4 downwards.
"""

from __future__ import annotations

from math import sqrt
from pathlib import Path

import pytest

from shoal.model import Term, Topic
from shoal.testing.vectors import install_chinese, install_english
from shoal.topic.likeness import Likeness, likeness_of
from shoal.topic.several import together
from shoal.topic.vectors import Space, spaces

ENGLISH = {
    "grid": (1.0,),
    "power": (0.0, 1.0),
    "battery": (0.0, 0.0, 1.0),
    "voltage": (0.8, 0.0, 0.6),
    "energy": (0.6, 0.8),
    "recipe": (0.4, 0.0, 0.0, 0.84**0.5),
    "against": (-1.0,),
    "siemens": (0.8, 0.0, 0.0, 0.6),
    "e-mail": (0.0, 0.0, 0.0, 0.0, 1.0),
}
CHINESE = {
    "电网": (1.0,),
    "智能": (0.0, 1.0),
    "变压器": (0.75, 0.0, 1.0),
    "菜谱": (0.0, 0.0, 0.0, 1.0),
    "变电": (1.0,),
    "站": (0.0, 1.0),
    "电": (0.0, 0.0, 1.0),
    "特": (1.0,),
    "km": (1.0,),
}


@pytest.fixture(scope="module")
def both(tmp_path_factory: pytest.TempPathFactory) -> tuple[Space, ...]:
    folder = tmp_path_factory.mktemp("vectors")
    install_english(folder, ENGLISH, frequent={"the": (0.0, 1.0)})
    return spaces(install_chinese(folder, CHINESE, frequent={"的": (0.0, 1.0)}))


def topic(*words: str, **weights: float) -> Topic:
    terms = [*(Term(text=word) for word in words), *(Term(text=word, weight=size) for word, size in weights.items())]
    return Topic(name="t", terms=tuple(terms))


def to(both: tuple[Space, ...], *words: str, **weights: float) -> Likeness:
    found = likeness_of(topic(*words, **weights), both)
    assert found is not None
    return found


def likeness(cosine: float) -> object:
    return pytest.approx((5 * cosine - 2) / 4, abs=1e-5)


# --- words -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("word", "value"),
    [
        ("grid", 0.75),
        ("voltage", 0.5),
        ("energy", 0.25),
        ("recipe", 0.0),
        ("battery", 0.0),
        ("against", 0.0),
        ("unheardof", 0.0),
        ("", 0.0),
        ("...", 0.0),
    ],
)
def test_an_english_word(both: tuple[Space, ...], word: str, value: float) -> None:
    assert to(both, "grid").word(word) == pytest.approx(value, abs=1e-5)


@pytest.mark.parametrize(
    ("word", "value"), [("电网", 0.75), ("变压器", 0.25), ("菜谱", 0.0), ("站", 0.0), ("朱鹮", 0.0)]
)
def test_a_chinese_word(both: tuple[Space, ...], word: str, value: float) -> None:
    # float16 has three digits; 变压器 is (0.75, 0, 1) / 1.25
    assert to(both, "电网").word(word) == pytest.approx(value, abs=2e-3)


def test_the_nearest_keyword_counts(both: tuple[Space, ...]) -> None:
    # energy: 0.6 with grid, 0.8 with power
    assert to(both, "grid", "power").word("energy") == likeness(0.8)


def test_nearer_than_six_deviations_is_1(tmp_path: Path) -> None:
    # Of a hundred cosines one is 1, one is -1: the deviation is sqrt 0.02, and z of the keyword sqrt 50 = 7.07.
    common = [(1.0,), (-1.0,), *[(0.0, 1.0), (0.0, -1.0)] * 49]
    found = likeness_of(topic("grid"), spaces(install_english(tmp_path, {"grid": (1.0,)}, common=common)))
    assert found is not None
    assert found.word("grid") == 1.0


def test_spellings(both: tuple[Space, ...]) -> None:
    near = to(both, "Grids", "電網", "E-Mail")
    assert [near.word(word) for word in ("GRID", "grids", "ｇｒｉｄ", " grid ")] == [likeness(1.0)] * 4
    assert near.word("電網") == near.word("电网") == likeness(1.0)
    assert near.word("e-mail") == likeness(1.0)


def test_a_word_that_lost_its_s_to_the_analyser(both: tuple[Space, ...]) -> None:
    near = to(both, "grid")
    assert near.word("Siemens") == near.word("siemen") == likeness(0.8)


@pytest.mark.parametrize(("phrase", "parts"), [("power grid", ("power", "grid")), ("智能电网", ("智能", "电网"))])
def test_a_phrase_lies_between_its_words(both: tuple[Space, ...], phrase: str, parts: tuple[str, ...]) -> None:
    # (1, 1) / sqrt 2; the two weights, of words at rows 8000 and 8001, differ in the sixth digit
    near = to(both, phrase)
    assert [near.word(part) for part in parts] == [pytest.approx((5 / sqrt(2) - 2) / 4, abs=1e-4)] * 2
    assert near.word(phrase) == likeness(1.0)
    assert to(both, *parts).word(phrase) == pytest.approx((5 / sqrt(2) - 2) / 4, abs=1e-4)


@pytest.mark.parametrize(("phrase", "word"), [("the grid", "grid"), ("电网的", "电网")])
def test_grammar_hardly_counts_in_a_phrase(both: tuple[Space, ...], phrase: str, word: str) -> None:
    # 1 : 0.0096 gives a cosine of 0.99995
    assert to(both, word).word(phrase) == pytest.approx(0.75, abs=1e-3)


def test_an_unknown_chinese_word_is_the_sum_of_its_pieces(both: tuple[Space, ...]) -> None:
    # 变电站 and 特高压 are one word each to the analyser. 变电 is along the axis, 站 across, and 电 is used up.
    assert to(both, "电网").word("变电站") == pytest.approx((5 / sqrt(2) - 2) / 4, abs=1e-4)
    # Neither 特高 nor 高压 nor 压 has a vector: 特 remains.
    assert to(both, "电网").word("特高压") == likeness(1.0)


def test_languages_are_not_mixed(both: tuple[Space, ...]) -> None:
    # 电网 and grid have the same numbers, but in different spaces
    english, chinese = to(both, "grid"), to(both, "电网")
    assert (english.word("电网"), chinese.word("grid")) == (0.0, 0.0)
    assert (english.languages, chinese.languages, to(both, "电网", "grid").languages) == (
        ("en",),
        ("zh",),
        ("en", "zh"),
    )
    bilingual = to(both, "grid", "智能")
    assert (bilingual.word("电网"), bilingual.word("智能"), bilingual.word("grid")) == (
        0.0,
        likeness(1.0),
        likeness(1.0),
    )


def test_what_is_too_long_to_be_a_word(both: tuple[Space, ...]) -> None:
    near = to(both, "grid")
    assert near.word("grid " * 20) == likeness(1.0)
    assert near.word("grid " * 21) == 0.0
    assert near.text(["grid " * 21]) == 0.0


# --- texts -----------------------------------------------------------------------------------------------------------


def test_a_text_of_one_word_is_as_near_as_the_word(both: tuple[Space, ...]) -> None:
    near = to(both, "grid", "电网")
    for word in ("grid", "voltage", "energy", "recipe", "电网", "变压器", "unheardof"):
        assert near.text([word]) == pytest.approx(near.word(word), abs=1e-5)


def test_the_words_of_a_text_together(both: tuple[Space, ...]) -> None:
    # grid + voltage = (1.8, 0, 0.6), of length sqrt 3.6: cosine 0.948683; twice the battery makes it (1, 0, 2) / sqrt 5
    near = to(both, "grid")
    assert near.text(["grid", "voltage"]) == pytest.approx((5 * 1.8 / sqrt(3.6) - 2) / 4, abs=1e-4)
    assert near.text(iter(["battery", "grid", "battery"])) == pytest.approx((5 / sqrt(5) - 2) / 4, abs=1e-4)
    assert near.text(["grid", "unheardof", "朱鹮"]) == likeness(1.0)


def test_grammar_hardly_counts_in_a_text(both: tuple[Space, ...]) -> None:
    # `the` is across. By the 8,009 rows p = 0.104542, so it weighs 0.0094749, and grid 0.98710: ten of them make a tangent of
    # 0.094749 / 0.98710 = 0.095987, a cosine of 0.995425.
    assert to(both, "grid").text(["the"] * 10 + ["grid"]) == pytest.approx((5 * 0.995425 - 2) / 4, abs=1e-5)


def test_weights_turn_the_topic(both: tuple[Space, ...]) -> None:
    # 3 x grid + 4 x power is (0.6, 0.8), which is where energy is
    near = to(both, grid=3.0, power=4.0)
    assert near.text(["energy"]) == likeness(1.0)
    assert near.text(["grid"]) == likeness(0.6)
    assert near.text(["power"]) == likeness(0.8)


def test_the_nearest_language_counts(both: tuple[Space, ...]) -> None:
    near = to(both, "grid", "电网")
    assert near.text(["energy", "电网"]) == likeness(1.0)
    assert near.text(["grid", "菜谱"]) == likeness(1.0)
    assert near.text(["battery", "菜谱"]) == 0.0


@pytest.mark.parametrize("words", [[], [""], ["unheardof"], ["朱鹮", "..."], ["grid", "against"]])
def test_a_text_that_says_nothing(both: tuple[Space, ...], words: list[str]) -> None:
    assert to(both, "grid").text(words) == pytest.approx(0.0)


def test_the_mean_of_usual_cosines_is_subtracted(tmp_path: Path) -> None:
    # As directions 9 of 10 usual words are against the axis, so the mean is -0.8 and the deviation sqrt(1 - 0.64) = 0.6: of the
    # keyword z = (1 + 0.8) / 0.6 = 3, of a word across z = 0.8 / 0.6.
    common = [(9.0,), *[(-1.0,)] * 9]
    words = {"grid": (1.0,), "power": (0.0, 1.0)}
    found = likeness_of(topic("grid"), spaces(install_english(tmp_path, words, common=common)))
    assert found is not None
    assert [found.word("grid"), found.word("power")] == pytest.approx([0.25, 0.0], abs=1e-5)
    assert [found.text(["grid"]), found.text(["power"])] == pytest.approx([0.25, 0.0], abs=1e-5)


# --- topics ----------------------------------------------------------------------------------------------------------


def test_there_is_nothing_to_compare_with(both: tuple[Space, ...]) -> None:
    assert likeness_of(topic("grid", "电网"), ()) is None
    assert likeness_of(topic("unheardof", "朱鹮"), both) is None
    assert likeness_of(topic(grid=0.0), both) is None
    assert likeness_of(topic("电网"), both[:1]) is None
    assert likeness_of(topic("km"), both[1:]) is None, (
        "a Latin word is not Chinese, even where the Chinese package has it"
    )
    assert likeness_of(Topic(name="t", terms=()), both) is None


def test_words_against_the_topic_are_left_out(both: tuple[Space, ...]) -> None:
    found = likeness_of(Topic(name="t", terms=(Term(text="grid"),), negative=(Term(text="battery"),)), both)
    assert found is not None
    assert found.word("battery") == 0.0
    assert found.text(["grid"]) == likeness(1.0)


def test_a_keyword_without_a_vector_does_not_matter(both: tuple[Space, ...]) -> None:
    near = to(both, "unheardof", "grid")
    assert (near.word("grid"), near.text(["grid"])) == (likeness(1.0), likeness(1.0))


def test_keywords_that_cancel_each_other_out(both: tuple[Space, ...]) -> None:
    near = to(both, "grid", "against")
    assert (near.word("grid"), near.word("against")) == (likeness(1.0), likeness(1.0))
    assert near.text(["grid"]) == 0.0


def test_several_topics_at_once(both: tuple[Space, ...]) -> None:
    found = likeness_of(together(Topic(name="all", terms=()), [topic("grid"), topic("battery"), topic("电网")]), both)
    assert found is not None
    assert [found.word(word) for word in ("grid", "battery", "电网")] == [likeness(1.0)] * 3
