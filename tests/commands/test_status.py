"""`shoal status` shows every queue, for people and for programs."""

from __future__ import annotations

import json
import re

from tests.commands.conftest import FOLDER
from tests.shell import Shell


def test_status_lists_every_queue(crawled: Shell) -> None:
    said = crawled("status")
    assert (said.code, said.err) == (0, "")
    assert said.out.startswith(f"{FOLDER}  finished: the page budget is reached\n6 pages")
    for line in (r"waiting +\d", r"fetching +0", r"done +6", r"moved +1", r"failed +1  status 1", r"skipped +2  "):
        assert re.search(rf"^  {line}", said.out, re.MULTILINE), said.out
    assert all(line == line.rstrip() for line in said.out.splitlines())


def test_status_as_json(crawled: Shell) -> None:
    found = json.loads(crawled("status", "--json").out)
    queues = {name: found[name] for name in ("running", "fetching", "done", "moved", "failed", "skipped", "pages")}
    assert queues == {"running": False, "fetching": 0, "done": 6, "moved": 1, "failed": 1, "skipped": 2, "pages": 6}
    assert found["failures"] == [{"reason": "status", "count": 1}]
    assert {skip["reason"] for skip in found["skips"]} == {"robots", "scope"}
    assert found["harvest_rate"] == found["relevant"] / 6
    assert found["top_hosts"][0]["host"] == "a.test"
