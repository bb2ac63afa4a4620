"""`shoal seeds find` and `shoal seeds read`: where does a crawl begin?"""

from __future__ import annotations

import re
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import click
from msgspec.structs import replace

from shoal.commands import wishes as wishing
from shoal.commands.answer import path_text, print_json, run_async
from shoal.commands.wishes import Wishes
from shoal.errors import InputError
from shoal.fetch.polite_client import Asker, is_wanted
from shoal.model import Suggestions, Term, Topic, Unanswered
from shoal.protocols import SeedSource
from shoal.seeds import selection as choosing
from shoal.seeds.discovery import PublishedSource
from shoal.seeds.list_document import LARGEST
from shoal.seeds.searxng import SearxngSource, instance_address, language_code
from shoal.seeds.selection import Choice, Listed, listed
from shoal.settings import Fetching
from shoal.terminal import seeds as screen
from shoal.text import HAN
from shoal.topic.combined import name_of
from shoal.topic.topic_writer import add_seeds, new_topic_file
from shoal.urls import host_of

NOTHING_FOUND = 1
"""The exit code when all went well and there is nothing to suggest."""
_ANYWHERE = ("0.0.0.0/0", "::/0")
_CHINESE = re.compile(f"[{HAN}]")
_MakeSource = Callable[[Asker], SeedSource]


@click.group(short_help="Find URLs that a crawl begins at.")
def seeds() -> None:
    """Find URLs that a crawl begins at, and put them into a topic file."""


@seeds.command(short_help="Ask a search engine for pages on a topic.")
@click.argument("words", metavar="WORDS")
@click.option("--searxng", metavar="URL", help="The SearXNG instance to ask. Default: $SHOAL_SEARXNG.")
@click.option("--language", metavar="CODE", help="Of the pages: zh, en, zh-CN, all. Default: that of the words.")
@wishing.options
def find(words: str, searxng: str | None, language: str | None, **given: Any) -> int:
    """Ask a search engine for pages on a topic, and choose where to begin.

    \b
    shoal seeds find 'power grid' --topic-file grid.toml
    shoal seeds find '智能电网 变电站' --choose 1-5,8 --topic-file 电网.toml

    The engine is an instance of SearXNG, your own or one that lets you.
    """
    wishes = wishing.checked(words, called="WORDS", **given)
    instance = instance_address(wishing.instance(searxng))
    spoken = language_code(language or "auto")
    source = partial(SearxngSource, instance, language=spoken, wanted=wishes.wanted)
    return _finish(_ask(source, wishes, _for_instance(wishes, instance, spoken)), wishes)


@seeds.command(short_help="List the pages of a sitemap, a feed or a site.")
@click.argument("place", metavar="URL|FILE")
@click.option("--match", "words", default="", metavar="WORDS", help="Only pages that have one of these: 'grid, 电网'.")
@wishing.options
def read(place: str, words: str, **given: Any) -> int:
    """List the pages of a sitemap, a feed or a site, and choose where to begin.

    \b
    shoal seeds read https://example.org/ --match 'grid, 电网' --topic-file g.toml
    shoal seeds read https://example.org/feed --all --topic-file g.toml
    shoal seeds read addresses.txt

    Of a site, the sitemaps named in its robots.txt are read, else its /sitemap.xml, else the feeds named in its page.
    """
    wishes = wishing.checked(words, called="--match", **given)
    source = partial(PublishedSource, wishing.place(place), wanted=wishes.wanted)
    return _finish(_ask(source, wishes, replace(wishes.fetching, max_body=LARGEST)), wishes)


# --- asking ----------------------------------------------------------------------------------------------------------


def _for_instance(wishes: Wishes, instance: str, language: str) -> Fetching:
    """The instance is trusted like a proxy is, wherever it lives, because the user named it; one on this computer is asked
    without the proxy. SearXNG takes those for robots who accept no language."""
    name = host_of(f"{instance}/").rpartition(":")[0] or host_of(f"{instance}/")
    here = name in ("localhost", "[::1]") or name.startswith("127.")
    spoken = ("zh", "en") if _CHINESE.search(wishes.words) else ("en",)
    return replace(
        wishes.fetching,
        allow_private=_ANYWHERE,
        proxy="" if here else wishes.fetching.proxy,
        languages=spoken if language in ("auto", "all") else (language,),
    )


