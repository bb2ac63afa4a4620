"""`kill -9` at any moment: nothing is lost, nothing is stored twice, and no host is asked too early afterwards."""

from __future__ import annotations

import asyncio
from pathlib import Path
from random import Random

import pytest

from shoal import indexer
from shoal.errors import FolderBusy
from shoal.model import State
from shoal.services import search
from shoal.services.check import check
from shoal.store import crawl_folder as folders
from shoal.testing.webserver import WebServer
from tests.running import Operator, all_gone, ask, assert_consistent, impolite, stored
from tests.small_web import HOME, SmallWeb

DELAY = 0.1
RULES = "User-agent: *\nDisallow: /private/\n"


def make_web(pages: int) -> SmallWeb:
    """Nine hosts with so many pages each, and three that are special and small."""
    sizes = (pages, 6, 8, 12, *[pages] * 8)
    web = SmallWeb(sizes, robots=dict.fromkeys(range(len(sizes)), RULES) | {1: RULES + "Crawl-delay: 0.5\n"})
    web.slow(2, 0.15)
    web.busy(3, 3)
    return web


def options(server: WebServer, delay: float) -> tuple[str, ...]:
    return ("--topic", "grid, 电网", "--seed", HOME, "--proxy", server.proxy, "--delay", str(delay), "--quiet")


async def index_agrees(folder: Path) -> None:
    """The index process of a crawl that was killed ends a moment later; then the next search puts everything right."""
    while True:
        try:
            indexer.catch_up(folder)
        except FolderBusy:
            await asyncio.sleep(0.1)
        else:
            assert check(folder).problems == ()
            return


async def undisturbed(operator: Operator, web: SmallWeb) -> set[tuple[str, str, bytes]]:
    """The pages of a crawl that nobody kills; it may hurry, because pages do not depend on the pace."""
    async with WebServer(web) as server:
        finished = await operator.runs("crawl", *options(server, 0.0), "--dir", "undisturbed")
    assert finished.code == 0, finished.err
    assert_consistent(operator.folder("undisturbed"))
    return stored(operator.folder("undisturbed"))


@pytest.mark.slow
@pytest.mark.parametrize(("processes", "kills", "pages"), [(1, 10, 35), (2, 5, 25)])
async def test_a_crawl_killed_again_and_again_ends_with_the_same_pages(
    tmp_path: Path, processes: int, kills: int, pages: int
) -> None:
    """With the strategy that a crawl has by default; how the others come back: `tests/conformance/test_strategy.py`."""
    random = Random(processes)
    operator, folder = Operator(tmp_path), tmp_path / "killed"
    expected = await undisturbed(operator, make_web(pages))
    web = make_web(pages)
    async with WebServer(web) as server:
        crawl = await operator.types("crawl", *options(server, DELAY), "--processes", str(processes), "--dir", "killed")
        for _ in range(kills):
            assert await crawl.lives_until(web.gets(random.randint(1, 50))), "it was over before the last kill"
            await asyncio.sleep(random.uniform(0.0, 0.05))
            workers = crawl.workers()
            await crawl.kill()
            assert await all_gone(workers), "a worker process outlived its coordinator"
            crawl = await operator.types("resume", "--dir", "killed", "--quiet")
        finished = await crawl.end()
    assert finished.code == 0, finished.err
    assert stored(folder) == expected
    assert_consistent(folder)
    assert ask(folder, f"SELECT url FROM urls WHERE state = {State.WAITING:d}") == []
    assert impolite(server.log, DELAY, web.robots) == []
    await index_agrees(folder)


@pytest.mark.slow
async def test_pages_are_found_while_the_crawl_goes_on_and_after_it_was_killed(tmp_path: Path) -> None:
    operator, folder = Operator(tmp_path), tmp_path / "c"
    web = make_web(40)
    async with WebServer(web) as server:
        crawl = await operator.types("crawl", *options(server, 0.3), "--dir", "c")
        hits: tuple[object, ...] = ()
        while not hits:  # it takes some seconds; a crawl that ends before fails the test below
            assert await crawl.lives_until(asyncio.sleep(0.2)), "it was over before anything was found"
            hits = search.search([folder], "电网").hits if folders.exists(folder) else ()
        assert folders.is_running(folder)
        await crawl.kill()
    assert search.search([folder], "电网").hits
    await index_agrees(folder)
    found = check(folder)
    assert found.indexed == found.versions > 0


@pytest.mark.slow
@pytest.mark.parametrize(
    ("delay", "robots"), [(4.0, {}), (DELAY, {0: RULES + "Crawl-delay: 4\n"})], ids=["delay", "crawl-delay"]
)
async def test_a_host_that_was_answering_when_we_were_killed_is_not_asked_too_early(
    tmp_path: Path, delay: float, robots: dict[int, str]
) -> None:
    """A restart takes a second or two: shorter delays are over by then."""
    operator, web = Operator(tmp_path), SmallWeb([2], robots=robots)
    web.slow(0, 1.0)
    async with WebServer(web) as server:
        start = ("crawl", *options(server, delay), "--max-pages", "1", "--dir", "killed")
        crawl = await operator.types(*start)
        for requests in (2, 1):  # robots.txt is read before the first page, and not again
            assert await crawl.lives_until(web.gets(requests))
            await crawl.kill()
            crawl = await operator.types("resume", "--dir", "killed", "--quiet")
        finished = await crawl.end()
    assert finished.code == 0, finished.err
    assert [access.path for access in server.log] == ["/robots.txt", "/", "/", "/"]
    assert impolite(server.log, delay, web.robots) == []
