"""Words and weights from sample pages, against numbers worked out by hand."""

from __future__ import annotations

from math import log

import pytest

from shoal.model import Origin, Page, Term, Topic
from shoal.text import flattened
from shoal.topic.term_weights import (
    can_be_learned,
    candidates,
    class_weight,
    damped,
    learn,
    mean,
    rarity,
    term_factors,
    weights,
    words_of,
)
from shoal.topic.word_frequencies import Background, general

HALF = Background(frequencies={"grid": 0.5, "power": 0.5, "fan": 0.5})
"""On a page of three words each of these stands with a chance of 1 - 0.5^3 = 0.875: on 875 of 1,000 pages."""
TWO = [{"grid": 2, "power": 1}, {"grid": 1, "fan": 2}]
"""Two samples of three words."""


def topic(*words: str, **weights: float) -> Topic:
    typed = (
        *(Term(text=word) for word in words),
        *(Term(text=word, weight=weight) for word, weight in weights.items()),
    )
    return Topic(name="t", terms=typed)


def page(text: str, title: str = "") -> Page:
    return Page(url="http://a.test/", title=title, text=text, flat=flattened(f"{title}\n{text}"))


# --- the formula -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("samples", "holding", "value"),
    [
        # log(1/1 + 0.1) = log 1.1, log(2/1 + 0.1) = log 2.1, log(20/5 + 0.1) = log 4.1
        (1, 1, 0.09531),
        (2, 1, 0.74194),
        (20, 5, 1.41099),
    ],
)
def test_rarity(samples: int, holding: int, value: float) -> None:
    assert rarity(samples, holding) == pytest.approx(value, abs=1e-5)


@pytest.mark.parametrize(
    ("of_topic", "of_background", "value"),
    [
        # equally often on both: 1 + log 1
        (500, 500, 1.0),
        # 1 + log(1001/1) = 1 + 6.90875
        (1000, 0, 7.90875),
        # 1 + log(1/2) = 0.30685
        (0, 1, 0.30685),
        # 1 + log(1/1001) = -5.9 would speak against the topic; a word never does that
        (0, 1000, 0.1),
    ],
)
def test_class_weight(of_topic: float, of_background: float, value: float) -> None:
    assert class_weight(of_topic, of_background) == pytest.approx(value, abs=1e-5)


def test_factors() -> None:
    # grid: in 2 of 2, 1,000 of 1,000 pages: C = 1 + log(1001/876) = 1.13339; log(2/2 + 0.1) = 0.09531
    # power: in 1 of 2, 500 of 1,000 pages:  C = 1 + log(501/876) = 0.44124;  log(2/1 + 0.1) = 0.74194
    factors = term_factors(TWO, TWO, HALF)
    assert factors == pytest.approx({"grid": 0.10802, "power": 0.32737, "fan": 0.32737}, abs=1e-5)


def test_a_typed_word_that_no_sample_holds_counts_as_if_one_did() -> None:
    factors = term_factors(TWO, TWO, HALF, typed=[Term(text="Fans"), Term(text="变电站")])
    # log(2/1 + 0.1) x (1 + log(501/1.0015)): no list has it, so 1,000 x 3 x 5e-7 = 0.0015 pages hold it in general
    assert factors["变电站"] == pytest.approx(0.74194 * (1 + log(501 / 1.0015)), abs=1e-4)
    assert factors["fan"] == pytest.approx(0.32737, abs=1e-5)


def test_each_sample_is_a_vector_of_length_1() -> None:
    factors = term_factors(TWO, TWO, HALF)
    # (2 x 0.10802, 1 x 0.32737) = (0.21605, 0.32737), length 0.39224
    assert weights(TWO[0], factors) == pytest.approx({"grid": 0.55081, "power": 0.83463}, abs=1e-5)
    # (1 x 0.10802, 2 x 0.32737) = (0.10802, 0.65474), length 0.66360
    assert weights(TWO[1], factors) == pytest.approx({"grid": 0.16278, "fan": 0.98666}, abs=1e-5)
    assert weights({}, factors) == {}


def test_the_mean_counts_samples_without_the_word() -> None:
    assert mean([{"grid": 0.6, "power": 0.8}, {"grid": 1.0}]) == pytest.approx({"grid": 0.8, "power": 0.4})
    assert mean([]) == {}


# --- a topic from samples --------------------------------------------------------------------------------------------

RARE = Background(frequencies={"the": 0.05})
THREE = [{"grid": 4, "transformer": 2, "the": 50}, {"grid": 4, "transformer": 2, "the": 40}, {"fan": 9, "the": 10}]


def test_the_best_words_join_those_that_were_typed() -> None:
    lesson = learn(topic("grid"), THREE, RARE)
    # grid and transformer stand in the same samples, grid twice as often, so it is twice as heavy
    assert [(term.text, term.origin) for term in lesson.topic.terms] == [
        ("grid", Origin.HAND),
        ("transformer", Origin.SEEDS),
    ]
    assert [term.weight for term in lesson.topic.terms] == pytest.approx([1.0, 0.5], abs=0.01)
    # log(3/2 + 0.1) x (1 + log((2000/3 + 1) / 1.02)) for both; 0.02 = 1,000 x 5e-7 x (121 / 3 = 40 words)
    assert [term.factor for term in lesson.topic.terms] == pytest.approx(
        [0.47 * (1 + log(667.67 / 1.02))] * 2, rel=1e-3
    )
    assert lesson.samples == 3
    assert (lesson.found["transformer"].count, lesson.found["transformer"].samples) == (4, 2)


