"""Where would a fish swim now? One file per strategy; a new file that declares a `CHOICE` is found by itself."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache

from shoal.judge.registry import Registered, choices_in
from shoal.model import Candidate, Entry, Link, LinkKind, PageSummary, Reason, Seen
from shoal.protocols import Forecaster, LeaseObserver, LinkExplainer, MarkLearner, Persistent, Repricer, Strategy
from shoal.settings import Settings

SEED_PRIORITY = 1e12
"""Seeds go first: no strategy gives a link more than this."""
JUDGE = "cosine"
"""The judge of a crawl in which neither the user nor a paper says another."""
# These lead to the same page under another name, so what the page says is said about them.
_SAME_PAGE = frozenset({LinkKind.FRAME, LinkKind.REFRESH, LinkKind.CANONICAL, LinkKind.REDIRECT})


@cache
def strategies() -> Mapping[str, Registered[Strategy]]:
    """Every strategy there is, by name; `strategies()["breadth"].make(topic)` builds one."""
    return choices_in(__name__, __path__)


def judge_of(settings: Settings) -> str:
    """The judge that the user named, or else the one that the strategy's paper runs it with."""
    if settings.judge or settings.strategy not in strategies():  # which is somebody's own (`crawl/own_code.py`)
        return settings.judge or JUDGE
    return strategies()[settings.strategy].judge


# --- which links may be followed --------------------------------------------------------------------------------------


def refusal(page: PageSummary, link: Link) -> Candidate | None:
    """A refused candidate when the page (meta robots, X-Robots-Tag) or the link (rel) says nofollow, else None."""
    if page.nofollow:
        return Candidate(link=link, priority=0.0, why="the page says nofollow", refused=Reason.NOFOLLOW)
    if "nofollow" in link.rel:
        return Candidate(link=link, priority=0.0, why="the link says nofollow", refused=Reason.NOFOLLOW)
    return None


def promising(seen: Seen) -> Iterator[tuple[Link, float, Candidate | None]]:
    """Each link with what it promises, 0 to 1, and its refused candidate if its author asks us not to follow it."""
    if (page := seen.page) is None or seen.verdict is None:
        return
    score = min(max(seen.verdict.score, 0.0), 1.0)
    for link, hint in zip(page.links, seen.hints, strict=True):
        # Most links have no rel at all, and there are many.
        refused = refusal(page, link) if page.nofollow or link.rel else None
        yield link, score if link.kind in _SAME_PAGE else hint, refused


# --- what a strategy can do besides following links --------------------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class Capabilities:
    """A strategy as a running crawl sees it: a call for all that happens with every page, and what else it can be asked."""

    follow: Callable[[Seen], Iterable[Candidate]]
    chosen: Callable[[Entry], None]
    lost: Callable[[Iterable[int]], None]
    why: Callable[[Entry], str]
    memo: Callable[[Seen], bytes]
    repricer: Repricer | None
    mark_learner: MarkLearner | None
    forecaster: Forecaster | None


def capabilities_of(strategy: Strategy) -> Capabilities:
    """Asked once, when a crawl is built: asking takes longer than answering.

    Who does not care what becomes of a URL is not told; who has nothing to say or to remember says nothing.
    """
    repricer = strategy if isinstance(strategy, Repricer) else None
    return Capabilities(
        follow=strategy.follow,
        chosen=strategy.chosen if isinstance(strategy, LeaseObserver) else lambda entry: None,
        lost=repricer.lost if repricer is not None else lambda keys: None,
        why=strategy.why if isinstance(strategy, LinkExplainer) else lambda entry: "",
        memo=strategy.memo if isinstance(strategy, Persistent) else lambda seen: b"",
        repricer=repricer,
        mark_learner=strategy if isinstance(strategy, MarkLearner) else None,
        forecaster=strategy if isinstance(strategy, Forecaster) else None,
    )
