"""When does a crawl think, and what of? What its user says moves it at once; and one that cannot think goes on."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from shoal import services
from shoal.crawl.committer import COMMIT_SECONDS
from shoal.crawl.coordinator import Coordinator
from shoal.crawl.termination import Ending
from shoal.services import marks
from shoal.settings import Budget, Politeness
from shoal.strategy.learned import Learned
from shoal.testing.fakes import Answer
from tests.crawl.simulated import SEED, Simulation, page
from tests.crawl.stumbling import WEB
from tests.hearing import Listener, listener_laid
from tests.running import stored

LIKED = "http://b.test/0"
OTHERS = [f"http://c.test/{number}" for number in range(30)]
LIKE_IT = [f"http://b.test/{number}" for number in range(1, 10)]


@pytest.fixture
def listeners() -> Iterator[list[Listener]]:
    with listener_laid() as made:
        yield made


def crawl_of(folder: Path, **settings: Any) -> Simulation:
    """One page of b.test, many of c.test, then more of b.test: one page a second, in this order."""
    urls = [LIKED, *OTHERS, *LIKE_IT]
    web: dict[str, Answer] = {SEED: page(*urls)} | {url: page(text=url) for url in urls}
    politeness = Politeness(delay=0.0)
    return Simulation(folder, web, latency=1.0, workers=1, strategy="listener", politeness=politeness, **settings)


def at(seconds: float, act: Callable[[], object]) -> None:
    asyncio.get_running_loop().call_later(seconds, act)


@pytest.mark.slow
def test_without_a_word_of_the_user_pages_come_in_their_order(tmp_path: Path, listeners: list[Listener]) -> None:
    crawl = crawl_of(tmp_path)
    assert crawl.run() is Ending.NOTHING_LEFT
    assert crawl.pages_asked == [SEED, LIKED, *OTHERS, *LIKE_IT]
    assert (listeners[0].heard, listeners[0].refreshed) == ([], [])


@pytest.mark.slow
def test_a_running_crawl_hears_of_a_mark_and_turns_to_what_is_like_it(
    tmp_path: Path, listeners: list[Listener]
) -> None:
    crawl = crawl_of(tmp_path)

    async def scene(coordinator: Coordinator) -> Ending:
        at(15.25, lambda: marks.mark_pages(tmp_path, [LIKED], True, crawl.clock))
        return await crawl.crawl(coordinator)

    assert crawl.play(scene) is Ending.NOTHING_LEFT
    [listener] = listeners
    assert [(said.url, said.relevant) for said in listener.heard] == [(LIKED, True)]
    assert listener.refreshed == [1]
    # Heard with the next commit, at most half a second later; the requests go out once a second.
    heard = listener.heard[0].at + COMMIT_SECONDS
    after = [task.url for moment, task in crawl.servers.requests if task.kind == "page" and moment > heard]
    assert sorted(after[: len(LIKE_IT)]) == LIKE_IT
    assert len(after) > len(LIKE_IT) + 10


def test_a_running_crawl_hears_that_a_mark_is_taken_back(tmp_path: Path, listeners: list[Listener]) -> None:
    crawl = crawl_of(tmp_path)

    async def scene(coordinator: Coordinator) -> Ending:
        for seconds, relevant in ((10.0, False), (20.0, True), (22.0, None)):
            at(seconds, lambda said=relevant: marks.mark_pages(tmp_path, [LIKED], said, crawl.clock))  # type: ignore[misc]
        return await crawl.crawl(coordinator)

    crawl.play(scene)
    assert [said.relevant for said in listeners[0].heard] == [False, True, None]
    assert listeners[0].refreshed == [1, 2, 3]


@pytest.mark.slow
def test_what_is_said_during_a_refresh_gets_a_refresh_of_its_own(tmp_path: Path, listeners: list[Listener]) -> None:
    crawl = crawl_of(tmp_path)

    async def scene(coordinator: Coordinator) -> Ending:
        listeners[0].slowness = 10.0
        at(6.0, lambda: marks.mark_pages(tmp_path, [LIKED], True))
        at(9.0, lambda: marks.mark_pages(tmp_path, [SEED], False))
        return await crawl.crawl(coordinator)

    crawl.play(scene)
    assert listeners[0].refreshed == [1, 2]


@pytest.mark.slow
def test_a_crawl_that_goes_on_knows_all_that_was_said(tmp_path: Path, listeners: list[Listener]) -> None:
    crawl = crawl_of(tmp_path, budget=Budget(max_pages=5))
    assert crawl.run() is Ending.PAGES
    marks.mark_pages(tmp_path, [LIKED, SEED], False)
    marks.mark_pages(tmp_path, [LIKED], True)
    marks.mark_pages(tmp_path, [SEED], None)
    services.crawls.change_settings(tmp_path, {"max_pages": 8})
    assert crawl.run() is Ending.PAGES
    assert [(said.url, said.relevant) for said in listeners[1].heard] == [(LIKED, True)]
    assert listeners[1].refreshed == [1]
    services.crawls.change_settings(tmp_path, {"max_pages": 100})
    crawl.run()
    assert [(said.url, said.relevant) for said in listeners[2].heard] == [(LIKED, True)]


def test_what_was_said_before_is_known_before_the_first_request(tmp_path: Path, listeners: list[Listener]) -> None:
    crawl = crawl_of(tmp_path, budget=Budget(max_pages=5))
    crawl.run()
    marks.mark_pages(tmp_path, [LIKED], True)
    services.crawls.change_settings(tmp_path, {"max_pages": 100})

    async def scene(coordinator: Coordinator) -> int:
        running = asyncio.create_task(coordinator.run())
        await asyncio.sleep(0)
        known = len(listeners[1].heard)
        coordinator.stop()
        await running
        return known

    assert crawl.play(scene) == 1


def test_a_crawl_that_cannot_think_goes_on(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async def refresh(self: Learned) -> Any:
        raise ArithmeticError("what pages say does not add up")

    monkeypatch.setattr(Learned, "pace", lambda self: 5)
    monkeypatch.setattr(Learned, "refresh", refresh)
    crawl = Simulation(tmp_path, WEB, latency=1.0, strategy="learned", bugs=None)
    assert crawl.run() is Ending.NOTHING_LEFT
    assert len(stored(tmp_path)) == len(WEB)
    assert crawl.found_bugs > 0
