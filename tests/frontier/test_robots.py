"""May we ask for this page? RFC 9309 by cases."""

from collections.abc import Sequence

import pytest

from shoal import urls
from shoal.crawl.page_reader import PageReader
from shoal.crawl.readers import InTurns
from shoal.crawl.worker import PageVisitor
from shoal.fetch.client import HttpFetcher
from shoal.frontier.robots import Rulebook
from shoal.model import Link, Missed, Moved, Page, Reason, Response, RobotsRead, Task, Timing, Verdict
from shoal.model.stored import RobotsRecord
from shoal.settings import Fetching, Politeness
from shoal.store.packed_page import pack
from shoal.testing.evils import RobotsVariant
from shoal.testing.fakes import failure, redirect
from shoal.testing.hostile import HostileServer

SITE = "https://a.test"
NOW = 1_000_000.0

ALL_BUT_X = "User-agent: *\nDisallow: /x"

# --- the rulebook ----------------------------------------------------------------------------------------------------

TASK = Task(id=1, url=SITE + "/robots.txt", kind="robots")
TIMING = Timing(started=NOW, answered=NOW, ended=NOW)


def read(text: str) -> RobotsRead:
    return RobotsRead(task=TASK, text=text, timing=TIMING)


def missed(reason: Reason, status: int = 0) -> Missed:
    return Missed(task=TASK, failure=failure(TASK.url, reason, status=status))


def new_book(max_text: int = 10**6) -> Rulebook:
    return Rulebook(Politeness(robots_ttl=86_400, robots_retry=600), "Shoal/0.1", max_text=max_text)


@pytest.mark.parametrize(
    ("visit", "answer", "lasts"),
    [
        (read(ALL_BUT_X), "refused", 86_400),
        (read("User-agent: *\nAllow: /"), "allowed", 86_400),
        (read("<html>"), "allowed", 86_400),
        (missed(Reason.STATUS, 404), "allowed", 86_400),
        (missed(Reason.STATUS, 401), "allowed", 86_400),
        (missed(Reason.STATUS, 403), "allowed", 86_400),
        (missed(Reason.STATUS, 410), "allowed", 86_400),
        (missed(Reason.BAD_REDIRECT, 302), "allowed", 86_400),
        (missed(Reason.REDIRECT_LOOP), "allowed", 86_400),
        (Moved(task=TASK, redirect=redirect(TASK.url, SITE + "/elsewhere")), "allowed", 86_400),
        (missed(Reason.STATUS, 429), "unreachable", 600),
        (missed(Reason.STATUS, 500), "unreachable", 600),
        (missed(Reason.STATUS, 503), "unreachable", 600),
        (missed(Reason.TIMEOUT), "unreachable", 600),
        (missed(Reason.DNS), "unreachable", 600),
        (missed(Reason.CONNECT), "unreachable", 600),
        (missed(Reason.TLS), "unreachable", 600),
        (missed(Reason.TRUNCATED), "unreachable", 600),
        (missed(Reason.ADDRESS), "unreachable", 600),
        (missed(Reason.HEADERS_TOO_LARGE, 200), "unreachable", 600),
    ],
)
def test_what_a_visit_means_and_for_how_long(visit: RobotsRead | Moved | Missed, answer: str, lasts: float) -> None:
    book = new_book()
    assert book.check(SITE + "/x", NOW) == "unknown"
    record = book.learn(SITE, visit, NOW)
    assert book.check(SITE + "/x", NOW) == answer
    assert book.check(SITE + "/x", NOW + lasts - 1) == answer
    assert book.check(SITE + "/x", NOW + lasts) == "unknown"
    assert (record.fetched_at, record.expires_at) == (NOW, NOW + lasts)


def test_every_origin_has_its_own_rules() -> None:
    book = new_book()
    book.learn(SITE, read("User-agent: *\nDisallow: /"), NOW)
    assert book.check(SITE + "/", NOW) == "refused"
    for other in ("http://a.test/", "https://a.test:8443/", "https://b.a.test/"):
        assert book.check(other, NOW) == "unknown"


