"""What does Prometheus see of a crawl, or of a worker? A page of figures on a port that the operator names.

Nothing is computed until somebody asks: then the figures are read in the event loop of the crawl, between two of its turns, and
made into text by the thread that serves the page.
"""

from __future__ import annotations

import asyncio
import concurrent.futures
from collections.abc import AsyncIterator, Callable, Iterable, Iterator, Mapping
from contextlib import asynccontextmanager
from itertools import accumulate
from typing import Generic, TypeVar

from prometheus_client import CollectorRegistry, ProcessCollector, start_http_server
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, HistogramMetricFamily, Metric
from prometheus_client.registry import Collector

from shoal.crawl.metrics import ClusterFigures, CrawlFigures, WorkerNumbers
from shoal.errors import AddressTaken
from shoal.histogram import Distribution
from shoal.model import Reason, State
from shoal.settings import ListenAddress

_Figures = TypeVar("_Figures")
_PATIENCE = 5.0
"""Seconds that a crawl gets to answer; whoever asks while it is busier than that gets what it said last."""

CRAWL = {
    "shoal_pages_total": "Pages fetched, over all runs of the crawl.",
    "shoal_relevant_pages_total": "Pages that the judge found relevant, over all runs.",
    "shoal_harvest_ratio": "Relevant pages among all pages.",
    "shoal_body_bytes_total": "Bytes of all pages and images, over all runs.",
    "shoal_crawl_seconds_total": "Seconds of crawling, over all runs.",
    "shoal_images_total": "Images that came, over all runs.",
    "shoal_failures_total": "Requests of this run that brought nothing, by reason; those that are tried again count too.",
    "shoal_given_up_total": "URLs of this run that were given up.",
    "shoal_internal_errors_total": "Bugs of ours that pages brought to light, over all runs; the crawl's folder has their log.",
    "shoal_retries_total": "URLs of this run that got another chance.",
    "shoal_skipped_total": "URLs of this run that were left out when their turn came.",
    "shoal_urls": "URLs by what became of them, as of the last commit; those being fetched count as waiting.",
    "shoal_extras_waiting": "Images that wait, and pages to look at again.",
    "shoal_hosts": "Hosts with URLs that wait: ready to be asked, or waiting for their clock.",
    "shoal_leases": "Requests under way, robots.txt and images included.",
    "shoal_workers": "Workers on other machines that are alive.",
    "shoal_worker_capacity": "Requests that the workers on other machines can make at once.",
    "shoal_redeliveries_total": "Tasks that the broker gave to a second worker, because it lost the first one.",
    "shoal_expired_leases_total": "Tasks that nobody brought home in time; they are tried again.",
    "shoal_late_results_total": "Results that came after the end of their lease, or of a run that died.",
    "shoal_dead_letters_total": "Tasks that nobody could do, and messages that nobody could read, which were laid aside.",
    "shoal_fetch_seconds": "How long requests took, from sending to the last byte.",
    "shoal_politeness_wait_seconds": "How long a host was left alone after a request, before the next might be made.",
    "shoal_commit_seconds": "How long batches took to be durable.",
}
"""What a crawl exports; each has the label `crawl`."""
WORKER = {
    "shoal_worker_visits_total": "Requests that are over, by what came of them.",
    "shoal_worker_body_bytes_total": "Bytes of all pages and images.",
    "shoal_worker_failures_total": "Requests that brought nothing, by reason.",
    "shoal_worker_tasks": "Tasks that the worker took and has not sent home.",
    "shoal_worker_reconnects_total": "How often the way to the broker was lost and found again.",
    "shoal_worker_fetch_seconds": "How long requests took, from sending to the last byte.",
}
"""What a worker exports; each has the label `worker`."""


# --- the page --------------------------------------------------------------------------------------------------------


@asynccontextmanager
async def serving(address: ListenAddress, collector: Collector) -> AsyncIterator[int]:
    """Meanwhile the figures are on a page at this address, with those of the process; gives the port."""
    registry = CollectorRegistry()
    registry.register(collector)
    ProcessCollector(registry=registry)
    try:
        server, thread = start_http_server(address.port, address.host, registry)
    except OSError as error:
        why = error.strerror or str(error)
        raise AddressTaken(f"Metrics cannot be served at {address.host}:{address.port}: {why.lower()}.") from None
    try:
        yield server.server_port
    finally:
        try:
            # It looks up twice a second whether it shall end: a thread waits for that, and answers who asks meanwhile.
            await asyncio.to_thread(server.shutdown)
            thread.join()
        finally:
            server.server_close()


class _Sample(Generic[_Figures]):
    """Reads figures in the event loop that owns them, for a thread that does not."""

    def __init__(self, read: Callable[[], _Figures]) -> None:
        """To be made in that event loop."""
        self._read = read
        self._loop = asyncio.get_running_loop()
        self._last = read()
        """Replaced by the threads that serve; each of them has a whole one, old or new."""

    def now(self) -> _Figures:
        """The figures of this moment; those of the last time when the crawl is too busy to say."""
        if self._loop.is_closed():  # somebody asked in the very last moment
            return self._last
        answer: concurrent.futures.Future[_Figures] = concurrent.futures.Future()

        def look() -> None:
            try:
                answer.set_result(self._read())
            except BaseException as error:
                answer.set_exception(error)
                raise

        self._loop.call_soon_threadsafe(look)
        try:
            self._last = answer.result(_PATIENCE)
        except TimeoutError:
            return self._last
        return self._last


