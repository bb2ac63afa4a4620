"""Web pages, as a worker reads them: whatever they are, a page of bounded size comes of them that can be sent and stored."""

from __future__ import annotations

import hashlib
from functools import cache
from random import Random

import msgspec
from turbohtml import parse

from shoal.judge import judges, make_judge
from shoal.judge.image_judge import DescriptionImageJudge
from shoal.model import Page, Response, Term, Timing, Topic
from shoal.parse import charset
from shoal.parse.html import _MUTE, _PAINTED, MAX_IMAGES, MAX_LINKS, _as_lines, _Notes
from shoal.parse.main_text import BOX, BOX_END, MAX_LINE, MAX_TEXT, SPAN, SPAN_END
from shoal.parse.parser import HtmlParser
from shoal.parse.sanitise import sanitised
from shoal.protocols import Judge
from shoal.settings import ImageSettings
from shoal.testing.fuzz.html_pages import answer_of, html_answer
from shoal.testing.fuzz.slow_pages import slow_pages
from shoal.urls import MAX_URL_LENGTH
from tests.fuzz.target import Target

_TOPIC = Topic(
    name="grids",
    terms=tuple(Term(text=word, weight=1.0) for word in ("smart grid", "grid", "变电站", "電")),
    negative=(Term(text="copyright", weight=1.0),),
)
_LARGEST = 20_000_000


@cache
def _judges() -> tuple[Judge, ...]:
    return tuple(make_judge(name, _TOPIC) for name in sorted(judges()))


@cache
def _image_judge() -> DescriptionImageJudge:
    return DescriptionImageJudge(_TOPIC, ImageSettings(wanted="all"))


def check_answer(data: bytes) -> None:
    """Headers and body as `html_answer` makes them."""
    headers, body = answer_of(data)
    response = Response(
        url="http://site.test/dir/page.html?x=1",
        status=200,
        headers=headers,
        body=body,
        timing=Timing(started=0.0, answered=0.0, ended=0.0),
    )
    page = HtmlParser().parse(response)
    if page is not None:
        _check_page(page)
        chosen = _judges()[hashlib.sha256(data).digest()[0] % len(_judges())]
        verdict, hints, sightings = (
            chosen.judge(page),
            chosen.judge_links(page.links),
            _image_judge().judge_images(page),
        )
        assert len(hints) == len(page.links)
        assert all(0.0 <= hint <= 1.0 for hint in hints)
        msgspec.msgpack.encode((verdict, hints, sightings))


def _check_page(page: Page) -> None:
    packed = msgspec.msgpack.encode(page)
    assert msgspec.msgpack.decode(packed, type=Page) == page
    assert len(packed) <= _LARGEST, "a page is of bounded size"
    assert b"\\u0000" not in msgspec.json.encode(page), "no database takes a NUL"
    assert len(page.text) <= MAX_TEXT
    assert len(page.links) <= MAX_LINKS
    assert len(page.images) <= MAX_IMAGES
    for line in (page.title, page.description, page.keywords, *(link.anchor for link in page.links)):
        assert len(line) <= MAX_LINE
    for image in page.images:
        assert max(map(len, (image.alt, image.title, image.caption, image.anchor))) <= MAX_LINE
    for url in (*(link.url for link in page.links), *(image.url for image in page.images)):
        assert len(url) <= MAX_URL_LENGTH


def check_marks(data: bytes) -> None:
    """Every mark that is put into a page comes out of it, in order."""
    html = sanitised(charset.decode(answer_of(data)[1])[0].replace("\x00", ""))
    tree = parse(html)
    tree.remove(_MUTE)
    notes = _Notes(tree)
    notes.take(tree, set(tree.select(_PAINTED)))
    marked = _as_lines(tree, notes.laid_out)
    for start, end, count in ((SPAN, SPAN_END, len(notes.spans)), (BOX, BOX_END, len(notes.boxes))):
        assert marked.count(start) == marked.count(end) == count
        opened = 0
        for mark in (character for character in marked if character in (start, end)):
            opened += 1 if mark == start else -1
            assert opened >= 0


def _slow(random: Random) -> bytes:
    pages = slow_pages(random.randint(100, 4000))
    return b"content-type: text/html\n\n" + b"".join(random.sample(list(pages.values()), random.randint(1, 6)))


TARGETS = (
    Target(name="html", make=html_answer, check=check_answer, runs=7500),
    Target(name="marks", make=html_answer, check=check_marks, runs=3000),
    Target(name="slow pages together", make=_slow, check=check_answer, runs=60),
)
