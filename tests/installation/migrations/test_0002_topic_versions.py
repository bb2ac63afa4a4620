"""The second step: the text of every topic becomes its first version."""

from __future__ import annotations

from pathlib import Path

from shoal.installation.location import Installation
from shoal.settings import Cluster
from tests.installation.older import bring_up, check_all_there, make_older


def test_what_topics_say_becomes_their_first_version(tmp_path: Path, cluster: Cluster) -> None:
    installation = Installation(home=tmp_path / "home", database=cluster.database)
    make_older(installation)
    bring_up(installation)
    check_all_there(installation)
