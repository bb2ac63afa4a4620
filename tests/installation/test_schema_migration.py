"""A database of an older Shoal is brought up to date after a copy was made; what is none of ours, or newer, stays as it is."""

from __future__ import annotations

from contextlib import closing
from functools import partial
from pathlib import Path

import pytest
from alembic.autogenerate import compare_metadata
from alembic.runtime.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import Connection, text

from shoal.errors import FolderError
from shoal.installation import schema_migration as module
from shoal.installation.installation_database import open_installation, reading, writing
from shoal.installation.installation_tables import VERSION, metadata
from shoal.installation.location import Installation
from tests.installation.older import bring_up, check_all_there, make_older, place_for
from tests.threads import asked_at_once


def change(installation: Installation, *statements: str) -> None:
    """By hand, past all that looks after it."""
    with closing(place_for(installation)) as place, place.alone() as connection:
        for statement in statements:
            connection.execute(text(statement))


def tables_of(installation: Installation) -> set[tuple[str, str]]:
    with closing(place_for(installation)) as place, place.alone() as connection:
        return place.columns(connection)


def refused(installation: Installation) -> str:
    """The sentence, which is the same for who reads and who writes; nothing changes by it."""
    before = tables_of(installation)
    with pytest.raises(FolderError) as caught, writing(installation):
        pass
    with pytest.raises(FolderError) as caught_reading, reading(installation):
        pass
    assert str(caught_reading.value) == str(caught.value)
    assert tables_of(installation) == before
    return str(caught.value)


def test_the_steps_lead_to_the_tables_of_today(connection: Connection) -> None:
    context = MigrationContext.configure(connection, opts={"compare_type": True})
    assert compare_metadata(context, metadata) == []


def test_the_last_step_is_the_version() -> None:
    steps = ScriptDirectory(str(module._STEPS), version_locations=[str(module._STEPS)])
    assert steps.get_heads() == [VERSION]
    names = [step.revision for step in steps.walk_revisions()]
    assert names == [f"{number:04}" for number in range(len(names), 0, -1)]


@pytest.mark.parametrize("only_reading", [True, False])
def test_an_older_database_is_brought_up_to_date(installation: Installation, only_reading: bool) -> None:
    make_older(installation)
    open_installation(installation, only_reading=only_reading).close()
    check_all_there(installation)
    with closing(place_for(installation)) as place, place.engine.connect() as connection:
        assert "before" in place.saved(connection)


def test_it_happens_once(installation: Installation) -> None:
    make_older(installation)
    bring_up(installation)
    with closing(place_for(installation)) as place, place.engine.connect() as connection:
        copy = place.saved(connection)
    change(installation, "UPDATE topics SET name = '电网'")
    bring_up(installation)
    with closing(place_for(installation)) as place, place.engine.connect() as connection:
        assert place.saved(connection) == copy
        assert connection.execute(text("SELECT name FROM topics")).scalars().all() == ["电网"]


def test_a_new_database_needs_no_copy(installation: Installation) -> None:
    bring_up(installation)
    with closing(place_for(installation)) as place, place.engine.connect() as connection:
        assert place.saved(connection) == ""


def setting(installation: Installation) -> str:
    """What a person changes to have another database."""
    return "SHOAL_DATABASE" if installation.database else "SHOAL_HOME"


def test_what_a_newer_shoal_wrote_is_left_alone(installation: Installation) -> None:
    bring_up(installation)
    change(installation, "UPDATE alembic_version SET version_num = '9000'", "CREATE TABLE inbox (id INTEGER)")
    said = refused(installation)
    assert f"written by a newer Shoal (version 9000, this one reads {VERSION}): update Shoal, or set" in said
    assert f"or set {setting(installation)} elsewhere." in said


@pytest.mark.parametrize(
    "statements",
    [
        ["CREATE TABLE customers (id INTEGER)"],
        ["CREATE TABLE alembic_version (version_num TEXT)"],
        ["CREATE TABLE alembic_version (version_num TEXT)", "INSERT INTO alembic_version VALUES ('1975ea83b712')"],
        ["CREATE TABLE alembic_version (version_num TEXT)", "INSERT INTO alembic_version VALUES ('0001'), ('0002')"],
    ],
)
def test_a_database_of_somebody_else_is_left_alone(installation: Installation, statements: list[str]) -> None:
    with closing(place_for(installation)) as place:
        place.make()
    change(installation, *statements)
    assert "is a database, but none of an installation of Shoal." in refused(installation)
    assert f"Say with {setting(installation)} where" in refused(installation)


def test_tables_that_do_not_fit_their_version_are_one_sentence_with_the_copy(installation: Installation) -> None:
    make_older(installation)
    bring_up(installation)
    change(installation, "DROP TABLE topic_versions")
    said = refused(installation)
    assert f"says that it has version {VERSION}, but lacks the column topic_versions.author: put back the copy" in said
    assert "before" in said


def test_a_version_without_its_tables_is_one_sentence(installation: Installation) -> None:
    make_older(installation)
    change(installation, f"UPDATE alembic_version SET version_num = '{VERSION}'")
    assert "lacks the column topic_versions.author: put back a copy of it." in refused(installation)


def test_a_step_that_fails_leaves_everything_as_it_was(installation: Installation) -> None:
    make_older(installation)
    before = tables_of(installation)
    change(installation, "CREATE TABLE topic_versions (id INTEGER)")
    with pytest.raises(Exception, match="already exists"):
        bring_up(installation)
    change(installation, "DROP TABLE topic_versions")
    assert tables_of(installation) == before
    bring_up(installation)
    check_all_there(installation)


def test_installations_of_one_process_are_brought_up_to_date_each_by_itself(tmp_path: Path) -> None:
    """At the same moment: what changes tables knows one database at a time."""
    homes = [Installation(home=tmp_path / str(number)) for number in range(8)]
    for home in homes:
        make_older(home)
    asked_at_once(*[partial(bring_up, home) for home in homes])
    for home in homes:
        check_all_there(home)
