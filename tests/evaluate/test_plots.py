"""The plots are drawn, whatever the labels say, without a warning."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shoal.evaluate.curves import Curve, harvest
from shoal.evaluate.plots import Dots, PlotLine, dots_plot, harvest_plot, labels_apart, labels_balanced, lines_plot

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


@pytest.mark.slow
@pytest.mark.parametrize(("curves", "title"), CASES.values(), ids=CASES.keys())
def test_draws_a_png(curves: Mapping[str, Curve], title: str, tmp_path: Path) -> None:
    harvest_plot(curves, tmp_path / "harvest.png", title)
    assert (tmp_path / "harvest.png").read_bytes().startswith(b"\x89PNG")


@pytest.mark.slow
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


# --- many strategies -------------------------------------------------------------------------------------------------


def line(label: str, *heights: float, **given: bool) -> PlotLine:
    pages = [100 * number for number in range(len(heights))]
    low, high = [height / 2 for height in heights], [min(1.0, height * 1.5) for height in heights]
    return PlotLine(label=label, colour="#0b6fb8", pages=pages, heights=heights, low=low, high=high, **given)


LINES: dict[str, list[PlotLine]] = {
    "twelve and the oracle": [
        *(line(f"strategy-{number}", 0.0, 0.3, 0.5) for number in range(12)),
        line("omniscient", 0.0, 0.9, 1.0, is_oracle=True),
    ],
    "Chinese": [line("最佳优先", 0.0, 0.01), line("广度优先", 0.0, 0.02)],
    "nothing found": [line("breadth", 0.0, 0.0)],
    "no page fetched": [line("breadth")],
    "no strategy": [],
}


@pytest.mark.slow
@pytest.mark.parametrize("suffix", [".png", ".svg"])
@pytest.mark.parametrize("lines", LINES.values(), ids=LINES.keys())
def test_draws_lines(lines: list[PlotLine], suffix: str, tmp_path: Path) -> None:
    path = tmp_path / f"lines{suffix}"
    lines_plot(lines, path, title="Recall on 电网", subtitle="mean of 3 topics\nband: worst to best")
    assert path.read_bytes().startswith(b"\x89PNG" if suffix == ".png" else b"<?xml")


@pytest.mark.slow
@pytest.mark.parametrize(
    "rows",
    [
        [Dots(label="fish", colour="#d9541e", overall=0.5, webs={"one": 0.2, "电网": 0.8})],
        [Dots(label=f"s{n}", colour="#d9541e", overall=1.04, webs={"one": 1.04}) for n in range(14)],
        [
            Dots(label="a", colour="#d9541e", overall=0.5, webs={"one": 0.5}),
            Dots(label="b", colour="k", overall=0, webs={}),
        ],
        [],
    ],
)
def test_draws_dots(rows: list[Dots], tmp_path: Path) -> None:
    dots_plot(rows, tmp_path / "dots.png", title="电网")
    assert (tmp_path / "dots.png").read_bytes().startswith(b"\x89PNG")


@pytest.mark.parametrize(
    ("heights", "placed"),
    [
        ([], []),
        ([0.1, 0.5], [0.1, 0.5]),
        ([0.5, 0.5], [0.45, 0.55]),
        ([0.4, 0.5, 0.5, 0.5], [0.325, 0.425, 0.525, 0.625]),
        ([0.0, 0.0, 0.05], [0.0, 0.1, 0.2]),
        ([0.9, 0.95, 1.0], [0.8, 0.9, 1.0]),
    ],
)
def test_crowded_labels_move_both_ways(heights: list[float], placed: list[float]) -> None:
    assert labels_balanced(heights, 0.1) == pytest.approx(placed)


@pytest.mark.slow
@given(st.lists(st.floats(0, 1), max_size=16))
def test_no_label_covers_another_or_leaves_the_plot(heights: list[float]) -> None:
    placed = labels_balanced(sorted(heights), 0.05)
    assert all(upper - lower > 0.05 - 1e-9 for lower, upper in pairwise(placed))
    assert all(-1e-9 <= height <= 1.0 + 1e-9 for height in placed)
