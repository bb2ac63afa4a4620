"""A web of a dozen hosts in which everything happens that a crawl must survive, yet which has an end.

Texts are made of random words, so that no page looks like another and nothing is taken for a trap.
"""

from __future__ import annotations

from asyncio import Event
from collections import deque
from collections.abc import Sequence
from random import Random

from shoal.testing.webserver import SimpleWeb, WebAnswer

HOME = "http://h0.test/"
_CONSONANTS, _VOWELS = "bdfgklmnprstvz", "aeiou"


class SmallWeb:
    """Hosts h0.test, h1.test … with so many pages each (`sizes`), linked in a ring and by chance."""

    def __init__(self, sizes: Sequence[int], *, robots: dict[int, str] | None = None) -> None:
        self.robots = {f"h{host}.test": text for host, text in (robots or {}).items()}
        self._awaited: deque[Event] = deque()
        """One for each request that a test still waits for; the server's loop sets them."""
        self._web = SimpleWeb()
        self._sizes = sizes
        for host, size in enumerate(sizes):
            for number in range(size):
                self._write(host, number)
        for name, text in self.robots.items():
            self._web.robots(name, text)
        self._write_oddities()

    def busy(self, host: int, first: int) -> None:
        """Let a host refuse its first requests with 429."""
        self._web.refusing(f"h{host}.test", first)

    def slow(self, host: int, seconds: float) -> None:
        """Let all pages of a host take their time."""
        for number in range(self._sizes[host]):
            self._write(host, number, delay=seconds)

    async def gets(self, requests: int) -> None:
        """Return when so many more requests have come."""
        events = [Event() for _ in range(requests)]
        self._awaited.extend(events)
        await events[-1].wait()

    def answer(self, host: str, target: str, nth: int) -> WebAnswer:
        """The `Web` that `WebServer` serves."""
        if self._awaited:
            self._awaited.popleft().set()
        return self._web.answer(host, target, nth)

    def _url(self, host: int, number: int) -> str:
        return f"http://h{host}.test/" + (f"p/{number}" if number else "")

    def _write(self, host: int, number: int, delay: float = 0.0) -> None:
        random = Random(f"{host}/{number}")
        url = self._url(host, number)
        links = [self._url(host, (number + 1) % self._sizes[host]), f"/private/{number}"]
        others = random.choices(range(len(self._sizes)), k=4)
        links += [self._url(other, random.randrange(self._sizes[other])) for other in others]
        if number == 0 and host in self._odd_hosts():
            links += ["/copy", "/original", "/moved/1", "/loop/a", "/gone", "/kept-out", "/image", "/gbk"]
        if number == 0:
            links += [self._url(other, 0) for other in range(len(self._sizes))]
        self._web.page(url, _words(random, 80), links=links, title=_words(random, 4), delay=delay)
        self._web.page(f"http://h{host}.test/private/{number}", "Nobody should read this.")

    def _odd_hosts(self) -> range:
        """Every second one: the others have pages only."""
        return range(0, len(self._sizes), 2)

    def _write_oddities(self) -> None:
        for host in self._odd_hosts():
            home, random = self._url(host, 0), Random(f"{host}")
            same = _words(random, 60)
            self._web.page(home + "original", same, title="twins").page(home + "copy", same, title="twins")
            self._web.redirect(home + "moved/1", "/moved/2").redirect(home + "moved/2", "/moved/3")
            self._web.page(home + "moved/3", _words(random, 50), title=f"the end of the chain on {host}")
            self._web.redirect(home + "loop/a", "/loop/b").redirect(home + "loop/b", "/loop/a")
            self._web.page(home + "kept-out", _words(random, 50), head='<meta name="robots" content="noindex">')
            self._web.raw(home + "image", b"\x89PNG", content_type="image/png")
            chinese = f"<title>电网{host}</title><p>" + "".join(random.choices("电网调度与变电站的运行情况", k=80))
            self._web.raw(home + "gbk", chinese.encode("gbk"), content_type="text/html; charset=gb2312")


def _words(random: Random, count: int) -> str:
    return " ".join("".join(random.choice(s) for s in (_CONSONANTS, _VOWELS) * 3) for _ in range(count))
