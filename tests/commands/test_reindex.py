"""`shoal reindex`, as it is typed."""

from __future__ import annotations

from shoal.index.index_folder import IndexWriter
from tests.shell import Shell
from tests.stocked import Stock


def test_two_do_not_write_to_one_index(stocked: Shell, stock: Stock) -> None:
    stocked("reindex")
    with IndexWriter(stock.folder / "index"):
        said = stocked("reindex")
        assert (said.code, said.err.startswith("shoal: Another shoal is writing to the index in ")) == (2, True)
        assert stocked("search", "oven").code == 0, "what is there can be searched meanwhile"
