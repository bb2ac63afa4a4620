"""What do we know about a URL, saved or not?

The URL index (disk) shows what was committed; here are the changes since then. They are taken away in batches to be made
durable, and stay in memory until the batch is committed: at every moment shelf and memory together are the truth.
"""

from __future__ import annotations

from collections import Counter

from shoal.model import Entry, Reason, State
from shoal.model.stored import Changes, Closing, Known
from shoal.protocols import UrlIndex


class PendingChanges:
    """Every URL ever seen. Sole owner of the changes that are not committed yet."""

    def __init__(self, url_index: UrlIndex) -> None:
        self._url_index = url_index
        self._next_id = url_index.last_id() + 1
        # Since the last batch was taken:
        self._added: dict[int, Entry] = {}
        self._changed: dict[int, Entry] = {}
        self._repriced: dict[int, float] = {}
        """With the priority they had before."""
        self._keys: dict[int, int] = {}
        self._closed: list[Closing] = []
        self._tally: Counter[tuple[State, Reason | None]] = Counter()
        # In the batch being committed, which the URL index may or may not show already:
        self._in_transit: dict[int, Entry] = {}
        self._keys_in_transit: dict[int, int] = {}

    def new_id(self) -> int:
        """An id that no entry has."""
        id, self._next_id = self._next_id, self._next_id + 1
        return id

    def find(self, key: int) -> Known | None:
        """What is known of the URL with this key."""
        id = self._keys.get(key) or self._keys_in_transit.get(key)
        if id is None:
            known = self._url_index.find(key)
            if known is None or not self.unsaved(known.id):
                return known
            id = known.id
        return Known.of(self.read(id))

    def read(self, id: int) -> Entry:
        """The whole entry, as it is now."""
        entry = self._added.get(id) or self._changed.get(id) or self._in_transit.get(id)
        return entry if entry is not None else self._url_index.read(id)

    def unsaved(self, id: int) -> bool:
        """True when the URL index may show something else than the truth about this entry."""
        return id in self._changed or id in self._added or id in self._in_transit

    def add(self, entry: Entry, key: int) -> None:
        """A URL nobody saw before."""
        self._added[entry.id] = entry
        self._keys[key] = entry.id
        self._tally[entry.state, entry.reason] += 1

    def change(self, old: Entry, new: Entry) -> None:
        """Something happened to a known URL."""
        (self._added if old.id in self._added else self._changed)[old.id] = new
        self._tally[old.state, old.reason] -= 1
        self._tally[new.state, new.reason] += 1

    def reprice(self, old: Entry, new: Entry) -> None:
        """A known URL waits with another priority, or was found by another way."""
        self.change(old, new)
        if old.id in self._changed:
            self._repriced.setdefault(old.id, old.priority)

    def close(self, closing: Closing) -> None:
        """All waiting URLs of a host share one fate; they get it when the batch is written."""
        self._closed.append(closing)

    def take(self) -> Changes:
        """The batch to commit: all changes since the last call."""
        changes = Changes(
            added=tuple(self._added.values()),
            changed=tuple(self._changed.values()),
            repriced=tuple((self._changed[id], priority) for id, priority in self._repriced.items()),
            closed=tuple(self._closed),
            tally=tuple((state, reason, n) for (state, reason), n in self._tally.items() if n),
        )
        self._in_transit = self._added | self._changed
        self._keys_in_transit = self._keys
        self._added, self._changed, self._keys, self._closed = {}, {}, {}, []
        self._repriced = {}
        self._tally.clear()
        return changes

    def committed(self) -> None:
        """The URL index has the batch taken last."""
        self._in_transit, self._keys_in_transit = {}, {}
