"""Luck is the same every time, and a text is about what most of its sentences are made of."""

from __future__ import annotations

from difflib import SequenceMatcher

import pytest

from shoal.evaluate.generated.prose import Dice, paragraphs, reworded, voice
from shoal.evaluate.generated.vocabulary import Language


def test_the_same_dice_fall_the_same_way() -> None:
    one, two, other = Dice(7, "a"), Dice(7, "a"), Dice(7, "b")
    rolls = [[dice.number(1, 6) for _ in range(50)] for dice in (one, two, other)]
    assert rolls[0] == rolls[1] != rolls[2]
    assert set(rolls[0]) == {1, 2, 3, 4, 5, 6}


def test_of_some_none_comes_twice_and_never_more_than_there_are() -> None:
    assert sorted(Dice("x").some(range(5), 9)) == [0, 1, 2, 3, 4]
    assert len(set(Dice("x").some(range(100), 20))) == 20


def test_an_article_speaks_of_its_subject() -> None:
    dice = Dice("article")
    speaking = voice(dice, "rail", "en")
    text = " ".join(paragraphs(dice, [speaking], 8, share=0.9))
    assert sum(thing in text for thing in speaking.focus) >= len(speaking.focus) / 2
    assert text == text.format(), "every template was filled"


@pytest.mark.parametrize("language", ["en", "zh"])
def test_a_reprint_changes_a_few_words(language: Language) -> None:
    dice = Dice("reprint")
    text = " ".join(paragraphs(dice, [voice(dice, "rail", language)], 5, share=0.8))
    ours, theirs = (
        list(each) if language == "zh" else each.split(" ") for each in (text, reworded(dice, text, language, 0.02))
    )
    assert 0.9 < SequenceMatcher(None, ours, theirs, autojunk=False).ratio() < 1.0
