"""What does a harvest look like? One picture: recall and harvest rate against pages fetched, a line per strategy.

Importing this module imports matplotlib, which takes a while: do it where a picture is drawn. No pyplot, so no global state
and no display.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import matplotlib
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.font_manager import FontProperties, findfont, fontManager, get_font
from matplotlib.layout_engine import ConstrainedLayoutEngine
from matplotlib.ticker import FuncFormatter, PercentFormatter

from shoal.evaluate.metrics import Curve, Point

COLOURS = ("#0b6fb8", "#d9541e", "#159a6f", "#b0529b", "#c98a00", "#5b6b7a", "#4fb3e8")
"""Told apart by colour-blind readers too, and on paper."""
INK, FAINT, GRID = "#22303c", "#6b7885", "#e6eaee"
CHINESE_FONTS = (
    "Noto Sans CJK SC",
    "Source Han Sans SC",
    "WenQuanYi Micro Hei",
    "WenQuanYi Zen Hei",
    "Microsoft YaHei",
)
SMOOTH = 300
"""Points per line: more cannot be seen."""


def harvest_plot(curves: Mapping[str, Curve], path: Path, title: str) -> None:
    """Draw the curves into a file; its suffix (.png, .svg) says how."""
    fonts = ["DejaVu Sans", *_installed_chinese_font()]
    with matplotlib.rc_context({"font.family": fonts, "svg.hashsalt": "shoal", "text.color": INK}):
        layout = ConstrainedLayoutEngine(w_pad=0.12, h_pad=0.08, wspace=0.06)
        figure = Figure(figsize=(10, 4.6), dpi=160, facecolor="white", layout=layout)
        figure.suptitle(_drawable(title, fonts), x=0.012, ha="left", fontsize=15, fontweight="bold", color=INK)
        left, right = figure.subplots(1, 2)
        named = [(_drawable(label, fonts), curve) for label, curve in curves.items()]
        _panel(left, named, "Relevant pages found", lambda point: point.recall)
        _panel(right, named, "Harvest rate: relevant per page fetched", lambda point: point.harvest_rate)
        _draw_ideal(left, list(curves.values()))
        # Without a date the same curves give the same file.
        figure.savefig(path, metadata={"Date": None} if Path(path).suffix == ".svg" else {"Software": "shoal"})


def _panel(axes: Axes, named: Sequence[tuple[str, Curve]], heading: str, value: Callable[[Point], float]) -> None:
    longest = max((len(curve) for _, curve in named), default=1)
    ends = []
    for index, (label, curve) in enumerate(named):
        points = curve.points(every=max(1, len(curve) // SMOOTH))
        if not points:
            continue
        pages, heights = [point.fetched for point in points], [value(point) for point in points]
        colour = COLOURS[index % len(COLOURS)]
        axes.plot(pages, heights, color=colour, linewidth=2.4, solid_capstyle="round")
        axes.plot(pages[-1], heights[-1], "o", color=colour, markersize=5)
        ends.append((heights[-1], label, colour))
    axes.set_title(heading, loc="left", fontsize=11.5, color=FAINT, pad=10)
    axes.set_xlabel("pages fetched", fontsize=10.5, color=FAINT)
    axes.set_xlim(0, max(1, longest) * 1.02)
    axes.set_ylim(0, 1.06)
    axes.set_yticks([0, 0.2, 0.4, 0.6, 0.8, 1.0])
    _quiet(axes)
    _name_lines(axes, ends, longest)


def _quiet(axes: Axes) -> None:
    """Only what helps to read a value."""
    axes.spines[["top", "right", "left"]].set_visible(False)
    axes.spines["bottom"].set_color("#b8c1c9")
    axes.grid(axis="y", color=GRID, linewidth=1)
    axes.set_axisbelow(True)
    axes.tick_params(length=0, labelsize=10, colors=FAINT)
    axes.yaxis.set_major_formatter(PercentFormatter(1.0, decimals=0))
    axes.xaxis.set_major_formatter(FuncFormatter(lambda number, _: f"{number:,.0f}"))
    axes.locator_params(axis="x", nbins=5)


def _name_lines(axes: Axes, ends: list[tuple[float, str, str]], longest: int) -> None:
    """A name at the end of each line, in its colour, moved apart where lines end close together."""
    ends = sorted(ends)
    for (value, label, colour), height in zip(ends, labels_apart([value for value, _, _ in ends], 0.062), strict=True):
        axes.annotate(
            f"{label}  {value:.0%}",
            (longest * 1.02, height),
            xytext=(4, 0),
            textcoords="offset points",
            va="center",
            fontsize=10.5,
            fontweight="bold",
            color=colour,
            annotation_clip=False,
        )


def labels_apart(heights: Sequence[float], gap: float) -> list[float]:
    """Ascending heights, at least `gap` from each other, moved as little up or down as that takes."""
    placed: list[float] = []
    for height in heights:
        placed.append(max(height, placed[-1] + gap) if placed else height)
    # What was pushed over the top comes back down, and pushes what is below.
    limit = max(1.0, heights[-1]) if heights else 1.0
    for index in range(len(placed) - 1, -1, -1):
        placed[index] = min(placed[index], limit)
        limit = placed[index] - gap
    return placed


def _draw_ideal(axes: Axes, curves: Sequence[Curve]) -> None:
    """What a crawler that fetches nothing but relevant pages would reach."""
    total = max((curve.total for curve in curves), default=0)
    longest = max((len(curve) for curve in curves), default=0)
    if not total or not longest:
        return
    corner = min(total, longest)
    top = corner / total
    axes.plot([0, corner, longest], [0, top, top], color="#aab4bd", linewidth=1.2, dashes=(4, 3), zorder=1)
    axes.annotate(
        "best possible",
        (longest, top),
        xytext=(0, 4),
        textcoords="offset points",
        ha="right",
        fontsize=9.5,
        color=FAINT,
    )


def _installed_chinese_font() -> list[str]:
    installed = {entry.name for entry in fontManager.ttflist}
    return [name for name in CHINESE_FONTS if name in installed][:1]


def _drawable(text: str, fonts: Sequence[str]) -> str:
    """The text without letters that no installed font can draw: better a question mark than an empty box."""
    charmaps = [get_font(findfont(FontProperties(family=name))).get_charmap() for name in fonts]
    return "".join(letter if any(ord(letter) in charmap for charmap in charmaps) else "?" for letter in text)
