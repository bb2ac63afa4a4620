"""Whoever is killed while a database is made or brought up to date has done nothing, and who comes second has nothing to do."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from shoal.settings import Cluster

ROOT = Path(__file__).parents[2]


def run(how: str, what: str, folder: Path, cluster: Cluster) -> int:
    command = [sys.executable, "-m", "tests.installation.processes", how, what, str(folder), cluster.database]
    done = subprocess.run(command, capture_output=True, text=True, cwd=ROOT, check=False)
    assert done.returncode == 0, done.stderr
    return int(done.stdout)


@pytest.mark.slow
@pytest.mark.parametrize("what", ["older", "new"])
def test_who_is_killed_at_any_step_loses_nothing(tmp_path: Path, cluster: Cluster, what: str) -> None:
    assert run("killed", what, tmp_path, cluster) > 20, "there were that many steps"


@pytest.mark.slow
@pytest.mark.parametrize("what", ["older", "new"])
def test_several_processes_that_start_at_once_do_it_once(tmp_path: Path, cluster: Cluster, what: str) -> None:
    assert run("together", what, tmp_path, cluster) > 1
