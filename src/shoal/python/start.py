"""How does a crawl begin, from Python?"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Unpack

import msgspec

from shoal import services
from shoal.errors import AddressTaken, NoSeedReached, OwnCodeFailed
from shoal.installation.location import Installation
from shoal.protocols import Judge, Strategy
from shoal.python.arguments import CrawlSettings, checked, in_python_words, own_or_named
from shoal.python.crawl import Crawl
from shoal.python.crawl_lookup import installation_at
from shoal.python.runs import run_and_wait, run_in_loop
from shoal.services.crawls import Made
from shoal.services.own_parts import OwnParts
from shoal.settings import Settings

Words = str | Path | Iterable[str] | Mapping[str, float]
"""Words, as `power grid, substation=0.8, 电网`, one by one, or in a dict with their weights; or a topic file."""


def crawl(
    topic: str | Path | Iterable[str] | Mapping[str, float],
    *,
    seeds: str | Iterable[str] = (),
    name: str | None = None,
    folder: str | Path | None = None,
    home: str | Path | None = None,
    strategy: str | Strategy | None = None,
    judge: str | Judge | None = None,
    progress: bool = True,
    **settings: Unpack[CrawlSettings],
) -> Crawl:
    """Crawl a topic, best pages first, and answer the crawl when it is over.

    `topic` are words (`"power grid, 电网"`, or `{"power grid": 1, "电网": 0.8}`), or the `Path` of a topic file. The crawl is
    kept in the home, under its name, unless a `folder` is given. `strategy` and `judge` are names, or objects of your own. What
    else a topic file can say is a keyword, too: `max_pages=500`. Ctrl-C stops, and the crawl is answered as it stands.
    """
    with in_python_words():
        begun = _begin(topic, seeds, name, folder, home, strategy, judge, dict(settings))
        try:
            return begun.crawl.ended(run_and_wait(*begun.place, begun.own, progress=progress))
        except (NoSeedReached, AddressTaken, OwnCodeFailed):
            _forget_if_empty(begun)
            raise


async def crawl_async(
    topic: str | Path | Iterable[str] | Mapping[str, float],
    *,
    seeds: str | Iterable[str] = (),
    name: str | None = None,
    folder: str | Path | None = None,
    home: str | Path | None = None,
    strategy: str | Strategy | None = None,
    judge: str | Judge | None = None,
    progress: bool = False,
    **settings: Unpack[CrawlSettings],
) -> Crawl:
    """The same in the event loop of a program. Cancelled, it ends at once, and nothing that was stored is lost."""
    with in_python_words():
        begun = _begin(topic, seeds, name, folder, home, strategy, judge, dict(settings))
        try:
            return begun.crawl.ended(await run_in_loop(*begun.place, begun.own, progress=progress))
        except (NoSeedReached, AddressTaken, OwnCodeFailed):
            _forget_if_empty(begun)
            raise


# --- what was given --------------------------------------------------------------------------------------------------


class _Begun(msgspec.Struct, frozen=True, kw_only=True):
    """A crawl that is there and has not run yet."""

    crawl: Crawl
    made: Made
    own: OwnParts

    @property
    def place(self) -> tuple[Path, Installation]:
        """Where it runs."""
        return self.crawl.folder, self.crawl.installation


def _begin(
    topic: Words,
    seeds: str | Iterable[str],
    name: str | None,
    folder: str | Path | None,
    home: str | Path | None,
    strategy: str | Strategy | None,
    judge: str | Judge | None,
    given: Mapping[str, object],
) -> _Begun:
    own, options = own_or_named(strategy, judge, checked(given))
    topic = _checked_topic(topic)
    file = _topic_file(topic)
    if name is not None:
        options["name"] = name
    if not isinstance(seeds, Iterable):
        raise TypeError(f"seeds must be a URL or several, not {seeds!r}")
    options["seeds"] = (seeds,) if isinstance(seeds, str) else tuple(seeds)
    settings = _settings(file or topic, options)
    cluster = services.topics.servers_of(file, os.environ, options)
    installation = installation_at(home)
    if folder is None:
        place = services.catalog.place_for(installation, name or services.catalog.name_for(settings.topic.name))
    else:
        place = Path(folder)
    made = services.crawls.start_crawl(place, settings, cluster=cluster, own=own)
    return _Begun(crawl=Crawl(place, installation), made=made, own=own)


def _checked_topic(topic: Words) -> Words:
    """Words with their weights in a dict are words, too; what is none is Python's own error."""
    if isinstance(topic, Mapping):
        return [f"{word}={weight}" for word, weight in topic.items()]
    if not isinstance(topic, str | Path | Iterable):
        raise TypeError(f"topic must be words, or the Path of a topic file, not {topic!r}")
    return topic


def _topic_file(topic: Words) -> Path | None:
    """No word looks for itself with `.toml` at its end."""
    if isinstance(topic, str):
        return Path(topic) if topic.endswith(".toml") else None
    return topic if isinstance(topic, Path) else None


def _settings(topic: Words, options: dict[str, object]) -> Settings:
    if isinstance(topic, Path):
        return services.topics.settings_of(topic, os.environ, options)
    seeds = options.pop("seeds")
    assert isinstance(seeds, tuple)
    return services.topics.settings_from_words(topic, seeds, os.environ, options)


def _forget_if_empty(begun: _Begun) -> None:
    """So that the same call works when the mistake is found."""
    if not begun.crawl.status().pages:
        services.crawls.forget_crawl(begun.made)
