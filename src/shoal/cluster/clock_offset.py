"""What does the coordinator's clock say? It owns the clocks of all hosts, so workers tell times by its clock, not by theirs."""

from __future__ import annotations

from collections import deque
from math import isfinite

from msgspec.structs import replace

from shoal.crawl.validation import fitted
from shoal.model import Seen, Visit, timing_of
from shoal.store import warc

_KEPT = 8
_LONGEST = 60.0
"""Seconds that an answer may take, and still tell the time."""
_SAME = 0.02
"""Seconds that clocks may differ and still count as the same."""


class ClockOffset:
    """How far the clock of a coordinator is ahead of ours, by the quickest of the last answers. Sole owner of them."""

    def __init__(self) -> None:
        self._heard: deque[tuple[float, float]] = deque(maxlen=_KEPT)
        """How long each answer took, and the difference it shows."""

    def heard(self, *, sent: float, there: float, back: float) -> None:
        """We spoke, it answered when its clock said `there`, and we heard it. What cannot be so was not said."""
        if not (isfinite(there) and 0 <= back - sent <= _LONGEST):  # or our own clock was set meanwhile
            return
        self._heard.append((back - sent, there - (sent + back) / 2))

    @property
    def seconds(self) -> float:
        """What to add to our clock; 0 as long as nothing was heard, or when the clocks agree."""
        if not self._heard:
            return 0.0
        took, difference = min(self._heard)
        return difference if abs(difference) > took / 2 + _SAME else 0.0


def shifted(visit: Visit, seconds: float) -> Visit:
    """The same visit, by a clock that is so far ahead."""
    if not seconds:
        return visit
    timing = timing_of(visit)
    times = {name: getattr(timing, name) + seconds for name in ("started", "answered", "ended")}
    timing = replace(timing, **times)
    if isinstance(visit, Seen) and visit.packed.record:  # its time stands in what goes to the disk, too
        record = warc.dated(visit.packed.record, timing.answered)
        visit = replace(visit, packed=replace(visit.packed, record=record))
    return fitted(visit, visit.task, timing)
