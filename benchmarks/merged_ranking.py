"""Is the ranking of several crawls that of one? The pages of a web in one index, and split into several.

    python -m benchmarks.merged_ranking ../shared/webs [generated …] [--parts 4] [--queries 300]

Split at random; by host, as crawls of different sites are; and by the length of the pages, the worst that can happen to averages.
Three ways to one ranking, each compared with the single index:

- `merged`      what shoal does: the segments of all indexes in one searcher (`index/merged_index.py`)
- `rarities`    each index by itself, with the rarities of words in all of them; average lengths are its own
- `raw scores`  each index by itself, by all of its own statistics

`overlap` is the share of the first ten hits that are the same, `tau` Kendall's of those of the single index (1: the same order),
`first` how often the best hit is the same. Queries are the words of the topics, and one to three words that stand together.
"""

from __future__ import annotations

import argparse
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from itertools import combinations
from pathlib import Path
from random import Random
from statistics import mean

from rich.console import Console
from rich.table import Table

from shoal.evaluate.offline_web import MeasuredWeb, open_web
from shoal.evaluate.retrieval import pages_of, words_of
from shoal.index.index_folder import IndexWriter
from shoal.index.merged_index import IndexedCrawl, open_merged
from shoal.index.query import parse
from shoal.index.query_builder import Matcher
from shoal.index.schema import Document
from shoal.index.searcher import Index, open_index
from shoal.text import terms
from shoal.urls import host_of, key_of

DEPTH = 10
"""Hits that are compared."""
FOLLOWED = 100
"""So far down a hit of the single index is looked for."""
Search = Callable[[str], list[int]]
Part = Callable[[Document], int]


class SharedRarity(Matcher):
    """Looks for words in one index, and takes them to be as rare as they are in all."""

    def __init__(self, own: Index, others: Sequence[Index]) -> None:
        super().__init__(own._merged)
        self._others = [Matcher(index._merged) for index in others]

    def rarity(self, tokens: tuple[str, ...]) -> float:
        counts = sum(other.pages_with(tokens) for other in self._others)
        alone, self._pages = self._pages, sum(other._pages for other in self._others)
        try:
            return self._idf(counts)
        finally:
            self._pages = alone


def documents(web: MeasuredWeb) -> list[Document]:
    return [
        Document(id=id, url=page.url, title=page.title, headings=page.headings, text=page.text, language=page.language)
        for id, page in enumerate(pages_of(web.web))
    ]


def splits(pages: Sequence[Document], parts: int) -> dict[str, Part]:
    by_length = sorted(pages, key=lambda page: len(page.text))
    rank = {page.id: place * parts // len(pages) for place, page in enumerate(by_length)}
    return {
        "at random": lambda page: key_of(page.url) % parts,
        "by host": lambda page: key_of(host_of(page.url)) % parts,
        "by length": lambda page: rank[page.id],
    }


def filled(folder: Path, pages: Sequence[Document]) -> Path:
    with IndexWriter(folder) as writer:
        writer.add(pages)
    return folder


def rankings(folder: Path, pages: Sequence[Document], part: Part) -> Iterator[tuple[str, Search]]:
    """Each way to search the parts as one."""
    parts: dict[int, list[Document]] = {}
    for page in pages:
        parts.setdefault(part(page), []).append(page)
    places = [filled(folder / str(number), those) for number, those in parts.items()]
    yield "merged", searched([merged(places)])
    sharing = [open_index(place) for place in places]
    for index in sharing:
        index._matcher = SharedRarity(index, [open_index(place) for place in places])
    yield "rarities", searched(sharing)
    yield "raw scores", searched([open_index(place) for place in places])


def merged(places: Sequence[Path]) -> Index:
    return Index(open_merged([IndexedCrawl(name=place.name, place=place) for place in places]))


def searched(indexes: Sequence[Index]) -> Search:
    def search(words: str) -> list[int]:
        hits = [hit for index in indexes for hit in index.search(parse(words), limit=FOLLOWED, facets=False).hits]
        return [hit.id for hit in sorted(hits, key=lambda hit: (-hit.score, hit.id))]

    return search


def queries(web: MeasuredWeb, pages: Sequence[Document], count: int) -> list[str]:
    random = Random(1)
    found = [words_of(subject) for subject in web.subjects]
    while len(found) < count:
        if words := terms(random.choice(pages).text):
            place = random.randrange(len(words))
            found.append(" ".join(words[place : place + random.randint(1, 3)]))
    return found


def tau(expected: Sequence[int], found: Sequence[int]) -> float:
    """Kendall's, of the expected hits by their places among those found; one that is missing stands behind all others."""
    place = {id: number for number, id in enumerate(found)}
    places = [place.get(id, len(found)) for id in expected]
    pairs = [(one < other) - (one > other) for one, other in combinations(places, 2)]
    return mean(pairs) if pairs else 1.0


def compare(single: Search, search: Search, asked: Sequence[str]) -> tuple[float, float, float]:
    overlaps, taus, firsts = [], [], []
    for words in asked:
        if expected := single(words)[:DEPTH]:
            found = search(words)
            overlaps.append(len(set(expected) & set(found[: len(expected)])) / len(expected))
            taus.append(tau(expected, found))
            firsts.append(float(found[:1] == expected[:1]))
    return mean(overlaps), mean(taus), mean(firsts)


def costs(one: Path, places: Sequence[Path], asked: Sequence[str]) -> str:
    """What it takes to open, and to search as a person does, with facets."""
    found = []
    for name, opened in (("one index", partial(open_index, one)), (f"{len(places)} indexes", partial(merged, places))):
        opening = _cost([opened] * 20)
        searching = _cost([partial(opened().search, parse(words)) for words in asked])
        found.append(f"{name}: {opening:.1f} ms to open, {searching:.2f} ms a query")
    return "; ".join(found)


def _cost(calls: Sequence[Callable[[], object]]) -> float:
    """Milliseconds of CPU, on average."""
    began = time.process_time()
    for call in calls:
        call()
    return (time.process_time() - began) / len(calls) * 1000


def measure(console: Console, web: MeasuredWeb, parts: int, count: int) -> None:
    pages = documents(web)
    asked = queries(web, pages, count)
    table = Table(
        "split", "ranking", "overlap", "tau", "first", title=f"{web.web.name}: {len(pages):,} pages in {parts}"
    )
    with tempfile.TemporaryDirectory(prefix="shoal-bench-") as name:
        one = filled(Path(name) / "one", pages)
        single = searched([open_index(one)])
        for split, part in splits(pages, parts).items():
            for ranking, search in rankings(Path(name) / split, pages, part):
                table.add_row(split, ranking, *(f"{figure:.3f}" for figure in compare(single, search, asked)))
        console.print(table)
        console.print(costs(one, list((Path(name) / "at random").iterdir()), asked), highlight=False)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument(
        "webs", nargs="*", default=["generated"], help="WARC files with labels, folders of them, or generated"
    )
    parser.add_argument("--parts", type=int, default=4)
    parser.add_argument("--queries", type=int, default=300)
    given = parser.parse_args()
    for source in given.webs:
        with open_web(source) as webs:
            for web in webs:
                measure(Console(width=100), web, given.parts, given.queries)


if __name__ == "__main__":
    main()
