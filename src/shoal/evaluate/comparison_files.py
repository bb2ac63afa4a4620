"""What does a comparison leave behind? Tables, plots and a report, in an empty folder or in that of an earlier comparison.

A folder may hold a comparison of strategies and one of crawls for images; either replaces its own files, and nothing else.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Literal

from shoal.errors import FolderError
from shoal.evaluate.image_standings import ImageComparison
from shoal.evaluate.jobs import Result
from shoal.evaluate.standings import Comparison, CrawlResults
from shoal.evaluate.tables import (
    write_curves,
    write_image_curves,
    write_judges,
    write_markdown,
    write_means,
    write_summary,
)
from shoal.store.crawl_folder import lock, storage_errors

Counted = Literal["strategies", "images"]
"""What a comparison is about."""
JOBS, CURVES, SUMMARY, MEANS, JUDGES = "jobs.jsonl", "curves.csv", "summary.csv", "means.csv", "judges.csv"
REPORT, TABLES = "report.html", "tables.md"
IMAGE_JOBS, IMAGE_CURVES, IMAGE_REPORT = "images.jsonl", "images.csv", "images.html"
_ALWAYS: dict[Counted, tuple[str, ...]] = {
    "strategies": (REPORT, TABLES, MEANS, SUMMARY, CURVES, JUDGES, JOBS),
    "images": (IMAGE_REPORT, IMAGE_CURVES, IMAGE_JOBS),
}
"""What each kind of comparison makes, beside its plots, which are named after webs."""
MARKER = "shoal-compare"
"""A file of this name says that the folder is ours, and which files in it."""
_SENTENCE = "Made by `shoal compare`; the next comparison in this folder replaces these files.\n"


@contextmanager
def result_folder(folder: Path) -> Iterator[None]:
    """Nobody else writes there meanwhile; what the folder of somebody else holds is never touched."""
    with storage_errors(folder):
        folder.mkdir(parents=True, exist_ok=True)
        if any(folder.iterdir()) and not (folder / MARKER).is_file():
            raise FolderError(
                f"The folder {folder} is not empty and not of an earlier comparison: choose another --out."
            )
        if not (folder / MARKER).exists():
            (folder / MARKER).write_text(_SENTENCE)
    with lock(folder):
        yield


def remove_old(folder: Path, kind: Counted) -> None:
    """Remove what the last comparison of this kind made, and nothing else."""
    with storage_errors(folder):
        noted = [name for of, name in _lines(folder) if of == kind and Path(name).name == name]
        for name in (*noted, *_ALWAYS[kind]):
            (folder / name).unlink(missing_ok=True)


def write_files(folder: Path, comparison: Comparison, results: CrawlResults) -> tuple[str, ...]:
    """The figures of strategies; gives back the names of the files that people look at."""
    # Here, because matplotlib takes a second to load, which a typing mistake need not wait for.
    from shoal.evaluate.comparison_plots import draw_all
    from shoal.evaluate.comparison_report import write_report

    with storage_errors(folder):
        write_curves(folder / CURVES, results)
        write_summary(folder / SUMMARY, comparison.topics)
        write_means(folder / MEANS, [*comparison.standings, comparison.oracle])
        write_judges(folder / JUDGES, comparison.judges)
        write_markdown(folder / TABLES, comparison)
        plots = draw_all(folder, comparison, results)
        write_report(folder / REPORT, comparison, plots)
        return _noted(folder, "strategies", [plot.file for plot in plots])


def write_image_files(folder: Path, comparison: ImageComparison, results: Sequence[Result]) -> tuple[str, ...]:
    """The same of crawls for images."""
    # Here for the same reason.
    from shoal.evaluate.comparison_plots import draw_images
    from shoal.evaluate.comparison_report import write_image_report

    with storage_errors(folder):
        write_image_curves(folder / IMAGE_CURVES, comparison.topics)
        plots = draw_images(folder, results)
        write_image_report(folder / IMAGE_REPORT, comparison, plots)
        return _noted(folder, "images", [plot.file for plot in plots])


def _noted(folder: Path, kind: Counted, plots: Iterable[str]) -> tuple[str, ...]:
    """These files were made here by a comparison of this kind, and may be replaced by the next one."""
    names = [*_ALWAYS[kind], *(f"{plot}.png" for plot in plots)]
    lines = [line for line in _lines(folder) if line[0] != kind]
    lines += [(kind, name) for name in (*names, *(f"{plot}.svg" for plot in plots))]
    text = "".join(f"{of}: {name}\n" for of, name in lines)
    (folder / MARKER).write_text(_SENTENCE + text, encoding="utf-8", errors="surrogateescape")
    return tuple(names)


def _lines(folder: Path) -> list[tuple[str, str]]:
    """Of which kind each file is that was made here."""
    said = (folder / MARKER).read_text(encoding="utf-8", errors="surrogateescape").splitlines()[1:]
    parts = [line.partition(": ") for line in said]
    return [(kind, name) for kind, _, name in parts if name]
