"""What did a crawl learn that another one could begin with? It comes out as a model, in a file."""

from __future__ import annotations

import time
from pathlib import Path

from shoal import __version__
from shoal.assembly import began_with, make_strategy
from shoal.errors import InputError
from shoal.protocols import MarkLearner, Portable
from shoal.services.crawls import check_names
from shoal.services.own_parts import NOTHING_OWN, check_own
from shoal.settings import Settings
from shoal.store import crawl_folder as folders
from shoal.store import mark_log, strategy_memory
from shoal.store.crawl_store import CrawlStore, open_store
from shoal.store.strategy_memory import Model, write_model
from shoal.strategy import strategies

FORMAT = strategy_memory.FORMAT
"""The version of model files."""


def read_model(file: Path) -> Model:
    """What is in a model file."""
    return strategy_memory.read_model(file)


def export_model(folder: Path, out: Path) -> Model:
    """Write what the strategy of a crawl learned to a file; answers what is in it.

    The strategy is put together as for the next run, which takes the lock: a crawl that runs must be stopped first.
    """
    if folders.is_own(folder, out):
        raise InputError(f"{out} is a file of the crawl itself: choose another name.")
    with folders.reading(folder) as database:
        settings = folders.read_settings(folder, database)
        check_own(folder, settings, NOTHING_OWN)
        check_names(settings)
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
