"""Why did this URL fare so? Of one that waits, its strategy says what makes the value at this moment."""

from __future__ import annotations

import asyncio
import os
import shutil
import threading
from pathlib import Path

import pytest

from shoal import assembly, services
from shoal.model import Evidence
from shoal.protocols import LinkExplainer
from shoal.services import marks
from shoal.store import crawl_folder as folders
from shoal.store.crawl_store import open_store
from tests.crawl.simulated import SEED
from tests.waiting_urls import TOPIC, crawled, urls, waiting


def reasons(folder: Path, url: str) -> tuple[Evidence, ...]:
    return asyncio.run(services.explain.explain_in_depth(folder, url)).value_why


def value(parts: tuple[Evidence, ...]) -> float:
    return sum(part.amount for part in parts)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Of a crawl that is over; nobody may change it."""
    folder = tmp_path_factory.mktemp("crawls") / "c"
    crawled(folder)
    return folder


@pytest.mark.slow
def test_the_reasons_are_those_of_the_strategy_as_the_next_run_would_have_it(folder: Path) -> None:
    url = waiting(folder, "电网")
    found = reasons(folder, url)
    assert len(found) > 1
    with open_store(folder) as store:
        [id] = [one.id for one in store.url_index.waiting() if store.url_index.read(one.id).url == url]
        strategy = assembly.make_strategy(store)
        assert isinstance(strategy, LinkExplainer)
        assert found == strategy.reasons(store.url_index.read(id))


def test_a_link_about_the_topic_has_more_to_say_for_itself(folder: Path) -> None:
    good, bad = (reasons(folder, waiting(folder, subject)) for subject in ("grid", "sport"))
    assert value(good) > value(bad)


def test_a_page_that_came_waits_no_more(folder: Path) -> None:
    assert reasons(folder, SEED) == ()


def test_a_crawl_that_is_at_work_is_not_disturbed(folder: Path) -> None:
    with folders.lock(folder):
        assert folders.is_running(folder)
        assert reasons(folder, waiting(folder, "grid"))


def test_who_wants_only_the_sentence_does_not_wait_for_reasons(folder: Path) -> None:
    assert services.explain.explain_url(folder, waiting(folder, "grid")).value_why == ()


@pytest.mark.slow
def test_what_the_user_says_counts_at_once(tmp_path: Path) -> None:
    asked = crawled(tmp_path).pages_asked
    came = {subject: [url for url in urls(subject) if url in asked] for subject in ("grid", "电网")}
    subject = max(came, key=lambda subject: len(came[subject]))
    url = waiting(tmp_path, subject)
    before = value(reasons(tmp_path, url))
    marks.mark_pages(tmp_path, came[subject], False)
    assert value(reasons(tmp_path, url)) < before
    marks.mark_pages(tmp_path, came[subject], None)
    assert value(reasons(tmp_path, url)) == pytest.approx(before)


@pytest.mark.slow
def test_a_strategy_that_is_gone_is_no_reason_to_say_nothing(tmp_path: Path) -> None:
    crawled(tmp_path)
    with folders.reading(tmp_path) as database:
        settings = folders.read_settings(tmp_path, database)
        folders.write_settings(tmp_path, database, type(settings)(topic=TOPIC, seeds=(SEED,), strategy="removed"))
    assert reasons(tmp_path, waiting(tmp_path, "grid")) == ()


async def test_an_event_loop_goes_on_meanwhile(folder: Path, tmp_path: Path) -> None:
    """The marks are read from a pipe, so that somebody who asks has to wait until the loop has had its turn."""
    shutil.copytree(folder, tmp_path / "c")
    pipe, turned = tmp_path / "c" / folders.MARKS, threading.Event()
    os.mkfifo(pipe)

    def write_nothing() -> bool:
        went_on = turned.wait(10.0)
        pipe.open("wb").close()
        return went_on

    writing = asyncio.get_running_loop().run_in_executor(None, write_nothing)
    asyncio.get_running_loop().call_later(0.01, turned.set)
    assert (await services.explain.explain_in_depth(tmp_path / "c", SEED)).url == SEED
    assert await writing
