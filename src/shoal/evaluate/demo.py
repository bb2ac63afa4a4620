"""What is a focused crawl good for? The same web crawled twice for one topic: best pages first, and level by level.

Both are real crawls: HTTP to a server in a process of its own, robots.txt, politeness, durable folders. Only the web is
made up, so that the truth about every page is known.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from shoal import indexer, services
from shoal.crawl.termination import Ending
from shoal.errors import FolderError
from shoal.evaluate.curves import Curve
from shoal.evaluate.generated.synthetic_web import SyntheticWeb, generate
from shoal.evaluate.outcome import Harvest, Outcome, best_pages, curve, hidden_find, summary
from shoal.evaluate.serve import serving
from shoal.extras import missing
from shoal.index.index_folder import remove as remove_index
from shoal.installation.location import Installation
from shoal.services.images import IMAGES
from shoal.settings import Budget, Fetching, Politeness, Settings
from shoal.store import crawl_folder as folders
from shoal.store.crawl_folder import lock, storage_errors
from shoal.store.exporters import ExportRow
from shoal.store.ownership import Made, remove_folders

FOCUSED, BASELINE = "learned", "breadth"
LATENCY = 0.03
"""Seconds that the made-up hosts take to answer, as on a network: without it the figures would depend on the computer."""
DELAY = 0.05
MARKER = "shoal-demo"
PLOT = "harvest.png"
_STATE = "state"

Crawl = Callable[[Path, Installation], Ending]
"""Runs the crawl in a folder, with clocks of hosts of its own, and shows how it goes."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DemoPlan:
    """What the user asked for."""

    folder: Path
    topic: str
    pages: int
    seed: int


@dataclass(frozen=True, slots=True, kw_only=True)
class _Crawled:
    """One crawl that reached its end."""

    pages: list[ExportRow]
    curve: Curve
    figures: Harvest


def run_demo(plan: DemoPlan, crawl: Crawl, say: Callable[[str], None]) -> Outcome | None:
    """Crawl, compare, draw; None when the user stopped it. Whatever happens, no server stays behind."""
    started = time.monotonic()
    with _own_folder(plan.folder):
        say(f"Making a web from seed {plan.seed} …")
        web = generate(plan.seed)
        say(
            f"{len(web.pages):,} pages in Chinese and English on {len(web.hosts)} hosts; "
            f"{len(web.relevant(plan.topic))} of them are what we look for: {plan.topic}."
        )
        focused = _crawl(plan, web, FOCUSED, crawl, say)
        baseline = focused and _crawl(plan, web, BASELINE, crawl, say)
        if focused is None or baseline is None:
            return None
        plot = _draw(plan, web, focused, baseline, say)
        hidden = hidden_find(focused.pages, web, plan.topic)
        return Outcome(
            topic=plan.topic,
            seed=plan.seed,
            web_pages=len(web.pages),
            web_hosts=len(web.hosts),
            relevant_pages=focused.curve.total,
            focused=focused.figures,
            baseline=baseline.figures,
            best=best_pages(focused.pages, web, plan.topic),
            explained=services.explain.explain_url(plan.folder / FOCUSED, hidden) if hidden else None,
            plot=plot,
            seconds=time.monotonic() - started,
        )


def _crawl(
    plan: DemoPlan, web: SyntheticWeb, strategy: str, crawl: Crawl, say: Callable[[str], None]
) -> _Crawled | None:
    """One crawl against a server of its own, for one host counts how often it was asked; None when it was stopped."""
    folder = plan.folder / strategy
    with serving(plan.seed, plan.folder / _access_log(strategy), LATENCY) as proxy:
        services.crawls.start_crawl(folder, _settings(plan, web, strategy, proxy))
        started = time.monotonic()
        ending = crawl(folder, Installation(home=plan.folder / _STATE))
        seconds = time.monotonic() - started
    if ending is Ending.STOPPED:
        return None
    pages = services.export.fetched_pages(folder)
    found = curve(pages, web.relevant(plan.topic))
    say(f"{strategy}: {len(pages):,} pages in {seconds:.1f} s; {ending}.")
    return _Crawled(pages=pages, curve=found, figures=summary(strategy, str(folder), pages, found, seconds))


def _settings(plan: DemoPlan, web: SyntheticWeb, strategy: str, proxy: str) -> Settings:
    return Settings(
        topic=web.topic(plan.topic),
        seeds=web.seeds(plan.topic),
        strategy=strategy,
        budget=Budget(max_pages=plan.pages),
        politeness=Politeness(delay=DELAY),
        fetching=Fetching(proxy=proxy),
    )


def _draw(plan: DemoPlan, web: SyntheticWeb, focused: _Crawled, baseline: _Crawled, say: Callable[[str], None]) -> str:
    """The file with the plot; a demo without matplotlib has none, and says so."""
    if sentence := missing("matplotlib"):
        say(sentence)
        return ""
    # Only here, because matplotlib is an extra.
    from shoal.evaluate.plots import harvest_plot

    plot = plan.folder / PLOT
    title = f"“{plan.topic}”: {len(focused.curve):,} pages fetched from a web of {len(web.pages):,}"
    with storage_errors(plan.folder):
        harvest_plot({"learned": focused.curve, "breadth first": baseline.curve}, plot, title)
    return str(plot)


# --- the folder ------------------------------------------------------------------------------------------------------


@contextmanager
def _own_folder(folder: Path) -> Iterator[None]:
    """An empty folder, or that of an earlier demo without what it left; nothing else is ever removed."""
    with storage_errors(folder):
        folder.mkdir(parents=True, exist_ok=True)
        if any(folder.iterdir()) and not (folder / MARKER).is_file():
            raise FolderError(f"The folder {folder} is not empty and not of an earlier demo: choose another --dir.")
        (folder / MARKER).write_text("Made by `shoal demo`; the next demo in this folder replaces it.\n")
    with lock(folder):
        _remove_old(folder)
        yield


def _remove_old(folder: Path) -> None:
    for name in (FOCUSED, BASELINE):
        _remove_crawl(folder / name)
    with storage_errors(folder):
        for name in (PLOT, _access_log(FOCUSED), _access_log(BASELINE)):
            (folder / name).unlink(missing_ok=True)
        state = Installation(home=folder / _STATE)
        for ending in ("", "-wal", "-shm", ".lock"):
            state.hosts.with_name(f"{state.hosts.name}{ending}").unlink(missing_ok=True)
        remove_folders(Made(state.home, (state.home,)))


def _remove_crawl(place: Path) -> None:
    """One of an earlier demo; what somebody else put there stays, and is then in the way of the next."""
    if folders.exists(place):
        for index in (indexer.PAGES, IMAGES):
            remove_index(place / index)
        folders.remove(Made(place, (place,)), also=[folders.MARKS])


def _access_log(strategy: str) -> str:
    return f"{strategy}.access.jsonl"
