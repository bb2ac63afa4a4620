"""`shoal restore`, as it is typed."""

from __future__ import annotations

import json

from tests.shell import Shell
from tests.stocked import Stock


def test_what_was_saved_comes_back(shoal: Shell, stock: Stock) -> None:
    folder = stock.folder.name
    shoal("backup", "--dir", folder, "--out", "crawl.tar")
    assert shoal("restore", "crawl.tar", "--dir", "again").out == (
        "6 pages are back in again. The first search makes their index anew.\n"
    )
    assert shoal("export", "--dir", "again").out == shoal("export", "--dir", folder).out
    assert json.loads(shoal("restore", "crawl.tar", "--dir", "third", "--json").out)["pages"] == 6


def test_bad_places_are_one_sentence(shoal: Shell) -> None:
    said = shoal("restore", "none.tar", "--dir", "c", "--database", "mysql://x")
    assert said.sentence().startswith("--database must ")
    assert "none.tar" in shoal("restore", "none.tar", "--dir", "c").sentence()
