"""What does a crawl know from its user, and what could another crawl know from it? Marks go in, models come out."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable
from pathlib import Path

import msgspec

from shoal import __version__
from shoal.assembly import began_with, make_strategy
from shoal.errors import InputError
from shoal.model import Mark
from shoal.protocols import MarkLearner, Portable
from shoal.services.crawls import check_names
from shoal.services.explain import explain_url
from shoal.settings import Settings
from shoal.store import crawl_folder as folders
from shoal.store import mark_log
from shoal.store.crawl_store import CrawlStore, open_store
from shoal.store.mark_log import GivenMark, MarkedPage
from shoal.store.strategy_memory import Model, write_model
from shoal.strategy import strategies

# --- what the user says of pages -------------------------------------------------------------------------------------


class MarksGiven(msgspec.Struct, frozen=True, kw_only=True):
    """What was said of pages, and who hears it."""

    running: bool
    """A crawl is at work in the folder, and hears it with its next commit."""
    pages: tuple[GivenMark, ...]


def mark_pages(
    folder: Path, urls: Iterable[str], relevant: bool | None, clock: Callable[[], float] = time.time
) -> MarksGiven:
    """Say that pages are relevant, or are not, or (None) are as the judge said; all of them, or none if one has no page."""
    with mark_log.reading(folder) as database:
        meant = mark_log.find(database, urls)
        missing = [one.url for one in meant if one.page is None]
        now = clock()
        given = () if missing else tuple(mark_log.give(database, meant, relevant, now))
    if missing:
        raise _no_page(folder, missing)
    if changed := [page for page in given if page.before is not page.relevant]:
        mark_log.add(folder, [Mark(url=page.url, relevant=relevant, at=now) for page in changed])
    return MarksGiven(running=folders.is_running(folder), pages=given)


def _no_page(folder: Path, urls: list[str]) -> InputError:
    others = f" ({len(urls) - 1:,} more of these URLs have no page either)" if len(urls) > 1 else ""
    found = explain_url(folder, urls[0])
    return InputError(f"{found.url} has no page to mark, it is {found.state}{others}: {found.sentence}")


def list_marks(folder: Path) -> list[MarkedPage]:
    """What the user said of pages and did not take back."""
    said = mark_log.read(folder)
    with mark_log.reading(folder) as database:
        return mark_log.marks(database, said)


# --- what another crawl could begin with -----------------------------------------------------------------------------


def export_model(folder: Path, out: Path) -> Model:
    """Write what the strategy of a crawl learned to a file; answers what is in it.

    The strategy is put together as for the next run, which takes the lock: a crawl that runs must be stopped first.
    """
    if folders.is_own(folder, out):
        raise InputError(f"{out} is a file of the crawl itself: choose another name.")
    with folders.reading(folder) as database:
        check_names(folders.read_settings(folder, database))
    if folders.is_running(folder):
        raise InputError(f"A crawl is running in {folder}: stop it with Ctrl-C first; shoal resume goes on afterwards.")
    with open_store(folder) as store:
        model = _learned(store)
    write_model(out, model)
    return model


def _learned(store: CrawlStore) -> Model:
    strategy, before = make_strategy(store), began_with(store.memory)
    if not isinstance(strategy, Portable):
        raise _no_learner(store.settings)
    if isinstance(strategy, MarkLearner):
        for mark in mark_log.read(store.folder).values():
            strategy.learn_mark(mark)
    if not (knowledge := strategy.knowledge()):
        raise InputError(
            "The crawl has learned nothing yet that another one could begin with: let it fetch some pages."
        )
    return Model(
        strategy=store.settings.strategy,
        shoal=__version__,
        topic=store.topic().topic,
        pages=store.totals().pages + (before.pages if before is not None else 0),
        at=int(time.time()),
        knowledge=knowledge,
    )


def _no_learner(settings: Settings) -> InputError:
    able = [name for name, choice in strategies().items() if isinstance(choice.make(settings.topic), Portable)]
    who = f"only {' and '.join(able)} can" if able else "no strategy here can"
    return InputError(f"The strategy {settings.strategy} learns nothing that another crawl could begin with; {who}.")
