"""`shoal check`, as it is typed."""

from __future__ import annotations

import json

from tests.shell import Shell
from tests.stocked import Stock


def test_check_says_that_all_is_well_or_what_is_not(stocked: Shell, stock: Stock) -> None:
    said = stocked("check")
    assert said.code == 1
    assert "There is no index: make it anew with 'shoal reindex" in said.out
    assert stocked("reindex").out == "5 pages are indexed.\n"
    said = stocked("check")
    assert (said.code, said.out.splitlines()[-1]) == (0, "Everything is in order.")
    found = json.loads(stocked("check", "--json").out)
    assert (found["pages"], found["bodies"], found["indexed"], found["problems"]) == (6, 5, 5, [])
    next(stock.folder.glob("*.warc.gz")).write_bytes(b"")
    said = stocked("check")
    assert said.code == 1
    assert "cannot be read" in said.out or "ends within" in said.out
