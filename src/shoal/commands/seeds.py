"""`shoal seeds find` and `shoal seeds read`: where does a crawl begin?"""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import click
from msgspec.structs import replace

from shoal.commands import seed_options
from shoal.commands.console import say
from shoal.commands.output import counted, path_text, print_json, run_async, tell
from shoal.commands.seed_options import SeedOptions
from shoal.errors import InputError
from shoal.fetch.polite_client import PoliteClient, is_wanted
from shoal.model import Suggestions, Term, Topic, Unanswered
from shoal.printable import harmless
from shoal.protocols import SeedSource
from shoal.seeds import selection
from shoal.seeds.discovery import PublishedSource
from shoal.seeds.list_document import LARGEST
from shoal.seeds.searxng import SearxngSource, instance_address, language_code
from shoal.seeds.selection import ListChoice, Listed, listed
from shoal.settings import Fetching
from shoal.text import HAN
from shoal.topic.combined import name_of
from shoal.topic.topic_writer import add_seeds, new_topic_file
from shoal.urls import host_of

NOTHING_FOUND = 1
"""The exit code when all went well and there is nothing to suggest."""
_ANYWHERE = ("0.0.0.0/0", "::/0")
_CHINESE = re.compile(f"[{HAN}]")
_MakeSource = Callable[[PoliteClient], SeedSource]


@click.group()
def seeds() -> None:
    """Find URLs that a crawl begins at, and put them into a topic file."""


@seeds.command(short_help="Ask a search engine for pages on a topic.")
@click.argument("words", metavar="WORDS")
@click.option("--searxng", metavar="URL", help="The SearXNG instance to ask. Default: $SHOAL_SEARXNG.")
@click.option("--language", metavar="CODE", help="Of the pages: zh, en, zh-CN, all. Default: that of the words.")
@seed_options.options
def find(words: str, searxng: str | None, language: str | None, **given: Any) -> int:
    """Ask a search engine for pages on a topic, and choose where to begin.

    \b
    shoal seeds find 'power grid' --topic-file grid.toml
    shoal seeds find '智能电网 变电站' --choose 1-5,8 --topic-file 电网.toml

    The engine is an instance of SearXNG, your own or one that lets you.
    """
    wanted = seed_options.checked(words, called="WORDS", **given)
    instance = instance_address(seed_options.instance(searxng))
    spoken = language_code(language or "auto")
    source = partial(SearxngSource, instance, language=spoken, wanted=wanted.wants)
    return _suggest(run_async(_ask(source, wanted, _for_instance(wanted, instance, spoken))), wanted)


@seeds.command(short_help="List the pages of a sitemap, a feed or a site.")
@click.argument("place", metavar="URL|FILE")
@click.option("--match", "words", default="", metavar="WORDS", help="Only pages that have one of these: 'grid, 电网'.")
@seed_options.options
def read(place: str, words: str, **given: Any) -> int:
    """List the pages of a sitemap, a feed or a site, and choose where to begin.

    \b
    shoal seeds read https://example.org/ --match 'grid, 电网' --topic-file g.toml
    shoal seeds read https://example.org/feed --all --topic-file g.toml
    shoal seeds read addresses.txt

    Of a site, the sitemaps named in its robots.txt are read, else its /sitemap.xml, else the feeds named in its page.
    """
    wanted = seed_options.checked(words, called="--match", **given)
    source = partial(PublishedSource, seed_options.place(place), wanted=wanted.wants)
    return _suggest(run_async(_ask(source, wanted, replace(wanted.fetching, max_body=LARGEST))), wanted)


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
    found = listed(answer.found, wanted.phrases, wanted.known)
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
        seed_options.from_topic_file(path, wanted.terms, {})
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
