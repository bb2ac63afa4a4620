"""What does a comparison look like on paper? One page of HTML with its plots and all figures.

The page needs nothing but itself: plots are drawn into it, its style is its own, and it runs no scripts. It can be sent
to somebody, and read on a phone.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

import shoal
from shoal.evaluate.comparison_plots import Plot, best_first, colours_of
from shoal.evaluate.image_standings import CLAIM, ImageComparison, sentences, times, ways_of
from shoal.evaluate.jobs import ORACLE, Conditions
from shoal.evaluate.ratings import EXPLAINED, HEADING, rating_rows, shown
from shoal.evaluate.standings import Comparison, Means
from shoal.templates import filled


def write_report(path: Path, comparison: Comparison, plots: Sequence[Plot]) -> None:
    """One self-contained page."""
    standings, webs = comparison.standings, [web.name for web in comparison.webs]
    page = filled(
        "shoal.evaluate",
        "comparison.html",
        comparison=comparison,
        plots=plots,
        several=len(webs) > 1,
        winner=_winner(comparison),
        best={web: max((row.webs[web].of_oracle for row in standings), default=0.0) for web in webs},
        best_overall=max((row.overall.of_oracle for row in standings), default=0.0),
        colours=colours_of(standings),
        columns=_COLUMNS,
        oracle=ORACLE,
        of_topic={(row.web, row.topic, row.name): row for row in comparison.topics},
        conditions=_conditions(comparison.conditions),
        heading=HEADING,
        explained=EXPLAINED,
        version=shoal.__version__,
        best_first=best_first,
        rating_rows=rating_rows,
        shown=shown,
        count=_count,
        number=_number,
    )
    path.write_text("".join(page), encoding="utf-8")


def write_image_report(path: Path, comparison: ImageComparison, plots: Sequence[Plot]) -> None:
    """The same of crawls for images."""
    page = filled(
        "shoal.evaluate",
        "image_comparison.html",
        comparison=comparison,
        plots=plots,
        claim=CLAIM,
        ratios=list(_ratios(comparison)),
        endings=list(_endings(comparison)),
        version=shoal.__version__,
        sentences=sentences,
        ways_of=ways_of,
        number=_number,
    )
    path.write_text("".join(page), encoding="utf-8")


class _Column(NamedTuple):
    """A figure of a strategy on one web."""

    name: str
    read: Callable[[Means], float | None]
    form: str

    def shown(self, means: Means) -> str:
        value = self.read(means)
        return "–" if value is None else self.form.format(value)


_COLUMNS = (
    _Column("of oracle", lambda means: means.of_oracle, "{:.3f}"),
    _Column("recall", lambda means: means.recall, "{:.1%}"),
    _Column("precision", lambda means: means.precision, "{:.1%}"),
    _Column("value", lambda means: means.value, "{:.2f}/s"),
    _Column("judge says", lambda means: means.judged_share, "{:.1%}"),
)


def _winner(comparison: Comparison) -> str:
    """What the best strategy did; its name stands in front."""
    if not comparison.standings:
        return ""
    best = comparison.standings[0]
    crawls = len(comparison.topics) - sum(len(web.topics) for web in comparison.webs)
    rank = f"the best of {len(comparison.standings)} strategies, " if len(comparison.standings) > 1 else ""
    return (
        f"brings home {best.overall.of_oracle:.0%} of what a crawler that knows every page would: {rank}in "
        f"{_count(crawls, 'crawl')} of up to {_count(comparison.conditions.pages, 'page')}."
    )


def _conditions(conditions: Conditions) -> str:
    pages = f"Up to {_count(conditions.pages, 'page')} per crawl"
    if conditions.max_depth is not None:
        pages += f", at most {_count(conditions.max_depth, 'link')} from a seed"
    latency = f"servers answer after {conditions.latency:g} s"
    if conditions.delay is None:
        flying = _count(conditions.concurrency or 1, "request")
        return (
            f"{pages}, {flying} in flight, no host is ever waited for ({latency}): only the order of fetching counts."
        )
    flight = _count(conditions.concurrency, "request") if conditions.concurrency else "as many requests as usual"
    waits = f"{conditions.delay:g} s between two requests to one host"
    return f"{pages}, {flight} in flight, {waits}, as in a live crawl ({latency})."


def _count(count: int, noun: str) -> str:
    return f"{count:,} {noun}" if count == 1 else f"{count:,} {noun}s"


def _number(count: int) -> str:
    return f"{count:,}"


# --- images ----------------------------------------------------------------------------------------------------------


def _ratios(comparison: ImageComparison) -> Iterator[tuple[str, ...]]:
    for row in (*comparison.ratios, *comparison.overall):
        topic = f"{row.web}/{row.topic}" if row.web else "all topics"
        yield topic, row.against, f"{row.seconds:,.0f} s", f"{row.judged:,}", f"{row.other:,}", times(row.ratio)


def _endings(comparison: ImageComparison) -> Iterator[tuple[str, ...]]:
    for row in comparison.topics:
        end = row.end
        counts = map(_number, (end.pages, row.requests, end.found, end.downloaded, end.relevant))
        shares = f"{row.precision:.0%}", f"{row.recall:.0%}"
        yield f"{row.web}/{row.topic}", row.way, f"{end.seconds:,.0f} s", *counts, *shares
