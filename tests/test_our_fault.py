"""A bug that a page brings to light: the crawl ends well, and says so in its last lines, its status, its log and its metrics."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest
from msgspec.structs import replace

from shoal import services
from shoal.commands.crawl import outcome
from shoal.commands.status import show_status
from shoal.crawl import readers
from shoal.crawl.coordinator import Coordinator
from shoal.crawl.prometheus import CrawlCollector
from shoal.crawl.termination import Ending
from shoal.installation.location import Installation
from shoal.model import Page, Reason, Response, State
from shoal.parse.parser import HtmlParser
from shoal.store.ownership import LOG
from shoal.testing.webserver import WebServer
from shoal.topic.topic_file import topic_from_words
from tests.running import assert_consistent, fates
from tests.small_web import HOME, SmallWeb


async def _crawl(folder: Path) -> tuple[Ending, Coordinator]:
    seen: list[Coordinator] = []

    async def watch(coordinator: Coordinator) -> None:
        seen.append(coordinator)

    async with WebServer(SmallWeb([5, 4, 3, 2])) as server:
        options = {"proxy": server.proxy, "delay": 0.0}
        settings = topic_from_words("grid", (HOME,), names=services.choices.names(), options=options, environ={})
        services.crawls.start_crawl(folder, replace(settings, index=False))
        return await services.run.run_crawl(folder, Installation(home=folder.parent), watch), seen[0]


@pytest.mark.slow
def test_a_bug_is_neither_hidden_nor_fatal(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    works = HtmlParser.parse
    bad: list[str] = []

    def parse(self: HtmlParser, response: Response) -> Page | None:
        if response.url.count("/") > 2 and response.url != HOME and len(bad) < 3:
            bad.append(response.url)
            raise ValueError("node has no parent")
        return works(self, response)

    folder = tmp_path / "grid"
    monkeypatch.setattr(HtmlParser, "parse", parse)
    monkeypatch.setattr(readers, "_warm_up", lambda reader: None)
    ending, coordinator = asyncio.run(_crawl(folder))
    assert ending is Ending.NOTHING_LEFT
    assert_consistent(folder)
    assert {url for url, fate in fates(folder).items() if fate == (State.FAILED, Reason.INTERNAL)} == set(bad)
    log = (folder / LOG).read_text(encoding="utf-8")
    assert log.count("Traceback") == 1, "once for each place"
    assert all(f"{url}: " in log for url in bad)
    status = services.status.crawl_status(folder)
    assert status.internal_errors == coordinator.statistics().internal == 3
    sentence = f"3 pages could not be understood: this is our fault, see {folder / LOG}"
    assert sentence in outcome(folder, ending, status)
    show_status(folder, status)
    assert sentence in capsys.readouterr().out


@pytest.mark.slow
async def test_prometheus_hears_of_it(tmp_path: Path) -> None:
    _, coordinator = await _crawl(tmp_path / "grid")
    coordinator._internal_errors.note_elsewhere(ValueError("x"), "http://a.test/", 1.0)
    figures = CrawlCollector("c", coordinator.figures, states=dict)
    found = {metric.name: metric for metric in await asyncio.to_thread(lambda: list(figures.collect()))}
    assert found["shoal_internal_errors"].samples[0].value == 1.0
