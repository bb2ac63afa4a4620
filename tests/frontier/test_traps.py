"""Traps are seen and named; ordinary sites raise no alarm."""

from __future__ import annotations

import pytest

from shoal.frontier import traps
from shoal.frontier.traps import TrapDetector
from shoal.model.stored import PatternCount

HOST = "http://x.example"


def detector() -> TrapDetector:
    return TrapDetector(year=2026)


def feed(found: TrapDetector, urls: list[str], *, repeats: int, relevant: int = 0) -> None:
    """Pages of these URLs come: the last `repeats` of them are repeats, the first `relevant` are relevant."""
    for place, url in enumerate(urls):
        found.record(url, is_repeat=place >= len(urls) - repeats, relevant=place < relevant)


@pytest.mark.parametrize(
    ("path", "sentence"),
    [
        ("/" + "x" * 2000, "over-long URL: it has 2017 characters"),
        ("/a/b/a/b/a/b/", "repeating path: a/b comes three times in a row"),
        ("/menu/menu/menu/x.html", "repeating path: menu comes three times in a row"),
        ("/0/a/b/c/a/b/c/a/b/c", "repeating path: a/b/c comes three times in a row"),
        ("/en/a/en/b/en/c/en/d", "repeating path: en comes 4 times"),
        ("/" + "/".join(map(str, range(21))), "absurd depth: its path has 21 segments"),
        ("/s?" + "&".join(f"p{n}=1" for n in range(13)), "endless parameters: it has 13"),
        ("/s?sort=up&sort=up&sort=up", "endless parameters: sort=up comes 3 times"),
        ("/go?to=%25252525252F", "endless escapes: its percent signs were escaped again and again"),
        ("/calendar/2029/1", "calendar: it shows the year 2029"),
        ("/calendar/1989/12/31.html", "calendar: it shows the year 1989"),
        ("/rili/9999-12", "calendar: it shows the year 9999"),
        ("/%E6%97%A5%E5%8E%86/2150/7/", "calendar: it shows the year 2150"),
        ("/show?year=2040&month=3", "calendar: it shows the year 2040"),
        ("/show?month=12&year=1066", "calendar: it shows the year 1066"),
        ("/events?tribe-bar-date=2031-05-01", "calendar: it shows the year 2031"),
        ("/list?date=20310501&view=day", "calendar: it shows the year 2031"),
        ("/2031/05/", "calendar: it shows the year 2031"),
        ("/blog/2031-05-17.html", "calendar: it shows the year 2031"),
    ],
)
def test_traps_that_show_in_the_url(path: str, sentence: str) -> None:
    assert detector().why(HOST + path) == sentence


@pytest.mark.parametrize(
    "path",
    [
        "/",
        "/a/b/c.html",
        "/a/b/a/b/c",
        "/docs/api/docs/guide/docs/index.html",
        "/11/11/11/slug",
        "/tiles/0/0/0.png",
        "/" + "/".join(map(str, range(20))),
        "/" + "x" * 1900,
        "/2024/05/article-slug",
        "/2024/05/",
        "/2028/12/31/",
        "/1944/06/07/archives/the-landing.html",
        "/paper/1944/06/07/",
        "/n1/2024/0512/c1001-40234567.html",
        "/p/123456.html",
        "/thread/2150/7",
        "/thread/2150/12",
        "/2150-7.html",
        "/thread-2150-7-1.html",
        "/events/4512",
        "/model-1850-02.html",
        "/calendar",
        "/calendar/2026/05",
        "/films?year=1925",
        "/show?year=2026&month=5",
        "/s?id[]=1&id[]=2&id[]=3&id[]=4&id[]=5&id[]=6&id[]=7&id[]=8&id[]=9&id[]=10&id[]=11&id[]=12&id[]=13",
        "/s?" + "&".join(f"p{n}=1" for n in range(12)),
        "/wiki/%E7%94%B5%E7%BD%91/%E7%94%B5%E7%BD%91",
        "/login?next=%2Fa%3Fb%3D%252F",
    ],
)
def test_ordinary_urls_raise_no_alarm(path: str) -> None:
    assert detector().why(HOST + path) is None


FAMILIES = {
    "near-duplicate flood": [f"{HOST}/list/{number}.html" for number in range(40)],
    "calendar": [f"{HOST}/calendar/2025/{month}/{day}" for month in range(1, 3) for day in range(1, 21)],
    "date archive": [f"{HOST}/2025/{month:02}/{day:02}/" for month in range(1, 3) for day in range(1, 21)],
    "endless parameters": [f"{HOST}/shop?colour=c{'x' * number}&size=m" for number in range(40)],
    "session ids": [f"{HOST}/topic?t=5&sid={number * 7919:x}" for number in range(40)],
}


@pytest.mark.parametrize(
    ("trap", "pages", "repeats"),
    [
        ("near-duplicate flood", 20, 16),
        ("calendar", 12, 8),
        ("date archive", 12, 8),
        ("endless parameters", 30, 24),
        ("session ids", 3, 2),
    ],
)
def test_a_family_that_repeats_itself_is_a_trap(trap: str, pages: int, repeats: int) -> None:
    *urls, unseen = FAMILIES[trap][: pages + 1]
    found = detector()
    feed(found, urls[:-1], repeats=repeats, relevant=1)
    assert found.why(unseen) is None, "one page less is not enough"
    feed(found, urls[-1:], repeats=1)
    assert (found.why(unseen) or "").startswith(f"{trap}: of {pages} pages like x.example/")

    innocent = detector()
    feed(innocent, urls, repeats=repeats - 1, relevant=1)
    assert innocent.why(unseen) is None, "one repeat less is not enough"


