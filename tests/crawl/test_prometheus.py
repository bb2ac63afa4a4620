"""Does Prometheus see what `shoal status` says? Real scrapes of real crawls, read with Prometheus's own parser."""

from __future__ import annotations

import asyncio
import re
import socket
import urllib.error
import urllib.request
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import pytest
from msgspec.structs import replace
from prometheus_client.metrics_core import Metric
from prometheus_client.parser import text_string_to_metric_families

from shoal import services
from shoal.crawl import prometheus
from shoal.crawl.coordinator import Coordinator
from shoal.crawl.metrics import ClusterFigures, WorkerFigures
from shoal.installation.location import Installation
from shoal.model import Failure, Missed, Reason, Response, Seen, State, Task, Timing
from shoal.settings import ListenAddress
from shoal.store import crawl_folder as folders
from shoal.store import crawl_status
from shoal.store.crawl_status import Status
from shoal.store.packed_page import pack
from shoal.testing.daemons import free_port
from shoal.testing.webserver import WebServer
from shoal.topic.topic_file import topic_from_words
from tests.running import Operator
from tests.small_web import HOME, SmallWeb

Figures = dict[str, float]
"""A value by its name and labels: `shoal_urls{crawl="c",state="done"}`."""


async def scrape(port: int) -> str:
    return await asyncio.to_thread(_get, f"http://127.0.0.1:{port}/metrics")


def _get(url: str) -> str:
    with urllib.request.urlopen(url, timeout=10) as answer:
        text: str = answer.read().decode()
    return text


def families(text: str) -> list[Metric]:
    return list(text_string_to_metric_families(text))


def figures(text: str) -> Figures:
    samples = [sample for family in families(text) for sample in family.samples]
    return {f"{sample.name}{_labels(sample.labels)}": sample.value for sample in samples}


def _labels(labels: dict[str, str]) -> str:
    return "".join(f" {name}={value}" for name, value in labels.items() if name not in ("crawl", "worker"))


# --- a crawl ---------------------------------------------------------------------------------------------------------


CLUSTER = ClusterFigures(workers=3, redeliveries=2, dead_letters=1)


@dataclass(frozen=True)
class Scraped:
    """What a small crawl showed when it was over, and what it left."""

    text: str
    status: Status


@pytest.fixture(scope="module")
def scraped(tmp_path_factory: pytest.TempPathFactory) -> Scraped:
    return asyncio.run(_crawled(tmp_path_factory.mktemp("metrics") / "c"))


async def _crawled(folder: Path) -> Scraped:
    seen: list[Coordinator] = []

    async def watch(coordinator: Coordinator) -> None:
        seen.append(coordinator)

    web = SmallWeb([5, 4, 3, 2])
    web.busy(1, first=3)
    async with WebServer(web) as server:
        options = {"proxy": server.proxy, "delay": 0.0}
        settings = topic_from_words("grid", (HOME,), names=services.choices.names(), options=options, environ={})
        politeness = replace(settings.politeness, backoff_first=0.05)
        services.crawls.start_crawl(folder, replace(settings, politeness=politeness, index=False))
        await services.run.run_crawl(folder, Installation(home=folder.parent), watch)
    states = partial(_stored_states, folder)
    collector = prometheus.CrawlCollector("c", seen[0].figures, states=states, cluster=lambda: CLUSTER)
    async with prometheus.serving(ListenAddress(port=0), collector) as port:
        return Scraped(text=await scrape(port), status=services.status.crawl_status(folder))


def _stored_states(folder: Path) -> dict[State, int]:
    with folders.reading(folder) as database:
        return crawl_status.per_state(database)


@pytest.mark.slow
def test_a_scrape_says_the_same_as_status(scraped: Scraped) -> None:
    now, status = figures(scraped.text), scraped.status
    assert status.pages > 14
    assert now["shoal_pages_total"] == status.pages
    assert now["shoal_relevant_pages_total"] == status.relevant
    assert now["shoal_harvest_ratio"] == status.harvest_rate
    assert now["shoal_body_bytes_total"] == status.bytes
    counted = {"waiting": 0, "done": status.done, "failed": status.failed, "skipped": status.skipped}
    assert {state: now[f"shoal_urls state={state}"] for state in counted} == counted
    given_up = {failure.reason: failure.count for failure in status.failures if failure.reason != Reason.REDIRECT_LOOP}
    assert now["shoal_given_up_total"] == sum(given_up.values()) > 0, "of a loop no request fails"
    assert now["shoal_retries_total"] > 0, "one host is busy at first"
    assert now["shoal_failures_total reason=status"] == given_up[Reason.STATUS] + now["shoal_retries_total"]
    assert now["shoal_commit_seconds_count"] > 0
    assert now["shoal_leases"] == 0


@pytest.mark.slow
def test_what_happens_on_other_machines_is_asked_for(scraped: Scraped) -> None:
    now = figures(scraped.text)
    assert (now["shoal_workers"], now["shoal_redeliveries_total"], now["shoal_dead_letters_total"]) == (3, 2, 1)


