"""The file of an installation: whom it belongs to, and what is said when it cannot be used."""

from __future__ import annotations

from pathlib import Path

import pytest

from shoal.errors import DatabaseDamaged, FolderError
from shoal.installation.installation_database import reading, writing
from shoal.installation.location import Installation


def test_nobody_else_may_read_it(installation: Installation) -> None:
    with writing(installation):
        pass
    assert installation.file.stat().st_mode & 0o777 == 0o600


@pytest.mark.parametrize("use", [reading, writing])
def test_a_file_that_is_no_database_is_one_sentence_and_stays(installation: Installation, use: type) -> None:
    installation.home.mkdir()
    installation.file.write_text("my notes, nothing else " * 100)
    with pytest.raises(DatabaseDamaged, match=r"shoal\.sqlite is damaged, or no database"), use(installation):
        pass
    assert installation.file.read_text() == "my notes, nothing else " * 100


def test_a_home_that_is_a_file_is_one_sentence(tmp_path: Path) -> None:
    (tmp_path / "home").write_text("mine")
    with (
        pytest.raises(FolderError, match=r"cannot be made: a file is in its way"),
        writing(Installation(home=tmp_path / "home")),
    ):
        pass
