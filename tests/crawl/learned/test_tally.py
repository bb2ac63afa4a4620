"""How pieces have fared, with numbers worked by hand."""

from __future__ import annotations

import numpy as np
import pytest

from shoal.strategy.link_model.hashing import NOTHING
from shoal.strategy.link_model.tally import MEAN_PAGES, Tally


def numbers(*given: int) -> np.ndarray:
    return np.array(given, dtype=np.int32)


def tally() -> Tally:
    """Piece 7: two pages worth 1 and 0.5, leading to 2 and 0. Piece 8: the second of them."""
    made = Tally()
    made.add(numbers(7), 1.0, 2.0)
    made.add(numbers(7, 8), 0.5, 0.0)
    return made


def test_pages_are_counted_by_their_pieces() -> None:
    made = tally()
    assert made.pages[[7, 8, 9]].tolist() == [2.0, 1.0, 0.0]
    assert made.worth[[7, 8, 9]].tolist() == [1.5, 0.5, 0.0]
    assert made.leads[[7, 8, 9]].tolist() == [2.0, 0.0, 0.0]


def test_a_piece_that_stands_twice_in_a_link_counts_once_and_nothing_counts_never() -> None:
    made = Tally()
    made.add(numbers(7, NOTHING, 7, NOTHING), 0.5, 0.25)
    assert (made.pages[7], made.worth[7], made.leads[7]) == (1.0, 0.5, 0.25)
    assert (made.pages[NOTHING], made.worth[NOTHING], made.leads[NOTHING]) == (0.0, 0.0, 0.0)


def test_what_is_taken_back_was_never_there() -> None:
    made, before = tally(), tally()
    made.add(numbers(7, 9), 0.1, 0.3)
    made.add(numbers(7, 9), -0.1, -0.3, pages=-1.0)
    assert np.array_equal(made.pages, before.pages)
    assert made.worth == pytest.approx(before.worth, abs=1e-6)
    assert made.leads == pytest.approx(before.leads, abs=1e-6)


def test_a_page_may_count_for_several() -> None:
    made = Tally()
    made.add(numbers(7), 10.0, 5.0, pages=10.0)
    assert (made.pages[7], made.worth[7], made.leads[7]) == (10.0, 10.0, 5.0)


# --- means -----------------------------------------------------------------------------------------------------------


def test_by_how_much_pieces_differ_from_the_mean() -> None:
    made = tally()
    # (1.5 - 0.25 x 2) / (2 + 6), (0.5 - 0.25 x 1) / (1 + 6); of what was never seen, nothing is said
    deviations = made.deviations(made.worth, 0.25, 6.0, numbers(7, 8, 9, NOTHING))
    assert deviations == pytest.approx([1.0 / 8, 0.25 / 7, 0.0, 0.0])
    assert made.deviations(made.worth, 0.25, 6.0)[7] == deviations[0], "all at once"


def test_before_the_first_page_a_tenth_is_good() -> None:
    assert (Tally().mean_worth, Tally().mean_leads) == (0.1, 0.1)


def test_the_general_means_begin_with_two_pages_and_forget() -> None:
    made = Tally()
    made.general(1.0, 0.0)
    # two pages with a tenth each, of which a thousandth is forgotten, and one
    assert made.mean_worth == pytest.approx((0.2 * 0.999 + 1) / (2 * 0.999 + 1))
    assert made.mean_leads == pytest.approx(0.2 * 0.999 / (2 * 0.999 + 1))
    for _ in range(10 * MEAN_PAGES):
        made.general(0.0, 0.5)
    assert made.mean_worth < 1e-4
    assert made.mean_leads == pytest.approx(0.5, abs=1e-3)


def test_the_general_means_can_be_carried_elsewhere() -> None:
    made, other = Tally(), Tally()
    made.general(1.0, 0.5)
    other.restore(made.state())
    assert (other.mean_worth, other.mean_leads) == (made.mean_worth, made.mean_leads)
    for each in (made, other):
        each.general(0.0, 0.0)
    assert other.state() == made.state()


# --- dead links ------------------------------------------------------------------------------------------------------


def alive(made: Tally, host: int, *, same_site: bool = True) -> float:
    return float(made.alive(numbers(host), np.array([same_site]))[0])


def test_before_anything_is_known_one_link_in_five_is_dead() -> None:
    assert alive(Tally(), 7) == pytest.approx(0.8)
    assert alive(Tally(), 7, same_site=False) == pytest.approx(0.8)


def test_links_to_a_host_are_as_alive_as_those_that_were_tried() -> None:
    made = Tally()
    made.add(numbers(7), 0.0, 0.0, pages=4.0)
    for _ in range(2):
        made.led(7, same_site=True, alive=False)
    # of links within a site 1 page and 2.25 dead ones are known; of this host 4 pages and 2 dead ones
    usual = 1 / 3.25
    assert alive(made, 7) == pytest.approx((4 + 2 * usual) / (4 + 2 + 2))
    assert alive(made, 8) == pytest.approx(usual), "of another one nothing"
    assert alive(made, 8, same_site=False) == pytest.approx(0.8), "links to other sites are another matter"
    made.led(9, same_site=False, alive=True)
    assert alive(made, 8, same_site=False) == pytest.approx(2 / 2.25)
