"""The stateless half of a crawl: fetch, parse, judge."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from shoal.crawl.page_reader import PageReader
from shoal.crawl.readers import InTurns
from shoal.crawl.worker import PageVisitor, open_visitor
from shoal.model import (
    Link,
    Missed,
    Moved,
    Page,
    Reason,
    Response,
    RobotsRead,
    Seen,
    Task,
    TaskKind,
    Term,
    Topic,
    Verdict,
    Visit,
)
from shoal.settings import Fetching, Settings
from shoal.store.packed_page import pack
from shoal.testing.fakes import Answer, FakeFetcher, failure, html, redirect
from shoal.testing.webserver import SimpleWeb, WebServer

URL = "http://a.test/"


class LineParser:
    """Takes every line for a link; knows only HTML."""

    def parse(self, response: Response) -> Page | None:
        if response.content_type != "text/html":
            return None
        lines = response.body.decode().splitlines()
        return Page(url=response.url, links=tuple(Link(url=f"{URL}{i}", anchor=line) for i, line in enumerate(lines)))


class LengthJudge:
    """Scores by length."""

    def judge(self, page: Page) -> Verdict:
        return Verdict(score=len(page.links), threshold=2)

    def judge_links(self, links: Sequence[Link]) -> tuple[float, ...]:
        return tuple(float(len(link.anchor)) for link in links)


async def visit(answer: Answer, kind: TaskKind = "page") -> Visit:
    visitor = PageVisitor(FakeFetcher({URL: answer}), InTurns(PageReader(LineParser(), LengthJudge(), pack)))
    return await visitor.visit(Task(id=7, url=URL, kind=kind))


async def test_a_page_is_parsed_and_judged_with_a_hint_for_every_link() -> None:
    seen = await visit(html(URL, "one\nthree"))
    assert isinstance(seen, Seen)
    assert seen.task.id == 7
    assert seen.page is not None
    assert [link.anchor for link in seen.page.links] == ["one", "three"]
    assert seen.verdict == Verdict(score=2, threshold=2)
    assert seen.hints == (3.0, 5.0)


async def test_what_is_not_text_is_recorded_without_a_page() -> None:
    seen = await visit(html(URL, b"", content_type="image/png"))
    assert isinstance(seen, Seen)
    assert (seen.page, seen.verdict, seen.hints) == (None, None, ())
    assert seen.response.content_type == "image/png"


async def test_a_failure_is_a_miss() -> None:
    missed = await visit(failure(URL, Reason.TIMEOUT, heals=True))
    assert isinstance(missed, Missed)
    assert (missed.failure.reason, missed.failure.heals, missed.task.id) == (Reason.TIMEOUT, True, 7)


async def test_a_redirect_is_a_move() -> None:
    moved = await visit(redirect(URL, "http://b.test/"))
    assert isinstance(moved, Moved)
    assert (moved.redirect.target, moved.task.id) == ("http://b.test/", 7)


@pytest.mark.parametrize(
    ("body", "text"),
    [
        (b"User-agent: *", "User-agent: *"),
        (b"\xef\xbb\xbfUser-agent: *", "User-agent: *"),
        (b"# \xff\xfe caf\xe9", "# \ufffd\ufffd caf\ufffd"),
        (b"", ""),
    ],
)
async def test_a_robots_txt_is_read_as_text_and_never_as_a_page(body: bytes, text: str) -> None:
    read = await visit(html(URL, body), kind="robots")
    assert isinstance(read, RobotsRead)
    assert read.text == text


# --- the parts that visit pages are those that the settings ask for --------------------------------------------------

TOPIC = Topic(name="电网", terms=(Term(text="电网"),))


@pytest.mark.parametrize(("agent", "nofollow"), [("MyBot/2.0", True), ("Shoal/0.1", False)])
async def test_a_page_is_read_by_the_name_we_go_by(agent: str, nofollow: bool) -> None:
    web = SimpleWeb().page("http://a.test/", "电网", head='<meta name="mybot" content="nofollow">')
    async with WebServer(web) as server:
        fetching = Fetching(proxy=server.proxy, user_agent=agent)
        async with open_visitor(Settings(topic=TOPIC, seeds=("http://a.test/",), fetching=fetching)) as visitor:
            visit = await visitor.visit(Task(id=1, url="http://a.test/"))
    assert isinstance(visit, Seen)
    assert visit.page is not None
    assert visit.page.nofollow is nofollow
