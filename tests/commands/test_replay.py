"""`shoal replay`: a recording is crawled by a real crawl, looked at by a client, and ended by Ctrl-C."""

from __future__ import annotations

import asyncio
import json
import signal
import socket
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import aiohttp
import pytest

from shoal.testing.webserver import read_log
from tests.evaluate.recording import CHINESE, page, redirect, response, robots, save
from tests.running import Command, Operator, ask
from tests.shell import Shell

pytestmark = pytest.mark.slow

RECORDS = (
    robots("www.grid.test", "User-agent: *\nDisallow: /private\n"),
    redirect("http://www.grid.test/", "https://www.grid.test/"),
    page("https://www.grid.test/", "the power grid", "https://www.grid.test/private", "https://zh.test/", "/missing"),
    page("https://www.grid.test/private", "secret"),
    response("https://zh.test/", CHINESE.encode("gbk")),
    response("https://zh.test/zhan", CHINESE.replace("电网", "变电站").encode("gbk")),
)


@pytest.fixture
def operator(tmp_path: Path) -> Operator:
    save(tmp_path / "web.warc.gz", *RECORDS)
    return Operator(tmp_path)


@asynccontextmanager
async def replaying(operator: Operator, *options: str) -> AsyncIterator[tuple[Command, dict[str, Any]]]:
    """The command under way, and what it said of itself."""
    output = operator.folder("")
    before = set(output.glob("*.out"))
    command = await operator.types("replay", "web.warc.gz", "--json", *options)
    (said,) = set(output.glob("*.out")) - before
    try:
        async with asyncio.timeout(30):
            while not said.read_text().rstrip().endswith("}"):  # noqa: ASYNC110
                await asyncio.sleep(0.02)
        yield command, json.loads(said.read_text())
    finally:
        await command.kill()


async def test_a_real_crawl_goes_through_it(operator: Operator) -> None:
    async with replaying(operator, "--log", "access.jsonl", "--latency", "0.01") as (command, served):
        assert (served["pages"], served["hosts"]) == (4, 2)
        assert served["start"] == ["http://www.grid.test/", "http://zh.test/"]
        crawl = await operator.runs(
            *("crawl", "--topic", "grid, 电网, 变电站", "--seed", served["start"][0]),
            *("--dir", "c", "--proxy", served["proxy"], "--delay", "0", "--quiet"),
        )
        assert (crawl.code, crawl.err) == (0, "")
        command.signal(signal.SIGINT)
        assert (await command.end()).code == 0
    titles = dict(ask(operator.folder("c"), "SELECT url, title FROM pages JOIN urls USING (id)"))
    assert titles == {
        "http://www.grid.test/": "the power grid",
        "http://zh.test/": "电网",
        "http://zh.test/zhan": "变电站",
    }
    asked = {(access.host, access.path): access.status for access in read_log(operator.folder("access.jsonl"))}
    assert asked[("www.grid.test", "/missing")] == 404
    assert ("www.grid.test", "/private") not in asked
    assert all(access.ended - access.started >= 0.009 for access in read_log(operator.folder("access.jsonl")))


async def test_a_browser_sees_what_is_there_and_why_there_is_no_tls(operator: Operator) -> None:
    async with replaying(operator) as (_, served), aiohttp.ClientSession() as browser:
        async with browser.get(served["proxy"]) as index:
            assert "<h2>zh.test</h2>" in await index.text()
        async with browser.get("http://zh.test/", proxy=served["proxy"]) as chinese:
            assert (await chinese.read()).decode("gbk") == CHINESE
        reader, writer = await asyncio.open_connection("127.0.0.1", int(served["proxy"].rpartition(":")[2]))
        writer.write(b"CONNECT zh.test:443 HTTP/1.1\r\nHost: zh.test:443\r\n\r\n")
        refused = (await reader.read()).decode()
        writer.close()
        assert refused.startswith("HTTP/1.1 501 Not Implemented\r\n")
        assert refused.endswith(
            "There is no TLS here: ask for http:// instead of https://, and you get the same pages."
        )


async def test_a_person_is_told_how_to_use_it(operator: Operator) -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    command = await operator.types("replay", "web.warc.gz", "--port", str(port))
    try:
        async with asyncio.timeout(30), aiohttp.ClientSession() as client:
            while True:
                try:
                    async with client.get(f"http://127.0.0.1:{port}/"):
                        break
                except aiohttp.ClientConnectionError:
                    await asyncio.sleep(0.02)
        command.signal(signal.SIGTERM)
        finished = await command.end()
    finally:
        await command.kill()
    assert (finished.code, finished.err) == (0, "")
    proxy = f"http://127.0.0.1:{port}"
    assert finished.out.startswith(f"4 pages of 2 hosts at {proxy}; Ctrl-C ends it.\n")
    assert f"shoal crawl --topic WORDS --proxy {proxy} --delay 0 --seed http://www.grid.test/\n" in finished.out


def test_mistakes_are_one_sentence(operator: Operator, shoal: Shell) -> None:
    for arguments, why in (
        (("no.warc",), "shoal: no.warc: there is no such file."),
        (("web.warc.gz", "--log", "no/such/folder.jsonl"), "no/such/folder.jsonl cannot be written: No such file"),
        (("web.warc.gz", "--port", "70000"), "70000 is not in the range"),
    ):
        said = shoal("replay", *arguments)
        assert why in f"shoal: {said.sentence()}"
        assert said.code == 2


def test_a_port_that_is_taken(operator: Operator, shoal: Shell) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        said = shoal("replay", "web.warc.gz", "--port", str(port))
    assert said.code == 2
    assert said.sentence() == f"Port {port} of 127.0.0.1 cannot be used: choose another --port, or none."
