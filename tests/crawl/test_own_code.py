"""What of a program's own strategy and judge goes into a crawl? Answers only (`tests/services/test_own_parts.py` has crawls)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import partial
from math import nan
from typing import Any

import msgspec
import numpy
import pytest

from shoal.crawl.own_code import OwnCodeFell, OwnJudgeReader, for_own_judge, guarded, is_own, name_of_own
from shoal.crawl.page_reader import PageReader
from shoal.crawl.readers import InTurns
from shoal.judge import judges, make_judge
from shoal.model import Candidate, Evidence, Link, Mark, Outlook, Page, Repriced, Seen, Task, Term, Topic, Verdict
from shoal.parse.parser import HtmlParser
from shoal.protocols import Judge, Strategy
from shoal.settings import Settings
from shoal.store.packed_page import pack
from shoal.strategy import strategies
from shoal.testing.fakes import html
from tests.strategy.pages import page

TOPIC = Topic(name="grid", terms=(Term(text="电网"),))
GBK = "<title>電網</title><p>这座城市的电网由变电站组成，每天都有人维护。<a href='/b'>变电站</a>".encode("gbk")


class Looking(Judge):
    """Remembers what it was shown."""

    def __init__(self) -> None:
        self.page: Page | None = None

    def judge(self, page: Page) -> Verdict:
        self.page = page
        return Verdict(score=0.75, threshold=0.5)

    def judge_links(self, links: Sequence[Link]) -> tuple[float, ...]:
        return tuple(0.25 for _ in links)


def reader(learns: bool, judge: Judge) -> OwnJudgeReader:
    within = PageReader(HtmlParser("Shoal/0.1"), make_judge("cosine", TOPIC), pack, learns=True)
    return OwnJudgeReader(InTurns(within), judge, learns=learns)


@pytest.mark.parametrize("learns", [True, False])
async def test_a_judge_sees_the_whole_page(learns: bool) -> None:
    judge, url = Looking(), "http://a.test/"
    seen = await reader(learns, judge).read(Task(id=1, url=url), html(url, GBK, content_type="text/html; charset=gbk"))
    assert isinstance(seen, Seen)
    assert seen.verdict == Verdict(score=0.75, threshold=0.5)
    assert seen.hints == (0.25,)
    assert judge.page is not None
    assert (judge.page.title, judge.page.charset) == ("電網", "gb18030")
    assert "电网由变电站组成" in judge.page.text
    parsed = HtmlParser("Shoal/0.1").parse(html(url, GBK, content_type="text/html; charset=gbk"))
    assert parsed is not None
    assert judge.page.flat == parsed.flat
    assert bool(seen.text) is learns


async def test_what_is_no_text_is_not_judged() -> None:
    judge, url = Looking(), "http://a.test/a.zip"
    seen = await reader(False, judge).read(
        Task(id=1, url=url), html(url, b"PK\x03\x04", content_type="application/zip")
    )
    assert isinstance(seen, Seen)
    assert seen.verdict is None
    assert judge.page is None


def test_readers_of_its_crawl_know_their_judge_and_keep_the_text() -> None:
    settings = for_own_judge(Settings(topic=TOPIC, seeds=(), judge=name_of_own(Looking())))
    assert settings.judge in judges()
    assert settings.learning.reads_pages


class Falling(Strategy):
    def follow(self, seen: Seen) -> Iterable[Candidate]:
        yield from ()
        raise KeyError("电网")


def test_a_mistake_goes_through_all_boundaries() -> None:
    with pytest.raises(OwnCodeFell, match=r"Falling raised KeyError for http://a.test/: '电网'"):
        guarded(Falling()).follow(page("http://a.test/", "http://a.test/1"))
    assert not issubclass(OwnCodeFell, Exception)


class Answering(Strategy):
    """Says the same of every page."""

    def __init__(self, *answers: Any) -> None:
        self.answers = answers

    def follow(self, seen: Seen) -> Iterable[Candidate]:
        return self.answers


class Tired(Falling):
    """Cannot do what else a strategy may."""

    def pace(self) -> int:
        raise KeyError("pace")

    async def refresh(self) -> Sequence[Repriced]:
        return [Repriced(key=1, priority=nan, why="")]

    def lost(self, keys: Iterable[int]) -> None:
        raise KeyError("lost")

    def learn_mark(self, mark: Mark) -> None:
        raise KeyError("learn_mark")

    def outlook(self, pages: int) -> Outlook:
        raise KeyError("outlook")

    def memo(self, seen: Seen) -> bytes:
        raise KeyError("memo")

    def recall(self, memos: Iterable[bytes]) -> None:
        """It has none."""


async def test_a_mistake_in_what_else_it_does_is_no_less_its_own() -> None:
    tired = guarded(Tired())
    assert tired.repricer is not None
    assert tired.mark_learner is not None
    assert tired.forecaster is not None
    seen = page("http://a.test/", "http://a.test/1")
    mark = Mark(url="http://a.test/", relevant=True, at=1.0)
    calls: dict[str, Callable[[], object]] = {
        "pace": tired.repricer.pace,
        "lost": lambda: tired.lost([1]),
        "learn_mark": partial(tired.mark_learner.learn_mark, mark),
        "outlook": partial(tired.forecaster.outlook, 1),
        "memo": lambda: tired.memo(seen),
    }
    for name, call in calls.items():
        with pytest.raises(OwnCodeFell, match=f"Tired raised KeyError in {name}: '{name}'"):
            call()
    with pytest.raises(OwnCodeFell, match="Tired raised ValueError in refresh: a priority must be a number, not nan"):
        await tired.repricer.refresh()
    with pytest.raises(OwnCodeFell, match="in lost: 'lost'"):
        tired.repricer.lost([1])


LINK = Link(url="http://a.test/1", anchor="电网")


@pytest.mark.parametrize(
    ("answer", "sentence"),
    [
        (5, "follow must give candidates, not 5"),
        (Candidate(link=LINK, priority="high"), "the priority of a candidate must be a number, not 'high'"),  # type: ignore[arg-type]
        (Candidate(link=LINK, priority=nan), "the priority of a candidate must be a number, not nan"),
        (Candidate(link="http://a.test/1", priority=1.0), "a candidate has a link and says why in words"),  # type: ignore[arg-type]
        (Candidate(link=LINK, priority=1.0, why=5), "a candidate has a link and says why in words"),  # type: ignore[arg-type]
    ],
)
def test_what_is_no_candidate_is_the_strategys_mistake(answer: object, sentence: str) -> None:
    with pytest.raises(OwnCodeFell, match=sentence):
        guarded(Answering(answer)).follow(page("http://a.test/", "http://a.test/1"))


def test_a_number_of_numpy_is_one() -> None:
    given = Candidate(link=LINK, priority=numpy.float32(0.5))  # type: ignore[arg-type]
    (found,) = guarded(Answering(given)).follow(page("http://a.test/", "http://a.test/1"))
    assert type(found.priority) is float
    assert found.priority == 0.5


class Saying(Judge):
    """Says the same of every page, and of every link."""

    def __init__(self, verdict: Any, hint: Any = 0.5) -> None:
        self.verdict, self.hint = verdict, hint

    def judge(self, page: Page) -> Verdict:
        return self.verdict  # type: ignore[no-any-return]

    def judge_links(self, links: Sequence[Link]) -> tuple[float, ...]:
        return tuple(self.hint for _ in links)


def verdict(score: Any = 0.5, threshold: Any = 0.5, why: Any = ()) -> Verdict:
    return Verdict(score=score, threshold=threshold, why=why)


@pytest.mark.parametrize(
    ("judge", "sentence"),
    [
        (Saying(None), "judge must give a Verdict, not None"),
        (Saying(verdict("x")), "a score must be a number, not 'x'"),
        (Saying(verdict(nan)), "a score must be a number, not nan"),
        (Saying(verdict(0.5, None)), "a threshold must be a number, not None"),
        (Saying(verdict(why=("words",))), "the why of a verdict is evidence in words, not 'words'"),
        (Saying(verdict(), "x"), "the promise of a link must be a number, not 'x'"),
    ],
)
async def test_what_is_no_verdict_is_the_judges_mistake(judge: Judge, sentence: str) -> None:
    url = "http://a.test/"
    with pytest.raises(OwnCodeFell, match=f"Saying raised .*: {sentence}"):
        await reader(False, judge).read(Task(id=1, url=url), html(url, GBK, content_type="text/html; charset=gbk"))


async def test_a_verdict_in_numbers_of_numpy_is_one() -> None:
    url, amount = "http://a.test/", numpy.float32(0.5)
    judge = Saying(verdict(amount, amount, (Evidence(what="grid", amount=amount),)), amount)  # type: ignore[arg-type]
    seen = await reader(False, judge).read(Task(id=1, url=url), html(url, GBK, content_type="text/html; charset=gbk"))
    assert isinstance(seen, Seen)
    assert msgspec.json.decode(msgspec.json.encode(seen.verdict), type=Verdict) == verdict(
        why=(Evidence(what="grid", amount=0.5),)
    )
    assert seen.hints == (0.5,)


def test_no_name_of_ours_looks_like_an_object() -> None:
    assert is_own(name_of_own(Falling()))
    assert not any(map(is_own, (*strategies(), *judges())))
