"""Where could a crawl begin? What a search engine finds, or a sitemap, a feed or a list names; and what of it is kept.

`plan_search` checks all that the user wants before anybody is asked; then `ask_engine` or `read_place` finds, and `keep_seeds`
puts what was chosen into a topic file.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path

import msgspec
from msgspec.structs import replace

from shoal.errors import InputError
from shoal.fetch.polite_client import PoliteClient, is_wanted
from shoal.frontier.scope import ScopeRule
from shoal.model import Suggestions, Term, Topic, Unanswered
from shoal.protocols import SeedSource
from shoal.seeds import selection
from shoal.seeds.discovery import PublishedSource
from shoal.seeds.list_document import LARGEST, ListDocument
from shoal.seeds.searxng import SearxngSource, instance_address, language_code
from shoal.seeds.selection import HOW as HOW
from shoal.seeds.selection import ListChoice, Listed
from shoal.services.choices import names
from shoal.settings import Fetching, Scope
from shoal.text import HAN
from shoal.topic import word_readers
from shoal.topic.combined import name_of
from shoal.topic.topic_file import read_fetching, read_topic
from shoal.topic.topic_writer import add_seeds, new_topic_file
from shoal.topic.value_readers import short
from shoal.urls import host_of, normalise

_ANYWHERE = ("0.0.0.0/0", "::/0")
_CHINESE = re.compile(f"[{HAN}]")
_MakeSource = Callable[[PoliteClient], SeedSource]
_NOTHING: Mapping[str, object] = {}
_NO_ENVIRONMENT: Mapping[str, str] = {}


class SeedSearch(msgspec.Struct, frozen=True, kw_only=True):
    """All that is wanted, checked before anybody is asked."""

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

    def wants(self, url: str) -> bool:
        """True when the user wants to see this URL."""
        host = host_of(url).partition(":")[0]
        near = not self.hosts or any(host == name or host.endswith(f".{name}") for name in self.hosts)
        return near and self.scope.allows(url)


class FoundSeeds(msgspec.Struct, frozen=True, kw_only=True):
    """What could be a seed, numbered."""

    suggestions: tuple[Listed, ...]
    more: bool
    """There are more than were asked for."""
    notes: tuple[str, ...]


# --- what is wanted --------------------------------------------------------------------------------------------------


def plan_search(
    words: str = "",
    *,
    called: str = "WORDS",
    include: Sequence[str] = (),
    exclude: Sequence[str] = (),
    hosts: Sequence[str] = (),
    topic_file: Path | None = None,
    choose: str | None = None,
    keep_all: bool = False,
    limit: int = 50,
    delay: float = 1.0,
    asking: Mapping[str, object] = _NOTHING,
    environ: Mapping[str, str] = _NO_ENVIRONMENT,
) -> SeedSearch:
    """What the user wants, if that can be done. `called` is how the words are spoken of; `asking` says how to talk to servers."""
    choice = _choice(choose, keep_all, topic_file)
    terms = _terms(words, called) if words or called == "WORDS" else ()
    talking, known = _from_topic_file(topic_file, terms, asking, environ)
    return SeedSearch(
        words=words,
        terms=terms,
        limit=limit,
        hosts=tuple(map(_host, hosts)),
        scope=ScopeRule(Scope(include=tuple(include), exclude=tuple(exclude)), ()),
        filtered=bool(hosts or include or exclude),
        topic_file=topic_file,
        choice=choice,
        delay=delay,
        fetching=talking,
        known=known,
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
        terms = word_readers.keywords(words)
    except ValueError as error:
        raise InputError(f"{called} {error}") from None
    if not terms:
        raise InputError(f'{called} must name at least one word to look for, such as "power grid"')
    return terms


def _from_topic_file(
    path: Path | None, terms: tuple[Term, ...], asking: Mapping[str, object], environ: Mapping[str, str]
) -> tuple[Fetching, frozenset[str]]:
    """How to talk to servers, and the seeds that are known; a file that cannot be used is told of before anything is asked."""
    if path is not None and path.exists():
        settings = read_topic(path, names=names(), options=asking, environ=environ, seeds_needed=False)
        return settings.fetching, frozenset(settings.seeds)
    if path is not None:
        _check_new(path, terms)
    return read_fetching(asking, environ=environ), frozenset()


def check_topic_file(path: Path, wanted: SeedSearch, environ: Mapping[str, str] = _NO_ENVIRONMENT) -> None:
    """Whether seeds can be kept in this topic file, which may be a new one."""
    _from_topic_file(path, wanted.terms, _NOTHING, environ)


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


# --- asking ----------------------------------------------------------------------------------------------------------


async def ask_engine(wanted: SeedSearch, searxng: str, language: str = "auto") -> FoundSeeds:
    """Ask a search engine, an instance of SearXNG, for pages on the words."""
    if not searxng:
        raise InputError(
            "Say which SearXNG instance to ask: --searxng http://127.0.0.1:8080, or set SHOAL_SEARXNG once and for all"
        )
    instance, spoken = instance_address(searxng), language_code(language)
    source = partial(SearxngSource, instance, language=spoken, wanted=wanted.wants)
    return await _ask(source, wanted, _for_instance(wanted, instance, spoken))


async def read_place(wanted: SeedSearch, place: str) -> FoundSeeds:
    """List the pages of a sitemap, a feed, a site or a file."""
    source = partial(PublishedSource, _place(place), wanted=wanted.wants)
    return await _ask(source, wanted, replace(wanted.fetching, max_body=LARGEST))


def _place(text: str) -> str | ListDocument:
    """A URL in normal form, or the file that lies there."""
    if text.lower().startswith(("http://", "https://")):
        if url := normalise(text):
            return url
        raise InputError(f"{short(text)} is not a URL that can be asked for")
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


def _for_instance(wanted: SeedSearch, instance: str, language: str) -> Fetching:
    """The instance is trusted like a proxy is, wherever it lives, because the user named it; one on this computer is asked
    without the proxy. SearXNG takes those for robots who accept no language."""
    name = host_of(f"{instance}/").rpartition(":")[0] or host_of(f"{instance}/")
    here = name in ("localhost", "[::1]") or name.startswith("127.")
    spoken = ("zh", "en") if _CHINESE.search(wanted.words) else ("en",)
    return replace(
        wanted.fetching,
        allow_private=_ANYWHERE,
        proxy="" if here else wanted.fetching.proxy,
        languages=spoken if language in ("auto", "all") else (language,),
    )


async def _ask(make: _MakeSource, wanted: SeedSearch, fetching: Fetching) -> FoundSeeds:
    # Only here, because the HTTP client takes a third of a second to load, and a mistake shall be told at once.
    from shoal.fetch.client import HttpFetcher

    async with HttpFetcher(fetching, wanted=is_wanted) as fetcher:
        answer = await make(PoliteClient(fetcher, delay=wanted.delay)).find(wanted.words, wanted.limit)
    if isinstance(answer, Unanswered):
        raise InputError(answer.why)
    return _listed(answer, wanted)


def _listed(answer: Suggestions, wanted: SeedSearch) -> FoundSeeds:
    found = selection.listed(answer.found, tuple(term.text for term in wanted.terms), wanted.known)
    return FoundSeeds(suggestions=found, more=answer.more, notes=answer.notes)


# --- choosing and keeping --------------------------------------------------------------------------------------------


def read_choice(text: str) -> ListChoice:
    """What was typed to choose from a list; one sentence when that cannot be understood."""
    return selection.read_choice(text)


def chosen(choice: ListChoice, found: FoundSeeds) -> tuple[Listed, ...]:
    """What is meant of what was found, in its order; one sentence when there is no such number."""
    numbers = selection.chosen(choice, len(found.suggestions))
    return tuple(found.suggestions[number - 1] for number in numbers)


def keep_seeds(path: Path, kept: Sequence[Listed], wanted: SeedSearch) -> int:
    """Add what was chosen to the seeds of a topic file, which is made if it is missing; answers how many are new."""
    if urls := [one.url for one in kept if not one.known]:
        if path.exists():
            add_seeds(path, urls)
        else:
            new_topic_file(path, Topic(name=name_of(wanted.terms), terms=wanted.terms), urls)
    return len(urls)
