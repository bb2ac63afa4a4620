"""Is this URL part of a trap: a corner of the web that has no end and says nothing new?

Some traps show in the URL itself (`_sign_in_url`, `_far_date`). The others show only when pages come back: URLs that differ
in nothing but numbers, dates, session ids or parameter values form a family, and a family whose pages repeat each other is a
trap.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from enum import StrEnum
from typing import NamedTuple

from shoal.model.stored import PatternCount

LONG_URL = 2000
DEEP_PATH = 20
"""Path segments."""
MANY_PARAMETERS = 12
FIRST_YEAR = 1990
YEARS_AHEAD = 2
"""Calendar pages outside of these years are empty."""
MAX_FAMILIES = 50_000
WINDOW = 64
"""A family is judged by about its last 32 to 64 pages: at 64 all its counts are halved."""


class PatternKind(StrEnum):
    """What the URLs of a family differ in, by the name of the trap it becomes."""

    NUMBERS = "near-duplicate flood"
    PARAMETERS = "endless parameters"
    DATES = "date archive"
    CALENDAR = "calendar"
    SESSION = "session ids"


# How many pages must have come, and what share of them must be repeats, before a family is a trap.
_LIMITS = {
    PatternKind.NUMBERS: (20, 0.8),
    PatternKind.PARAMETERS: (30, 0.8),
    PatternKind.DATES: (12, 0.6),
    PatternKind.CALENDAR: (12, 0.6),
    PatternKind.SESSION: (3, 0.6),
}


@dataclass(slots=True)
class _Tally:
    pages: int = 0
    repeats: int = 0
    relevant: int = 0

    def add(self, *, is_repeat: bool, relevant: bool) -> None:
        self.pages += 1
        self.repeats += is_repeat
        self.relevant += relevant
        if self.pages >= WINDOW:
            self.pages, self.repeats, self.relevant = self.pages // 2, self.repeats // 2, self.relevant // 2

    def verdict(self, kind: PatternKind) -> str:
        """Why a family of this kind is a trap; empty when it is none."""
        pages, share = _LIMITS[kind]
        if self.pages < pages:
            return ""
        if self.repeats >= share * self.pages:
            return f"{self.repeats} repeat others"
        return "none is relevant" if kind is PatternKind.CALENDAR and not self.relevant else ""

    def suspicious(self) -> bool:
        """True when a family of some kind with this tally is a trap."""
        return any(self.verdict(kind) for kind in PatternKind)


class TrapDetector:
    """Remembers how the families of URLs have fared, and names the traps. One per crawl, owned by the coordinator."""

    def __init__(self, year: int) -> None:
        """`year` is the current one: what a calendar shows beyond the next few years is nothing."""
        self._last_year = year + YEARS_AHEAD
        # (host, pattern) -> tally; the one used longest ago is in front and goes first when there are too many.
        self._families: dict[tuple[str, str], _Tally] = {}
        self._changed: set[tuple[str, str]] = set()
        # Hosts that have a family which may be a trap: the URLs of all others need not be looked up.
        self._suspects: set[str] = set()

    def why(self, url: str) -> str | None:
        """The trap's name and a sentence about it, or None for an ordinary URL."""
        host, path, query = _split(url)
        if sign := _sign_in_url(url, path, query):  # first, because it knows which URLs are too long for a closer look
            return sign
        date = _date_in(path, query)
        if sign := self._far_date(date):
            return sign
        return self._in_trapped_family(host, path, query, date) if host in self._suspects else None

    def _in_trapped_family(self, host: str, path: str, query: str, date: _Date | None) -> str | None:
        for kind, pattern in _families_of(path, query, date):
            tally = self._families.get((host, pattern))
            if tally is not None and (reason := tally.verdict(kind)):
                self._touch((host, pattern), tally)
                return f"{kind}: of {tally.pages} pages like {host}{pattern} {reason}"
        return None

    def record(self, url: str, *, is_repeat: bool, relevant: bool) -> None:
        """A page of this URL came; it is a repeat when it is a copy, or nearly, of another page."""
        host, path, query = _split(url)
        for _, pattern in _families_of(path, query, _date_in(path, query)):
            key = (host, pattern)
            tally = self._families.get(key) or _Tally()
            tally.add(is_repeat=is_repeat, relevant=relevant)
            self._touch(key, tally)
            self._changed.add(key)

    def changes(self) -> list[PatternCount]:
        """The families that changed since the last call, to be stored; a family of one page says nothing yet."""
        changed = [
            PatternCount(host=host, pattern=pattern, pages=tally.pages, repeats=tally.repeats, relevant=tally.relevant)
            for host, pattern in self._changed
            if (tally := self._families.get((host, pattern))) and tally.pages > 1
        ]
        self._changed.clear()
        return changed

    def load(self, counts: Iterable[PatternCount]) -> None:
        """What an earlier run stored."""
        for count in counts:
            tally = _Tally(pages=count.pages, repeats=count.repeats, relevant=count.relevant)
            self._touch((count.host, count.pattern), tally)

    def _touch(self, key: tuple[str, str], tally: _Tally) -> None:
        """The family is the one used last; the one used longest ago is forgotten when there are too many."""
        if tally.suspicious():
            self._suspects.add(key[0])
        self._families.pop(key, None)
        self._families[key] = tally
        if len(self._families) > MAX_FAMILIES:
            del self._families[next(iter(self._families))]

    def _far_date(self, date: _Date | None) -> str | None:
        """The past of a plain archive may be long; that of a calendar is empty."""
        if date is None or (date.year <= self._last_year and (date.year >= FIRST_YEAR or not date.calendar)):
            return None
        return f"calendar: it shows the year {date.year}"


