"""Why was this URL fetched, or why not?"""

from __future__ import annotations

import asyncio
from pathlib import Path

from msgspec.structs import replace

from shoal import assembly
from shoal.database.sql import Database
from shoal.errors import InputError
from shoal.frontier.scope import ScopeRule
from shoal.model import Entry, Evidence
from shoal.protocols import LinkExplainer, MarkLearner, Repricer
from shoal.settings import Settings
from shoal.store import crawl_folder as folders
from shoal.store import mark_log, provenance
from shoal.store.provenance import UrlExplanation as UrlExplanation
from shoal.store.strategy_memory import StrategyMemory
from shoal.strategy import SEED_PRIORITY as SEED_PRIORITY
from shoal.strategy import strategies
from shoal.topic.value_readers import short
from shoal.urls import normalise


def explain_url(folder: Path, url: str) -> UrlExplanation:
    """Why a URL was fetched, or why not, as it was noted."""
    with mark_log.reading(folder) as database:
        return _explained(database, url, folders.read_settings(folder, database))


async def explain_in_depth(folder: Path, url: str) -> UrlExplanation:
    """The same with what makes the value of a URL that waits at this moment, which may take seconds to find out.

    All of it is done in threads that open what they need: cancelled, it takes nothing away from one that is still at it.
    """
    found, entry = await asyncio.to_thread(_looked_up, folder, url)
    return found if entry is None else replace(found, value_why=await _value_now(folder, entry))


def _looked_up(folder: Path, url: str) -> tuple[UrlExplanation, Entry | None]:
    """What was noted of a URL, and what it is priced by if it waits."""
    with mark_log.reading(folder) as database:
        found = _explained(database, url, folders.read_settings(folder, database))
        return found, provenance.waiting_entry(database, url)


def _explained(database: Database, url: str, settings: Settings) -> UrlExplanation:
    if (found := provenance.explain(database, url)) is not None:
        return found
    address = normalise(url)
    if address is None:
        raise InputError(f"{short(url)} is not a URL: it should look like https://example.org/page.")
    why_not = ScopeRule(settings.scope, settings.seeds).why_not(address)
    reason = f"it is out of scope ({why_not})" if why_not else "no fetched page links to it"
    raise InputError(f"{address} is not known to this crawl: {reason}.")


async def _value_now(folder: Path, entry: Entry) -> tuple[Evidence, ...]:
    """What makes the value of a URL that waits, by all that is stored: also beside a crawl that is at work."""
    if (strategy := await asyncio.to_thread(_learned_again, folder)) is None:
        return ()
    if isinstance(strategy, Repricer):
        await strategy.refresh()  # what the user said counts from here on
    return strategy.reasons(entry)


def _learned_again(folder: Path) -> LinkExplainer | None:
    """The strategy of a crawl with all that it knew, which takes seconds for many pages; None when it gives no reasons."""
    with folders.reading(folder) as database:
        settings = folders.read_settings(folder, database)
        if settings.strategy not in strategies():
            return None
        strategy = assembly.new_strategy(settings)
        if not isinstance(strategy, LinkExplainer):
            return None
        assembly.recalled(strategy, StrategyMemory(folder, settings, database))
    if isinstance(strategy, MarkLearner):
        for mark in mark_log.read(folder).values():
            strategy.learn_mark(mark)
    return strategy