@pytest.mark.slow
def test_every_metric_of_a_crawl_has_its_name_help_and_label(scraped: Scraped) -> None:
    ours = {family.name: family for family in families(scraped.text) if family.name.startswith("shoal_")}
    told = {name.removesuffix("_total"): text for name, text in prometheus.CRAWL.items()}
    assert {name: family.documentation for name, family in ours.items()} == told
    assert {sample.labels["crawl"] for family in ours.values() for sample in family.samples} == {"c"}


async def test_who_asks_while_the_crawl_is_busy_gets_the_last_figures(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(prometheus, "_PATIENCE", 0.05)
    numbers = WorkerFigures()
    collector = prometheus.WorkerCollector("w", numbers.snapshot)
    numbers.reconnects += 1
    with ThreadPoolExecutor(1) as thread:
        # The event loop does not turn while this waits.
        said = thread.submit(lambda: list(collector.collect())).result(10)
    assert {family.name: family.samples[0].value for family in said if family.samples}["shoal_worker_reconnects"] == 0


@pytest.mark.slow
async def test_a_crawl_under_way_shows_its_figures(tmp_path: Path) -> None:
    web = SmallWeb([6] * 4)
    for host in range(4):
        web.slow(host, 0.05)
    operator, port = Operator(tmp_path), free_port()
    async with WebServer(web) as server:
        command = ("crawl", "--topic", "grid", "--seed", HOME, "--proxy", server.proxy, "--dir", "c", "--delay", "0.1")
        crawl = await operator.types(*command, "--metrics", str(port))
        assert await crawl.lives_until(web.gets(20))
        text = await scrape(port)
        assert (await crawl.end()).code == 0
    now = figures(text)
    assert 0 < now["shoal_pages_total"] < 24
    assert now["shoal_fetch_seconds_count"] >= now["shoal_pages_total"]
    assert now["shoal_fetch_seconds_bucket le=0.025"] < now["shoal_fetch_seconds_count"], "pages take 50 ms here"
    assert now["shoal_politeness_wait_seconds_sum"] > 0.5
    assert now["shoal_urls state=waiting"] > 0
    assert now["process_cpu_seconds_total"] > 0
    with pytest.raises(urllib.error.URLError):
        await scrape(port)


@pytest.mark.slow
async def test_a_port_that_is_taken_is_one_sentence_and_leaves_no_folder(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as other:
        port = str(other.getsockname()[1])
        options = ("--topic", "grid", "--seed", HOME, "--dir", "c", "--metrics", port)
        finished = await Operator(tmp_path).runs("crawl", *options)
    assert finished.code == 2
    assert f"Metrics cannot be served at 127.0.0.1:{port}: address already in use." in finished.err
    assert not (tmp_path / "c").exists()


def test_every_metric_is_documented_with_its_labels() -> None:
    text = (Path(__file__).parent.parent.parent / "docs" / "operating.md").read_text(encoding="utf-8")
    told = set(re.findall(r"^\| `(shoal_\w+)` \|", text, re.MULTILINE))
    assert told == prometheus.CRAWL.keys() | prometheus.WORKER.keys()


# --- a worker --------------------------------------------------------------------------------------------------------


WHEN = Timing(started=10.0, answered=10.5, ended=12.0)
TASK = Task(id=1, url="http://a.test/", host="a.test")


@pytest.mark.slow
async def test_a_worker_shows_its_figures() -> None:
    numbers = WorkerFigures()
    numbers.in_hand += 3
    seen = Response(url=TASK.url, status=200, headers=(), body=b"12345", timing=WHEN)
    numbers.visited(Seen(task=TASK, response=seen, packed=pack(seen, None)))
    numbers.in_hand -= 1
    numbers.visited(Missed(task=TASK, failure=Failure(url=TASK.url, reason=Reason.DNS, timing=WHEN)))
    numbers.in_hand -= 1
    numbers.reconnects += 1
    async with prometheus.serving(ListenAddress(port=0), prometheus.WorkerCollector("w1", numbers.snapshot)) as port:
        text = await scrape(port)
    now = figures(text)
    assert now["shoal_worker_visits_total outcome=page"] == 1
    assert now["shoal_worker_visits_total outcome=missed"] == 1
    assert now["shoal_worker_failures_total reason=dns"] == 1
    assert now["shoal_worker_body_bytes_total"] == 5
    assert now["shoal_worker_tasks"] == 1
    assert now["shoal_worker_reconnects_total"] == 1
    assert now["shoal_worker_fetch_seconds_bucket le=2.5"] == 2
    assert now["shoal_worker_fetch_seconds_bucket le=1.0"] == 0
    assert now["shoal_worker_fetch_seconds_sum"] == 4.0
    assert {f"{family.name}_total" for family in families(text)} >= {
        name for name in prometheus.WORKER if "total" in name
    }
