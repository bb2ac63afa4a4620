"""A crawl as a process: it listens to signals, outlives its workers, and tells by its exit code how it went."""

from __future__ import annotations

import asyncio
import json
import os
import signal
from pathlib import Path

import pytest

from shoal import services
from shoal.commands import live_view
from shoal.installation.location import Installation
from shoal.model import Reason, State, Term, Topic
from shoal.settings import Fetching, Politeness, Settings
from shoal.testing.webserver import SimpleWeb, WebServer
from tests.running import Command, Operator, all_gone, assert_consistent, fates, stored
from tests.small_web import HOME, SmallWeb

pytestmark = pytest.mark.slow

SLOW_SERVER = 0.3
NEVER = 3600.0


def crawling(server: WebServer, *options: str) -> tuple[str, ...]:
    basics = ("--topic", "grid", "--seed", HOME, "--proxy", server.proxy, "--dir", "c", "--delay", "0")
    return ("crawl", *basics, *options)


def slow_web() -> SmallWeb:
    web = SmallWeb([12] * 6)
    for host in range(6):
        web.slow(host, SLOW_SERVER)
    return web


@pytest.mark.slow
@pytest.mark.parametrize(("number", "processes"), [(signal.SIGINT, 1), (signal.SIGINT, 2), (signal.SIGTERM, 1)])
async def test_asked_to_stop_it_waits_for_what_is_in_flight(
    tmp_path: Path, number: signal.Signals, processes: int
) -> None:
    operator, web = Operator(tmp_path), slow_web()
    async with WebServer(web) as server:
        crawl = await operator.types(*crawling(server, "--processes", str(processes)))
        assert await crawl.lives_until(web.gets(25))
        crawl.signal(number)
        finished = await crawl.end()
        assert finished.code == 130, finished.err
        assert "shoal resume --dir c" in finished.out + finished.err
        assert 0 not in {access.status for access in server.log}, "somebody was left in the middle of an answer"
        asked = {f"http://{access.host}{access.path}" for access in server.log if access.path != "/robots.txt"}
        assert {url for url, (state, _) in fates(tmp_path / "c").items() if state != State.WAITING} == asked
        assert_consistent(tmp_path / "c")


@pytest.mark.slow
@pytest.mark.parametrize("processes", [1, 2])
async def test_asked_twice_it_stops_at_once(tmp_path: Path, processes: int) -> None:
    web = SmallWeb([3] * 3)
    for host in range(3):
        web.slow(host, NEVER)
    async with WebServer(web) as server:
        crawl = await Operator(tmp_path).types(*crawling(server, "--processes", str(processes)))
        assert await crawl.lives_until(web.gets(2))  # robots.txt, and a page that never comes
        workers = crawl.workers()
        crawl.signal(signal.SIGINT)
        await asyncio.sleep(0.5)
        assert crawl.process.returncode is None, "the first Ctrl-C waits"
        crawl.signal(signal.SIGINT)
        finished = await asyncio.wait_for(crawl.end(), 30)
    assert finished.code == 130, finished.err
    assert "Traceback" not in finished.err
    assert "shoal resume --dir c" in finished.out + finished.err
    assert await all_gone(workers)
    assert_consistent(tmp_path / "c")


async def test_a_crawl_that_has_reached_its_budget_says_so_when_it_is_resumed(tmp_path: Path) -> None:
    operator = Operator(tmp_path)
    async with WebServer(SmallWeb([10])) as server:
        assert (await operator.runs(*crawling(server, "--max-pages", "4"))).code == 0
        requests = len(server.log)
        again = await operator.runs("resume", "--dir", "c")
        assert again.code == 0, again.err
        assert "page budget is reached" in again.out + again.err
        assert len(server.log) == requests
    assert len(stored(tmp_path / "c")) == 4


async def test_a_crawl_without_a_seed_that_answers_names_the_reason_of_each(tmp_path: Path) -> None:
    web = SimpleWeb().robots("b.test", "User-agent: *\nDisallow: /")
    async with WebServer(web) as server:
        finished = await Operator(tmp_path).runs(*crawling(server, "--seed", "http://b.test/x"))
    assert finished.code == 1
    assert "Traceback" not in finished.err
    complaint = finished.err.strip().splitlines()[-1]
    assert HOME in complaint
    assert "404" in complaint
    assert "http://b.test/x" in complaint
    assert "robots.txt" in complaint


# --- worker processes ------------------------------------------------------------------------------------------------


async def workers_of(crawl: Command, count: int) -> list[int]:
    """Wait until a crawl has so many worker processes."""
    for _ in range(1000):
        if len(workers := crawl.workers()) >= count:
            return workers
        await asyncio.sleep(0.02)
    raise AssertionError("the crawl has too few worker processes")


