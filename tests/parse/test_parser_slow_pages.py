"""The slowest pages there are, read and judged: bounded time and a result of bounded size."""

from __future__ import annotations

from functools import cache
from time import thread_time

import msgspec
import pytest

from shoal.judge import make_judge
from shoal.judge.image_judge import DescriptionImageJudge
from shoal.model import Page, Response, Term, Timing, Topic
from shoal.parse.parser import HtmlParser
from shoal.protocols import Judge
from shoal.settings import ImageSettings
from shoal.testing.fuzz.slow_pages import slow_pages

SMALL, LARGE = 48_000, 800_000
TOPIC = Topic(name="t", terms=tuple(Term(text=word, weight=1.0) for word in ("smart grid", "grid", "变电站")))
NAMES = sorted(slow_pages(100))
WORST = """
    links copied, formatting copied, formatting with attributes copied, two bodies, marks in no order, sources of one image,
    links that are not in the text, a long tag above links, a long base above links, a long anchor of images, deep a, deep nav,
    links about the topic, ligatures, attributes of the body again"""
"""Those that once took many times as long as a page of half the size, and those that take longest now."""


@cache
def pages(size: int) -> dict[str, bytes]:
    return slow_pages(size)


@cache
def judge() -> Judge:
    return make_judge("evidence", TOPIC)


def understand(body: bytes) -> Page | None:
    """As a worker does."""
    timing = Timing(started=0.0, answered=0.0, ended=0.0)
    headers = (("content-type", "text/html"),)
    page = HtmlParser().parse(Response(url="http://site.test/p", status=200, headers=headers, body=body, timing=timing))
    if page is not None:
        judge().judge(page)
        judge().judge_links(page.links)
        DescriptionImageJudge(TOPIC, ImageSettings(wanted="all")).judge_images(page)
    return page


@pytest.fixture(scope="module", autouse=True)
def warm() -> None:
    """What is built once does not count."""
    understand("<p>电 grid é".encode())


@pytest.mark.slow
@pytest.mark.no_cover
@pytest.mark.parametrize("name", NAMES)
def test_a_small_page_is_understood_at_once(name: str) -> None:
    body = pages(SMALL)[name]
    assert len(body) < 2 * SMALL
    began = thread_time()
    page = understand(body)
    assert thread_time() - began < 0.6, "about a twentieth of a second on an idle machine"
    assert page is not None
    assert len(msgspec.msgpack.encode(page)) < 6_000_000


@pytest.mark.slow
@pytest.mark.parametrize("name", " ".join(WORST.split()).split(", "))
def test_a_large_page_is_understood_soon(name: str) -> None:
    began = thread_time()
    page = understand(pages(LARGE)[name])
    assert thread_time() - began < 4.0, "about half a second on an idle machine"
    assert page is not None
    assert len(msgspec.msgpack.encode(page)) < 12_000_000
