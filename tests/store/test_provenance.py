"""What the database says about a crawl as a whole, and about one URL."""

from __future__ import annotations

import json
from datetime import UTC, datetime

import msgspec
import pytest

from shoal.model import Entry, Evidence, Reason, State
from shoal.store.crawl_status import BestPage, ClosedHost, Count, HostCounts, best, status
from shoal.store.provenance import _SENTENCES, Rank, explain
from tests.store.conftest import NOW, HandMade

# --- status ----------------------------------------------------------------------------------------------------------


def test_the_status_of_an_empty_crawl_has_no_rates(crawl: HandMade) -> None:
    found = status(crawl.connection, running=False)
    assert (found.waiting, found.pages, found.bytes, found.hosts, found.elapsed) == (0, 0, 0, 0, 0)
    assert (found.harvest_rate, found.pages_per_second, found.first_fetch, found.last_fetch) == (None,) * 4


def test_every_state_is_counted_with_its_reasons(crawl: HandMade) -> None:
    crawl.page("https://a.example/", 1)
    crawl.url("https://a.example/1")
    crawl.url("https://a.example/2")
    crawl.url("https://a.example/3", State.FAILED, reason=Reason.TIMEOUT)
    for number in range(3):
        crawl.url(f"https://a.example/f{number}", State.FAILED, reason=Reason.STATUS)
    crawl.url("https://a.example/admin", State.SKIPPED, reason=Reason.ROBOTS)
    crawl.url("https://a.example/moved", State.MOVED)
    found = status(crawl.connection, running=False)
    assert (found.waiting, found.done, found.failed, found.skipped, found.moved) == (2, 1, 4, 1, 1)
    assert found.failures == (Count(reason="status", count=3), Count(reason="timeout", count=1))
    assert found.skips == (Count(reason="robots", count=1),)


def test_urls_under_way_count_as_fetching_only_while_a_crawl_runs(crawl: HandMade) -> None:
    crawl.url("https://a.example/1")
    crawl.url("https://a.example/2")
    crawl.meta("fetching", ["https://a.example/1"])
    running, stopped = status(crawl.connection, running=True), status(crawl.connection, running=False)
    assert (running.waiting, running.fetching) == (1, 1)
    assert running.fetching_urls == ("https://a.example/1",)
    assert (stopped.waiting, stopped.fetching, stopped.fetching_urls) == (2, 0, ())


def test_rates_count_every_page_and_survive_missing_scores(crawl: HandMade) -> None:
    crawl.page("https://a.example/1", 1, bytes=100)
    crawl.page("https://a.example/2", 2, bytes=200, relevant=0)
    crawl.page("https://a.example/3", 3, bytes=300, score=None, threshold=None, relevant=0)
    crawl.page("https://a.example/4", 4, bytes=400, score=None, threshold=None, relevant=0)
    crawl.meta("elapsed", 8.0)
    found = status(crawl.connection, running=False)
    assert (found.pages, found.judged, found.relevant, found.bytes) == (4, 2, 1, 1000)
    assert (found.harvest_rate, found.elapsed, found.pages_per_second) == (0.25, 8.0, 0.5)
    assert found.first_fetch == datetime.fromtimestamp(NOW + 1, UTC)
    assert found.last_fetch == datetime.fromtimestamp(NOW + 4, UTC)


def test_without_a_record_of_active_time_the_fetches_tell(crawl: HandMade) -> None:
    crawl.page("https://a.example/1", 1, fetched_at=NOW)
    assert status(crawl.connection, running=False).pages_per_second is None
    crawl.page("https://a.example/2", 2, fetched_at=NOW + 4)
    assert status(crawl.connection, running=False).pages_per_second == 0.5


