"""How good are the first ten hits of a search? With the words of a topic as the query, and its labels as the truth."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass
from math import log2
from pathlib import Path

from shoal.evaluate.offline_web import MeasuredWeb, OfflineWeb, Subject
from shoal.index.index_folder import IndexWriter
from shoal.index.query import parse
from shoal.index.schema import Document
from shoal.index.searcher import open_index
from shoal.indexer import OffPageSignals, stand
from shoal.judge import make_judge
from shoal.model import Page, Response, Timing
from shoal.parse.parser import HtmlParser
from shoal.strategy import judge_of
from shoal.urls import key_of

DEPTH = 10
"""Hits that a person looks at."""
_NEVER = Timing(started=0.0, answered=0.0, ended=0.0)

Engine = Callable[[Subject], Sequence[str]]
"""Answers a topic's words with the URLs of the best pages."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SearchQuality:
    """How good the hits for one topic are."""

    topic: str
    ndcg: float
    """1 when all of the first ten are relevant, or all relevant ones come first; what comes first counts most."""
    precision: float
    """The share of relevant ones among the first ten."""


def pages_of(web: OfflineWeb) -> Iterator[Page]:
    """Every page of a web that can be understood."""
    parser = HtmlParser()
    for url in web.urls():
        answer = web.answer(url)
        if answer is not None and answer.status == 200:
            headers = tuple((name.lower(), value) for name, value in answer.headers)
            page = parser.parse(Response(url=url, status=200, headers=headers, body=answer.body, timing=_NEVER))
            if page is not None and not page.noindex:
                yield page


def rate(engine: Engine, subjects: Sequence[Subject], known: Collection[str]) -> list[SearchQuality]:
    """How good an engine is for each topic; `known` are the pages that it could have found."""
    return [
        _rated(subject, list(engine(subject))[:DEPTH], len(subject.labelled.intersection(known)))
        for subject in subjects
    ]


def _rated(subject: Subject, hits: Sequence[str], relevant: int) -> SearchQuality:
    gains = [url in subject.labelled for url in hits]
    best = sum(1 / log2(place + 2) for place in range(min(DEPTH, relevant)))
    found = sum(gain / log2(place + 2) for place, gain in enumerate(gains))
    return SearchQuality(topic=subject.name, ndcg=found / best if best else 0.0, precision=sum(gains) / DEPTH)


def words_of(subject: Subject) -> str:
    """The query."""
    return " ".join(term.text for term in subject.settings.topic.terms)


def shoal_engine(pages: Sequence[Page], folder: Path, *, judged: bool) -> Engine:
    """Our index. Judged: as in a crawl about the topic, whose pages have scores; else by words and links alone."""
    standings = _standings(pages)

    def search(subject: Subject) -> list[str]:
        place = folder / f"{subject.name}-{judged}"
        with IndexWriter(place) as writer:
            writer.add(_documents(pages, standings, subject if judged else None))
        hits = open_index(place).search(parse(words_of(subject)), limit=DEPTH, facets=False).hits
        return [pages[hit.id].url for hit in hits]

    return search


def _standings(pages: Sequence[Page]) -> dict[int, OffPageSignals]:
    links = (
        (number, [key_of(link.url) for link in page.links], [link.anchor for link in page.links])
        for number, page in enumerate(pages)
    )
    return stand({key_of(page.url): number for number, page in enumerate(pages)}, links)


def _documents(
    pages: Sequence[Page], standings: dict[int, OffPageSignals], subject: Subject | None
) -> Iterator[Document]:
    judge = make_judge(judge_of(subject.settings), subject.settings.topic) if subject else None
    for number, page in enumerate(pages):
        verdict = judge.judge(page) if judge else None
        yield Document(
            id=number,
            url=page.url,
            title=page.title,
            headings=page.headings,
            anchors=standings[number].anchors,
            text=page.text,
            language=page.language,
            published=page.published,
            score=verdict.score if verdict else None,
            relevant=verdict.relevant if verdict else False,
            importance=standings[number].importance,
        )


def measure(web: MeasuredWeb, topics: Collection[str]) -> list[SearchQuality]:
    """How good our index is on these topics of a web, as in crawls about them."""
    pages = list(pages_of(web.web))
    subjects = [subject for subject in web.subjects if subject.name in topics]
    with tempfile.TemporaryDirectory(prefix="shoal-") as folder:
        return rate(shoal_engine(pages, Path(folder), judged=True), subjects, {page.url for page in pages})
