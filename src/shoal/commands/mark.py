"""`shoal mark`: which pages does the user find relevant, whatever the judge says?"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from shoal import services
from shoal.commands import options
from shoal.commands.console import say
from shoal.commands.next_command import alone, called
from shoal.commands.output import reply
from shoal.errors import InputError

if TYPE_CHECKING:
    from shoal.services.marks import MarksGiven
    from shoal.store.mark_log import GivenMark, MarkedPage

_STANDARD_INPUT = "-"
_MEANINGS = {"--relevant": True, "--irrelevant": False, "--forget": None}
_WORDS = {True: "relevant", False: "irrelevant", None: "as judged"}


@click.command()
@click.argument("urls", nargs=-1, metavar="[URL]...")
@options.folder
@click.option("--relevant", is_flag=True, help="The pages are about the topic.")
@click.option("--irrelevant", is_flag=True, help="The pages are not about the topic.")
@click.option("--forget", is_flag=True, help="Take the marks of the pages back.")
@click.option("--list", "listing", is_flag=True, help="Show all marks.")
@options.as_json
def mark(
    urls: tuple[str, ...],
    folder: Path,
    relevant: bool,
    irrelevant: bool,
    forget: bool,
    listing: bool,
    as_json: bool,
) -> int:
    """Mark pages as relevant, or as not.

    \b
    shoal mark --crawl grid --relevant https://example.org/grid
    shoal mark --crawl grid --irrelevant - < urls.txt
    shoal mark --crawl grid --list

    A mark counts more than what the judge says, and at once: a crawl that is
    running hears of it, one that is not when it goes on. URL may be - for
    standard input, one on each line.
    """
    flags = {"--relevant": relevant, "--irrelevant": irrelevant, "--forget": forget, "--list": listing}
    what = _only_one(flags)
    if what == "--list":
        return _list(folder, urls, as_json)
    found = services.marks.mark_pages(folder, _typed(urls, what), _MEANINGS[what])
    return reply(found, lambda: show_marked(folder, found), as_json=as_json)


def _only_one(flags: dict[str, bool]) -> str:
    given = [name for name, is_given in flags.items() if is_given]
    if len(given) != 1:
        contradiction = f"; {' and '.join(given)} contradict each other" if given else ""
        raise InputError(f"Give exactly one of {', '.join(flags)}{contradiction}.")
    return given[0]


def _list(folder: Path, urls: tuple[str, ...], as_json: bool) -> int:
    if urls:
        raise InputError("--list shows all marks and takes no URL; for one page there is shoal explain.")
    found = services.marks.list_marks(folder)
    return reply(found, lambda: show_marks(folder, found), as_json=as_json)


def _typed(urls: tuple[str, ...], what: str) -> list[str]:
    if not urls:
        raise InputError(f"Say which pages: {what} needs at least one URL, or - for standard input.")
    listed = _from_standard_input() if _STANDARD_INPUT in urls else []
    return [url for url in urls if url != _STANDARD_INPUT] + listed


def _from_standard_input() -> list[str]:
    content = b"" if sys.stdin is None else sys.stdin.buffer.read()
    if not (urls := services.marks.urls_in(content)):
        raise InputError("Standard input has no URL in it; write one on each line.")
    return urls


# --- printing --------------------------------------------------------------------------------------------------------


def show_marked(folder: Path, found: MarksGiven) -> None:
    """What changed, page by page, and when the crawl hears of it."""
    for page in found.pages:
        typed = "" if page.asked == page.url else f"; typed as {page.asked}"  # a redirect, or another spelling
        say(f"{_change(page)}  {page.url}{_title(page)}  ({_judged(page)}{typed})")
    if all(page.before is page.relevant for page in found.pages):
        return
    if found.running:
        say("The crawl that is running hears of it now.")
    else:
        say(f"The crawl hears of it when it goes on: shoal resume {alone(folder)}")


def show_marks(folder: Path, marks: Sequence[MarkedPage]) -> None:
    """All that holds, the latest at the end."""
    if not marks:
        say(f"No page of {called(folder)} is marked.")
    for one in marks:
        say(f"{_WORDS[one.relevant]:<10}  {one.at:%Y-%m-%d %H:%M} UTC  {one.url}{_title(one)}  ({_judged(one)})")


def _change(page: GivenMark) -> str:
    if page.relevant is None:
        return "Was not marked" if page.before is None else f"No longer marked {_WORDS[page.before]}"
    return f"{'Marked before as' if page.before is page.relevant else 'Marked'} {_WORDS[page.relevant]}"


def _title(page: MarkedPage) -> str:
    return f"  “{page.title}”" if page.title else ""


def _judged(page: MarkedPage) -> str:
    if page.judged is None or page.score is None:
        return "not judged"
    return f"judged {'relevant' if page.judged else 'not relevant'}, {page.score:.3f}"
