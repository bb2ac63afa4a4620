"""The harvest picture is drawn, whatever the labels say, without a warning."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pytest

from shoal.evaluate.metrics import Curve, harvest
from shoal.evaluate.plots import harvest_plot, labels_apart

GOOD = harvest([f"r{n}" for n in range(40)] + [f"x{n}" for n in range(60)], {f"r{n}" for n in range(50)})
POOR = harvest([f"x{n}" for n in range(60)] + [f"r{n}" for n in range(10)], {f"r{n}" for n in range(50)})
NOTHING = harvest([], frozenset())

CASES: dict[str, tuple[Mapping[str, Curve], str]] = {
    "two strategies": ({"best-first": GOOD, "breadth": POOR}, "Power grid"),
    "the same end": ({"one": GOOD, "two": GOOD, "three": GOOD}, "Power grid"),
    "Chinese": ({"最佳优先": GOOD, "广度优先": POOR}, "电网 and 变电站"),
    "a crawl without pages": ({"best-first": NOTHING}, "Nothing"),
    "no crawl": ({}, "Nothing"),
}


@pytest.mark.parametrize(("curves", "title"), CASES.values(), ids=CASES.keys())
def test_draws_a_png(curves: Mapping[str, Curve], title: str, tmp_path: Path) -> None:
    harvest_plot(curves, tmp_path / "harvest.png", title)
    assert (tmp_path / "harvest.png").read_bytes().startswith(b"\x89PNG")


def test_the_same_curves_give_the_same_svg(tmp_path: Path) -> None:
    for name in ("one.svg", "two.svg"):
        harvest_plot({"best-first": GOOD, "breadth": POOR}, tmp_path / name, "Power grid")
    drawn = (tmp_path / "one.svg").read_text()
    assert "<svg" in drawn
    assert drawn == (tmp_path / "two.svg").read_text()


@pytest.mark.parametrize(
    ("heights", "placed"),
    [
        ([], []),
        ([0.1, 0.5], [0.1, 0.5]),
        ([0.1, 0.1, 0.5], [0.1, 0.2, 0.5]),
        ([0.9, 0.95, 1.0], [0.8, 0.9, 1.0]),
    ],
)
def test_labels_keep_their_distance(heights: list[float], placed: list[float]) -> None:
    assert labels_apart(heights, 0.1) == pytest.approx(placed)
