"""Which parts make a running crawl? The strategy knows what it knew, and hosts are looked up only by who asks them."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from msgspec.structs import replace

from shoal import assembly, services
from shoal.errors import InputError
from shoal.protocols import Portable, Strategy
from shoal.settings import Fetching
from shoal.store import crawl_folder as folders
from shoal.store.crawl_store import open_store
from tests.telling import KNOWLEDGE, MODEL, SETTINGS, teller_laid


@pytest.fixture(autouse=True)
def teller() -> Iterator[None]:
    with teller_laid():
        yield


def test_a_crawl_through_a_proxy_locates_nobody() -> None:
    assert assembly.make_locator(SETTINGS) is not None
    proxied = replace(SETTINGS, fetching=Fetching(proxy="http://127.0.0.1:1"))
    assert assembly.make_locator(proxied) is None


def strategy_of(folder: Path) -> Strategy:
    """As the next run would have it."""
    with open_store(folder) as store:
        return assembly.make_strategy(store)


def knowledge_of(folder: Path) -> bytes:
    strategy = strategy_of(folder)
    assert isinstance(strategy, Portable)
    return strategy.knowledge()


@pytest.mark.slow
def test_the_strategy_has_the_model_before_its_own_pages(tmp_path: Path) -> None:
    made = services.crawls.start_crawl(tmp_path / "c", SETTINGS, MODEL)
    assert knowledge_of(tmp_path / "c") == KNOWLEDGE
    assert sorted(path.name for path in (tmp_path / "c").iterdir() if "sqlite" not in path.name) == [
        "crawl.model",
        "lock",
        "pages-00001.warc.gz",
        "settings.json",
    ]
    services.crawls.forget_crawl(made)
    assert list(tmp_path.iterdir()) == []


def test_another_strategy_is_not_given_it_and_who_comes_back_is(tmp_path: Path) -> None:
    services.crawls.start_crawl(tmp_path, SETTINGS, MODEL)
    services.crawls.change_settings(tmp_path, {"strategy": "breadth"})
    assert not isinstance(strategy_of(tmp_path), Portable)
    services.crawls.change_settings(tmp_path, {"strategy": "teller"})
    assert knowledge_of(tmp_path) == KNOWLEDGE


def test_a_crawl_whose_model_is_gone_says_so(tmp_path: Path) -> None:
    services.crawls.start_crawl(tmp_path, SETTINGS, MODEL)
    (tmp_path / folders.MODEL).unlink()
    with pytest.raises(InputError, match=r"crawl\.model: there is no such model file"):
        strategy_of(tmp_path)


@pytest.mark.slow
def test_a_file_of_the_user_in_the_folder_is_not_taken_for_a_model(tmp_path: Path) -> None:
    services.crawls.start_crawl(tmp_path, SETTINGS)
    (tmp_path / folders.MODEL).write_bytes(b"not ours")
    assert knowledge_of(tmp_path) == b""
