"""What does a crawl know from its user, and what could another crawl know from it? Opinions go in, models come out."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable
from pathlib import Path

import msgspec

from shoal import __version__
from shoal.errors import InputError
from shoal.model import Opinion
from shoal.protocols import Strategy
from shoal.services.crawls import began_with, check_names, explain_url, make_strategy
from shoal.settings import Settings
from shoal.store import crawl_folder as folders
from shoal.store import mark_log as feedback_file
from shoal.store import marked_pages as marked
from shoal.store.crawl_store import CrawlStore, open_store
from shoal.store.marked_pages import Given, Mark
from shoal.store.models import Model, write_model
from shoal.strategy import strategies

# --- what the user says of pages -------------------------------------------------------------------------------------


class Feedback(msgspec.Struct, frozen=True, kw_only=True):
    """What was said of pages, and who hears it."""

    running: bool
    """A crawl is at work in the folder, and hears it with its next commit."""
    pages: tuple[Given, ...]


def give_feedback(
    folder: Path, urls: Iterable[str], relevant: bool | None, clock: Callable[[], float] = time.time
) -> Feedback:
    """Say that pages are relevant, or are not, or (None) are as the judge said; all of them, or none if one has no page."""
    with marked.reading(folder) as database:
        meant = marked.find(database, urls)
        missing = [one.url for one in meant if one.page is None]
        now = clock()
        given = () if missing else tuple(marked.give(database, meant, relevant, now))
    if missing:
        raise _no_page(folder, missing)
    if changed := [page for page in given if page.before is not page.relevant]:
        feedback_file.add(folder, [Opinion(url=page.url, relevant=relevant, at=now) for page in changed])
    return Feedback(running=folders.is_running(folder), pages=given)


def _no_page(folder: Path, urls: list[str]) -> InputError:
    others = f" ({len(urls) - 1:,} more of these URLs have no page either)" if len(urls) > 1 else ""
    found = explain_url(folder, urls[0], in_depth=False)
    return InputError(f"{found.url} has no page to mark, it is {found.state}{others}: {found.sentence}")


def opinions(folder: Path) -> list[Mark]:
    """What the user said of pages and did not take back."""
    said = feedback_file.read(folder)
    with marked.reading(folder) as database:
        return marked.marks(database, said)


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
    for opinion in feedback_file.read(store.folder).values():
        strategy.told(opinion)
    if not (knowledge := strategy.knowledge()):
        raise InputError(_why_nothing(strategy, store.settings))
    return Model(
        strategy=store.settings.strategy,
        shoal=__version__,
        topic=store.topic().topic,
        pages=store.totals().pages + (before.pages if before is not None else 0),
        at=int(time.time()),
        knowledge=knowledge,
    )


def _why_nothing(strategy: Strategy, settings: Settings) -> str:
    if _learns(strategy):
        return "The crawl has learned nothing yet that another one could begin with: let it fetch some pages."
    able = [name for name, choice in strategies().items() if _learns(choice.make(settings.topic))]
    who = f"only {' and '.join(able)} can" if able else "no strategy here can"
    return f"The strategy {settings.strategy} learns nothing that another crawl could begin with; {who}."


def _learns(strategy: Strategy) -> bool:
    """It has something to say for itself, even if not yet."""
    return type(strategy).knowledge is not Strategy.knowledge
