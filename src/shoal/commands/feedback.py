"""`shoal feedback`: which pages does the user find relevant, whatever the judge says?"""

from __future__ import annotations

import sys
from pathlib import Path

import click

from shoal.commands import options
from shoal.commands.answer import print_json
from shoal.errors import InputError
from shoal.seeds.list_document import decoded
from shoal.services import marks as knowing
from shoal.terminal import feedback as screen

_STANDARD_INPUT = "-"
_MEANINGS = {"--relevant": True, "--irrelevant": False, "--forget": None}


@click.command(short_help="Say that pages are relevant, or are not.")
@click.argument("urls", nargs=-1, metavar="[URL]...")
@options.folder
@click.option("--relevant", is_flag=True, help="The pages are about the topic.")
@click.option("--irrelevant", is_flag=True, help="The pages are not about the topic.")
@click.option("--forget", is_flag=True, help="Take back what was said of the pages.")
@click.option("--list", "listing", is_flag=True, help="Show all that was said.")
@options.as_json
def feedback(
    urls: tuple[str, ...],
    folder: Path,
    relevant: bool,
    irrelevant: bool,
    forget: bool,
    listing: bool,
    as_json: bool,
) -> int:
    """Say that pages are relevant, or are not.

    \b
    shoal feedback --dir D --relevant https://example.org/grid
    shoal feedback --dir D --irrelevant - < urls.txt
    shoal feedback --dir D --list

    It counts more than what the judge says, and at once: a crawl that is
    running hears of it, one that is not when it goes on. URL may be - for
    standard input, one on each line.
    """
    flags = {"--relevant": relevant, "--irrelevant": irrelevant, "--forget": forget, "--list": listing}
    what = _only_one(flags)
    if what == "--list":
        return _list(folder, urls, as_json)
    found = knowing.give_feedback(folder, _typed(urls, what), _MEANINGS[what])
    if as_json:
        print_json(found)
    else:
        screen.show_feedback(folder, found)
    return 0


def _only_one(flags: dict[str, bool]) -> str:
    given = [name for name, is_given in flags.items() if is_given]
    if len(given) != 1:
        contradiction = f"; {' and '.join(given)} contradict each other" if given else ""
        raise InputError(f"Give exactly one of {', '.join(flags)}{contradiction}.")
    return given[0]


def _list(folder: Path, urls: tuple[str, ...], as_json: bool) -> int:
    if urls:
        raise InputError("--list shows all that was said and takes no URL; for one page there is shoal explain.")
    said = knowing.opinions(folder)
    if as_json:
        print_json(said)
    else:
        screen.show_opinions(folder, said)
    return 0


def _typed(urls: tuple[str, ...], what: str) -> list[str]:
    if not urls:
        raise InputError(f"Say which pages: {what} needs at least one URL, or - for standard input.")
    listed = _from_standard_input() if _STANDARD_INPUT in urls else []
    return [url for url in urls if url != _STANDARD_INPUT] + listed


def _from_standard_input() -> list[str]:
    """One URL on each line, in UTF-8 or GBK; empty lines do not count."""
    content = b"" if sys.stdin is None else sys.stdin.buffer.read()
    if not (urls := [line.strip() for line in decoded(content).splitlines() if line.strip()]):
        raise InputError("Standard input has no URL in it; write one on each line.")
    return urls
