"""What does a worker do with a crawl that its machine cannot work for? Its tasks go back, and the others go on."""

from __future__ import annotations

import logging
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from shoal.cluster import worker_service
from shoal.cluster.worker_service import SkilledWorkerBroker, Visitors
from shoal.crawl.termination import Ending
from shoal.crawl.worker import PageVisitor, work_together
from shoal.errors import InputError
from shoal.settings import Settings
from tests.cluster.scene import WEB, Scene, play
from tests.running import assert_consistent, stored


class Machine:
    """What can be opened here, after some attempts that fail."""

    def __init__(self, scene: Scene, failures: int, error: Exception) -> None:
        self._scene = scene
        self._failures = failures
        self._error = error
        self.attempts = 0

    @asynccontextmanager
    async def open_visitor(self, settings: Settings) -> AsyncIterator[PageVisitor]:
        self.attempts += 1
        if self.attempts <= self._failures:
            raise self._error
        yield self._scene.visitor


@pytest.mark.parametrize(
    "error", [InputError("There is no file with word vectors."), KeyError("a judge"), RecursionError()], ids=repr
)
def test_a_crawl_that_cannot_be_worked_for_is_given_back_and_tried_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture, error: Exception
) -> None:
    async def act(scene: Scene) -> Ending:
        machine = Machine(scene, 2, error)
        monkeypatch.setattr(worker_service, "open_visitor", machine.open_visitor)
        async with scene.worker() as hand:
            scene.running.add_done_callback(lambda _: hand.leave())
            visitors = Visitors(hand, scene.simulation.clock)
            began = scene.simulation.now
            await work_together(SkilledWorkerBroker(hand, visitors), visitors, 4)
            await visitors.close()
            assert scene.simulation.now - began > 60, "it is not tried again and again at once"
            assert machine.attempts == 3
            assert hand.busy == 0
        assert scene.dead == []
        return await scene.running

    with caplog.at_level(logging.WARNING):
        assert play(tmp_path / "c", act) is Ending.NOTHING_LEFT
    assert {url for url, _, _ in stored(tmp_path / "c")} == set(WEB)
    assert_consistent(tmp_path / "c")
    told = [record for record in caplog.records if record.name == "shoal.cluster.dispatch"]
    (said,) = [record.getMessage() for record in told if "cannot work" in record.getMessage()]
    assert said.startswith("The worker w cannot work for this crawl: ")
    assert caplog.text.count("This worker cannot work for the crawl c.") == 1
