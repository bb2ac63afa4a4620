"""What can be taken from one crawl to another? Only what a strategy learned, and only into a file that is not the crawl's own."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from msgspec.structs import replace

from shoal import services
from shoal.errors import InputError
from shoal.services import models
from shoal.settings import Settings
from shoal.store import crawl_folder as folders
from tests.telling import HOME, KNOWLEDGE, MODEL, SETTINGS, teller_laid


@pytest.fixture(scope="module", autouse=True)
def teller() -> Iterator[None]:
    """Every crawl here knows the strategy `teller`."""
    with teller_laid():
        yield


def complaint(folder: Path, out: Path) -> str:
    with pytest.raises(InputError) as caught:
        models.export_model(folder, out)
    assert not out.exists() or folders.is_own(folder, out)
    return str(caught.value)


def test_a_strategy_that_learns_nothing_says_who_does(tmp_path: Path) -> None:
    folder = tmp_path / "c"
    services.crawls.start_crawl(folder, Settings(topic=SETTINGS.topic, seeds=(HOME,), strategy="breadth"))
    said = complaint(folder, tmp_path / "m")
    assert said.startswith("The strategy breadth learns nothing that another crawl could begin with; only ")
    assert "teller" in said
    assert "pagerank" not in said


def test_a_crawl_that_has_not_learned_yet_says_so(tmp_path: Path) -> None:
    services.crawls.start_crawl(tmp_path / "c", SETTINGS)
    assert complaint(tmp_path / "c", tmp_path / "m").startswith("The crawl has learned nothing yet")


def test_a_running_crawl_must_be_stopped_first(tmp_path: Path) -> None:
    services.crawls.start_crawl(tmp_path / "c", SETTINGS, MODEL)
    with folders.lock(tmp_path / "c"):
        assert complaint(tmp_path / "c", tmp_path / "m").startswith(f"A crawl is running in {tmp_path / 'c'}: stop it")


@pytest.mark.parametrize("name", ["crawl.sqlite", "crawl.model", "lock", "pages-00001.warc.gz", "marks.jsonl"])
def test_no_file_of_the_crawl_is_overwritten(tmp_path: Path, name: str) -> None:
    services.crawls.start_crawl(tmp_path / "c", SETTINGS, MODEL)
    assert complaint(tmp_path / "c", tmp_path / "c" / name).endswith(
        "is a file of the crawl itself: choose another name."
    )
    assert models.export_model(tmp_path / "c", tmp_path / "c" / "mine.model").knowledge == KNOWLEDGE


def test_a_strategy_whose_author_took_it_away_is_named(tmp_path: Path) -> None:
    folders.create(tmp_path / "c", replace(SETTINGS, strategy="oracle"))
    assert complaint(tmp_path / "c", tmp_path / "m").startswith("There is no strategy oracle any more")


def test_what_is_in_a_file_is_what_was_written(tmp_path: Path) -> None:
    services.crawls.start_crawl(tmp_path / "c", SETTINGS, MODEL)
    written = models.export_model(tmp_path / "c", tmp_path / "电网.model")
    assert models.read_model(tmp_path / "电网.model") == written
