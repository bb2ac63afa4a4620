"""How does a test run a whole cluster? A coordinator and workers as real processes, real servers, and a small web with an end."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Self

from shoal.model import State, Term, Topic
from shoal.settings import Cluster, Fetching, Politeness, Settings
from shoal.testing.webserver import WebServer
from tests.running import Command, Operator, ask, assert_consistent, impolite, stored
from tests.small_web import HOME, SmallWeb

DELAY = 0.1
TOTAL_TIMEOUT = 6.0
"""Seconds; so a lease lasts ten."""
CONCURRENCY = 4
RULES = "User-agent: *\nDisallow: /private/\n"
TOPIC = Topic(name="grid", terms=(Term(text="grid"), Term(text="电网")))


def small_web(pages: int = 12) -> SmallWeb:
    """Ten hosts, all of them slow enough that somebody is always asking."""
    sizes = (pages,) * 10
    web = SmallWeb(sizes, robots=dict.fromkeys(range(len(sizes)), RULES) | {1: RULES + "Crawl-delay: 0.5\n"})
    for host in range(len(sizes)):
        web.slow(host, 0.15)
    web.busy(3, 2)
    return web


class Field:
    """One crawl, its workers, and all that they leave."""

    def __init__(self, home: Path, cluster: Cluster, web: SmallWeb | None = None) -> None:
        self.operator = Operator(home)
        self.cluster = cluster
        self.web = web or small_web()
        self.server = WebServer(self.web)
        self.folder = self.operator.folder("c")
        self.workers: list[Command] = []
        self._others: list[Command] = []

    async def __aenter__(self) -> Self:
        await self.server.__aenter__()
        self.operator.prepares("c", self.settings(), self.cluster)
        return self

    async def __aexit__(self, *error: object) -> None:
        for command in (*self.workers, *self._others):
            await command.kill()
        await self.server.__aexit__(None, None, None)

    def settings(self) -> Settings:
        fetching = Fetching(proxy=self.server.proxy, total_timeout=TOTAL_TIMEOUT, concurrency=CONCURRENCY)
        return Settings(
            topic=TOPIC, seeds=(HOME,), strategy="best-first", politeness=Politeness(delay=DELAY), fetching=fetching
        )

    async def hires(self, count: int = 1, *, prefix: Sequence[str] = (), heartbeat: int = 0) -> None:
        """More workers; those in a network of their own have a prefix."""
        url = self.cluster.broker + (f"?heartbeat={heartbeat}" if heartbeat else "")
        for _ in range(count):
            options = ("--broker", url, "--concurrency", str(CONCURRENCY), "--name", f"w{len(self.workers)}")
            self.workers.append(await self.operator.types("worker", *options, prefix=prefix))

    async def coordinates(self, *options: str) -> Command:
        """Somebody goes on with the crawl."""
        command = await self.operator.types("resume", "--dir", "c", "--quiet", *options)
        self._others.append(command)
        return command

    async def until(self, crawl: Command, requests: int) -> None:
        """Let the crawl go on for so many requests; the last one has just come, and its answer takes a while."""
        assert await crawl.lives_until(self.web.gets(requests)), (await crawl.end()).err

    async def ends(self, crawl: Command) -> str:
        """The crawl is over by itself; answers what it complained about."""
        async with asyncio.timeout(600):
            finished = await crawl.end()
        assert finished.code == 0, finished.err
        return finished.err

    def assert_all_is_there_once(self, expected: set[tuple[str, str, bytes]]) -> None:
        """Every page is stored exactly once, nothing waits, and no host has anything to complain about."""
        assert stored(self.folder) == expected
        assert_consistent(self.folder)
        assert ask(self.folder, f"SELECT url FROM urls WHERE state = {State.WAITING:d}") == []
        assert impolite(self.server.log, DELAY, self.web.robots) == []

    def asked_again(self) -> int:
        """How many requests for pages were made that had been answered with a page before."""
        asked = Counter((access.host, access.path) for access in self.server.log if access.status == 200)
        return sum(times - 1 for (_, path), times in asked.items() if path != "/robots.txt")
