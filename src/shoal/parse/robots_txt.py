"""What does a robots.txt say to us? Read as RFC 9309 asks, and answered in a bounded time whatever it says.

Who is meant: sites write our name as we write it (`Crawler9000`), or the part that the RFC calls a product token (`Crawler`).
Both readings are made, each with the groups of that name, or else those of `*`; what one of them forbids is forbidden.

Which rule counts: the longest that matches, an Allow before a Disallow of the same length. Rules without a star inside are looked
up by their beginnings; those with one are tried one by one, the longest first, so there are limits:

    more than MOST_WILDCARDS in a group     a Disallow forbids all below its first star, an Allow is not counted
    more than MOST_COMPARED for one URL     that URL is forbidden

So a site with more rules than we can weigh is asked for less, never for more.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Iterator
from typing import NamedTuple
from urllib.parse import quote

MAX_TEXT = 500 * 2**10
"""RFC 9309 asks a crawler to read at least this much."""
MOST_WILDCARDS = 2000
"""Rules of one group with a star inside; honest sites have dozens."""
MOST_COMPARED = 4_000_000
"""Length of the URL times longest part of a rule, over all rules with stars that are tried: a few milliseconds at worst."""
LONGEST_DELAY = 86_400.0
_LONGEST_NUMBER = 40

_TOKEN = re.compile(r"[A-Za-z_-]+")
_TO_SETTLE = re.compile(r"%([0-9A-Fa-f]{2})|[^A-Za-z0-9_.~/=%*-]")
_PLAIN = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_.~-=")
_SPELLINGS = {
    "agent": ("user-agent", "useragent", "user agent"),
    "disallow": ("disallow", "dissallow", "dissalow", "disalow", "diasllow", "disallaw"),
    "allow": ("allow",),
    "delay": ("crawl-delay", "crawl delay"),
    "other": ("request-rate", "request rate", "visit-time", "visit time"),
}
_FIELDS = {spelling: field for field, spellings in _SPELLINGS.items() for spelling in spellings}
"""What counts. Everything else, `Sitemap` too, is no part of a group and does not end one."""
_INDEX = "index.html"

Weight = tuple[int, bool]
"""The length of a rule, and whether it allows: of all that match, the greatest counts."""
_ALLOWED: Weight = (-1, True)


class Robots:
    """The rules of one robots.txt for one crawler."""

    def __init__(self, text: str, user_agent: str) -> None:
        groups = list(_groups(_lines(text)))
        name = product_token(user_agent).lower()
        readings = {tuple(_chosen(groups, name, read)) for read in (product_token, _token)}
        self._rules = [_Rules(line for place in places for line in groups[place].lines) for places in readings]

    def allowed(self, url: str) -> bool:
        """True when the rules let us ask for this URL."""
        path = _path(url)
        return path == "/robots.txt" or all(rules.allow(path) for rules in self._rules)

    @property
    def crawl_delay(self) -> float | None:
        """Seconds the site wants between two requests, or None."""
        return max((rules.delay for rules in self._rules if rules.delay is not None), default=None)


def product_token(user_agent: str) -> str:
    """The name that robots.txt files know a crawler by: `Shoal` for `Shoal/0.1 (+https://…)`."""
    return user_agent.partition("/")[0].partition(" ")[0]


def names_of(user_agent: str) -> frozenset[str]:
    """By which names a site may speak to a crawler, in lower case: the whole one, and the letters it begins with."""
    name = product_token(user_agent).lower()
    return frozenset((name, _token(name)))


def _token(name: str) -> str:
    found = _TOKEN.match(name)
    return found[0] if found else name


# --- groups ----------------------------------------------------------------------------------------------------------


class _Group(NamedTuple):
    agents: list[str]
    """In lower case."""
    lines: list[tuple[str, str]]


def _lines(text: str) -> Iterator[tuple[str, str]]:
    """Field and value of each line that counts. Half a line at the end of what is read says something else than it was to."""
    text = text.removeprefix("\ufeff")
    lines = text[:MAX_TEXT].splitlines()
    for line in lines[:-1] if len(text) > MAX_TEXT else lines:
        if found := _directive(line.partition("#")[0].strip()):
            yield found


def _directive(line: str) -> tuple[str, str] | None:
    """`Disallow: /x`, also written `Disallow /x`."""
    name, colon, value = line.partition(":")
    if colon and (field := _FIELDS.get(name.strip().lower())):
        return field, value.strip()
    if colon and not value[:1].strip():
        return None
    for words in (1, 2):
        start = line.split(None, words)
        if field := _FIELDS.get(" ".join(start[:words]).lower()):
            return field, start[words] if len(start) > words else ""
    return None


def _groups(lines: Iterable[tuple[str, str]]) -> Iterator[_Group]:
    """A group is some names and the lines below them; rules above all names belong to nobody."""
    group = _Group([], [])
    in_names = True
    for field, value in lines:
        if field == "agent":
            if not in_names:
                yield group
                group = _Group([], [])
            group.agents.extend(value.lower().split(None, 1)[:1])
        elif value and group.agents:
            group.lines.append((field, value))
        in_names = field == "agent"
    yield group


def _chosen(groups: list[_Group], name: str, read: Callable[[str], str]) -> list[int]:
    """The places of the groups for us: those whose name reads like ours, or else those for all."""
    name = read(name)
    ours = [place for place, group in enumerate(groups) if name in map(read, group.agents)]
    return ours or [place for place, group in enumerate(groups) if "*" in group.agents]


# --- rules -----------------------------------------------------------------------------------------------------------


class _Wildcard(NamedTuple):
    """A rule with a star inside."""

    weight: Weight
    head: str
    """What stands in front of the first star."""
    parts: tuple[str, ...]
    """What must follow, one behind the other."""
    end: str | None
    """What must stand at the end of the URL; None when anything may."""
    longest: int
    """Characters of the longest part."""

    def matches(self, path: str) -> bool:
        place = len(self.head)
        for part in self.parts:
            place = path.find(part, place)
            if place < 0:
                return False
            place += len(part)
        return self.end is None or (path.endswith(self.end) and len(path) - len(self.end) >= place)


class _Rules:
    """What one reading of a robots.txt allows."""

    def __init__(self, lines: Iterable[tuple[str, str]]) -> None:
        self.delay: float | None = None
        self._below: dict[str, Weight] = {}
        self._exactly: dict[str, Weight] = {}
        wildcards: list[_Wildcard] = []
        for field, value in lines:
            if field == "delay":
                self._wait(value)
            elif field in ("allow", "disallow"):
                self._add(value, field == "allow", wildcards)
        # The longest first, so that the first that matches is the one that counts.
        self._wildcards = sorted(wildcards, key=lambda rule: rule.weight, reverse=True)
        self._lengths = sorted({len(head) for head in self._below})

    def allow(self, path: str) -> bool:
        """Whether a path in settled spelling may be asked for."""
        best = max(self._exactly.get(path, _ALLOWED), self._longest_below(path))
        left = MOST_COMPARED
        for rule in self._wildcards:
            if rule.weight <= best:
                break
            if path.startswith(rule.head):
                left -= rule.longest * len(path)
                if left < 0:
                    return False
                if rule.matches(path):
                    return rule.weight[1]
        return best[1]

    def _longest_below(self, path: str) -> Weight:
        """Of 500 KB there are at most a thousand different lengths."""
        best = _ALLOWED
        for length in self._lengths:
            if length > len(path):
                break
            best = max(best, self._below.get(path[:length], best))
        return best

    def _wait(self, value: str) -> None:
        """The longest that is asked for; what is no number, or one that nobody can mean, asks for nothing."""
        try:
            delay = float(value[:_LONGEST_NUMBER])
        except ValueError:
            return
        # `1e999` is a number, `inf` is not.
        if delay >= 0 and (value[0].isdigit() or math.isfinite(delay)):
            self.delay = max(self.delay or 0.0, min(delay, LONGEST_DELAY))

    def _add(self, value: str, allow: bool, wildcards: list[_Wildcard]) -> None:
        at_end = value.endswith("$")
        path = _settled(value.removesuffix("$"))
        weight = (len(path) + at_end, allow)
        head, _, rest = path.partition("*")
        if "*" not in path:
            _keep(self._exactly if at_end else self._below, path, weight)
        elif not rest.strip("*"):
            _keep(self._below, head, weight)
        elif len(wildcards) < MOST_WILDCARDS:
            wildcards.append(_wildcard(weight, head, rest, at_end))
        elif not allow:
            _keep(self._below, head, weight)
        if allow and not at_end and path.endswith(f"/{_INDEX}"):  # who allows it means the folder, too
            self._add(path.removesuffix(_INDEX) + "$", allow, wildcards)


def _keep(rules: dict[str, Weight], path: str, weight: Weight) -> None:
    rules[path] = max(weight, rules.get(path, weight))


def _wildcard(weight: Weight, head: str, rest: str, at_end: bool) -> _Wildcard:
    parts = rest.split("*")
    end = parts.pop() if at_end else None
    found = tuple(filter(None, parts))
    longest = max(map(len, (*found, end or "")))
    return _Wildcard(weight, head, found, end, longest)


# --- one spelling ----------------------------------------------------------------------------------------------------


def _path(url: str) -> str:
    """What rules are about: everything behind the host, but no fragment."""
    rest = url.partition("#")[0].partition("://")[2]
    start = next((place for place, character in enumerate(rest) if character in "/?"), len(rest))
    path = _settled(rest[start:]).replace("*", "%2A")
    return path if path.startswith("/") else f"/{path}"


def _settled(text: str) -> str:
    """The same characters escaped, and the others not, so that equal paths are equal strings. A star stays what it is."""
    return _TO_SETTLE.sub(_settle, text)


def _settle(match: re.Match[str]) -> str:
    if match[1] is None:
        return quote(match[0], safe="", errors="replace")
    character = chr(int(match[1], 16))
    return character if character in _PLAIN else match[0].upper()


ALLOW_ALL = Robots("", "*")
DISALLOW_ALL = Robots("User-agent: *\nDisallow: /", "*")
