"""Why did this URL fare so? Every fate is told with its way, its worth and its reason."""

from __future__ import annotations

import json
from datetime import UTC, datetime

import pytest

from shoal.model import Entry, Evidence, Reason, State
from shoal.store.provenance import _SENTENCES, Rank, explain, waiting_entry
from tests.store.conftest import NOW, HandMade


@pytest.mark.parametrize(
    "url", ["https://b.example/", "mailto:a@b.example", "", "::", "a.example/2", "https://", "电网"]
)
def test_a_url_nobody_saw_is_not_explained(crawl: HandMade, url: str) -> None:
    crawl.url("https://a.example/")
    assert explain(crawl.connection, url) is None


@pytest.mark.parametrize(
    "spelling",
    [
        "https://a.example/%E7%94%B5",
        "https://a.example/电",
        "HTTPS://A.example:443/%e7%94%b5#part",
        "a.example/电",
        " https://a.example/电 ",
    ],
)
def test_a_url_is_found_in_any_spelling(crawl: HandMade, spelling: str) -> None:
    crawl.url("https://a.example/%E7%94%B5")
    found = explain(crawl.connection, spelling)
    assert found is not None
    assert found.url == "https://a.example/%E7%94%B5"


def test_a_url_typed_without_scheme_may_be_http(crawl: HandMade) -> None:
    crawl.url("http://a.example:8080/x")
    assert explain(crawl.connection, "a.example:8080/x") is not None


def test_a_fetched_page_is_explained_with_its_path_and_its_score(crawl: HandMade) -> None:
    seed = crawl.page("https://a.example/", 1, score=0.1, relevant=0, link={"priority": 1.0})
    hub = crawl.page("https://a.example/hub", 2, score=0.2, relevant=0, link={"parent": seed, "anchor": "Hub"})
    why = json.dumps([{"what": "变电站", "amount": 0.5}])
    link = {"parent": hub, "anchor": "变电站", "priority": 0.8, "why": "parent 0.2, anchor 1.0", "depth": 2}
    crawl.page("https://b.example/x", 3, score=0.6, why=why, link=link, duplicate_of=hub, similarity=0.9)
    found = explain(crawl.connection, "https://b.example/x")
    assert found is not None
    assert [(step.url, step.by, step.anchor, step.score) for step in found.path] == [
        ("https://a.example/", "seed", "", 0.1),
        ("https://a.example/hub", "link", "Hub", 0.2),
        ("https://b.example/x", "link", "变电站", 0.6),
    ]
    assert (found.state, found.host, found.depth) == ("done", "b.example", 2)
    assert (found.priority, found.priority_why) == (0.8, "parent 0.2, anchor 1.0")
    assert (found.score, found.threshold, found.relevant) == (0.6, 0.3, True)
    assert found.evidence == (Evidence(what="变电站", amount=0.5),)
    assert (found.duplicate_of, found.similarity) == ("https://a.example/hub", 0.9)
    assert found.fetched_at == datetime.fromtimestamp(NOW + 3, UTC)
    assert found.sentence == (
        "It was fetched as page 3 and is relevant (score 0.600, threshold 0.300); "
        "it is 90% the same as https://a.example/hub."
    )
    assert found.rank is None


def test_a_page_that_is_not_judged_has_no_verdict(crawl: HandMade) -> None:
    crawl.page("https://a.example/a.pdf", 1, score=None, threshold=None, relevant=0)
    found = explain(crawl.connection, "https://a.example/a.pdf")
    assert found is not None
    assert (found.score, found.relevant, found.evidence) == (None, None, ())
    assert found.sentence == "It was fetched as page 1, of a type that is not judged."


def test_the_path_goes_through_every_redirect(crawl: HandMade) -> None:
    seed = crawl.page("https://a.example/", 1)
    older, new = "https://a.example/older", "https://b.example/new"
    asked = crawl.url("https://a.example/old", State.MOVED, parent=seed, anchor="old", target=older)
    crawl.url("https://a.example/other")
    crawl.url(older, State.MOVED, parent=seed, origin=asked, hop=1, target=new)
    last = {"parent": seed, "origin": asked, "hop": 2}
    crawl.page("https://b.example/new", 2, link=last)
    found = explain(crawl.connection, "https://b.example/new")
    assert found is not None
    assert [(step.url, step.by) for step in found.path] == [
        ("https://a.example/", "seed"),
        ("https://a.example/old", "link"),
        ("https://a.example/older", "redirect"),
        ("https://b.example/new", "redirect"),
    ]
    for moved, target in [("old", older), ("older", new)]:
        explanation = explain(crawl.connection, f"https://a.example/{moved}")
        assert explanation is not None
        assert (explanation.state, explanation.moved_to) == ("moved", target)
        assert explanation.sentence == f"It redirects to {target}."