def test_the_crawl_delay_of_an_origin() -> None:
    book = new_book()
    assert book.crawl_delay(SITE + "/") is None
    book.learn(SITE, read("User-agent: *\nCrawl-delay: 4"), NOW)
    assert book.crawl_delay(SITE + "/page") == 4.0


def test_records_bring_the_same_rules_back() -> None:
    first = new_book()
    records = {
        "http://a.test": first.learn("http://a.test", read(ALL_BUT_X), NOW),
        "http://b.test": first.learn("http://b.test", missed(Reason.STATUS, 404), NOW),
        "http://c.test": first.learn("http://c.test", missed(Reason.TIMEOUT), NOW),
    }
    second = Rulebook(Politeness(robots_ttl=86_400, robots_retry=600), "Shoal/0.1", records.get)
    for host in "abc":
        for path in ("/x", "/y"):
            url = f"http://{host}.test{path}"
            assert second.check(url, NOW) == first.check(url, NOW)


def test_rules_leave_memory_and_come_back_from_where_they_are_kept() -> None:
    kept: dict[str, RobotsRecord] = {}
    asked: list[str] = []

    def lookup(origin: str) -> RobotsRecord | None:
        asked.append(origin)
        return kept.get(origin)

    book = Rulebook(Politeness(), "Shoal/0.1", lookup, max_origins=2)
    for host in "abc":
        origin = f"http://{host}.test"
        kept[origin] = book.learn(origin, read(ALL_BUT_X), NOW)
    assert book.check("http://c.test/x", NOW) == "refused"
    assert asked == []
    assert book.check("http://a.test/x", NOW) == "refused"
    assert asked == ["http://a.test"]


def test_large_files_do_not_pile_up_in_memory() -> None:
    book = new_book(max_text=1000)
    for host in "abc":
        book.learn(f"http://{host}.test", read(ALL_BUT_X + "\n" + "#" * 600), NOW)
    assert [book.check(f"http://{host}.test/", NOW) for host in "abc"] == ["unknown", "unknown", "allowed"]


def test_a_new_visit_replaces_the_old_rules() -> None:
    book = new_book()
    book.learn(SITE, read("User-agent: *\nDisallow: /"), NOW)
    book.learn(SITE, read(""), NOW + 10)
    assert book.check(SITE + "/x", NOW + 10) == "allowed"


@pytest.mark.slow
@pytest.mark.parametrize(
    ("variant", "answers"),
    [
        ("ok", ("allowed", "refused")),
        ("huge", ("allowed", "refused")),
        ("missing", ("allowed", "allowed")),
        ("html", ("allowed", "allowed")),
        ("error", ("unreachable", "unreachable")),
        ("hang", ("unreachable", "unreachable")),
    ],
)
async def test_what_a_hostile_server_may_say(variant: RobotsVariant, answers: tuple[str, str]) -> None:
    book = new_book()
    settings = Fetching(allow_private=("127.0.0.0/8",), answer_timeout=0.3)
    async with HostileServer(variant) as server, HttpFetcher(settings) as fetcher:
        visitor = PageVisitor(fetcher, InTurns(PageReader(NoParser(), NoJudge(), pack)))
        visit = await visitor.visit(Task(id=1, url=server.url("robots.txt"), kind="robots"))
        assert isinstance(visit, RobotsRead | Missed)
        book.learn(urls.origin_of(server.url()), visit, NOW)
        assert (book.check(server.url(), NOW), book.check(server.url("forbidden/x"), NOW)) == answers


class NoParser:
    """A robots.txt is never parsed as a page."""

    def parse(self, response: Response) -> Page | None:
        raise AssertionError(response.url)


class NoJudge:
    """Nor judged."""

    def judge(self, page: Page) -> Verdict:
        raise AssertionError(page.url)

    def judge_links(self, links: Sequence[Link]) -> tuple[float, ...]:
        raise AssertionError(links)
