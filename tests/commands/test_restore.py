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


def test_without_a_name_it_has_that_of_the_file_as_far_as_it_can_be_typed(shoal: Shell, stock: Stock) -> None:
    shoal("backup", "--dir", stock.folder.name, "--out", "电网 (2).tar")
    assert shoal("restore", "电网 (2).tar").out.startswith("6 pages are back in ")
    assert shoal("status", "电网-2").code == 0


def test_bad_places_are_one_sentence(shoal: Shell) -> None:
    said = shoal("restore", "none.tar", "--dir", "c", "--database", "mysql://x")
    assert said.sentence().startswith("--database must ")
    assert "none.tar" in shoal("restore", "none.tar", "--dir", "c").sentence()
