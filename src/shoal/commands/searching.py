"""`shoal search` and `similar`: which stored pages answer this?"""

from __future__ import annotations

from pathlib import Path

import click

from shoal.commands import options
from shoal.commands.answer import print_json
from shoal.services.search import Finder
from shoal.terminal import searching as screen
from shoal.terminal.waiting import indexing

_limit = click.option(
    "--limit", type=click.IntRange(1, 1000), default=10, show_default=True, help="Show at most so many."
)


@click.command(short_help="Find stored pages by words.", context_settings=options.WITH_MINUS)
@click.argument("words", nargs=-1, required=True, metavar="WORDS...", callback=options.typed)
@options.folder
@_limit
@click.option("--offset", type=click.IntRange(0, 100_000), default=0, help="Leave out the first so many.")
@click.option("--fresh", is_flag=True, help="Newer pages first, as far as they answer the words.")
@click.option("--explain", is_flag=True, help="Say what made each score.")
@options.as_json
def search(words: str, folder: Path, limit: int, offset: int, fresh: bool, explain: bool, as_json: bool) -> int:
    """Find stored pages by words, in Chinese and English.

    \b
    shoal search --dir crawls/grid smart grid 变电站
    shoal search --dir crawls/grid '"power plant"' -nuclear after:2024

    Words, "phrases", -not, title:, site:, topic:, lang:, after:, before:, is:relevant; docs/searching.md explains them.
    Pages can be found some seconds after they were fetched, while the crawl goes on.
    """
    with indexing(silent=as_json) as progress, Finder(folder, progress) as finder:
        found = finder.search(words, limit=limit, offset=offset, fresh=fresh, explain=explain)
    if as_json:
        print_json(found)
    else:
        screen.show_findings(folder, found)
    return 0 if found.hits else 1


@click.command(short_help="Find stored pages that are like one of them.")
@click.argument("url", metavar="URL")
@options.folder
@_limit
@options.as_json
def similar(url: str, folder: Path, limit: int, as_json: bool) -> int:
    """Find stored pages that say much the same as one of them. Near-copies of it are left out."""
    with indexing(silent=as_json) as progress, Finder(folder, progress) as finder:
        found = finder.similar(url, limit=limit)
    if as_json:
        print_json(found)
    else:
        screen.show_findings(folder, found)
    return 0 if found.hits else 1
