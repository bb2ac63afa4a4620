"""When was a page published? As exact as the page says, in ISO 8601."""

from __future__ import annotations

import re
from collections.abc import Iterable
from datetime import date

_MONTHS = {
    name: number
    for number, name in enumerate(
        ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"), start=1
    )
}
_CLOCK = r"(?:(?:T|\s)\s*(\d{1,2}):(\d{2})(?::(\d{2}))?(?:\.\d{1,9})?\s*(Z|GMT|UTC|[+-]\d{2}:?\d{2})?)?"
_NUMERIC = re.compile(
    rf"(?<!\d)((?:19|20)\d{{2}})\s?[-/.年]\s?(\d{{1,2}})(?:\s?[-/.月]\s?(\d{{1,2}})(?:\s?日)?(?!\d){_CLOCK})?"
)
_DAY_FIRST = re.compile(
    rf"(?<!\d)(\d{{1,2}})(?:st|nd|rd|th)?\s+([A-Za-z]{{3,9}})\.?,?\s+((?:19|20)\d{{2}})(?!\d){_CLOCK}"
)
_MONTH_FIRST = re.compile(rf"([A-Za-z]{{3,9}})\.?\s+(\d{{1,2}})(?:st|nd|rd|th)?,?\s+((?:19|20)\d{{2}})(?!\d){_CLOCK}")
_COMPACT = re.compile(rf"(?<!\d)((?:19|20)\d{{2}})([01]\d)([0-3]\d)(?!\d){_CLOCK}")
_IN_URL = re.compile(r"/((?:19|20)\d{2})[/_-]?([01]\d)(?:[/_-]?([0-3]\d))?(?=[/_.-]|$)")
_IN_TEXT = re.compile(
    r"(?:发布|发表|更新|时间|日期|來源|来源|published|posted|updated|date)[^\d\n]{0,20}"
    r"((?:19|20)\d{2}\s?[-/.年]\s?\d{1,2}\s?[-/.月]\s?\d{1,2}[^\n]{0,25})"
    r"|((?:19|20)\d{2}\s?年\s?\d{1,2}\s?月\s?\d{1,2}\s?日[^\n]{0,25})",
    re.IGNORECASE,
)
_YEAR = re.compile(r"(?:19|20)\d\d")
"""Without a year there is no date, and no need for the costly search."""
_HEAD_OF_TEXT = 500
"""Characters at the start of the text where a byline stands; a date further down is what the text tells about."""


def published(stated: Iterable[str], url: str, text: str) -> str:
    """The first date that the page states in its markup, else the one in its URL, else the one in its byline."""
    for value in stated:
        if found := iso_date(value):
            return found
    if match := _IN_URL.search(url):
        year, month, day = match.groups()
        if found := _checked(year, month, day):
            return found
    head = text[:_HEAD_OF_TEXT]
    if _YEAR.search(head) and (match := _IN_TEXT.search(head)):
        return iso_date(match.group(1) or match.group(2))
    return ""


def iso_date(value: str) -> str:
    """A date written in any of the usual ways as ISO 8601; empty when it is none."""
    value = value[:100]
    if match := _NUMERIC.search(value) or _COMPACT.search(value):
        year, month, day, *clock = match.groups()
    elif match := _DAY_FIRST.search(value):
        day, month, year, *clock = match.groups()
    elif match := _MONTH_FIRST.search(value):
        month, day, year, *clock = match.groups()
    else:
        return ""
    return _checked(year, month, day, *clock)


def _checked(year: str, month: str, day: str | None, *clock: str | None) -> str:
    """The parts as one string, or nothing when there is no such day."""
    hour, minute, second, zone = clock or (None, None, None, None)
    number = _MONTHS.get(month[:3].lower(), 0) if month.isalpha() else int(month)
    try:
        day_found = date(int(year), number, int(day or 1))
    except ValueError:
        return ""
    if day is None:
        return f"{day_found:%Y-%m}"
    if hour is None or minute is None or int(hour) > 23 or int(minute) > 59 or int(second or 0) > 59:
        return day_found.isoformat()
    return f"{day_found.isoformat()}T{int(hour):02}:{minute}:{second or '00'}{_zone(zone)}"


def _zone(zone: str | None) -> str:
    if not zone:
        return ""
    if zone in ("Z", "GMT", "UTC"):
        return "Z"
    return zone if ":" in zone else f"{zone[:3]}:{zone[3:]}"
