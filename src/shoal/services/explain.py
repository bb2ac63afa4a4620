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
from shoal.protocols import LinkExplainer, MarkLearner, Repricer, Strategy
from shoal.settings import Settings
from shoal.store import crawl_folder as folders
from shoal.store import mark_log, provenance
from shoal.store.provenance import UrlExplanation as UrlExplanation
from shoal.store.strategy_memory import StrategyMemory
from shoal.strategy import strategies
from shoal.urls import normalise


def explain_url(folder: Path, url: str) -> UrlExplanation:
    """Why a URL was fetched, or why not, as it was noted."""
    with mark_log.reading(folder) as database:
        return _explained(database, url, folders.read_settings(folder, database))


async def explain_in_depth(folder: Path, url: str) -> UrlExplanation:
    """The same with what makes the value of a URL that waits at this moment, which may take seconds to find out."""
    with mark_log.reading(folder) as database:
        settings = folders.read_settings(folder, database)
        found = _explained(database, url, settings)
        if (entry := provenance.waiting_entry(database, url)) is None:
            return found
        return replace(found, value_why=await _value_now(StrategyMemory(folder, settings, database), entry))


def _explained(database: Database, url: str, settings: Settings) -> UrlExplanation:
    if (found := provenance.explain(database, url)) is not None:
        return found
    address = normalise(url)
    if address is None:
        raise InputError(f"'{url}' is not a URL: it should look like https://example.org/page.")
    why_not = ScopeRule(settings.scope, settings.seeds).why_not(address)
    reason = f"it is out of scope ({why_not})" if why_not else "no fetched page links to it"
    raise InputError(f"{address} is not known to this crawl: {reason}.")


async def _value_now(memory: StrategyMemory, entry: Entry) -> tuple[Evidence, ...]:
    """What makes the value of a URL that waits, by all that is stored: also beside a crawl that is at work.

    The strategy learns everything once more, which takes seconds for many pages; only one that gives reasons has to.
    """
    if memory.settings.strategy not in strategies():
        return ()
    strategy = assembly.new_strategy(memory.settings)
    if not isinstance(strategy, LinkExplainer):
        return ()
    await asyncio.to_thread(_learn_again, strategy, memory)
    if isinstance(strategy, Repricer):
        await strategy.refresh()  # what the user said counts from here on
    return strategy.reasons(entry)


def _learn_again(strategy: Strategy, memory: StrategyMemory) -> None:
    assembly.recalled(strategy, memory)
    if isinstance(strategy, MarkLearner):
        for mark in mark_log.read(memory.folder).values():
            strategy.learn_mark(mark)
