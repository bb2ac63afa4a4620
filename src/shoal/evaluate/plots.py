"""What does a harvest look like? Recall and precision against pages fetched, a line per strategy; and who is how good.

    harvest_plot     one topic, few strategies: both measures beside each other (the demo)
    lines_plot       one measure, many strategies, the mean over topics: a figure as the papers have them
    dots_plot        how much of the omniscient crawler's harvest each strategy brings home, on each web
    panels_plot      counts of several crawls against several axes beside each other

Importing this module imports matplotlib, which takes a while: do it where a plot is drawn. No pyplot, so no global state
and no display.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import matplotlib
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.font_manager import FontProperties, findfont, fontManager, get_font
from matplotlib.layout_engine import ConstrainedLayoutEngine
from matplotlib.ticker import FuncFormatter, PercentFormatter

from shoal.evaluate.curves import Curve, Point

COLOURS = ("#0b6fb8", "#d9541e", "#159a6f", "#b0529b", "#c98a00", "#5b6b7a", "#4fb3e8")
"""Told apart by colour-blind readers too, and on paper."""
MORE_COLOURS = (
    *COLOURS,
    "#7d4e2a",
    "#7a5fd0",
    "#00838f",
    "#d6608f",
    "#7f8c1d",
    "#a3173f",
    "#2e5d34",
    "#9c7bb8",
    "#c2662d",
)
"""For so many lines that only their names tell them apart for everybody."""
MARKERS = ("o", "s", "D", "^", "v", "P", "X", "*")
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
    with _fonts() as fonts:
        layout = ConstrainedLayoutEngine(w_pad=0.12, h_pad=0.08, wspace=0.06)
        figure = Figure(figsize=(10, 4.6), dpi=160, facecolor="white", layout=layout)
        figure.suptitle(_drawable(title, fonts), x=0.012, ha="left", fontsize=15, fontweight="bold", color=INK)
        left, right = figure.subplots(1, 2)
        named = [(_drawable(label, fonts), curve) for label, curve in curves.items()]
        _panel(left, named, "Relevant pages found", lambda point: point.recall)
        _panel(right, named, "Harvest rate: relevant per page fetched", lambda point: point.harvest_rate)
        _draw_ideal(left, list(curves.values()))
        _save(figure, path)


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


def labels_balanced(heights: Sequence[float], gap: float) -> list[float]:
    """Shares in ascending order, moved up and down where they crowd, by as little as that takes; none leaves 0 to 1."""
    # Neighbours that would touch become one block, which stands where its labels want to be on average.
    blocks: list[list[float]] = []
    for place, height in enumerate(heights):
        blocks.append([height - place * gap])
        while len(blocks) > 1 and _mean(blocks[-2]) >= _mean(blocks[-1]):
            crowding = blocks.pop()
            blocks[-1] += crowding
    most = max(0.0, 1.0 - (len(heights) - 1) * gap)
    level = [min(max(_mean(block), 0.0), most) for block in blocks for _ in block]
    return [height + place * gap for place, height in enumerate(level)]


def _mean(values: Sequence[float]) -> float:
    return sum(values) / len(values)


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


# --- many strategies -------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class PlotLine:
    """How a strategy fares on average over some topics."""

    label: str
    colour: str
    pages: Sequence[int]
    """Pages fetched, at each point of the line."""
    heights: Sequence[float]
    low: Sequence[float]
    """The worst topic at each point."""
    high: Sequence[float]
    """The best topic at each point."""
    is_oracle: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Dots:
    """How good a strategy is on each web: a share of the omniscient crawler's harvest."""

    label: str
    colour: str
    overall: float
    webs: Mapping[str, float]


BANDS = 3
"""With more strategies only the first gets a band: it would be a fog."""
_STRONG = 3
"""So many lines are thick: the best."""
_SMALL = (5.6, 4.9)
"""Inches. Letters are large in it, so that they can be read on a phone."""


