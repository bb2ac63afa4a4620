"""What is there to be found? Every page of a web is parsed once, and the links between them are followed as a crawl would.

    Survey     the links of a whole web, for every topic alike; takes a while, so it is kept in a file
    Ground     what one topic's crawl can reach from its seeds, in its scope, and which of that is relevant

robots.txt, nofollow, redirects and scope hold as in a crawl. Only traps do not: whether a page is one is Shoal's own opinion,
and a wrong one must cost recall. A page that asks not to be kept (noindex) is followed, but is not there to be found.
"""

from __future__ import annotations

import math
import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cache, cached_property
from hashlib import blake2b
from itertools import accumulate
from pathlib import Path

import msgspec

import shoal
from shoal.evaluate.job_pool import Ended, share
from shoal.evaluate.offline_fetcher import target_of
from shoal.evaluate.offline_web import OfflineWeb
from shoal.evaluate.oracle import SurveyGraph, graph_of, reachable
from shoal.files import replaced
from shoal.frontier.intake import MAX_HOPS
from shoal.frontier.robots import Rulebook
from shoal.frontier.scope import ScopeRule
from shoal.model import Response, Timing
from shoal.model.stored import RobotsRecord
from shoal.parse.parser import HtmlParser
from shoal.protocols import Progress, no_progress
from shoal.settings import USER_AGENT, Settings
from shoal.strategy import refusal
from shoal.testing.webserver import WebAnswer
from shoal.urls import origin_of

NOWHERE = -1
_CHUNK = 250
"""Pages parsed in one go: so many take a second."""
_AT_ONCE = Timing(started=0.0, answered=0.0, ended=0.0)


class Survey(msgspec.Struct, frozen=True, kw_only=True):
    """The links of a web. Places are numbers: first all pages, then the addresses that send elsewhere."""

    urls: tuple[str, ...]
    """The address of each place."""
    pages: int
    """How many of the places are pages."""
    moved: tuple[int, ...]
    """Where each of the other addresses sends its visitors, or NOWHERE."""
    starts: tuple[int, ...]
    """Where the links of each page begin in `links`; and where the last ends."""
    links: tuple[int, ...]
    """The places that pages link to, in the order of each page."""
    noindex: frozenset[int]
    """Pages that ask not to be kept."""
    robots: tuple[RobotsRecord, ...]


# --- the whole web ---------------------------------------------------------------------------------------------------


def survey(
    web: OfflineWeb,
    also: Iterable[str] = (),
    *,
    user_agent: str = USER_AGENT,
    processes: int = 1,
    progress: Progress = no_progress,
) -> Survey:
    """Parse every page of a web; several processes share the work.

    `also` are addresses that people know, seeds and labels: they may send elsewhere though no page links to them. What a
    page asks of the crawler called `user_agent` is heeded.
    """
    urls = list(web.urls())
    chunks = [tuple(urls[start : start + _CHUNK]) for start in range(0, len(urls), _CHUNK)]
    read: dict[tuple[str, ...], list[_Outgoing]] = {}
    done = 0
    for event in share(_Reader(web, user_agent), chunks, processes):
        if isinstance(event, Ended):
            read[event.job] = event.result
            progress(done := done + len(event.job), len(urls))
    pages = [page for chunk in chunks for page in read[chunk]]
    return _joined(web, urls, pages, also)


@dataclass(frozen=True, slots=True)
class _Outgoing:
    """What a survey keeps of a page."""

    links: tuple[str, ...]
    noindex: bool


@dataclass(frozen=True, slots=True)
class _Reader:
    """Parses pages; lives in each of the processes."""

    web: OfflineWeb
    user_agent: str

    def __call__(self, urls: Sequence[str]) -> list[_Outgoing]:
        parser = HtmlParser(self.user_agent)
        # Pages of a site link to the same places: each address is sent home once per chunk.
        same: dict[str, str] = {}
        return [self._read(parser, url, same) for url in urls]

    def _read(self, parser: HtmlParser, url: str, same: dict[str, str]) -> _Outgoing:
        answer = self.web.answer(url)
        assert answer is not None, f"{url} is a page of the web"
        page = parser.parse(_response(url, answer))
        if page is None:
            return _Outgoing((), noindex=False)
        targets = dict.fromkeys(link.url for link in page.links if refusal(page, link) is None)
        return _Outgoing(tuple(same.setdefault(target, target) for target in targets), page.noindex)


