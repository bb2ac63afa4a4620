"""The tables of a comparison fit into a terminal, and say what the figures are."""

from __future__ import annotations

import pytest
from rich.cells import cell_len

from shoal.commands.comparison_tables import show_comparison, show_image_comparison
from shoal.evaluate.jobs import ORACLE, image_jobs
from shoal.evaluate.ratings import HEADING
from shoal.evaluate.standings import CrawlResults
from tests.evaluate.test_comparison_report import comparison_of
from tests.evaluate.test_image_standings import ONE as IMAGES
from tests.evaluate.test_image_standings import comparison_of as image_comparison_of
from tests.evaluate.test_image_standings import result as image_result
from tests.evaluate.test_ratings import rating
from tests.evaluate.test_standings import ONE, result

NAMES = ("best-first", "bounded", "breadth", "fish-improved", "fish-pagerank", "genetic-factor", "pagerank", "restore")
TOPICS = ("webextensions", "uievents", "智能电网与变电站", "kidney", "mental", "dental")
WEBS = ("generated", "webkb", "mdnzh", "zhmed")
MANY = CrawlResults(
    [
        result(web, topic, name, (1, 2) if name == ORACLE else (2,), clock=(1.0,), judged=(1,))
        for web in WEBS
        for topic in TOPICS
        for name in (ORACLE, *NAMES)
    ],
    4,
)


@pytest.mark.parametrize("width", [80, 100, 200])
def test_fits(width: int, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setenv("COLUMNS", str(width))
    show_comparison(comparison_of(MANY))
    shown = capsys.readouterr().out
    assert max(cell_len(line.rstrip()) for line in shown.splitlines()) <= width
    assert all(name in shown for name in (*NAMES, *WEBS))
    # (0+1+1+1)/8 of the oracle's 7/8: overall and on each web, and on each topic of each web.
    assert shown.count("0.429") == len(NAMES) * (1 + len(WEBS) + len(WEBS) * len(TOPICS)), "no figure is cut"


def test_says_what_the_figures_are(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setenv("COLUMNS", "100")
    show_comparison(comparison_of(CrawlResults(ONE, 4), title="电网 <b>"))
    shown = capsys.readouterr().out
    lines = [line.split() for line in shown.splitlines()]
    assert "电网 <b>" in shown
    assert ["fish", "0.393", "████▊", "0.786", "0.000"] in lines
    assert ["breadth", "0.286", "███▍", "0.000", "0.571"] in lines
    # Recall, precision and value of fish: the mean of (1, 1) and 0; (0.5, 1) and 0; (1, 2) and 0; the judge says 81 %.
    assert ["fish", "50.0%", "37.5%", "0.75/s", "81.2%"] in lines
    assert [ORACLE, "100.0%", "50.0%", "–", "–"] in lines
    assert ["fish", "0.571", "1.000"] in lines
    assert ["relevant", "pages", "2", "2"] in lines
    assert "out/report.html" in shown


@pytest.mark.parametrize("width", [80, 120])
def test_judges_fit_too(width: int, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setenv("COLUMNS", str(width))
    names = ("anchor", "boolean", "cosine", "evidence", "relative", "zones")
    many = [rating("generated", "electric-vehicles", name, 0.987, 0.123) for name in names]
    show_comparison(comparison_of(CrawlResults([*many, *ONE], 4)))
    shown = capsys.readouterr().out
    _, table = shown.split(HEADING)
    assert max(map(len, table.splitlines())) <= width
    assert (table.count("0.987"), table.count("0.123")) == (6, 6), "no figure is cut"
    assert all(name in table for name in names)
    assert "generated/electric-vehicles" in table
    assert (table.count("0.987 0.123") == 6) == (width > 80), "below each other where there is no room"
    assert "judges.csv" in table
    show_comparison(comparison_of(CrawlResults(ONE, 4)))
    assert HEADING not in capsys.readouterr().out


# --- images ----------------------------------------------------------------------------------------------------------

IMAGE_TOPICS = ("power-grid", "batteries", "electric-vehicles", "rail", "hydrology", "smart-home")
MANY_IMAGES = tuple(
    image_result(job, "abcd", "efgh", "ef", topic=topic, web=web)
    for web in ("generated", "generated:12")
    for topic in IMAGE_TOPICS
    for job in image_jobs(web, topic, "fish-pagerank")
)


@pytest.mark.parametrize("width", [80, 120])
def test_images_fit_too(width: int, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setenv("COLUMNS", str(width))
    show_image_comparison(image_comparison_of(*MANY_IMAGES, strategy="fish-pagerank"))
    shown = capsys.readouterr().out
    assert max(cell_len(line.rstrip()) for line in shown.splitlines()) <= width
    assert "…" not in shown
    # Once per topic and per way to do without judging, and once over all topics for each.
    assert shown.count("1.0 ×") == 2 * (len(MANY_IMAGES) // 3 + 1), "no figure is cut"


def test_says_what_the_figures_of_images_are(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("COLUMNS", "100")
    show_image_comparison(image_comparison_of(*IMAGES, title="图片 <b>"))
    shown = capsys.readouterr().out
    lines = [line.split() for line in shown.splitlines()]
    assert "图片 <b>" in shown
    assert ["rail", "2", "1", "2.0", "×", "6", "s"] in lines
    assert ["all", "topics", "2", "0", "–"] in lines
    # Pages, requests, time, shown, got, relevant, recall, precision of the crawl that judges.
    assert ["rail", "4", "7", "6", "s", "8", "2", "2", "50%", "100%"] in lines
    assert "out/images.html" in shown
