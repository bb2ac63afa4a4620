"""Whoever only looks at a crawl leaves nothing behind: not where there is none, and not where nothing may be written."""

from __future__ import annotations

import asyncio
import io
import os
import tarfile
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from shoal import services
from shoal.errors import FolderError
from shoal.installation.location import Installation
from shoal.services import check, images, marks, search, versions
from shoal.services.search import Finder
from shoal.settings import Cluster
from shoal.store import crawl_folder as folders
from shoal.store.crawl_store import open_store
from tests.store.pages import SETTINGS, batch, page

URL = page(1, b"one").seen.task.url
NOBODY = 65534
OLDER = Path(__file__).parent / "store" / "older" / "format-3.tar.gz"


def similar(folder: Path) -> object:
    with Finder([folder]) as finder:
        return finder.similar(URL)


LOOKS: dict[str, Callable[[Path], object]] = {
    "status": services.status.crawl_status,
    "run": services.supervisor.state_of,
    "explain": lambda folder: services.explain.explain_url(folder, URL),
    "export": lambda folder: services.export.export_pages(folder, "jsonl", io.BytesIO(), relevant_only=False),
    "topic show": services.topics.topic_history,
    "check": check.check,
    "search": lambda folder: search.search([folder], "power"),
    "similar": similar,
    "show": lambda folder: versions.stored(folder, URL),
    "show --body": lambda folder: versions.body(folder, URL),
    "versions": lambda folder: versions.steps(folder, URL),
    "images": lambda folder: images.find(folder, "power"),
    "marks": marks.list_marks,
}
look = pytest.mark.parametrize("look", LOOKS.values(), ids=LOOKS)


@look
@pytest.mark.parametrize("is_there", [True, False])
def test_where_there_is_no_crawl_one_sentence_says_so(
    tmp_path: Path, look: Callable[[Path], object], is_there: bool
) -> None:
    folder = tmp_path / "c"
    if is_there:
        folder.mkdir()
    with pytest.raises(FolderError, match=r"There is no crawl in .*: start one with"):
        look(folder)
    assert list(tmp_path.rglob("*")) == [folder] * is_there


@look
def test_a_crawl_of_another_machine_is_looked_at_without_a_folder(
    tmp_path: Path, postgres: str, look: Callable[[Path], object]
) -> None:
    (tmp_path / "here").mkdir()
    (tmp_path / "there").mkdir()
    folders.create(tmp_path / "there" / "c", SETTINGS, cluster=Cluster(database=postgres))
    with open_store(tmp_path / "there" / "c") as store:
        asyncio.run(store.commit(batch(page(1, b"one", text="the power grid " * 20))))
    home = Installation(home=tmp_path / "home", database=postgres)
    assert services.crawls.look_up(tmp_path / "here" / "c", home)
    assert answer_of(look, tmp_path / "here" / "c")
    assert list((tmp_path / "here").iterdir()) == []


def answer_of(look: Callable[[Path], object], folder: Path) -> object:
    """What is said of a crawl; some of it needs what others have in their folders, such as an index, and says that."""
    try:
        return look(folder) is not None
    except FolderError as error:
        said = str(error)
    return bool(said) and "There is no crawl" not in said


@pytest.fixture
def finished() -> Iterator[Path]:
    """A crawl where nobody may write anything, and that others than its owner can reach."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name) / "c"
        folders.create(folder, SETTINGS)
        with open_store(folder) as store:
            asyncio.run(store.commit(batch(page(1, b"one", text="the power grid " * 20))))
        Path(name).chmod(0o755)
        for path in folder.iterdir():
            path.chmod(0o444)
        folder.chmod(0o555)
        yield folder
        folder.chmod(0o755)


@contextmanager
def by_nobody() -> Iterator[None]:
    """The superuser may write anywhere."""
    own = os.geteuid()
    if own == 0:
        os.seteuid(NOBODY)
    try:
        yield
    finally:
        if own == 0:
            os.seteuid(own)


@pytest.mark.slow
def test_what_is_indexed_is_found_where_nothing_may_be_written(finished: Path) -> None:
    finished.chmod(0o755)
    assert search.search([finished], "电网").total == 1  # which makes the index
    for path in (finished / "index").iterdir():
        path.chmod(0o444)
    (finished / "index").chmod(0o555)
    finished.chmod(0o555)
    with by_nobody():
        found = search.search([finished], "电网")
        assert (found.total, found.notes) == (1, ())
        assert check.check(finished).sound
    (finished / "index").chmod(0o755)


@pytest.mark.slow
def test_one_of_an_older_format_says_what_it_needs(finished: Path) -> None:
    with tarfile.open(OLDER) as archive:
        archive.extractall(finished.parent / "older", filter="data")
    (older,) = (path.parent for path in (finished.parent / "older").rglob(folders.DATABASE))
    older.chmod(0o555)
    with by_nobody(), pytest.raises(FolderError, match=r"by an older shoal \(format 3\), and is only for reading"):
        services.status.crawl_status(older)
    older.chmod(0o755)
    assert services.status.crawl_status(older).pages == 6


@pytest.mark.slow
def test_one_that_may_not_be_looked_into_costs_one_sentence_and_no_other_crawl(finished: Path, tmp_path: Path) -> None:
    shut = finished.parent / "shut"
    folders.create(shut, SETTINGS)
    shut.chmod(0)
    finished.chmod(0o755)
    assert search.search([finished], "电网").total == 1  # which makes the index
    with by_nobody():
        found = search.search([finished, shut], "电网")
    shut.chmod(0o755)
    assert found.total == 1
    assert found.notes == (f"shut: The folder {shut} cannot be read: Permission denied.",)


@pytest.mark.slow
@look
def test_a_crawl_where_nothing_may_be_written_can_be_looked_at(finished: Path, look: Callable[[Path], object]) -> None:
    before = sorted(finished.iterdir())
    with by_nobody():
        assert answer_of(look, finished)
    assert sorted(finished.iterdir()) == before
