"""Harvest rate, recall and the share of the oracle's, worked by hand."""

from __future__ import annotations

import pytest

from shoal.evaluate.curves import Curve, Point, area, curve_of, harvest, hits_of, mean, of_oracle

RELEVANT = frozenset({"r1", "r2", "r3", "r4"})


def test_a_crawl_worked_by_hand() -> None:
    curve = harvest(["r1", "x", "r2", "y", "r3"], RELEVANT)
    assert curve.found == (1, 1, 2, 2, 3)
    assert curve.end == Point(fetched=5, relevant=3, harvest_rate=0.6, recall=0.75)
    assert curve.at(2) == Point(fetched=2, relevant=1, harvest_rate=0.5, recall=0.25)


def test_a_page_fetched_twice_costs_twice_and_is_found_once() -> None:
    assert harvest(["r1", "r1", "r2"], RELEVANT).found == (1, 1, 2)


@pytest.mark.parametrize(("recall", "pages"), [(0.0, 1), (0.25, 1), (0.5, 3), (0.75, 5), (1.0, None)])
def test_pages_until_a_recall(recall: float, pages: int | None) -> None:
    assert harvest(["r1", "x", "r2", "y", "r3"], RELEVANT).pages_until(recall) == pages


@pytest.mark.parametrize(("every", "steps"), [(1, [1, 2, 3, 4, 5]), (2, [2, 4, 5]), (5, [5]), (100, [5])])
def test_points_always_include_the_end(every: int, steps: list[int]) -> None:
    curve = harvest(["r1", "x", "r2", "y", "r3"], RELEVANT)
    assert [point.fetched for point in curve.points(every)] == steps


def test_after_the_end_nothing_changes() -> None:
    assert harvest(["r1"], RELEVANT).at(100) == harvest(["r1"], RELEVANT).end


def test_nothing_fetched_and_nothing_to_find() -> None:
    nothing = Point(fetched=0, relevant=0, harvest_rate=0.0, recall=0.0)
    assert harvest([], RELEVANT).end == nothing
    assert harvest([], RELEVANT).points() == []
    assert harvest(["x"], frozenset()).end == Point(fetched=1, relevant=0, harvest_rate=0.0, recall=0.0)


# --- against the omniscient crawler ----------------------------------------------------------------------------------

CRAWL = harvest(["x", "r1", "y", "r2"], RELEVANT)
ORACLE = harvest(["r1", "r2", "r3", "r4"], RELEVANT)


def test_the_area_under_the_recall_curve() -> None:
    # Recall after each of four fetches: 0, 1/4, 1/4, 2/4.
    assert area(CRAWL, 4) == pytest.approx((0 + 0.25 + 0.25 + 0.5) / 4)
    assert area(CRAWL, 2) == pytest.approx((0 + 0.25) / 2)


def test_a_crawl_that_ends_early_keeps_its_last_recall() -> None:
    # Six fetches were allowed and four made: 0, 1/4, 1/4, 2/4, 2/4, 2/4.
    assert area(CRAWL, 6) == pytest.approx(2.0 / 6)


def test_the_share_of_the_oracles_area() -> None:
    # The oracle: 1/4, 2/4, 3/4, 4/4, together 10/4; the crawl: 4/4.
    assert of_oracle(CRAWL, ORACLE, 4) == pytest.approx(0.4)
    assert of_oracle(ORACLE, ORACLE, 4) == 1.0


def test_nothing_to_find_gives_no_share() -> None:
    nothing = harvest(["x"], frozenset())
    assert area(nothing, 4) == 0.0
    assert area(CRAWL, 0) == 0.0
    assert of_oracle(CRAWL, harvest([], RELEVANT), 4) == 0.0
    assert area(harvest([], RELEVANT), 4) == 0.0


@pytest.mark.parametrize("curve", [CRAWL, ORACLE, harvest([], RELEVANT), harvest(["r1", "r1", "r2"], RELEVANT)])
def test_hits_say_all_that_a_curve_says(curve: Curve) -> None:
    assert curve_of(hits_of(curve), len(curve), curve.total) == curve


def test_hits_are_the_fetches_that_found_something() -> None:
    assert hits_of(CRAWL) == (2, 4)


def test_the_mean_of_nothing_is_nothing() -> None:
    assert mean([]) == 0.0
    assert mean([0.25, 0.75]) == 0.5
