"""When may which host be asked again, by whichever machine? One table for all crawls of a PostgreSQL database.

The rules are those of `installation/sqlite_ledger.py`. Claims are asked for many at a time, and whoever claims hears later what
became of it. While the server is away nothing can be claimed, so hosts are asked again later; what is released is kept until it
is back.
"""

from __future__ import annotations

import asyncio
import logging
import math
from collections.abc import Callable, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from functools import partial
from operator import itemgetter
from threading import Event
from time import monotonic
from typing import NamedTuple

from shoal.database.postgres import PostgresDatabase
from shoal.database.shared_schema import SHARED, make_shared
from shoal.errors import DatabaseGone, ShoalError
from shoal.installation.sqlite_ledger import DAY, again_at

logger = logging.getLogger(__name__)
_AWAY = 1.0
"""Seconds until a claim is worth another try while the server is away."""
_ANSWER_SECONDS = 2.0
"""A server that takes longer for an answer counts as away."""
_KEPT = 3.0
"""Seconds after which a host that was asked for, and granted, but not used goes back. It is claimed for so much longer."""
_MOST = 64
"""Claims under way, at most; fewer as long as fewer are used."""
_FIRST = 4
_LONGEST_PAUSE = 3.0
_AGREE = 60.0
"""Seconds that the clocks of machines may differ; what was written later than that was written by a clock that was wrong."""
# The values are: keys, owner, untils, next_ats, nows. What the last part reads is older than what the second one writes. All
# crawls go by the order of keys: two that wait for each other would wait for ever.
_CLAIM = f"""
WITH wanted AS (
  SELECT * FROM unnest($1::text[], $3::float8[], $4::float8[], $5::float8[]) AS wish (key, until, next_at, at)
), claimed AS (
  INSERT INTO {SHARED}.clocks AS clock (key, owner, held, busy_until, next_at, noted_at)
  SELECT key, $2, 1, until, next_at, at FROM wanted ORDER BY key
  ON CONFLICT (key) DO UPDATE SET
    noted_at = excluded.noted_at,
    held = CASE WHEN clock.busy_until > excluded.noted_at THEN clock.held + 1 ELSE 1 END,
    busy_until = greatest(clock.busy_until, excluded.busy_until),
    next_at = excluded.next_at,
    owner = excluded.owner
  WHERE clock.next_at <= excluded.noted_at AND (clock.busy_until <= excluded.noted_at OR clock.owner = excluded.owner)
  RETURNING key
)
SELECT key, claimed.key IS NOT NULL, before.next_at, before.busy_until, before.owner, before.noted_at
FROM wanted LEFT JOIN claimed USING (key) LEFT JOIN {SHARED}.clocks AS before USING (key)
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
_CORRECT_SOME = _CORRECT + " AND key = ANY($4::text[])"
_FORGET = f"DELETE FROM {SHARED}.clocks WHERE (next_at < $1 AND busy_until < $2) OR next_at > $3"
_HELD = f"SELECT key, busy_until FROM {SHARED}.clocks WHERE owner = $1 AND busy_until > $2 AND held > 0"


class _Wish(NamedTuple):
    """A claim that was asked for."""

    now: float
    until: float
    next_at: float
    tell: Callable[[], None]
    kept_until: float
    """By the monotonic clock: when the host goes back if nobody has used the claim."""


_Release = tuple[str, str, float, float]
_Row = tuple[str, bool, float | None, float | None, str | None, float | None]


class PostgresLedger:
    """The clocks of all hosts (`protocols.Ledger`), for every crawl of a database. Never raises because the server is away.

    What is claimed and released is collected until `flush`, and then told to the server in one go, in a thread: the event loop
    never waits for it. All that changes here changes on the event loop.
    """

    def __init__(self, url: str, owner: str, clock: Callable[[], float]) -> None:
        self._owner = owner
        self._clock = clock
        make_shared(url)
        # Clocks only matter for minutes: after a crash of the server a host is asked one delay early at most.
        self._database = PostgresDatabase(url, relaxed=True, patience=_ANSWER_SECONDS)
        self._released: list[_Release] = []
        """Not told yet."""
        self._wanted: dict[str, _Wish] = {}
        """Not asked for yet."""
        self._asked: dict[str, _Wish] = {}
        """The answer is under way."""
        self._granted: dict[str, _Wish] = {}
        """Ours, and nobody has come for it yet."""
        self._refused: dict[str, float] = {}
        """When it is worth asking again; nobody has come for that yet."""
        self._window = _FIRST
        """How many claims may be under way."""
        self._talking: Future[list[_Row]] | None = None
        self._told: list[_Release] = []
        """What was released, in the same talk."""
        self._returning: Future[None] | None = None
        """Tries to reach the server again; until it has, nobody else may use the connection."""
        self._thread = ThreadPoolExecutor(max_workers=1, thread_name_prefix="shoal-clocks")
        self._closed = Event()
        now = clock()
        self._database.execute(_CORRECT, (now, DAY, _AGREE))
        self._database.execute(_FORGET, (now - DAY, now, now + 7 * DAY))

    @property
    def has_room(self) -> bool:
        return len(self._wanted) + len(self._asked) < self._window

    def claim(
        self, key: str, now: float, until: float, next_at: float = 0.0, tell: Callable[[], None] = lambda: None
    ) -> float:
        """Reserve a host until `until`: infinity at first; once `tell` was called, 0 when granted, else the time to ask again."""
        if (granted := self._granted.get(key)) is not None and granted.kept_until >= monotonic():
            del self._granted[key]
            self._window = min(_MOST, self._window + 1)
            return 0.0
        if (again := self._refused.pop(key, 0.0)) > now:
            return again
        if self._is_away:
            return now + _AWAY
        if key not in self._asked:
            kept_until = monotonic() + _KEPT
            self._wanted.setdefault(key, _Wish(now, until + _KEPT, next_at + _KEPT, tell, kept_until))
        return math.inf

    def release(self, key: str, next_at: float) -> None:
        self._released.append((key, self._owner, next_at, self._clock()))

    def flush(self) -> None:
        """Ask for what was claimed, and tell the other crawls what was released; `tell` of each claim hears when it is known."""
        self._give_back_unused()
        if self._talking is not None or self._is_away or not (self._released or self._wanted):
            return
        self._told, self._released = self._released, []
        self._asked, self._wanted = self._wanted, {}
        self._talking = talking = self._thread.submit(self._talk, self._told, self._asked)
        asyncio.wrap_future(talking).add_done_callback(partial(self._heard, talking))

    def held(self, now: float) -> dict[str, float]:
        """The hosts that this crawl holds at this moment, each with the time when its claim runs out."""
        return dict(self._database.execute(_HELD, (self._owner, now)))

    def recover(self, now: float, pause: float) -> None:
        """Free what this crawl held when it was killed; it may have asked a moment ago, so each host gets a pause."""
        if self._tell_rest():
            self._tried(lambda: self._database.execute(_RECOVER, (self._owner, now + pause, now)))

    def close(self) -> None:
        """Let go of the server, after all that was released; closing twice does no harm."""
        if not self._closed.is_set():
            self._tell_rest()
        self._closed.set()
        self._thread.shutdown()
        self._database.close()

    def _give_back_unused(self) -> None:
        """What was granted to a host that has nothing to ask for any more, or not before others."""
        now = monotonic()
        for key in [key for key, wish in self._granted.items() if wish.kept_until < now]:
            del self._granted[key]
            self._window = max(1, self._window // 2)
            self.release(key, 0.0)

    # --- in the thread -----------------------------------------------------------------------------------------------

    def _talk(self, released: list[_Release], wanted: Mapping[str, _Wish]) -> list[_Row]:
        """Tell the server what was released, and ask for what is wanted."""
        if released:
            self._database.executemany(_RELEASE, sorted(released, key=itemgetter(0)))
        return self._claimed(wanted) if wanted else []

    def _claimed(self, wanted: Mapping[str, _Wish]) -> list[_Row]:
        """One more try for those whose clock was set back since they were claimed or released last."""
        rows = self._asked_for(wanted)
        wrong = {row[0] for row in rows if not row[1] and _is_wrong(row[5], wanted[row[0]].now)}
        if not wrong:
            return rows
        now = min(wanted[key].now for key in wrong)
        self._database.execute(_CORRECT_SOME, (now, DAY, _AGREE, sorted(wrong)))
        again = self._asked_for({key: wanted[key] for key in wrong})
        return [row for row in rows if row[0] not in wrong] + again

    def _asked_for(self, wanted: Mapping[str, _Wish]) -> list[_Row]:
        wishes = wanted.values()
        columns = [wish.until for wish in wishes], [wish.next_at for wish in wishes], [wish.now for wish in wishes]
        return list(self._database.execute(_CLAIM, (list(wanted), self._owner, *columns)))

    # --- what the server said ----------------------------------------------------------------------------------------

    def _heard(self, talking: Future[list[_Row]], wrapped: asyncio.Future[list[_Row]]) -> None:
        wrapped.exception()  # it is looked at below
        if self._talking is not talking:  # who closes the ledger does not wait for the event loop
            return
        for wish in self._take_answer(talking).values():
            wish.tell()
        self.flush()

    def _take_answer(self, talking: Future[list[_Row]]) -> dict[str, _Wish]:
        """Note what was granted and refused; answers what had been asked for."""
        asked, self._asked, self._talking = self._asked, {}, None
        try:
            answer = talking.result()
        except DatabaseGone as error:
            self._released[:0] = self._told
            self._lost(error)
            self._refused |= {key: wish.now + _AWAY for key, wish in asked.items()}
            return asked
        for key, claimed, free_at, busy_until, owner, _ in answer:
            if claimed:
                self._granted[key] = asked[key]
            else:
                others_until = busy_until or 0.0 if owner != self._owner else 0.0
                self._refused[key] = again_at(asked[key].now, free_at or 0.0, others_until)
        return asked

    def _tell_rest(self) -> bool:
        """Outside of the event loop: tell the server all that is left to tell; False when it is away."""
        if self._talking is not None:
            self._take_answer(self._talking)
        if self._is_away:
            return False
        for key in self._granted:
            self.release(key, 0.0)
        self._granted.clear()
        released, self._released = self._released, []
        return self._tried(lambda: self._talk(released, {}))

    # --- when the server is away -------------------------------------------------------------------------------------

    def _tried(self, work: Callable[[], object]) -> bool:
        """False when the server is away."""
        try:
            work()
        except DatabaseGone as error:
            self._lost(error)
            return False
        return True

    @property
    def _is_away(self) -> bool:
        if self._returning is not None and self._returning.done():
            self._returning = None
        return self._returning is not None

    def _lost(self, error: DatabaseGone) -> None:
        logger.info("%s No host is asked until it is back.", error)
        self._returning = self._thread.submit(self._return)

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


def _is_wrong(noted_at: float | None, now: float) -> bool:
    """What was written then was written by a clock that was wrong, or has been set back since."""
    return noted_at is not None and (noted_at > now + _AGREE or not noted_at)
