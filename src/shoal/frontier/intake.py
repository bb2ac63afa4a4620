"""May this URL be fetched at all? Every link passes here on its way to the frontier, and every refusal is recorded."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING
from urllib.parse import quote

from msgspec.structs import replace

from shoal.frontier.traps import TrapDetector
from shoal.model import Candidate, Entry, Reason, Redirect, State
from shoal.settings import Budget, Scope
from shoal.urls import domain_of, host_of, key_of

if TYPE_CHECKING:  # who only asks whether a URL is in scope needs no frontier
    from shoal.frontier.frontier import Frontier
    from shoal.frontier.pending import PendingChanges

MAX_HOPS = 10
"""Redirects followed from one link; browsers allow 20, but chains longer than a few are mistakes."""
_ANCHOR_LENGTH = 200


class Intake:
    """Turns links into frontier entries. Owns nothing: frontier and trap detector do."""

    def __init__(
        self,
        frontier: Frontier,
        pending: PendingChanges,
        scope: ScopeRule,
        traps: TrapDetector,
        budget: Budget,
        lost: Callable[[Iterable[int]], None],
    ) -> None:
        """`lost` hears of URLs (`urls.key_of`) that will not be fetched."""
        self._frontier = frontier
        self._pending = pending
        self._lost = lost
        self._scope = scope
        self._traps = traps
        self._max_depth = budget.max_depth

    def seed(self, url: str, priority: float) -> None:
        """A URL the user gave: always in scope."""
        self._frontier.add(Entry(id=0, url=url, host=host_of(url), priority=priority, why="a seed"))

    def link(self, candidate: Candidate, parent: Entry) -> None:
        """A link that a strategy priced."""
        link = candidate.link
        depth = parent.depth + 1
        refused, inherited = candidate.refused is not None, candidate.inherited
        if not self._frontier.is_news(link.url, candidate.priority, depth, inherited, refused=refused):
            return
        reason, detail = self._refusal(link.url, depth)
        if reason is not None:
            self._lost([candidate.key or key_of(link.url)])
        elif candidate.refused is not None:
            reason, detail = candidate.refused, candidate.why
        self._frontier.add(
            Entry(
                id=0,
                url=link.url,
                host=host_of(link.url),
                priority=candidate.priority,
                depth=depth,
                parent=parent.id,
                anchor=link.anchor[:_ANCHOR_LENGTH],
                why=candidate.why,
                inherited=inherited,
                key=candidate.key,
                state=State.WAITING if reason is None else State.SKIPPED,
                reason=reason,
                detail=detail,
            )
        )

    def refuses_image(self, url: str) -> bool:
        """True when the user does not want to have this one."""
        return self._scope.excludes(url)

    def redirect(self, redirect: Redirect, entry: Entry) -> None:
        """The new place of a page; it stands at the old one's depth, and before everything of its own priority."""
        target = redirect.target
        origin = entry.origin or entry.id
        self._lost([entry.key])
        if reason := self._broken_chain(target, entry, origin):
            self._frontier.settle(entry, State.FAILED, reason, f"Redirected to {target} ({redirect.status}).")
            return
        self._frontier.settle(replace(entry, target=target), State.MOVED, detail=f"Moved ({redirect.status}).")
        reason, detail = self._refusal(target, entry.depth)
        self._frontier.add(
            Entry(
                id=0,
                url=target,
                host=host_of(target),
                priority=entry.priority,
                depth=entry.depth,
                parent=entry.parent,
                origin=origin,
                hop=entry.hop + 1,
                anchor=entry.anchor,
                why=entry.why,
                inherited=entry.inherited,
                state=State.WAITING if reason is None else State.SKIPPED,
                reason=reason,
                detail=detail,
            )
        )

    def _broken_chain(self, target: str, entry: Entry, origin: int) -> Reason | None:
        if target == entry.url:
            return Reason.REDIRECT_LOOP
        if entry.hop >= MAX_HOPS:
            return Reason.BAD_REDIRECT
        known = self._pending.find(key_of(target))
        # A page that moved already is either on our own way here, which then never ends, or leads to what is known anyway.
        moved_on_our_way = known is not None and known.state is State.MOVED and entry.hop > 0 and known.id >= origin
        return Reason.REDIRECT_LOOP if moved_on_our_way else None

    def _refusal(self, url: str, depth: int) -> tuple[Reason | None, str]:
        """Why not, in a word and in a sentence."""
        if why_not := self._scope.why_not(url):
            return Reason.SCOPE, why_not
        if self._max_depth is not None and depth > self._max_depth:
            return Reason.DEPTH, f"It is {depth} links away from the seeds; the limit is {self._max_depth}."
        trap = self._traps.why(url)
        return (Reason.TRAP, trap) if trap else (None, "")


# --- which urls belong to the crawl at all ---------------------------------------------------------------------------

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
