"""Whatever dies, the crawl ends with the same pages, each once, and no host is asked too early; nobody has to lend a hand.

Real RabbitMQ, real PostgreSQL, and all else in processes of its own. `asked_again` counts pages that were fetched a second time:
what was under way when somebody died may be, nothing else.
"""

from __future__ import annotations

import asyncio
import signal
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from shoal.settings import Cluster
from shoal.testing.servers import PostgreSQL, RabbitMQ
from tests.cluster.field import CONCURRENCY, Field, small_web
from tests.cluster.namespace import Namespace, is_allowed
from tests.running import Operator, stored
from tests.test_kill import undisturbed

pytestmark = pytest.mark.slow
Pages = set[tuple[str, str, bytes]]


@pytest.fixture(scope="module")
def expected(tmp_path_factory: pytest.TempPathFactory) -> Pages:
    """The pages of a crawl of the same web that nobody disturbs, in one process."""
    return asyncio.run(undisturbed(Operator(tmp_path_factory.mktemp("undisturbed")), small_web()))


@pytest.fixture
async def field(tmp_path: Path, postgres: str, rabbitmq: str) -> AsyncIterator[Field]:
    """Three workers, and a crawl that can begin."""
    async with Field(tmp_path, Cluster(database=postgres, broker=rabbitmq)) as field:
        await field.hires(3)
        yield field


async def test_three_workers_bring_home_the_same_pages_as_one_process(field: Field, expected: Pages) -> None:
    crawl = await field.coordinates()
    said = await field.ends(crawl)
    assert [line for line in said.splitlines() if "worker" not in line.lower()] == []  # they may take a while to start
    field.assert_all_is_there_once(expected)
    assert field.asked_again() == 0


async def test_a_worker_is_killed_in_the_middle_of_a_request(field: Field, expected: Pages) -> None:
    crawl = await field.coordinates()
    for victim in (0, 1):
        await field.until(crawl, 40)
        await field.workers[victim].kill()
        await field.hires()
    await field.ends(crawl)
    field.assert_all_is_there_once(expected)
    assert field.asked_again() <= 2 * CONCURRENCY


async def test_the_coordinator_is_killed(field: Field, expected: Pages) -> None:
    crawl = await field.coordinates()
    for _ in range(3):
        await field.until(crawl, 30)
        await crawl.kill()
        crawl = await field.coordinates()
    await field.ends(crawl)
    field.assert_all_is_there_once(expected)
    # Results that the dead one had not on the disk come again; only a page it had just found is not known any more.
    assert field.asked_again() <= 3 * 2


async def test_the_broker_is_restarted(field: Field, expected: Pages, rabbitmq_server: RabbitMQ) -> None:
    crawl = await field.coordinates()
    await field.until(crawl, 40)
    await asyncio.to_thread(rabbitmq_server.restart)
    await field.until(crawl, 20)
    await asyncio.to_thread(rabbitmq_server.kill)
    await asyncio.to_thread(rabbitmq_server.start)
    said = await field.ends(crawl)
    assert said.count("is away") == said.count("is back") == 2
    field.assert_all_is_there_once(expected)
    assert field.asked_again() == 0


async def test_the_database_is_restarted(field: Field, expected: Pages, postgres_server: PostgreSQL) -> None:
    crawl = await field.coordinates()
    await field.until(crawl, 40)
    await asyncio.to_thread(postgres_server.restart)
    await field.until(crawl, 20)
    await asyncio.to_thread(postgres_server.kill)
    await asyncio.sleep(1.0)  # in which the crawl has to do without
    await asyncio.to_thread(postgres_server.start)
    said = await field.ends(crawl)
    assert said.count("cannot be reached") == said.count("is back") == 2, said
    field.assert_all_is_there_once(expected)
    assert field.asked_again() == 0


async def test_a_worker_sleeps_longer_than_its_leases_and_comes_back_late(field: Field, expected: Pages) -> None:
    crawl = await field.coordinates()
    await field.until(crawl, 40)
    sleeper = field.workers[0]
    sleeper.signal(signal.SIGSTOP)
    assert await crawl.lives_until(asyncio.sleep(13.0)), "the leases of the sleeper end before the crawl does"
    sleeper.signal(signal.SIGCONT)
    await field.ends(crawl)
    field.assert_all_is_there_once(expected)
    assert sleeper.process.returncode is None
    assert field.asked_again() <= 2 * CONCURRENCY


async def test_another_coordinator_takes_over(field: Field, expected: Pages) -> None:
    crawl = await field.coordinates()
    await field.until(crawl, 30)
    standby = await field.coordinates("--standby")
    await field.until(crawl, 30)
    assert standby.process.returncode is None
    await crawl.kill()
    await field.ends(standby)
    field.assert_all_is_there_once(expected)


async def test_all_workers_go_home_and_others_come(field: Field, expected: Pages) -> None:
    crawl = await field.coordinates()
    await field.until(crawl, 40)
    for worker in field.workers:
        worker.signal(signal.SIGTERM)
    for worker in field.workers:
        finished = await worker.end()
        assert finished.code == 0, finished.err
    await field.hires(2)
    await field.ends(crawl)
    field.assert_all_is_there_once(expected)
    assert field.asked_again() == 0


async def test_two_crawls_of_the_same_hosts_share_their_clocks(field: Field, expected: Pages, tmp_path: Path) -> None:
    field.operator.prepares("d", field.settings(), field.cluster)
    one, other = await field.coordinates(), await field.operator.types("resume", "--dir", "d", "--quiet")
    await field.ends(one)
    await field.ends(other)
    field.assert_all_is_there_once(expected)
    assert stored(tmp_path / "d") == expected


async def test_the_network_of_a_worker_is_cut(
    tmp_path: Path, postgres: str, rabbitmq: str, rabbitmq_server: RabbitMQ, expected: Pages
) -> None:
    if not is_allowed():
        pytest.fail("This test cuts a worker off in a network namespace, so it must run as root, with CAP_NET_ADMIN.")
    async with Field(tmp_path, Cluster(database=postgres, broker=rabbitmq)) as field:
        async with Namespace([rabbitmq_server.port, field.server.port]) as apart:
            await field.hires(prefix=apart.prefix, heartbeat=2)
            crawl = await field.coordinates()
            await field.until(crawl, 20)
            await apart.pull()
            await field.hires(2)
            assert await crawl.lives_until(asyncio.sleep(12.0)), "its leases end before the crawl does"
            await apart.plug()
            await field.ends(crawl)
            assert field.workers[0].process.returncode is None
            await field.workers[0].kill()
        field.assert_all_is_there_once(expected)
        assert field.asked_again() <= 2 * CONCURRENCY