def lines_plot(lines: Sequence[PlotLine], *paths: Path, title: str, subtitle: str) -> None:
    """Draw one measure, the best strategy first in `lines`; the suffix of each file (.png, .svg) says how."""
    with _fonts() as fonts:
        figure = Figure(figsize=_SMALL, dpi=160, facecolor="white", layout=ConstrainedLayoutEngine(h_pad=0.08))
        axes = figure.subplots()
        strategies = [line for line in lines if not line.is_oracle]
        for place, line in reversed(list(enumerate(strategies))):
            strong, band = place < _STRONG, place == 0 or len(strategies) <= BANDS
            _draw_line(axes, line, width=2.4 if strong else 1.5, band=band)
        for line in lines:
            if line.is_oracle:
                axes.plot(line.pages, line.heights, color="#8a96a1", linewidth=1.4, dashes=(4, 3), zorder=1.5)
        longest = max((line.pages[-1] for line in lines if line.pages), default=1)
        top = _round_top(max((max(line.heights, default=0.0) for line in lines), default=0.0))
        axes.set_xlim(0, longest)
        axes.set_ylim(0, top * 1.03)
        axes.set_title(_drawable(title, fonts), loc="left", fontsize=12.5, fontweight="bold", color=INK, pad=36)
        axes.annotate(
            _drawable(subtitle, fonts),
            (0, 1),
            xytext=(0, 9),
            xycoords="axes fraction",
            textcoords="offset points",
            fontsize=9,
            color=FAINT,
            linespacing=1.35,
        )
        axes.set_xlabel("pages fetched", fontsize=10, color=FAINT)
        _quiet(axes)
        ends = [(line.heights[-1], _drawable(line.label, fonts), line) for line in lines if line.pages]
        _name_many(axes, ends, longest, top)
        _save(figure, *paths)


def _draw_line(axes: Axes, line: PlotLine, *, width: float, band: bool) -> None:
    if band and any(low != high for low, high in zip(line.low, line.high, strict=True)):
        axes.fill_between(line.pages, line.low, line.high, color=line.colour, alpha=0.11, linewidth=0, zorder=1)
    axes.plot(line.pages, line.heights, color=line.colour, linewidth=width, solid_capstyle="round", zorder=2 + width)


def _round_top(highest: float) -> float:
    """Where the axis ends: a round share above the highest line, so that low lines can be told apart."""
    return next((top for top in (0.1, 0.2, 0.4, 0.6, 0.8) if highest <= top), 1.0)


def _name_many(axes: Axes, ends: list[tuple[float, str, PlotLine]], longest: int, top: float) -> None:
    """A name for each line, on a thin lead where it had to be moved away from the line's end."""
    ends = sorted(ends, key=lambda end: (end[0], end[1]))
    heights = labels_balanced([value / top for value, _, _ in ends], 0.052)
    for (value, label, line), height in zip(ends, heights, strict=True):
        colour = FAINT if line.is_oracle else line.colour
        height *= top
        xs, ys = [longest, longest * 1.05, longest * 1.07], [value, height, height]
        axes.plot(xs, ys, color=colour, linewidth=0.8, clip_on=False, alpha=0.7)
        axes.annotate(
            f"{label} {value:.0%}",
            (longest * 1.07, height),
            xytext=(2, 0),
            textcoords="offset points",
            va="center",
            fontsize=9,
            fontweight="normal" if line.is_oracle else "bold",
            color=colour,
            annotation_clip=False,
        )


def dots_plot(rows: Sequence[Dots], *paths: Path, title: str) -> None:
    """One row per strategy, the best on top: a bar for the mean of all webs, and a mark for each web."""
    with _fonts() as fonts:
        webs = list(dict.fromkeys(web for row in rows for web in row.webs))
        height = 1.3 + 0.3 * max(len(rows), 1)
        figure = Figure(
            figsize=(_SMALL[0], height), dpi=160, facecolor="white", layout=ConstrainedLayoutEngine(h_pad=0.08)
        )
        axes = figure.subplots()
        places = range(len(rows))
        axes.barh(places, [row.overall for row in rows], color=[row.colour for row in rows], height=0.62, alpha=0.22)
        for number, web in enumerate(webs):
            values = [
                (row.webs[web], place, row.colour) for place, row in zip(places, rows, strict=True) if web in row.webs
            ]
            xs, ys, colours = zip(*values, strict=True)
            marker = MARKERS[number % len(MARKERS)]
            axes.scatter(xs, ys, c=colours, marker=marker, s=34, linewidths=0, zorder=3)
            # What the legend shows: the mark alone, in no strategy's colour.
            axes.scatter([], [], c=FAINT, marker=marker, s=34, linewidths=0, label=_drawable(web, fonts))
        for place, row in zip(places, rows, strict=True):
            axes.annotate(
                f"{row.overall:.2f}",
                (1.02, place),
                va="center",
                fontsize=9.5,
                fontweight="bold",
                color=row.colour,
                annotation_clip=False,
            )
        axes.set_yticks(places, [_drawable(row.label, fonts) for row in rows])
        axes.set_ylim(len(rows) - 0.4, -0.6)
        axes.set_xlim(0, max([1.0, *(value for row in rows for value in row.webs.values())]))
        _quiet(axes)
        axes.grid(axis="y", visible=False)
        axes.grid(axis="x", color=GRID, linewidth=1)
        axes.yaxis.set_major_formatter(FuncFormatter(lambda _, place: _row_name(rows, place, fonts)))
        axes.xaxis.set_major_formatter(PercentFormatter(1.0, decimals=0))
        axes.tick_params(axis="y", labelcolor=INK)
        axes.set_title(_drawable(title, fonts), loc="left", fontsize=12.5, fontweight="bold", color=INK, pad=24)
        if len(webs) > 1:
            axes.legend(
                loc="lower left",
                bbox_to_anchor=(-0.02, 0.995),
                ncols=len(webs),
                frameon=False,
                fontsize=9.5,
                labelcolor=FAINT,
                handletextpad=0.2,
                columnspacing=1.2,
                borderpad=0.2,
            )
        _save(figure, *paths)