@pytest.mark.slow
async def test_worker_processes_that_die_are_replaced_and_no_page_is_lost(tmp_path: Path) -> None:
    operator, web = Operator(tmp_path), slow_web()
    folder = tmp_path / "c"
    async with WebServer(web) as server:
        settings = Settings(
            topic=Topic(name="grid", terms=(Term(text="grid"),)),
            seeds=(HOME,),
            fetching=Fetching(proxy=server.proxy),
            politeness=Politeness(delay=0.0, backoff_first=0.1),
            processes=2,
        )
        operator.prepares("c", settings)
        crawl = await operator.types("resume", "--dir", "c", "--quiet")
        for _ in range(2):
            assert await crawl.lives_until(web.gets(15))
            for worker in await workers_of(crawl, 2):
                os.kill(worker, signal.SIGKILL)
        finished = await crawl.end()
    assert finished.code == 0, finished.err
    for host in range(6):
        for number in range(1, 12):
            assert fates(folder)[f"http://h{host}.test/p/{number}"] == (State.DONE, None)
    assert_consistent(folder)


@pytest.mark.slow
async def test_a_page_on_which_every_worker_dies_is_given_up(tmp_path: Path) -> None:
    operator, web = Operator(tmp_path), SmallWeb([2])
    web.slow(0, NEVER)
    async with WebServer(web) as server:
        settings = Settings(
            topic=Topic(name="grid", terms=(Term(text="grid"),)),
            seeds=(HOME,),
            fetching=Fetching(proxy=server.proxy),
            politeness=Politeness(delay=0.0, backoff_first=0.1, attempts=2),
            processes=2,
        )
        operator.prepares("c", settings)
        crawl = await operator.types("resume", "--dir", "c", "--quiet")
        for requests in (2, 1):  # the first time, robots.txt comes before the page
            assert await crawl.lives_until(web.gets(requests))
            for worker in await workers_of(crawl, 2):
                os.kill(worker, signal.SIGKILL)
        finished = await crawl.end()
    assert finished.code == 1, finished.err
    assert "died" in finished.err
    assert fates(tmp_path / "c")[HOME] == (State.FAILED, Reason.WORKER_DIED)


async def test_worker_processes_that_cannot_even_start_end_the_crawl(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    """Here because somebody removed a judge; the next ones would fare no better. They hang up well before they are gone."""
    topic = Topic(name="grid", terms=(Term(text="grid"),))
    services.crawls.start_crawl(
        tmp_path / "c", Settings(topic=topic, seeds=(HOME,), judge="removed", processes=2, index=False)
    )
    with pytest.raises(RuntimeError, match=r"^a worker process ended with code 1 before it asked for work$"):
        async with asyncio.timeout(60):
            await services.run.run_crawl(
                tmp_path / "c", Installation(home=tmp_path), live_view.progress(tmp_path, silent=True)
            )
    assert "KeyError: 'removed'" in capfd.readouterr().err


@pytest.mark.slow
async def test_worker_processes_learn_settings_of_any_length(tmp_path: Path) -> None:
    """An environment variable, as the settings once travelled, holds 128 KB."""
    operator = Operator(tmp_path)
    async with WebServer(SmallWeb([5])) as server:
        settings = Settings(
            topic=Topic(name="grid", terms=(Term(text="grid"),)),
            seeds=(HOME, *(f"http://h0.test/{'x' * 80}/{n}" for n in range(2000))),
            fetching=Fetching(proxy=server.proxy),
            politeness=Politeness(delay=0.0, per_host=8),
            processes=2,
        )
        operator.prepares("c", settings)
        finished = await operator.runs("resume", "--dir", "c", "--quiet")
    assert finished.code == 0, finished.err
    assert len(stored(tmp_path / "c")) >= 5


@pytest.mark.slow
@pytest.mark.parametrize("processes", [1, 2])
async def test_every_process_judges_by_what_the_crawl_has_learned(tmp_path: Path, processes: int) -> None:
    about = "The power grid carries electricity from the transformer to the substation, and the transformer hums. "
    web = SimpleWeb().page(
        "http://a.test/", about * 5, links=[f"/{number}" for number in range(40)], title="power grid"
    )
    for number in range(40):
        others = f"Number {number} of them stands in street {number * number}, house {number * 7}. "
        text = f"Every transformer needs a substation. {others}" * (number + 3)
        web.page(f"http://a.test/{number}", text, title=f"a thing {number}")
    options = ("--topic", "power grid", "--seed", "http://a.test/", "--delay", "0", "--dir", "c", "--json")
    async with WebServer(web) as server:
        learning = ("--learn-from-seeds", "--proxy", server.proxy, "--processes", str(processes))
        finished = await Operator(tmp_path).runs("crawl", *options, *learning)
    assert finished.code == 0, finished.err
    status = json.loads(finished.out)["status"]
    # The first pages after the seed may still be judged by the topic as it was.
    assert status["relevant"] >= status["pages"] / 2 > 10
