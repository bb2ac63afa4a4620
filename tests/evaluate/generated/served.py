"""What tests look at of the generated web: its pages, and what its servers answer."""

from __future__ import annotations

from shoal.evaluate.generated.ground_truth import WebPage
from shoal.evaluate.generated.synthetic_web import SyntheticWeb
from shoal.testing.webserver import WebAnswer


def html_pages(web: SyntheticWeb) -> list[WebPage]:
    return [page for page in web.pages.values() if page.status == 200 and page.note not in ("file", "redirect")]


def answer(web: SyntheticWeb, url: str) -> WebAnswer:
    host, _, target = url.removeprefix("http://").partition("/")
    return web.answer(host, f"/{target}", 100)