def _ask(make: _MakeSource, wishes: Wishes, fetching: Fetching) -> Suggestions:
    answer = run_async(_answer(make, wishes, fetching))
    if isinstance(answer, Unanswered):
        raise InputError(answer.why)
    return answer


async def _answer(make: _MakeSource, wishes: Wishes, fetching: Fetching) -> Suggestions | Unanswered:
    # Only here, because the HTTP client takes a third of a second to load, and a mistake shall be told at once.
    from shoal.fetch.client import HttpFetcher

    async with HttpFetcher(fetching, wanted=is_wanted) as fetcher:
        return await make(Asker(fetcher, delay=wishes.delay)).find(wishes.words, wishes.limit)


# --- choosing and keeping --------------------------------------------------------------------------------------------


def _finish(answer: Suggestions, wishes: Wishes) -> int:
    """Show what was found, let the user choose, and keep what was chosen."""
    found = listed(answer.found, wishes.phrases, wishes.known)
    if not wishes.as_json:
        screen.show_suggestions(found)
        for note in answer.notes:
            screen.remark(note)
        if answer.more:
            screen.remark(f"There are more than these {len(found):,}; --limit N shows more of them.")
    path, kept = _choose(found, wishes)
    new = [one.url for one in kept if not one.known]
    if path is not None and new:
        _keep(path, new, wishes.terms)
    if wishes.as_json:
        _print(found, answer, path, kept)
    elif path is not None:
        screen.remark(_kept(path, len(new), len(kept) - len(new)))
    if not found:
        screen.remark(_nothing(wishes))
        return NOTHING_FOUND
    return 0


def _choose(found: tuple[Listed, ...], wishes: Wishes) -> tuple[Path | None, tuple[Listed, ...]]:
    """What to keep, and where; no place when nothing is to be kept."""
    if not found:
        return None, ()
    if wishes.choice is not None:
        return wishes.topic_file, _chosen(wishes.choice, found)
    if wishes.as_json:
        return None, ()
    if not _somebody_is_there():
        where = "" if wishes.topic_file else " and --topic-file FILE.toml"
        screen.remark(f"Nothing was kept: choose with --choose 1-5,8 or --all{where}.")
        return None, ()
    kept = click.prompt(f"Which to keep? ({choosing.HOW})", value_proc=partial(_typed, found), err=True)
    if not kept:
        return None, ()
    path = wishes.topic_file or click.prompt("Into which topic file?", value_proc=partial(_named, wishes), err=True)
    return path, kept


def _somebody_is_there() -> bool:
    """Both ends are a terminal; None is a stream that the caller closed."""
    return all(stream is not None and stream.isatty() for stream in (sys.stdin, sys.stdout))


def _typed(found: tuple[Listed, ...], text: str) -> tuple[Listed, ...]:
    try:
        return _chosen(choosing.read_choice(text), found)
    except InputError as error:
        raise click.UsageError(str(error)) from None  # click says so, and asks again


def _named(wishes: Wishes, text: str) -> Path:
    path = Path(text.strip())
    try:
        wishing.from_topic_file(path, wishes.terms, {})
    except InputError as error:
        raise click.UsageError(str(error)) from None
    return path


def _chosen(choice: Choice, found: tuple[Listed, ...]) -> tuple[Listed, ...]:
    return tuple(found[number - 1] for number in choosing.chosen(choice, len(found)))


def _keep(path: Path, urls: list[str], terms: tuple[Term, ...]) -> None:
    if path.exists():
        add_seeds(path, urls)
    else:
        new_topic_file(path, Topic(name=name_of(terms), terms=terms), urls)


def _kept(path: Path, new: int, known: int) -> str:
    there = f", {known:,} {'was' if known == 1 else 'were'} there already" if known else ""
    return f"{new:,} {'seed' if new == 1 else 'seeds'} added to {path}{there}."


def _nothing(wishes: Wishes) -> str:
    if wishes.filtered:
        return "shoal: Nothing was found that --host, --include and --exclude let through."
    return (
        f"shoal: Nothing was found for '{wishes.words}'; try other words."
        if wishes.words
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