def test_a_calendar_without_one_relevant_page_is_a_trap() -> None:
    *urls, unseen = FAMILIES["calendar"][:13]
    found = detector()
    feed(found, urls, repeats=0)
    assert found.why(unseen) == "calendar: of 12 pages like x.example/calendar/#/#/# none is relevant"


@pytest.mark.parametrize(
    "urls",
    [
        [f"{HOST}/page/{number}" for number in range(1, 501)],
        [f"{HOST}/2024/{month:02}/article-{number}" for month in range(1, 13) for number in range(40)],
        [f"{HOST}/2024/{month:02}/{day:02}/" for month in range(1, 13) for day in range(1, 29)],
        [
            f"{HOST}/n1/2024/{month:02}12/c1001-{40234567 + number}.html"
            for month in range(1, 13)
            for number in range(9)
        ],
        [f"{HOST}/index.php?id={number}" for number in range(500)],
        [f"{HOST}/news.php?sid={number}" for number in range(500)],
    ],
)
def test_distinct_pages_are_no_trap_however_many_and_however_irrelevant(urls: list[str]) -> None:
    found = detector()
    feed(found, urls[:-1], repeats=0)
    assert found.why(urls[-1]) is None


def test_chinese_titles_are_not_one_family() -> None:
    # As numbers go, %E7%94%B5 and %E7%91%B5 are the same; as words they are not.
    titles = [f"{HOST}/wiki/%E7%{first}%B{second}" for first in range(10, 90) for second in range(10)]
    found = detector()
    feed(found, titles, repeats=len(titles))
    assert found.why(f"{HOST}/wiki/%E5%9B%BD") is None


@pytest.mark.parametrize(
    "token",
    [
        "550e8400-e29b-41d4-a716-4466554400{:02}",
        "9f86d081884c7d659a2feaa0c55ad0{:02}",
        "A9zK3mPq7RtX1vBn5LsD8wYc{:02}",
    ],
)
def test_tokens_count_as_numbers(token: str) -> None:
    found = detector()
    feed(found, [f"{HOST}/v/{token.format(number)}" for number in range(10, 30)], repeats=20)
    assert found.why(f"{HOST}/v/{token.format(31)}") == (
        "near-duplicate flood: of 20 pages like x.example/v/# 20 repeat others"
    )


def test_session_ids_in_the_path_are_seen() -> None:
    found = detector()
    feed(found, [f"{HOST}/x;jsessionid={letter}?page=1" for letter in "abc"], repeats=2)
    assert (found.why(f"{HOST}/x;jsessionid=d?page=1") or "").startswith("session ids: ")
    assert found.why(f"{HOST}/x;jsessionid=d?page=2") is None


def test_a_family_is_one_hosts_own() -> None:
    found = detector()
    feed(found, FAMILIES["near-duplicate flood"], repeats=40)
    assert found.why("http://y.example/list/1.html") is None
    assert found.why(f"{HOST}/other/1.html") is None


def test_a_site_that_turns_bad_late_is_still_seen() -> None:
    found = detector()
    feed(found, [f"{HOST}/list/{number}.html" for number in range(5000)], repeats=0, relevant=5000)
    feed(found, [f"{HOST}/list/{number}.html" for number in range(5000, 5100)], repeats=100)
    assert found.why(f"{HOST}/list/9.html") is not None


def test_what_was_learned_survives_a_restart() -> None:
    first = detector()
    feed(first, FAMILIES["near-duplicate flood"], repeats=40, relevant=1)
    stored = first.changes()
    assert stored == [PatternCount(host="x.example", pattern="/list/#.html", pages=40, repeats=40, relevant=1)]
    assert first.changes() == []

    second = detector()
    second.load(stored)
    assert second.why(f"{HOST}/list/99.html") == first.why(f"{HOST}/list/99.html")
    assert second.why(f"{HOST}/list/99.html") is not None
    assert second.changes() == []


def test_a_family_of_one_page_is_not_worth_storing() -> None:
    found = detector()
    found.record(f"{HOST}/a/1", is_repeat=False, relevant=False)
    assert found.changes() == []


@pytest.mark.slow
def test_memory_is_bounded_and_traps_in_use_are_kept() -> None:
    found = detector()
    feed(found, FAMILIES["near-duplicate flood"], repeats=40)
    feed(found, FAMILIES["session ids"], repeats=40)
    counts = [
        PatternCount(host="y.example", pattern=f"/{n}", pages=2, repeats=0, relevant=0)
        for n in range(traps.MAX_FAMILIES)
    ]
    found.load(counts[: traps.MAX_FAMILIES // 2])
    assert found.why(f"{HOST}/list/99.html") is not None
    found.load(counts[traps.MAX_FAMILIES // 2 :])
    assert found.why(f"{HOST}/list/99.html") is not None, "asked for in between, so it was used last"
    assert found.why(f"{HOST}/topic?t=5&sid=new") is None, "the one used longest ago is forgotten"
