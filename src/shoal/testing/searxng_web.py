"""What does an instance of SearXNG answer? A stand-in that speaks its JSON interface, on top of `webserver.py`.

    async with WebServer(SearxngWeb([result("http://a.test/", "A page")])) as server:
        …  # ask http://127.0.0.1:PORT/search?q=words&format=json

It refuses what the real one refuses: a format that is not allowed (403), a question without words or with a wrong page or
language (400), and too many questions (429).
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any
from urllib.parse import parse_qs

import msgspec

from shoal.testing.webserver import NOT_FOUND, ServedWeb, WebAnswer

Result = Mapping[str, Any]
_LANGUAGE = re.compile(r"auto|[a-z]{2,3}(-[a-zA-Z]{2})?")
_HTML = (("Content-Type", "text/html; charset=utf-8"),)
_JSON = (("Content-Type", "application/json"),)


def result(url: str, title: str = "", content: str = "", engines: Sequence[str] = ("duckduckgo",)) -> dict[str, Any]:
    """One result, with the fields that the real one has for a page."""
    return {
        "template": "default.html",
        "engine": engines[0] if engines else "",
        "engines": list(engines),
        "url": url,
        "title": title or url,
        "content": content,
        "publishedDate": None,
        "score": 1.0,
        "category": "general",
        "positions": [1],
    }


class SearxngWeb:
    """An instance whose engines find the same results for every question; what is not `/search` is another web's business."""

    def __init__(
        self,
        results: Sequence[Result] = (),
        *,
        per_page: int = 10,
        formats: Sequence[str] = ("html", "json"),
        questions: int | None = None,
        silent: Sequence[tuple[str, str]] = (),
        beside: ServedWeb | None = None,
        path: str = "/search",
    ) -> None:
        self._results = tuple(results)
        self._per_page = per_page
        self._formats = formats
        self._questions = questions
        """How many it answers before it has had enough."""
        self._silent = silent
        self._beside = beside
        self._path = path
        self.asked: list[dict[str, str]] = []
        """What every question had behind its question mark."""

    def answer(self, host: str, target: str, nth: int) -> WebAnswer:
        """As the real one, as far as we ask it."""
        path, _, query = target.partition("?")
        if path != self._path:
            return self._beside.answer(host, target, nth) if self._beside else NOT_FOUND
        form = {name: values[-1] for name, values in parse_qs(query).items()}
        self.asked.append(form)
        if self._questions is not None and len(self.asked) > self._questions:
            return WebAnswer(status=429, headers=_HTML, body=b"Too Many Requests")
        if form.get("format", "html") not in self._formats:
            return WebAnswer(status=403, headers=_HTML, body=b"<title>403 Forbidden</title>")
        if form.get("format") != "json":
            return WebAnswer(headers=_HTML, body=b"<!doctype html><title>SearXNG</title>")
        if wrong := _wrong(form):
            return WebAnswer(status=400, headers=_JSON, body=msgspec.json.encode({"error": wrong}))
        return WebAnswer(headers=_JSON, body=self._page(form["q"], int(form.get("pageno", "1"))))

    def _page(self, query: str, number: int) -> bytes:
        start = (number - 1) * self._per_page
        return msgspec.json.encode(
            {
                "query": query,
                "number_of_results": 0,
                "results": self._results[start : start + self._per_page],
                "answers": [],
                "corrections": [],
                "infoboxes": [],
                "suggestions": [],
                "unresponsive_engines": self._silent,
            }
        )


def _wrong(form: Mapping[str, str]) -> str:
    """Why a question cannot be answered, or empty."""
    if not form.get("q"):
        return "No query"
    number = form.get("pageno", "1")
    if not number.isdigit() or int(number) < 1:
        return "Invalid value for parameter pageno"
    if not _LANGUAGE.fullmatch(form.get("language", "all")):
        return "Invalid value for parameter language"
    return ""
