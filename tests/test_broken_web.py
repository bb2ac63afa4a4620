"""Two thousand broken answers and documents: the crawl ends by itself, every URL has a fate, and nothing was our fault."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from random import Random

import pytest

from shoal import services
from shoal.model import Reason, State, Term, Topic
from shoal.settings import Budget, Fetching, ImageSettings, Politeness, Scope, Settings
from shoal.store.ownership import LOG
from shoal.testing.broken_web import BrokenWeb, Maker, said
from shoal.testing.fuzz.answers import http_answer
from shoal.testing.fuzz.html_pages import answer_of, html_answer
from shoal.testing.fuzz.image_files import damaged_image
from shoal.testing.fuzz.listings import feed, sitemap
from shoal.testing.fuzz.robots_texts import wild as robots_txt
from shoal.testing.fuzz.slow_images import slow_images
from shoal.testing.fuzz.slow_pages import slow_pages
from tests.images.drawings import drawing, encoded
from tests.running import Operator, assert_consistent, fates

TOPIC = Topic(name="grid", terms=(Term(text="grid"), Term(text="电网"), Term(text="变电站")))
IMPATIENT = Fetching(
    allow_private=("127.0.0.0/8",), connect_timeout=5.0, answer_timeout=1.0, total_timeout=3.0, max_body=2 * 2**20
)
QUICK = Politeness(
    delay=0.0,
    backoff_first=0.05,
    backoff_cap=0.1,
    attempts=2,
    robots_retry=1.0,
    max_crawl_delay=0.05,
    max_retry_after=0.1,
)
SLOW = 20_000
"""Bytes of the slowest pages: they are here among others, and `tests/test_held_up.py` has larger ones."""


@cache
def _slow_pages() -> list[bytes]:
    return list(slow_pages(SLOW).values())


def _slow(random: Random) -> bytes:
    return said(random.choice(_slow_pages()), "text/html; charset=utf-8")


def _document(random: Random) -> bytes:
    headers, body = answer_of(html_answer(random))
    return said(body, dict(headers).get("content-type", ""))


def _of_type(make: Maker, *types: str) -> Maker:
    return lambda random: said(make(random), random.choice(types))


MAKERS: dict[str, Maker] = {
    "answer": http_answer,
    "answer-again": lambda random: http_answer(random),
    "document": _document,
    "document-again": lambda random: _document(random),
    "feed": _of_type(feed, "application/rss+xml", "text/html"),
    "sitemap": _of_type(sitemap, "application/xml", "text/html"),
    "slow": _slow,
}


@pytest.mark.slow
@pytest.mark.parametrize("processes", [1, 2])
async def test_a_crawl_of_two_thousand_broken_answers_ends_and_every_url_has_a_fate(
    tmp_path: Path, processes: int
) -> None:
    operator = Operator(tmp_path)
    hosts = 500 if processes == 1 else 50
    async with BrokenWeb(MAKERS, robots=_of_type(robots_txt, "text/plain"), hosts=hosts, pages=4) as web:
        settings = Settings(
            topic=TOPIC,
            seeds=tuple(web.urls),
            fetching=IMPATIENT,
            politeness=QUICK,
            processes=processes,
            scope=Scope(kind="host"),
            budget=Budget(max_depth=0),
        )
        operator.prepares("c", settings)
        finished = await operator.runs("resume", "--dir", "c", "--quiet")
        assert finished.code == 0, finished.err
        again = await operator.runs("resume", "--dir", "c", "--quiet")
        assert again.code == 0, again.err
    found = fates(tmp_path / "c")
    assert found.keys() >= set(web.urls)
    assert [url for url, (state, _) in found.items() if state == State.WAITING] == []
    assert [
        url for url, (state, reason) in found.items() if state in (State.FAILED, State.SKIPPED) and not reason
    ] == []
    states = [found[url][0] for url in web.urls]
    assert states.count(State.DONE) > len(states) / 3, "many of them are pages all the same"
    assert states.count(State.FAILED) > len(states) / 20
    log = tmp_path / "c" / LOG
    assert not log.exists(), log.read_text()
    assert [url for url, (_, reason) in found.items() if reason == Reason.INTERNAL] == []
    assert_consistent(tmp_path / "c")
    searched = await operator.runs("search", "--dir", "c", "grid")
    assert searched.code in (0, 1), searched.err


def _gallery(random: Random) -> bytes:
    shown = "".join(
        f'<p>A power grid, 电网 {n}: <img src="/broken/{random.random()}" alt="grid {n}"></p>' for n in range(3)
    )
    slow = f'<p>And a slow grid: <img src="/slow/{random.random()}" alt="grid"></p>'
    return said(f"<title>grid</title>{shown}{slow}".encode(), "text/html; charset=utf-8")


def _broken(random: Random) -> bytes:
    body = damaged_image(encoded(drawing(random.randrange(9)), random.choice(("PNG", "JPEG", "GIF", "WEBP"))), random)
    return said(body, random.choice(("image/png", "image/jpeg", "text/html", "application/octet-stream")))


def _slow_image(random: Random) -> bytes:
    return said(random.choice(list(slow_images(60_000).values())), "image/jpeg")


@pytest.mark.slow
async def test_broken_images_end_as_well(tmp_path: Path) -> None:
    operator = Operator(tmp_path)
    makers: dict[str, Maker] = {"gallery": _gallery, "broken": _broken, "slow": _slow_image}
    async with BrokenWeb(makers, robots=_of_type(robots_txt, "text/plain"), hosts=30, pages=1) as web:
        settings = Settings(
            topic=TOPIC,
            seeds=tuple(url for url in web.urls if "/gallery/" in url),
            fetching=IMPATIENT,
            politeness=QUICK,
            scope=Scope(kind="host"),
            images=ImageSettings(wanted="relevant"),
        )
        operator.prepares("c", settings)
        finished = await operator.runs("resume", "--dir", "c", "--quiet")
        assert finished.code == 0, finished.err
    status = services.status.crawl_status(tmp_path / "c")
    assert status.images is not None
    assert status.images.waiting == 0
    assert status.internal_errors == 0, (tmp_path / "c" / LOG).read_text()
    assert_consistent(tmp_path / "c")
