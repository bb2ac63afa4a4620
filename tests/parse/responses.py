"""Answers as servers give them, and the pages that they become."""

from shoal.model import Page, Response, Timing
from shoal.parse.parser import HtmlParser

URL = "http://site.test/dir/page.html"


def respond(body: str | bytes, content_type: str = "text/html", url: str = URL, **headers: str) -> Response:
    named = tuple((name.replace("_", "-"), value) for name, value in headers.items())
    return Response(
        url=url,
        status=200,
        headers=(*((("content-type", content_type),) if content_type else ()), *named),
        body=body if isinstance(body, bytes) else body.encode(),
        timing=Timing(started=0.0, answered=0.0, ended=0.0),
    )


def parse(body: str | bytes, content_type: str = "text/html", url: str = URL, **headers: str) -> Page:
    page = HtmlParser().parse(respond(body, content_type, url, **headers))
    assert page is not None
    return page