def _response(url: str, answer: WebAnswer) -> Response:
    headers = tuple((name.lower(), value) for name, value in answer.headers)
    return Response(url=url, status=answer.status, headers=headers, body=answer.body, timing=_AT_ONCE)


def _joined(web: OfflineWeb, urls: Sequence[str], pages: Sequence[_Outgoing], also: Iterable[str]) -> Survey:
    """Addresses become numbers, and redirects are followed."""
    places = {url: place for place, url in enumerate(urls)}
    moved = dict(_redirects(web, places, {*also, *(target for page in pages for target in page.links)}))
    places |= {url: len(urls) + place for place, url in enumerate(moved)}
    links = [[places[target] for target in page.links if target in places] for page in pages]
    return Survey(
        urls=tuple(places),
        pages=len(urls),
        moved=tuple(places.get(target, NOWHERE) for target in moved.values()),
        starts=tuple(accumulate(map(len, links), initial=0)),
        links=tuple(place for page in links for place in page),
        noindex=frozenset(place for place, page in enumerate(pages) if page.noindex),
        robots=tuple(_robots(web, origin) for origin in sorted({origin_of(url) for url in places})),
    )


def _redirects(web: OfflineWeb, pages: Mapping[str, int], targets: Iterable[str]) -> Iterator[tuple[str, str]]:
    """Every address that sends elsewhere, and those that it sends to and that send further."""
    asked: set[str] = set()
    waiting = sorted(target for target in targets if target not in pages)
    while waiting:
        url = waiting.pop()
        if url in asked:
            continue
        asked.add(url)
        if target := _moved_to(url, web.answer(url)):
            yield url, target
            if target not in pages:
                waiting.append(target)


def _moved_to(url: str, answer: WebAnswer | None) -> str | None:
    return None if answer is None else target_of(url, answer)


def _robots(web: OfflineWeb, origin: str) -> RobotsRecord:
    """The robots.txt of an origin, perhaps from elsewhere; that there is none is known, too."""
    url = f"{origin}/robots.txt"
    answer = web.answer(url)
    for _ in range(MAX_HOPS):
        if (target := _moved_to(url, answer)) is None:
            break
        url, answer = target, web.answer(target)
    status, body = (404, b"") if answer is None else (answer.status, answer.body)
    text = body.decode("utf-8", "replace") if 200 <= status <= 299 else ""
    return RobotsRecord(origin=origin, text=text, status=status, fetched_at=0.0, expires_at=math.inf)


# --- one topic -------------------------------------------------------------------------------------------------------


class Ground:
    """What a crawl with these settings can reach."""

    def __init__(self, survey: Survey, settings: Settings) -> None:
        self._survey = survey
        self._scope = ScopeRule(settings.scope, settings.seeds)
        self.max_depth = settings.budget.max_depth
        records = {record.origin: record for record in survey.robots}
        self._rulebook = Rulebook(settings.politeness, settings.fetching.user_agent, records.get)
        self._places = {url: place for place, url in enumerate(survey.urls)}
        self._final = [self._follow(place, self._allows) for place in range(len(survey.urls))]
        self.graph: SurveyGraph = graph_of(survey.starts, [self._final[place] for place in survey.links])
        # Seeds are always in scope; where they send us must be, too.
        self.seeds = [page for url in settings.seeds if (page := self._seed(url)) != NOWHERE]

    @cached_property
    def reachable(self) -> frozenset[int]:
        """Every page that a crawl without a budget could fetch."""
        return frozenset(reachable(self.graph, self.seeds, self.max_depth))

    def relevant(self, labelled: Iterable[str]) -> frozenset[int]:
        """The labelled pages that can be reached; an address that sends elsewhere counts as the page it leads to."""
        places = (self._places[url] for url in labelled if url in self._places)
        pages = frozenset(self._follow(place, lambda place: True) for place in places)
        return (pages & self.reachable) - self._survey.noindex

    def names(self, pages: Iterable[int]) -> list[str]:
        """The URLs of pages."""
        return [self._survey.urls[page] for page in pages]

    def _seed(self, url: str) -> int:
        first = self._places.get(url, NOWHERE)
        if first == NOWHERE or not self._asks(first):
            return NOWHERE
        return self._follow(first, lambda place: place == first or self._allows(place))

    def _allows(self, place: int) -> bool:
        return self._scope.allows(self._survey.urls[place]) and self._asks(place)

    def _asks(self, place: int) -> bool:
        return self._rulebook.check(self._survey.urls[place], 0.0) == "allowed"

    def _follow(self, place: int, allows: Callable[[int], bool]) -> int:
        """The page that a link to this place leads to."""
        for _ in range(MAX_HOPS + 1):
            if place == NOWHERE or not allows(place):
                return NOWHERE
            if place < self._survey.pages:
                return place
            place = self._survey.moved[place - self._survey.pages]
        return NOWHERE


