"""Best first mixes what the page and what the link says."""

from __future__ import annotations

import pytest

from shoal.model import Candidate, Link, LinkKind, Topic
from shoal.strategy import SEED_PRIORITY
from shoal.strategy.best_first import BestFirst

from .pages import seen


def follow(score: float, hint: float, kind: LinkKind = LinkKind.ANCHOR) -> Candidate:
    link = Link(url="http://x.example/1", kind=kind)
    [candidate] = BestFirst(Topic(name="x", terms=())).follow(seen(score=score, hints=(hint,), links=[link]))
    return candidate


@pytest.mark.parametrize(
    ("score", "hint", "priority", "why"),
    [
        (0.42, 0.8, 0.686, "parent page 0.42, link text 0.80"),
        (0.0, 0.0, 0.0, "parent page 0.00, link text 0.00"),
        (1.0, 1.0, 1.0, "parent page 1.00, link text 1.00"),
        (0.0, 1.0, 0.7, "parent page 0.00, link text 1.00"),
        # the zones judge goes up to 2.1
        (2.1, 0.2, 0.44, "parent page 1.00, link text 0.20"),
    ],
)
def test_priority(score: float, hint: float, priority: float, why: str) -> None:
    candidate = follow(score, hint)
    assert candidate.priority == pytest.approx(priority)
    assert candidate.priority <= SEED_PRIORITY
    assert candidate.why == why


@pytest.mark.parametrize("kind", [LinkKind.FRAME, LinkKind.REFRESH, LinkKind.CANONICAL])
def test_the_same_page_under_another_name_is_as_good_as_the_page(kind: LinkKind) -> None:
    candidate = follow(0.42, 0.0, kind)
    assert candidate.priority == pytest.approx(0.42)
    assert candidate.why == "parent page 0.42, link text 0.42"


def test_a_hint_too_few_is_a_bug_and_is_heard() -> None:
    links = [Link(url="http://x.example/1"), Link(url="http://x.example/2")]
    with pytest.raises(ValueError, match="shorter"):
        list(BestFirst(Topic(name="x", terms=())).follow(seen(score=0.1, hints=(0.5,), links=links)))
