"""What does a crawl look for? The topic it began with, and every one that it learned since."""

from __future__ import annotations

from pathlib import Path

from shoal import services
from shoal.settings import Learning
from tests.stocked import Stock


def test_a_crawl_that_learns_nothing_has_the_topic_it_began_with(tmp_path: Path) -> None:
    (only,) = services.topics.topic_history(Stock(tmp_path / "c").folder)
    assert only.topic.terms


def test_what_was_learned_comes_after_what_it_began_with(tmp_path: Path) -> None:
    learning = Learning(adapt_topic=True, interval=2)
    first, *later = services.topics.topic_history(Stock(tmp_path / "c", learning=learning).folder)
    assert later
    assert later[-1].topic != first.topic
