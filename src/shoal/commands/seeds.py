"""`shoal seeds find` and `shoal seeds read`: where does a crawl begin? What was typed is checked before anybody is asked."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import click
from msgspec.structs import replace

from shoal import services
from shoal.commands.console import say
from shoal.commands.options import as_json, few_requests, path, together
from shoal.commands.output import counted, path_text, print_json, run_async, tell
from shoal.errors import InputError
from shoal.fetch.polite_client import PoliteClient, is_wanted
from shoal.frontier.scope import ScopeRule
from shoal.model import Suggestions, Term, Topic, Unanswered
from shoal.printable import harmless
from shoal.protocols import SeedSource
from shoal.seeds import selection
from shoal.seeds.discovery import PublishedSource
from shoal.seeds.list_document import LARGEST, ListDocument
from shoal.seeds.searxng import SearxngSource, instance_address, language_code
from shoal.seeds.selection import ListChoice, Listed, listed
from shoal.settings import Fetching, Scope
from shoal.text import HAN
from shoal.topic import value_readers
from shoal.topic.combined import name_of
from shoal.topic.topic_file import read_fetching, read_topic
from shoal.topic.topic_writer import add_seeds, new_topic_file
from shoal.urls import host_of, normalise

NOTHING_FOUND = 1
"""The exit code when all went well and there is nothing to suggest."""
_ANYWHERE = ("0.0.0.0/0", "::/0")
_CHINESE = re.compile(f"[{HAN}]")
_MakeSource = Callable[[PoliteClient], SeedSource]
_options = together(
    click.option(
        "--limit", type=click.IntRange(1, 10_000), default=50, show_default=True, help="Show at most so many."
    ),
    click.option("--host", "hosts", multiple=True, metavar="NAME", help="Only this host and those below; repeatable."),
    click.option("--include", multiple=True, metavar="PATTERN", help="Only URLs that match: '*/energy/*'; repeatable."),
    click.option("--exclude", multiple=True, metavar="PATTERN", help="No URL that matches: '*.pdf'; repeatable."),
    path("--topic-file", metavar="FILE.toml", help="Where to keep those that you choose; made if it is missing."),
    click.option("--choose", metavar="NUMBERS", help="Keep these without asking: 1-5,8; -3 is all but the third."),
    click.option("--all", "keep_all", is_flag=True, help="Keep all without asking."),
    few_requests,
    as_json,
)
"""Which pages, where to keep them, and how to ask: the same for all sources."""


@click.group()
def seeds() -> None:
    """Find URLs that a crawl begins at, and put them into a topic file."""


@seeds.command(short_help="Ask a search engine for pages on a topic.")
@click.argument("words", metavar="WORDS")
@click.option(
    "--searxng", envvar="SHOAL_SEARXNG", metavar="URL", help="The SearXNG instance to ask. Default: $SHOAL_SEARXNG."
)
@click.option("--language", metavar="CODE", help="Of the pages: zh, en, zh-CN, all. Default: that of the words.")
@_options
def find(words: str, searxng: str | None, language: str | None, **given: Any) -> int:
    """Ask a search engine for pages on a topic, and choose where to begin.

    \b
    shoal seeds find 'power grid' --topic-file grid.toml
    shoal seeds find '智能电网 变电站' --choose 1-5,8 --topic-file 电网.toml

    The engine is an instance of SearXNG, your own or one that lets you.
    """
    wanted = _checked(words, called="WORDS", **given)
    if not searxng:
        raise InputError(
            "Say which SearXNG instance to ask: --searxng http://127.0.0.1:8080, or set SHOAL_SEARXNG once and for all"
        )
    instance = instance_address(searxng)
    spoken = language_code(language or "auto")
    source = partial(SearxngSource, instance, language=spoken, wanted=wanted.wants)
    return _suggest(run_async(_ask(source, wanted, _for_instance(wanted, instance, spoken))), wanted)


@seeds.command(short_help="List the pages of a sitemap, a feed or a site.")
@click.argument("place", metavar="URL|FILE")
@click.option("--match", "words", default="", metavar="WORDS", help="Only pages that have one of these: 'grid, 电网'.")
@_options
def read(place: str, words: str, **given: Any) -> int:
    """List the pages of a sitemap, a feed or a site, and choose where to begin.

    \b
    shoal seeds read https://example.org/ --match 'grid, 电网' --topic-file g.toml
    shoal seeds read https://example.org/feed --all --topic-file g.toml
    shoal seeds read addresses.txt

    Of a site, the sitemaps named in its robots.txt are read, else its /sitemap.xml, else the feeds named in its page.
    """
    wanted = _checked(words, called="--match", **given)
    source = partial(PublishedSource, _place(place), wanted=wanted.wants)
    return _suggest(run_async(_ask(source, wanted, replace(wanted.fetching, max_body=LARGEST))), wanted)


# --- what was typed --------------------------------------------------------------------------------------------------


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


def _checked(
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
    talking, known = _from_topic_file(topic_file, terms, fetching)
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


def _from_topic_file(
    path: Path | None, terms: tuple[Term, ...], fetching: dict[str, object]
) -> tuple[Fetching, frozenset[str]]:
    """How to talk to servers, and the seeds that are known; a file that cannot be used is told of before anything is asked."""
    if path is not None and path.exists():
        settings = read_topic(
            path, names=services.choices.names(), options=fetching, environ=os.environ, seeds_needed=False
        )
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


def _place(text: str) -> str | ListDocument:
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


# --- asking ----------------------------------------------------------------------------------------------------------


def _for_instance(wanted: SeedOptions, instance: str, language: str) -> Fetching:
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


async def _ask(make: _MakeSource, wanted: SeedOptions, fetching: Fetching) -> Suggestions:
    # Only here, because the HTTP client takes a third of a second to load, and a mistake shall be told at once.
    from shoal.fetch.client import HttpFetcher

    async with HttpFetcher(fetching, wanted=is_wanted) as fetcher:
        answer = await make(PoliteClient(fetcher, delay=wanted.delay)).find(wanted.words, wanted.limit)
    if isinstance(answer, Unanswered):
        raise InputError(answer.why)
    return answer


# --- choosing and keeping --------------------------------------------------------------------------------------------


def _suggest(answer: Suggestions, wanted: SeedOptions) -> int:
    """Show what was found, let the user choose, and keep what was chosen."""
    found = listed(answer.found, tuple(term.text for term in wanted.terms), wanted.known)
    if not wanted.as_json:
        show_suggestions(found)
        for note in answer.notes:
            tell(note)
        if answer.more:
            tell(f"There are more than these {len(found):,}; --limit N shows more of them.")
    path, kept = _choose(found, wanted)
    new = [one.url for one in kept if not one.known]
    if path is not None and new:
        _keep(path, new, wanted.terms)
    if wanted.as_json:
        _print(found, answer, path, kept)
    elif path is not None:
        tell(_kept(path, len(new), len(kept) - len(new)))
    if not found:
        tell(_nothing(wanted))
        return NOTHING_FOUND
    return 0


def _choose(found: tuple[Listed, ...], wanted: SeedOptions) -> tuple[Path | None, tuple[Listed, ...]]:
    """What to keep, and where; no place when nothing is to be kept."""
    if not found:
        return None, ()
    if wanted.choice is not None:
        return wanted.topic_file, _chosen(wanted.choice, found)
    if wanted.as_json:
        return None, ()
    if not _somebody_is_there():
        where = "" if wanted.topic_file else " and --topic-file FILE.toml"
        tell(f"Nothing was kept: choose with --choose 1-5,8 or --all{where}.")
        return None, ()
    kept = click.prompt(f"Which to keep? ({selection.HOW})", value_proc=partial(_typed, found), err=True)
    if not kept:
        return None, ()
    path = wanted.topic_file or click.prompt("Into which topic file?", value_proc=partial(_named, wanted), err=True)
    return path, kept


def _somebody_is_there() -> bool:
    """Both ends are a terminal; None is a stream that the caller closed."""
    return all(stream is not None and stream.isatty() for stream in (sys.stdin, sys.stdout))


def _typed(found: tuple[Listed, ...], text: str) -> tuple[Listed, ...]:
    try:
        return _chosen(selection.read_choice(text), found)
    except InputError as error:
        raise click.UsageError(str(error)) from None  # click says so, and asks again


def _named(wanted: SeedOptions, text: str) -> Path:
    path = Path(text.strip())
    try:
        _from_topic_file(path, wanted.terms, {})
    except InputError as error:
        raise click.UsageError(str(error)) from None
    return path


def _chosen(choice: ListChoice, found: tuple[Listed, ...]) -> tuple[Listed, ...]:
    return tuple(found[number - 1] for number in selection.chosen(choice, len(found)))


def _keep(path: Path, urls: list[str], terms: tuple[Term, ...]) -> None:
    if path.exists():
        add_seeds(path, urls)
    else:
        new_topic_file(path, Topic(name=name_of(terms), terms=terms), urls)


def _kept(path: Path, new: int, known: int) -> str:
    there = f", {known:,} {'was' if known == 1 else 'were'} there already" if known else ""
    return f"{counted(new, 'seed')} added to {path}{there}."


def _nothing(wanted: SeedOptions) -> str:
    if wanted.filtered:
        return "shoal: Nothing was found that --host, --include and --exclude let through."
    return (
        f"shoal: Nothing was found for '{wanted.words}'; try other words."
        if wanted.words
        else "shoal: No page is listed there."
    )


def _print(found: tuple[Listed, ...], answer: Suggestions, path: Path | None, kept: tuple[Listed, ...]) -> None:
    print_json(
        {
            "suggestions": found,
            "more": answer.more,
            "notes": answer.notes,
            "kept": [one.url for one in kept],
            "topic_file": None if path is None else path_text(path),
        }
    )


def show_suggestions(suggestions: Sequence[Listed]) -> None:
    """Number, title, address, a few words, and why it was found."""
    width = len(str(len(suggestions)))
    indent = " " * (width + 2)
    for one in suggestions:
        say(f"{one.number:>{width}}  {harmless(one.title) or one.url}", "bold")
        if one.title:
            say(f"{indent}{one.url}", "cyan")
        if one.snippet:
            say(f"{indent}{one.snippet}")
        if about := _about(one):
            say(f"{indent}{about}", "dim")


def _about(one: Listed) -> str:
    parts = [
        f"matches: {', '.join(one.matched)}" if one.matched else "",
        f"found by: {', '.join(one.engines)}" if one.engines else "",
        f"changed: {one.updated}" if one.updated else "",
        "a seed already" if one.known else "",
    ]
    return " · ".join(filter(None, parts))
