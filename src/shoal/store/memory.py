"""What must a strategy know of earlier runs? All that was stored for it; reading it changes nothing and needs no lock."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from shoal.model import State
from shoal.settings import Settings
from shoal.store import crawl_folder as folders
from shoal.store import shared_crawl as clusters
from shoal.store.database import Database
from shoal.store.models import Model, decode_model, read_model
from shoal.store.postgres import PostgresDatabase


@dataclass(frozen=True, slots=True)
class Memory:
    """What a crawl has kept for its strategy."""

    folder: Path
    settings: Settings
    database: Database

    def model(self) -> Model | None:
        """What another crawl learned and this one began with."""
        if not self.settings.has_model:
            return None
        path = self.folder / folders.MODEL
        if isinstance(self.database, PostgresDatabase):
            return decode_model(path, clusters.model_of(self.database))
        return read_model(path)

    def memos(self) -> Iterator[bytes]:
        """What the strategy noted about pages, in the order of fetching."""
        for (memo,) in self.database.stream("SELECT memo FROM memos ORDER BY fetch_order"):
            yield memo

    def lost(self) -> Iterator[int]:
        """The keys of the URLs that were asked for in vain, or never will be."""
        query = "SELECT key FROM found JOIN fates USING (id) WHERE state IN (?, ?, ?)"
        for (key,) in self.database.stream(query, (State.FAILED, State.SKIPPED, State.MOVED)):
            yield key