def test_the_strongest_word_weighs_as_much_as_the_heaviest_typed_one() -> None:
    lesson = learn(topic(transformer=3.0), THREE, RARE)
    # grid is twice as strong as transformer: it gets 3, transformer would get 1.5 and keeps what was typed
    assert {term.text: term.weight for term in lesson.topic.terms} == pytest.approx({"transformer": 3.0, "grid": 3.0})


def test_a_typed_word_may_gain_weight_but_never_loses_any() -> None:
    lesson = learn(topic(grid=0.2, transformer=1.0), THREE, RARE)
    # the strongest word (grid) gets the heaviest typed weight, 1; transformer would get half of that
    assert {term.text: term.weight for term in lesson.topic.terms} == pytest.approx({"grid": 1.0, "transformer": 1.0})


def test_without_typed_words_the_strongest_weighs_1() -> None:
    lesson = learn(topic(), THREE, RARE)
    assert {term.text: term.weight for term in lesson.topic.terms} == pytest.approx(
        {"grid": 1.0, "transformer": 0.5}, abs=0.01
    )


def test_a_word_that_never_meets_a_typed_one_is_damped() -> None:
    samples = [{"grid": 1, "power": 1}, {"fan": 1}]
    means = {"grid": 0.4, "power": 0.4, "fan": 0.4}
    assert damped(means, samples, [Term(text="Grids")]) == {"grid": 0.4, "power": 0.4, "fan": 0.2}
    assert damped(means, samples, []) == means


def test_unwanted_words_keep_their_strength_against_the_others() -> None:
    wanted = Topic(name="t", terms=(Term(text="grid"),), negative=(Term(text="transformer", weight=2.0),))
    learned = learn(wanted, THREE, RARE).topic
    assert [term.text for term in learned.terms] == ["grid"]  # what is unwanted is not learned
    assert learned.negative == (Term(text="transformer", weight=2.0, factor=learned.terms[0].factor),)


def test_no_more_than_asked_for() -> None:
    words = {f"word{letter}": count for count, letter in enumerate("abcdefgh", 10)}
    assert len(learn(topic(), [words, words], RARE, most=3).topic.terms) == 3


def test_nothing_is_learned_from_nothing() -> None:
    assert learn(topic("grid"), [], RARE).topic == topic("grid")
    assert learn(topic("grid"), [{}], RARE).topic.terms[0].weight == 1.0


def test_what_was_learned_before_is_learned_anew() -> None:
    before = Topic(name="t", terms=(Term(text="grid"), Term(text="old", origin=Origin.SEEDS)))
    assert [term.text for term in learn(before, THREE, RARE).topic.terms] == ["grid", "transformer"]


def test_each_of_several_topics_learns_from_its_own_pages() -> None:
    both = Topic(name="both", terms=(), any=(topic("grid"), Topic(name="f", terms=(Term(text="风扇"),))))
    samples = [{"grid": 2, "transformer": 2}, {"grid": 1, "transformer": 1}, {"风扇": 3, "叶片": 2}]
    learned = learn(both, samples, RARE).topic
    assert [[term.text for term in part.terms] for part in learned.any] == [["grid", "transformer"], ["风扇", "叶片"]]
    assert [term.text for term in learned.terms] == ["grid", "transformer", "风扇", "叶片"]


# --- which words -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("word", ["2024", "x", "电", "the", "因为", "10"])
def test_what_no_topic_is_made_of(word: str) -> None:
    assert not can_be_learned(word, 0.01, general())


@pytest.mark.parametrize("word", ["kv", "grid", "电网", "5g", "变压器"])
def test_what_a_topic_can_be_made_of(word: str) -> None:
    assert can_be_learned(word, 0.001, general())


def test_a_common_word_where_a_text_is_full_of_it() -> None:
    common = Background(frequencies={"car": 0.001})
    assert not can_be_learned("car", 0.019, common)
    assert can_be_learned("car", 0.021, common)  # more than 20 times as often as elsewhere


def test_one_page_alone_does_not_make_a_word_typical() -> None:
    assert sorted(candidates([{"grid": 1, "fan": 9}, {"grid": 1}], RARE)) == ["grid"]
    assert sorted(candidates([{"grid": 1, "fan": 9}], RARE)) == ["fan", "grid"]


def test_a_page_as_its_words() -> None:
    looked_for = topic("智能电网", "power grid")
    words = words_of(
        page("The power grid. A grid has power, power, power. 智能电网是电网。", title="Grids"), looked_for
    )
    # title and text: grid 3 times, once in the phrase; power 4 times, once in the phrase; 电网 twice, once in the phrase
    assert {word: words.get(word, 0) for word in ("power grid", "grid", "power", "智能电网", "电网", "智能")} == {
        "power grid": 1,
        "grid": 2,
        "power": 3,
        "智能电网": 1,
        "电网": 1,
        "智能": 0,
    }
    assert 0 not in words.values()


def test_pages_of_both_languages_teach_both() -> None:
    chinese = "变压器和变电站组成电网。变压器改变电压，输电线路连接变电站，我们可以看到变压器。"
    english = "A transformer changes the voltage. The transformers of a substation feed the power grid."
    samples = [words_of(page(text), topic("电网", "power grid")) for text in (chinese, english, chinese, english)]
    learned = {term.text for term in learn(topic("电网", "power grid"), samples, general()).topic.terms}
    assert {"变压器", "变电站", "输电", "transformer", "substation", "voltage"} < learned
    assert learned.isdisjoint({"我们", "可以", "the", "和", "of", "a"})


def test_the_title_of_a_text_file_is_its_first_line_and_counts_once() -> None:
    text = "The power grid is big. Voltage."
    page = Page(url="", title=text, text=text, flat=flattened(text))
    topic = Topic(name="x", terms=(Term(text="power grid"),))
    words = words_of(page, topic)
    assert words["voltage"] == 1
    assert "grid" not in words, "it stands only in the phrase that was typed"