# --- a crawl ---------------------------------------------------------------------------------------------------------


class CrawlCollector(Collector):
    """The figures of one crawl, for Prometheus. Made in the event loop of the crawl, asked by other threads."""

    def __init__(
        self,
        name: str,
        figures: Callable[[], CrawlFigures],
        *,
        states: Callable[[], Mapping[State, int]],
        cluster: Callable[[], ClusterFigures] = ClusterFigures,
    ) -> None:
        """`states` is asked in the thread that serves; `figures` and `cluster` in the event loop."""
        self._family = _Families(CRAWL, crawl=name)
        self._states = states
        self._reading = _Sample(lambda: (figures(), cluster()))

    def collect(self) -> Iterable[Metric]:
        """One look at everything."""
        figures, cluster = self._reading.now()
        yield from self._crawl(figures)
        yield from self._cluster(cluster)
        yield self._family.histogram("shoal_fetch_seconds", figures.fetches)
        yield self._family.histogram("shoal_politeness_wait_seconds", figures.rests)
        yield self._family.histogram("shoal_commit_seconds", figures.commits)

    def _crawl(self, figures: CrawlFigures) -> Iterator[Metric]:
        now, family = figures.statistics, self._family
        yield family.one("shoal_pages_total", now.pages)
        yield family.one("shoal_relevant_pages_total", now.relevant)
        yield family.one("shoal_harvest_ratio", now.harvest_rate)
        yield family.one("shoal_body_bytes_total", now.bytes)
        yield family.one("shoal_crawl_seconds_total", now.elapsed)
        yield family.one("shoal_images_total", now.images)
        yield family.many("shoal_failures_total", "reason", figures.failures)
        yield family.one("shoal_given_up_total", now.failed)
        yield family.one("shoal_internal_errors_total", now.internal)
        yield family.one("shoal_retries_total", now.retries)
        yield family.one("shoal_skipped_total", now.skipped)
        states = {state.name.lower(): count for state, count in self._states().items()}
        yield family.many("shoal_urls", "state", states)
        yield family.one("shoal_extras_waiting", now.side_tasks)
        yield family.many("shoal_hosts", "state", {"ready": now.hosts_ready, "waiting": now.hosts_waiting})
        yield family.one("shoal_leases", figures.leases)

    def _cluster(self, cluster: ClusterFigures) -> Iterator[Metric]:
        yield self._family.one("shoal_workers", cluster.workers)
        yield self._family.one("shoal_worker_capacity", cluster.capacity)
        yield self._family.one("shoal_redeliveries_total", cluster.redeliveries)
        yield self._family.one("shoal_expired_leases_total", cluster.expired)
        yield self._family.one("shoal_late_results_total", cluster.late)
        yield self._family.one("shoal_dead_letters_total", cluster.dead_letters)


# --- a worker --------------------------------------------------------------------------------------------------------


class WorkerCollector(Collector):
    """The figures of one worker, for Prometheus. Made in the event loop of the worker, asked by other threads."""

    def __init__(self, name: str, numbers: Callable[[], WorkerNumbers]) -> None:
        self._family = _Families(WORKER, worker=name)
        self._reading = _Sample(numbers)

    def collect(self) -> Iterable[Metric]:
        """One look at everything."""
        numbers, family = self._reading.now(), self._family
        yield family.many("shoal_worker_visits_total", "outcome", numbers.visits)
        yield family.one("shoal_worker_body_bytes_total", numbers.bytes)
        yield family.many("shoal_worker_failures_total", "reason", numbers.failures)
        yield family.one("shoal_worker_tasks", numbers.in_hand)
        yield family.one("shoal_worker_reconnects_total", numbers.reconnects)
        yield family.histogram("shoal_worker_fetch_seconds", numbers.fetches)


# --- the words of Prometheus -----------------------------------------------------------------------------------------


class _Families:
    """Makes metrics of figures, all of one owner (`crawl="grid"`), with the help texts of a table."""

    def __init__(self, helps: Mapping[str, str], **owner: str) -> None:
        self._helps = helps
        ((self._label, self._owner),) = owner.items()

    def one(self, name: str, value: float) -> Metric:
        """A figure: a counter when it is called a total, else a gauge."""
        return self._filled(name, [], {(): value})

    def many(self, name: str, label: str, values: Mapping[Reason, int] | Mapping[str, int]) -> Metric:
        """One for each value of a label."""
        return self._filled(name, [label], {(str(word),): value for word, value in values.items()})

    def _filled(self, name: str, labels: list[str], values: Mapping[tuple[str, ...], float]) -> Metric:
        kind = CounterMetricFamily if name.endswith("_total") else GaugeMetricFamily
        family = kind(name, self._helps[name], labels=[self._label, *labels])
        for words, value in values.items():
            family.add_metric([self._owner, *words], value)
        return family

    def histogram(self, name: str, sizes: Distribution) -> Metric:
        family = HistogramMetricFamily(name, self._helps[name], labels=[self._label])
        bounds = [*map(str, sizes.bounds), "+Inf"]
        family.add_metric([self._owner], list(zip(bounds, accumulate(sizes.counts), strict=True)), sizes.total)
        return family
