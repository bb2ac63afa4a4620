"""What has a worker done so far?"""

from __future__ import annotations

import dataclasses

from shoal.model import Missed, Pictured, Seen, Visit


@dataclasses.dataclass(slots=True)
class Tally:
    """Counts since it began, for all crawls; changed by the worker's `Hand` only."""

    visits: int = 0
    failures: int = 0
    bytes: int = 0

    def count(self, visit: Visit) -> None:
        """One more visit."""
        self.visits += 1
        self.failures += isinstance(visit, Missed)
        self.bytes += len(visit.response.body) if isinstance(visit, Seen | Pictured) else 0
