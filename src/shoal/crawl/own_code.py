"""What if strategy or judge are objects that a program passed? They think here, beside the crawl, and their mistakes end it.

A page's own trouble costs that page, because nobody can ask a stranger to mend it. A mistake in the strategy or the judge of
whoever started the crawl is theirs to mend: the run ends at once, as if it had been killed, and what was under way waits again.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from math import isfinite
from typing import ParamSpec, SupportsFloat, TypeVar

from msgspec.structs import asdict, replace

from shoal.crawl.page_reader import Reading
from shoal.model import Candidate, Evidence, Link, Mark, Outlook, Page, Repriced, Response, Seen, Task, Verdict
from shoal.protocols import Judge, Reader, Repricer, Strategy
from shoal.settings import Settings
from shoal.strategy import JUDGE, Capabilities, capabilities_of
from shoal.text import flattened

_P = ParamSpec("_P")
_T = TypeVar("_T")


class OwnCodeFell(BaseException):
    """Goes through the boundaries that catch what goes wrong with one page; its cause is what was raised."""


def name_of_own(thing: Strategy | Judge) -> str:
    """How the folder of a crawl remembers an object: `MyStrategy()`, which no name of ours looks like."""
    return f"{type(thing).__name__}()"


def is_own(name: str) -> bool:
    """True for what `name_of_own` wrote."""
    return name.endswith("()")


def guarded(strategy: Strategy) -> Capabilities:
    """What a crawl asks of it, with mistakes that end the crawl."""
    asked = capabilities_of(strategy)
    learner, forecaster = asked.mark_learner, asked.forecaster
    return dataclasses.replace(
        asked,
        follow=_following(strategy),
        chosen=ending(strategy, asked.chosen),
        lost=ending(strategy, asked.lost),
        why=ending(strategy, asked.why),
        memo=ending(strategy, asked.memo),
        repricer=None if asked.repricer is None else _OwnRepricer(strategy, asked.repricer),
        mark_learner=None if learner is None else _OwnMarkLearner(ending(strategy, learner.learn_mark)),
        forecaster=None if forecaster is None else _OwnForecaster(ending(strategy, forecaster.outlook)),
    )


def _following(strategy: Strategy) -> Callable[[Seen], Iterable[Candidate]]:
    def follow(seen: Seen) -> Iterable[Candidate]:
        try:
            found = tuple(map(_candidate, strategy.follow(seen)))
        except Exception as error:
            raise OwnCodeFell(_fell(strategy, seen.task.url, error)) from error
        return found

    return follow


def ending(strategy: Strategy, call: Callable[_P, _T]) -> Callable[_P, _T]:
    """The call, whose mistakes end the crawl."""

    def called(*given: _P.args, **named: _P.kwargs) -> _T:
        try:
            return call(*given, **named)
        except Exception as error:
            raise OwnCodeFell(_fell_in(strategy, call.__name__, error)) from error

    return called


class _OwnRepricer:
    """Implements `protocols.Repricer`."""

    def __init__(self, strategy: Strategy, repricer: Repricer) -> None:
        self._strategy = strategy
        self._repricer = repricer

    def pace(self) -> int:
        try:
            return int(self._repricer.pace())
        except Exception as error:
            raise OwnCodeFell(_fell_in(self._strategy, "pace", error)) from error

    async def refresh(self) -> Sequence[Repriced]:
        try:
            return [_repriced(one) for one in await self._repricer.refresh()]
        except Exception as error:
            raise OwnCodeFell(_fell_in(self._strategy, "refresh", error)) from error

    def lost(self, keys: Iterable[int]) -> None:
        ending(self._strategy, self._repricer.lost)(keys)


@dataclass(frozen=True)
class _OwnMarkLearner:
    """Implements `protocols.MarkLearner`."""

    learn_mark: Callable[[Mark], None]


@dataclass(frozen=True)
class _OwnForecaster:
    """Implements `protocols.Forecaster`."""

    outlook: Callable[[int], Outlook]


class OwnJudgeReader:
    """Reads as the reader within, and lets somebody's own judge say what to think of it. Implements `protocols.Reader`."""

    def __init__(self, reader: Reader, judge: Judge, *, learns: bool) -> None:
        """The reader within sends texts along (`for_own_judge`); who `learns` needs them afterwards."""
        self._reader = reader
        self._judge = judge
        self._learns = learns

    async def read(self, task: Task, response: Response) -> Reading:
        """What a page says, and what the judge thinks of it."""
        reading = await self._reader.read(task, response)
        if not isinstance(reading, Seen) or reading.page is None:
            return reading
        page = _page(reading)
        try:
            verdict, hints = _verdict(self._judge.judge(page)), _hints(page, self._judge.judge_links(page.links))
        except Exception as error:
            raise OwnCodeFell(_fell(self._judge, task.url, error)) from error
        return replace(reading, verdict=verdict, hints=hints, text=reading.text if self._learns else "")


