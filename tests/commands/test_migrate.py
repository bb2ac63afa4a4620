"""`shoal migrate`, as it is typed."""

from __future__ import annotations

import json

from tests.shell import Shell
from tests.stocked import Stock


def test_a_crawl_moves_there_and_back(stocked: Shell, stock: Stock, postgres: str) -> None:
    before = stocked("export").out
    said = stocked("migrate", "--to", postgres)
    assert (said.code, said.err) == (0, "")
    assert " rows moved to " in said.out
    assert "and compared. The old copy is still there: " in said.out
    assert stocked("export").out == before
    moved = json.loads(stocked("migrate", "--to", "sqlite", "--json").out)
    assert moved["rows"] > len(before.splitlines())
    assert stocked("export").out == before


def test_where_no_crawl_can_be_kept_is_one_sentence_and_it_stays(stocked: Shell) -> None:
    before = stocked("export").out
    assert stocked("migrate", "--to", "mysql://x").sentence().startswith("--to must ")
    said = stocked("migrate", "--to", "sqlite")
    assert said.sentence() == "There is no crawl in 爬 行 that is in a PostgreSQL database."
    assert stocked("export").out == before
