"""Who works for a crawl on other machines? What the last commit noted, also when the broker cannot be asked."""

from __future__ import annotations

import asyncio
import time
from pathlib import Path

from shoal.cluster.worker_registry import SILENCE
from shoal.model.stored import Changes, WorkerRecord
from shoal.services.cluster_status import attendance
from shoal.settings import Cluster, Settings
from shoal.store import crawl_folder as folders
from shoal.store.crawl_store import open_store
from tests.crawl.simulated import SEED, TOPIC

SETTINGS = Settings(topic=TOPIC, seeds=(SEED,))


def worker(name: str, *, heard_at: float, state: str = "working") -> WorkerRecord:
    return WorkerRecord(
        name=name,
        state=state,
        shoal="0",
        capacity=8,
        busy=1,
        visits=2,
        failures=0,
        bytes=3,
        rate=0.5,
        heard_at=heard_at,
    )


def test_a_crawl_without_a_broker_has_no_cluster(tmp_path: Path) -> None:
    folders.create(tmp_path / "alone", SETTINGS)
    assert asyncio.run(attendance(tmp_path / "alone")) is None


def test_a_broker_that_is_not_there_is_said_and_the_rest_is_shown(tmp_path: Path) -> None:
    folders.create(tmp_path / "c", SETTINGS, cluster=Cluster(broker="amqp://u:secret@127.0.0.1:1/"))
    found = asyncio.run(attendance(tmp_path / "c"))
    assert found is not None
    assert "cannot be reached" in found.problem
    assert "secret" not in found.problem + found.broker


async def _commit(folder: Path, *workers: WorkerRecord) -> None:
    with open_store(folder) as store:
        await store.commit(Changes(workers=workers))


def test_who_was_not_heard_for_long_is_silent_and_adds_nothing_to_the_rate(tmp_path: Path) -> None:
    folders.create(tmp_path / "c", SETTINGS, cluster=Cluster(broker="amqp://u:secret@127.0.0.1:1/"))
    long_ago = time.time() - SILENCE - 1
    noted = (
        worker("here", heard_at=time.time()),
        worker("gone", heard_at=long_ago),
        worker("refused", heard_at=long_ago, state="refused"),
    )
    asyncio.run(_commit(tmp_path / "c", *noted))
    found = asyncio.run(attendance(tmp_path / "c"))
    assert found is not None
    assert {one.name: one.state for one in found.workers} == {"here": "working", "gone": "silent", "refused": "refused"}
    assert found.rate == sum(one.rate for one in found.workers) == 1.0
