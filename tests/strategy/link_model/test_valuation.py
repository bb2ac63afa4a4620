"""What a link is worth, with numbers worked by hand."""

from __future__ import annotations

from math import log1p

import numpy as np
import pytest

from shoal.strategy.link_model.features import FEATURES, Features
from shoal.strategy.link_model.hashing import NO_TOKEN, hash_token
from shoal.strategy.link_model.link_rows import PLACES, row_type
from shoal.strategy.link_model.valuation import ENOUGH_LINKS, LIKENESS, BayesianRegression, LinkModel, tokens_of
from tests.strategy.link_model.pages import found, model, model_with_vectors, rows, source

ONE_WAY = np.ones(1, dtype=np.float32)


def weigh(regression: BayesianRegression, **weights: float) -> None:
    """Believe this of features, and nothing of all others."""
    regression.weights = np.array([weights.get(one.name.replace(" ", "_"), 0.0) for one in FEATURES])


def features_of(made: LinkModel, *named: float, score: float = 0.0) -> Features:
    links = [found(f"{place}", named=amount) for place, amount in enumerate(named)]
    return made.features_of(rows(links, source(score=score)), np.ones(len(links), dtype=np.float32))


# --- what links are worth --------------------------------------------------------------------------------------------


def test_the_value_is_what_the_page_is_worth_and_most_of_what_it_leads_to() -> None:
    made = model(hubs=0.8)
    weigh(made.worth, always=0.1, named=0.5)
    weigh(made.leads, always=0.25, named=-0.5)
    features = features_of(made, 0.0, 0.25, 1.0)
    # 0.1 + 0.8 x 0.25, (0.1 + 0.125) + 0.8 x 0.125; what leads to less than nothing leads to nothing: 0.6 + 0.8 x 0
    assert made.value(features) == pytest.approx([0.3, 0.325, 0.6])
    assert made.expected(features) == pytest.approx([0.1, 0.225, 0.6])


def test_who_does_not_care_for_hubs_asks_only_for_the_page() -> None:
    made = model(hubs=0.0)
    weigh(made.worth, named=0.5)
    weigh(made.leads, always=1.0)
    assert made.value(features_of(made, 1.0)) == pytest.approx([0.5])


def test_no_page_is_expected_to_score_more_than_1_or_less_than_0() -> None:
    made = model()
    weigh(made.worth, always=-1.0, named=3.0)
    assert made.expected(features_of(made, 0.0, 0.5, 1.0)) == pytest.approx([0.0, 0.5, 1.0])


@pytest.mark.parametrize("leads", [-0.5, 0.5])
def test_what_features_add_is_the_value(leads: float) -> None:
    made = model(hubs=0.8)
    weigh(made.worth, always=0.1, named=0.5, score=0.25)
    weigh(made.leads, always=leads)
    features = features_of(made, 0.5, score=1.0)
    by_name = dict(zip((one.name for one in FEATURES), made.contributions(features), strict=True))
    assert by_name["always"] == pytest.approx(0.1 + max(0.8 * leads, 0.0))
    assert by_name["named"] == pytest.approx(0.25)
    assert by_name["score"] == pytest.approx(0.25)
    assert sum(by_name.values()) == pytest.approx(made.value(features)[0])


def test_at_first_a_link_that_names_the_topic_is_worth_more_and_so_is_one_on_a_good_page() -> None:
    made = model()
    silent, named = made.value(features_of(made, 0.0, 1.0))
    [on_a_good_page] = made.value(features_of(made, 0.0, score=1.0))
    assert 0 < silent < on_a_good_page < named


def test_without_a_prior_all_links_are_alike_at_first() -> None:
    made = model(prior=False)
    assert made.value(features_of(made, 0.0, 1.0)).tolist() == [0.0, 0.0]
    made.learn(rows([found("a")]), features_of(made, 1.0), 1.0, 0.0)
    made.solve()
    silent, named = made.value(features_of(made, 0.0, 1.0))
    assert named > silent > 0


def test_words_that_mean_what_the_topic_means() -> None:
    aim = np.array([0.6, 0.8])
    made = model_with_vectors(aim)
    row = np.zeros(3, dtype=row_type(2))
    row["meaning"] = [(0.6, 0.8), (0.0, 0.0), (-0.6, -0.8)]
    like, silent, unlike = made.value(made.features_of(row, np.ones(3, dtype=np.float32))).tolist()
    assert like - silent == pytest.approx(LIKENESS, abs=1e-3)
    assert silent - unlike == pytest.approx(LIKENESS, abs=1e-3)


# --- what pages lead to ----------------------------------------------------------------------------------------------


def gain(made: LinkModel, *named: float) -> float:
    row = rows([found(f"{place}", named=amount) for place, amount in enumerate(named)])
    return made.gain(row, made.features_of(row, np.ones(len(row), dtype=np.float32)))


def alive(made: LinkModel) -> float:
    """How likely a link of the site leads to a page at all."""
    row = rows([found("a")])
    return float(made.counts.alive(row["places"][:, 0], np.array([True]))[0])