def test_hosts_are_listed_by_their_pages(crawl: HandMade) -> None:
    crawl.page("https://b.example/1", 1)
    crawl.page("https://b.example/2", 2, relevant=0)
    crawl.page("https://b.example/3", 3, score=None, relevant=0)
    crawl.page("https://a.example/1", 4)
    crawl.url("https://b.example/4")
    crawl.url("https://b.example/5", State.FAILED, reason=Reason.TIMEOUT)
    crawl.url("https://c.example/1")
    crawl.host("d.example", closed="dns")
    crawl.host("a.example", closed="host-budget")
    found = status(crawl.connection, running=False)
    assert (found.hosts, found.hosts_waiting) == (4, 2)
    assert found.top_hosts == (
        HostCounts(host="b.example", pages=3, relevant=1, waiting=1, failed=1),
        HostCounts(host="a.example", pages=1, relevant=1, waiting=0, failed=0),
    )
    assert found.hosts_closed == (Count(reason="dns", count=1), Count(reason="host-budget", count=1))
    assert found.closed == (
        ClosedHost(host="a.example", reason="host-budget"),
        ClosedHost(host="d.example", reason="dns"),
    )


def test_only_the_ten_largest_hosts_are_listed(crawl: HandMade) -> None:
    for number in range(15):
        crawl.page(f"https://h{number:02}.example/", number + 1)
    found = status(crawl.connection, running=False).top_hosts
    assert [counts.host for counts in found] == [f"h{number:02}.example" for number in range(10)]


def test_a_status_can_be_printed_as_json(crawl: HandMade) -> None:
    crawl.page("https://a.example/", 1)
    printed = json.loads(msgspec.json.encode(status(crawl.connection, running=False)))
    assert printed["first_fetch"] == "2027-01-15T08:00:01Z"


def test_the_best_pages_come_first_and_only_once(crawl: HandMade) -> None:
    crawl.page("https://a.example/1", 1, score=0.5)
    original = crawl.page("https://a.example/2", 2, score=0.9)
    crawl.page("https://a.example/3", 3, score=0.9, duplicate_of=original, similarity=0.9)
    crawl.page("https://a.example/4", 4, score=None, relevant=0)
    crawl.page("https://a.example/5", 5, score=0.7)
    assert best(crawl.connection, 2) == [
        BestPage(title="Page 2", url="https://a.example/2", score=0.9),
        BestPage(title="Page 5", url="https://a.example/5", score=0.7),
    ]


# --- explain ---------------------------------------------------------------------------------------------------------


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
    asked = crawl.url("https://a.example/old", State.MOVED, parent=seed, anchor="old")
    crawl.url("https://a.example/other")
    crawl.url("https://a.example/older", State.MOVED, parent=seed, origin=asked, hop=1)
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
    for moved, target in [("old", "https://a.example/older"), ("older", "https://b.example/new")]:
        explanation = explain(crawl.connection, f"https://a.example/{moved}")
        assert explanation is not None
        assert (explanation.state, explanation.moved_to) == ("moved", target)
        assert explanation.sentence == f"It redirects to {target}."


def test_a_redirect_to_a_known_url_says_what_was_noted(crawl: HandMade) -> None:
    crawl.url("https://a.example/old", State.MOVED, detail="It redirects to https://a.example/ (301).")
    found = explain(crawl.connection, "https://a.example/old")
    assert found is not None
    assert found.sentence == "It redirects to https://a.example/ (301)."
    assert found.moved_to is None


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


def test_of_a_waiting_url_is_asked_what_makes_its_value(crawl: HandMade) -> None:
    seed = crawl.page("https://a.example/", 1)
    place = {"parent": seed, "depth": 1, "attempt": 2, "not_before": NOW}
    link = {"priority": 0.5, "anchor": "变电站", "why": "promising", "inherited": 0.25}
    id = crawl.url("https://b.example/%E7%94%B5", State.WAITING, **place, **link)
    asked: list[Entry] = []

    def reasons(entry: Entry) -> tuple[Evidence, ...]:
        asked.append(entry)
        return (Evidence(what="the link says “变电站”", amount=0.4), Evidence(what="the site is new", amount=-0.1))

    found = explain(crawl.connection, "b.example/电", reasons)
    assert found is not None
    assert found.value_why == reasons(asked[0])
    assert asked[0] == Entry(
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
def test_of_others_it_is_not_asked_because_that_takes_long(crawl: HandMade, state: State) -> None:
    crawl.url("https://a.example/", state)

    def reasons(entry: Entry) -> tuple[Evidence, ...]:
        raise AssertionError(entry)

    found = explain(crawl.connection, "https://a.example/", reasons)
    assert found is not None
    assert found.value_why == ()


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
