"""Why a link is worth so much, in words that a user understands."""

from __future__ import annotations

import numpy as np
import pytest

from shoal.model import Entry, Evidence
from shoal.strategy.link_model.explanation import reasons_for, sentence
from shoal.strategy.link_model.features import FEATURES
from shoal.strategy.link_model.link_rows import PLACES, FoundLink, SourcePage
from shoal.strategy.link_model.valuation import LinkModel
from tests.strategy.link_model.pages import found, model, model_with_vectors, rows, source
from tests.strategy.link_model.test_valuation import weigh


def told(made: LinkModel, link: FoundLink, page: SourcePage | None = None, **known: float) -> dict[str, float]:
    """The reasons with what each adds, in order; what is known of the link otherwise may be given."""
    row = rows([link], page)
    for name, amount in known.items():
        row[name] = amount
    entry = Entry(id=1, url=link.link.url, host="x.example", priority=0.0, anchor=link.link.anchor)
    features = made.features_of(row, np.ones(1, dtype=np.float32))
    return {one.what: one.amount for one in reasons_for(made, row, features, entry)}


def weighing(**weights: float) -> LinkModel:
    """A model with these weights for what a page is worth, and none for what it leads to."""
    made = model()
    weigh(made.worth, **weights)
    weigh(made.leads)
    return made


def paid(made: LinkModel, link: FoundLink, *worth: float) -> None:
    """Pages came by links like this one."""
    row = rows([link])
    for each in worth:
        made.counts.add(
            np.concatenate([row["places"].ravel(), row["anchor"].ravel(), row["address"].ravel()]), each, 0.0
        )
    weights = made.worth.weights, made.leads.weights
    made.solve()
    made.worth.weights, made.leads.weights = weights


# --- the whole -------------------------------------------------------------------------------------------------------


def test_the_strongest_is_first_and_what_every_link_has_is_last() -> None:
    made = weighing(always=0.5, named=0.2, score=-0.3)
    reasons = told(made, found("a", "grid", 1.0), source(score=1.0))
    assert list(reasons) == [
        "the page it stands on scores 1.00",
        "the link names the topic",
        "what any link of this crawl pays",
    ]
    assert list(reasons.values()) == pytest.approx([-0.3, 0.2, 0.5])


def test_together_they_are_the_value() -> None:
    made = model()
    for worth in (1.0, 0.0, 0.5):
        row = rows([found("a/b", "grid news", 0.5)])
        made.learn(row, made.features_of(row, np.ones(1, dtype=np.float32)), worth, worth / 2)
    made.solve()
    link = found("a/c", "grid", 0.25)
    features = made.features_of(rows([link]), np.ones(1, dtype=np.float32))
    # what is smaller than half a hundredth is not told
    assert sum(told(made, link).values()) == pytest.approx(float(made.value(features)[0]), abs=0.04)


def test_what_makes_no_difference_is_not_told() -> None:
    assert told(weighing(always=0.1, named=0.004), found("a", "grid", 1.0)) == {"what any link of this crawl pays": 0.1}


def test_features_of_one_family_are_one_reason() -> None:
    assert told(weighing(named=0.25, around=0.5), found("a", "x", 0.5)) == {"the link names the topic": 0.375}


def test_every_family_has_words() -> None:
    made = model_with_vectors(np.array([1.0]))
    made.worth.weights = np.ones(len(FEATURES) + 1)
    plain = rows([found("a/b", "2 grid", 0.5)], source(score=0.5))
    row = np.zeros(1, dtype=[*plain.dtype.descr, ("meaning", "<f2", (1,))])
    for name in plain.dtype.names or ():
        row[name] = plain[name]
    row["meaning"], row["leads"], row["flags"] = 0.5, 0.5, 15
    made.counts.add(np.concatenate([row["places"].ravel(), row["anchor"].ravel(), row["address"].ravel()]), 1.0, 1.0)
    made.solve()
    made.worth.weights = np.ones(len(FEATURES) + 1)
    features = made.features_of(row, np.ones(1, dtype=np.float32))
    entry = Entry(id=1, url="http://x.example/a/b", host="x.example", priority=0.0, anchor="2 grid")
    said = [one.what for one in reasons_for(made, row, features, entry)]
    assert len(said) == len(set(said)) == len({one.family for one in FEATURES}) + 1
    assert "its words mean what good links mean" in said


# --- the topic -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("named", "said"),
    [
        ({"named": 0.5, "around": 0.5}, "the link names the topic"),
        ({"spelt": 0.5, "around": 0.5}, "the link names the topic"),
        ({"around": 0.5}, "text around it names the topic"),
    ],
)
def test_who_names_the_topic(named: dict[str, float], said: str) -> None:
    made = weighing(named=0.5, around=0.5, spelt=0.5)
    assert told(made, found("a", "更多"), None, **named) == {said: 0.25 * len(named)}


# --- words -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("anchor", "good", "word"),
    [
        ("more grid news", "grid", "grid"),
        ("更多电网消息", "电网", "电网"),
        ("更多電網消息", "電網", "电网"),
        ("RTCPeerConnection API", "peer to peer", "peer"),
    ],
)
def test_the_word_that_paid(anchor: str, good: str, word: str) -> None:
    made = weighing(anchor=1.0)
    paid(made, found("z", good), 1.0, 1.0)
    assert list(told(made, found("a", anchor))) == [f"the link says “{word}”"]


@pytest.mark.parametrize(("anchor", "bad", "word"), [("cat images", "cat", "cat"), ("天气图片", "天气", "天气")])
def test_the_word_that_did_not(anchor: str, bad: str, word: str) -> None:
    made = weighing(anchor=1.0)
    paid(made, found("z", bad), 0.0, 0.0)
    [(what, amount)] = told(made, found("a", anchor)).items()
    assert what == f"the link says “{word}”, which paid less"
    assert amount < 0


