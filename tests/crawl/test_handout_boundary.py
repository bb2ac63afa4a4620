"""What a page brings to light costs that page: wherever the coordinator stumbles, the crawl goes on, and every URL has a fate."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from shoal.crawl.background import BackgroundWork
from shoal.crawl.side_lane import SideLane
from shoal.crawl.termination import Ending
from shoal.crawl.topic_learner import TopicLearner
from shoal.frontier.intake import Intake
from shoal.frontier.robots import Rulebook
from shoal.model import Reason, State
from shoal.services import revisit
from shoal.settings import Politeness
from shoal.strategy.learned import Learned
from shoal.testing.fakes import Answer, html
from tests.crawl.simulated import Simulation, page
from tests.crawl.stumbling import BAD, GOOD, WEB, stumbles
from tests.running import ask, assert_consistent, fates, stored


@pytest.mark.slow
@pytest.mark.parametrize("elsewhere", [False, True])
@pytest.mark.parametrize("verb", ["follow", "why", "memo", "chosen"])
def test_a_strategy_that_stumbles(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, verb: str, elsewhere: bool) -> None:
    stumbles(monkeypatch, Learned, verb)
    crawl = Simulation(tmp_path, WEB, elsewhere=elsewhere, strategy="learned", bugs=1)
    assert crawl.run() is Ending.NOTHING_LEFT
    assert fates(tmp_path)[BAD] == (State.FAILED, Reason.INTERNAL)
    assert {url for url, _, _ in stored(tmp_path)} == WEB.keys() - {BAD}, "its host is asked again, too"
    assert_consistent(tmp_path)


def test_a_link_that_cannot_be_taken_in_costs_the_page_it_stands_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    web = {**WEB, GOOD[3]: page("http://strange.test/bad?x")}
    stumbles(monkeypatch, Intake, "link", word="strange.test")
    crawl = Simulation(tmp_path, web, bugs=1)
    assert crawl.run() is Ending.NOTHING_LEFT
    assert fates(tmp_path)[GOOD[3]] == (State.FAILED, Reason.INTERNAL)
    assert len(stored(tmp_path)) == len(web) - 1


def test_a_robots_txt_that_cannot_be_read_forbids_everything(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    strange: dict[str, Answer] = {"http://bad.test/robots.txt": html("", "strange", content_type="text/plain")}
    works = Rulebook.learn

    def learn(self: Rulebook, origin: str, visit: Any, now: float) -> Any:
        if getattr(visit, "text", "") == "strange":
            raise RuntimeError("learn stumbled")
        return works(self, origin, visit, now)

    monkeypatch.setattr(Rulebook, "learn", learn)
    crawl = Simulation(tmp_path, WEB | strange, bugs=1, politeness=Politeness(robots_retry=60.0))
    assert crawl.run() is Ending.NOTHING_LEFT
    assert fates(tmp_path)[BAD] == (State.SKIPPED, Reason.ROBOTS_UNREACHABLE)
    assert "http://bad.test/bad" not in crawl.pages_asked
    assert len(stored(tmp_path)) == len(WEB) - 2


@pytest.mark.slow
@pytest.mark.parametrize(("part", "verb"), [(TopicLearner, "saw"), (BackgroundWork, "saw")])
def test_a_page_that_is_in_stays_in(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, part: type, verb: str) -> None:
    stumbles(monkeypatch, part, verb)
    crawl = Simulation(tmp_path, WEB, bugs=1)
    assert crawl.run() is Ending.NOTHING_LEFT
    assert fates(tmp_path)[BAD] == (State.DONE, None)
    assert len(stored(tmp_path)) == len(WEB)
    assert_consistent(tmp_path)


def test_a_page_that_stumbles_when_it_is_looked_at_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    crawl = Simulation(tmp_path, WEB, bugs=1)
    crawl.run()
    crawl.now += 1_000.0
    revisit.want(tmp_path, [BAD, GOOD[0]], older=0.0, relevant_only=False, now=crawl.now)
    stumbles(monkeypatch, SideLane, "_look_around")
    assert crawl.run(new_pages=False) is Ending.LOOKED
    assert [gone for (gone,) in ask(tmp_path, "SELECT gone FROM pages WHERE gone <> ''")] != []
    assert ask(tmp_path, "SELECT count(*) FROM due") == [(0,)], "it is not looked at for ever"
