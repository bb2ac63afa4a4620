"""Which workers are there, and how fast are they? What a coordinator knows of them, by what it heard. Time is an argument."""

from __future__ import annotations

from collections import deque

from msgspec.structs import replace

from shoal.cluster.wire import WIRE, Beat
from shoal.model.stored import WorkerRecord

BEAT = 1.0
"""Seconds between two beats of a worker."""
SILENCE = 7 * BEAT
"""Seconds after which a silent worker is not counted on."""
_FORGET = 300.0
"""Seconds after which it is not even shown."""
_RATE_SECONDS = 10.0
_NAME = 100
"""Characters of a name that anybody reads."""
_MOST_AT_ONCE = 10_000
"""Requests that one worker can make at once, as far as we believe it; `shoal worker` takes no larger number."""
_MOST_WORKERS = 10_000
_LARGEST = 2**62
"""What is counted, is counted up to this."""


def shown_name(name: str, longest: int = _NAME) -> str:
    """What somebody else calls itself, as it may be shown and kept."""
    return "".join(character if character.isprintable() else "?" for character in name[:longest])


def _believed(beat: Beat) -> Beat:
    """The same beat, as far as it can be true."""
    capacity = _within(beat.capacity, _MOST_AT_ONCE)
    return replace(
        beat,
        shoal=shown_name(beat.shoal),
        worker=shown_name(beat.worker),
        capacity=capacity,
        busy=_within(beat.busy, capacity),
        visits=_within(beat.visits, _LARGEST),
        failures=_within(beat.failures, _LARGEST),
        bytes=_within(beat.bytes, _LARGEST),
    )


def _within(number: int, most: int) -> int:
    return min(max(number, 0), most)


class _Worker:
    """One worker, by its last beats."""

    def __init__(self) -> None:
        self.beats: deque[tuple[float, Beat]] = deque()

    def heard(self, beat: Beat, now: float) -> None:
        if self.beats and beat.visits < self.beats[-1][1].visits:  # it was started anew under the same name
            self.beats.clear()
        self.beats.append((now, beat))
        while len(self.beats) > 2 and self.beats[1][0] < now - _RATE_SECONDS:
            self.beats.popleft()

    @property
    def rate(self) -> float:
        (first_at, first), (last_at, last) = self.beats[0], self.beats[-1]
        return (last.visits - first.visits) / (last_at - first_at) if last_at > first_at else 0.0


class WorkerRegistry:
    """All workers that were heard lately. Sole owner of what is known of them."""

    def __init__(self) -> None:
        self._workers: dict[str, _Worker] = {}

    def heard(self, beat: Beat, now: float) -> bool:
        """A worker is alive; False when it was before, just so: there may be a thousand of them, and each beats every second."""
        beat = _believed(beat)
        if beat.worker not in self._workers and len(self._workers) >= _MOST_WORKERS:
            self._forget(now)
            if len(self._workers) >= _MOST_WORKERS:  # so many there are not
                return False
        worker = self._workers.setdefault(beat.worker, _Worker())
        last_at, last = worker.beats[-1] if worker.beats else (0.0, None)
        worker.heard(beat, now)
        if last is not None and last_at >= now - SILENCE:
            return (last.capacity, last.leaving, last.wire) != (beat.capacity, beat.leaving, beat.wire)
        self._forget(now)
        return True

    def capacity(self, now: float) -> int:
        """How many requests they can make at once."""
        return sum(beat.capacity for beat in self._at_work(now))

    def size(self, now: float) -> int:
        """How many there are to count on."""
        return len(self._at_work(now))

    def records(self, now: float) -> tuple[WorkerRecord, ...]:
        """All of them, for those who watch."""
        return tuple(_record(name, worker, now) for name, worker in sorted(self._workers.items()))

    def _forget(self, now: float) -> None:
        """Who was not heard for long is not even shown."""
        for name in [name for name, worker in self._workers.items() if worker.beats[-1][0] < now - _FORGET]:
            del self._workers[name]

    def _at_work(self, now: float) -> list[Beat]:
        last = [worker.beats[-1] for worker in self._workers.values()]
        return [beat for at, beat in last if at >= now - SILENCE and not beat.leaving and beat.wire == WIRE]


def _record(name: str, worker: _Worker, now: float) -> WorkerRecord:
    at, beat = worker.beats[-1]
    state = (
        "refused" if beat.wire != WIRE else "left" if beat.leaving else "silent" if at < now - SILENCE else "working"
    )
    return WorkerRecord(
        name=name,
        state=state,
        shoal=beat.shoal,
        capacity=beat.capacity,
        busy=beat.busy,
        visits=beat.visits,
        failures=beat.failures,
        bytes=beat.bytes,
        rate=worker.rate if state == "working" else 0.0,
        heard_at=at,
    )
