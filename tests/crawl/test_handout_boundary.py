"""What a page brings to light costs that page: wherever the coordinator stumbles, the crawl goes on, and every URL has a fate."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from shoal.crawl.allowance import Ending
from shoal.crawl.background import Thinker
from shoal.crawl.extras import Extras
from shoal.crawl.topic_learner import Learner
from shoal.frontier.intake import Intake
from shoal.frontier.robots import Rulebook
from shoal.frontier.traps import TrapDetector
from shoal.model import Reason, State
from shoal.services import revisit as revisiting
from shoal.settings import Politeness
from shoal.strategy.breadth import Breadth
from shoal.testing.fakes import Answer, html
from tests.crawl.simulated import SEED, Simulation, page
from tests.running import ask, assert_consistent, fates, stored

BAD = "http://bad.test/bad"
AFTER_IT = "http://bad.test/after"
GOOD = [f"http://h{number}.test/" for number in range(20)]
WEB: dict[str, Answer] = {
    SEED: page(BAD, AFTER_IT, *GOOD),
    BAD: page("http://h1.test/", text="bad"),
    AFTER_IT: page(text="after"),
    **{url: page(text=url) for url in GOOD},
}


def stumbles(monkeypatch: pytest.MonkeyPatch, part: type, verb: str, *, word: str = "bad.test/bad") -> None:
    """This part cannot handle what has that word in it."""
    works: Callable[..., Any] = getattr(part, verb)

    def stumbling(self: Any, *said: Any, **named: Any) -> Any:
        if any(word in repr(one)[:100] for one in said):
            raise RuntimeError(f"{verb} stumbled")
        return works(self, *said, **named)

    monkeypatch.setattr(part, verb, stumbling)


@pytest.mark.parametrize("elsewhere", [False, True])
@pytest.mark.parametrize("verb", ["follow", "why", "memo", "chosen"])
def test_a_strategy_that_stumbles(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, verb: str, elsewhere: bool) -> None:
    stumbles(monkeypatch, Breadth, verb)
    crawl = Simulation(tmp_path, WEB, elsewhere=elsewhere, bugs=1)
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


@pytest.mark.parametrize(("part", "verb"), [(Rulebook, "check"), (TrapDetector, "why")])
def test_what_stumbles_before_a_request_is_made(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, part: type, verb: str
) -> None:
    stumbles(monkeypatch, part, verb)
    crawl = Simulation(tmp_path, {**WEB, SEED: page(AFTER_IT, *GOOD)}, seeds=(SEED, BAD), bugs=1)
    assert crawl.run() is Ending.NOTHING_LEFT
    assert fates(tmp_path)[BAD] == (State.FAILED, Reason.INTERNAL)
    assert BAD not in crawl.pages_asked
    assert len(stored(tmp_path)) == len(WEB) - 1


@pytest.mark.parametrize(("part", "verb"), [(Learner, "saw"), (Thinker, "saw")])
def test_a_page_that_is_in_stays_in(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, part: type, verb: str) -> None:
    stumbles(monkeypatch, part, verb)
    crawl = Simulation(tmp_path, WEB, bugs=1)
    assert crawl.run() is Ending.NOTHING_LEFT
    assert fates(tmp_path)[BAD] == (State.DONE, None)
    assert len(stored(tmp_path)) == len(WEB)
    assert_consistent(tmp_path)


def test_a_crawl_that_cannot_think_goes_on(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async def refresh(self: Breadth) -> Any:
        raise ArithmeticError("what pages say does not add up")

    monkeypatch.setattr(Breadth, "pace", lambda self: 5)
    monkeypatch.setattr(Breadth, "refresh", refresh)
    crawl = Simulation(tmp_path, WEB, latency=1.0, bugs=None)
    assert crawl.run() is Ending.NOTHING_LEFT
    assert len(stored(tmp_path)) == len(WEB)
    assert crawl.found_bugs > 0


def test_traps_that_cannot_be_watched_for_cost_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    stumbles(monkeypatch, TrapDetector, "record")
    crawl = Simulation(tmp_path, WEB, bugs=1)
    assert crawl.run() is Ending.NOTHING_LEFT
    assert len(stored(tmp_path)) == len(WEB)


def test_a_page_that_stumbles_when_it_is_looked_at_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    crawl = Simulation(tmp_path, WEB, bugs=1)
    crawl.run()
    crawl.now += 1_000.0
    revisiting.want(tmp_path, [BAD, GOOD[0]], older=0.0, relevant_only=False, now=crawl.now)
    stumbles(monkeypatch, Extras, "_look_around")
    assert crawl.run(new_pages=False) is Ending.LOOKED
    assert [gone for (gone,) in ask(tmp_path, "SELECT gone FROM pages WHERE gone <> ''")] != []
    assert ask(tmp_path, "SELECT count(*) FROM due") == [(0,)], "it is not looked at for ever"
