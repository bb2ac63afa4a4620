"""What can be done with a crawl? It starts and changes only as its strategy can bear."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from shoal import services
from shoal.errors import InputError
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
