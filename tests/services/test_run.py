"""How does a crawl run inside somebody's event loop? To its end, or until they end it; nothing is asked of the environment."""

from __future__ import annotations

import asyncio
import gc
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path

import pytest

from shoal import services
from shoal.crawl.coordinator import Coordinator
from shoal.crawl.termination import Ending
from shoal.errors import NoSeedReached
from shoal.installation.location import Installation
from shoal.internal_errors import InternalErrors
from shoal.store import crawl_folder as folders
from shoal.store.ownership import LOG
from shoal.testing.webserver import SimpleWeb
from shoal.topic.topic_file import topic_from_words
from tests.shell import served

SEED = "http://a.test/"


@pytest.fixture
def proxy() -> Iterator[str]:
    """Through which a site of two pages is reached."""
    web = SimpleWeb()
    web.page(SEED, "The power grid.", title="Power grid 电网", links=["/grid"])
    web.page(f"{SEED}grid", "More of the power grid.", title="Grid")
    with served(web) as server:
        yield server.proxy


def begun(folder: Path, proxy: str) -> Path:
    options = {"proxy": proxy, "delay": 0.0, "index": False}
    settings = topic_from_words("power grid", [SEED], names=services.choices.names(), options=options)
    services.crawls.start_crawl(folder, settings)
    return folder


async def test_it_runs_in_the_loop_of_whoever_asks(tmp_path: Path, proxy: str) -> None:
    folder, home = begun(tmp_path / "c", proxy), Installation(home=tmp_path / "home")
    assert await services.run.run_crawl(folder, home) is Ending.NOTHING_LEFT
    assert len(services.export.fetched_pages(folder)) == 2
    assert home.hosts.is_file(), "the clocks of hosts outlive the crawl"


async def test_whoever_watches_sees_it_and_may_end_it(tmp_path: Path, proxy: str) -> None:
    asked = []

    @contextmanager
    def at_once(stop: Callable[[], None]) -> Iterator[None]:
        stop()
        yield

    async def watch(coordinator: Coordinator) -> None:
        asked.append(coordinator.figures())

    def interrupted(stop: Callable[[], None]) -> AbstractContextManager[None]:
        return at_once(stop)

    folder = begun(tmp_path / "c", proxy)
    ending = await services.run.run_crawl(folder, Installation(home=tmp_path), watch, interrupted=interrupted)
    assert ending is Ending.STOPPED
    assert asked
    assert services.export.fetched_pages(folder) == []


async def test_two_crawls_of_one_program_leave_it_as_it_was_and_keep_their_bugs_apart(
    tmp_path: Path, proxy: str, caplog: pytest.LogCaptureFixture
) -> None:
    names, both, before = ("grid", "电网"), asyncio.Barrier(2), gc.get_threshold()
    running = []

    async def crawl(name: str) -> None:
        async def watch(coordinator: Coordinator) -> None:
            coordinator.pause()
            await both.wait()  # neither is over before the other has begun
            running.append(gc.get_threshold())
            InternalErrors().note_elsewhere(ValueError(), f"http://{name}.test/", 1.0)
            await both.wait()
            coordinator.go_on()

        folder = begun(tmp_path / name, proxy)
        await services.run.run_crawl(folder, Installation(home=tmp_path / "home"), watch)

    await asyncio.gather(*map(crawl, names))
    for name in names:
        (line,) = [line for line in (tmp_path / name / LOG).read_text("utf-8").splitlines() if "http" in line]
        assert f" http://{name}.test/: " in line
    assert caplog.records == []
    assert (before in running, gc.get_threshold()) == (False, before)
    InternalErrors().note_elsewhere(ValueError(), "http://later.test/", 1.0)
    assert [record.getMessage()[:18] for record in caplog.records] == ["http://later.test/"]


async def test_a_crawl_of_which_nothing_came_says_why(tmp_path: Path) -> None:
    folder = begun(tmp_path / "c", "http://127.0.0.1:1")
    with pytest.raises(NoSeedReached, match="Not one seed could be fetched"):
        await services.run.run_crawl(folder, Installation(home=tmp_path))


async def test_of_thousands_of_seeds_a_sentence_names_some(tmp_path: Path) -> None:
    seeds = [f"http://127.0.0.1:{port}/" for port in range(1, 9)]
    options = {"delay": 0.0, "index": False}
    settings = topic_from_words("power grid", seeds, names=services.choices.names(), options=options)
    services.crawls.start_crawl(tmp_path / "c", settings)
    with pytest.raises(NoSeedReached) as caught:
        await services.run.run_crawl(tmp_path / "c", Installation(home=tmp_path))
    assert str(caught.value).count("http://127.0.0.1:") == 5
    assert str(caught.value).endswith("; and 3 more.")


async def test_who_stands_by_is_told_once_and_waits_until_nobody_is_at_work(tmp_path: Path) -> None:
    folder = begun(tmp_path / "c", "")
    heard: list[str] = []
    busy = folders.lock(folder)
    busy.__enter__()
    waits: list[float] = []

    async def sleep(seconds: float) -> None:
        waits.append(seconds)
        if len(waits) == 3:
            busy.__exit__(None, None, None)

    await services.run.stand_by(folder, heard.append, sleep)
    assert len(waits) == 3
    assert len(heard) == 1
