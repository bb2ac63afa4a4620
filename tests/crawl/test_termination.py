"""What may a crawl still spend, and what is scarce?"""

from __future__ import annotations

from collections.abc import Iterable

import pytest

from shoal.crawl.metrics import Meter
from shoal.crawl.termination import AHEAD, LATELY, Ending, RemainingBudget, Row, StoppingRule, warning
from shoal.model import Outlook
from shoal.model.stored import Totals
from shoal.settings import Budget

START = 1000.0


def budget_left(budget: Budget, *, pages: int = 50, size: int = 5_000, elapsed: float = 60.0) -> RemainingBudget:
    """Of a crawl that is resumed at START, after so much."""
    totals = Totals(pages=pages, relevant=0, bytes=size, elapsed=elapsed)
    return RemainingBudget(budget, Meter(totals, START), StoppingRule(None))


@pytest.mark.parametrize(
    ("budget", "ending"),
    [
        (Budget(), None),
        (Budget(max_pages=51, max_bytes=5_001, max_time=61.0), None),
        (Budget(max_pages=50), Ending.PAGES),
        (Budget(max_bytes=5_000), Ending.BYTES),
        (Budget(max_time=60.0), Ending.TIME),
    ],
)
def test_says_what_there_is_no_more_of(budget: Budget, ending: Ending | None) -> None:
    assert budget_left(budget).spent(START) is ending


def test_pages_in_flight_are_as_good_as_spent() -> None:
    assert budget_left(Budget(max_pages=53)).spent(START, in_flight=2) is None
    assert budget_left(Budget(max_pages=53)).spent(START, in_flight=3) is Ending.PAGES


def test_the_deadline_counts_what_earlier_runs_took() -> None:
    assert budget_left(Budget(max_time=100.0)).deadline() == START + 40
    assert budget_left(Budget()).deadline() is None


@pytest.mark.parametrize(
    ("budget", "scarce"),
    [
        (Budget(), False),
        (Budget(max_time=100.0), False),
        (Budget(max_pages=1_000), True),
        (Budget(max_bytes=1_000_000), True),
        (Budget(max_pages=100, max_time=100.0), False),  # half of the pages, and more of the time, are spent
        (Budget(max_pages=80, max_time=100.0), True),
        (Budget(max_pages=1_000, max_bytes=6_000, max_time=100.0), True),
    ],
)
def test_pages_and_bytes_are_scarce_unless_time_runs_out_before_them(budget: Budget, scarce: bool) -> None:
    assert budget_left(budget).is_scarce(START) == scarce


def test_time_that_goes_by_makes_time_scarce() -> None:
    both = budget_left(Budget(max_pages=80, max_time=100.0))
    assert both.is_scarce(START + 2.5)
    assert not both.is_scarce(START + 2.6)


# --- when is a crawl done --------------------------------------------------------------------------------------------

LIMIT = 0.05
"""Of 200 pages: fewer than 10 are too few."""


def expecting(relevant: float, pages: int = AHEAD, **checks: float) -> Outlook:
    audited = int(checks.pop("audited", 0))
    return Outlook(pages=pages, relevant=relevant, missed=relevant * 2, audited=audited, **checks)


LOW, HIGH = expecting(9.9), expecting(10.0)


def after(pages: int, relevant: int = 0, limit: float = LIMIT) -> StoppingRule:
    """A crawl whose last pages had so many relevant ones, and which was never asked."""
    lately = [number < relevant for number in range(min(pages, LATELY))]
    return StoppingRule(limit, pages=pages, lately=lately)


def asked(stopping_rule: StoppingRule, *questions: tuple[int, Outlook | None]) -> list[bool]:
    return [stopping_rule.ask(outlook, pages) for pages, outlook in questions]


# --- what the strategy expects ---------------------------------------------------------------------------------------


def test_two_low_outlooks_with_a_hundred_pages_between_end_a_crawl() -> None:
    stopping_rule = after(500)
    assert asked(stopping_rule, (500, LOW), (550, LOW), (599, LOW), (600, LOW)) == [False, False, False, True]
    assert stopping_rule.done


def test_a_better_outlook_between_them_begins_anew() -> None:
    stopping_rule = after(500)
    assert asked(stopping_rule, (500, LOW), (550, HIGH), (600, LOW), (650, LOW), (700, LOW)) == [False] * 4 + [True]


def test_a_strategy_that_cannot_tell_any_more_ends_nothing() -> None:
    stopping_rule = after(500)
    assert asked(stopping_rule, (500, LOW), (550, None), (600, LOW), (699, LOW)) == [False] * 4


def test_the_limit_is_a_share_of_the_pages_that_the_outlook_is_about() -> None:
    # When only 40 wait, 5 % of them are 2.
    assert asked(after(500), (500, expecting(1.9, pages=40)), (600, expecting(1.9, pages=40))) == [False, True]
    assert asked(after(500), (500, expecting(2.0, pages=40)), (600, expecting(2.0, pages=40))) == [False, False]


def test_where_nothing_waits_there_is_nothing_to_expect() -> None:
    assert asked(after(500), (500, expecting(0.0, pages=0)), (600, expecting(0.0, pages=0))) == [False, False]


