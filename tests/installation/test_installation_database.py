"""The installation's database is made when it is written first, and only then; what is done in a block is there whole."""

from __future__ import annotations

import asyncio
from contextlib import closing
from pathlib import Path

import pytest

from shoal.installation import crawl_registry as registry
from shoal.installation.installation_database import open_installation, reading, writing
from shoal.installation.location import Installation


def test_who_only_reads_makes_nothing(installation: Installation) -> None:
    with reading(installation) as connection:
        assert registry.all_crawls(connection) == []
    assert not installation.home.exists()


def test_what_is_written_in_a_block_is_there_whole_or_not_at_all(installation: Installation, tmp_path: Path) -> None:
    with writing(installation) as connection:
        registry.register(connection, crawl="1", folder=tmp_path / "a", now=1.0)

    def half() -> None:
        with writing(installation) as connection:
            registry.register(connection, crawl="2", folder=tmp_path / "b", now=2.0)
            raise OSError("a bug of the caller")

    with pytest.raises(OSError, match="a bug of the caller"):
        half()
    with reading(installation) as connection:
        assert [entry.crawl for entry in registry.all_crawls(connection)] == ["1"]


async def test_it_may_be_asked_where_a_loop_runs(installation: Installation, tmp_path: Path) -> None:
    assert asyncio.get_running_loop().is_running()
    with closing(open_installation(installation)) as database:
        with database.writing() as connection:
            registry.register(connection, crawl="1", folder=tmp_path / "a", now=1.0)
        with database.reading() as connection:
            assert len(registry.all_crawls(connection)) == 1


def test_readers_see_one_moment_while_somebody_writes(installation: Installation, tmp_path: Path) -> None:
    with closing(open_installation(installation)) as database, database.reading() as reader:
        assert registry.all_crawls(reader) == []
        with database.writing() as writer:
            registry.register(writer, crawl="1", folder=tmp_path / "a", now=1.0)
        assert registry.all_crawls(reader) == []
        reader.rollback()
