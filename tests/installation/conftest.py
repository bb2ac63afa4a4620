"""An installation of its own for each test, in each database that can keep one."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from sqlalchemy import Connection

from shoal.installation.installation_database import writing
from shoal.installation.location import Installation
from shoal.settings import Cluster


@pytest.fixture
def installation(tmp_path: Path, cluster: Cluster) -> Installation:
    return Installation(home=tmp_path / "home", database=cluster.database)


@pytest.fixture
def connection(installation: Installation) -> Iterator[Connection]:
    """All of a test in one block."""
    with writing(installation) as connection:
        yield connection
