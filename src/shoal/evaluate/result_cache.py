"""Was this understood before? Runs over one web parse each page once, judge it once per topic, and decode each image once."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from typing import Generic, TypeVar

from shoal.judge import make_judge
from shoal.model import DecodedImage, Failure, Link, Page, Response, Topic, Verdict
from shoal.protocols import ImageDecoder, Judge, Parser

_T = TypeVar("_T")
PAGES = 8_000
"""About 300 MB where pages have many links."""
IMAGES = 20_000
"""About 30 MB, with thumbnails as small as those of the generated web."""
_TABLES = 4
"""Judges and topics whose results are kept: a comparison runs all strategies for one topic, then goes on to the next."""


class ResultCache:
    """What was understood in this process, whoever asked. Forgets the oldest when it is full."""

    def __init__(self, pages: int = PAGES, images: int = IMAGES) -> None:
        self._limit = pages
        self._images: _Bounded[DecodedImage] = _Bounded(images)
        self._pages: _Bounded[Page | None] = _Bounded(pages)
        self._judged: _Bounded[_JudgedPages] = _Bounded(_TABLES)

    def parser(self, web: Hashable, parser: Parser) -> Parser:
        """The parser, with a memory for the pages of this web; `web` says whatever else makes a difference to them, too."""
        return _RememberingParser(web, parser, self._pages)

    def page(self, web: Hashable, url: str, read: Callable[[], Page | None]) -> Page | None:
        """The same memory, for who needs the answer of the web only when the page is not known: `read` gets and parses it."""
        return _remembered(self._pages, (web, url), read)

    def judge(self, web: str, name: str, topic: Topic) -> Judge:
        """The named judge for a topic, with a memory for the pages of this web."""
        key = web, name, topic
        table = self._judged.get(key)
        if table is None:
            table = self._judged.put(key, _JudgedPages(self._limit))
        return _RememberingJudge(make_judge(name, topic), table)

    def decoder(self, web: Hashable, decoder: ImageDecoder) -> ImageDecoder:
        """The decoder, with a memory for the images of this web; `web` says whatever else makes a difference to them, too."""
        return _RememberingDecoder(web, decoder, self._images)


class _Bounded(Generic[_T]):
    """A dictionary that lets go of the oldest when it is full."""

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._values: dict[Hashable, _T] = {}

    def __contains__(self, key: Hashable) -> bool:
        return key in self._values

    def get(self, key: Hashable) -> _T | None:
        return self._values.get(key)

    def put(self, key: Hashable, value: _T) -> _T:
        while len(self._values) >= self._limit:
            del self._values[next(iter(self._values))]
        self._values[key] = value
        return value


class _JudgedPages:
    """What one judge thinks of pages and links, by the page's URL."""

    def __init__(self, limit: int) -> None:
        self.verdicts: _Bounded[Verdict] = _Bounded(limit)
        self.hints: _Bounded[tuple[float, ...]] = _Bounded(limit)


class _RememberingParser:
    def __init__(self, web: Hashable, parser: Parser, pages: _Bounded[Page | None]) -> None:
        self._web = web
        self._parser = parser
        self._pages = pages

    def parse(self, response: Response) -> Page | None:
        return _remembered(self._pages, (self._web, response.url), lambda: self._parser.parse(response))


def _remembered(pages: _Bounded[Page | None], key: Hashable, read: Callable[[], Page | None]) -> Page | None:
    return pages.get(key) if key in pages else pages.put(key, read())


class _RememberingJudge:
    def __init__(self, judge: Judge, judged: _JudgedPages) -> None:
        self._judge = judge
        self._judged = judged

    def judge(self, page: Page) -> Verdict:
        known = self._judged.verdicts.get(page.url)
        return known if known is not None else self._judged.verdicts.put(page.url, self._judge.judge(page))

    def judge_links(self, links: Sequence[Link]) -> tuple[float, ...]:
        if not links:
            return ()
        source = links[0].source
        known = self._judged.hints.get(source)
        if known is not None and len(known) == len(links):
            return known
        return self._judged.hints.put(source, self._judge.judge_links(links))


class _RememberingDecoder:
    def __init__(self, web: Hashable, decoder: ImageDecoder, images: _Bounded[DecodedImage]) -> None:
        self._web = web
        self._decoder = decoder
        self._images = images

    def decode(self, response: Response) -> DecodedImage | Failure:
        key = self._web, response.url
        known = self._images.get(key)
        if known is not None:
            return known
        developed = self._decoder.decode(response)
        # A failure says when it happened, so it is none to remember.
        return self._images.put(key, developed) if isinstance(developed, DecodedImage) else developed
