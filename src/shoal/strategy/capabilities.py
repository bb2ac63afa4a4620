"""What can this strategy do besides following links? Asked once, when a crawl is built: asking takes longer than answering."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from shoal.model import Candidate, Entry, Seen
from shoal.protocols import Forecaster, LeaseObserver, LinkExplainer, MarkLearner, Persistent, Repricer, Strategy


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
    """Who does not care what becomes of a URL is not told; who has nothing to say or to remember says nothing."""
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
