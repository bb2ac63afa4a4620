"""Fish search with the value of the page in place of 1 and 0.5."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from shoal.judge.zones import ZonesJudge
from shoal.model import Link, Page, Seen, Term, Topic
from shoal.strategy.fish_improved import ImprovedFish
from tests.strategy.pages import Queue, page, seen

TOPIC = Topic(name="电网", terms=(Term(text="电网"), Term(text="substation")))


def judged(title: str, keywords: str, *anchors: str) -> Seen:
    """A page as the judge `zones` sees it."""
    links = tuple(Link(url=f"http://x.example/{place}", anchor=anchor) for place, anchor in enumerate(anchors))
    content = Page(url="http://x.example/page", title=title, keywords=keywords, links=links)
    judge = ZonesJudge(TOPIC)
    visit = seen(score=0.0, hints=judge.judge_links(links), links=links)
    return replace(visit, page=content, verdict=judge.judge(content))


@pytest.mark.parametrize(
    ("title", "keywords", "anchors", "scores", "left"),
    [
        # (1 + 0.8) / 2 keywords = 0.9, relevant from 0.5 on: the first 1.5 * 2 = 3 links, D = 3.
        ("今日电网", "电网", ("一", "二", "三", "四"), [0.9, 0.9, 0.9, 0.0], 3.0),
        # Both in the title, one in an anchor: (1 + 1 + 0.3) / 2 = 1.15.
        ("电网 substation", "", ("a substation", "b"), [1.15, 1.15], 3.0),
        # One in the meta keywords: 0.8 / 2 = 0.4, less than 0.5: the first 2 links, D - 1.
        ("News", "Substation", ("a", "b", "c"), [0.4, 0.4, 0.0], 2.0),
        # Nothing at all.
        ("News", "", ("a", "b"), [0.0, 0.0], 2.0),
    ],
)
def test_links_are_worth_what_their_page_is(
    title: str, keywords: str, anchors: tuple[str, ...], scores: list[float], left: float
) -> None:
    candidates = list(ImprovedFish(TOPIC, width=2).follow(judged(title, keywords, *anchors)))
    assert [one.priority for one in candidates] == pytest.approx(scores)
    assert {one.inherited for one in candidates} == {left}


def test_the_better_page_comes_first() -> None:
    queue, fish = Queue(), ImprovedFish(TOPIC)
    queue.follow(fish, page("p", "a", "b", score=0.1))
    queue.follow(fish, page("q", "c", score=0.7))
    queue.follow(fish, page("r", "d", "b", score=2.1))
    assert queue.order() == ["b", "d", "c", "a"], "b was found before d, and again on the best page"
