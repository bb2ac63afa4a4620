"""What can be done with a crawl? It starts and changes only as its strategy can bear; `test_crawls_explain.py` asks it why."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from shoal import services
from shoal.errors import InputError
from shoal.model import Outlook
from shoal.store import crawl_folder as folders
from shoal.store import crawl_status
from shoal.topic.topic_file import topic_from_words
from tests.telling import HOME, teller_laid


@pytest.fixture
def teller() -> Iterator[None]:
    with teller_laid():
        yield


def test_a_strategy_that_cannot_tell_is_refused_and_leaves_nothing(teller: None, tmp_path: Path) -> None:
    settings = topic_from_words(
        "grid", [HOME], names=services.choices.names(), options={"strategy": "fish", "until_done": "5%"}
    )
    with pytest.raises(InputError) as caught:
        services.crawls.start_crawl(tmp_path / "c", settings)
    sentence = str(caught.value)
    assert "needs a strategy that can tell what the next pages will bring, and fish cannot: choose " in sentence
    assert "teller" in sentence
    assert "breadth" not in sentence
    assert list(tmp_path.iterdir()) == []


def test_a_crawl_cannot_change_to_one_that_cannot_tell(teller: None, tmp_path: Path) -> None:
    options = {"strategy": "teller", "until_done": "5%"}
    services.crawls.start_crawl(
        tmp_path, topic_from_words("grid", [HOME], names=services.choices.names(), options=options)
    )
    with pytest.raises(InputError, match=r"and breadth cannot: .*, or say --until-done=0"):
        services.crawls.change_settings(tmp_path, {"strategy": "breadth"})
    services.crawls.change_settings(tmp_path, {"strategy": "breadth", "until_done": "0"})


def test_an_estimate_that_is_no_number_is_none(tmp_path: Path) -> None:
    services.crawls.start_crawl(tmp_path, topic_from_words("grid", [HOME], names=services.choices.names()))
    with folders.reading(tmp_path) as database:
        crawl_status.keep_outlook(database, Outlook(pages=200, relevant=float("nan"), missed=1.0), pages=9, warning="")
    assert services.status.crawl_status(tmp_path).outlook is None
