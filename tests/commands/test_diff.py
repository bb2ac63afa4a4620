"""`shoal diff` and `show --versions`, as they are typed."""

from __future__ import annotations

import json

from tests.shell import Shell
from tests.stocked import Stock, article

BREAD = "http://a.test/bread"


def test_versions_and_differences(stocked: Shell, stock: Stock) -> None:
    assert stocked("diff", BREAD).code == 2
    stock.serve(bread=article("Bread", "Sourdough needs three days."))
    stock.look_again()
    listed = stocked("show", BREAD, "--versions").out.splitlines()
    assert ["first seen" in line for line in listed] == [True, False]
    assert "+1 -1 lines" in listed[1]
    lines = stocked("diff", BREAD).out.splitlines()
    assert "- Flour, water, salt and an oven." in lines
    assert "+ Sourdough needs three days." in lines
    assert "oven" in stocked("show", BREAD, "--version", "1").out
    found = json.loads(stocked("diff", BREAD, "--json").out)
    assert (found["before"], found["after"]) == (1, 2)
    assert [step["number"] for step in json.loads(stocked("show", BREAD, "--versions", "--json").out)] == [1, 2]
