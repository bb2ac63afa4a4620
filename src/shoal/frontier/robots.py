"""May we ask for this page? The Robots Exclusion Protocol (RFC 9309) for every origin of a crawl.

What a visit to robots.txt means:

    2xx                    its rules hold for a day (`robots_ttl`); HTML or garbage has no rules, so all is allowed
    3xx, 4xx               there is none: all is allowed for a day. 3xx comes here only after too many redirects
    429, 5xx, no answer    nothing is allowed for a while (`robots_retry`), then it is asked for again

RFC 9309 counts 429 among the 4xx; we do as Google does and take it as "not now".
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable
from typing import Literal, NamedTuple

from shoal import urls
from shoal.model import Missed, Moved, Reason, RobotsRead
from shoal.model.stored import RobotsRecord
from shoal.parse.robots_txt import ALLOW_ALL, DISALLOW_ALL, MAX_TEXT, Robots
from shoal.settings import Politeness

_AGREE = 60.0
"""Seconds that the clocks of machines that go on with the same crawl may differ."""
Ruling = Literal["allowed", "refused", "unreachable", "unknown"]


class _Known(NamedTuple):
    record: RobotsRecord
    rules: Robots


class Rulebook:
    """Knows the rules of every origin, as far as they were read, and says when they must be read.

    It owns the rules in memory: the least used are dropped, and read again through `lookup` from where records are kept.
    """

    def __init__(
        self,
        politeness: Politeness,
        user_agent: str,
        lookup: Callable[[str], RobotsRecord | None] = lambda origin: None,
        *,
        max_origins: int = 20_000,
        max_text: int = 32 * 2**20,
    ) -> None:
        self._politeness = politeness
        self._user_agent = user_agent
        self._lookup = lookup
        self._max_origins = max_origins
        self._max_text = max_text
        self._known: OrderedDict[str, _Known] = OrderedDict()
        self._text = 0  # characters of all texts in `_known`

    def check(self, url: str, now: float) -> Ruling:
        """May we ask for this URL? `unknown` means that the robots.txt of its origin must be fetched first."""
        known = self._find(urls.origin_of(url))
        if known is None or not _holds(known.record, now):
            return "unknown"
        if known.rules is DISALLOW_ALL:
            return "unreachable"
        return "allowed" if known.rules.allowed(url) else "refused"

    def crawl_delay(self, url: str) -> float | None:
        """Seconds the site wants between two requests; None when it does not say, or was not asked yet."""
        known = self._find(urls.origin_of(url))
        return known.rules.crawl_delay if known else None

    def learn(self, origin: str, visit: RobotsRead | Moved | Missed, now: float) -> RobotsRecord:
        """Take in the last visit of a fetch of robots.txt (after its redirects); the record is to be stored."""
        status = _status(visit)
        lasts = self._politeness.robots_retry if _is_unreachable(status) else self._politeness.robots_ttl
        text = visit.text[:MAX_TEXT] if isinstance(visit, RobotsRead) else ""
        record = RobotsRecord(origin=origin, text=text, status=status, fetched_at=now, expires_at=now + lasts)
        self._keep(record)
        return record

    def _find(self, origin: str) -> _Known | None:
        if origin in self._known:
            self._known.move_to_end(origin)
        elif record := self._lookup(origin):
            self._keep(record)
        return self._known.get(origin)

    def _keep(self, record: RobotsRecord) -> None:
        if earlier := self._known.pop(record.origin, None):
            self._text -= len(earlier.record.text)
        self._known[record.origin] = _Known(record, _rules(record, self._user_agent))
        self._text += len(record.text)
        # The newest always stays, so that what was just learned is known.
        while len(self._known) > 1 and (len(self._known) > self._max_origins or self._text > self._max_text):
            _, dropped = self._known.popitem(last=False)
            self._text -= len(dropped.record.text)


def _holds(record: RobotsRecord, now: float) -> bool:
    """False when it is too old, and when it was read in the future: the computer's clock was set back since."""
    return record.fetched_at - _AGREE <= now < record.expires_at


def _status(visit: RobotsRead | Moved | Missed) -> int:
    """The HTTP status as RFC 9309 would see it; 0 for no answer that counts."""
    match visit:
        case RobotsRead():
            return 200
        case Moved(redirect=redirect):
            return redirect.status
        case Missed(failure=failure) if failure.reason is Reason.REDIRECT_LOOP:
            return failure.status or 302
        case Missed(failure=failure) if failure.reason in (Reason.STATUS, Reason.BAD_REDIRECT):
            return failure.status
    return 0


def _is_unreachable(status: int) -> bool:
    return status == 429 or not 200 <= status <= 499


def _rules(record: RobotsRecord, user_agent: str) -> Robots:
    if _is_unreachable(record.status):
        return DISALLOW_ALL
    return Robots(record.text, user_agent) if record.status <= 299 and record.text else ALLOW_ALL
