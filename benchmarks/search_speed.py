"""How fast is a search among 100,000 pages, and how large is the index?

    python -m benchmarks.search_speed [--pages 100000] [--queries 500]

Pages of real size (`benchmarks.site`), seven of ten English, three Chinese, are parsed and stored as a crawl stores them; then
the index is made from the store, as `shoal reindex` does, and asked as a server would ask it, with the index open: hits, facets,
titles, snippets. People type telling words, so the queries are made of those; words that stand on most pages have a row of their
own, and so has the index opened for each query, as `shoal search` does. Times are CPU times of this process. Targets: half of the
queries under 10 ms, 99 of 100 under 50 ms, the index at most 60 % of the text.
"""

from __future__ import annotations

import argparse
import asyncio
import tempfile
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from random import Random

from rich.console import Console
from rich.table import Table

from benchmarks import site
from benchmarks.words import says_little
from shoal import indexer
from shoal.model import Entry, Response, Seen, State, Task, Term, Timing, Topic, Verdict
from shoal.model.stored import Changes, FetchedPage
from shoal.parse.parser import HtmlParser
from shoal.services import search
from shoal.services.search import Finder
from shoal.settings import Settings
from shoal.store import change_feed
from shoal.store import crawl_folder as folders
from shoal.store.crawl_store import CrawlStore, open_store
from shoal.store.packed_page import pack, unpack_text
from shoal.text import terms

HOST = "site.test"
BATCH = 64
TYPED = (
    "word",
    "two words",
    "three words",
    "phrase",
    "word on a site",
    "word of a year",
    "word without another",
    "typing mistake",
)
COMMON = "word of most pages"
_LITTLE = frozenset(term for word in says_little() for term in terms(word))
TARGETS = {0.5: 10.0, 0.99: 50.0}
SIZE_TARGET = 0.6


def stored_page(number: int, pages: int, parser: HtmlParser) -> FetchedPage:
    url = f"http://{HOST}{site.address(number)}"
    at = 1_760_000_000.0 + number
    timing = Timing(started=at, answered=at, ended=at)
    body = site.page(number, pages=pages, seed=7)
    response = Response(url=url, status=200, headers=(("content-type", "text/html"),), body=body, timing=timing)
    page = parser.parse(response)
    assert page is not None
    score = Random(number).random()
    seen = Seen(
        task=Task(id=number + 1, url=url, host=HOST),
        response=response,
        packed=pack(response, page),
        page=page,
        verdict=Verdict(score=score, threshold=0.5),
    )
    return FetchedPage(seen=seen, fetch_order=number + 1)


async def fill(store: CrawlStore, pages: int) -> int:
    """Store so many pages; answers the size of their texts."""
    parser, size = HtmlParser(), 0
    for start in range(0, pages, BATCH):
        batch = [stored_page(number, pages, parser) for number in range(start, min(pages, start + BATCH))]
        entries = tuple(
            Entry(id=one.seen.task.id, url=one.seen.task.url, host=HOST, priority=1.0, state=State.DONE)
            for one in batch
        )
        await store.commit(Changes(added=entries, pages=tuple(batch)))
        size += sum(len(unpack_text(one.seen.packed.text).encode()) for one in batch)
    return size


def queries(folder: Path, count: int) -> list[tuple[str, str]]:
    """What people type: words that stand together in some page, with and without operators."""
    random = Random(1)
    found = []
    with folders.reading(folder) as database:
        pages = sorted(change_feed.kept(database))
        for number in range(count):
            (said,) = change_feed.latest(database, [random.choice(pages)])
            words = [word for word in terms(said.text or "") if len(word) > 1]
            telling = [word for word in words if word not in _LITTLE]
            found.append((kind := TYPED[number % len(TYPED)], _typed(kind, telling, words, random)))
            if number % len(TYPED) == 0:
                found.append((COMMON, random.choice([word for word in words if word in _LITTLE])))
    return found


def _typed(kind: str, telling: list[str], words: list[str], random: Random) -> str:
    word, other, third = random.sample(telling, 3)
    match kind:
        case "two words":
            return f"{word} {other}"
        case "three words":
            return f"{word} {other} {third}"
        case "phrase":
            place = words.index(word)
            return f'"{(" " if word.isascii() else "").join(words[place : place + 2])}"'
        case "word on a site":
            return f"{word} site:{HOST}"
        case "word of a year":
            return f"{word} after:2025-06"
        case "word without another":
            return f"{word} -{third}"
        case "typing mistake" if word.isascii() and len(word) > 5:
            return word[:2] + word[3] + word[2] + word[4:]
    return word


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--pages", type=int, default=100_000)
    parser.add_argument("--queries", type=int, default=500)
    given = parser.parse_args()
    console = Console(highlight=False)
    with tempfile.TemporaryDirectory(prefix="shoal-bench-") as name:
        folder = Path(name) / "crawl"
        folders.create(
            folder, Settings(topic=Topic(name="grid", terms=(Term(text="grid"),)), seeds=(f"http://{HOST}/",))
        )
        with open_store(folder) as store:
            text = asyncio.run(fill(store, given.pages))
        began = time.process_time()
        indexer.rebuild(folder)
        console.print(f"indexed: {(time.process_time() - began) / given.pages * 1000:.2f} ms of CPU per page")
        size = sum(file.stat().st_size for file in (folder / indexer.PAGES).iterdir())
        share = size / text
        console.print(f"index: {size / 1e6:,.0f} MB, {share:.2f} of the text's {text / 1e6:,.0f} MB")
        console.print(f"target for the size: at most {SIZE_TARGET} of the text: {_met(share <= SIZE_TARGET)}")
        report(console, folder, queries(folder, given.queries))


def report(console: Console, folder: Path, asked: list[tuple[str, str]]) -> None:
    took: dict[str, list[float]] = {kind: [] for kind in (*TYPED, COMMON)}
    with Finder([folder]) as finder:
        for kind, query in asked:
            took[kind].append(_cost(partial(finder.search, query)))
    once = [_cost(partial(search.search, [folder], query)) for _, query in asked[:40]]
    everything = sorted(value for kind in TYPED for value in took[kind])
    table = Table("query", "how many", "median ms", "99 % ms", title="Searches, CPU of one core")
    for kind, values in (*took.items(), ("all but the last", everything), ("opened for each", once)):
        table.add_row(kind, str(len(values)), f"{_quantile(values, 0.5):.1f}", f"{_quantile(values, 0.99):.1f}")
    console.print(table)
    for share, target in TARGETS.items():
        reached = _quantile(everything, share)
        console.print(
            f"{share:.0%} of the queries within {reached:.1f} ms; target {target:.0f} ms: {_met(reached <= target)}"
        )


def _cost(ask: Callable[[], object]) -> float:
    began = time.process_time()
    ask()
    return (time.process_time() - began) * 1000


def _quantile(values: list[float], share: float) -> float:
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(share * len(ordered)))]


def _met(good: bool) -> str:
    return "met" if good else "not met"


if __name__ == "__main__":
    main()
