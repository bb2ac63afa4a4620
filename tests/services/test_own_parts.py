"""Do a program's own strategy and judge crawl? They do, say what they did wrong, and are missed when they are not there."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

import pytest

from shoal import services
from shoal.crawl.termination import Ending
from shoal.errors import InputError, OwnCodeFailed
from shoal.installation.location import Installation
from shoal.model import Candidate, Evidence, Link, Page, Repriced, Seen, Verdict
from shoal.protocols import Judge, Strategy
from shoal.services.own_parts import OwnParts
from shoal.settings import Settings
from shoal.testing.webserver import SimpleWeb
from shoal.topic.topic_file import topic_from_words
from tests.shell import served

SEED = "http://a.test/"


class LongestUrl(Strategy):
    """A rule that nobody else has."""

    def __init__(self) -> None:
        self.seen: list[str] = []

    def follow(self, seen: Seen) -> Iterable[Candidate]:
        self.seen.append(seen.task.url)
        assert seen.page is not None
        for link in seen.page.links:
            yield Candidate(link=link, priority=float(len(link.url)), why="it is long")


class Substations(Judge):
    """Relevant is what says 变电站 in its text."""

    def judge(self, page: Page) -> Verdict:
        relevant = "变电站" in page.text
        why = (Evidence(what="变电站", amount=1.0),) if relevant else ()
        return Verdict(score=1.0 if relevant else 0.1, threshold=0.5, why=why)

    def judge_links(self, links: Sequence[Link]) -> tuple[float, ...]:
        return tuple(0.5 for _ in links)


class Stumbling(Substations):
    def judge(self, page: Page) -> Verdict:
        if page.url.endswith("grid"):
            raise ValueError("what is this")
        return super().judge(page)


@pytest.fixture
def proxy() -> Iterator[str]:
    web = SimpleWeb()
    web.page(SEED, "The power grid has a home.", title="电网", links=["/b", "/long/grid", "/ccc"])
    web.page(f"{SEED}b", "A grid of the city.", title="b")
    web.page(f"{SEED}ccc", "城市的变电站很多。" * 3, title="ccc")
    web.page(f"{SEED}long/grid", "Another grid.", title="grid")
    with served(web) as server:
        yield server.proxy


def settings(proxy: str, **options: object) -> Settings:
    given = {"proxy": proxy, "delay": 0.0, "index": False} | options
    return topic_from_words("power grid, 电网", [SEED], names=services.choices.names(), options=given)


async def run(folder: Path, own: OwnParts) -> Ending:
    return await services.run.run_crawl(folder, Installation(home=folder.parent), own=own)


async def test_a_strategy_of_ones_own_chooses(tmp_path: Path, proxy: str) -> None:
    strategy = LongestUrl()
    own = OwnParts(strategy=strategy)
    services.crawls.start_crawl(tmp_path / "c", settings(proxy, concurrency=1), own=own)
    assert await run(tmp_path / "c", own) is Ending.NOTHING_LEFT
    assert strategy.seen == [SEED, f"{SEED}long/grid", f"{SEED}ccc", f"{SEED}b"]
    assert services.explain.explain_url(tmp_path / "c", f"{SEED}ccc").priority_why == "it is long"


async def test_a_judge_of_ones_own_judges(tmp_path: Path, proxy: str) -> None:
    own = OwnParts(judge=Substations())
    services.crawls.start_crawl(tmp_path / "c", settings(proxy), own=own)
    assert await run(tmp_path / "c", own) is Ending.NOTHING_LEFT
    pages = services.export.fetched_pages(tmp_path / "c")
    assert len(pages) == 4
    assert [page.url for page in pages if page.relevant] == [f"{SEED}ccc"]
    assert {page.threshold for page in pages} == {0.5}


async def test_what_it_raises_ends_the_crawl_and_loses_nothing(tmp_path: Path, proxy: str) -> None:
    folder = tmp_path / "c"
    services.crawls.start_crawl(folder, settings(proxy), own=OwnParts(judge=Stumbling()))
    sentence = "Stumbling raised ValueError for http://a.test/long/grid: what is this"
    with pytest.raises(OwnCodeFailed, match=sentence) as caught:
        await run(folder, OwnParts(judge=Stumbling()))
    assert isinstance(caught.value.__cause__, ValueError)
    assert services.status.crawl_status(folder).internal_errors == 0
    mended = OwnParts(judge=Substations())
    services.crawls.change_settings(folder, {}, mended)
    assert await run(folder, mended) is Ending.NOTHING_LEFT
    assert len(services.export.fetched_pages(folder)) == 4


class Repricing(LongestUrl):
    """Thinks anew after each page, or before the first one, and stumbles."""

    def __init__(self, *, before: bool) -> None:
        super().__init__()
        self.before = before

    def pace(self) -> int:
        if self.before:
            raise ValueError("no pace")
        return 1

    async def refresh(self) -> Sequence[Repriced]:
        raise ValueError("no refresh")

    def lost(self, keys: Iterable[int]) -> None:
        """It remembers none."""


class Losing(Repricing):
    def lost(self, keys: Iterable[int]) -> None:
        raise ValueError("no recalled")


@pytest.mark.parametrize(
    ("strategy", "method"),
    [(Repricing(before=True), "pace"), (Repricing(before=False), "refresh"), (Losing(before=False), "recalled")],
)
async def test_what_else_it_does_is_its_own_mistake_too(
    tmp_path: Path, proxy: str, strategy: Strategy, method: str
) -> None:
    own = OwnParts(strategy=strategy)
    services.crawls.start_crawl(tmp_path / "c", settings(proxy), own=own)
    with pytest.raises(OwnCodeFailed, match=f"raised ValueError in {method}: no {method}") as caught:
        await run(tmp_path / "c", own)
    assert isinstance(caught.value.__cause__, ValueError)
    assert services.supervisor.state_of(tmp_path / "c").state == "failed"


class Wordless(Substations):
    def judge(self, page: Page) -> Verdict:
        return 0.5  # type: ignore[return-value]


class TooFew(Substations):
    def judge_links(self, links: Sequence[Link]) -> tuple[float, ...]:
        return ()


class NoCandidates(Strategy):
    def follow(self, seen: Seen) -> Iterable[Candidate]:
        return ["http://a.test/b"]  # type: ignore[list-item]


@pytest.mark.parametrize(
    ("own", "sentence"),
    [
        (OwnParts(judge=Wordless()), "judge must give a Verdict, not 0.5"),
        (OwnParts(judge=TooFew()), "judge_links must give a number for each of 3 links, not 0"),
        (OwnParts(strategy=NoCandidates()), "follow must give candidates, not 'http://a.test/b'"),
    ],
)
async def test_what_is_no_answer_is_said(tmp_path: Path, proxy: str, own: OwnParts, sentence: str) -> None:
    services.crawls.start_crawl(tmp_path / "c", settings(proxy), own=own)
    with pytest.raises(OwnCodeFailed, match=sentence):
        await run(tmp_path / "c", own)


async def test_who_goes_on_without_them_is_told(tmp_path: Path, proxy: str) -> None:
    folder, own = tmp_path / "c", OwnParts(strategy=LongestUrl(), judge=Substations())
    services.crawls.start_crawl(folder, settings(proxy), own=own)
    advice = r"has a strategy of a program's own, LongestUrl: .* shoal\.open\(.*\)\.resume\(strategy=…\)"
    with pytest.raises(InputError, match=advice):
        services.crawls.change_settings(folder, {})
    with pytest.raises(InputError, match=advice):
        await run(folder, OwnParts())
    with pytest.raises(InputError, match=advice):
        services.models.export_model(folder, tmp_path / "model")
    with pytest.raises(InputError, match=r"has a judge of a program's own, Substations"):
        services.crawls.change_settings(folder, {"strategy": "breadth"})
    services.crawls.change_settings(folder, {"strategy": "breadth", "judge": "cosine"})
    assert await run(folder, OwnParts()) is Ending.NOTHING_LEFT


def test_they_work_in_one_process_only(tmp_path: Path, proxy: str) -> None:
    own = OwnParts(judge=Substations())
    with pytest.raises(InputError, match="A judge of one's own cannot work in 2 processes"):
        services.crawls.start_crawl(tmp_path / "c", settings(proxy, processes=2), own=own)
    assert list(tmp_path.iterdir()) == []


def test_a_lost_database_is_made_anew_without_them(tmp_path: Path) -> None:
    own = OwnParts(strategy=LongestUrl(), judge=Substations())
    kept = services.own_parts.with_own(settings(""), own)
    assert (kept.strategy, kept.judge) == ("LongestUrl()", "Substations()")
    without = services.own_parts.without_own(kept)
    assert without.strategy in services.choices.names().strategies
    assert without.judge in services.choices.names().judges