# --- what the URL itself shows ---------------------------------------------------------------------------------------


def _split(url: str) -> tuple[str, str, str]:
    """Host, path with its slash, and query."""
    host, _, rest = url.partition("://")[2].partition("/")
    path, _, query = rest.partition("?")
    return host, "/" + path, query


def _sign_in_url(url: str, path: str, query: str) -> str | None:
    if len(url) > LONG_URL:
        return f"over-long URL: it has {len(url)} characters"
    if "%252525" in url:
        return "endless escapes: its percent signs were escaped again and again"
    if path.count("/") > 2 and (sign := _sign_in_path(path)):
        return sign
    return _sign_in_query(query) if query.count("&") > 1 else None


def _sign_in_path(path: str) -> str | None:
    segments = path.strip("/").split("/")
    if len(segments) > DEEP_PATH:
        return f"absurd depth: its path has {len(segments)} segments"
    if len(set(segments)) == len(segments):
        return None
    for start, segment in enumerate(segments):
        for period in range(1, (len(segments) - start) // 3 + 1):
            unit = segments[start : start + period]
            if unit * 3 == segments[start : start + 3 * period] and not all(map(str.isdigit, unit)):
                return f"repeating path: {'/'.join(unit)} comes three times in a row"
        if segments.count(segment) > 3 and segment and not segment.isdigit():
            return f"repeating path: {segment} comes {segments.count(segment)} times"
    return None


def _sign_in_query(query: str) -> str | None:
    pairs = query.split("&")
    if len(pairs) > MANY_PARAMETERS and not _is_filter(pairs):
        return f"endless parameters: it has {len(pairs)}"
    pair, times = Counter(pairs).most_common(1)[0]
    return f"endless parameters: {pair} comes {times} times" if times > 2 else None


def _is_filter(pairs: list[str]) -> bool:
    """Forms send a list as `id[]=1&id[]=2`: one parameter, however many values."""
    return len({pair.partition("=")[0] for pair in pairs}) <= MANY_PARAMETERS and len(pairs) <= 4 * MANY_PARAMETERS


# --- calendars -------------------------------------------------------------------------------------------------------


class _Date(NamedTuple):
    """What a page shows that shows a month or a day and nothing else."""

    year: int
    calendar: bool
    """The URL speaks of a calendar, or asks for the date as a parameter; else it may be an archive of articles."""


# A date is the last thing in the path: behind the date of an article stands its name or number. Without a word for calendar
# it must look like no other numbers do: `/thread/2150/7`, `/2150-7.html` and `thread-2150-7-1.html` are pages of threads.
_DATE_AT_END = re.compile(
    r"/(?P<year>1[89]\d\d|2[01]\d\d)[-/](?:0[1-9]|1[0-2](?=[-/]\d\d))(?:[-/](?:0[1-9]|[12]\d|3[01]))?/?(?:\.\w{2,5})?$"
)
_CALENDAR = re.compile(r"calend|kalend|rili|%E6%97%A5%E5%8E%86", re.IGNORECASE)
_DATE_OF_CALENDAR = re.compile(
    r"[/_-](?P<year>\d{4})[-/_](?:0?[1-9]|1[0-2])(?:[-/_](?:0?[1-9]|[12]\d|3[01]))?/?(?:\.\w{2,5})?$"
)
_DATE_PARAMETER = re.compile(
    r"(?:^|[&_-])(?:date|day|month|ym|ymd|from|start|week|cal)=(?P<year>\d{4})"
    r"(?:[-/.](?:0?[1-9]|1[0-2])(?:[-/.]\d\d?)?|(?:0[1-9]|1[0-2])(?:\d\d)?)(?:&|$)",
    re.IGNORECASE,
)
_YEAR_PARAMETER = re.compile(r"(?:^|[&_-])(?:year|yr|y)=(?P<year>\d{4})(?:&|$)", re.IGNORECASE)
_MONTH_PARAMETER = re.compile(r"(?:^|[&_-])(?:month|mon|m)=(?:0?[1-9]|1[0-2])(?:&|$)", re.IGNORECASE)
_YEAR = re.compile(r"(?<!\d)\d{4}")
_LONGEST_DATE = len("/2026-05-12/.shtml")


def _date_in(path: str, query: str) -> _Date | None:
    if query and _YEAR.search(query):
        found = _DATE_PARAMETER.search(query) or (_MONTH_PARAMETER.search(query) and _YEAR_PARAMETER.search(query))
        if found:
            return _Date(int(found["year"]), calendar=True)
    if _YEAR.search(path, start := max(len(path) - _LONGEST_DATE, 0)):
        named = _CALENDAR.search(path)
        if named and (found := _DATE_OF_CALENDAR.search(path, max(start, named.end()))):
            return _Date(int(found["year"]), calendar=True)
        if found := _DATE_AT_END.search(path, start):
            return _Date(int(found["year"]), calendar=False)
    return None


# --- families --------------------------------------------------------------------------------------------------------

# Numbers and tokens (UUIDs, long hexadecimal, long mixes of letters and digits) become `#`. Not inside of a percent
# escape: every Chinese word would become the same.
_VARYING = re.compile(
    r"\b[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}\b"
    r"|\b(?<!%)(?=[a-zA-Z]*\d)[0-9a-zA-Z]{24,}\b|\b(?<!%)(?=[a-fA-F]*\d)[0-9a-fA-F]{16,}\b"
    r"|(?<!%)(?<!%[0-9A-F])\d+"
)
_DIGIT = re.compile(r"\d")
_SESSION = re.compile(
    r"(?<![0-9a-z])(jsessionid|phpsessid|aspsessionid\w{0,40}+|session_?id|sessid|sess|sid|s?token|cfid|cftoken|utm_\w{1,40}+|"
    r"fbclid|gclid|spm|timestamp|_t)=[^&;?]*",
    re.IGNORECASE,
)
_VALUE = re.compile(r"=[^&]*")


def _families_of(path: str, query: str, date: _Date | None) -> Iterator[tuple[PatternKind, str]]:
    """The families a URL belongs to, the narrowest first; none when it has nothing that varies."""
    whole = f"{path}?{query}" if query else path
    if "=" in whole and (masked := _SESSION.sub(r"\1=*", whole)) != whole:
        yield PatternKind.SESSION, masked
    if _DIGIT.search(whole) and (numbers := _VARYING.sub("#", whole)) != whole:
        yield (
            (PatternKind.NUMBERS if date is None else PatternKind.CALENDAR if date.calendar else PatternKind.DATES),
            numbers,
        )
    if "=" in query:
        yield PatternKind.PARAMETERS, f"{path}?{_VALUE.sub('=…', query)}"
