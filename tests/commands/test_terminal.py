"""What a stranger wrote is only words on a console, and what is there to be copied is whole."""

from __future__ import annotations

import io
import re

from rich.table import Table
from rich.text import Text

from shoal.commands.terminal import Answers, where_to_look
from tests.evil_words import EVIL, dangerous


def test_a_command_to_be_copied_is_never_cut() -> None:
    out = io.StringIO()
    command = "shoal export --dir crawls/a-folder-with-a-long-name --format csv"
    where_to_look(Answers(file=out, width=40), [("every page and its score", command), ("a topic", "shoal topic")])
    lines = out.getvalue().splitlines()
    assert lines[-2:] == [f"every page and its score   {command}", f"{'a topic':24}   shoal topic"]


def test_a_table_is_clean_and_the_colours_are_ours() -> None:
    out = io.StringIO()
    console = Answers(file=out, force_terminal=True, width=100)
    table = Table("title")
    table.add_row(Text(EVIL, "red"))
    table.add_row(EVIL)
    console.print(table, EVIL)
    ours = out.getvalue()
    assert "\x1b[" in ours, "rich colours it"
    assert not dangerous(re.sub(r"\x1b\[[0-9;]*m", "", ours))
