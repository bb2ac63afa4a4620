"""`shoal images`, as it is typed."""

from __future__ import annotations

import json
from pathlib import Path

from shoal.settings import ImageSettings
from tests.crawl.simulated import Simulation
from tests.services.test_images import WEB
from tests.shell import Shell


def test_the_command_shows_and_writes(tmp_path: Path) -> None:
    Simulation(tmp_path / "c", WEB, images=ImageSettings(wanted="relevant")).run()
    shoal = Shell(tmp_path, "--dir", "c")
    said = shoal("images", "变电站")
    assert said.code == 0
    assert "1. 变电站 grid\n     http://a.test/2.png\n     on http://a.test/\n     320 × 240 png, topic" in said.out
    assert json.loads(shoal("images", "--json", "--limit", "2").out)["more"] is True
    assert shoal("images", "zzzz").code == 1
    assert shoal("images", "--html", "g.html").err == "3 images written to g.html.\n"
    assert shoal("images", "--html", "g.html", "--jsonl", "x").code == 2
    assert shoal("images", "--jsonl", ".").code == 2
