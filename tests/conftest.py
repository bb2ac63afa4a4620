"""What holds for all tests."""

import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import settings

# Machines are shared and noisy: how long an example takes says nothing.
settings.register_profile("shoal", deadline=None)
settings.load_profile("shoal")


@pytest.fixture(autouse=True)
def own_ledger(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """Each test has its own clocks of hosts: the ports of loopback servers come again."""
    folder = tmp_path_factory.mktemp("state")
    before = os.environ.get("SHOAL_STATE_DIR")
    os.environ["SHOAL_STATE_DIR"] = str(folder)
    yield folder
    if before is None:
        del os.environ["SHOAL_STATE_DIR"]
    else:
        os.environ["SHOAL_STATE_DIR"] = before
