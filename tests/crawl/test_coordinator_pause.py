"""A crawl that is paused asks for nothing, spends no time, does not end, and goes on as if nothing had been."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from shoal.crawl.coordinator import Coordinator
from shoal.crawl.termination import Ending
from shoal.model.live import LiveFigures, WishWord
from shoal.model.stored import Changes, Duplicate
from shoal.settings import Budget, Politeness
from shoal.store import crawl_folder as folders
from shoal.store import run_control
from shoal.store.crawl_store import CrawlStore
from shoal.testing.fakes import Answer
from tests.crawl.simulated import SEED, SLOW, Simulation, page
from tests.running import stored

PAGES = 12
WEB: dict[str, Answer] = {SEED: page(*(f"/{number}" for number in range(PAGES)))} | {
    f"{SEED}{number}": page(text=f"the grid {number}") for number in range(PAGES)
}
DELAY = Politeness(delay=1.0)
A_DAY = 86400.0


def simulation(folder: Path, **settings: object) -> Simulation:
    return Simulation(folder, WEB, politeness=DELAY, latency=0.1, **settings)  # type: ignore[arg-type]


async def until_asked(crawl: Simulation, requests: int) -> None:
    while len(crawl.servers.requests) < requests:  # noqa: ASYNC110
        await asyncio.sleep(0.05)


def test_while_it_is_paused_nothing_is_asked_and_then_all_of_it_comes(tmp_path: Path) -> None:
    crawl, undisturbed = simulation(tmp_path / "c"), simulation(tmp_path / "other")
    undisturbed.run()

    async def scene(coordinator: Coordinator) -> Ending:
        running = asyncio.ensure_future(crawl.crawl(coordinator))
        await until_asked(crawl, 5)
        coordinator.pause()
        asked = len(crawl.servers.requests)
        await asyncio.sleep(A_DAY / 24)
        assert len(crawl.servers.requests) == asked
        assert coordinator.statistics().paused
        assert coordinator.statistics().fetching == ()
        coordinator.go_on()
        return await running

    assert crawl.play(scene) is Ending.NOTHING_LEFT
    assert stored(crawl.folder) == stored(undisturbed.folder)


def test_what_is_in_flight_comes_home(tmp_path: Path) -> None:
    crawl = Simulation(tmp_path / "c", WEB, politeness=DELAY, latency=SLOW)

    async def scene(coordinator: Coordinator) -> Ending:
        running = asyncio.ensure_future(crawl.crawl(coordinator))
        await until_asked(crawl, 2)  # robots.txt, and the seed, which is under way now
        coordinator.pause()
        assert (coordinator.live().state, coordinator.live().in_flight) == ("paused", 1)
        await asyncio.sleep(2 * SLOW)
        assert (coordinator.live().in_flight, coordinator.live().pages) == (0, 1)
        coordinator.stop()
        return await running

    assert crawl.play(scene) is Ending.STOPPED
    assert len(stored(crawl.folder)) == 1


@pytest.mark.parametrize(
    ("budget", "ending"),
    [(Budget(max_time=8.0), Ending.TIME), (Budget(max_pages=4), Ending.PAGES), (Budget(), Ending.NOTHING_LEFT)],
)
def test_a_pause_spends_no_time_and_ends_nothing(tmp_path: Path, budget: Budget, ending: Ending) -> None:
    crawl, undisturbed = simulation(tmp_path / "c", budget=budget), simulation(tmp_path / "other", budget=budget)
    assert undisturbed.run() is ending

    async def scene(coordinator: Coordinator) -> Ending:
        running = asyncio.ensure_future(crawl.crawl(coordinator))
        await until_asked(crawl, 4)
        coordinator.pause()
        await asyncio.sleep(1.0)
        before = coordinator.statistics().elapsed
        await asyncio.sleep(600.0)
        assert coordinator.ending is None
        assert coordinator.statistics().elapsed == before < 10
        coordinator.go_on()
        return await running

    assert crawl.play(scene) is ending
    assert len(stored(crawl.folder)) == pytest.approx(len(stored(undisturbed.folder)), abs=1)


def test_all_that_was_left_came_home_while_it_was_paused(tmp_path: Path) -> None:
    crawl = Simulation(tmp_path / "c", {SEED: page(text="grid")}, latency=SLOW)

    async def scene(coordinator: Coordinator) -> Ending:
        running = asyncio.ensure_future(crawl.crawl(coordinator))
        await until_asked(crawl, 2)
        coordinator.pause()
        await asyncio.sleep(600.0)
        assert not running.done()
        coordinator.go_on()
        return await running

    assert crawl.play(scene) is Ending.NOTHING_LEFT


@pytest.mark.parametrize("last", ["run", "stop"])
def test_it_does_what_somebody_elsewhere_wishes(tmp_path: Path, last: WishWord) -> None:
    crawl = simulation(tmp_path / "c")

    async def scene(coordinator: Coordinator) -> Ending:
        running = asyncio.ensure_future(crawl.crawl(coordinator))
        await until_asked(crawl, 4)
        run_control.wish(crawl.folder, "pause", crawl.now)
        await asyncio.sleep(3.0)
        asked = len(crawl.servers.requests)
        await asyncio.sleep(30.0)
        assert len(crawl.servers.requests) == asked
        run_control.wish(crawl.folder, last, crawl.now)
        return await running

    assert crawl.play(scene) is (Ending.STOPPED if last == "stop" else Ending.NOTHING_LEFT)
    assert len(stored(crawl.folder)) == (PAGES + 1 if last == "run" else len(crawl.pages_asked))


def test_every_batch_says_how_it_stands_and_the_last_one_why_it_is_over(tmp_path: Path) -> None:
    said: list[Changes] = []

    class TellingStore(CrawlStore):
        async def commit(self, changes: Changes) -> list[Duplicate]:
            said.append(changes)
            return await super().commit(changes)

    crawl = simulation(tmp_path / "c", store=TellingStore)

    async def scene(coordinator: Coordinator) -> Ending:
        running = asyncio.ensure_future(crawl.crawl(coordinator))
        await until_asked(crawl, 4)
        coordinator.pause()
        await asyncio.sleep(10.0)
        coordinator.go_on()
        return await running

    crawl.play(scene)
    live = [changes.live for changes in said if changes.live is not None]
    assert len(live) == len(said)
    words = [one.state for one in live]
    assert list(dict.fromkeys(words)) == ["running", "paused", "ended"]
    assert words.count("paused") <= 12, "a pause of ten seconds is told once in each"
    assert (live[-1].why, live[-1].pages, live[-1].hosts, live[-1].waiting) == (
        "nothing left to fetch",
        PAGES + 1,
        1,
        0,
    )
    with folders.reading(crawl.folder) as database:
        assert folders.read_meta(database, run_control.LIVE, LiveFigures) == live[-1]
