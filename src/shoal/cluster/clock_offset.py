"""What does the coordinator's clock say? It owns the clocks of all hosts, so workers tell times by its clock, not by theirs."""

from __future__ import annotations

from collections import deque
from math import isfinite

from msgspec.structs import replace

from shoal.model import Missed, Moved, RobotsRead, Seen, SeenImage, Timing, Visit
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
    match visit:
        case Seen(response=response, packed=packed):
            timing = _later(response.timing, seconds)
            record = packed.record and warc.dated(packed.record, timing.answered)
            return replace(
                visit, response=replace(response, timing=timing), packed=replace(packed, record=record)
            )  # its time stands in what goes to the disk, too
        case SeenImage(response=response):
            return replace(visit, response=replace(response, timing=_later(response.timing, seconds)))
        case Moved(redirect=redirect):
            return replace(visit, redirect=replace(redirect, timing=_later(redirect.timing, seconds)))
        case Missed(failure=failure):
            return replace(visit, failure=replace(failure, timing=_later(failure.timing, seconds)))
        case RobotsRead(timing=timing):
            return replace(visit, timing=_later(timing, seconds))


def _later(timing: Timing, seconds: float) -> Timing:
    times = {name: getattr(timing, name) + seconds for name in ("started", "answered", "ended")}
    return replace(timing, **times)
