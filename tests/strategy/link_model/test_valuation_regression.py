"""A regression that forgets, with numbers worked by hand."""

from __future__ import annotations

import numpy as np
import pytest

from shoal.strategy.link_model.valuation import BayesianRegression, Prior


def regression(kept: float = 1.0) -> BayesianRegression:
    """Two features: of the first we think 0.5 and count that like two pages, of the second nothing, like one page."""
    return BayesianRegression(Prior(np.array([0.5, 0.0]), np.array([2.0, 1.0])), kept)


def vector(*numbers: float) -> np.ndarray:
    return np.array(numbers)


def test_at_first_the_weights_are_what_we_think() -> None:
    made = regression()
    assert made.weights.tolist() == [0.5, 0.0]
    made.solve()
    assert made.weights == pytest.approx([0.5, 0.0])


def test_a_page_moves_the_weights_when_they_settle() -> None:
    made = regression()
    made.learn(vector(1.0, 0.0), 1.0)
    assert made.weights.tolist() == [0.5, 0.0]
    made.solve()
    # 2 pages of 0.5 and one of 1; the second feature was not there: (2 x 0.5 + 1) / (2 + 1)
    assert made.weights == pytest.approx([2 / 3, 0.0])


def test_features_that_come_together_share_what_they_explain() -> None:
    made = regression()
    made.learn(vector(1.0, 1.0), 1.0)
    made.solve()
    # [3 1; 1 2] w = [2; 1]: w = (2 x 2 - 1 x 1, 3 x 1 - 1 x 2) / (3 x 2 - 1 x 1)
    assert made.weights == pytest.approx([3 / 5, 1 / 5])


def test_what_counts_for_ten_pages_is_ten_pages() -> None:
    once, often = regression(), regression()
    once.learn(vector(1.0, 0.5), 0.25, times=10.0)
    for _ in range(10):
        often.learn(vector(1.0, 0.5), 0.25)
    for made in (once, often):
        made.solve()
    assert once.weights == pytest.approx(often.weights)


def test_with_each_page_the_past_counts_less() -> None:
    made = regression(kept=0.5)
    made.learn(vector(1.0, 0.0), 1.0)
    made.learn(vector(1.0, 0.0), 0.0)
    made.solve()
    # A: 2, then 1 + 1 + 1 = 3 (half of 2, half of the first 2, the page), then 1.5 + 1 + 1 = 3.5
    # b: 1, then 0.5 + 0.5 + 1 = 2, then 1 + 0.5 + 0 = 1.5
    assert made.weights == pytest.approx([1.5 / 3.5, 0.0])


def test_what_is_not_seen_any_more_falls_back_to_what_we_thought() -> None:
    made = regression(kept=0.9)
    for _ in range(20):
        made.learn(vector(1.0, 0.0), 3.0)
    made.solve()
    assert made.weights[0] > 2
    for _ in range(200):
        made.learn(vector(0.0, 0.0), 0.0)
    made.solve()
    assert made.weights == pytest.approx([0.5, 0.0])


def test_who_keeps_all_never_falls_back() -> None:
    made = regression(kept=1.0)
    made.learn(vector(1.0, 0.0), 1.0)
    for _ in range(200):
        made.learn(vector(0.0, 0.0), 0.0)
    made.solve()
    assert made.weights == pytest.approx([2 / 3, 0.0])


# --- what is taken back ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("kept", [1.0, 0.9])
def test_what_is_taken_back_was_never_learned(kept: float) -> None:
    made, never = regression(kept), regression(kept)
    made.learn(vector(1.0, 0.5), 0.25)
    never.learn(vector(1.0, 0.5), 0.25)
    made.learn(vector(0.5, 1.0), 1.0, times=10.0)
    observation = made.observations
    never.learn(vector(0.0, 0.0), 0.0)  # something came, and taught nothing
    for each in (made, never):
        for _ in range(30):
            each.learn(vector(1.0, 0.0), 0.5)
    made.unlearn(vector(0.5, 1.0), 1.0, 10.0, observation)
    for each in (made, never):
        each.solve()
    assert made.weights == pytest.approx(never.weights)


# --- elsewhere -------------------------------------------------------------------------------------------------------


def test_what_was_learned_can_be_carried_elsewhere() -> None:
    made, other = regression(0.9), regression(0.9)
    made.learn(vector(1.0, 0.5), 1.0)
    other.restore(made.state())
    made.solve()
    assert other.weights == pytest.approx(made.weights)
    for each in (made, other):
        each.learn(vector(0.0, 1.0), 1.0)
        each.solve()
    assert other.weights == pytest.approx(made.weights)


def state(*numbers: float) -> bytes:
    return np.array(numbers, dtype="<f8").tobytes()


@pytest.mark.parametrize(
    "damaged",
    [
        b"",
        b"seven b",
        state(1.0, 0.0, 0.0, 1.0, 0.5),
        state(1.0, 0.0, 0.0, 1.0, 0.5, 0.0, 0.0),
        state(1.0, 0.0, 0.0, np.nan, 0.5, 0.0),
        state(1.0, 0.0, 0.0, np.inf, 0.5, 0.0),
        # not symmetric; with a direction of which less than nothing is known; with one of which nothing is known
        state(1.0, 0.5, 0.0, 1.0, 0.5, 0.0),
        state(1.0, 2.0, 2.0, 1.0, 0.5, 0.0),
        state(1.0, 1.0, 1.0, 1.0, 0.5, 0.0),
    ],
)
def test_what_is_damaged_or_of_other_features_is_refused_and_changes_nothing(damaged: bytes) -> None:
    made = regression()
    with pytest.raises(ValueError, match=r"features|size"):
        made.restore(damaged)
    made.solve()
    assert made.weights == pytest.approx([0.5, 0.0])