def _row_name(rows: Sequence[Dots], place: int | None, fonts: Sequence[str]) -> str:
    return _drawable(rows[place].label, fonts) if place is not None and place < len(rows) else ""


# --- counts ----------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class CountLine:
    """How something grew."""

    label: str
    colour: str
    style: str
    """As matplotlib names them: solid, dashed, dotted."""
    heights: Sequence[float]
    strong: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class CountPanel:
    """Several things that grew along the same axis."""

    heading: str
    axis: str
    places: Sequence[float]
    lines: Sequence[CountLine]


def panels_plot(panels: Sequence[CountPanel], *paths: Path, title: str) -> None:
    """Draw the panels beside each other; all have the same lines, which a legend names beside the last."""
    with _fonts() as fonts:
        layout = ConstrainedLayoutEngine(w_pad=0.1, h_pad=0.08)
        figure = Figure(figsize=(5 * len(panels), 4.8), dpi=160, facecolor="white", layout=layout)
        figure.suptitle(_drawable(title, fonts), x=0.012, ha="left", fontsize=14, fontweight="bold", color=INK)
        row = figure.subplots(1, len(panels), squeeze=False)[0]
        for axes, panel in zip(row, panels, strict=True):
            _count_panel(axes, panel)
        row[-1].legend(
            loc="upper left", bbox_to_anchor=(1.01, 1.0), frameon=False, fontsize=8.5, labelcolor=INK, handlelength=2.6
        )
        _save(figure, *paths)


def _count_panel(axes: Axes, panel: CountPanel) -> None:
    for line in panel.lines:
        width = 2.4 if line.strong else 1.2
        axes.plot(panel.places, line.heights, line.style, color=line.colour, linewidth=width, label=line.label)
    axes.set_title(panel.heading, loc="left", fontsize=11, color=FAINT, pad=10)
    axes.set_xlabel(panel.axis, fontsize=10, color=FAINT)
    axes.set_xlim(0, panel.places[-1])
    axes.set_ylim(bottom=0)
    _quiet(axes)
    axes.yaxis.set_major_formatter(FuncFormatter(lambda number, _: f"{number:,.0f}"))


# --- files and fonts -------------------------------------------------------------------------------------------------


@contextmanager
def _fonts() -> Iterator[list[str]]:
    """The fonts to draw with, those for Chinese among them if there are any."""
    fonts = ["DejaVu Sans", *_installed_chinese_font()]
    with matplotlib.rc_context({"font.family": fonts, "svg.hashsalt": "shoal", "text.color": INK}):
        yield fonts


def _save(figure: Figure, *paths: Path) -> None:
    for path in paths:
        # Without a date the same curves give the same file.
        figure.savefig(path, metadata={"Date": None} if path.suffix == ".svg" else {"Software": "shoal"})
        figure.set_layout_engine(
            "none"
        )  # its parts stand where they should, and finding that out takes as long as drawing


def _installed_chinese_font() -> list[str]:
    installed = {entry.name for entry in fontManager.ttflist}
    return [name for name in CHINESE_FONTS if name in installed][:1]


def _drawable(text: str, fonts: Sequence[str]) -> str:
    """The text without letters that no installed font can draw: better a question mark than an empty box."""
    charmaps = [get_font(findfont(FontProperties(family=name))).get_charmap() for name in fonts]
    return "".join(
        letter if letter == "\n" or any(ord(letter) in charmap for charmap in charmaps) else "?" for letter in text
    )
