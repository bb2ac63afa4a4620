"""An installation of its own for each test, whichever database keeps it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from sqlalchemy import Connection

from shoal.installation.installation_database import writing
from shoal.installation.location import Installation


@pytest.fixture
def installation(tmp_path: Path) -> Installation:
    return Installation(home=tmp_path / "home")


@pytest.fixture
def connection(installation: Installation) -> Iterator[Connection]:
    """All of a test in one block."""
    with writing(installation) as connection:
        yield connection
