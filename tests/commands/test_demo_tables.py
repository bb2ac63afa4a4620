"""The outcome of a demo fits into a terminal, and its URLs can be copied."""

from __future__ import annotations

import pytest
from rich.cells import cell_len

from shoal.commands.demo_tables import show_demo
from shoal.evaluate.outcome import Harvest, JudgedPage, Outcome


def harvest(strategy: str, relevant: int, half: int | None) -> Harvest:
    return Harvest(
        strategy=strategy,
        folder=f"demo/{strategy}",
        fetched=600,
        relevant=relevant,
        harvest_rate=relevant / 600,
        recall=relevant / 250,
        half_found_after=half,
        judged_relevant=300,
        seconds=9.0,
        curve=(),
    )


TITLES = (
    "Notes on the transmission line and all that hangs on it, from the archive - Grid Lab",
    "調相機札記 - 臺港工程論壇",
)
URL = "http://gridlab.test/article?id=12&section=power-grid"
OUTCOME = Outcome(
    topic="power-grid",
    seed=7,
    web_pages=2839,
    web_hosts=32,
    relevant_pages=250,
    focused=harvest("best-first", 200, 180),
    baseline=harvest("breadth", 80, None),
    best=tuple(JudgedPage(title=title, url=URL, language="", score=0.6, truth="relevant") for title in TITLES),
    explained=None,
    plot="demo/harvest.png",
    seconds=25.0,
)


@pytest.mark.parametrize("width", [80, 100, 120, 200])
def test_fits_and_breaks_no_url(
    width: int, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("COLUMNS", str(width))
    show_demo(OUTCOME)
    shown = capsys.readouterr().out
    assert max(cell_len(line.rstrip()) for line in shown.splitlines()) <= width
    assert shown.count(URL) == 2


def test_says_what_the_figures_are(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setenv("COLUMNS", "100")
    show_demo(OUTCOME)
    rows = {line[:24].strip(): line[24:].split() for line in capsys.readouterr().out.splitlines()}
    assert rows["relevant"] == ["200", "80", "+120", "(×2.5)", "250"]
    assert rows["harvest rate"] == ["33.3%", "13.3%", "+20.0", "points", "41.7%"]
    assert rows["recall"] == ["80.0%", "32.0%", "+48.0", "points", "100.0%"]
    assert rows["half of all found after"] == ["180", "pages", "never"]
