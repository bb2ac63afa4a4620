"""The home of an installation is its user's alone, and a sentence says why it cannot be made."""

from __future__ import annotations

from pathlib import Path

import pytest

from shoal.errors import FolderError
from shoal.installation.home import make_home, secrets_folder


def mode(path: Path) -> int:
    return path.stat().st_mode & 0o777


def test_a_home_is_made_for_its_user_alone(tmp_path: Path) -> None:
    assert mode(make_home(tmp_path / "data" / "shoal")) == 0o700
    assert mode(secrets_folder(tmp_path / "data" / "shoal")) == 0o700


def test_a_home_that_others_may_read_stays_so_but_its_secrets_do_not(tmp_path: Path) -> None:
    tmp_path.chmod(0o755)
    (tmp_path / "secrets").mkdir(mode=0o755)
    assert mode(make_home(tmp_path)) == 0o755
    assert mode(secrets_folder(tmp_path)) == 0o700


@pytest.mark.parametrize(
    ("home", "why"),
    [("file", "a file is in its way"), ("file/shoal", "a file is in its way"), ("x" * 300, "too long")],
)
def test_where_no_home_can_be_one_sentence_says_so(tmp_path: Path, home: str, why: str) -> None:
    (tmp_path / "file").write_text("mine")
    with pytest.raises(FolderError, match=rf"^The home of Shoal, .*, cannot be made: .*{why}.*\. Say with SHOAL_HOME "):
        make_home(tmp_path / home)
    assert (tmp_path / "file").read_text() == "mine"


def test_secrets_that_cannot_be_kept_are_one_sentence(tmp_path: Path) -> None:
    (tmp_path / "secrets").write_text("a file")
    with pytest.raises(FolderError, match=r"secrets cannot be made, or kept for this user alone: File exists\.$"):
        secrets_folder(tmp_path)
