"""What every strategy keeps, whatever its rule. A new file in `crawl/strategy/` is tested here without a change."""

from __future__ import annotations

import math

import msgspec
import pytest

from shoal.crawl.choice import Choice
from shoal.crawl.strategy import strategies
from shoal.model import Candidate, Link, LinkKind, Reason, Term, Topic
from shoal.protocols import Strategy

from ..crawl.strategy.pages import seen

TOPIC = Topic(name="grid", terms=(Term(text="power grid"),))


@pytest.fixture(params=sorted(strategies()))
def choice(request: pytest.FixtureRequest) -> Choice[Strategy]:
    return strategies()[request.param]


@pytest.fixture
def strategy(choice: Choice[Strategy]) -> Strategy:
    return choice.make(TOPIC)


def test_it_says_what_it_is(choice: Choice[Strategy]) -> None:
    assert choice.name == choice.name.lower()
    assert choice.summary
    assert "\n" not in choice.summary


def test_every_link_has_one_candidate_in_the_order_of_the_page(strategy: Strategy) -> None:
    links = [Link(url=f"http://x.example/{place}", position=place, kind=kind) for place, kind in enumerate(LinkKind)]
    visit = seen(score=0.3, hints=[0.1] * len(links), links=links)
    candidates = list(strategy.follow(visit))
    assert [one.link for one in candidates] == links


def test_priorities_are_numbers_with_a_reason(strategy: Strategy) -> None:
    for score in (0.0, 0.5, 2.1):
        for one in strategy.follow(seen(score=score, hints=(0.0, 0.5, 1.0), depth=7)):
            assert math.isfinite(one.priority)
            assert one.why
            assert "\n" not in one.why


def test_a_page_without_links_leads_nowhere(strategy: Strategy) -> None:
    assert list(strategy.follow(seen(score=1.0, hints=()))) == []


def test_what_is_not_a_page_leads_nowhere(strategy: Strategy) -> None:
    picture = msgspec.structs.replace(seen(score=0.0, hints=()), page=None, verdict=None)
    assert list(strategy.follow(picture)) == []


def test_a_nofollow_link_is_refused_and_its_neighbours_are_not(strategy: Strategy) -> None:
    links = [
        Link(url="http://x.example/1"),
        Link(url="http://x.example/2", rel=("external", "nofollow")),
        Link(url="http://x.example/3", rel=("noopener",)),
    ]
    refused = [one.refused for one in strategy.follow(seen(score=0.5, hints=(0.5, 1.0, 0.5), links=links))]
    assert refused == [None, Reason.NOFOLLOW, None]


def test_a_nofollow_page_refuses_all_its_links(strategy: Strategy) -> None:
    candidates = list(strategy.follow(seen(score=0.5, hints=(0.5, 1.0), nofollow=True)))
    assert [one.refused for one in candidates] == [Reason.NOFOLLOW] * 2
    assert {one.why for one in candidates} == {"the page says nofollow"}


def test_the_same_visits_give_the_same_candidates(choice: Choice[Strategy]) -> None:
    visits = [seen(score=0.2, hints=(0.1, 0.9)), seen(score=0.8, hints=(0.4,), depth=1)]

    def run() -> list[Candidate]:
        strategy = choice.make(TOPIC)
        return [one for visit in visits for one in (*strategy.follow(visit), *strategy.refresh())]

    assert run() == run()


def test_refresh_before_the_first_page_changes_nothing(strategy: Strategy) -> None:
    assert list(strategy.refresh()) == []
