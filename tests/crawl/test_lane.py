"""What is asked of hosts? Every kind of task has a lane of its own."""

from __future__ import annotations

from pathlib import Path
from typing import get_args

from shoal.crawl.coordinator import Coordinator
from shoal.crawl.termination import Ending
from shoal.model import TaskKind
from tests.crawl.simulated import SEED, Simulation, page


def test_every_kind_of_task_has_a_lane(tmp_path: Path) -> None:
    async def all_of_them(coordinator: Coordinator) -> Ending:
        lanes = coordinator._lanes
        assert {id(lanes[kind]) for kind in get_args(TaskKind)} == {id(lane) for lane in lanes}
        return Ending.NOTHING_LEFT

    Simulation(tmp_path, {SEED: page()}).play(all_of_them)
