"""What becomes of a crawl before and between its runs? It begins, is joined, changed, taken back (`services/run.py` runs it)."""

from __future__ import annotations

import time
from collections.abc import Mapping
from pathlib import Path

from msgspec.structs import replace

from shoal import assembly, indexer
from shoal.crawl.own_code import is_own
from shoal.errors import InputError
from shoal.extras import need
from shoal.frontier.scope import ScopeRule
from shoal.index.index_folder import remove as remove_index
from shoal.installation.location import Installation
from shoal.judge import judges
from shoal.protocols import Forecaster, Portable
from shoal.services.choices import names
from shoal.services.own_parts import NOTHING_OWN, OwnParts, check_own, with_own
from shoal.settings import Cluster, Settings
from shoal.store import crawl_folder as folders
from shoal.store import strategy_memory
from shoal.store.ownership import Made as Made
from shoal.store.revisits import reopen
from shoal.store.strategy_memory import Model, pack
from shoal.strategy import strategies
from shoal.topic.topic_file import overlay, read_cluster


def start_crawl(
    folder: Path,
    settings: Settings,
    model: Model | None = None,
    cluster: Cluster | None = None,
    own: OwnParts = NOTHING_OWN,
) -> Made:
    """Make the folder of a new crawl, which may begin with what another one learned, and may be in a database elsewhere.

    `own` are the strategy and the judge that a program passed, if it did.
    """
    check_extras(settings, cluster)
    settings = with_own(settings, own)
    check_own(folder, settings, own, cluster.broker if cluster else "")
    _check_foresight(settings, own)
    if model is None:
        return folders.create(folder, settings, cluster=cluster)
    _check_model(settings, model)
    return folders.create(folder, replace(settings, has_model=True), pack(model), cluster)


def join_crawl(folder: Path, options: Mapping[str, object], environ: Mapping[str, str]) -> None:
    """Make the folder of a crawl that another machine began; a crawl that is here may get other servers."""
    if folders.exists(folder):
        folders.write_cluster(folder, read_cluster(options=options))
    else:
        folders.find(folder, read_cluster(options=options, environ=environ))


def look_up(folder: Path, installation: Installation) -> bool:
    """Find the crawl of a folder: here, or one of its name in the database of the installation; nothing is made.

    Whoever reads the folder finds it from then on, also where there is none; whoever writes makes it.
    """
    return folders.look_up(folder, installation.cluster)


def forget_crawl(made: Made) -> None:
    """Take back a crawl that this run began and that has nothing in it."""
    remove_index(made.folder / indexer.PAGES)
    folders.remove(made)


def change_settings(folder: Path, options: Mapping[str, object], own: OwnParts = NOTHING_OWN) -> None:
    """What the user says now replaces what the crawl was started with; what is allowed now and was not then gets its chance."""
    with folders.lock_existing(folder), folders.reading(folder) as database:
        folders.hide_secrets(folder, database)
        before = folders.read_settings(folder, database)
        settings = with_own(overlay(before, options, names=names()), own)
        check_own(folder, settings, own, folders.read_cluster(folder).broker)
        check_names(settings)
        check_extras(settings)
        _check_foresight(settings, own)
        folders.write_settings(folder, database, settings)
        if options.get("threshold") is not None:
            strategy_memory.set_threshold(database, settings.topic, time.time())
        reopen(database, before, settings, ScopeRule(settings.scope, settings.seeds).allows)


def check_extras(settings: Settings, cluster: Cluster | None = None) -> None:
    """Refused now, and not after the first image, when something that only some crawls need is not installed."""
    if settings.images.wanted != "none":
        need("PIL")
    if cluster is not None and cluster.database:
        need("asyncpg")
    if cluster is not None and cluster.broker:
        need("pika")


def check_names(settings: Settings) -> None:
    """A strategy or judge that somebody added may be gone since the crawl began."""
    if settings.strategy not in strategies() and not is_own(settings.strategy):
        raise InputError(f"There is no strategy {settings.strategy} any more: choose another one with --strategy.")
    if settings.judge and settings.judge not in judges() and not is_own(settings.judge):
        raise InputError(f"There is no judge {settings.judge} any more: choose another one with --judge.")


def _check_foresight(settings: Settings, own: OwnParts) -> None:
    """Only who expects something of the next pages can say that they are not worth fetching."""
    if settings.budget.until_done is None or isinstance(own.strategy or assembly.new_strategy(settings), Forecaster):
        return
    able = [name for name, choice in strategies().items() if isinstance(choice.make(settings.topic), Forecaster)]
    advice = f"choose {' or '.join(able)} with --strategy, or say --until-done=0" if able else "none here can"
    raise InputError(
        f"--until-done needs a strategy that can tell what the next pages will bring, and {settings.strategy} cannot: "
        f"{advice}."
    )


def _check_model(settings: Settings, model: Model) -> None:
    """It must be the work of the strategy that is to begin with it, and that strategy must be able to read it."""
    if model.strategy not in strategies():
        raise InputError(f"The model was learned by the strategy {model.strategy}, which is not installed here.")
    if model.strategy != settings.strategy:
        raise InputError(
            f"The model was learned by the strategy {model.strategy}, and this crawl uses {settings.strategy}, "
            f"which cannot read it: add --strategy {model.strategy}, or leave --model out."
        )
    if not isinstance(strategy := assembly.new_strategy(settings), Portable):
        raise InputError(f"The strategy {settings.strategy} cannot begin with a model: leave --model out.")
    strategy.begin_with(model.knowledge)
