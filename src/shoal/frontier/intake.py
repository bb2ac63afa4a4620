"""May this URL be fetched at all? Every link passes here on its way to the frontier, and every refusal is recorded."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from msgspec.structs import replace

from shoal.frontier.frontier import Frontier
from shoal.frontier.pending import PendingChanges
from shoal.frontier.scope import ScopeRule
from shoal.frontier.traps import TrapDetector
from shoal.model import Candidate, Entry, Reason, Redirect, State
from shoal.settings import Budget
from shoal.urls import host_of, key_of

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
