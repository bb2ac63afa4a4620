"""How common words are, by the language and by the pages known so far."""

from __future__ import annotations

import subprocess
import sys

import pytest

from shoal.topic.word_frequencies import UNKNOWN, Background, general

HALF = Background(frequencies={"grid": 0.5})


@pytest.mark.parametrize(
    ("length", "documents"),
    [
        # 1,000 x (1 - (1 - 0.5)^length)
        (0, 0.0),
        (1, 500.0),
        (2, 750.0),
        (3, 875.0),
    ],
)
def test_a_longer_page_is_likelier_to_hold_a_word(length: int, documents: float) -> None:
    assert HALF.documents_with("grid", of=1000, length=length) == pytest.approx(documents)


def test_a_rare_word_is_expected_on_length_times_p_pages() -> None:
    # 1,000 x (1 - (1 - 5e-7)^400) = 1,000 x 2e-4, nearly
    assert Background().documents_with("变压器", of=1000, length=400) == pytest.approx(0.2, rel=1e-3)


def test_pages_count_beside_the_language() -> None:
    # language: 1 - 0.5^2 = 0.75, as much as 50 pages; of 150 pages 25 hold it: 1,000 x (50 x 0.75 + 25) / (50 + 150)
    known = HALF.with_pages([{"grid": 7}] * 25 + [{"fan": 1}] * 125)
    assert known.documents_with("grid", of=1000, length=2) == pytest.approx(312.5)


def test_pages_can_come_bit_by_bit() -> None:
    at_once = HALF.with_pages([{"grid": 1}, {"fan": 1, "grid": 2}])
    assert HALF.with_pages([{"grid": 1}]).with_pages(iter([{"fan": 1, "grid": 2}])) == at_once
    assert HALF.pages == 0


def test_a_phrase_is_a_tenth_as_frequent_as_the_rarer_of_its_best_halves() -> None:
    background = Background(frequencies={"power": 4e-4, "grid": 2e-5, "越来": 1e-4, "越": 2e-3, "来越": 1e-6})
    assert background.frequency("power grid") == pytest.approx(2e-6)
    assert background.frequency("越来越") == pytest.approx(1e-5)  # 越来 and 越, not 越 and 来越
    assert background.frequency("power cut") == UNKNOWN
    assert background.frequency("powergrid") == UNKNOWN


@pytest.mark.parametrize("word", ["the", "however", "don", "people", "的", "因为", "我们", "中国", "虽然", "可以"])
def test_every_text_needs_these(word: str) -> None:
    # `don` is what our analyser makes of don't
    assert general().is_function_word(word)


@pytest.mark.parametrize("word", ["grid", "transformer", "substation", "电网", "变压器", "变电站", "输电", "kv"])
def test_these_are_about_something(word: str) -> None:
    assert not general().is_function_word(word)
    assert general().frequency(word) < 1e-4


def test_the_language_is_read_in_our_spelling() -> None:
    general_words = general()
    assert general_words.frequency("battery") > 1.2 * 3e-5  # with batteries
    assert general_words.frequencies.get("batteries") is None
    assert general_words.frequency("电网") > UNKNOWN
    assert general_words.frequencies.get("電網") is None


@pytest.mark.slow
def test_nobody_waits_for_word_lists_who_does_not_learn() -> None:
    code = "import sys, shoal.topic.term_weights, shoal.topic.term_weights; sys.exit('wordfreq' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
