"""Every field has words of every kind in both languages, and some words belong to two fields."""

from __future__ import annotations

from shoal.evaluate.generated.vocabulary import FIELDS, OTHERS, TOPICS


def test_every_field_can_speak_both_languages() -> None:
    assert (len(TOPICS), len(OTHERS), len(FIELDS)) == (6, 10, 16)
    for field in FIELDS.values():
        for words in (field.en, field.zh):
            assert min(map(len, (words.things, words.doings, words.qualities, words.people))) >= 3
            assert all(word == word.strip() != "" for word in (words.label, *words.things, *words.doings))


def test_topics_share_words_with_what_is_no_topic() -> None:
    """So that a single word does not give a page away."""
    english = [
        {word for field in fields for thing in field.en.things for word in thing.split()} for fields in (TOPICS, OTHERS)
    ]
    assert {"transformer", "battery"} <= english[0] & english[1]
    chinese = [" ".join(thing for field in fields for thing in field.zh.things) for fields in (TOPICS, OTHERS)]
    assert all("轨道" in things for things in chinese)
