"""What would the recorded web say to a real crawler, or to a browser? A WARC file served on loopback, as an HTTP proxy.

There is no TLS here: pages that were recorded under https are served under http, and say http where they link to each other.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Callable, Iterator
from contextlib import AsyncExitStack
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path

import msgspec

from shoal.errors import InputError
from shoal.evaluate.recorded.archive import Archive
from shoal.evaluate.serve import FarAway
from shoal.signals import stopped_by_signals
from shoal.templates import filled
from shoal.testing.webserver import WebAnswer, WebServer
from shoal.urls import host_of, normalise

_OURSELVES = frozenset(("127.0.0.1", "localhost"))
_LISTED_HOSTS, _LISTED_PAGES = 100, 10
_START_URLS = 5
_SECURE_LINK = re.compile(rb"https(://([a-z0-9.-]+(?::[0-9]+)?))", re.I)
_INSISTS_ON_TLS = frozenset(("strict-transport-security", "content-security-policy", "alt-svc"))
"""Headers that would make a browser ask for what is not here."""
_HTML = ("text/html", "application/xhtml+xml")


class Served(msgspec.Struct, frozen=True, kw_only=True):
    """What is served, and where."""

    proxy: str
    """What to give a crawler or a browser as its proxy."""
    pages: int
    hosts: int
    start: tuple[str, ...]
    """Some URLs to begin with."""


async def serve(
    archive: Archive,
    *,
    port: int = 0,
    log: Path | None = None,
    latency: float = 0.0,
    ready: Callable[[Served], None],
) -> None:
    """WebAnswer until Ctrl-C or SIGTERM; `ready` hears when it begins."""
    stopped = asyncio.Event()
    web = ReplayedWeb(archive)
    async with AsyncExitStack() as stack:
        try:
            server = await stack.enter_async_context(WebServer(FarAway(web, latency), port=port, log=log))
        except OSError as error:
            if error.filename is not None:
                raise InputError(f"{log} cannot be written: {error.strerror}") from None
            raise InputError(f"Port {port} of 127.0.0.1 cannot be used: choose another --port, or none.") from None
        stack.enter_context(stopped_by_signals(stopped.set))
        pages = archive.html_urls()
        ready(Served(proxy=server.proxy, pages=len(pages), hosts=len(archive.hosts()), start=web.start))
        await stopped.wait()


@dataclass(frozen=True, slots=True)
class ReplayedWeb:
    """A recorded web behind plain http. Implements `testing.webserver.ServedWeb`."""

    archive: Archive

    @property
    def start(self) -> tuple[str, ...]:
        """The first page of each of some hosts; their homes where those are recorded."""
        firsts = (pages[0] for _, pages in self._by_host() if pages)
        return tuple(islice(firsts, _START_URLS))

    def answer(self, host: str, target: str, nth: int) -> WebAnswer:
        """What was recorded for this address under http or https, or a page that says that nothing was."""
        url = normalise(f"http://{host}{target}")
        found = self._recorded(url) if url is not None else None
        if found is not None:
            return self._without_tls(found)
        if host in _OURSELVES and target == "/":
            return self._index()
        return _html_answer(404, missing=url or f"http://{host}{target}")

    def _recorded(self, url: str) -> WebAnswer | None:
        secure_url = "https" + url.removeprefix("http")
        plain, secure = self.archive.answer(url), self.archive.answer(secure_url)
        if plain is None or secure is None:
            return plain or secure
        # The most usual redirect of all leads from http to https; here both are one address, and it would never end.
        return secure if 300 <= plain.status <= 399 and _target(plain, url) == secure_url else plain

    def _without_tls(self, answer: WebAnswer) -> WebAnswer:
        headers = tuple(
            (name, self._plain_links(value.encode("latin-1")).decode("latin-1") if _leads_away(name) else value)
            for name, value in answer.headers
            if name.lower() not in _INSISTS_ON_TLS
        )
        body = self._plain_links(answer.body) if _is_html(answer) else answer.body
        return replace(answer, headers=headers, body=body)

    def _plain_links(self, text: bytes) -> bytes:
        """Links to recorded hosts, under http. Their bytes are the same in all encodings that contain ASCII, GBK among them."""
        if b"://" not in text:
            return text
        return _SECURE_LINK.sub(lambda link: b"http" + link[1] if self._knows(link[2]) else link[0], text)

    def _knows(self, host: bytes) -> bool:
        return host.decode().lower() in self.archive.host_names

    # --- our own pages -----------------------------------------------------------------------------------------------

    def _by_host(self) -> Iterator[tuple[str, list[str]]]:
        """Each host with its first pages, the home first."""
        pages: dict[str, list[str]] = {host: [] for host in self.archive.hosts()}
        for url in self.archive.html_urls():
            pages[host_of(url)].append("http://" + url.partition("://")[2])
        for host, urls in pages.items():
            yield host, sorted(urls, key=lambda url: url != f"http://{host}/")[:_LISTED_PAGES]

    def _index(self) -> WebAnswer:
        shown = list(islice(self._by_host(), _LISTED_HOSTS))
        left = len(self.archive.hosts()) - len(shown)
        return _html_answer(200, missing="", name=self.archive.name, hosts=shown, left=left)


def _target(answer: WebAnswer, url: str) -> str | None:
    location = next((value for name, value in answer.headers if name.lower() == "location"), "")
    return normalise(location, url)


def _leads_away(header: str) -> bool:
    return header.lower() in ("location", "refresh", "link", "content-location")


def _is_html(answer: WebAnswer) -> bool:
    type = next((value for name, value in answer.headers if name.lower() == "content-type"), "text/html")
    # In UTF-16 a link has other bytes.
    return type.strip().lower().startswith(_HTML) and not answer.body.startswith((b"\xff\xfe", b"\xfe\xff"))


def _html_answer(status: int, **values: object) -> WebAnswer:
    page = "".join(filled("shoal.evaluate.recorded", "replay.html", **values))
    return WebAnswer(status=status, headers=(("Content-Type", "text/html; charset=utf-8"),), body=page.encode())
