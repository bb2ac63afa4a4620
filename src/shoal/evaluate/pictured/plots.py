"""What does a harvest of pictures look like? Found, downloaded and relevant, against pages and against time.

Importing this module imports matplotlib, which takes a while: do it where a picture is drawn. No pyplot, so no global state
and no display.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.layout_engine import ConstrainedLayoutEngine
from matplotlib.ticker import FuncFormatter

from shoal.evaluate.curves import mean
from shoal.evaluate.pictured.crawls import PictureResult
from shoal.evaluate.pictured.standings import PicturePoint, point_at
from shoal.evaluate.plots import COLOURS, FAINT, GRID, INK

_POINTS = 120
"""Per line."""
_KINDS: tuple[tuple[str, str, Callable[[PicturePoint], int]], ...] = (
    ("on the pages", ":", lambda point: point.found),
    ("downloaded", "--", lambda point: point.downloaded),
    ("relevant", "-", lambda point: point.relevant),
)
Moments = Callable[[PictureResult, float], float]
"""When a crawl had got so far along the axis."""


def pictures_plot(results: Sequence[PictureResult], path: Path, title: str) -> None:
    """Draw the mean over topics of each way; `results` are those of one web, and the suffix of the file says how."""
    figure = Figure(
        figsize=(10, 4.8), dpi=160, facecolor="white", layout=ConstrainedLayoutEngine(w_pad=0.1, h_pad=0.08)
    )
    figure.suptitle(title, x=0.012, ha="left", fontsize=14, fontweight="bold", color=INK)
    left, right = figure.subplots(1, 2)
    topics = len({result.job.topic for result in results})
    whose = "one topic" if topics == 1 else f"mean of {topics} topics"
    most = max(len(result.pages) for result in results)
    _panel(left, results, most, _after_pages, "pages fetched", f"Pictures by pages fetched, {whose}")
    longest = max(result.end for result in results)
    _panel(right, results, longest, lambda _, moment: moment, "simulated seconds", f"Pictures by time, {whose}")
    _legend(right)
    metadata = {"Date": None} if path.suffix == ".svg" else {"Software": "shoal"}  # the same curves, the same file
    figure.savefig(path, metadata=metadata)


def _after_pages(result: PictureResult, pages: float) -> float:
    """Pictures of the last pages come after them; they count there, so that no line ends before its crawl."""
    whole = int(pages)
    if whole >= len(result.pages):
        return result.end
    return result.pages[whole - 1] if whole else 0.0


def _panel(
    axes: Axes, results: Sequence[PictureResult], longest: float, when: Moments, label: str, heading: str
) -> None:
    grid = [longest * step / _POINTS for step in range(_POINTS + 1)]
    for place, way in enumerate(dict.fromkeys(result.job.way for result in results)):
        own = [result for result in results if result.job.way == way]
        points = [[point_at(result, when(result, x)) for result in own] for x in grid]
        for kind, line, value in _KINDS:
            heights = [mean([value(point) for point in column]) for column in points]
            width = 2.4 if kind == "relevant" else 1.2
            axes.plot(grid, heights, line, color=COLOURS[place], linewidth=width, label=f"{way}: {kind}")
    axes.set_title(heading, loc="left", fontsize=11, color=FAINT, pad=10)
    axes.set_xlabel(label, fontsize=10, color=FAINT)
    axes.set_xlim(0, longest)
    axes.set_ylim(bottom=0)
    axes.spines[["top", "right", "left"]].set_visible(False)
    axes.spines["bottom"].set_color("#b8c1c9")
    axes.grid(axis="y", color=GRID, linewidth=1)
    axes.set_axisbelow(True)
    axes.tick_params(length=0, labelsize=9.5, colors=FAINT)
    for axis in (axes.xaxis, axes.yaxis):
        axis.set_major_formatter(FuncFormatter(lambda number, _: f"{number:,.0f}"))


def _legend(axes: Axes) -> None:
    """Beside the lines, in their order."""
    axes.legend(
        loc="upper left", bbox_to_anchor=(1.01, 1.0), frameon=False, fontsize=8.5, labelcolor=INK, handlelength=2.6
    )
