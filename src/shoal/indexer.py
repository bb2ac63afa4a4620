"""How does what was crawled get into the index? It follows the store, version by version, and always knows how far it is.

`python -m shoal.indexer FOLDER` does so beside a crawl, as a process of its own, until its standard input ends. Whatever kills
it, the next one goes on where the index is; so does a search in a folder whose index has fallen behind.
"""

from __future__ import annotations

import asyncio
import select
import sys
import tempfile
from collections import Counter
from collections.abc import AsyncIterator, Callable, Iterable, Mapping, Sequence
from contextlib import asynccontextmanager
from math import log
from pathlib import Path
from subprocess import PIPE
from zlib import crc32

import msgspec

from shoal.cache import cached
from shoal.database.sql import Database
from shoal.errors import FolderBusy, FolderError, ShoalError
from shoal.index.analyzer import tokens
from shoal.index.index_folder import STANDINGS, IndexWriter, exists, in_turn, opened, problem
from shoal.index.schema import Document
from shoal.os_process import OutlivingProcess
from shoal.protocols import Progress, no_progress
from shoal.store import change_feed
from shoal.store import crawl_folder as folders
from shoal.store.change_feed import Said
from shoal.strategy.graph import DAMPING, Graph

PAGES = "index"
"""Where in a crawl's folder the index of its pages is."""
_BATCH = 500
_UNNOTICED = 1.0
"""Seconds that the rest may take without the user being told."""
_SHORT = 2.0
"""Seconds. What is over by then is indexed when it is over."""
_REST = 2.0
"""Seconds between two looks at the store."""
_ANCHORS = 12
"""Different ones that are kept of a page, the most frequent first."""
_IMPORTANT = 0.5
"""Importance counts little for the order of hits, so only this step of it is worth indexing a page again."""
_LEAST_RANK = 1 - DAMPING
"""The rank of a page that nobody links to."""
_MANY = 5_000
"""Pages after which a crawl that goes on weighs its pages for the first time; then each time they have tripled."""
_WORTH = 0.1
"""In the end pages are weighed if so large a share of them is new: it takes a look at all links."""


class OffPageSignals(msgspec.Struct, frozen=True, kw_only=True):
    """How other pages speak of a page."""

    importance: float = 0.0
    """By the links to it, 0 to 1."""
    anchors: tuple[str, ...] = ()

    def mark(self, title: str) -> int:
        """Another number when the index should know: others say words of the page that neither its title has nor they had before.

        Most links say the title, or a part of it. Pages need not be indexed again for that.
        """
        words = sorted({word for anchor in self.anchors for word in _words(anchor)}.difference(_words(title)))
        return crc32(f"{self.importance >= _IMPORTANT} {words}".encode())


_words = cached(size=50_000)(tokens)


class Indexer:
    """Brings an index up to the store. Owns the index's writer and knows what the index says of each page's standing."""

    def __init__(
        self, folder: Path, database: Database, writer: IndexWriter, known: dict[int, OffPageSignals] | None = None
    ) -> None:
        """`known` is how pages stand, when that was found out before the index is filled."""
        self._known = known or {}
        self._file = folder / PAGES / STANDINGS
        self._database = database
        self._writer = writer
        self._reached = writer.last_version()
        self._standings = _read_standings(self._file)
        """The mark of each page's standing, as the index has it."""
        self._weighed = len(self._standings)
        """How many pages there were when they were last weighed."""

    def catch_up(self, progress: Progress = no_progress) -> int:
        """Add what the store has and the index has not; answers how many pages that were."""
        start, last = self._reached, change_feed.last_version(self._database)
        count = 0
        while self._reached < last and (batch := change_feed.news(self._database, self._reached, _BATCH)):
            self._take(batch)
            count += len(batch)
            progress(self._reached - start, last - start)
        if count:
            self._writer.commit(self._reached)
        return count

    def _take(self, batch: list[Said]) -> None:
        latest = {said.page: said for said in batch}
        self._writer.remove(said.page for said in latest.values() if said.text is None)
        standings = {page: self._known.get(page) or _by_first_link(said) for page, said in latest.items()}
        self._writer.add(_document(said, standings[said.page]) for said in latest.values() if said.text is not None)
        self._standings |= {page: standing.mark(latest[page].title) for page, standing in standings.items()}
        self._reached = batch[-1].version

    def weigh_meanwhile(self) -> None:
        """A crawl that goes on for long gets its pages weighed now and then."""
        if len(self._standings) >= max(_MANY, 3 * self._weighed):
            self.weigh()

    def weigh_in_the_end(self) -> None:
        """Unless hardly anything is new."""
        if len(self._standings) - self._weighed >= _WORTH * len(self._standings):
            self.weigh()

    def weigh(self) -> int:
        """Let the index know what pages say of each other by now; answers how many had to be changed."""
        standings, titles = weighed(self._database), change_feed.titles(self._database)
        marks = {page: standing.mark(titles[page]) for page, standing in standings.items()}
        moved = [page for page, mark in marks.items() if self._standings.get(page) != mark]
        for start in range(0, len(moved), _BATCH):
            batch = moved[start : start + _BATCH]
            said = [one for one in change_feed.latest(self._database, batch) if one.text is not None]
            self._writer.add(_document(one, standings[one.page]) for one in said)
            self._standings |= {page: marks[page] for page in batch}
        if moved:
            self._writer.commit(self._reached)
        self._weighed = len(self._standings)
        self.remember()
        return len(moved)

    def remember(self) -> None:
        """Spare the next one work; if this is lost, pages are weighed that need not be."""
        self._file.write_bytes(msgspec.msgpack.encode(self._standings))


