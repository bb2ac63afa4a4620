"""`shoal search`: which stored pages answer this?"""

from __future__ import annotations

import shlex
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from shoal import services
from shoal.commands import options
from shoal.commands.console import progress_bar, say
from shoal.commands.next_command import in_crawl
from shoal.commands.output import reply
from shoal.printable import harmless

if TYPE_CHECKING:
    from rich.text import Text

    from shoal.index.results import FacetCount, ScoreExplanation
    from shoal.services.search import Finder, SearchAnswer, SearchHit

_FACETS = (("Sites", "site"), ("Topics", "topic"), ("Languages", "language"), ("Months", "month"), ("Crawls", "crawl"))
_SHOWN_COUNTS = 6

limit = click.option(
    "--limit", type=click.IntRange(1, 1000), default=10, show_default=True, help="Show at most so many."
)


@click.command(context_settings=options.WITH_MINUS)
@click.argument("words", nargs=-1, required=True, metavar="WORDS...", callback=options.typed)
@options.folders
@limit
@click.option("--offset", type=click.IntRange(0, 100_000), default=0, help="Leave out the first so many.")
@click.option("--fresh", is_flag=True, help="Newer pages first, as far as they answer the words.")
@click.option("--explain", is_flag=True, help="Say what made each score.")
@options.as_json
def search(
    words: str, folders: Mapping[Path, str], limit: int, offset: int, fresh: bool, explain: bool, as_json: bool
) -> int:
    """Find stored pages by words, in Chinese and English.

    \b
    shoal search --crawl grid smart grid 变电站
    shoal search --crawl grid '"power plant"' -nuclear after:2024

    Words, "phrases", -not, title:, site:, topic:, lang:, after:, before:, is:relevant, crawl:; shoal help queries explains them.
    Several crawls (--crawl A --crawl B; all, when none is named) are searched as if one crawl had found all of their pages.
    Pages can be found some seconds after they were fetched, while the crawl goes on.
    """
    return find(
        folders,
        lambda finder: finder.search(words, limit=limit, offset=offset, fresh=fresh, explain=explain),
        as_json=as_json,
    )


def find(folders: Mapping[Path, str], ask: Callable[[Finder], SearchAnswer], *, as_json: bool) -> int:
    """Ask the index when it has caught up, and show what it says."""
    with (
        progress_bar("Indexing", "pages", silent=as_json) as progress,
        services.search.Finder(folders, progress) as finder,
    ):
        found = ask(finder)
    reply(found, lambda: show_findings([*folders], found), as_json=as_json)
    return 0 if found.hits else 1


def show_findings(folders: Sequence[Path], found: SearchAnswer) -> None:
    """Title, URL and a snippet of each page, then what can be asked next."""
    for note in found.notes:
        say(note, "yellow")
    if not found.hits:
        say(_nothing(folders, found))
        return
    for place, hit in enumerate(found.hits, start=found.offset + 1):
        for line in _hit(place, hit, several=len(found.crawls) > 1):
            say(line)
    say(_summary(found), "bold")
    for facet in _facets(found):
        say(facet, "dim")


def _hit(place: int, hit: SearchHit, *, several: bool) -> Iterator[Text]:
    from rich.text import Text  # here, because rich is loaded when something is printed with it

    title = harmless(hit.title) or "(without a title)"
    yield Text.assemble((f"{place:>3}. ", "dim"), (title.replace("\n", " "), "bold"))
    yield Text(f"     {harmless(hit.url)}", "cyan")
    snippet = Text("     ")
    for text, asked in hit.snippet.parts:
        snippet.append(harmless(text).replace("\n", " "), "bold yellow" if asked else "")
    yield snippet
    yield Text(f"     {'  '.join(_figures(hit))}", "dim")
    if several:
        also = f"; also in {', '.join(hit.also_in)}" if hit.also_in else ""
        yield Text(f"     in {harmless(hit.crawl + also)}", "dim")
    if hit.why is not None:
        yield from _why(hit.why)
    yield Text("")


def _figures(hit: SearchHit) -> Iterator[str]:
    yield f"score {hit.score:.2f}"
    yield hit.date
    if hit.topic_score is not None:
        yield f"topic {hit.topic_score:.2f} {'relevant' if hit.relevant else 'not relevant'}"
    if hit.topic:
        yield harmless(hit.topic)
    if hit.language:
        yield hit.language
    if hit.similar:
        yield f"+{hit.similar} similar"
    if hit.gone:
        yield f"gone: {harmless(hit.gone)}"


def _why(why: ScoreExplanation) -> Iterator[Text]:
    from rich.text import Text  # here for the same reason

    for part in why.parts:
        yield Text(f"       {part.score:+7.3f}  {harmless(part.words)} in {part.field}", "dim")
    factors = (("topic", why.topic), ("links", why.links), ("freshness", why.freshness))
    yield Text(f"       {'  '.join(f'× {factor:.3f} {name}' for name, factor in factors)}", "dim")


def _nothing(folders: Sequence[Path], found: SearchAnswer) -> str:
    if found.offset and found.total:
        return f"There are no more hits: {found.total:,} pages match in all."
    if not found.suggestion:
        return "No page was found."
    sentence = f"No page was found.\nDid you mean: {found.suggestion}"
    if len(folders) > 1:
        return sentence
    return f"{sentence}\n  shoal search {in_crawl(folders[0])} {shlex.quote(found.suggestion)}"


def _summary(found: SearchAnswer) -> str:
    pages = "1 page matches" if found.total == 1 else f"{found.total:,} pages match"
    last = found.offset + len(found.hits)
    more = f", go on with --offset {last}." if found.more else "."
    return f"{pages}; shown are {found.offset + 1} to {last}{more}"


def _facets(found: SearchAnswer) -> Iterator[str]:
    for title, name in _FACETS:
        counts: tuple[FacetCount, ...] = getattr(found.facets, name)
        if len(counts) > 1:
            shown = ", ".join(f"{count.value} {count.pages:,}" for count in counts[:_SHOWN_COUNTS])
            yield f"{title}: {shown}{' …' if len(counts) > _SHOWN_COUNTS else ''}"