def test_words_of_the_address() -> None:
    made = weighing(address=1.0)
    paid(made, found("http://z.example/people"), 1.0, 1.0)
    assert list(told(made, found("http://x.example/our/people/ann.html", "电网"))) == ["its address says “people”"]


@pytest.mark.parametrize(
    ("anchor", "good", "word"), [("2024 grid news", "grid 2023", "grid"), ("2024年电网", "电网 2023", "电网")]
)
def test_a_number_is_not_shown(anchor: str, good: str, word: str) -> None:
    made = weighing(anchor=1.0)
    paid(made, found("z", good), 1.0)
    paid(made, found("z", "1999"), 1.0, 1.0)  # four digits paid more than the word
    assert list(told(made, found("a", anchor))) == [f"the link says “{word}”"]


def test_a_number_that_did_not_pay_is_not_shown() -> None:
    made = weighing(anchor=1.0)
    paid(made, found("z", "cat 2023"), 0.0)
    paid(made, found("z", "1999"), 0.0, 0.0)
    assert list(told(made, found("a", "cat 2024"))) == ["the link says “cat”, which paid less"]


def test_only_numbers_say_nothing() -> None:
    made = weighing(anchor=0.5, address=1.0)
    paid(made, found("http://z.example/7", "12"), 1.0, 1.0)
    assert list(told(made, found("http://8.example/7", "34"))) == ["its address says nothing", "the link says nothing"]


# --- places ----------------------------------------------------------------------------------------------------------


def test_a_section_that_paid_and_a_new_one() -> None:
    made = weighing(folder=0.5, section=0.5, new_folder=0.5)
    paid(made, found("good/1", "x"), 1.0, 0.5, 1.0, 0.5)
    assert next(iter(told(made, found("good/2", "y")))) == "this section of the site pays 75%"
    assert next(iter(told(made, found("new/2", "y")))) == "this section of the site is new"


def test_a_site() -> None:
    made = weighing(site=1.0, new_site=0.5)
    paid(made, found("good/1", "x"), 1.0, 0.0)
    assert list(told(made, found("other/2", "y"))) == ["the site pays 50%"]
    assert list(told(made, found("http://z.example/", "y"))) == ["the site is new"]


@pytest.mark.parametrize(("place", "feature"), [("folder", "folder"), ("host", "site")])
def test_no_place_pays_less_than_nothing(place: str, feature: str) -> None:
    made = weighing(**{feature: 1.0})
    # While links fly their places count as if a page had come; what is left when they are taken back may be just below 0.
    made.counts.add(rows([found("a/1")])["places"][:, PLACES.index(place)], -0.001, 0.0, pages=2.0)
    [said] = told(made, found("a/2"))
    assert said == {"folder": "this section of the site pays 0%", "host": "the site pays 0%"}[place]


@pytest.mark.parametrize(
    ("worth", "said"), [(1.0, "pages beside it were relevant"), (0.0, "pages beside it were not relevant")]
)
def test_siblings(worth: float, said: str) -> None:
    made = weighing(siblings=1.0)
    row = rows([found("a")])
    made.counts.add(row["places"][:, PLACES.index("page")], 2 * worth, 0.0, pages=2.0)
    assert list(told(made, found("b"))) == [said]


@pytest.mark.parametrize(
    ("weight", "said"), [(0.5, "links beside it name the topic"), (-0.5, "links beside it hardly name the topic")]
)
def test_siblings_of_which_none_came(weight: float, said: str) -> None:
    assert list(told(weighing(beside=weight), found("b", named=1.0))) == [said]


@pytest.mark.parametrize(
    ("depth", "said"),
    [(0, "a seed links to it"), (1, "it is 2 links away from a seed"), (3, "it is 4 links away from a seed")],
)
def test_a_seed_is_near(depth: int, said: str) -> None:
    assert list(told(weighing(near_a_seed=1.0), found("b"), source(depth=depth))) == [said]


@pytest.mark.parametrize(
    ("weight", "said"),
    [(0.5, "it goes on with a list that led to good pages"), (-0.5, "it goes on with a list that led nowhere")],
)
def test_a_list_goes_on(weight: float, said: str) -> None:
    made = weighing(next_page_leads=weight)
    row = rows([found("b", "第3页")])
    row["leads"] = 1.0
    entry = Entry(id=1, url="http://x.example/b", host="x.example", priority=0.0, anchor="第3页")
    features = made.features_of(row, np.ones(1, dtype=np.float32))
    assert [one.what for one in reasons_for(made, row, features, entry)] == [said]


def test_a_link_without_words() -> None:
    made = weighing(anchor=1.0)
    row = rows([found("a", "grid")])
    paid(made, found("z", "grid"), 1.0)
    # the frontier cut the anchor off
    entry = Entry(id=1, url="http://x.example/a", host="x.example", priority=0.0)
    features = made.features_of(row, np.ones(1, dtype=np.float32))
    assert [one.what for one in reasons_for(made, row, features, entry)] == ["the link says nothing"]


# --- one line --------------------------------------------------------------------------------------------------------


def test_a_sentence_has_the_strongest_reasons_for_it() -> None:
    evidence = [
        Evidence(what="one", amount=0.5),
        Evidence(what="against", amount=-0.4),
        Evidence(what="two", amount=0.3),
        Evidence(what="three", amount=0.2),
        Evidence(what="four", amount=0.1),
    ]
    assert sentence(evidence, 0.7) == "expected to pay 0.70: one, two, three"
    assert sentence(evidence[1:2], -0.4) == "expected to pay -0.40"
    assert sentence([], 0.0) == "expected to pay 0.00"
