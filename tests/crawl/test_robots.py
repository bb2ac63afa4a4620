"""May we ask for this page? RFC 9309 by cases."""

from collections.abc import Sequence

import pytest

from shoal import urls
from shoal.crawl.bounded_reader import InTurns
from shoal.crawl.fetch import HttpFetcher
from shoal.crawl.page_reader import PageReader
from shoal.crawl.robots import ALLOW_ALL, DISALLOW_ALL, MAX_TEXT, Robots, Rulebook, product_token
from shoal.crawl.visit import PageVisitor
from shoal.model import Link, Missed, Moved, Page, Reason, Response, RobotsRead, Task, Timing, Verdict
from shoal.remembered import RobotsRecord
from shoal.settings import Fetching, Politeness
from shoal.testing.evils import RobotsVariant
from shoal.testing.fakes import failure, redirect
from shoal.testing.hostile import HostileServer

SITE = "https://a.test"
NOW = 1_000_000.0

ALL_BUT_X = "User-agent: *\nDisallow: /x"
CASES = [
    # what, robots.txt, path, allowed
    ("no rules", "", "/", True),
    ("plain", ALL_BUT_X, "/x", False),
    ("prefix", ALL_BUT_X, "/xylophone", False),
    ("other path", ALL_BUT_X, "/y/x", True),
    ("paths have case", ALL_BUT_X, "/X", True),
    ("everything", "User-agent: *\nDisallow: /", "/", False),
    ("nothing", "User-agent: *\nDisallow:", "/", True),
    ("the longest rule wins", "User-agent: *\nDisallow: /a\nAllow: /a/b", "/a/b/c", True),
    ("the longest rule wins in any order", "User-agent: *\nAllow: /a/b\nDisallow: /a", "/a/c", False),
    ("allow wins a tie", "User-agent: *\nDisallow: /p\nAllow: /p", "/p", True),
    ("star", "User-agent: *\nDisallow: /*.pdf", "/a/b.pdf?x=1", False),
    ("end", "User-agent: *\nDisallow: /*.pdf$", "/a/b.pdf?x=1", True),
    ("end matches", "User-agent: *\nDisallow: /*.pdf$", "/a/b.pdf", False),
    ("query", "User-agent: *\nDisallow: /*?", "/a?b", False),
    ("escapes are the same", "User-agent: *\nDisallow: /%E7%94%B5", "/%E7%94%B5%E7%BD%91", False),
    ("raw UTF-8 is the same", "User-agent: *\nDisallow: /电", "/%E7%94%B5%E7%BD%91", False),
    ("robots.txt itself", "User-agent: *\nDisallow: /", "/robots.txt", True),
    ("our group", "User-agent: *\nDisallow:\n\nUser-agent: shoal\nDisallow: /x", "/x", False),
    ("our group alone counts", "User-agent: *\nDisallow: /\n\nUser-agent: Shoal\nDisallow: /x", "/y", True),
    ("names have no case", "User-agent: SHOAL\nDisallow: /x", "/x", False),
    ("version after the name", "User-agent: Shoal/9.9\nDisallow: /x", "/x", False),
    ("words after the name", "User-agent: Shoal the crawler\nDisallow: /x", "/x", False),
    ("a prefix of our name", "User-agent: sho\nDisallow: /", "/", True),
    ("our name is a prefix", "User-agent: shoaling\nDisallow: /", "/", True),
    ("our name inside", "User-agent: my-shoal\nDisallow: /", "/", True),
    ("somebody else", "User-agent: Googlebot\nDisallow: /", "/", True),
    ("groups of one name are joined", "User-agent: shoal\nDisallow: /a\nUser-agent: shoal\nDisallow: /b", "/b", False),
    ("one group of many names", "User-agent: one\nUser-agent: shoal\nUser-agent: two\nDisallow: /x", "/x", False),
    ("rules before any group", "Disallow: /\nUser-agent: *\nAllow: /", "/x", True),
    ("comments", "User-agent: * # all\nDisallow: /x # secret", "/x", False),
    ("byte order mark", "\ufeff" + ALL_BUT_X, "/x", False),
    ("DOS lines", ALL_BUT_X.replace("\n", "\r\n"), "/x", False),
    ("old Macintosh lines", "User-agent: shoal\rDisallow: /x", "/x", False),
    ("no colon", "User-agent *\nDisallow /x", "/x", False),
    ("spaces", "   User-agent  :  *  \n  Disallow  :  /x  ", "/x", False),
    ("unknown lines", "User-agent: *\nFoo: bar\nDisallow: /x", "/x", False),
    ("sitemaps do not end a group", "User-agent: *\nSitemap: https://a.test/s.xml\nDisallow: /x", "/x", False),
    ("HTML", "<!doctype html><html><body><h1>Welcome</h1><p>Disallow: /</p></body></html>", "/", True),
    ("NUL bytes", "\x00\x00\x00" * 100, "/", True),
    ("many stars", "User-agent: *\nDisallow: /" + "*a" * 2000 + "b", "/" + "a" * 5000, True),
]


@pytest.mark.parametrize(("text", "path", "allowed"), [c[1:] for c in CASES], ids=[c[0] for c in CASES])
def test_rules(text: str, path: str, allowed: bool) -> None:
    assert Robots(text, "Shoal/0.1").allowed(SITE + path) is allowed


@pytest.mark.parametrize(
    ("text", "delay"),
    [
        ("User-agent: *\nCrawl-delay: 2.5", 2.5),
        ("User-agent: shoal\nCrawl-delay: 7\n\nUser-agent: *\nCrawl-delay: 1", 7.0),
        ("User-agent: sho\nCrawl-delay: 7", None),
        ("User-agent: *\nCrawl-delay: soon", None),
        ("User-agent: *\nCrawl-delay: inf", None),
        ("User-agent: *\nCrawl-delay: nan", None),
        ("User-agent: *\nCrawl-delay: -3", None),
        ("", None),
    ],
)
def test_crawl_delay(text: str, delay: float | None) -> None:
    assert Robots(text, "Shoal/0.1").crawl_delay == delay


def test_only_the_first_500_kib_count() -> None:
    text = "User-agent: *\nDisallow: /early\n" + "#" * MAX_TEXT + "\nDisallow: /late\n"
    rules = Robots(text, "Shoal")
    assert not rules.allowed(SITE + "/early")
    assert rules.allowed(SITE + "/late")


@pytest.mark.parametrize(
    ("agent", "token"),
    [("Shoal/0.1", "Shoal"), ("Shoal", "Shoal"), ("My-Bot/2 (+https://x.test)", "My-Bot"), ("My Bot", "My")],
)
def test_the_token_is_the_product_name(agent: str, token: str) -> None:
    assert product_token(agent) == token


def test_the_constants() -> None:
    assert ALLOW_ALL.allowed(SITE + "/anything")
    assert not DISALLOW_ALL.allowed(SITE + "/anything")


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
    records = [
        first.learn("http://a.test", read(ALL_BUT_X), NOW),
        first.learn("http://b.test", missed(Reason.STATUS, 404), NOW),
        first.learn("http://c.test", missed(Reason.TIMEOUT), NOW),
    ]
    second = new_book()
    second.load(records)
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
        visitor = PageVisitor(fetcher, InTurns(PageReader(NoParser(), NoJudge())))
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
