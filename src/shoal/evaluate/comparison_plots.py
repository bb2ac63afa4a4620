"""Which plots tell who is good? Recall and precision of all strategies for each web, and one row of marks per strategy.

Of crawls for images: how many were found, downloaded and relevant, against pages and against time.

Importing this module imports matplotlib, which takes a while.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from shoal.evaluate.curves import Curve, mean
from shoal.evaluate.image_harvest import ImageHarvest, ImagePoint
from shoal.evaluate.image_standings import harvest_of
from shoal.evaluate.jobs import ORACLE, Result
from shoal.evaluate.plots import (
    BANDS,
    COLOURS,
    MORE_COLOURS,
    CountLine,
    CountPanel,
    Dots,
    PlotLine,
    dots_plot,
    lines_plot,
    panels_plot,
)
from shoal.evaluate.standings import Comparison, CrawlResults, StrategyStanding
from shoal.strategy import strategies

ALL = "all"
_POINTS = 100
"""Per line of a plot."""
_FIRST = 10
"""Pages after which precision means something."""
_METADATA = re.compile(r"<metadata>(?:[^<]|<(?!/?metadata>))*+</metadata>")
_ID = re.compile(r'\bid="')
_REFERENCE = re.compile(r'((?:xlink:)?href="#|url\(#)')
_SIDE = re.compile(r' (?:width|height)="[^"]*+"')
_UNNAMED = re.compile(r"\W")
_UNSAFE = re.compile(r"[^\w.-]+")


@dataclass(frozen=True, slots=True, kw_only=True)
class Plot:
    """One figure, as a PNG and an SVG file of this name."""

    file: str
    web: str
    """Empty: of all webs."""
    svg: str


def draw_all(folder: Path, comparison: Comparison, results: CrawlResults) -> list[Plot]:
    """Recall and precision for each web and over all, and how much of the omniscient crawler's harvest each strategy got."""
    colours = colours_of(comparison.standings)
    plots = [_draw_dots(folder, comparison, colours)]
    groups = {web: [web] for web in results.webs}
    if len(results.webs) > 1:
        groups = {"": results.webs, **groups}
    for web, webs in groups.items():
        topics = sum(len(results.topics(each)) for each in webs)
        for measure, what, value in _MEASURES:
            rows = [*best_first(comparison.standings, web), comparison.oracle]
            lines = [_line(results, webs, row, colours, value, measure) for row in rows]
            heading = f"{measure.capitalize()} on {web or 'all webs'}"
            subtitle = f"{what}\n{_spread(topics, len(comparison.standings))}"
            draw = partial(lines_plot, lines, title=heading, subtitle=subtitle)
            plots.append(_draw(folder, f"{_file_name(web) or ALL}-{measure}", web, draw))
    return plots


_MEASURES: tuple[tuple[str, str, Callable[[Curve, int], float]], ...] = (
    ("recall", "share of all relevant pages found", lambda curve, pages: curve.at(pages).recall),
    ("precision", "relevant pages per page fetched", lambda curve, pages: curve.at(pages).harvest_rate),
)


def colours_of(standings: Sequence[StrategyStanding]) -> dict[str, str]:
    """A strategy has the same colour in every plot, whoever else is in it."""
    names = [*strategies(), *sorted({row.name for row in standings} - set(strategies()))]
    return {name: MORE_COLOURS[place % len(MORE_COLOURS)] for place, name in enumerate(names)}


def best_first(standings: Sequence[StrategyStanding], web: str) -> list[StrategyStanding]:
    """The order on one web; an empty name means over all webs."""
    return sorted(standings, key=lambda row: -(row.webs[web] if web else row.overall).of_oracle)


def _spread(topics: int, strategies: int) -> str:
    if topics == 1:
        return "one topic"
    whose = "band" if strategies <= BANDS else "band of the best"
    return f"mean of {topics} topics; {whose}: worst to best topic"


def _line(
    results: CrawlResults,
    webs: Sequence[str],
    row: StrategyStanding,
    colours: Mapping[str, str],
    value: Callable[[Curve, int], float],
    measure: str,
) -> PlotLine:
    curves = [results.curves(web, row.strategy, row.judge) for web in webs]
    end = max(results.compared(web, topic) for web in webs for topic in results.topics(web))
    steps = [pages for pages in _grid(end) if measure == "recall" or pages >= _FIRST]
    # After its end a crawl has what it had; beyond its own web's last page nobody can go.
    points = [[[value(curve, pages) for curve in web] for web in curves] for pages in steps]
    return PlotLine(
        label=row.name,
        colour=colours.get(row.name, ""),
        pages=steps,
        heights=[mean([mean(web) for web in point]) for point in points],
        low=[min(min(web) for web in point) for point in points],
        high=[max(max(web) for web in point) for point in points],
        is_oracle=row.strategy == ORACLE,
    )


