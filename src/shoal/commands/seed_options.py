"""What does the user want of `shoal seeds`? The options of its commands, checked before anybody is asked."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

import click

from shoal.commands.options import as_json, few_requests, together
from shoal.errors import InputError
from shoal.frontier.intake import ScopeRule
from shoal.model import Term
from shoal.seeds import selection
from shoal.seeds.list_document import LARGEST, ListDocument
from shoal.seeds.selection import ListChoice
from shoal.services import crawls
from shoal.settings import Fetching, Scope
from shoal.topic import value_readers
from shoal.topic.topic_file import read_fetching, read_topic
from shoal.urls import host_of, normalise

_Command = TypeVar("_Command", bound=Callable[..., Any])
_OPTIONS = (
    click.option(
        "--limit", type=click.IntRange(1, 10_000), default=50, show_default=True, help="Show at most so many."
    ),
    click.option("--host", "hosts", multiple=True, metavar="NAME", help="Only this host and those below; repeatable."),
    click.option("--include", multiple=True, metavar="PATTERN", help="Only URLs that match: '*/energy/*'; repeatable."),
    click.option("--exclude", multiple=True, metavar="PATTERN", help="No URL that matches: '*.pdf'; repeatable."),
    click.option(
        "--topic-file",
        type=click.Path(path_type=Path),
        metavar="FILE.toml",
        help="Where to keep those that you choose; made if it is missing.",
    ),
    click.option("--choose", metavar="NUMBERS", help="Keep these without asking: 1-5,8; -3 is all but the third."),
    click.option("--all", "keep_all", is_flag=True, help="Keep all without asking."),
    few_requests,
    as_json,
)


options = together(_OPTIONS)
"""Which pages, where to keep them, and how to ask: the same for all sources."""


@dataclass(frozen=True, kw_only=True)
class SeedOptions:
    """All that both commands are told, checked before anybody is asked."""

    words: str
    terms: tuple[Term, ...]
    limit: int
    hosts: tuple[str, ...]
    scope: ScopeRule
    filtered: bool
    """The user does not want to see every URL."""
    topic_file: Path | None
    choice: ListChoice | None
    """None when the user must be asked."""
    delay: float
    fetching: Fetching
    known: frozenset[str]
    """The seeds that the topic file has."""
    as_json: bool

    def wants(self, url: str) -> bool:
        """True when the user wants to see this URL."""
        host = host_of(url).partition(":")[0]
        near = not self.hosts or any(host == name or host.endswith(f".{name}") for name in self.hosts)
        return near and self.scope.allows(url)

    @property
    def phrases(self) -> tuple[str, ...]:
        """The words without their weights."""
        return tuple(term.text for term in self.terms)


def checked(
    words: str,
    *,
    called: str,
    include: tuple[str, ...],
    exclude: tuple[str, ...],
    hosts: tuple[str, ...],
    topic_file: Path | None,
    choose: str | None,
    keep_all: bool,
    limit: int,
    delay: float,
    as_json: bool,
    **fetching: object,
) -> SeedOptions:
    """What was typed, if it can be used; `called` is how the words are spoken of. The rest says how to talk to servers."""
    choice = _choice(choose, keep_all, topic_file)
    terms = _terms(words, called) if words or called == "WORDS" else ()
    talking, known = from_topic_file(topic_file, terms, fetching)
    return SeedOptions(
        words=words,
        terms=terms,
        limit=limit,
        hosts=tuple(map(_host, hosts)),
        scope=ScopeRule(Scope(include=include, exclude=exclude), ()),
        filtered=bool(hosts or include or exclude),
        topic_file=topic_file,
        choice=choice,
        delay=delay,
        fetching=talking,
        known=known,
        as_json=as_json,
    )


def _choice(choose: str | None, keep_all: bool, topic_file: Path | None) -> ListChoice | None:
    """What is kept without asking; None when the user must be asked."""
    if choose is not None and keep_all:
        raise InputError("Give either --choose or --all, not both")
    choice = ListChoice(everything=True) if keep_all else None if choose is None else selection.read_choice(choose)
    if choice is not None and topic_file is None:
        raise InputError("Say where to keep what you choose: --topic-file FILE.toml")
    return choice


def _terms(words: str, called: str) -> tuple[Term, ...]:
    try:
        terms = value_readers.keywords(words)
    except ValueError as error:
        raise InputError(f"{called} {error}") from None
    if not terms:
        raise InputError(f'{called} must name at least one word to look for, such as "power grid"')
    return terms


def from_topic_file(
    path: Path | None, terms: tuple[Term, ...], fetching: dict[str, object]
) -> tuple[Fetching, frozenset[str]]:
    """How to talk to servers, and the seeds that are known; a file that cannot be used is told of before anything is asked."""
    if path is not None and path.exists():
        settings = read_topic(path, names=crawls.names(), options=fetching, environ=os.environ, seeds_needed=False)
        return settings.fetching, frozenset(settings.seeds)
    if path is not None:
        _check_new(path, terms)
    return read_fetching(fetching, environ=os.environ), frozenset()


def _check_new(path: Path, terms: tuple[Term, ...]) -> None:
    """A topic file that is to be made needs a place, and words to look for."""
    if not path.parent.is_dir():
        raise InputError(f"{path} cannot be made: there is no folder {path.parent}")
    if not terms:
        raise InputError(f"{path} is not there yet; say with --match which words its topic has")


def _host(text: str) -> str:
    """A host name in the form URLs have it, from a name, a name with a port, or a whole URL."""
    url = normalise(text if "://" in text else f"http://{text}")
    if url is None:
        raise InputError(f"--host must be a host name such as example.org, not '{text}'")
    return host_of(url).partition(":")[0].removeprefix("*.")


def instance(given: str | None) -> str:
    """The SearXNG instance that was typed, or that the environment names."""
    if text := given or os.environ.get("SHOAL_SEARXNG", ""):
        return text
    raise InputError(
        "Say which SearXNG instance to ask: --searxng http://127.0.0.1:8080, or set SHOAL_SEARXNG once and for all"
    )


def place(text: str) -> str | ListDocument:
    """A URL in normal form, or the file that lies there."""
    if text.lower().startswith(("http://", "https://")):
        if url := normalise(text):
            return url
        raise InputError(f"'{text}' is not a URL that can be asked for")
    try:
        with Path(text).open("rb") as file:
            return ListDocument(name=text, body=file.read(LARGEST))
    except FileNotFoundError:
        hint = f"; did you mean https://{text}?" if "." in text and normalise(f"https://{text}") else ""
        raise InputError(f"'{text}' is neither a URL nor a file that is there{hint}") from None
    except IsADirectoryError:
        raise InputError(f"'{text}' is a folder; give a file, or a URL") from None
    except (OSError, ValueError) as error:
        raise InputError(f"'{text}' cannot be read: {getattr(error, 'strerror', None) or error}") from None
