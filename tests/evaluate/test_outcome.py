"""What a demo says of its crawls is counted against the truth of the web."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from shoal.evaluate.generated.synthetic_web import SyntheticWeb
from shoal.evaluate.outcome import best_pages, curve, hidden_find, summary
from shoal.store.exporters import ExportRow

TOPIC = "power-grid"


def row(
    url: str, order: int, score: float | None, *, parent: str | None = None, depth: int = 0, copy: str | None = None
) -> ExportRow:
    """A page that a crawl fetched; the judge takes what scores a half for relevant."""
    return ExportRow(
        url=url,
        final_url=url,
        status=200,
        fetch_order=order,
        fetched_at=datetime(2026, 1, 1, tzinfo=UTC),
        depth=depth,
        parent=parent,
        anchor="",
        title=f"page {order}",
        description="",
        language="en",
        charset="utf-8",
        published="",
        content_type="text/html",
        bytes=1,
        score=score,
        threshold=0.5,
        relevant=score is not None and score >= 0.5,
        marked=None,
        priority=0.0,
        why=(),
        content_hash="",
        duplicate_of=copy,
        similarity=0.0,
        truncated=False,
        noindex=False,
        etag="",
        last_modified="",
    )


@pytest.fixture(scope="module")
def relevant(web: SyntheticWeb) -> list[str]:
    return sorted(web.relevant(TOPIC))


@pytest.fixture(scope="module")
def stranger(web: SyntheticWeb) -> str:
    return next(url for url, page in web.pages.items() if not page.topics and page.note == "article")


def test_the_judges_mark_and_the_truth_stand_apart(web: SyntheticWeb, relevant: list[str], stranger: str) -> None:
    pages = [row(relevant[0], 1, 0.9), row(stranger, 2, 0.8), row(relevant[1], 3, 0.1)]
    found = curve(pages, web.relevant(TOPIC))
    figures = summary("learned", "folder", pages, found, 2.0)
    assert (figures.fetched, figures.relevant, figures.judged_relevant) == (3, 2, 2)
    assert figures.recall == pytest.approx(2 / len(relevant))
    assert figures.half_found_after is None


def test_the_best_pages_with_what_is_true_of_them(web: SyntheticWeb, relevant: list[str], stranger: str) -> None:
    copy = next(url for url, page in web.pages.items() if page.original and TOPIC in page.topics)
    pages = [
        row(stranger, 1, 0.7),
        row(relevant[0], 2, 0.9),
        row(copy, 3, 0.8),
        row(relevant[1], 4, None),
        row(relevant[2], 5, 1.0, copy=relevant[0]),
    ]
    assert [(page.url, page.truth) for page in best_pages(pages, web, TOPIC)] == [
        (relevant[0], "relevant"),
        (copy, "copy"),
        (stranger, "not relevant"),
    ]


def test_a_find_behind_strangers_is_worth_explaining(web: SyntheticWeb, relevant: list[str], stranger: str) -> None:
    other = next(url for url, page in web.pages.items() if not page.topics and page.note == "home")
    pages = [
        row(other, 1, 0.0),
        row(stranger, 2, 0.0, parent=other, depth=1),
        row(relevant[0], 3, 1.0, parent=other, depth=1),
        row(relevant[1], 4, 0.6, parent=stranger, depth=3),
    ]
    assert hidden_find(pages, web, TOPIC) == relevant[1]
    assert hidden_find(pages[:2], web, TOPIC) is None
