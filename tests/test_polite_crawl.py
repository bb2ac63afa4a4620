"""The servers' own logs say that a crawl is polite: alone, with worker processes, and beside another crawl."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from shoal.evaluate.generated.synthetic_web import generate
from shoal.testing.webserver import WebServer, read_log
from tests.running import Operator, assert_consistent, impolite, stored
from tests.small_web import HOME, SmallWeb

DELAY = 0.2
RULES = "User-agent: *\nDisallow: /private/\n"


def web_of_all_sorts() -> SmallWeb:
    """Ordinary hosts, one that wants a whole second, one that is slow, one that is busy at first."""
    sizes = (8, 3, 5, 6, 8, 8)
    web = SmallWeb(sizes, robots=dict.fromkeys(range(len(sizes)), RULES) | {1: RULES + "Crawl-delay: 1\n"})
    web.slow(2, 0.4)
    web.busy(3, 5)
    return web


def crawling(server: WebServer, folder: str, *options: str) -> tuple[str, ...]:
    basics = ("--topic", "grid, 电网", "--seed", HOME, "--proxy", server.proxy, "--delay", str(DELAY), "--quiet")
    return ("crawl", *basics, "--dir", folder, *options)


@pytest.mark.slow
@pytest.mark.parametrize("processes", ["1", "2"])
async def test_a_crawl_is_polite_to_every_sort_of_host(tmp_path: Path, processes: str) -> None:
    web = web_of_all_sorts()
    async with WebServer(web) as server:
        finished = await Operator(tmp_path).runs(*crawling(server, "c", "--processes", processes))
    assert finished.code == 0, finished.err
    assert impolite(server.log, DELAY, web.robots) == []
    assert_consistent(tmp_path / "c")
    refused = [access for access in server.log if access.status == 429]
    assert refused, "the busy host was busy"
    fetched = {url for url, _, _ in stored(tmp_path / "c")}
    assert {f"http://h3.test/p/{number}" for number in range(1, 6)} < fetched
    assert {f"http://h1.test/p/{number}" for number in range(1, 3)} < fetched
    assert not any("/private/" in access.path for access in server.log)


@pytest.mark.slow
async def test_two_crawls_at_the_same_time_share_the_patience_of_the_hosts(tmp_path: Path) -> None:
    operator, web = Operator(tmp_path), web_of_all_sorts()
    async with WebServer(web) as server:
        finished = await asyncio.gather(
            operator.runs(*crawling(server, "one")), operator.runs(*crawling(server, "two", "--processes", "2"))
        )
    assert [end.code for end in finished] == [0, 0], [end.err for end in finished]
    assert impolite(server.log, DELAY, web.robots) == []
    assert stored(tmp_path / "one") == stored(tmp_path / "two")
    assert len(stored(tmp_path / "one")) > 50


@pytest.mark.slow
async def test_the_checker_notices_a_crawl_that_is_not_polite(tmp_path: Path) -> None:
    """The user may say that the hosts are their own; the checker does not know that."""
    web = SmallWeb([10] * 2, robots={0: RULES + "Crawl-delay: 0.05\n"})
    web.slow(1, 0.05)
    async with WebServer(web) as server:
        own = ("--delay", "0", "--per-host", "4")
        finished = await Operator(tmp_path).runs(*crawling(server, "c", *own))
    assert finished.code == 0, finished.err
    complaints = " ".join(impolite(server.log, DELAY, web.robots))
    assert "requests in flight" in complaints
    assert "s between requests" in complaints


# --- the generated web -----------------------------------------------------------------------------------------------


@asynccontextmanager
async def generated_web(log: Path) -> AsyncIterator[str]:
    """The web of the demo in a process of its own; gives its proxy."""
    arguments = ("-m", "shoal.evaluate.serve", "--port", "0", "--log", str(log), "--seed", "7")
    process = await asyncio.create_subprocess_exec(sys.executable, *arguments, stdout=asyncio.subprocess.PIPE)
    assert process.stdout is not None
    try:
        yield f"http://127.0.0.1:{int(await process.stdout.readline())}"
    finally:
        process.terminate()
        await process.wait()


@pytest.mark.slow
async def test_a_crawl_of_the_generated_web_is_polite(tmp_path: Path) -> None:
    web = generate(7)
    seeds = [argument for seed in web.seeds("power-grid") for argument in ("--seed", seed)]
    async with generated_web(tmp_path / "log") as proxy:
        finished = await Operator(tmp_path).runs(
            *("crawl", "--topic", "power grid, substation, 电网, 变电站", *seeds, "--proxy", proxy, "--quiet"),
            *("--dir", "c", "--delay", "0.05", "--max-pages", "400", "--strategy", "breadth"),
        )
    assert finished.code == 0, finished.err
    log = read_log(tmp_path / "log")
    assert impolite(log, 0.05, web.robots) == []
    assert len({access.host for access in log}) > 15
    assert len(stored(tmp_path / "c")) == 400
    assert_consistent(tmp_path / "c")
