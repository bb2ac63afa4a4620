"""May a result be taken in? What others say of a task is judged by our own record of it, and believed as far as it can be true.

Whoever receives results from other processes settles them through `settle_checked`: whatever a result is, it costs its own task
at most.
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from typing import Any, TypeVar

import msgspec
from msgspec.structs import replace

from shoal.errors import ShoalError
from shoal.internal_errors import at_once, missed_by
from shoal.model import Failure, Missed, Moved, RobotsRead, Seen, SeenImage, Task, TaskKind, Timing, Visit, timing_of
from shoal.protocols import Broker
from shoal.urls import MAX_URL_LENGTH

_T = TypeVar("_T")
logger = logging.getLogger(__name__)
_FITS: dict[TaskKind, tuple[type[Any], ...]] = {
    "page": (Seen, Moved, Missed),
    "robots": (RobotsRead, Moved, Missed),
    "image": (SeenImage, Moved, Missed),
    "revisit": (Seen, Moved, Missed),
}
_ADDRESS = 64
"""Characters; an IP address has fewer."""
_SENTENCE = 200
_DETAIL = 2_000
_TRACE = 10_000
_FINGERPRINT = 4
"""Bytes of each number of a page's fingerprint."""


class Unreadable(Exception):
    """These bytes are no message; why is in the text."""


class Misfit(Exception):
    """A message does not fit what was leased; why is in the text."""


def read(decoder: msgspec.msgpack.Decoder[_T], data: bytes | msgspec.Raw) -> _T:
    """What the bytes say; `Unreadable` whatever is wrong with them: their type, their depth, their letters, their numbers."""
    try:
        return decoder.decode(data)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError, OverflowError, MemoryError) as error:
        raise Unreadable(in_words(error)) from error


def in_words(error: Exception) -> str:
    """What is wrong, in one line that can be shown to anybody: errors quote the messages that they complain about."""
    text = "".join(character if character.isprintable() else "?" for character in str(error)[:_SENTENCE])
    return text if isinstance(error, Unreadable | Misfit) else f"{type(error).__name__}: {text}"


async def settle_checked(
    broker: Broker, task: Task, read: Callable[[], Visit], *, since: float, now: float
) -> Exception | None:
    """Settle what came of a leased task, whatever it is. Answers what was wrong with it: then the task has failed by our fault.

    `since` is when the task was handed out.
    """
    try:
        await broker.settle(checked(read(), task, since=since, now=now))
    except ShoalError:
        raise  # the disk is full, the database is gone: no result is to blame for that
    except Exception as error:
        try:
            await broker.settle(missed_by(error, task, at_once(now)))
        except ShoalError:
            raise
        except Exception:  # it broke in the middle: what is half done stays so, and the others go on
            logger.exception("What came of %s could not even be written off.", task.url)
        return error
    return None


def is_of(visit: Visit, task: Task) -> bool:
    """True when a visit says that it is of this task."""
    return (visit.task.id, visit.task.url, visit.task.kind) == (task.id, task.url, task.kind)


def checked(visit: Visit, task: Task, *, since: float, now: float) -> Visit:
    """The visit with our own task, and times that can be true; `Misfit` when it cannot have come of this task."""
    if not is_of(visit, task):
        raise Misfit("It is of another task.")
    if type(visit) not in _FITS[task.kind]:
        raise Misfit(f"{type(visit).__name__} cannot come of a task for a {task.kind}.")
    match visit:
        case Seen():
            _check_page(visit)
        case Moved(redirect=redirect):
            _check_urls([redirect.target])
        case Missed(failure=failure):
            visit = replace(visit, failure=_bounded(failure))
    return fitted(visit, task, _possible(timing_of(visit), since, now))


def fitted(visit: Visit, task: Task, timing: Timing) -> Visit:
    """The visit as one of this task, at these times."""
    match visit:
        case Seen(response=response) | SeenImage(response=response):
            return replace(visit, task=task, response=replace(response, url=task.url, timing=timing))
        case Moved(redirect=redirect):
            return replace(visit, task=task, redirect=replace(redirect, url=task.url, timing=timing))
        case Missed(failure=failure):
            return replace(visit, task=task, failure=replace(failure, url=task.url, timing=timing))
        case RobotsRead():
            return replace(visit, task=task, timing=timing)


def _possible(timing: Timing, since: float, now: float) -> Timing:
    """The nearest times that can be true: after the task was handed out, and before its result was here.

    An hour that a clock was set back by is no reason to wait for an hour.
    """
    ended = min(max(timing.ended, since), now)
    answered = min(max(timing.answered, since), ended)
    started = min(max(timing.started, since), answered)
    address = timing.address if len(timing.address) <= _ADDRESS else ""
    return Timing(started=started, answered=answered, ended=ended, address=address)


def _bounded(failure: Failure) -> Failure:
    wait = failure.retry_after
    return replace(
        failure,
        detail=failure.detail[:_DETAIL],
        trace=failure.trace[-_TRACE:],
        retry_after=wait if wait is not None and wait >= 0 else None,
    )


def _check_page(seen: Seen) -> None:
    if (page := seen.page) is None:
        return
    if len(seen.hints) != len(page.links):
        raise Misfit(f"{len(seen.hints)} hints cannot be of {len(page.links)} links.")
    if len(page.fingerprint) % _FINGERPRINT:
        raise Misfit(f"A fingerprint of {len(page.fingerprint)} bytes is none.")
    _check_urls([link.url for link in page.links])
    _check_urls([sighting.image.url for sighting in seen.sightings])


def _check_urls(urls: list[str]) -> None:
    """That they have the parts by which we tell hosts apart; whether somebody is there is for the fetcher to find out."""
    for url in urls:
        if not (
            url.startswith(("http://", "https://"))
            and 0 < url.find("/", 8) <= len(url) <= MAX_URL_LENGTH
            and url.isascii()
        ):
            raise Misfit(f"{url[:100]!r} is no URL.")
