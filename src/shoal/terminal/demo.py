"""How does the outcome of a demo look in a terminal? A comparison, the best pages, one page explained, where to look next."""

from __future__ import annotations

from shlex import quote

from rich.console import Console, Group
from rich.table import Table
from rich.text import Text

from shoal.evaluate.outcome import Outcome
from shoal.terminal.crawl import show_explanation
from shoal.terminal.speaking import Answers

_WIDE = 110
"""Columns from which a title and a URL stand beside each other."""


def show_demo(outcome: Outcome) -> None:
    """What came of a demo, on standard output."""
    console = Answers(highlight=False)
    _heading(console, f"“{outcome.topic}”: {outcome.relevant_pages} relevant pages among {outcome.web_pages:,}")
    console.print(_comparison(outcome))
    console.print(Text("Relevant is what the maker of this web knows to be; the judge never sees it.", style="dim"))
    if outcome.best:
        _heading(console, "The best pages, by the judge's score")
        console.print(_best(outcome, narrow=console.width < _WIDE))
    if outcome.explained is not None:
        _heading(console, "One relevant page explained, found behind pages that are not")
        show_explanation(outcome.explained)
    _heading(console, "Where to look next")
    console.print(_next_steps(outcome), soft_wrap=True)


def _heading(console: Console, words: str) -> None:
    console.print(Text(f"\n{words}\n", style="bold cyan"))


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
    table = Table(box=None, padding=(0, 3, 0, 0), pad_edge=False, header_style="dim")
    table.add_column("score", justify="right")
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


def _next_steps(outcome: Outcome) -> Table:
    folder = quote(outcome.focused.folder)
    table = Table.grid(padding=(0, 3, 0, 0))
    table.add_column(style="dim", no_wrap=True)
    table.add_column(no_wrap=True)
    for what, where in (
        ("both harvests as a picture", outcome.picture),
        ("queues, hosts and rates", f"shoal status --dir {folder}"),
        ("what was found, searched", f"shoal search --dir {folder} 變電站"),
        ("every page and its score", f"shoal export --dir {folder} --format csv"),
        ("why this URL, or why not", f"shoal explain --dir {folder} URL"),
        ("a topic of your own", "shoal crawl --topic WORDS --seed URL"),
    ):
        table.add_row(what, Text(where))
    return table
