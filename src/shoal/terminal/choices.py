"""How does the list of strategies and judges look in a terminal?"""

from __future__ import annotations

from collections.abc import Sequence

from rich.console import Console
from rich.table import Table
from rich.text import Text

from shoal.services.crawls import Choices, Described
from shoal.terminal.speaking import Answers

_PAPERS = (
    ("AVSM", "self-adapting vector space model with genetic factor, 2013"),
    ("GA", "focused crawling based on genetic algorithms, 2012"),
    ("IMAGE", "image topic crawler by anchor text and link context, 2008"),
    ("PUSH", "Fish Search and PageRank crawler with a push system, 2015"),
    ("RESTORE", "anchor text crawler with inherited, restored relevance, 2009"),
)


def show_choices(choices: Choices) -> None:
    """All of them, on standard output."""
    console = Answers(highlight=False)
    _heading(console, "Strategies: which link next?   --strategy NAME   --set NUMBER=…")
    console.print(_table(choices.strategies))
    _heading(console, "Judges: what is relevant?   --judge NAME; without it, the one of the strategy's paper")
    console.print(_table(choices.judges))
    _heading(console, "Word vectors: which words mean nearly the same?   optional")
    for sentence in choices.vectors:
        console.print(Text(sentence), soft_wrap=True)
    _heading(console, "Papers")
    papers = Table.grid(padding=(0, 3, 0, 0))
    for name, what in _PAPERS:
        papers.add_row(Text(name, style="bold"), Text(what, style="dim"))
    console.print(papers)


def _heading(console: Console, words: str) -> None:
    console.print(Text(f"\n{words}\n", style="bold cyan"))


def _table(found: Sequence[Described]) -> Table:
    table = Table(box=None, padding=(0, 3, 0, 0), pad_edge=False, show_header=False)
    table.add_column(no_wrap=True, style="bold")
    table.add_column()
    table.add_column(style="dim")
    for one in found:
        table.add_row(one.name, _about(one), one.paper)
    return table


def _about(one: Described) -> Text:
    text = Text(one.summary + (" (the default)" if one.default else ""))
    if one.judge:
        text.append(f"\njudge {one.judge}", style="dim")
    for parameter in one.parameters:
        text.append(f"\n{parameter.name} = {parameter.default:g}", style="green")
        text.append(f"   {parameter.what}", style="dim")
    return text
