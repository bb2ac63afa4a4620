"""Which URLs belong to the crawl at all?"""

from __future__ import annotations

import re
from collections.abc import Iterable
from urllib.parse import quote

from shoal.settings import Scope
from shoal.urls import domain_of, host_of

_REASONS = {
    "host": "its host {host} is not the host of a seed",
    "domain": "its domain {domain} is not the domain of a seed",
    "prefix": "it does not lie below the path of a seed",
}


class ScopeRule:
    """The user's limits, ready to be asked for every link."""

    def __init__(self, scope: Scope, seeds: Iterable[str]) -> None:
        seeds = tuple(seeds)
        self._kind = scope.kind
        self._hosts = frozenset(map(host_of, seeds))
        self._domains = frozenset(map(domain_of, self._hosts))
        self._prefixes = tuple(_folder_of(seed) for seed in seeds)
        self._include = _any_of(scope.include)
        self._exclude = _any_of(scope.exclude)

    def allows(self, url: str) -> bool:
        """True when the crawl may ask for this URL."""
        return not self.why_not(url)

    def excludes(self, url: str) -> bool:
        """True when the user named it as unwanted. That is all that images are asked: they may live far from their pages."""
        return self._exclude is not None and self._exclude.fullmatch(url) is not None

    def why_not(self, url: str) -> str:
        """One sentence for a person: why the URL is out of scope; empty when it is in."""
        if not self._near_a_seed(url):
            host = host_of(url)
            return f"scope is {self._kind}: " + _REASONS[self._kind].format(host=host, domain=domain_of(host))
        if self._include is not None and not self._include.fullmatch(url):
            return "no include pattern matches it"
        if self.excludes(url):
            return "an exclude pattern matches it"
        return ""

    def _near_a_seed(self, url: str) -> bool:
        match self._kind:
            case "any":
                return True
            case "host":
                return host_of(url) in self._hosts
            case "domain":
                return domain_of(host_of(url)) in self._domains
            case "prefix":
                return _without_scheme(url).startswith(self._prefixes)


def _folder_of(seed: str) -> str:
    """`http://x/a/b.html?q` gives `x/a/`."""
    return _without_scheme(seed).partition("?")[0].rpartition("/")[0] + "/"


def _without_scheme(url: str) -> str:
    # A site that moves from http to https stays the same site.
    return url.partition("://")[2]


def _any_of(patterns: Iterable[str]) -> re.Pattern[str] | None:
    """One expression for all patterns, compiled once; None when there are none."""
    if not (parts := [_expression(pattern) for pattern in patterns]):
        return None
    return re.compile("|".join(parts), re.DOTALL)


def _expression(pattern: str) -> str:
    """Only `*` is special, because `?` and brackets are ordinary characters of a URL.

    The groups are atomic: a pattern with many stars costs linear time on any URL.
    """
    first, *middle = (re.escape(_as_in_urls(part)) for part in pattern.split("*"))
    if not middle:
        return first
    *inner, last = middle
    return first + "".join(f"(?>.*?{part})" for part in inner if part) + f".*{last}"


def _as_in_urls(text: str) -> str:
    """`/新闻/` as it stands in a URL in normal form."""
    return text if text.isascii() else quote(text, safe="%/:?&=#[]@!$'()*+,;~")