def test_a_page_leads_to_its_new_links_each_by_how_much_it_is_better_than_the_top_of_the_queue() -> None:
    made = model()
    weigh(made.worth, named=2.0)
    made.price = 0.3
    # 0.5, 0.1 and 2.0 are 0.2, 0 and (at most) 1 above 0.3
    assert ENOUGH_LINKS == 2.0
    assert gain(made, 0.25, 0.05, 1.0) == pytest.approx(log1p(alive(made) * 1.2 / 2))
    assert gain(made) == 0.0
    made.price = -0.5
    # nothing is no better than less than nothing
    assert gain(made, 0.25, 0.0) == pytest.approx(log1p(alive(made) * 0.5 / 2))


def test_twenty_good_links_are_not_ten_times_as_good_as_two() -> None:
    made = model()
    weigh(made.worth, named=1.0)
    assert gain(made, *[1.0] * 2) == pytest.approx(log1p(alive(made) * 1))
    assert gain(made, *[1.0] * 20) == pytest.approx(log1p(alive(made) * 10))


def test_links_to_where_links_are_dead_lead_to_less() -> None:
    made = model()
    weigh(made.worth, named=1.0)
    before = gain(made, 1.0)
    for _ in range(10):
        made.led(rows([found("dead")]), alive=False)
    assert 0 < gain(made, 1.0) < before / 2


# --- what pages teach ------------------------------------------------------------------------------------------------


def test_all_tokens_of_a_link_are_counted_and_nothing_is_not() -> None:
    row = rows([found("section/电网.html", "grid")])
    tokens = set(tokens_of(row).tolist())
    assert set(row["places"].ravel().tolist()) < tokens
    assert {hash_token("a:grid"), hash_token("u:电网"), hash_token("u:section")} < tokens
    made = model()
    made.learn(row, made.features_of(row, ONE_WAY), 0.5, 0.25)
    for token in tokens - {NO_TOKEN}:
        assert (made.counts.pages[token], made.counts.worth[token], made.counts.leads[token]) == (1.0, 0.5, 0.25)
    assert made.counts.pages[NO_TOKEN] == 0.0
    assert made.pages == 1


def test_what_was_learned_counts_when_the_model_settles() -> None:
    made = model()
    row = rows([found("a/1", "grid", 1.0), found("a/2", "电网", 1.0)])
    before = made.value(made.features_of(row, np.ones(2, dtype=np.float32)))
    for _ in range(20):
        made.learn(row[:1], made.features_of(row[:1], ONE_WAY), 0.0, 0.0)
    made.solve()
    after = made.value(made.features_of(row, np.ones(2, dtype=np.float32)))
    assert (after < before - 0.2).all(), "also that of its like"


def test_what_led_to_nothing_itself_may_lead_to_good_links() -> None:
    made = model()
    hub, other = rows([found("hub", "index", path="ul")]), rows([found("http://y.example/z", "weather", path="p")])
    for _ in range(5):
        made.learn(hub, made.features_of(hub, ONE_WAY), worth=0.0, leads=1.0)
        made.learn(other, made.features_of(other, ONE_WAY), worth=0.0, leads=0.0)
    made.solve()
    assert made.value(made.features_of(hub, ONE_WAY))[0] > made.value(made.features_of(other, ONE_WAY))[0] + 0.3
    assert made.expected(made.features_of(hub, ONE_WAY))[0] < 0.2


# --- what is corrected -----------------------------------------------------------------------------------------------


def same(one: LinkModel, other: LinkModel) -> bool:
    sums = [(getattr(one.counts, name), getattr(other.counts, name)) for name in ("pages", "worth", "leads")]
    for each in (one, other):
        each.solve()
    sums += [(one.worth.weights, other.worth.weights), (one.leads.weights, other.leads.weights)]
    return all(np.allclose(ours, theirs, atol=1e-5) for ours, theirs in sums)


def test_a_page_that_is_worth_something_else_counts_as_if_it_always_had_been() -> None:
    corrected, always = model(), model()
    row = rows([found("a/b", "grid", 0.5)])
    features = always.features_of(row, ONE_WAY)
    observation = corrected.learn(row, features, worth=0.25, leads=0.5)
    always.learn(row, features, worth=1.0, leads=0.5, times=10.0)
    assert not same(corrected, always)
    corrected.correct(row, features, observation, worth=1.0, times=10.0)
    assert same(corrected, always)
    place = int(row["places"][0, PLACES.index("section")])
    assert (always.counts.pages[place], always.counts.worth[place], always.counts.leads[place]) == (10.0, 10.0, 5.0)


def test_what_was_corrected_can_be_taken_back() -> None:
    corrected, never = model(), model()
    row = rows([found("a/b", "grid", 0.5)])
    features = never.features_of(row, ONE_WAY)
    observation = corrected.learn(row, features, worth=0.25, leads=0.5)
    never.learn(row, features, worth=0.25, leads=0.5)
    for worth in (1.0, 0.0, 0.0, 1.0):
        observation = corrected.correct(row, features, observation, worth, times=10.0)
    corrected.correct(row, features, observation, worth=0.25, times=1.0)
    assert same(corrected, never)
    assert corrected.pages == never.pages == 1
