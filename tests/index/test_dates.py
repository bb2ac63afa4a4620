"""A day is a day, however it was written."""

from __future__ import annotations

import pytest

from shoal.index.dates import day_of, day_typed, month_name, month_of, today

DAY = 86400.0


@pytest.mark.parametrize(
    ("published", "day"),
    [
        ("1970-01-02", 1),
        ("1970-01-02T23:59:59+08:00", 1),
        ("1971", 365),
        ("1970-02", 31),
        ("1969-12-31", -1),
        ("", 400),
        ("soon", 400),
        ("1970-02-30", 400),  # no such day
        ("1971-02-06", 401),  # tomorrow, where it was written
        ("1971-02-07", 400),  # a day to come
        ("9999-12-31", 400),
    ],
)
def test_the_day_of_a_page(published: str, day: int) -> None:
    assert day_of(published, 400 * DAY + 5) == day


@pytest.mark.parametrize("text", ["", "24", "2024-", "2024-05-01-01", "May 2024", "2024-00", "0000-01-01"])
def test_no_date(text: str) -> None:
    assert day_typed(text) is None


@pytest.mark.parametrize(("day", "name"), [(0, "1970-01"), (31, "1970-02"), (-1, "1969-12"), (19_844, "2024-05")])
def test_months(day: int, name: str) -> None:
    assert month_name(month_of(day)) == name


def test_today() -> None:
    assert today(19_844 * DAY + 1) == 19_844