def test_a_redirect_to_a_known_url_says_where_it_leads(crawl: HandMade) -> None:
    crawl.url("https://a.example/")
    crawl.url("https://a.example/old", State.MOVED, target="https://a.example/")
    found = explain(crawl.connection, "https://a.example/old")
    assert found is not None
    assert (found.sentence, found.moved_to) == ("It redirects to https://a.example/.", "https://a.example/")


def test_a_circle_of_parents_ends(crawl: HandMade) -> None:
    crawl.url("https://a.example/1", parent=2)
    crawl.url("https://a.example/2", parent=1)
    found = explain(crawl.connection, "https://a.example/1")
    assert found is not None
    assert [step.url for step in found.path] == ["https://a.example/2", "https://a.example/1"]


def test_a_waiting_url_knows_its_rank(crawl: HandMade) -> None:
    for number, priority in enumerate([0.9, 0.5, 0.5, 0.1]):
        crawl.url(f"https://a.example/{number}", priority=priority)
    crawl.url("https://b.example/1", priority=0.7)
    crawl.url("https://b.example/2", State.FAILED, priority=1.0, reason=Reason.DNS)
    found = explain(crawl.connection, "https://a.example/2")
    assert found is not None
    assert (found.state, found.rank, found.host_rank) == ("waiting", Rank(place=4, of=5), Rank(place=3, of=4))
    assert found.sentence == "It waits at rank 4 of 5 by priority."
    assert (found.attempts, found.retry_at) == (0, None)


def test_all_is_known_of_a_url_that_waits(crawl: HandMade) -> None:
    seed = crawl.page("https://a.example/", 1)
    place = {"parent": seed, "depth": 1, "attempt": 2, "not_before": NOW}
    link = {"priority": 0.5, "anchor": "变电站", "why": "promising", "inherited": 0.25}
    id = crawl.url("https://b.example/%E7%94%B5", State.WAITING, **place, **link)
    assert waiting_entry(crawl.connection, "b.example/电") == Entry(
        id=id,
        url="https://b.example/%E7%94%B5",
        host="b.example",
        priority=0.5,
        depth=1,
        parent=seed,
        attempt=2,
        anchor="变电站",
        why="promising",
        inherited=0.25,
        not_before=NOW,
    )


@pytest.mark.parametrize("state", [state for state in State if state is not State.WAITING])
def test_others_do_not_wait(crawl: HandMade, state: State) -> None:
    crawl.url("https://a.example/", state)
    assert waiting_entry(crawl.connection, "https://a.example/") is None
    assert waiting_entry(crawl.connection, "https://a.example/unknown") is None


def test_a_url_that_waits_for_another_try_says_so(crawl: HandMade) -> None:
    crawl.url("https://a.example/", attempt=3, not_before=NOW + 60)
    found = explain(crawl.connection, "https://a.example/")
    assert found is not None
    assert found.sentence == "It waits at rank 1 of 1 by priority, after 2 failed attempts."
    assert (found.attempts, found.retry_at) == (2, datetime.fromtimestamp(NOW + 60, UTC))


@pytest.mark.parametrize(
    ("state", "reason", "detail", "attempts", "sentence"),
    [
        (State.FAILED, Reason.STATUS, "The server answered 404 Not Found.", 1, "The server answered 404 Not Found."),
        (State.FAILED, Reason.TIMEOUT, "", 1, "Its host took too long to answer."),
        (State.SKIPPED, Reason.ROBOTS, "", 0, "The robots.txt of its host disallows it."),
    ],
)
def test_a_url_without_a_page_says_why(
    crawl: HandMade, state: State, reason: Reason, detail: str, attempts: int, sentence: str
) -> None:
    crawl.url("https://a.example/", state, reason=reason, detail=detail)
    found = explain(crawl.connection, "https://a.example/")
    assert found is not None
    assert (found.state, found.reason, found.sentence) == (state.name.lower(), reason, sentence)
    assert found.attempts == attempts
    assert found.score is None


def test_every_reason_has_a_sentence() -> None:
    assert set(_SENTENCES) == set(Reason)
