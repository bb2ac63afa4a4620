"""A recorded answer is understood exactly as the same answer from a server."""

from __future__ import annotations

import asyncio
from collections.abc import Collection
from dataclasses import dataclass, field

from msgspec.structs import replace

from shoal.evaluate.offline_fetcher import OfflineFetcher, read_answer
from shoal.model import Failure, Reason, Redirect, Response, Task, TaskKind
from shoal.settings import Fetching
from shoal.testing.clock import JumpingClock, in_no_time
from shoal.testing.webserver import WebAnswer

HTML = ("Content-Type", "text/html")


@dataclass
class Dictionary:
    """A web written down in a test."""

    answers: dict[str, WebAnswer]
    asked: list[tuple[str, int]] = field(default_factory=list)
    name: str = "dictionary"

    def urls(self) -> Collection[str]:
        return list(self.answers)

    def answer(self, url: str, nth: int = 0) -> WebAnswer | None:
        self.asked.append((url, nth))
        return self.answers.get(url)


def ask(
    answer: WebAnswer, *, url: str = "http://a.test/", kind: TaskKind = "page", settings: Fetching | None = None
) -> Response | Redirect | Failure:
    clock = JumpingClock(1000.0)
    fetcher = OfflineFetcher(Dictionary({"http://a.test/": answer}), settings or Fetching(), clock, 0.5)
    return in_no_time(clock, lambda: fetcher.fetch(Task(id=1, url=url, kind=kind)), longest=1e6, turns=1000)


def test_a_page_comes_after_its_time() -> None:
    page = ask(WebAnswer(headers=(HTML, ("X-Robots-Tag", "none")), body="电网".encode("gbk")))
    assert isinstance(page, Response)
    assert (page.status, page.body.decode("gbk"), page.truncated) == (200, "电网", False)
    assert page.headers == (("content-type", "text/html"), ("x-robots-tag", "none"))
    assert (page.timing.started, page.timing.answered, page.timing.address) == (1000.0, 1000.5, "")


def test_a_slow_answer_takes_longer() -> None:
    assert ask(WebAnswer(headers=(HTML,), delay=3.0)).timing.ended == 1003.0


def test_a_redirect_leads_to_a_url_in_normal_form() -> None:
    moved = ask(WebAnswer(status=302, headers=(("location", "/%7ex#top"),)))
    assert isinstance(moved, Redirect)
    assert moved.target == "http://a.test/~x"
    # A path in GBK, as bytes.
    moved = ask(WebAnswer(status=301, headers=(("Location", "/电".encode("gbk").decode("latin-1")),)))
    assert isinstance(moved, Redirect)
    assert moved.target == "http://a.test/%B5%E7"


def test_what_is_no_page_is_a_failure() -> None:
    gone = ask(WebAnswer(), url="http://a.test/never")
    assert isinstance(gone, Failure)
    assert (gone.reason, gone.status, gone.heals, gone.detail) == (
        *(Reason.STATUS, 404, False),
        "The server answered 404 Not Found.",
    )
    busy = ask(WebAnswer(status=503, headers=(("Retry-After", "30"),)))
    assert isinstance(busy, Failure)
    assert (busy.heals, busy.retry_after) == (True, 30.0)
    strange = ask(WebAnswer(status=999))
    assert isinstance(strange, Failure)
    assert strange.detail == "The server answered 999."
    lost = ask(WebAnswer(status=301))
    assert isinstance(lost, Failure)
    assert lost.reason is Reason.BAD_REDIRECT


def test_bodies_are_taken_as_far_as_they_are_wanted() -> None:
    image = ask(WebAnswer(headers=(("Content-Type", "image/png"),), body=b"\x89PNG"))
    assert isinstance(image, Response)
    assert image.body == b""
    long = ask(WebAnswer(headers=(HTML,), body=b"x" * 100), settings=Fetching(max_body=10))
    assert isinstance(long, Response)
    assert (long.body, long.truncated) == (b"x" * 10, True)
    rules = ask(
        WebAnswer(headers=(("Content-Type", "application/octet-stream"),), body=b"User-agent: *"), kind="robots"
    )
    assert isinstance(rules, Response)
    assert rules.body == b"User-agent: *"


def test_no_two_answers_come_at_the_same_moment() -> None:
    """Which of two would be understood first would depend on how fast this computer is."""
    clock = JumpingClock(1_767_225_600.0)
    web = Dictionary({f"http://a.test/{n}": WebAnswer(headers=(HTML,)) for n in range(50)})
    fetcher = OfflineFetcher(web, Fetching(), clock, 0.5)

    async def all_at_once() -> list[Response | Redirect | Failure]:
        return await asyncio.gather(*(fetcher.fetch(Task(id=1, url=url)) for url in web.urls()))

    answers = in_no_time(clock, all_at_once, longest=1e6, turns=1000)
    assert len({answer.timing.answered for answer in answers}) == 50
    assert fetcher.requests == 50
    assert web.asked == [(f"http://a.test/{n}", n + 1) for n in range(50)]


def test_an_answer_can_be_read_without_a_crawl() -> None:
    settings = Fetching(max_body=4)
    for kind, body in (("text/html; charset=gbk", "电网电网".encode("gbk")), ("image/png", b"\x89PNG")):
        answer = WebAnswer(headers=(("Content-Type", kind),), body=body, delay=3.0)
        read, fetched = read_answer("http://a.test/", answer, settings), ask(answer, settings=settings)
        assert read is not None
        assert isinstance(fetched, Response)
        assert replace(read, timing=fetched.timing) == fetched
    assert read_answer("http://a.test/", WebAnswer(status=301, headers=(("Location", "/x"),)), settings) is None
    assert read_answer("http://a.test/", WebAnswer(headers=(("X", "x" * 10**6),)), settings) is None, (
        "no crawl would take it"
    )
