"""How does a test know what a crawl heard of its user? A strategy that listens, laid beside those of shoal for a while."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import ClassVar

from shoal import services
from shoal import strategy as package
from shoal.model import Candidate, Mark, Repriced, Seen, Topic
from shoal.protocols import MarkLearner, Repricer, Strategy
from shoal.strategy import strategies
from shoal.urls import host_of, key_of

_HERE = str(Path(__file__).parent / "listening")


class Listener(Strategy, Repricer, MarkLearner):
    """Takes links as they stand on their page, until a user says something of a page of their host."""

    made: ClassVar[list[Listener]] = []
    """Every one since the folder was laid, one for each run of a crawl."""

    def __init__(self, topic: Topic) -> None:
        self.heard: list[Mark] = []
        self.refreshed: list[int] = []
        """How much had been heard at the beginning of each refresh."""
        self.slowness = 0.0
        """Seconds that a refresh takes."""
        self._links: dict[int, str] = {}
        self.made.append(self)

    def follow(self, seen: Seen) -> Iterable[Candidate]:
        """The first is worth a little less than 0.5, and each further one less than the one before."""
        for place, link in enumerate(seen.page.links if seen.page else (), start=1):
            self._links[key_of(link.url)] = link.url
            yield Candidate(link=link, priority=0.5 - place / 1000)

    def learn_mark(self, mark: Mark) -> None:
        """Remember it."""
        self.heard.append(mark)

    async def refresh(self) -> Sequence[Repriced]:
        """A link is worth what the user said last of a page of its host."""
        self.refreshed.append(len(self.heard))
        worth = {host_of(said.url): {True: 1.0, False: 0.0, None: 0.5}[said.relevant] for said in self.heard}
        await asyncio.sleep(self.slowness)
        known = {key: worth[host_of(url)] for key, url in self._links.items() if host_of(url) in worth}
        return [Repriced(key=key, priority=priority, why="the user said so") for key, priority in known.items()]

    def pace(self) -> int:
        """Only what the user says is a reason to think anew."""
        return 1_000_000

    def lost(self, keys: Iterable[int]) -> None:
        """They wait no more."""
        for key in keys:
            self._links.pop(key, None)


@contextmanager
def listener_laid() -> Iterator[list[Listener]]:
    """The strategy `listener` can be chosen; gives those that were made."""
    Listener.made.clear()
    package.__path__.append(_HERE)
    _forget_names()
    try:
        yield Listener.made
    finally:
        package.__path__.remove(_HERE)
        sys.modules.pop(f"{package.__name__}.listener", None)
        _forget_names()


def _forget_names() -> None:
    strategies.cache_clear()
    services.choices.names.cache_clear()
