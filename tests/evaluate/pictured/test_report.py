"""The report says what came out and stands alone; the CSV file has every point."""

from __future__ import annotations

import csv
from pathlib import Path

from shoal.evaluate.pictured.report import CLAIM, write_picture_curves, write_picture_report
from tests.evaluate.test_image_standings import ONE, comparison_of


def test_one_page_with_its_plot(tmp_path: Path) -> None:
    plot = tmp_path / "generated-pictures.png"
    plot.write_bytes(b"\x89PNG")
    comparison = comparison_of(*ONE, title="图片 <b>")
    write_picture_report(tmp_path / "pictures.html", comparison, [plot])
    page = (tmp_path / "pictures.html").read_text(encoding="utf-8")
    assert "<h1>图片 &lt;b&gt;</h1>" in page
    assert "2.0 times as many as learned, all pictures" in page
    assert CLAIM in page
    assert "data:image/png;base64,iVBORw==" in page
    assert "generated/rail" in page
    assert "all topics" in page
    assert "<script" not in page


def test_every_point_is_a_row(tmp_path: Path) -> None:
    write_picture_curves(tmp_path / "pictures.csv", comparison_of(*ONE).topics)
    with (tmp_path / "pictures.csv").open(newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    assert [(row["strategy"], row["wanted"], row["seconds"], row["relevant"]) for row in rows] == [
        ("learned", "relevant", "6.0", "2"),
        ("learned", "all", "10.0", "2"),
        ("breadth", "all", "10.0", "1"),
    ]