def test_no_crawl_is_done_before_its_two_hundredth_page() -> None:
    assert asked(after(50), (50, LOW), (199, LOW)) == [False, False]
    assert asked(after(50), (50, LOW), (200, LOW)) == [False, True]


# --- what came -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("relevant", "done"), [(0, True), (9, True), (10, False), (100, False)])
def test_a_crawl_that_still_finds_goes_on_whatever_the_model_says(relevant: int, done: bool) -> None:
    # 5 % of the last 200 pages are 10.
    assert asked(after(500, relevant=relevant), (500, LOW), (600, LOW)) == [False, done]


def test_only_the_last_two_hundred_pages_count() -> None:
    stopping_rule = after(500, relevant=LATELY)
    asked(stopping_rule, (500, LOW))
    for _ in range(190):
        stopping_rule.saw(relevant=False)
    assert not stopping_rule.ask(LOW, 690), "10 of the last 200 are relevant"
    stopping_rule.saw(relevant=False)
    assert stopping_rule.ask(LOW, 691), "9 of the last 200 are"


# --- what random checks found ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("audited", "relevant", "done"),
    [(9, 9.0, True), (10, 1.0, True), (10, 1.1, False), (50, 5.0, True), (50, 6.0, False), (50, 0.0, True)],
)
def test_random_checks_must_not_contradict(audited: int, relevant: float, done: bool) -> None:
    # Ten checks or more speak against the end when more than twice the limit, 10 %, were relevant.
    outlook = expecting(1.0, audited=audited, audited_relevant=relevant)
    assert asked(after(500), (500, outlook), (600, outlook)) == [False, done]


@pytest.mark.parametrize(
    ("audited", "relevant", "expected", "sentence"),
    [
        (
            25,
            6.0,
            1.2,
            "Random checks find more than the model expects (6 of 25, expected 1.2): the topic may be wider",
        ),
        (25, 4.4, 1.2, ""),  # 2 x 1.2 + 2
        (25, 4.5, 1.2, "(4.5 of 25, expected 1.2)"),
        (19, 19.0, 0.0, ""),  # too few to be sure
        (20, 2.0, 0.0, ""),
        (20, 3.0, 0.0, "(3 of 20, expected 0.0)"),
        (1_234, 300.0, 20.0, "(300 of 1,234, expected 20.0)"),
        (0, 0.0, 0.0, ""),
    ],
)
def test_checks_that_surprise_the_model_are_told(audited: int, relevant: float, expected: float, sentence: str) -> None:
    said = warning(expecting(1.0, audited=audited, audited_relevant=relevant, expected_relevant=expected))
    assert sentence in said
    assert bool(said) == bool(sentence)


# --- when to ask -----------------------------------------------------------------------------------------------------


def due_at(stopping_rule: StoppingRule, pages: Iterable[int]) -> list[int]:
    """Where a strategy that always expects much is asked."""
    found = []
    for page in pages:
        if stopping_rule.due(page):
            stopping_rule.ask(HIGH, page)
            found.append(page)
    return found


def test_a_strategy_is_asked_every_fifty_pages() -> None:
    assert due_at(StoppingRule(LIMIT), range(201)) == [50, 100, 150, 200]
    assert due_at(after(120), range(120, 240)) == [170, 220]


@pytest.mark.parametrize("limit", [None, 0.0])
def test_without_a_limit_nobody_is_asked(limit: float | None) -> None:
    assert due_at(StoppingRule(limit), range(1_000)) == []


def test_when_it_is_done_nobody_is_asked_any_more() -> None:
    stopping_rule = after(500)
    asked(stopping_rule, (500, LOW), (600, LOW))
    assert not stopping_rule.due(10_000)


def test_what_the_strategy_said_last_is_known() -> None:
    stopping_rule = after(500)
    assert stopping_rule.outlook is None
    asked(stopping_rule, (500, LOW), (550, HIGH))
    assert stopping_rule.outlook == HIGH


# --- over a restart --------------------------------------------------------------------------------------------------


def test_a_row_of_low_outlooks_goes_on_in_the_next_run() -> None:
    first = after(500)
    asked(first, (500, LOW), (550, LOW))
    assert first.row == Row(limit=LIMIT, since=500)
    second = StoppingRule(LIMIT, pages=590, lately=[False] * LATELY, row=first.row)
    assert second.due(590), "at once"
    assert asked(second, (590, LOW), (640, LOW)) == [False, True]


def test_a_crawl_that_was_done_is_done_at_once_when_it_is_resumed() -> None:
    first = after(500)
    asked(first, (500, LOW), (600, LOW))
    second = StoppingRule(LIMIT, pages=620, lately=[False] * LATELY, row=first.row)
    assert second.due(620)
    assert second.ask(LOW, 620)


def test_with_another_limit_the_row_begins_anew() -> None:
    second = StoppingRule(0.04, pages=620, lately=[False] * LATELY, row=Row(limit=LIMIT, since=500))
    assert not second.due(620)
    assert second.row is None
    assert asked(second, (670, expecting(7.9)), (769, expecting(7.9)), (770, expecting(7.9))) == [False, False, True]


def test_a_good_outlook_leaves_no_row() -> None:
    stopping_rule = after(500)
    asked(stopping_rule, (500, LOW), (550, HIGH))
    assert stopping_rule.row is None