def weighed(database: Database) -> dict[int, OffPageSignals]:
    """How the kept pages stand. A crawl may go on meanwhile: what it adds between two questions counts the next time."""
    kept = change_feed.kept(database)
    standings = stand(change_feed.keys(database), change_feed.links(database))
    return {page: standings[page] for page in kept}


def stand(
    pages: Mapping[int, int], links: Iterable[tuple[int, Sequence[int], Sequence[str]]]
) -> dict[int, OffPageSignals]:
    """How pages stand by the links between them.

    `pages` has the number of each by `urls.key_of` its URL; each link has the page, whom it links to (keys), and in which words.
    """
    graph, key_of = Graph(), {page: key for key, page in pages.items()}
    anchors: dict[int, Counter[str]] = {page: Counter() for page in key_of}
    for page, targets, said in links:
        if page not in key_of:
            continue
        inner = [(key, anchor) for key, anchor in zip(targets, said, strict=True) if key in pages]
        graph.add(key_of[page], [key for key, _ in inner])
        for key, anchor in inner:
            if anchor:
                anchors[pages[key]][anchor] += 1
    now = graph.snapshot()
    ranks = dict(zip(now.keys.tolist(), now.pagerank().tolist(), strict=True))
    top = log(max(ranks.values(), default=_LEAST_RANK) / _LEAST_RANK) or 1.0
    return {
        page: OffPageSignals(
            importance=max(0.0, log(ranks.get(key, _LEAST_RANK) / _LEAST_RANK) / top),
            anchors=tuple(anchor for anchor, _ in anchors[page].most_common(_ANCHORS)),
        )
        for key, page in pages.items()
    }


def _by_first_link(said: Said) -> OffPageSignals:
    """What is known of a page when it comes: the link by which it was found."""
    return OffPageSignals(anchors=(said.anchor,) if said.anchor else ())


def _document(said: Said, standing: OffPageSignals) -> Document:
    return Document(
        id=said.page,
        version=said.version,
        url=said.url,
        title=said.title,
        headings=said.headings,
        anchors=standing.anchors,
        text=said.text or "",
        flat=said.flat,
        language=said.language,
        topic=said.topic,
        published=said.published,
        fetched_at=said.at,
        score=said.score,
        relevant=said.relevant,
        importance=standing.importance,
        group=said.copy_of,
    )


def _read_standings(file: Path) -> dict[int, int]:
    try:
        return msgspec.msgpack.decode(file.read_bytes(), type=dict[int, int])
    except (OSError, msgspec.DecodeError):
        return {}


# --- who follows -----------------------------------------------------------------------------------------------------


def catch_up(folder: Path, progress: Progress = no_progress) -> int:
    """Bring the index up to the store, whatever state it is in; answers how many pages were added.

    An index that is damaged, or was made by another version, is made anew. `FolderBusy` when somebody else is at it, such as the
    process of a crawl that runs.
    """
    refuse_to_make(folder)
    with in_turn(folder / PAGES):
        return _caught_up(folder, progress)


