"""A mark of the user counts more than the judge, wherever pages are read; and a URL stands for the page it leads to."""

from __future__ import annotations

import io
import json
from datetime import UTC, datetime
from pathlib import Path

import pytest
from pyarrow import parquet

from shoal.model import Mark, Reason, State
from shoal.store.crawl_status import status
from shoal.store.exporters import export, rows
from shoal.store.mark_log import GivenMark, MarkedPage, MeantPage, find, give, lay_over, marks
from shoal.store.provenance import UrlExplanation, explain
from tests.store.conftest import NOW, HandMade

GRID = "https://a.example/grid"
CHINESE = "https://a.example/%E7%94%B5%E7%BD%91"
DULL = "https://b.example/dull"
FILE = "https://b.example/a.pdf"


def said(url: str, relevant: bool | None, at: float = NOW) -> dict[str, Mark]:
    return {url: Mark(url=url, relevant=relevant, at=at)}


@pytest.fixture
def small(crawl: HandMade) -> HandMade:
    """Two relevant pages, one that is not, and a file that is not judged."""
    crawl.page(GRID, 1, score=0.9, title="Grid")
    crawl.page(CHINESE, 2, score=0.5, title="电网")
    crawl.page(DULL, 3, score=0.1, relevant=0, title="Dull")
    crawl.page(FILE, 4, score=None, threshold=None, relevant=0, title="")
    return crawl


@pytest.fixture
def remarked(small: HandMade) -> HandMade:
    """The user says that the judge was wrong three times, and right once."""
    marked = said(GRID, False) | said(CHINESE, True) | said(DULL, True) | said(FILE, True)
    lay_over(small.connection, marked | said("https://c.example/not-here", True))
    return small


# --- what is shown ---------------------------------------------------------------------------------------------------


def test_without_marks_the_judge_counts(small: HandMade) -> None:
    found = status(small.connection, running=False)
    assert (found.relevant, found.marked_relevant, found.marked_irrelevant, found.harvest_rate) == (2, 0, 0, 0.5)
    assert [row.marked for row in rows(small.connection, False)] == [None] * 4


def test_the_status_counts_what_the_user_says(remarked: HandMade) -> None:
    found = status(remarked.connection, running=False)
    assert (found.relevant, found.marked_relevant, found.marked_irrelevant, found.harvest_rate) == (3, 3, 1, 0.75)
    # Of a.example one page is left, of b.example there are two now.
    assert {host.host: host.relevant for host in found.top_hosts} == {"a.example": 1, "b.example": 2}
    assert found.judged == 3


def test_exported_pages_are_relevant_as_the_user_says(remarked: HandMade) -> None:
    found = {row.final_url: (row.relevant, row.marked, row.score) for row in rows(remarked.connection, False)}
    assert found == {
        GRID: (False, False, 0.9),
        CHINESE: (True, True, 0.5),
        DULL: (True, True, 0.1),
        FILE: (True, True, None),
    }
    assert [row.final_url for row in rows(remarked.connection, True)] == [CHINESE, DULL, FILE]


def test_every_format_has_the_marks(remarked: HandMade, tmp_path: Path) -> None:
    remarked.page("https://c.example/", 5)
    written = io.BytesIO()
    export(remarked.connection, tmp_path, "csv", written, False)
    header, *lines = (line.split(",") for line in written.getvalue().decode().splitlines())
    place = header.index("marked")
    assert [line[place] for line in lines] == ["false", "true", "true", "true", ""]
    export(remarked.connection, tmp_path, "parquet", tmp_path / "pages", False)
    assert parquet.read_table(tmp_path / "pages")["marked"].to_pylist() == [False, True, True, True, None]
    written = io.BytesIO()
    export(remarked.connection, tmp_path, "jsonl", written, False)
    values = [json.loads(line)["marked"] for line in written.getvalue().splitlines()]
    assert values == [False, True, True, True, None]


def explained(crawl: HandMade, url: str) -> UrlExplanation:
    found = explain(crawl.connection, url)
    assert found is not None
    return found


def test_explain_says_what_the_judge_and_the_user_said(remarked: HandMade) -> None:
    grid, file = explained(remarked, GRID), explained(remarked, FILE)
    assert (grid.relevant, grid.marked, grid.marked_at) == (False, False, datetime.fromtimestamp(NOW, UTC))
    assert grid.sentence == (
        "It was fetched as page 1 and was judged relevant (score 0.900, threshold 0.300). "
        "You marked it irrelevant on 2027-01-15 08:00 UTC."
    )
    assert (file.relevant, file.marked) == (True, True)
    assert file.sentence == (
        "It was fetched as page 4, of a type that is not judged. You marked it relevant on 2027-01-15 08:00 UTC."
    )


def test_marks_replace_those_that_were_laid_over_before(remarked: HandMade) -> None:
    lay_over(remarked.connection, said(DULL, True))
    found = status(remarked.connection, running=False)
    assert (found.relevant, found.marked_relevant, found.marked_irrelevant) == (3, 1, 0)