def for_own_judge(settings: Settings) -> Settings:
    """How readers read for it: by a judge that every process knows, and with the text, as for a crawl that learns."""
    return replace(settings, judge=JUDGE, learning=replace(settings.learning, from_seeds=True))


def _page(seen: Seen) -> Page:
    assert seen.page is not None
    title = seen.page.title
    return Page(**asdict(seen.page), text=seen.text, flat=f"{flattened(title)}\n{flattened(seen.text)}")


# --- what they answer ------------------------------------------------------------------------------------------------

# Nothing at run time holds a program to the types; what is wrong is said here, and not where it is stored.


def _candidate(given: object) -> Candidate:
    if not isinstance(given, Candidate):
        raise TypeError(f"follow must give candidates, not {given!r}")
    if not isinstance(given.link, Link) or not isinstance(given.why, str):
        raise TypeError(f"a candidate has a link and says why in words, unlike {given!r}")
    priority = _number("the priority of a candidate", given.priority)
    return given if priority is given.priority else replace(given, priority=priority)


def _repriced(given: object) -> Repriced:
    if not isinstance(given, Repriced):
        raise TypeError(f"refresh must give what is priced anew, not {given!r}")
    priority = _number("a priority", given.priority)
    return given if priority is given.priority else replace(given, priority=priority)


def _verdict(given: object) -> Verdict:
    if not isinstance(given, Verdict):
        raise TypeError(f"judge must give a Verdict, not {given!r}")
    score, threshold = _number("a score", given.score), _number("a threshold", given.threshold)
    return replace(given, score=score, threshold=threshold, why=tuple(map(_evidence, given.why)))


def _evidence(given: object) -> Evidence:
    if not isinstance(given, Evidence) or not isinstance(given.what, str):
        raise TypeError(f"the why of a verdict is evidence in words, not {given!r}")
    return replace(given, amount=_number("the amount of evidence", given.amount))


def _hints(page: Page, given: Iterable[object]) -> tuple[float, ...]:
    hints = tuple(_number("the promise of a link", one) for one in given)
    if len(hints) != len(page.links):
        raise ValueError(f"judge_links must give a number for each of {len(page.links)} links, not {len(hints)}")
    return hints


def _number(what: str, given: object) -> float:
    """Those of NumPy, too, as one of Python's, which can be stored and sent."""
    if type(given) is float and isfinite(given):
        return given
    if isinstance(given, SupportsFloat) and isfinite(number := float(given)):
        return number
    raise ValueError(f"{what} must be a number, not {given!r}")


def _fell_in(thing: Strategy, method: str, error: Exception) -> str:
    return f"{type(thing).__name__} raised {type(error).__name__} in {method}: {error}"


def _fell(thing: Strategy | Judge, url: str, error: Exception) -> str:
    return f"{type(thing).__name__} raised {type(error).__name__} for {url}: {error}"
