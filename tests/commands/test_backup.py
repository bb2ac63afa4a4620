"""`shoal backup`, as it is typed; what comes back of it is in `test_restore.py`."""

from __future__ import annotations

from tests.shell import Shell
from tests.stocked import Stock


def test_a_crawl_is_saved_in_one_file(shoal: Shell, stock: Stock) -> None:
    said = shoal("backup", "--dir", stock.folder.name, "--out", "crawl.tar")
    assert (said.code, said.err) == (0, "")
    assert said.out.startswith("6 pages are saved in crawl.tar (")


def test_a_bad_place_is_one_sentence(shoal: Shell) -> None:
    assert shoal("backup", "--dir", "none", "--out", "x.tar").sentence().startswith("There is no crawl in none")
