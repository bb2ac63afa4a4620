"""On which day was that? Dates as people and pages write them, as days since 1970."""

from __future__ import annotations

import re
from datetime import UTC, date, datetime, timedelta

_DATE = re.compile(r"(\d{4})(?:[-/.年](\d{1,2})(?:[-/.月](\d{1,2}))?)?")
_TYPED = re.compile(rf"{_DATE.pattern}[年月日]?")
_FIRST_DAY = date(1970, 1, 1)
_DAY = 86400


def day_typed(text: str) -> int | None:
    """The first day of what a user typed: `2024`, `2024-05`, `2024-05-01`, `2024年5月`; None when it is no date."""
    return _first_day(_TYPED.fullmatch(text))


def day_of(published: str, fetched_at: float) -> int:
    """The day a page was published; when it does not say, or names a day to come, the day it was fetched."""
    fetched = int(fetched_at // _DAY)
    said = _first_day(_DATE.match(published))
    # A day of grace, because it may be tomorrow already where the page was written.
    return fetched if said is None or said > fetched + 1 else said


def month_of(day: int) -> int:
    """The months since the year 0, a number that counts cheaply."""
    moment = _FIRST_DAY + timedelta(days=day)
    return moment.year * 12 + moment.month - 1


def month_name(month: int) -> str:
    """`2024-05`."""
    return f"{month // 12:04}-{month % 12 + 1:02}"


def today(now: float) -> int:
    """The day on which it is now, in UTC."""
    return (datetime.fromtimestamp(now, UTC).date() - _FIRST_DAY).days


def _first_day(match: re.Match[str] | None) -> int | None:
    if match is None:
        return None
    year, month, day = (int(number or 1) for number in match.groups())
    try:
        return (date(year, month, day) - _FIRST_DAY).days
    except ValueError:  # the 31st of June
        return None
