"""Words come out with their weights, each once, whatever the form they were given in; others end in a sentence."""

from __future__ import annotations

import pytest

from shoal.model import Term
from shoal.topic import word_readers


@pytest.mark.parametrize(
    ("given", "terms"),
    [
        (["grid", "substation"], [("grid", 1.0), ("substation", 1.0)]),
        ({"grid": 2, "substation": 0.5}, [("grid", 2.0), ("substation", 0.5)]),
        ("power grid, substation=0.8", [("power grid", 1.0), ("substation", 0.8)]),
        (
            "电网、变电站=0.8，智能电网；发电;输电",
            [("电网", 1.0), ("变电站", 0.8), ("智能电网", 1.0), ("发电", 1.0), ("输电", 1.0)],
        ),
        (" grid ,, ", [("grid", 1.0)]),
        # what the analyser reads as the same word counts once, with the larger weight
        ({"grid": 1, "Grids": 3, "x ray": 1}, [("Grids", 3.0), ("x ray", 1.0)]),
        (["电网", "電網"], [("电网", 1.0)]),
        ([], []),
    ],
)
def test_keywords(given: object, terms: list[tuple[str, float]]) -> None:
    assert word_readers.keywords(given) == tuple(Term(text=text, weight=weight) for text, weight in terms)


@pytest.mark.parametrize(
    ("given", "sentence"),
    [
        ({"grid": "heavy"}, "must have weights that are numbers above 0, but 'grid' has 'heavy'"),
        ({"grid": 0}, "must have weights that are numbers above 0, but 'grid' has 0"),
        ({"grid": -1.5}, "must have weights that are numbers above 0, but 'grid' has -1.5"),
        ({"grid": float("nan")}, "must have weights that are numbers above 0, but 'grid' has nan"),
        ({"grid": float("inf")}, "must have weights that are numbers above 0, but 'grid' has inf"),
        ({"grid": True}, "must have weights that are numbers above 0, but 'grid' has True"),
        ("grid=heavy", "must have weights that are numbers above 0, but 'grid' has 'heavy'"),
        (["!!!"], "must have words in them, but '!!!' has none"),
        ("=2", "must have words in them, but '' has none"),
        ([1], "must be one line of text, not 1"),
        (7, "must be a table of words and weights or a list of words, not 7"),
    ],
)
def test_what_are_no_keywords(given: object, sentence: str) -> None:
    with pytest.raises(ValueError, match="must") as caught:
        word_readers.keywords(given)
    assert str(caught.value) == sentence


@pytest.mark.parametrize(
    ("one", "other"), [("電網", "电网"), ("Power Grids", "power grid"), ("X-Ray", "x ray"), ("ＫＶ", "kv")]
)
def test_words_of_one_form(one: str, other: str) -> None:
    assert word_readers.form_of(one) == word_readers.form_of(other)


def test_the_form_of_a_single_word_is_its_term() -> None:
    assert (word_readers.form_of("grids"), word_readers.form_of("变压器")) == ("grid", "变压器")
