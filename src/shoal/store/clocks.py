"""When may which host be asked again, by whichever machine? One table for all crawls of a PostgreSQL database.

The rules are those of `store/ledger.py`. A claim is one statement, and told to the others at once. While the server is away
nothing can be claimed, so hosts are asked again later; what is released is kept until the server is back.
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from threading import Event, Thread

from shoal.errors import DatabaseGone, ShoalError
from shoal.store.postgres import PostgresDatabase
from shoal.store.shared_crawl import SHARED, make_shared
from shoal.store.sqlite_ledger import DAY, POLL

logger = logging.getLogger(__name__)
_AWAY = 1.0
"""Seconds until a claim is worth another try while the server is away."""
_ANSWER_SECONDS = 2.0
"""The event loop waits for each answer; a server that takes longer counts as away."""
_LONGEST_PAUSE = 3.0
_AGREE = 60.0
"""Seconds that the clocks of machines may differ; what was written later than that was written by a clock that was wrong."""
# The values are: key, owner, until, next_at, now. What the second part reads is older than what the first one writes.
_CLAIM = f"""
WITH claimed AS (
  INSERT INTO {SHARED}.clocks AS clock (key, owner, held, busy_until, next_at, noted_at) VALUES ($1, $2, 1, $3, $4, $5)
  ON CONFLICT (key) DO UPDATE SET
    noted_at = excluded.noted_at,
    held = CASE WHEN clock.busy_until > $5 THEN clock.held + 1 ELSE 1 END,
    busy_until = greatest(clock.busy_until, excluded.busy_until),
    next_at = excluded.next_at,
    owner = excluded.owner
  WHERE clock.next_at <= $5 AND (clock.busy_until <= $5 OR clock.owner = excluded.owner)
  RETURNING 1
)
SELECT EXISTS (SELECT 1 FROM claimed), before.next_at, before.busy_until, before.owner, before.noted_at
FROM (SELECT 1) AS one LEFT JOIN {SHARED}.clocks AS before ON before.key = $1
"""
_RELEASE = f"""
INSERT INTO {SHARED}.clocks AS clock (key, owner, held, busy_until, next_at, noted_at) VALUES ($1, $2, 0, 0, $3, $4)
ON CONFLICT (key) DO UPDATE SET
  noted_at = CASE WHEN clock.owner = $2 AND clock.held > 0 THEN excluded.noted_at
                  ELSE greatest(clock.noted_at, excluded.noted_at) END,
  next_at = CASE WHEN clock.owner = $2 AND clock.held > 0 THEN excluded.next_at
                 ELSE greatest(clock.next_at, excluded.next_at) END,
  busy_until = CASE WHEN clock.owner = $2 AND clock.held <= 1 THEN 0 ELSE clock.busy_until END,
  held = CASE WHEN clock.owner = $2 THEN greatest(clock.held - 1, 0) ELSE clock.held END
"""
_RECOVER = f"""
UPDATE {SHARED}.clocks SET next_at = greatest(next_at, $2), busy_until = 0, held = 0 WHERE owner = $1 AND busy_until > $3
"""
# The values are: now, the longest wait of a row that does not say when it was written, how far clocks may differ.
_CORRECT = f"""
UPDATE {SHARED}.clocks SET
  next_at = CASE WHEN noted_at > 0 THEN $1::float8 + next_at - noted_at ELSE least(next_at, $1::float8 + $2::float8) END,
  busy_until = CASE WHEN noted_at > 0 THEN $1::float8 + busy_until - noted_at ELSE least(busy_until, $1::float8 + $2::float8) END,
  noted_at = $1::float8
