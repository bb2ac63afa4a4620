"""Which hosts are good? A small strategy that learns it, and can tell what the next pages will bring.

It is what the tests of `--until-done` and `shoal model` crawl with: everything around a strategy that learns, without one that
takes long to understand. The folder is laid beside the strategies of shoal for the time of a test (`tests/telling.py`).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from heapq import nlargest

import msgspec

from shoal.errors import InputError
from shoal.judge.registry import Parameter, Registered
from shoal.model import Candidate, Outlook, Repriced, Seen, Topic
from shoal.protocols import Forecaster, Persistent, Portable, Repricer, Strategy
from shoal.strategy import refusal
from shoal.urls import host_of, key_of


class Noted(msgspec.Struct, frozen=True):
    """A page, as it is stored with it."""

    url: str
    relevant: bool
    links: tuple[str, ...]


class Teller(Strategy, Repricer, Forecaster, Portable, Persistent):
    """A link is worth what its host was worth so far: (relevant + 1) / (pages + 2).

    What random checks found is not drawn here but said by the user: `checked` pages, of which `found` were relevant.
    """

    def __init__(self, topic: Topic, *, checked: float = 0.0, found: float = 0.0, expected: float = 0.0) -> None:
        self._checks = int(checked), found, expected
        self._hosts: dict[str, tuple[int, int]] = {}
        """Pages and relevant pages."""
        self._waiting: dict[int, str] = {}
        """The hosts of the URLs that were found and not fetched."""
        self._fetched: set[int] = set()

    def follow(self, seen: Seen) -> Iterable[Candidate]:
        """A candidate for every link, the best hosts first."""
        self._note(self._noted(seen))
        for link in seen.page.links if seen.page else ():
            share = self._share(host_of(link.url))
            refused = refusal(seen.page, link) if seen.page else None
            yield refused or Candidate(link=link, priority=share, why=f"{share:.0%} of its host's pages are relevant")

    def pace(self) -> int:
        """Often enough for a small test."""
        return 20

    async def refresh(self) -> Sequence[Repriced]:
        """What each host is worth by now."""
        worth = {host: self._share(host) for host in set(self._waiting.values())}
        why = "{:.0%} of its host's pages are relevant by now"
        return [
            Repriced(key=key, priority=worth[host], why=why.format(worth[host])) for key, host in self._waiting.items()
        ]

    def outlook(self, pages: int) -> Outlook:
        """The best of what waits."""
        worth = [self._share(host) for host in self._waiting.values()]
        best = nlargest(pages, worth)
        checked, found, expected = self._checks
        return Outlook(
            pages=len(best),
            relevant=sum(best),
            missed=sum(worth),
            audited=checked,
            audited_relevant=found,
            expected_relevant=expected,
        )

    def lost(self, keys: Iterable[int]) -> None:
        """They wait no more."""
        for key in keys:
            self._waiting.pop(key, None)

    def memo(self, seen: Seen) -> bytes:
        """The page, whether it was relevant, and its links."""
        return msgspec.msgpack.encode(self._noted(seen))

    def recall(self, memos: Iterable[bytes]) -> None:
        """Learn from all pages of earlier runs again."""
        for memo in memos:
            try:
                self._note(msgspec.msgpack.decode(memo, type=Noted))
            except msgspec.DecodeError:  # another strategy's
                continue

    def knowledge(self) -> bytes:
        """What each host was worth."""
        return msgspec.msgpack.encode(self._hosts) if self._hosts else b""

    def begin_with(self, knowledge: bytes) -> None:
        """Hosts are worth what they were worth elsewhere."""
        try:
            self._hosts = msgspec.msgpack.decode(knowledge, type=dict[str, tuple[int, int]])
        except msgspec.DecodeError:
            raise InputError("The model holds no hosts with their pages, so teller cannot begin with it.") from None

    def _noted(self, seen: Seen) -> Noted:
        links = tuple(link.url for link in seen.page.links) if seen.page else ()
        return Noted(seen.task.url, seen.verdict is not None and seen.verdict.relevant, links)

    def _note(self, noted: Noted) -> None:
        host, key = host_of(noted.url), key_of(noted.url)
        pages, relevant = self._hosts.get(host, (0, 0))
        self._hosts[host] = pages + 1, relevant + noted.relevant
        self._fetched.add(key)
        self._waiting.pop(key, None)
        self._waiting |= {key_of(url): host_of(url) for url in noted.links if key_of(url) not in self._fetched}

    def _share(self, host: str) -> float:
        pages, relevant = self._hosts.get(host, (0, 0))
        return (relevant + 1) / (pages + 2)


CHOICE = Registered(
    name="teller",
    summary="links to good hosts first",
    paper="",
    make=Teller,
    parameters=(
        Parameter(name="checked", default=0, least=0, most=1e6, what="pages drawn at random"),
        Parameter(name="found", default=0, least=0, most=1e6, what="those that were relevant"),
        Parameter(name="expected", default=0, least=0, most=1e6, what="those that should have been"),
    ),
)
