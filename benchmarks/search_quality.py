"""How good are the first ten hits? Ours beside SQLite's FTS5 and tantivy as they come, on webs with labels.

    python -m benchmarks.search_quality ../shared/webs [generated …]

The query is the words of a topic file, the truth the web's labels. `shoal` is what a user gets who searches in a crawl about
the topic, whose judge has scored every page; `shoal, words only` knows nothing of the topic. Both know headings and the words
of links, which the others have no place for.
"""

from __future__ import annotations

import argparse
import sqlite3
import tempfile
from collections.abc import Sequence
from pathlib import Path

import tantivy
from rich.console import Console
from rich.table import Table

from shoal.evaluate.offline_web import MeasuredWeb, Subject, open_web
from shoal.evaluate.retrieval import DEPTH, Engine, SearchQuality, pages_of, rate, shoal_engine, words_of
from shoal.model import Page


def fts5(pages: Sequence[Page], folder: Path) -> Engine:
    """SQLite's full text search with its default tokenizer; the words are joined by OR, because together they find nothing."""
    base = sqlite3.connect(folder / "fts5.sqlite")
    base.execute("CREATE VIRTUAL TABLE pages USING fts5(title, body)")
    rows = ((number, page.title, page.text) for number, page in enumerate(pages))
    base.executemany("INSERT INTO pages(rowid, title, body) VALUES (?, ?, ?)", rows)

    def search(subject: Subject) -> list[str]:
        query = " OR ".join('"' + word.replace('"', '""') + '"' for word in words_of(subject).split())
        found = base.execute("SELECT rowid FROM pages WHERE pages MATCH ? ORDER BY bm25(pages) LIMIT ?", (query, DEPTH))
        return [pages[number].url for (number,) in found]

    return search


def plain_tantivy(pages: Sequence[Page], folder: Path) -> Engine:
    """Tantivy with its default tokenizer and query parser."""
    builder = tantivy.SchemaBuilder()
    builder.add_text_field("title")
    builder.add_text_field("body")
    builder.add_integer_field("id", fast=True)
    index = tantivy.Index(builder.build())
    writer = index.writer(50_000_000, 1)
    for number, page in enumerate(pages):
        entry = tantivy.Document(title=page.title, body=page.text)
        entry.add_integer("id", number)
        writer.add_document(entry)
    writer.commit()
    index.reload()

    def search(subject: Subject) -> list[str]:
        query = index.parse_query(words_of(subject), ["title", "body"])
        searcher = index.searcher()
        numbers = searcher.fast_field_values("id", [address for _, address in searcher.search(query, DEPTH).hits])
        return [pages[int(number)].url for number in numbers if number is not None]

    return search


def measure(web: MeasuredWeb) -> dict[str, list[SearchQuality]]:
    """Each engine with what it reached for every topic."""
    pages = list(pages_of(web.web))
    known = {page.url for page in pages}
    with tempfile.TemporaryDirectory(prefix="shoal-bench-") as name:
        folder = Path(name)
        engines = {
            "shoal": shoal_engine(pages, folder, judged=True),
            "shoal, words only": shoal_engine(pages, folder, judged=False),
            "FTS5": fts5(pages, folder),
            "tantivy": plain_tantivy(pages, folder),
        }
        return {name: rate(engine, web.subjects, known) for name, engine in engines.items()}


def mean(values: Sequence[float]) -> float:
    return sum(values) / len(values)


def show(console: Console, web: MeasuredWeb, found: dict[str, list[SearchQuality]]) -> None:
    names = [subject.name for subject in web.subjects]
    table = Table("engine", "nDCG@10", "P@10", *names, title=f"{web.web.name}: the first ten hits")
    for engine, qualities in found.items():
        figures = [f"{quality.ndcg:.2f}" for quality in qualities]
        ndcg, precision = mean([one.ndcg for one in qualities]), mean([one.precision for one in qualities])
        table.add_row(engine, f"{ndcg:.3f}", f"{precision:.3f}", *figures)
    console.print(table)
    ours = mean([one.ndcg for one in found["shoal"]])
    for rival in ("FTS5", "tantivy"):
        theirs = mean([one.ndcg for one in found[rival]])
        verdict = "ahead of" if ours > theirs else "as good as" if ours == theirs else "BEHIND"
        console.print(f"shoal is {verdict} {rival}: nDCG@10 {ours / theirs:.2f} times as high", highlight=False)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument(
        "webs", nargs="*", default=["generated"], help="WARC files with labels, folders of them, or generated"
    )
    console = Console()
    for source in parser.parse_args().webs:
        with open_web(source) as webs:
            for web in webs:
                show(console, web, measure(web))


if __name__ == "__main__":
    main()
