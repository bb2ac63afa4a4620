"""Every web has its plots, whatever came, each strategy keeps its colour, and the same results give the same files."""

from __future__ import annotations

from pathlib import Path

import pytest

from shoal.evaluate.comparison_plots import ALL, colours_of, draw_all, draw_images
from shoal.evaluate.jobs import Result
from shoal.evaluate.standings import CrawlResults
from tests.evaluate.test_comparison_report import comparison_of
from tests.evaluate.test_image_standings import ALL as ALL_IMAGES
from tests.evaluate.test_image_standings import JUDGED
from tests.evaluate.test_image_standings import ONE as IMAGES
from tests.evaluate.test_image_standings import result as image_result
from tests.evaluate.test_standings import ONE, result

NOTHING = (image_result(JUDGED, "", "", ""), image_result(ALL_IMAGES, "a", "", ""))


@pytest.mark.slow
def test_every_web_and_all_together_have_their_plots(tmp_path: Path) -> None:
    results = CrawlResults(ONE, 4)
    plots = draw_all(tmp_path, comparison_of(results), results)
    stems = ["all-of-oracle", *(f"{web}-{what}" for web in (ALL, "one", "two") for what in ("recall", "precision"))]
    assert [plot.file for plot in plots] == stems
    assert {path.name for path in tmp_path.iterdir()} == {f"{stem}.{kind}" for stem in stems for kind in ("png", "svg")}


@pytest.mark.slow
def test_of_a_single_web_there_is_no_mean(tmp_path: Path) -> None:
    results = CrawlResults([row for row in ONE if row.job.web == "one"], 4)
    plots = draw_all(tmp_path, comparison_of(results), results)
    assert [plot.file for plot in plots] == ["all-of-oracle", "one-recall", "one-precision"]


def test_a_strategy_keeps_its_colour_whoever_else_is_there() -> None:
    both = colours_of(CrawlResults(ONE, 4).standings()[0])
    alone = colours_of(CrawlResults([row for row in ONE if row.job.strategy != "breadth"], 4).standings()[0])
    assert both["fish"] == alone["fish"] != both["breadth"]


def test_several_judges_have_several_colours() -> None:
    rows = [row for row in ONE if row.job.topic == "a"]
    rows += [result("one", "a", "fish", (1,), judge="zones")]
    standings, _ = CrawlResults(rows, 4).standings()
    colours = colours_of(standings)
    assert len({colours[row.name] for row in standings}) == 3


# --- images ----------------------------------------------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.parametrize("results", [IMAGES, NOTHING], ids=["three ways", "nothing came"])
def test_every_way_and_every_kind_has_its_line(results: tuple[Result, ...], tmp_path: Path) -> None:
    [plot] = draw_images(tmp_path, results)
    assert (plot.file, plot.web) == ("generated-images", "generated")
    assert (tmp_path / "generated-images.png").read_bytes().startswith(b"\x89PNG")
    kinds = ("on the pages", "downloaded", "relevant")
    assert [plot.svg.count(f": {kind} -->") for kind in kinds] == [len(results)] * 3


@pytest.mark.slow
def test_the_same_results_give_the_same_file(tmp_path: Path) -> None:
    files = []
    for _ in range(2):
        draw_images(tmp_path, IMAGES)
        files.append([(tmp_path / f"generated-images.{kind}").read_bytes() for kind in ("png", "svg")])
    assert files[0] == files[1]
