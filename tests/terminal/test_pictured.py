"""A comparison of pictures fits into a terminal, and says what judging is worth."""

from __future__ import annotations

import pytest
from rich.cells import cell_len

from shoal.evaluate.pictured.crawls import ways
from shoal.terminal.compare import Lines, outcome
from shoal.terminal.pictured import show_picture_comparison
from tests.evaluate.test_image_standings import ONE, comparison_of, result

TOPICS = ("power-grid", "batteries", "electric-vehicles", "rail", "hydrology", "smart-home")
MANY = tuple(
    result(way, "abcd", "efgh", "ef", topic=topic, web=web)
    for web in ("generated", "generated:12")
    for topic in TOPICS
    for way in ways("fish-pagerank")
)


@pytest.mark.parametrize("width", [80, 120])
def test_fits(width: int, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setenv("COLUMNS", str(width))
    show_picture_comparison(comparison_of(*MANY, strategy="fish-pagerank"))
    shown = capsys.readouterr().out
    assert max(cell_len(line.rstrip()) for line in shown.splitlines()) <= width
    assert "…" not in shown
    # Once per topic and per way to do without judging, and once over all topics for each.
    assert shown.count("1.0 ×") == 2 * (len(MANY) // 3 + 1), "no figure is cut"


def test_says_what_the_figures_are(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setenv("COLUMNS", "100")
    show_picture_comparison(comparison_of(*ONE, title="图片 <b>"))
    shown = capsys.readouterr().out
    lines = [line.split() for line in shown.splitlines()]
    assert "图片 <b>" in shown
    assert ["rail", "2", "1", "2.0", "×", "6", "s"] in lines
    assert ["all", "topics", "2", "0", "–"] in lines
    # Pages, requests, time, shown, got, relevant, recall, precision of the crawl that judges.
    assert ["rail", "4", "7", "6", "s", "8", "2", "2", "50%", "100%"] in lines
    assert "out/pictures.html" in shown


def test_a_job_in_one_line() -> None:
    said: list[str] = []
    lines = Lines(said.append, clock=lambda: 0.0)
    lines.planned(2, 0)
    lines.began(ONE[0].job)
    lines.ended(ONE[0].job, ONE[0])
    assert outcome(ONE[0].job, ONE[0]) == (
        "generated/rail with learned, judged pictures: 2 of 4 relevant pictures (0.0 s)"
    )
    assert said[-1].startswith("1 of 2: generated/rail with learned, judged pictures")
