"""The plot of a comparison of pictures is drawn, whatever came, and always the same."""

from __future__ import annotations

from pathlib import Path

import pytest

from shoal.evaluate.pictured.crawls import PictureResult
from shoal.evaluate.pictured.plots import pictures_plot
from tests.evaluate.test_image_standings import ALL, JUDGED, ONE, result

NOTHING = (result(JUDGED, "", "", ""), result(ALL, "a", "", ""))


@pytest.mark.parametrize("results", [ONE, NOTHING], ids=["three ways", "nothing came"])
def test_draws_a_png(results: tuple[PictureResult, ...], tmp_path: Path) -> None:
    pictures_plot(results, tmp_path / "plot.png", "Pictures")
    assert (tmp_path / "plot.png").read_bytes().startswith(b"\x89PNG")


def test_every_way_and_every_kind_has_its_line(tmp_path: Path) -> None:
    pictures_plot(ONE, tmp_path / "plot.svg", "Pictures")
    drawn = (tmp_path / "plot.svg").read_text()
    assert [drawn.count(f": {kind} -->") for kind in ("on the pages", "downloaded", "relevant")] == [3, 3, 3]


def test_the_same_results_give_the_same_file(tmp_path: Path) -> None:
    for name in ("one.png", "two.png"):
        pictures_plot(ONE, tmp_path / name, "Pictures")
    assert (tmp_path / "one.png").read_bytes() == (tmp_path / "two.png").read_bytes()