# --- kept for the next time ------------------------------------------------------------------------------------------


def cache_folder(environ: Mapping[str, str]) -> Path:
    """Where surveys are kept: SHOAL_CACHE_DIR, or the place where programs keep what they can make again."""
    if chosen := environ.get("SHOAL_CACHE_DIR"):
        return Path(chosen) / "surveys"
    cache = environ.get("XDG_CACHE_HOME", "")
    # The XDG rules: a relative path counts as not set.
    folder = Path(cache) if os.path.isabs(cache) else Path.home() / ".cache"
    return folder / "shoal" / "surveys"


def kept_survey(
    web: OfflineWeb,
    stamp: str,
    folder: Path,
    also: Iterable[str] = (),
    *,
    user_agent: str = USER_AGENT,
    processes: int = 1,
    progress: Progress = no_progress,
) -> Survey:
    """The survey of a web from the folder, if one of the same web by the same code is there; else it is made and kept."""
    strangers = sorted(set(also).difference(web.urls()))
    digest = blake2b("\n".join([code_stamp(), stamp, user_agent, *strangers]).encode(), digest_size=16).hexdigest()
    file = folder / f"{digest}.survey"
    try:
        return msgspec.msgpack.decode(file.read_bytes(), type=Survey)
    except (OSError, msgspec.DecodeError):  # there is none, or not a whole one
        found = survey(web, strangers, user_agent=user_agent, processes=processes, progress=progress)
    _keep(file, msgspec.msgpack.encode(found))
    return found


def _keep(file: Path, data: bytes) -> None:
    with suppress(OSError):  # then the next time takes as long as this one: no reason to fail
        file.parent.mkdir(parents=True, exist_ok=True)
        with replaced(file) as stream:
            stream.write(data)


@cache
def code_stamp() -> str:
    """Changes whenever pages might be read, or links be followed, in another way."""
    source = Path(shoal.__file__).parent
    digest = blake2b(shoal.__version__.encode(), digest_size=6)
    ways = ("text.py", "urls.py", "evaluate/survey.py", "evaluate/offline_fetcher.py", "strategy/__init__.py")
    rooms = [file for room in ("crawl", "frontier", "parse", "fetch") for file in sorted((source / room).glob("*.py"))]
    for file in (*(source / way for way in ways), *rooms):
        digest.update(file.read_bytes())
    return digest.hexdigest()


def stamp_of(source: str, web: OfflineWeb) -> str:
    """Changes whenever a web might: a recorded one with its files, a generated one with its pages."""
    path = Path(source)
    digest = blake2b(web.name.encode(), digest_size=8)
    if not path.exists():
        for url in web.urls():
            answer = web.answer(url)
            digest.update(url.encode() + (answer.body if answer else b""))
        return digest.hexdigest()
    for file in sorted(path.glob("*.warc*")) if path.is_dir() else [path]:
        stat = file.stat()
        digest.update(f"{file.resolve()} {stat.st_size} {stat.st_mtime_ns}\n".encode("utf-8", "surrogateescape"))
    return digest.hexdigest()
