"""Readers of foreign text, as a whole: does their time grow with what they read, or faster?"""

from __future__ import annotations

import time
from collections.abc import Callable

import pytest

from shoal.frontier.traps import TrapDetector
from shoal.index.query import parse
from shoal.index.snippet import snippet
from shoal.model import Response, Timing
from shoal.parse import charset
from shoal.parse.parser import HtmlParser
from shoal.seeds.discovery import lists_named_in, understood
from shoal.seeds.list_document import ListDocument
from tests.patterns.growth import complaint

_TIMING = Timing(started=0.0, answered=0.0, ended=0.0)


def _page(head: str, robots: str = "") -> object:
    headers = (("content-type", "text/html"), ("x-robots-tag", robots))
    response = Response(url="http://a.test/", status=200, headers=headers, body=head.encode(), timing=_TIMING)
    return HtmlParser().parse(response)


def _trap(path: str) -> object:
    return TrapDetector(2026).why(f"http://a.test/{path}2026-05")


def _known_trap(path: str) -> None:
    detector = TrapDetector(2026)
    detector.record(f"http://a.test/{path}/2026-05?a=1&{path}", is_repeat=True, relevant=False)


CASES: dict[str, tuple[Callable[[str], object], str]] = {
    "a refresh of blanks": (lambda text: _page(f"<meta http-equiv=refresh content='{text}'>"), " "),
    "a refresh of digits": (lambda text: _page(f"<meta http-equiv=refresh content='{text}'>"), "1"),
    "a charset of blanks": (lambda text: charset.decode(b"x", f"text/html; charset={text}"), " "),
    "charsets": (lambda text: charset.decode(b"x", text), "charset "),
    "x-robots-tag": (lambda text: _page("<p>x", text), "a: "),
    "calendars": (_trap, "calend/"),
    "calendars with years": (_trap, "calend_2026"),
    "families of parameters": (_known_trap, "utm_"),
    "families of numbers": (_known_trap, "a1-"),
    "a phrase": (lambda text: snippet(text, parse('"ab cd"')), "ab"),
    "a phrase of letters": (lambda text: snippet(text, parse('"aa aa aa x"')), "a"),
    "links of a head": (lambda text: lists_named_in(text, "http://a.test/"), "<link a "),
}


@pytest.mark.parametrize("case", CASES)
def test_time_grows_with_the_text(case: str) -> None:
    read, pump = CASES[case]
    assert complaint(read, lambda length: pump * (length // len(pump))) == ""


@pytest.mark.parametrize("unclosed", ["<!--", "<?", "<!-- <? "])
def test_comments_of_a_published_list(unclosed: str) -> None:
    """Only its first 20,000 characters are looked at, so the growth is measured below that."""

    def read(length: int) -> ListDocument:
        body = "<a>" + unclosed * (length // len(unclosed))
        return ListDocument(name="x", base="http://a.test/", body=body.encode(), content_type="text/xml")

    assert complaint(understood, read) == ""


def test_a_phrase_of_thousands_of_tokens_is_looked_for_by_its_beginning() -> None:
    """One character may stand for four words, and to make a pattern of 2,000 words took a second."""

    def cost(characters: int) -> float:
        query = parse(f'"{"ﷺ " * characters}"')
        began = time.thread_time()
        snippet("a text", query)
        return time.thread_time() - began

    few, many = cost(26), cost(499)  # 104 tokens and 1,996
    assert many < 5 * few
