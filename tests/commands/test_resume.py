"""`shoal resume`: a crawl that is spent says so, and goes on with a larger budget."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.commands.conftest import small_web
from tests.shell import Shell, served


@pytest.mark.slow
def test_a_spent_crawl_says_so_and_goes_on_with_a_larger_budget(shoal: Shell, tmp_path: Path) -> None:
    (tmp_path / "电网.toml").write_text(
        'name = "智能 电网"\nkeywords = { "电网" = 1.0, "power grid" = 1 }\nseeds = ["http://a.test/"]\n'
        "max_pages = 2\ndelay = 0\nscope = 'host'\n",
        encoding="utf-8",
    )
    with served(small_web()) as server:
        first = shoal("crawl", "电网.toml", "--json", "--proxy", server.proxy)
        again = shoal("resume", "智能-电网")
        more = shoal("resume", "智能-电网", "--max-pages", "99", "--json")
    answer: dict[str, Any] = json.loads(first.out)
    assert (first.code, Path(answer["folder"]).name, answer["ending"]) == (0, "智能-电网", "the page budget is reached")
    assert (again.code, again.out.splitlines()[0]) == (0, "The crawl is over: the page budget is reached.")
    last: dict[str, Any] = json.loads(more.out)
    assert (last["ending"], last["status"]["pages"], last["status"]["waiting"]) == ("nothing left to fetch", 11, 0)
