"""A simulated crawl is a real one: polite, obedient to robots.txt, and every time the same."""

from __future__ import annotations

from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from shoal import services
from shoal.crawl.termination import Ending
from shoal.errors import FolderError
from shoal.evaluate import simulation
from shoal.evaluate.offline_web import OfflineWeb, Subject, open_web
from shoal.evaluate.recorded.archive import Archive, open_archive
from shoal.evaluate.result_cache import ResultCache
from shoal.evaluate.simulation import Run, simulate
from shoal.model import Term, Topic
from shoal.settings import Budget, Fetching, Politeness, Settings
from shoal.testing.webserver import WebAnswer
from tests.evaluate.recording import CHINESE, page, redirect, response, robots, save

pytestmark = pytest.mark.slow

TOPIC = Topic(name="grid", terms=(Term(text="grid"), Term(text="电网")))


@pytest.fixture
def recorded(tmp_path: Path) -> Iterator[Archive]:
    records = (
        robots("a.test", "User-agent: *\nDisallow: /private\nCrawl-delay: 10\n"),
        page("http://a.test/", "front", "/grid", "/dull", "/private", "/old", "/missing", "http://zh.test/", "/x.png"),
        page("http://a.test/grid", "the power grid", "/more"),
        page("http://a.test/dull", "weather and sports"),
        page("http://a.test/private", "grid"),
        page("http://a.test/more", "more of the grid"),
        redirect("http://a.test/old", "http://zh.test/old"),
        response("http://zh.test/old", CHINESE.encode("gbk")),
        response("http://zh.test/", CHINESE.encode("gbk").replace(b"zhan", b"wang")),
        response("http://a.test/x.png", b"\x89PNG", content_type="image/png"),
    )
    with open_archive(save(tmp_path / "web.warc.gz", *records)) as web:
        yield web


def settings(**given: Any) -> Settings:
    return Settings(topic=TOPIC, seeds=("http://a.test/",), **given)


def urls(run: Run) -> list[str]:
    return [page.url.removeprefix("http://") for page in run.pages]


def test_the_whole_web_is_crawled(recorded: Archive) -> None:
    run = simulate(recorded, settings(judge="cosine"))
    assert run.ending is Ending.NOTHING_LEFT
    assert sorted(urls(run)) == [
        *("a.test/", "a.test/dull", "a.test/grid", "a.test/more", "a.test/x.png"),
        *("zh.test/", "zh.test/old"),
    ]
    assert {page.url for page in run.pages if not page.relevant} == {"http://a.test/dull", "http://a.test/x.png"}
    scores = {page.url: page.score for page in run.pages}
    assert scores["http://a.test/x.png"] is None
    assert scores["http://a.test/dull"] == 0.0
    # 7 pages, a redirect, /missing, and with /wang and /zhan 3 that are not recorded; the robots.txt of both hosts.
    assert run.requests == 7 + 1 + 3 + 2


def test_good_pages_come_first_and_times_are_those_of_a_polite_crawl(recorded: Archive) -> None:
    run = simulate(recorded, settings(), latency=0.5)
    on_a = [page for page in run.pages if page.url.startswith("http://a.test/")]
    assert [page.url for page in on_a][:2] == ["http://a.test/", "http://a.test/grid"]
    # robots.txt takes half a second, and asks for ten seconds between requests.
    assert [round(page.at, 2) for page in on_a[:3]] == [11.0, 21.5, 32.0]
    assert run.seconds >= 10 * len(on_a)


def test_a_budget_ends_it(recorded: Archive) -> None:
    run = simulate(recorded, settings(budget=Budget(max_pages=2)))
    assert (len(run.pages), run.ending) == (2, Ending.PAGES)
    run = simulate(recorded, settings(budget=Budget(max_time=15.0)))
    assert run.ending is Ending.TIME
    assert run.seconds <= 30


def test_a_crawl_can_be_kept_and_looked_into(recorded: Archive, tmp_path: Path) -> None:
    run = simulate(recorded, settings(), keep=tmp_path / "kept")
    assert [row.final_url for row in services.export.fetched_pages(tmp_path / "kept")] == [
        page.url for page in run.pages
    ]
    assert services.explain.explain_url(tmp_path / "kept", "http://a.test/private").reason == "robots"
    with pytest.raises(FolderError):
        simulate(recorded, settings(), keep=tmp_path / "kept")


