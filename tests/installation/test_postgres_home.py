"""An installation in PostgreSQL: beside crawls, with other machines, and what is said when the server is not there for us."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path
from urllib.parse import quote

import pytest

from shoal.errors import DatabaseGone, FolderError, ShoalError
from shoal.installation import crawl_registry as registry
from shoal.installation.installation_database import open_installation, reading, writing
from shoal.installation.location import Installation
from shoal.testing.servers import PostgreSQL
from tests.installation.older import bring_up, check_all_there, make_older

_SHAPE = """
SELECT conname, conrelid::regclass, pg_get_constraintdef(oid) FROM pg_constraint
WHERE connamespace = 'shoal_installation'::regnamespace
UNION ALL SELECT relname, pg_class.oid::regclass, pg_get_indexdef(pg_class.oid) FROM pg_class
WHERE relkind = 'i' AND relnamespace = 'shoal_installation'::regnamespace ORDER BY 1, 3
"""


def said(database: str, home: Path) -> str:
    """What a user reads, and that it is no secret."""
    with pytest.raises(ShoalError) as caught, writing(Installation(home=home, database=database)):
        pass
    assert "secret" not in str(caught.value)
    assert str(caught.value).count("\n") == 0
    return str(caught.value)


def test_a_server_that_is_not_there_is_one_sentence(tmp_path: Path) -> None:
    assert said("postgresql://me:secret@127.0.0.1:1/shoal", tmp_path).startswith(
        "The database at 127.0.0.1:1/shoal cannot be reached: "
    )
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("url", ["mysql://me:secret@127.0.0.1/shoal", "secret", "postgresql://me:secret@127.0.0.1:x/d"])
def test_what_is_no_url_of_a_database_is_one_sentence(tmp_path: Path, url: str) -> None:
    with pytest.raises(FolderError, match="is not the URL of a database: it should look like postgresql://"):
        open_installation(Installation(home=tmp_path, database=url))


def test_a_wrong_password_is_one_sentence(postgres: str, tmp_path: Path) -> None:
    scheme, _, place = postgres.partition("://")
    login, _, place = place.rpartition("@")
    assert "refuses us: password authentication failed" in said(
        f"{scheme}://{login.split(':')[0]}:secret@{place}", tmp_path
    )


def test_a_user_who_may_make_nothing_may_still_look(postgres: str, postgres_server: PostgreSQL, tmp_path: Path) -> None:
    postgres_server.execute("DROP ROLE IF EXISTS reader", postgres)
    postgres_server.execute("CREATE ROLE reader LOGIN PASSWORD 'secret'", postgres)
    url = f"postgresql://reader:{quote('secret')}@{postgres.rpartition('@')[2]}"
    with reading(Installation(home=tmp_path, database=url)) as connection:
        assert registry.all_crawls(connection) == []
    assert "does not allow it: permission denied for database" in said(url, tmp_path)


def test_who_only_reads_makes_nothing_there(postgres: str, postgres_server: PostgreSQL, tmp_path: Path) -> None:
    with reading(Installation(home=tmp_path, database=postgres)) as connection:
        assert registry.all_crawls(connection) == []
    assert (
        postgres_server.execute("SELECT count(*) FROM pg_namespace WHERE nspname ~ '^shoal'", postgres).strip() == "0"
    )


def test_machines_share_the_list_and_keep_their_folders_apart(postgres: str, tmp_path: Path) -> None:
    installation = Installation(home=tmp_path, database=postgres)
    (tmp_path / "grid").mkdir()
    with (
        closing(open_installation(installation, machine="a")) as first,
        closing(open_installation(installation, machine="b")) as second,
    ):
        with first.writing() as connection:
            one = registry.register(connection, crawl="1", folder=tmp_path / "grid", now=1.0)
        with second.writing() as connection:
            other = registry.register(connection, crawl="2", folder=tmp_path / "grid", now=2.0)
            joined = registry.register(connection, crawl="1", folder=tmp_path / "joined", now=2.0)
            assert [entry.name for entry in registry.all_crawls(connection)] == ["grid", "grid-2"]
            assert registry.by_folder(connection, tmp_path / "grid") == other
        with first.reading() as connection:
            assert registry.by_folder(connection, tmp_path / "grid") == one
    assert (one.is_here, joined.is_here, joined.machine, joined.folder) == (True, False, "a", tmp_path / "grid")


def test_a_copy_of_what_was_there_has_a_name_that_nobody_has(postgres: str, postgres_server: PostgreSQL) -> None:
    installation = Installation(home=Path("/nowhere"), database=postgres)
    make_older(installation)
    postgres_server.execute("CREATE SCHEMA shoal_before_0002", postgres)
    bring_up(installation)
    assert postgres_server.execute("SELECT crawl FROM shoal_before_0002_2.crawls", postgres).strip() == "x"


def test_a_copy_that_takes_the_place_of_the_original_is_as_it_was(postgres: str, postgres_server: PostgreSQL) -> None:
    here = Installation(home=Path("/nowhere"), database=postgres)
    make_older(here)
    before = postgres_server.execute(_SHAPE, postgres)
    bring_up(here)
    postgres_server.execute("ALTER SCHEMA shoal_installation RENAME TO shoal_later", postgres)
    postgres_server.execute("ALTER SCHEMA shoal_before_0002 RENAME TO shoal_installation", postgres)
    assert postgres_server.execute(_SHAPE, postgres) == before
    assert "fk_crawls_owner" in before
    assert "ix_crawls_crawl" in before
    check_all_there(here)


def test_a_server_that_goes_while_it_is_asked_is_one_sentence(
    postgres: str, postgres_server: PostgreSQL, tmp_path: Path
) -> None:
    with closing(open_installation(Installation(home=tmp_path, database=postgres))) as database:
        with pytest.raises(DatabaseGone, match="cannot be reached"), database.writing():
            postgres_server.kill()
        postgres_server.start()
        with database.reading() as connection:
            assert registry.all_crawls(connection) == []
