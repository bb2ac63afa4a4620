"""How does a document get the figures of a comparison of pictures? As CSV, and as one page of HTML with its plots."""

from __future__ import annotations

import base64
import csv
from collections.abc import Iterator, Sequence
from html import escape
from importlib.resources import files
from pathlib import Path

import msgspec

import shoal
from shoal.evaluate.pictured.standings import PictureComparison, PictureFigures, PicturePoint, sentences, times, ways_of

CLAIM = (
    "The paper that judges pictures by their descriptions reports 3.5 times the relevant pictures of a crawl without judging, "
    "in the same time, on another web."
)


def write_picture_curves(path: Path, topics: Sequence[PictureFigures]) -> None:
    """How each crawl stood after every 50 pages, and at its end."""
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow(("web", "topic", "strategy", "wanted", *PicturePoint.__struct_fields__))
        for row in topics:
            for point in row.points:
                values = (round(value, 3) for value in msgspec.structs.astuple(point))
                writer.writerow((row.web, row.topic, row.strategy, row.wanted, *values))


def write_picture_report(path: Path, comparison: PictureComparison, plots: Sequence[Path]) -> None:
    """One page that needs nothing but itself."""
    style = files("shoal.evaluate").joinpath("report.css").read_text(encoding="utf-8")
    title = escape(comparison.title)
    path.write_text(
        f'<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        f'<meta name="viewport" content="width=device-width, initial-scale=1">\n<title>{title}</title>\n'
        f"<style>\n{style}</style>\n</head>\n<body>\n<main>\n<h1>{title}</h1>\n"
        + "\n".join(_sections(comparison, plots))
        + "\n</main>\n</body>\n</html>\n",
        encoding="utf-8",
    )


def _sections(comparison: PictureComparison, plots: Sequence[Path]) -> Iterator[str]:
    for said in sentences(comparison):
        yield f'<p class="lead">{escape(said)}</p>'
    yield f'<p class="note">{CLAIM}</p>'
    for plot in plots:
        data = base64.b64encode(plot.read_bytes()).decode()
        yield f'<figure><img src="data:image/png;base64,{data}" alt="{escape(plot.stem)}" style="max-width:100%"></figure>'
    yield "<h2>In the same time</h2>"
    yield _ratios(comparison)
    yield "<h2>At the end of the crawls</h2>"
    yield _endings(comparison)
    yield _method(comparison)


def _ratios(comparison: PictureComparison) -> str:
    rows = [
        (
            f"{row.web}/{row.topic}" if row.web else "all topics",
            row.against,
            f"{row.seconds:,.0f} s",
            f"{row.judged:,}",
            f"{row.other:,}",
            times(row.ratio),
        )
        for row in (*comparison.ratios, *comparison.overall)
    ]
    return _table(["topic", "judged against", "by", "judged", "other", "ratio"], rows)


def _endings(comparison: PictureComparison) -> str:
    rows = []
    for row in comparison.topics:
        end = row.end
        counts = [end.pages, row.requests, end.found, end.downloaded, end.relevant]
        rows.append(
            (
                f"{row.web}/{row.topic}",
                row.way,
                f"{end.seconds:,.0f} s",
                *(f"{count:,}" for count in counts),
                f"{row.precision:.0%}",
                f"{row.recall:.0%}",
            )
        )
    heads = [
        "topic",
        "crawl",
        "took",
        "pages",
        "requests",
        "on the pages",
        "downloaded",
        "relevant",
        "precision",
        "recall",
    ]
    return _table(heads, rows)


def _table(heads: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    head = "".join(f"<th>{escape(name)}</th>" for name in heads)
    lines = (
        f'<tr><th scope="row">{escape(row[0])}</th>{"".join(f"<td>{escape(cell)}</td>" for cell in row[1:])}</tr>'
        for row in rows
    )
    return f'<div class="scroll"><table><thead><tr>{head}</tr></thead><tbody>{"".join(lines)}</tbody></table></div>'


def _method(comparison: PictureComparison) -> str:
    pages = comparison.conditions.pages
    return (
        "<h2>How this was measured</h2><ul>"
        f"<li>Every crawl ({escape('; '.join(ways_of(comparison)))}) fetches up to {pages:,} pages, and the pictures that it "
        "wants when their host may be asked. Two crawls are compared at the moment at which the first of them ends.</li>"
        "<li>Relevant is what the generator of the web drew; a picture counts once, in however many sizes it was downloaded. "
        "Precision is relevant pictures per file downloaded, recall is relevant pictures of all that a polite crawler could "
        "get.</li>"
        f"<li>Shoal {escape(shoal.__version__)}. The figures after every 50 pages are in the CSV file beside this page.</li></ul>"
    )