@pytest.fixture(scope="module")
def rail() -> Iterator[tuple[OfflineWeb, Subject]]:
    with open_web("generated") as (measured,):
        yield measured.web, next(subject for subject in measured.subjects if subject.name == "rail")


def test_every_run_is_the_same(rail: tuple[OfflineWeb, Subject]) -> None:
    """Also with a full cache; and with many requests in flight, of which some are refused and asked again."""
    web, subject = rail
    wanted = replace(subject.settings, budget=Budget(max_pages=60))
    cache = ResultCache()
    first = simulate(web, wanted, cache=cache)
    assert simulate(web, wanted, cache=cache) == first
    assert simulate(web, wanted) == first
    assert len(first.pages) == 60


def test_a_focused_crawl_finds_more(rail: tuple[OfflineWeb, Subject]) -> None:
    web, subject = rail
    cache = ResultCache()
    found = {}
    for strategy in ("best-first", "breadth"):
        wanted = replace(
            subject.settings,
            strategy=strategy,
            budget=Budget(max_pages=150),
            politeness=Politeness(delay=0.0),
            fetching=Fetching(concurrency=1),
        )
        run = simulate(web, wanted, cache=cache, latency=0.005)
        found[strategy] = len({page.url for page in run.pages} & subject.labelled)
    assert found["best-first"] > 1.5 * found["breadth"]


def test_many_requests_in_flight_find_as_much_as_one(rail: tuple[OfflineWeb, Subject]) -> None:
    """Where pages are scarce, hosts of poor links are not asked just because the good ones are busy."""
    web, subject = rail
    cache = ResultCache()

    def crawl(concurrency: int, *, hurry: bool = False) -> tuple[int, float]:
        wanted = replace(
            subject.settings,
            budget=Budget(max_pages=150),
            politeness=Politeness(delay=0.0),
            fetching=Fetching(concurrency=concurrency, hurry=hurry),
        )
        run = simulate(web, wanted, cache=cache)
        return len({page.url for page in run.pages} & subject.labelled), run.seconds

    (alone, slow), (together, faster), (hurried, fastest) = crawl(1), crawl(64), crawl(64, hurry=True)
    assert together > 0.9 * alone
    assert hurried < 0.7 * together
    assert fastest < faster < slow


def test_a_crawl_to_the_end_of_a_web_never_waits_for_better_links(rail: tuple[OfflineWeb, Subject]) -> None:
    web, subject = rail
    wanted = replace(subject.settings, budget=Budget(max_depth=2))
    hurried = replace(wanted, fetching=Fetching(hurry=True))
    cache = ResultCache()
    assert simulate(web, wanted, cache=cache).seconds == simulate(web, hurried, cache=cache).seconds


def test_what_a_page_asks_of_one_crawler_holds_for_that_one(tmp_path: Path) -> None:
    """Also when another one has read the page before."""
    front = b"<meta name='mybot' content='nofollow'><p>the grid</p><a href='/grid'>grid</a>"
    records = response("http://a.test/", front), page("http://a.test/grid", "the power grid")
    cache = ResultCache()
    with open_archive(save(tmp_path / "asks.warc.gz", *records)) as web:
        assert urls(simulate(web, settings(), cache=cache)) == ["a.test/", "a.test/grid"]
        mine = settings(fetching=Fetching(user_agent="MyBot/2.0"))
        assert urls(simulate(web, mine, cache=cache)) == ["a.test/"]


class Endless:
    """Each page leads to the next, and no two are alike."""

    name = "endless"

    def urls(self) -> list[str]:
        return []

    def answer(self, url: str, nth: int = 0) -> WebAnswer | None:
        number = url.rpartition("/")[2]
        if not number.isdigit():
            return None
        words = " ".join(sha256(f"{number}/{word}".encode()).hexdigest() for word in range(20))
        body = f"<p>{words}</p><a href='/{int(number) + 1}'>next</a>".encode()
        return WebAnswer(headers=(("Content-Type", "text/html"),), body=body)


def test_a_web_without_end_is_left_in_the_end(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(simulation, "_MORE_PAGES", 150)
    wanted = Settings(topic=TOPIC, seeds=("http://a.test/1",), politeness=Politeness(delay=0.0))
    run = simulate(Endless(), wanted, latency=0.005)
    assert (len(run.pages), run.ending) == (150, Ending.PAGES)
