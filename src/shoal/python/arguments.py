"""Which settings can a program give a crawl, and how is a mistake told to somebody who writes Python?

Every key of a topic file is a keyword of `shoal.crawl`, but those that say what the topic is: for these there is the file.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import TypedDict

from shoal.errors import ShoalError
from shoal.protocols import Judge, Strategy
from shoal.services.own_parts import OwnParts


class CrawlSettings(TypedDict, total=False):
    """What may stand behind the first arguments of `shoal.crawl` and `Crawl.resume`; docs/commands.md explains each."""

    language: str | Sequence[str]
    threshold: float
    parameters: Mapping[str, float]
    """Numbers of the strategy, as `{"width": 10}`."""
    learn_from_seeds: bool
    adapt_topic: bool
    adapt_threshold: bool
    adapt_interval: int
    adapt_wanted: int
    scope: str
    include: str | Sequence[str]
    exclude: str | Sequence[str]
    images: bool
    all_images: bool
    max_images: int
    max_pages: int
    max_pages_per_host: int
    max_depth: int
    max_bytes: int | str
    """A number, or text such as `20MB`."""
    max_time: float | str
    """Seconds, or text such as `10m`."""
    until_done: bool | float | str
    delay: float
    per_host: int
    concurrency: int
    hurry: bool
    processes: int
    index: bool
    proxy: str
    user_agent: str
    contact: str
    allow_private: str | Sequence[str]
    database: str
    broker: str
    image_threshold: float
    least_image_side: int
    max_image_pixels: int
    max_image_bytes: int | str
    max_body: int | str
    connect_timeout: float | str
    answer_timeout: float | str
    total_timeout: float | str
    per_address: int
    fetch_factor: float
    max_crawl_delay: float | str
    attempts: int
    backoff_first: float | str
    backoff_cap: float | str
    max_retry_after: float | str
    robots_ttl: float | str
    robots_retry: float | str
    max_queue: int


TOPIC_KEYS = frozenset({"name", "keywords", "learned", "not", "any", "seeds", "label", "strategy", "judge"})
"""Keys of a topic file that are arguments of their own, or that only a file can say."""
_NAMES = {"--topic": "topic", "--seed": "seeds", "--set": "parameters", "--dir": "folder"}
_OPTION = re.compile(r"(?<![\w-])(?:--setting ([a-z_]++)|--[a-z][a-z-]*+)")
_COMMANDS: tuple[tuple[re.Pattern[str], str | Callable[[re.Match[str]], str]], ...] = (
    (
        re.compile(r"'?shoal resume (?:--dir |--crawl )?([^']+)'"),
        lambda said: f"shoal.open({_said(said[1])!r}).resume()",
    ),
    (re.compile(r"'shoal crawl[^']*'"), "shoal.crawl(…)"),
    (re.compile(r"\(shoal crawls\)"), "(shoal.crawls())"),
)


def _said(word: str) -> str:
    """What a shell makes of it."""
    return shlex.split(word)[0]


@contextmanager
def in_python_words() -> Iterator[None]:
    """Whatever goes wrong meanwhile is told in the words of a program: `max_pages` instead of `--max-pages`."""
    try:
        yield
    except ShoalError as error:
        error.args = (python_words(str(error)), *error.args[1:])
        raise


def python_words(sentence: str) -> str:
    """A sentence that was written for somebody at a terminal."""
    for pattern, instead in _COMMANDS:
        sentence = pattern.sub(instead, sentence)
    return _OPTION.sub(_keyword, sentence)


def _keyword(said: re.Match[str]) -> str:
    key = said[1] or _NAMES.get(said[0], said[0].removeprefix("--").replace("-", "_"))
    known = key in CrawlSettings.__annotations__ or key in TOPIC_KEYS or said[0] in _NAMES
    return key if known else said[0]


def checked(settings: Mapping[str, object]) -> dict[str, object]:
    """What was given by keyword, as the readers of options want it; a keyword that there is not is Python's own mistake."""
    if unknown := [key for key in settings if key not in CrawlSettings.__annotations__]:
        # Only here, because most keywords are right, and this comes with all that reads topics.
        from shoal.topic.value_readers import did_you_mean

        hint = did_you_mean(unknown[0], CrawlSettings.__annotations__)
        raise TypeError(f"there is no setting {unknown[0]!r}{hint}")
    return dict(settings)


def own_or_named(
    strategy: str | Strategy | None, judge: str | Judge | None, options: dict[str, object]
) -> tuple[OwnParts, dict[str, object]]:
    """The objects that were passed; what was named instead is an option."""
    if isinstance(strategy, str):
        options, strategy = {**options, "strategy": strategy}, None
    if isinstance(judge, str):
        options, judge = {**options, "judge": judge}, None
    _check_object("strategy", strategy, "follow")
    _check_object("judge", judge, "judge", "judge_links")
    return OwnParts(strategy=strategy, judge=judge), options


def _check_object(what: str, given: object, *methods: str) -> None:
    """A mistake in the program is Python's own error."""
    if isinstance(given, type):
        raise TypeError(f"{what} must be an object, not a class: {what}={given.__name__}()")
    if given is not None and (missing := [name for name in methods if not callable(getattr(given, name, None))]):
        raise TypeError(f"{what} must be a name or an object with {' and '.join(methods)}, but has no {missing[0]}")
