"""`shoal strategies`: which strategies and judges are there, and are there word vectors for them?"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import click

from shoal import services
from shoal.commands import options
from shoal.commands.output import reply

if TYPE_CHECKING:
    from rich.table import Table
    from rich.text import Text

    from shoal.services.choices import Choices, Described

_PAPERS = (
    ("AVSM", "self-adapting vector space model with genetic factor, 2013"),
    ("GA", "focused crawling based on genetic algorithms, 2012"),
    ("IMAGE", "image topic crawler by anchor text and link context, 2008"),
    ("PUSH", "Fish Search and PageRank crawler with a push system, 2015"),
    ("RESTORE", "anchor text crawler with inherited, restored relevance, 2009"),
)


@click.command()
@options.as_json
def strategies(as_json: bool) -> int:
    """List the strategies and judges, and where each comes from.

    A strategy says which link is followed next; a judge says what is relevant. Numbers of a strategy are set with --set
    NAME=NUMBER.
    """
    found = services.choices.choices()
    return reply(found, lambda: show_choices(found), as_json=as_json)


def show_choices(choices: Choices) -> None:
    """All of them, on standard output."""
    # Here, because rich is loaded when something is printed with it.
    from rich.table import Table
    from rich.text import Text

    from shoal.commands.terminal import Answers, section  # it comes with rich

    console = Answers(highlight=False)
    section(console, "Strategies: which link next?   --strategy NAME   --set NUMBER=…", _table(choices.strategies))
    judges = "Judges: what is relevant?   --judge NAME; without it, the one of the strategy's paper"
    section(console, judges, _table(choices.judges))
    section(console, "Word vectors: which words mean nearly the same?   optional")
    for sentence in choices.vectors:
        console.print(Text(sentence), soft_wrap=True)
    papers = Table.grid(padding=(0, 3, 0, 0))
    for name, what in _PAPERS:
        papers.add_row(Text(name, style="bold"), Text(what, style="dim"))
    section(console, "Papers", papers)


def _table(found: Sequence[Described]) -> Table:
    from rich.table import Table  # here for the same reason

    table = Table(box=None, padding=(0, 3, 0, 0), pad_edge=False, show_header=False)
    table.add_column(no_wrap=True, style="bold")
    table.add_column()
    table.add_column(style="dim")
    for one in found:
        table.add_row(one.name, _about(one), one.paper)
    return table


def _about(one: Described) -> Text:
    from rich.text import Text  # here for the same reason

    text = Text(one.summary + (" (the default)" if one.default else ""))
    if one.judge:
        text.append(f"\njudge {one.judge}", style="dim")
    for parameter in one.parameters:
        text.append(f"\n{parameter.name} = {parameter.default:g}", style="green")
        text.append(f"   {parameter.what}", style="dim")
    return text
