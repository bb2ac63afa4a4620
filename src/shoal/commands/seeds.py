"""`shoal seeds find` and `shoal seeds read`: where does a crawl begin? What was typed is checked before anybody is asked."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from shoal import services
from shoal.commands.console import say
from shoal.commands.options import as_json, few_requests, path, together
from shoal.commands.output import counted, path_text, print_json, run_async, tell
from shoal.errors import InputError
from shoal.printable import harmless

if TYPE_CHECKING:
    from shoal.seeds.selection import Listed
    from shoal.services.seeds import FoundSeeds, SeedSearch

NOTHING_FOUND = 1
"""The exit code when all went well and there is nothing to suggest."""
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
def find(words: str, searxng: str | None, language: str | None, as_json: bool, **given: Any) -> int:
    """Ask a search engine for pages on a topic, and choose where to begin.

    \b
    shoal seeds find 'power grid' --topic-file grid.toml
    shoal seeds find '智能电网 变电站' --choose 1-5,8 --topic-file 电网.toml

    The engine is an instance of SearXNG, your own or one that lets you.
    """
    wanted = _plan(words, called="WORDS", **given)
    return _suggest(run_async(services.seeds.ask_engine(wanted, searxng or "", language or "auto")), wanted, as_json)


@seeds.command(short_help="List the pages of a sitemap, a feed or a site.")
@click.argument("place", metavar="URL|FILE")
@click.option("--match", "words", default="", metavar="WORDS", help="Only pages that have one of these: 'grid, 电网'.")
@_options
def read(place: str, words: str, as_json: bool, **given: Any) -> int:
    """List the pages of a sitemap, a feed or a site, and choose where to begin.

    \b
    shoal seeds read https://example.org/ --match 'grid, 电网' --topic-file g.toml
    shoal seeds read https://example.org/feed --all --topic-file g.toml
    shoal seeds read addresses.txt

    Of a site, the sitemaps named in its robots.txt are read, else its /sitemap.xml, else the feeds named in its page.
    """
    wanted = _plan(words, called="--match", **given)
    return _suggest(run_async(services.seeds.read_place(wanted, place)), wanted, as_json)


_HOW_TO_ASK = ("user_agent", "contact", "proxy", "allow_private")


def _plan(words: str, **given: Any) -> SeedSearch:
    """What was typed, if it can be used."""
    asking = {name: given.pop(name) for name in _HOW_TO_ASK}
    return services.seeds.plan_search(words, asking=asking, environ=os.environ, **given)


# --- choosing and keeping --------------------------------------------------------------------------------------------


def _suggest(found: FoundSeeds, wanted: SeedSearch, as_json: bool) -> int:
    """Show what was found, let the user choose, and keep what was chosen."""
    if not as_json:
        show_suggestions(found.suggestions)
        for note in found.notes:
            tell(note)
        if found.more:
            tell(f"There are more than these {len(found.suggestions):,}; --limit N shows more of them.")
    path, kept = _choose(found, wanted, as_json)
    new = 0 if path is None else services.seeds.keep_seeds(path, kept, wanted)
    if as_json:
        _print(found, path, kept)
    elif path is not None:
        tell(_kept(path, new, len(kept) - new))
    if not found.suggestions:
        tell(_nothing(wanted))
        return NOTHING_FOUND
    return 0


def _choose(found: FoundSeeds, wanted: SeedSearch, as_json: bool) -> tuple[Path | None, tuple[Listed, ...]]:
    """What to keep, and where; no place when nothing is to be kept."""
    if not found.suggestions:
        return None, ()
    if wanted.choice is not None:
        return wanted.topic_file, services.seeds.chosen(wanted.choice, found)
    if as_json:
        return None, ()
    if not _somebody_is_there():
        where = "" if wanted.topic_file else " and --topic-file FILE.toml"
        tell(f"Nothing was kept: choose with --choose 1-5,8 or --all{where}.")
        return None, ()
    kept = click.prompt(f"Which to keep? ({services.seeds.HOW})", value_proc=partial(_typed, found), err=True)
    if not kept:
        return None, ()
    path = wanted.topic_file or click.prompt("Into which topic file?", value_proc=partial(_named, wanted), err=True)
    return path, kept


def _somebody_is_there() -> bool:
    """Both ends are a terminal; None is a stream that the caller closed."""
    return all(stream is not None and stream.isatty() for stream in (sys.stdin, sys.stdout))


def _typed(found: FoundSeeds, text: str) -> tuple[Listed, ...]:
    try:
        return services.seeds.chosen(services.seeds.read_choice(text), found)
    except InputError as error:
        raise click.UsageError(str(error)) from None  # click says so, and asks again


def _named(wanted: SeedSearch, text: str) -> Path:
    path = Path(text.strip())
    try:
        services.seeds.check_topic_file(path, wanted, os.environ)
    except InputError as error:
        raise click.UsageError(str(error)) from None
    return path


def _kept(path: Path, new: int, known: int) -> str:
    there = f", {known:,} {'was' if known == 1 else 'were'} there already" if known else ""
    return f"{counted(new, 'seed')} added to {path}{there}."


def _nothing(wanted: SeedSearch) -> str:
    if wanted.filtered:
        return "shoal: Nothing was found that --host, --include and --exclude let through."
    return (
        f"shoal: Nothing was found for '{wanted.words}'; try other words."
        if wanted.words
        else "shoal: No page is listed there."
    )


def _print(found: FoundSeeds, path: Path | None, kept: tuple[Listed, ...]) -> None:
    print_json(
        {
            "suggestions": found.suggestions,
            "more": found.more,
            "notes": found.notes,
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
