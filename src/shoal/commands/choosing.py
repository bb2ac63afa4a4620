"""`shoal strategies`: which strategies and judges are there, and are there word vectors for them?"""

from __future__ import annotations

import click

from shoal.commands import options
from shoal.commands.answer import print_json
from shoal.services import crawls as app
from shoal.terminal.choices import show_choices


@click.command()
@options.as_json
def strategies(as_json: bool) -> int:
    """Which strategies and judges there are, and where each comes from.

    A strategy says which link is followed next; a judge says what is relevant. Numbers of a strategy are set with --set
    NAME=NUMBER.
    """
    found = app.choices()
    if as_json:
        print_json(found)
    else:
        show_choices(found)
    return 0
