"""How does it look when something was found? Title, URL and a snippet of each page, then what else there is."""

from __future__ import annotations

import shlex
from collections.abc import Iterator
from pathlib import Path

from rich.text import Text

from shoal.index.results import Count, Explanation
from shoal.printable import harmless
from shoal.services.search import Findings, Found
from shoal.terminal.speaking import Answers

_FACETS = (("Sites", "site"), ("Topics", "topic"), ("Languages", "language"), ("Months", "month"))
_SHOWN_COUNTS = 6


def show_findings(folder: Path, found: Findings) -> None:
    """The hits, and what can be asked next."""
    console = Answers(soft_wrap=True, highlight=False, markup=False, emoji=False)
    for note in found.notes:
        console.print(Text(harmless(note), "yellow"))
    if not found.hits:
        console.print(Text(_nothing(folder, found)))
        return
    for place, hit in enumerate(found.hits, start=found.offset + 1):
        for line in _hit(place, hit):
            console.print(line)
    console.print(Text(_summary(found), "bold"))
    for line in _facets(found):
        console.print(line)


def _hit(place: int, hit: Found) -> Iterator[Text]:
    title = harmless(hit.title) or "(without a title)"
    yield Text.assemble((f"{place:>3}. ", "dim"), (title.replace("\n", " "), "bold"))
    yield Text(f"     {harmless(hit.url)}", "cyan")
    snippet = Text("     ")
    for text, asked in hit.snippet.parts:
        snippet.append(harmless(text).replace("\n", " "), "bold yellow" if asked else "")
    yield snippet
    yield Text(f"     {'  '.join(_figures(hit))}", "dim")
    if hit.why is not None:
        yield from _why(hit.why)
    yield Text("")


def _figures(hit: Found) -> Iterator[str]:
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


def _why(why: Explanation) -> Iterator[Text]:
    for part in why.parts:
        yield Text(f"       {part.score:+7.3f}  {harmless(part.words)} in {part.field}", "dim")
    factors = (("topic", why.topic), ("links", why.links), ("freshness", why.freshness))
    yield Text(f"       {'  '.join(f'× {factor:.3f} {name}' for name, factor in factors)}", "dim")


def _nothing(folder: Path, found: Findings) -> str:
    if found.offset and found.total:
        return f"There are no more hits: {found.total:,} pages match in all."
    again = f"\nDid you mean: {found.suggestion}\n  {_command(folder, found.suggestion)}" if found.suggestion else ""
    return harmless(f"No page was found.{again}")


def _command(folder: Path, words: str) -> str:
    return f"shoal search --dir {shlex.quote(str(folder))} {shlex.quote(words)}"


def _summary(found: Findings) -> str:
    pages = "1 page matches" if found.total == 1 else f"{found.total:,} pages match"
    last = found.offset + len(found.hits)
    return f"{pages}; shown are {found.offset + 1} to {last}" + (
        f", go on with --offset {last}." if found.more else "."
    )


def _facets(found: Findings) -> Iterator[Text]:
    for title, name in _FACETS:
        counts: tuple[Count, ...] = getattr(found.facets, name)
        if len(counts) > 1:
            shown = ", ".join(f"{harmless(count.value)} {count.pages:,}" for count in counts[:_SHOWN_COUNTS])
            yield Text(f"{title}: {shown}{' …' if len(counts) > _SHOWN_COUNTS else ''}", "dim")
