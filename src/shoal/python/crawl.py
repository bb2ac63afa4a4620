"""What can be asked of a crawl from Python, and said to it? Each method is one question; the answers are frozen."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING, Literal, Unpack, get_args

import msgspec

from shoal import services
from shoal.errors import InputError
from shoal.model import Topic
from shoal.python.arguments import CrawlSettings, in_python_words
from shoal.python.event_loop import run
from shoal.python.rows import Rows
from shoal.services.export import ExportRow, Format
from shoal.services.images import KeptImage
from shoal.services.marks import GivenMark, MarkedPage
from shoal.text import shortened

if TYPE_CHECKING:
    from shoal.installation.location import Installation
    from shoal.protocols import Judge, Strategy
    from shoal.services.explain import UrlExplanation
    from shoal.services.revisit import Revisit
    from shoal.services.search import SearchHit
    from shoal.services.status import Status
    from shoal.services.versions import StoredVersion, VersionDiff, VersionStep

_WORDS = 200
"""Characters of a topic that somebody sees who only looks."""
_MARKS = ("url", "relevant", "judged", "title")


class HarvestPoint(msgspec.Struct, frozen=True, kw_only=True):
    """How much a crawl had found when so many pages had come."""

    pages: int
    relevant: int


class Crawl:
    """A crawl, running or not: what it found, why, and how it goes on. It holds nothing open, so any number may ask."""

    def __init__(self, folder: Path, installation: Installation, ending: str = "") -> None:
        self.folder = folder
        """Where it is kept."""
        self.installation = installation
        """The home that it belongs to, with the clocks of all hosts."""
        self.ending = ending
        """Why the run that this program started is over; `stopped` after Ctrl-C. Empty when this program only opened it."""

    def ended(self, ending: str) -> Crawl:
        """The same crawl after a run."""
        return Crawl(self.folder, self.installation, str(ending))

    @property
    def name(self) -> str:
        """What it is called; `shoal.open` finds it by this below the home."""
        return self.folder.resolve().name

    @property
    def topic(self) -> Topic:
        """What it looks for, as it is now: a crawl may learn."""
        with in_python_words():
            return services.topics.topic_history(self.folder)[-1].topic

    # --- how it goes -------------------------------------------------------------------------------------------------

    def status(self) -> Status:
        """How it stands: its queues, hosts and rates."""
        with in_python_words():
            return services.status.crawl_status(self.folder)

    def harvest(self) -> Rows[HarvestPoint]:
        """How many relevant pages there were after each page, for a plot."""
        points, relevant = [], 0
        for pages, page in enumerate(self.pages(), start=1):
            relevant += page.relevant
            points.append(HarvestPoint(pages=pages, relevant=relevant))
        return Rows(HarvestPoint, points, show=("pages", "relevant"))

    def resume(
        self,
        *,
        strategy: str | Strategy | None = None,
        judge: str | Judge | None = None,
        progress: bool = True,
        **settings: Unpack[CrawlSettings],
    ) -> Crawl:
        """Go on, with settings that replace those it had; answers the crawl when that is over."""
        # Only here, because most crawls are only asked.
        from shoal.python.runs import changed, run_and_wait

        with in_python_words():
            own = changed(self.folder, strategy, judge, dict(settings))
            return self.ended(run_and_wait(self.folder, self.installation, own, progress=progress))

    async def resume_async(
        self,
        *,
        strategy: str | Strategy | None = None,
        judge: str | Judge | None = None,
        progress: bool = False,
        **settings: Unpack[CrawlSettings],
    ) -> Crawl:
        """The same in the event loop of a program. Cancelled, it ends at once, and nothing that was stored is lost."""
        from shoal.python.runs import changed, run_in_loop  # as above

        with in_python_words():
            own = changed(self.folder, strategy, judge, dict(settings))
            return self.ended(await run_in_loop(self.folder, self.installation, own, progress=progress))

    def revisit(
        self,
        urls: str | Iterable[str] = (),
        *,
        older: float | str = 0.0,
        relevant: bool = False,
        progress: bool = True,
    ) -> Revisit:
        """Look at stored pages again: these, or all (that were not looked at for so long: seconds, `12h`); no new page comes."""
        from shoal.python.runs import look_again  # as above

        chosen, place = (urls,) if isinstance(urls, str) else tuple(urls), (self.folder, self.installation)
        with in_python_words():
            return look_again(*place, chosen, older, relevant_only=relevant, progress=progress)

    # --- what it found -----------------------------------------------------------------------------------------------

    def pages(self, relevant: bool | None = None) -> Rows[ExportRow]:
        """The fetched pages in the order of fetching; only those that are relevant, or only those that are not."""
        wanted = _flag(relevant)
        with in_python_words():
            found = services.export.fetched_pages(self.folder)
        rows = [page for page in found if wanted is None or page.relevant is wanted]
        return Rows(ExportRow, rows, show=("fetch_order", "score", "relevant", "url", "title"))

    def search(self, words: str, *, limit: int = 10, offset: int = 0) -> Rows[SearchHit]:
        """The pages that answer the words, the best first; `total` says how many there are. 變電站 finds 变电站, too."""
        with in_python_words():
            return hits([self.folder], words, limit=limit, offset=offset)

    def images(self, words: str = "", *, limit: int = 1_000_000) -> Rows[KeptImage]:
        """The images that were kept, the best first; with words those whose descriptions answer them."""
        with in_python_words():
            found = services.images.find(self.folder, words, limit=limit)
        show = ("format", "width", "height", "bytes", "url")
        return Rows(KeptImage, found.images, show=show, total=found.total, notes=found.notes)

    def page(self, url: str, version: int | None = None) -> StoredVersion:
        """What a page says, or said in an earlier version, with all that is known of it."""
        with in_python_words():
            return services.versions.stored(self.folder, url, version)

    def text(self, url: str, version: int | None = None) -> str:
        """The main text of a page, without navigation and footers."""
        return self.page(url, version).text

    def versions(self, url: str) -> Rows[VersionStep]:
        """When a page changed, the oldest version first."""
        # Only here, because few ask for it.
        from shoal.services.versions import VersionStep

        with in_python_words():
            steps = services.versions.steps(self.folder, url)
        return Rows(VersionStep, steps, show=("number", "at", "added", "removed", "title"))

    def diff(self, url: str, before: int | None = None, after: int | None = None) -> VersionDiff:
        """What changed on a page; without numbers between its last two versions."""
        with in_python_words():
            return services.versions.difference(self.folder, url, before, after)

    def explain(self, url: str) -> UrlExplanation:
        """Why a URL was fetched, or why not; of one that waits also what makes its value now, which may take seconds."""
        with in_python_words():
            return run(lambda _: services.explain.explain_in_depth(self.folder, url))

    def export(self, path: str | Path, format: Format | None = None, *, relevant: bool = False) -> int:
        """Write the pages to a file, as JSONL, CSV, Parquet or WARC (by its name, if nothing is said); answers how many."""
        with in_python_words():
            chosen = format or _format_of(Path(path))
            return services.export.export_pages(self.folder, chosen, Path(path), relevant_only=relevant)

    # --- what it is told ---------------------------------------------------------------------------------------------

    def mark(self, urls: str | Iterable[str], *, relevant: bool | None) -> Rows[GivenMark]:
        """Say that pages are relevant, or are not; None takes that back. A running crawl hears it with its next commit."""
        said = _flag(relevant)
        with in_python_words():
            given = services.marks.mark_pages(self.folder, [urls] if isinstance(urls, str) else urls, said)
        return Rows(GivenMark, given.pages, show=_MARKS)

    def marks(self) -> Rows[MarkedPage]:
        """What was said of pages and not taken back."""
        with in_python_words():
            return Rows(MarkedPage, services.marks.list_marks(self.folder), show=_MARKS)

    # --- how it looks ------------------------------------------------------------------------------------------------

    def __repr__(self) -> str:
        return f"Crawl({self.name!r})"

    def _repr_html_(self) -> str:
        """What a notebook shows."""
        now = self.status()
        rate = f" ({now.harvest_rate:.0%})" if now.harvest_rate is not None else ""
        state = "running" if now.running else self.ending or "not running"
        figures = f"{now.pages:,} pages, {now.relevant:,} relevant{rate}, {now.waiting:,} URLs waiting; {state}"
        words = shortened(", ".join(term.text for term in self.topic.terms), _WORDS)
        return f"<p><b>{escape(self.name)}</b>: {escape(words)}<br>{escape(figures)}</p>"


def _flag(relevant: bool | None) -> bool | None:
    """What is kept must be one of the three; a bool of NumPy, as stands in a DataFrame, is one, too."""
    if relevant is None:
        return None
    if relevant not in (True, False):
        raise TypeError(f"relevant must be True, False or None, not {relevant!r}")
    return bool(relevant)


def hits(folders: Sequence[Path] | Mapping[Path, str], words: str, *, limit: int, offset: int) -> Rows[SearchHit]:
    """What crawls have about the words, and which crawl it is when there are several."""
    # Only here, because the index takes a tenth of a second to import.
    from shoal.services.search import SearchHit

    if not isinstance(words, str):
        raise TypeError(f"words must be text, not {words!r}")
    if limit < 1 or offset < 0:
        raise InputError(f"limit must be at least 1, and offset at least 0, not {limit} and {offset}.")
    found = services.search.search(folders, words, limit=limit, offset=offset)
    notes = (*found.notes, *([f"Did you mean {found.suggestion}?"] if found.suggestion else []))
    show = ("score", "date", *(("crawl",) if len(folders) > 1 else ()), "url", "title")
    return Rows(SearchHit, found.hits, show=show, total=found.total, notes=notes)


def _format_of(path: Path) -> Format:
    """What a name says: pages.csv, pages.warc.gz."""
    endings = {ending.removeprefix(".") for ending in path.suffixes}
    for format in get_args(Format):
        if format in endings:
            chosen: Literal["jsonl", "csv", "parquet", "warc"] = format
            return chosen
    raise InputError(f"The name {path.name} does not say which format: end it with .jsonl, .csv, .parquet or .warc.gz.")
