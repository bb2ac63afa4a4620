"""What came of a demo? A comparison, the best pages, one page explained, on standard output."""

from __future__ import annotations

from collections.abc import Iterator
from shlex import quote
from typing import TYPE_CHECKING

from rich.console import Group
from rich.table import Column, Table
from rich.text import Text

from shoal.commands.explain import show_explanation
from shoal.commands.terminal import Answers, plain_table, section, where_to_look

if TYPE_CHECKING:
    from shoal.evaluate.outcome import Outcome

_WIDE = 110
"""Columns from which a title and a URL stand beside each other."""


def show_demo(outcome: Outcome) -> None:
    """What came of a demo: a comparison, the best pages, one page explained, where to look next."""
    console = Answers(highlight=False)
    title = f"“{outcome.topic}”: {outcome.relevant_pages} relevant pages among {outcome.web_pages:,}"
    explained = Text("Relevant is what the maker of this web knows to be; the judge never sees it.", style="dim")
    section(console, title, _comparison(outcome), explained)
    if outcome.best:
        section(console, "The best pages, by the judge's score", _best(outcome, narrow=console.width < _WIDE))
    if outcome.explained is not None:
        section(console, "One relevant page explained, found behind pages that are not")
        show_explanation(outcome.explained)
    where_to_look(console, _next_steps(outcome))


# --- learned against breadth first ----------------------------------------------------------------------------------


def _comparison(outcome: Outcome) -> Table:
    ours, plain = outcome.focused, outcome.baseline
    possible = min(outcome.relevant_pages, ours.fetched)
    table = Table(box=None, padding=(0, 3, 0, 0), pad_edge=False, header_style="")
    table.add_column("")
    for name, style in (("learned", "bold green"), ("breadth first", ""), ("difference", ""), ("possible", "dim")):
        table.add_column(name, style=style, justify="right")
    table.add_row("pages fetched", f"{ours.fetched:,}", f"{plain.fetched:,}", "", "")
    gain = _more(ours.relevant - plain.relevant, plain.relevant)
    table.add_row("relevant", f"{ours.relevant:,}", f"{plain.relevant:,}", gain, f"{possible:,}")
    table.add_row(
        "harvest rate", *_shares(ours.harvest_rate, plain.harvest_rate), f"{_share(possible, ours.fetched):.1%}"
    )
    table.add_row("recall", *_shares(ours.recall, plain.recall), f"{_share(possible, outcome.relevant_pages):.1%}")
    table.add_row("half of all found after", _pages(ours.half_found_after), _pages(plain.half_found_after))
    table.add_row("relevant, says the judge", f"{ours.judged_relevant:,}", f"{plain.judged_relevant:,}", style="dim")
    return table


def _more(difference: int, than: int) -> str:
    return f"{difference:+,}" + (f" (×{1 + difference / than:.1f})" if than else "")


def _shares(ours: float, plain: float) -> tuple[str, str, str]:
    return f"{ours:.1%}", f"{plain:.1%}", f"{100 * (ours - plain):+.1f} points"


def _share(part: int, whole: int) -> float:
    return part / whole if whole else 0.0


def _pages(count: int | None) -> str:
    return "never" if count is None else f"{count:,} pages"


# --- pages and commands ----------------------------------------------------------------------------------------------


def _best(outcome: Outcome, *, narrow: bool) -> Table:
    """Title and URL beside each other, or one above the other; a long title is cut, a URL never."""
    table = plain_table(Column("score", justify="right"), gap=3)
    table.add_column("truth", no_wrap=True)
    table.add_column("page")
    if not narrow:
        table.add_column("URL", no_wrap=True)
    for page in outcome.best:
        truth = Text(page.truth, style="green" if page.truth == "relevant" else "yellow")
        title = Text(page.title, no_wrap=True, overflow="ellipsis")
        url = Text(page.url, style="dim", overflow="fold")
        table.add_row(f"{page.score:.3f}", truth, *([Group(title, url)] if narrow else [title, url]))
    return table


def _next_steps(outcome: Outcome) -> Iterator[tuple[str, str]]:
    folder = quote(outcome.focused.folder)
    if outcome.plot:
        yield "both harvests as a plot", outcome.plot
    yield "queues, hosts and rates", f"shoal status --dir {folder}"
    yield "what was found, searched", f"shoal search --dir {folder} 變電站"
    yield "every page and its score", f"shoal export --dir {folder} --format csv"
    yield "why this URL, or why not", f"shoal explain --dir {folder} URL"
    yield "a topic of your own", "shoal crawl --topic WORDS --seed URL"
