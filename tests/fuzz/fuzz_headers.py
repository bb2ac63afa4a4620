"""Headers of a page: its type, its rules, its refresh. Whatever they say, the page is read, or it is none."""

from __future__ import annotations

from html import escape

from shoal.model import Page, Response, Timing
from shoal.parse.parser import HtmlParser
from shoal.testing.fuzz import headers
from tests.fuzz.target import Target

_PARSER = HtmlParser("my.bot/1.0")
_TIMING = Timing(started=0.0, answered=0.0, ended=0.0)


def _check(data: bytes) -> None:
    kind, robots, refresh = (*data.decode("latin-1").split("\n", 2), "", "")[:3]
    body = f'<meta http-equiv=refresh content="{escape(refresh)}"><meta name=my.bot content="{escape(robots)}"><p>x</p>\xb1\xe4'
    for declared in (kind, "text/html"):
        fields = (("content-type", declared), ("x-robots-tag", robots))
        response = Response(
            url="http://a.test/", status=200, headers=fields, body=body.encode("latin-1", "replace"), timing=_TIMING
        )
        page = _PARSER.parse(response)
        assert page is None or isinstance(page, Page)
    assert page is not None
    assert not ("noindex" in robots.split(",") and not page.noindex), "what is said to all holds for us"


TARGETS = (Target(name="headers", make=headers.headers, check=_check, runs=300, seconds=0.5),)
