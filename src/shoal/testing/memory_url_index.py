"""What was committed about URLs, in memory: a `protocols.UrlIndex` and `protocols.Store` for tests and simulations."""

from __future__ import annotations

from collections.abc import Iterable

from msgspec.structs import replace

from shoal.model import Entry, Reason, State
from shoal.model.stored import Changes, Closing, Duplicate, HostRecord, Known, Waiting
from shoal.urls import key_of


class MemoryUrlIndex:
    """A URL index that is forgotten with the process; only `commit` changes it."""

    def __init__(self) -> None:
        self.entries: dict[int, Entry] = {}
        self._keys: dict[int, int] = {}
        self._pages: dict[str, int] = {}
        self._closed: dict[str, Reason] = {}

    def commit(self, changes: Changes) -> list[Duplicate]:
        """Take in a batch; pages are only counted, so there are no duplicates to tell of."""
        for entry in (*changes.added, *changes.changed):
            self.entries[entry.id] = entry
            self._keys[entry.key or key_of(entry.url)] = entry.id
            self._pages.setdefault(entry.host, 0)
        for closing in changes.closed:
            self._close(closing)
        for page in changes.pages:
            self._pages[page.seen.task.host] += 1
        return []

    def last_id(self) -> int:
        """The highest id ever given."""
        return max(self.entries, default=0)

    def find(self, key: int) -> Known | None:
        """What is known of the URL with this key."""
        entry = self.entries.get(self._keys.get(key, 0))
        if entry is None:
            return None
        return Known.of(entry)

    def read(self, id: int) -> Entry:
        """The whole entry."""
        return self.entries[id]

    def hosts(self) -> Iterable[HostRecord]:
        """Every host."""
        for name, pages in self._pages.items():
            yield HostRecord(name=name, pages=pages, closed=self._closed.get(name))

    def waiting(self) -> Iterable[Waiting]:
        """Every URL that waits."""
        for entry in self.entries.values():
            if entry.state is State.WAITING:
                yield Waiting(id=entry.id, host=entry.host, priority=entry.priority, not_before=entry.not_before)

    def _close(self, closing: Closing) -> None:
        self._closed[closing.host] = closing.reason
        self._pages.setdefault(closing.host, 0)
        for id in closing.waiting:
            fate = {"state": closing.state, "reason": closing.reason, "detail": closing.detail}
            self.entries[id] = replace(self.entries[id], **fate)
