"""What holds for all tests."""

import os
import signal
from collections.abc import Iterator
from pathlib import Path
from types import FrameType

import pytest
from hypothesis import settings

from shoal.crawl import time_slices
from shoal.settings import Cluster
from shoal.testing.servers import PostgreSQL, RabbitMQ

# Machines are shared and noisy: how long an example takes says nothing.
settings.register_profile("shoal", deadline=None)
settings.load_profile("shoal")


def pytest_sessionstart() -> None:
    """A shell lets what it starts in the background ignore Ctrl-C, and so would all that the tests start and interrupt."""
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)


def pytest_configure(config: pytest.Config) -> None:
    """Whoever measures coverage has a lock, which would stay locked for ever if an alarm rang while it is taken."""
    if not config.pluginmanager.hasplugin("_cov"):
        return
    ring = time_slices._Bell._ring

    def ring_elsewhere(bell: time_slices._Bell, number: int, frame: FrameType | None) -> None:
        if frame is None or "coverage" not in frame.f_code.co_filename:  # it rings again in a moment
            ring(bell, number, frame)

    time_slices._Bell._ring = ring_elsewhere  # type: ignore[assignment, method-assign]


@pytest.hookimpl(tryfirst=True)  # before those whose mark was not asked for are left out
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """What needs a real server is slow: it has to be started.

    A test that measures CPU time says so itself (`no_cover`): what it measured would be the watching of its lines.
    """
    for item in items:
        if _needs_a_server(item):
            item.add_marker("slow")


def _needs_a_server(item: pytest.Item) -> bool:
    fixtures, case = getattr(item, "fixturenames", ()), getattr(item, "callspec", None)
    return bool({"postgres", "rabbitmq"} & {*fixtures}) or (case is not None and "postgresql" in case.params.values())


@pytest.fixture(autouse=True)
def own_ledger(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """Each test has its own clocks of hosts: the ports of loopback servers come again."""
    folder = tmp_path_factory.mktemp("state")
    before = os.environ.get("SHOAL_HOME")
    os.environ["SHOAL_HOME"] = str(folder)
    yield folder
    if before is None:
        del os.environ["SHOAL_HOME"]
    else:
        os.environ["SHOAL_HOME"] = before


@pytest.fixture(scope="session")
def postgres_server() -> Iterator[PostgreSQL]:
    """One server for all tests of this process, started by the first that asks."""
    with PostgreSQL() as server:
        yield server


@pytest.fixture(scope="session")
def rabbitmq_server() -> Iterator[RabbitMQ]:
    """One server for all tests of this process, started by the first that asks."""
    with RabbitMQ() as server:
        yield server


@pytest.fixture(scope="session")
def spare_databases() -> list[str]:
    """Databases of tests that are over."""
    return []


@pytest.fixture
def postgres(postgres_server: PostgreSQL, spare_databases: list[str]) -> Iterator[str]:
    """The URL of an empty database of a real PostgreSQL."""
    if not postgres_server.is_running:  # the test before has killed it
        postgres_server.start()
    url = spare_databases.pop() if spare_databases else postgres_server.create_database()
    yield url
    if postgres_server.is_running:
        postgres_server.empty_database(url)
        spare_databases.append(url)


@pytest.fixture(params=["sqlite", "postgresql"])
def cluster(request: pytest.FixtureRequest) -> Cluster:
    """Where a crawl is kept; a test that asks for it runs for each place."""
    return Cluster(database=request.getfixturevalue("postgres") if request.param == "postgresql" else "")


@pytest.fixture
def rabbitmq(rabbitmq_server: RabbitMQ) -> Iterator[str]:
    """The URL of an empty virtual host of a real RabbitMQ."""
    if not rabbitmq_server.is_running:  # the test before has killed it
        rabbitmq_server.start()
    url = rabbitmq_server.create_vhost()
    yield url
    if rabbitmq_server.is_running:
        rabbitmq_server.delete_vhost(url)