WHERE (noted_at > $1::float8 + $3::float8 OR (noted_at = 0 AND greatest(next_at, busy_until) > $1::float8 + $2::float8))
"""
_CORRECT_ONE = _CORRECT + " AND key = $4"
_FORGET = f"DELETE FROM {SHARED}.clocks WHERE (next_at < $1 AND busy_until < $2) OR next_at > $3"
_HELD = f"SELECT key, busy_until FROM {SHARED}.clocks WHERE owner = $1 AND busy_until > $2 AND held > 0"


class PostgresLedger:
    """The clocks of all hosts, for every crawl of a database. Never raises because the server is away."""

    def __init__(self, url: str, owner: str, clock: Callable[[], float]) -> None:
        self._owner = owner
        self._clock = clock
        make_shared(url)
        # Clocks only matter for minutes: after a crash of the server a host is asked one delay early at most.
        self._database = PostgresDatabase(url, relaxed=True, patience=_ANSWER_SECONDS)
        self._released: list[tuple[str, str, float, float]] = []
        """Not told yet."""
        self._returning: Thread | None = None
        """Tries to reach the server again; until it has, nobody else may use the connection."""
        self._closed = Event()
        now = clock()
        self._database.execute(_CORRECT, (now, DAY, _AGREE))
        self._database.execute(_FORGET, (now - DAY, now, now + 7 * DAY))

    def claim(self, key: str, now: float, until: float, next_at: float = 0.0) -> float:
        """Reserve a host until `until`: 0 when granted, else the time to ask again; `next_at` counts if we die."""
        if any(key == released for released, *_ in self._released):
            self.flush()
        if self._is_away():
            return now + _AWAY
        try:
            answer = self._claimed((key, self._owner, until, next_at, now))
        except DatabaseGone as error:
            self._lost(error)
            return now + _AWAY
        claimed, free_at, busy_until, owner = answer
        if claimed:
            return 0.0
        # A claim may last for a minute, but the request is usually over much sooner.
        others = min(busy_until, now + POLL) if owner not in (None, self._owner) else 0.0
        again: float = max(free_at or 0.0, others)
        return again if again > now else now + POLL  # it was claimed, or became free, at this very moment

    def _claimed(self, values: tuple[str, str, float, float, float]) -> tuple[bool, float, float, str | None]:
        """One more try when a clock was set back since the host was claimed or released last."""
        claimed, free_at, busy_until, owner, noted_at = self._database.execute(_CLAIM, values).fetchone()
        key, *_, now = values
        if not claimed and noted_at is not None and (noted_at > now + _AGREE or not noted_at):
            self._database.execute(_CORRECT_ONE, (now, DAY, _AGREE, key))
            claimed, free_at, busy_until, owner, _ = self._database.execute(_CLAIM, values).fetchone()
        return claimed, free_at, busy_until, owner

    def release(self, key: str, next_at: float) -> None:
        """The request is over; nobody may ask this host before `next_at`."""
        self._released.append((key, self._owner, next_at, self._clock()))

    def flush(self) -> None:
        """Tell the other crawls what was released."""
        if not self._released or self._is_away():
            return
        # All crawls in the same order: two that wait for each other would wait for ever.
        rows = sorted(self._released, key=lambda row: row[0])
        if self._tried(lambda: self._database.executemany(_RELEASE, rows)):
            self._released.clear()

    def held(self, now: float) -> dict[str, float]:
        """The hosts that this crawl holds at this moment, each with the time when its claim runs out."""
        return dict(self._database.execute(_HELD, (self._owner, now)))

    def recover(self, now: float, pause: float) -> None:
        """Free what this crawl held when it was killed; it may have asked a moment ago, so each host gets a pause."""
        self.flush()
        if not self._is_away():
            self._tried(lambda: self._database.execute(_RECOVER, (self._owner, now + pause, now)))

    def close(self) -> None:
        """Let go of the server, after all that was released; closing twice does no harm."""
        if not self._closed.is_set():
            self.flush()
        self._closed.set()
        if self._returning is not None:
            self._returning.join()
        self._database.close()

    # --- when the server is away -------------------------------------------------------------------------------------

    def _tried(self, work: Callable[[], object]) -> bool:
        """False when the server is away."""
        try:
            work()
        except DatabaseGone as error:
            self._lost(error)
            return False
        return True

    def _is_away(self) -> bool:
        if self._returning is not None and not self._returning.is_alive():
            self._returning = None
        return self._returning is not None

    def _lost(self, error: DatabaseGone) -> None:
        logger.info("%s No host is asked until it is back.", error)
        self._returning = Thread(target=self._return, name="shoal-clocks", daemon=True)
        self._returning.start()

    def _return(self) -> None:
        pause = 0.1
        while not self._closed.wait(pause):
            pause = min(2 * pause, _LONGEST_PAUSE)
            try:
                self._database.reconnect()
            except ShoalError as error:
                logger.info("%s", error)
                continue
            return