def _grid(end: int) -> list[int]:
    step = max(1, end // _POINTS)
    grid = list(range(0, end + 1, step))
    return grid if grid[-1] == end else [*grid, end]


def _draw_dots(folder: Path, comparison: Comparison, colours: Mapping[str, str]) -> Plot:
    rows = [
        Dots(
            label=row.name,
            colour=colours[row.name],
            overall=row.overall.of_oracle,
            webs={web: means.of_oracle for web, means in row.webs.items()},
        )
        for row in comparison.standings
    ]
    draw = partial(dots_plot, rows, title="Share of the omniscient crawler’s harvest")
    return _draw(folder, f"{ALL}-of-oracle", "", draw)


def _draw(folder: Path, stem: str, web: str, draw: Callable[[Path, Path], None]) -> Plot:
    draw(folder / f"{stem}.png", folder / f"{stem}.svg")
    return Plot(file=stem, web=web, svg=_inline((folder / f"{stem}.svg").read_text(encoding="utf-8"), stem))


def _inline(svg: str, stem: str) -> str:
    """A plot as part of a page: no XML header, its own names, and as wide as there is room."""
    svg = svg[svg.index("<svg") :]
    svg = _METADATA.sub("", svg)
    # Names must differ from those of the other plots of the page.
    own = _UNNAMED.sub("-", stem)
    svg = _ID.sub(f'id="{own}-', svg)
    svg = _REFERENCE.sub(rf"\g<1>{own}-", svg)
    head, rest = svg.split(">", 1)
    return _SIDE.sub("", head) + ">" + rest


def _file_name(web: str) -> str:
    return _UNSAFE.sub("-", web)


# --- images ----------------------------------------------------------------------------------------------------------

_COUNTED: tuple[tuple[str, str, Callable[[ImagePoint], int]], ...] = (
    ("on the pages", ":", lambda point: point.found),
    ("downloaded", "--", lambda point: point.downloaded),
    ("relevant", "-", lambda point: point.relevant),
)
_Moment = Callable[[ImageHarvest, float], float]
"""When a crawl had got so far along the axis."""


def draw_images(folder: Path, results: Sequence[Result]) -> list[Plot]:
    """What each way to crawl for images brought home, the mean over the topics of each web."""
    webs = dict.fromkeys(result.job.web for result in results)
    return [_draw_web_images(folder, web, [result for result in results if result.job.web == web]) for web in webs]


def _draw_web_images(folder: Path, web: str, results: Sequence[Result]) -> Plot:
    harvests = [harvest_of(result) for result in results]
    most, longest = max(len(harvest.pages) for harvest in harvests), max(harvest.end for harvest in harvests)
    topics = len({result.job.topic for result in results})
    whose = "one topic" if topics == 1 else f"mean of {topics} topics"
    panels = (
        _image_panel(results, most, _after_pages, "pages fetched", f"Images by pages fetched, {whose}"),
        _image_panel(results, longest, lambda _, at: at, "simulated seconds", f"Images by time, {whose}"),
    )
    draw = partial(panels_plot, panels, title=f"Images with and without judging on {web}")
    return _draw(folder, f"{_file_name(web)}-images", web, draw)


def _after_pages(harvest: ImageHarvest, pages: float) -> float:
    """Images of the last pages come after them; they count there, so that no line ends before its crawl."""
    whole = int(pages)
    if whole >= len(harvest.pages):
        return harvest.end
    return harvest.pages[whole - 1] if whole else 0.0


def _image_panel(results: Sequence[Result], longest: float, when: _Moment, axis: str, heading: str) -> CountPanel:
    places = [longest * step / _POINTS for step in range(_POINTS + 1)]
    lines = []
    for number, way in enumerate(dict.fromkeys(result.job.way for result in results)):
        own = [harvest_of(result) for result in results if result.job.way == way]
        points = [[harvest.at(when(harvest, place)) for harvest in own] for place in places]
        for kind, style, value in _COUNTED:
            heights = [mean([value(point) for point in column]) for column in points]
            name, strong = f"{way}: {kind}", kind == "relevant"
            lines.append(CountLine(label=name, colour=COLOURS[number], style=style, heights=heights, strong=strong))
    return CountPanel(heading=heading, axis=axis, places=places, lines=lines)