def _caught_up(folder: Path, progress: Progress) -> int:
    found = opened(folder / PAGES)
    if isinstance(found, str) and exists(folder / PAGES):
        return rebuild(folder, progress)
    reached = 0 if isinstance(found, str) else found[1]
    with folders.reading(folder) as database:
        if reached >= change_feed.last_version(database):
            return 0
        with IndexWriter(folder / PAGES) as writer:
            follower = Indexer(folder, database, writer)
            count = follower.catch_up(progress)
            follower.weigh_in_the_end()
            return count


def rebuild(folder: Path, progress: Progress = no_progress) -> int:
    """Make the index anew from the store; answers how many pages it has."""
    refuse_to_make(folder)
    with folders.reading(folder) as database, IndexWriter(folder / PAGES, anew=True) as writer:
        follower = Indexer(folder, database, writer, weighed(database))
        count = follower.catch_up(progress)
        follower.remember()
        return count


def refuse_to_make(folder: Path) -> None:
    """A crawl in a database elsewhere need not have a folder here; who only looks at it makes none."""
    if not folder.is_dir():
        with folders.reading(folder):
            raise FolderError(f"There is no folder {folder} on this machine for an index: make it, and search again.")


def follow(folder: Path, over: Callable[[float], bool]) -> None:
    """Follow a crawl; `over` waits for so many seconds, and is True when the crawl is over.

    The process of a crawl that was killed a moment ago may still be at it: then it is waited for.
    """
    while True:
        try:
            return _follow(folder, over)
        except FolderBusy:
            if over(_REST):
                raise


def _follow(folder: Path, over: Callable[[float], bool]) -> None:
    if problem(folder / PAGES) and exists(folder / PAGES):
        rebuild(folder)
    with folders.reading(folder) as database, IndexWriter(folder / PAGES) as writer:
        follower = Indexer(folder, database, writer)
        while not over(_REST):
            follower.catch_up()
            follower.weigh_meanwhile()
        follower.catch_up()
        follower.weigh_in_the_end()


# --- beside a crawl ---------------------------------------------------------------------------------------------------


@asynccontextmanager
async def index_kept(folder: Path, say: Callable[[str], None]) -> AsyncIterator[None]:
    """Meanwhile the index is kept up to the store; in the end it is complete.

    `say` hears of what a user should know. That the index fell behind is no reason to end a crawl: a search puts it right.
    """
    async with asyncio.TaskGroup() as group:
        committing = group.create_task(_keep_index(folder, over := asyncio.Event()))
        try:
            yield
        finally:
            over.set()
        done, _ = await asyncio.wait([committing], timeout=_UNNOTICED)
        if not done:
            say("Finishing the index …")
        if why := await committing:
            say(f"The index is not complete ({why}); the next search brings it up to date.")


async def _keep_index(folder: Path, over: asyncio.Event) -> str:
    """Index until the crawl is over, and then the rest; answers what went wrong. A short crawl needs no process for it."""
    try:
        async with asyncio.timeout(_SHORT):
            await over.wait()
    except TimeoutError:
        return await _index_elsewhere(folder, over)
    try:
        await asyncio.to_thread(catch_up, folder)
    except ShoalError as error:
        return str(error)
    return ""


async def _index_elsewhere(folder: Path, over: asyncio.Event) -> str:
    command = (sys.executable, "-m", "shoal.indexer", str(folder))
    with tempfile.TemporaryFile() as said:
        process = OutlivingProcess(command, stdin=PIPE, complaints=said)
        try:
            await over.wait()
        finally:
            process.close_stdin()  # which tells it that the crawl is over; when we are in a hurry, it goes on by itself
        code = await asyncio.wrap_future(process.ended)
        said.seek(0)
        return said.read().decode("utf-8", "replace").strip().rpartition("\n")[2] if code else ""


def _input_ended(seconds: float) -> bool:
    """Nobody writes to our standard input; that it ends means that the crawl is over, or dead."""
    return bool(select.select([sys.stdin], [], [], seconds)[0])


if __name__ == "__main__":
    try:
        follow(Path(sys.argv[1]), _input_ended)
    except ShoalError as error:
        sys.exit(str(error))
