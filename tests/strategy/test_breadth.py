"""Breadth first is a queue by depth."""

from __future__ import annotations

import pytest

from shoal.model import Topic
from shoal.strategy import SEED_PRIORITY
from shoal.strategy.breadth import Breadth

from .pages import seen


@pytest.mark.parametrize(("depth", "why"), [(0, "1 link from a seed"), (1, "2 links from a seed")])
def test_a_level_is_done_before_the_next(depth: int, why: str) -> None:
    breadth = Breadth(Topic(name="x", terms=()))
    candidates = list(breadth.follow(seen(score=0.9, hints=(0.0, 1.0), depth=depth)))
    assert [one.priority for one in candidates] == [-(depth + 1)] * 2
    assert {one.why for one in candidates} == {why}
    assert all(one.priority < SEED_PRIORITY for one in candidates)


def test_what_a_page_says_does_not_matter() -> None:
    breadth = Breadth(Topic(name="x", terms=()))
    assert list(breadth.follow(seen(score=0.0, hints=(0.0,)))) == list(breadth.follow(seen(score=1.0, hints=(1.0,))))