def test_all_marks_are_listed_in_their_order_with_what_the_judge_said(small: HandMade) -> None:
    elsewhere = "https://c.example/not-here"
    told = said(DULL, True) | said(elsewhere, True) | said(GRID, False, NOW + 1)
    lay_over(small.connection, told)
    early, late = datetime.fromtimestamp(NOW, UTC), datetime.fromtimestamp(NOW + 1, UTC)
    assert marks(small.connection, told) == [
        MarkedPage(url=DULL, title="Dull", relevant=True, at=early, judged=False, score=0.1),
        MarkedPage(url=elsewhere, title="", relevant=True, at=early, judged=None, score=None),
        MarkedPage(url=GRID, title="Grid", relevant=False, at=late, judged=True, score=0.9),
    ]


# --- which page is meant ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "typed", [CHINESE, "a.example/电网", "HTTPS://A.example:443/%e7%94%b5%e7%bd%91#x", f" {CHINESE} "]
)
def test_a_page_is_meant_in_any_spelling(small: HandMade, typed: str) -> None:
    assert find(small.connection, [typed]) == [MeantPage(asked=typed, url=CHINESE, page=2)]


def test_many_are_found_in_their_order_each_once(small: HandMade) -> None:
    found = find(small.connection, [DULL, GRID, DULL])
    assert [(one.url, one.page) for one in found] == [(DULL, 3), (GRID, 1)]


@pytest.mark.parametrize("typed", ["", "what is this", "mailto:a@b.example", "https://nowhere.example/", "电网"])
def test_what_is_not_known_has_no_page(small: HandMade, typed: str) -> None:
    assert find(small.connection, [typed]) == [MeantPage(asked=typed, url=typed, page=None)]


@pytest.mark.parametrize("state", [State.WAITING, State.FAILED, State.SKIPPED])
def test_what_was_not_fetched_has_no_page(small: HandMade, state: State) -> None:
    reason = None if state is State.WAITING else Reason.TIMEOUT
    small.url("https://a.example/x", state, reason=reason, detail="It moved to https://a.example/grid.")
    assert find(small.connection, ["a.example/x"])[0].page is None


def test_a_redirect_stands_for_the_page_it_led_to(small: HandMade) -> None:
    old = small.url("http://a.example/old", State.MOVED, target="http://a.example/older")
    small.url("http://a.example/older", State.MOVED, origin=old, hop=1, target="http://c.example/new")
    page = small.page("http://c.example/new", 5, link={"origin": old, "hop": 2})
    for typed in ("http://a.example/old", "a.example/older", "c.example/new"):
        assert find(small.connection, [typed]) == [MeantPage(asked=typed, url="http://c.example/new", page=page)]


def test_a_redirect_to_a_page_that_was_known_before_stands_for_it(small: HandMade) -> None:
    small.url("https://a.example/old", State.MOVED, target=GRID)
    assert find(small.connection, ["https://a.example/old", GRID]) == [
        MeantPage(asked="https://a.example/old", url=GRID, page=1),
        MeantPage(asked=GRID, url=GRID, page=1),
    ]


def test_a_redirect_to_what_was_not_fetched_says_where_it_led(small: HandMade) -> None:
    small.url("https://a.example/old", State.MOVED, target="https://a.example/later")
    small.url("https://a.example/later")
    [meant] = find(small.connection, ["https://a.example/old"])
    assert (meant.url, meant.page) == ("https://a.example/later", None)


def test_redirects_in_a_circle_end(small: HandMade) -> None:
    small.url("https://a.example/1", State.MOVED, target="https://a.example/2")
    small.url("https://a.example/2", State.MOVED, target="https://a.example/1")
    assert find(small.connection, ["https://a.example/1"])[0].page is None


def test_what_is_given_says_what_was_said_before(small: HandMade) -> None:
    lay_over(small.connection, said(GRID, True) | said(DULL, True))
    asked = ["a.example/grid", GRID, DULL, CHINESE]
    early, now = datetime.fromtimestamp(NOW, UTC), datetime.fromtimestamp(NOW + 9, UTC)
    given = give(small.connection, find(small.connection, asked), True, NOW + 9)
    assert given == [
        GivenMark(
            asked="a.example/grid",
            url=GRID,
            title="Grid",
            before=True,
            relevant=True,
            at=early,  # nothing new
            judged=True,
            score=0.9,
        ),
        GivenMark(asked=DULL, url=DULL, title="Dull", before=True, relevant=True, at=early, judged=False, score=0.1),
        GivenMark(asked=CHINESE, url=CHINESE, title="电网", before=None, relevant=True, at=now, judged=True, score=0.5),
    ]
    [forgotten] = give(small.connection, find(small.connection, [DULL]), None, NOW + 9)
    assert (forgotten.before, forgotten.relevant, forgotten.at) == (True, None, now)
