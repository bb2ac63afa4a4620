"""What a crawl may ask of a strategy: of one that only follows links nothing, of one that can do everything all."""

from __future__ import annotations

from shoal.model import Entry
from shoal.strategy import capabilities_of
from shoal.strategy.breadth import Breadth
from shoal.strategy.fish import Fish
from shoal.strategy.learned import Learned
from tests.strategy.pages import TOPIC, page

ENTRY = Entry(id=1, url="http://x.example/", host="x.example", priority=0.0)


def test_who_only_follows_links_is_told_and_asked_nothing_else() -> None:
    can = capabilities_of(Breadth(TOPIC))
    assert [one.link.url for one in can.follow(page("", "a"))] == ["http://x.example/a"]
    can.chosen(ENTRY)
    can.lost([1])
    assert (can.why(ENTRY), can.memo(page("", "a"))) == ("", b"")
    assert (can.repricer, can.mark_learner, can.forecaster) == (None, None, None)


def test_who_remembers_pages_need_not_reprice_them() -> None:
    can = capabilities_of(Fish(TOPIC))
    assert can.memo(page("", "a")) == Fish(TOPIC).memo(page("", "a")) != b""
    assert can.repricer is None


def test_who_can_do_everything_is_asked_itself() -> None:
    strategy = Learned.make(TOPIC)
    can = capabilities_of(strategy)
    assert (can.chosen, can.lost, can.why, can.memo) == (strategy.chosen, strategy.lost, strategy.why, strategy.memo)
    assert (can.repricer, can.mark_learner, can.forecaster) == (strategy, strategy, strategy)
