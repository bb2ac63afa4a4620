"""What every strategy keeps, whatever its rule. A new file in `strategy/` is tested here without a change."""

from __future__ import annotations

import asyncio
import inspect
import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from random import Random

import msgspec
import pytest

from shoal import services
from shoal.crawl.coordinator import Coordinator
from shoal.crawl.page_reader import PageReader
from shoal.crawl.readers import InTurns
from shoal.crawl.termination import Ending
from shoal.crawl.worker import PageVisitor
from shoal.errors import InputError
from shoal.judge import judges
from shoal.judge.registry import Registered
from shoal.model import (
    Candidate,
    Entry,
    Evidence,
    Link,
    LinkKind,
    Mark,
    Outlook,
    Reason,
    Repriced,
    Seen,
    State,
    Term,
    Topic,
    Value,
)
from shoal.parse.parser import HtmlParser
from shoal.protocols import (
    Forecaster,
    LeaseObserver,
    LinkExplainer,
    MarkLearner,
    Persistent,
    Portable,
    Repricer,
    Strategy,
)
from shoal.store.packed_page import pack
from shoal.strategy import SEED_PRIORITY, capabilities_of, strategies
from shoal.testing.fakes import Answer, FakeFetcher
from shoal.urls import key_of
from tests.crawl import simulated
from tests.crawl.simulated import Simulation
from tests.running import assert_consistent, fates, stored
from tests.strategy.pages import seen

TOPIC = Topic(name="grid", terms=(Term(text="power grid"), Term(text="电网")))
NOW = 1.8e9
LATE = 4.2e9
"""Seconds since 1970; the second one is in the year 2103."""
REFUSALS = {Reason.BOUND, Reason.THRESHOLD, Reason.NOFOLLOW}
"""What a strategy may have against a link."""
GARBAGE = (
    b"",
    b"\x00",
    b"\xff\xfe garbage",
    "电网".encode("gbk"),
    msgspec.msgpack.encode(["links", 1, True, b"odd"]),
    msgspec.msgpack.encode(["links", 2**63, False, b""]),
    msgspec.msgpack.encode(["genes", 1, -1.0, 1, []]),
    msgspec.msgpack.encode(["genes", 1, 0.5, 1, [[1, 2, "three"]]]),
    msgspec.msgpack.encode({"page": 1}),
)


@pytest.fixture(params=sorted(strategies()))
def choice(request: pytest.FixtureRequest) -> Registered[Strategy]:
    return strategies()[request.param]


@pytest.fixture
def strategy(choice: Registered[Strategy]) -> Strategy:
    return choice.make(TOPIC)


def pace(strategy: Strategy) -> int:
    return strategy.pace() if isinstance(strategy, Repricer) else 1_000_000


def refresh(strategy: Strategy) -> Sequence[Repriced]:
    """What is new of the URLs that wait."""
    return asyncio.run(_refreshed(strategy)) if isinstance(strategy, Repricer) else ()


async def _refreshed(strategy: Repricer) -> Sequence[Repriced]:
    return await strategy.refresh()


def recall(strategy: Strategy, memos: Iterable[bytes]) -> None:
    if isinstance(strategy, Persistent):
        strategy.recall(memos)


def outlook(strategy: Strategy, pages: int) -> Outlook | None:
    return strategy.outlook(pages) if isinstance(strategy, Forecaster) else None


def reasons(strategy: Strategy, entry: Entry) -> tuple[Evidence, ...]:
    return strategy.reasons(entry) if isinstance(strategy, LinkExplainer) else ()


def learn_mark(strategy: Strategy, mark: Mark) -> None:
    if isinstance(strategy, MarkLearner):
        strategy.learn_mark(mark)


def one_of_each_memory() -> list[str]:
    """A strategy for every way to remember: what is called when a crawl goes on, and whether its pages inherit.

    Who shares both is brought back by the same code, so one crawl that is stopped and one that is killed stand for all of them.
    """
    ways: dict[object, str] = {}
    for name, choice in sorted(strategies().items()):
        strategy = choice.make(TOPIC)
        followed = strategy.follow(seen(score=0.1, hints=(0.1,), depth=1))
        ways.setdefault((getattr(type(strategy), "recall", None), *(one.inherited is None for one in followed)), name)
    return list(ways.values())


@pytest.fixture(params=one_of_each_memory())
def rememberer(request: pytest.FixtureRequest) -> Registered[Strategy]:
    return strategies()[request.param]


# --- what it says about itself ---------------------------------------------------------------------------------------


def test_it_says_what_it_is(choice: Registered[Strategy]) -> None:
    assert choice.name == choice.name.lower()
    assert choice.summary
    assert "\n" not in choice.summary
    assert choice.judge in judges()


def test_its_parameters_are_those_of_its_maker(choice: Registered[Strategy]) -> None:
    taken = inspect.signature(choice.make).parameters.values()
    defaults = {one.name: one.default for one in taken if one.kind is inspect.Parameter.KEYWORD_ONLY}
    assert {one.name: one.default for one in choice.parameters} == defaults
    for one in choice.parameters:
        assert one.least <= one.default <= one.most
        assert one.what


def test_every_parameter_can_be_set_to_its_limits(choice: Registered[Strategy]) -> None:
    for one in choice.parameters:
        for amount in (one.default, one.least, one.most):
            strategy = choice.make(TOPIC, **{one.name: float(amount)})
            for visit in series(12):
                assert_sound(strategy.follow(visit), visit)
            assert pace(strategy) >= 1
            assert all(math.isfinite(new.priority) for new in refresh(strategy))


OPTIONAL = (Repricer, LeaseObserver, LinkExplainer, MarkLearner, Forecaster, Portable, Persistent)
"""What a strategy may be able to do."""


def methods_of(protocol: type) -> set[str]:
    return {name for name, value in vars(protocol).items() if inspect.isfunction(value) and not name.startswith("_")}


def test_what_it_can_do_it_can_do_whole(strategy: Strategy) -> None:
    """Half of a protocol is never called, and an inherited method without a body answers nothing."""
    for protocol in OPTIONAL:
        own = {
            name
            for name in methods_of(protocol)
            if getattr(type(strategy), name, None) not in (None, getattr(protocol, name))
        }
        assert own in (set(), methods_of(protocol)), protocol
        assert isinstance(strategy, protocol) == bool(own)


# --- candidates ------------------------------------------------------------------------------------------------------


def test_every_link_has_one_candidate_in_the_order_of_the_page(strategy: Strategy) -> None:
    links = [Link(url=f"http://x.example/{place}", position=place, kind=kind) for place, kind in enumerate(LinkKind)]
    visit = seen(score=0.3, hints=[0.1] * len(links), links=links)
    candidates = list(strategy.follow(visit))
    assert [one.link for one in candidates] == links


def test_priorities_are_numbers_with_a_reason_and_behind_the_seeds(strategy: Strategy) -> None:
    for score in (0.0, 0.5, 2.1):
        for depth in (0, 7):
            for ended in (NOW, LATE):
                visit = seen(score=score, hints=(0.0, 0.5, 1.0), depth=depth, ended=ended)
                assert_sound(strategy.follow(visit), visit)


def assert_sound(candidates: Iterable[Candidate], visit: Seen) -> None:
    found = list(candidates)
    assert visit.page is not None
    assert [one.link for one in found] == list(visit.page.links)
    for one in found:
        assert math.isfinite(one.priority)
        assert one.priority < SEED_PRIORITY
        assert one.why
        assert "\n" not in one.why
        assert one.inherited is None or math.isfinite(one.inherited)
        assert one.refused is None or one.refused in REFUSALS


def test_a_page_without_links_leads_nowhere(strategy: Strategy) -> None:
    assert list(strategy.follow(seen(score=1.0, hints=()))) == []


def test_what_is_not_a_page_leads_nowhere(strategy: Strategy) -> None:
    image = msgspec.structs.replace(seen(score=0.0, hints=()), page=None, verdict=None)
    assert list(strategy.follow(image)) == []
    assert list(refresh(strategy)) == []


def test_a_nofollow_link_is_refused_and_its_neighbours_are_not(strategy: Strategy) -> None:
    links = [
        Link(url="http://x.example/1"),
        Link(url="http://x.example/2", rel=("external", "nofollow")),
        Link(url="http://x.example/3", rel=("noopener",)),
    ]
    refused = [one.refused for one in strategy.follow(seen(score=0.5, hints=(0.5, 1.0, 0.5), links=links))]
    assert refused == [None, Reason.NOFOLLOW, None]


def test_a_nofollow_page_refuses_all_its_links(strategy: Strategy) -> None:
    candidates = list(strategy.follow(seen(score=0.5, hints=(0.5, 1.0), nofollow=True)))
    assert [one.refused for one in candidates] == [Reason.NOFOLLOW] * 2
    assert {one.why for one in candidates} == {"the page says nofollow"}


def test_the_same_visits_give_the_same_candidates(choice: Registered[Strategy]) -> None:
    def run() -> list[Value]:
        strategy = choice.make(TOPIC)
        return [one for visit in series(8) for one in (*strategy.follow(visit), *refresh(strategy))]

    assert run() == run()


def test_a_page_inherits_nothing_or_all_that_its_link_was_given(choice: Registered[Strategy]) -> None:
    """Who leaves nothing to a page does not ask what was left to it; else `None` is what a seed has."""
    visit = seen(score=0.1, hints=(0.0, 0.1), depth=1)
    given = msgspec.structs.replace(visit, task=msgspec.structs.replace(visit.task, inherited=0.25))
    from_seed = list(choice.make(TOPIC).follow(visit))
    from_page = list(choice.make(TOPIC).follow(given))
    if all(one.inherited is None for one in from_seed):
        assert from_page == from_seed
    else:
        assert from_page != from_seed


# --- what was learned ------------------------------------------------------------------------------------------------


def series(pages: int) -> list[Seen]:
    """Pages of three hosts that link to each other and to others, with scores, hints and texts of all kinds."""
    random = Random(7)
    texts = ("the power grid", "电网", "weather", "")
    urls = [f"http://h{number % 3}.example/{number}" for number in range(4 * pages)]
    visits = []
    for number in range(pages):
        others = random.sample(urls, random.randrange(2, 9))
        links = [Link(url=other, anchor=random.choice(texts), position=place) for place, other in enumerate(others)]
        visits.append(
            seen(
                score=random.choice((0.0, 0.1, 0.5, 1.0)),
                hints=[random.random() for _ in links],
                links=links,
                url=urls[number],
                depth=0 if number < 2 else random.randrange(1, 4),
                ended=NOW + number,
            )
        )
    return visits


def test_refresh_before_the_first_page_changes_nothing(strategy: Strategy) -> None:
    assert list(refresh(strategy)) == []
    assert pace(strategy) >= 1
    for visit in series(3):
        assert_sound(strategy.follow(visit), visit)


def test_refresh_prices_links_that_were_found(strategy: Strategy) -> None:
    known: set[int] = set()
    for visit in series(20):
        known |= {key_of(one.link.url) for one in strategy.follow(visit)}
        repriced = refresh(strategy)
        assert {one.key for one in repriced} <= known
        assert len({one.key for one in repriced}) == len(repriced)
        for one in repriced:
            assert math.isfinite(one.priority)
            assert one.priority < SEED_PRIORITY
            assert one.why


ROUGHLY = {"learned"}
"""Strategies that do not tell of changes by a hundredth: two of them may be apart by twice as much."""


class Prices:
    """What a strategy makes a frontier believe: a page's links come in, and what is due is asked for, as in a crawl."""

    def __init__(self, strategy: Strategy, prices: Mapping[int, float] | None = None) -> None:
        self.strategy = strategy
        self.of: dict[int, float] = dict(prices or {})
        """By key; of a link that was found twice, the better one."""
        self.memos: list[bytes] = []
        self._due = pace(strategy)

    def see(self, visit: Seen) -> None:
        for one in self.strategy.follow(visit):
            if one.refused is None:
                key = key_of(one.link.url)
                self.of[key] = max(one.priority, self.of.get(key, one.priority))
        self.memos.append(capabilities_of(self.strategy).memo(visit))
        self._due -= 1
        if self._due <= 0:
            self.refresh()

    def refresh(self) -> None:
        self.of.update({one.key: one.priority for one in refresh(self.strategy)})
        self._due = pace(self.strategy)


def greedy(choice: Registered[Strategy]) -> Strategy:
    """One that does not try things out: what it tries is not part of what it knows."""
    return choice.make(TOPIC, **{one.name: one.least for one in choice.parameters if one.name == "explore"})


def test_who_recalls_knows_what_the_follower_knows(choice: Registered[Strategy]) -> None:
    *visits, one_more, another = series(32)
    follower = Prices(greedy(choice))
    for visit in visits:
        follower.see(visit)
    heir = Prices(greedy(choice), follower.of)
    recall(heir.strategy, iter(follower.memos))
    for visit in (one_more, another):
        for each in (follower, heir):
            each.see(visit)
            each.refresh()
        assert heir.of == pytest.approx(follower.of, abs=0.02 if choice.name in ROUGHLY else None)


def noted(strategy: Strategy, visits: Iterable[Seen]) -> list[bytes]:
    """The memos of pages, each asked for when the page was followed."""
    can = capabilities_of(strategy)
    return [memo for visit in visits for _ in [list(can.follow(visit))] for memo in [can.memo(visit)]]


def test_memos_are_the_same_whoever_follows(choice: Registered[Strategy]) -> None:
    visits = series(6)
    memos = noted(choice.make(TOPIC), visits)
    assert noted(choice.make(TOPIC), visits) == memos
    # Made of the page alone, or while it was followed.
    assert capabilities_of(choice.make(TOPIC)).memo(visits[0]) in (b"", memos[0])


def test_what_other_strategies_noted_does_no_harm(choice: Registered[Strategy]) -> None:
    *visits, last = series(10)
    for other in strategies().values():
        strategy = choice.make(TOPIC)
        recall(strategy, (memo for noting in noted(other.make(TOPIC), visits) for memo in (*GARBAGE, noting)))
        assert_sound(strategy.follow(last), last)
        refresh(strategy)


def test_garbage_among_memos_is_as_nothing(choice: Registered[Strategy]) -> None:
    *visits, last = series(10)
    with_garbage, without = choice.make(TOPIC), choice.make(TOPIC)
    memos = noted(choice.make(TOPIC), visits)
    recall(with_garbage, (part for memo in memos for part in (*GARBAGE, memo)))
    recall(without, memos)
    assert list(with_garbage.follow(last)) == list(without.follow(last))


# --- what is asked beside ---------------------------------------------------------------------------------------------

STRANGE = (
    "http://never.example/heard-of",
    "http://电网.example/消息",
    "",
    "no URL at all",
    "http://x.example/\ud800",
)


def entry(url: str) -> Entry:
    return Entry(id=1, url=url, host="x.example", priority=0.5, anchor="\ud800 电网 \x00 power grid")


def waiting(strategy: Strategy, pages: int) -> list[str]:
    """The URLs that wait when so many pages came, in the order in which they were found."""
    visits = series(pages)
    links = [one.link.url for visit in visits for one in strategy.follow(visit) if one.refused is None]
    came = {visit.task.url for visit in visits}
    return [url for url in dict.fromkeys(links) if url not in came]


@pytest.mark.parametrize("pages", [0, 1, 12])
def test_what_it_never_heard_of_does_no_harm(choice: Registered[Strategy], pages: int) -> None:
    strategy = choice.make(TOPIC)
    waiting(strategy, pages)
    before, can = outlook(strategy, 100), capabilities_of(strategy)
    for url in STRANGE:
        can.chosen(entry(url))
        assert reasons(strategy, entry(url)) == ()
        for relevant in (None, True, False, None):
            learn_mark(strategy, Mark(url=url, relevant=relevant, at=NOW))
        can.lost([key_of(url)])
    assert outlook(strategy, 100) == before
    last = series(13)[-1]
    assert_sound(strategy.follow(last), last)
    refresh(strategy)


def test_why_a_link_was_chosen_and_what_makes_its_value(strategy: Strategy) -> None:
    urls, can = waiting(strategy, 12), capabilities_of(strategy)
    for url in urls:
        amounts = [abs(one.amount) for one in reasons(strategy, entry(url))]
        assert all(math.isfinite(amount) for amount in amounts)
        assert all(one.what and "\n" not in one.what for one in reasons(strategy, entry(url)))
        can.chosen(entry(url))
        can.chosen(entry(url))  # after a failure it is asked for again
        visit = seen(score=0.5, hints=(0.5,), url=url, depth=2)
        assert_sound(strategy.follow(visit), visit)
        why = can.why(entry(url))
        assert "\n" not in why
        assert not amounts or why, "who can say why says it"


def test_a_link_that_was_chosen_and_lost_does_no_harm(strategy: Strategy) -> None:
    urls, can = waiting(strategy, 12), capabilities_of(strategy)
    for url in urls:
        can.chosen(entry(url))
    can.lost(key_of(url) for url in urls[::2])
    for url in urls:
        visit = seen(score=0.5, hints=(0.5,), url=url, depth=2)
        assert_sound(strategy.follow(visit), visit)
        assert isinstance(can.why(entry(url)), str)


def test_marks_of_all_kinds_are_heard(strategy: Strategy) -> None:
    urls = waiting(strategy, 12)
    pages = [visit.task.url for visit in series(12)]
    for relevant in (True, True, False, None, None, True):
        for url in (*pages, urls[0]):
            learn_mark(strategy, Mark(url=url, relevant=relevant, at=NOW))
        for one in refresh(strategy):
            assert math.isfinite(one.priority)
            assert one.why
    visit = seen(score=0.0, hints=(0.5,), url=urls[0], depth=2)
    assert_sound(strategy.follow(visit), visit)


@pytest.mark.parametrize("pages", [0, 1, 30])
def test_an_outlook_is_possible_or_there_is_none(choice: Registered[Strategy], pages: int) -> None:
    strategy = choice.make(TOPIC)
    count = len(waiting(strategy, pages))
    for ahead in (0, 1, 10, 10_000):
        if (found := outlook(strategy, ahead)) is not None:
            assert found.pages == min(ahead, count)
            assert 0.0 <= found.relevant <= found.pages
            assert found.relevant <= found.missed <= count
            assert 0.0 <= found.audited_relevant <= found.audited
            assert found.expected_relevant >= 0.0


def test_what_one_crawl_learned_another_can_begin_with(choice: Registered[Strategy]) -> None:
    teacher, pupils = choice.make(TOPIC), [choice.make(TOPIC), choice.make(TOPIC)]
    if not isinstance(teacher, Portable):
        return
    assert teacher.knowledge() == b"", "nothing came yet"
    waiting(teacher, 20)
    refresh(teacher)
    assert (knowledge := teacher.knowledge())
    for pupil in pupils:
        assert refusal(pupil, knowledge) == ""
    for visit in series(12):
        ours, theirs = (list(pupil.follow(visit)) for pupil in pupils)
        assert_sound(ours, visit)
        assert ours == theirs
    pupil = pupils[0]
    assert isinstance(pupil, Portable)
    assert pupil.knowledge() not in (b"", knowledge), "it goes on learning"
    assert teacher.knowledge() == knowledge, "who teaches does not change"


@pytest.mark.parametrize("knowledge", [*GARBAGE, b"\x91" * 10_000, b"\x00" * 1_000_000])
def test_what_is_no_knowledge_is_refused_or_ignored(choice: Registered[Strategy], knowledge: bytes) -> None:
    strategy, new = choice.make(TOPIC), choice.make(TOPIC)
    assert refusal(strategy, knowledge).count(".") <= 1, "one sentence"
    for visit in series(3):
        assert list(strategy.follow(visit)) == list(new.follow(visit))


def refusal(strategy: Strategy, knowledge: bytes) -> str:
    try:
        if isinstance(strategy, Portable):
            strategy.begin_with(knowledge)
    except InputError as error:
        return str(error)
    return ""


# --- a whole crawl ---------------------------------------------------------------------------------------------------

HOSTS, SIZE = 4, 18


def small_web() -> dict[str, Answer]:
    """72 pages on four hosts, every third of them about the topic of the simulation, none far from the seed."""
    random = Random(11)
    urls = [f"http://h{number % HOSTS}.test/{number}" for number in range(HOSTS * SIZE)]
    web = {simulated.SEED: simulated.page(*urls[:8], text="grid, a beginning")}
    for number, url in enumerate(urls):
        links = [*urls[2 * number + 8 : 2 * number + 10], *random.sample(urls, 4)]
        text = " ".join(random.choice(("lamp", "tree", "boat", "salt", "moon", "hill")) for _ in range(30))
        web[url] = simulated.page(*links, text=f"{'grid grid ' if number % 3 else ''}{text} {number}")
    return web


def crawl_of(folder: Path, choice: Registered[Strategy], workers: int = 8) -> Simulation:
    return Simulation(folder, small_web(), latency=0.2, strategy=choice.name, workers=workers)


def assert_nothing_is_lost(crawl: Simulation, undisturbed: set[str]) -> None:
    """Every page is stored once. Only the strategy itself left any out, and none where it did not without a disturbance."""
    pages = Counter(url for url, _, _ in stored(crawl.folder))
    assert set(pages.values()) == {1}
    left = {url: fate for url, fate in fates(crawl.folder).items() if fate[0] != State.DONE}
    assert all(state == State.SKIPPED and reason in REFUSALS for state, reason in left.values()), left
    if undisturbed == set(small_web()):
        assert set(pages) == undisturbed
    assert_consistent(crawl.folder)


@pytest.mark.slow
def test_a_crawl_that_was_stopped_goes_on_where_it_was(rememberer: Registered[Strategy], tmp_path: Path) -> None:
    crawl = crawl_of(tmp_path / "undisturbed", rememberer)
    assert crawl.run() is Ending.NOTHING_LEFT
    undisturbed = {url for url, _, _ in stored(crawl.folder)}
    assert len(undisturbed) > SIZE, "a web that nobody visits tests nothing"
    stopped = crawl_of(tmp_path / "stopped", rememberer)

    async def stop_soon(coordinator: Coordinator) -> Ending:
        asyncio.get_running_loop().call_later(6.0, coordinator.stop)
        return await stopped.crawl(coordinator)

    assert stopped.play(stop_soon) is Ending.STOPPED
    assert 8 < len(stored(stopped.folder)) < len(undisturbed) - 8
    services.crawls.change_settings(stopped.folder, {})  # as `shoal resume` does
    assert stopped.run() is Ending.NOTHING_LEFT
    assert len(stopped.pages_asked) == len(set(stopped.pages_asked)), "no page is fetched twice"
    assert_nothing_is_lost(stopped, undisturbed)


class Killed(Exception):
    """The process is gone."""


@pytest.mark.slow
def test_a_crawl_that_was_killed_goes_on_from_what_was_committed(
    rememberer: Registered[Strategy], tmp_path: Path
) -> None:
    crawl = crawl_of(tmp_path / "undisturbed", rememberer)
    assert crawl.run() is Ending.NOTHING_LEFT
    undisturbed = {url for url, _, _ in stored(crawl.folder)}
    killed = crawl_of(tmp_path / "killed", rememberer)

    async def kill_soon(coordinator: Coordinator) -> Ending:
        async with asyncio.TaskGroup() as group:
            group.create_task(killed.crawl(coordinator))
            await asyncio.sleep(6.0)
            # Until a page has come that is not on the disk yet.
            while killed.servers.in_flight or len(killed.pages_asked) == len(stored(killed.folder)):  # noqa: ASYNC110
                await asyncio.sleep(0.01)
            raise Killed
        raise AssertionError("the group ends with its error")

    with pytest.raises(ExceptionGroup) as ended:
        killed.play(kill_soon)
    assert ended.group_contains(Killed, depth=1)
    safe = {url for url, _, _ in stored(killed.folder)}
    asked = len(killed.pages_asked)
    assert 8 < len(safe) < asked, "some pages came that were not committed"
    killed.now += 100.0
    assert killed.run() is Ending.NOTHING_LEFT
    assert safe.isdisjoint(killed.pages_asked[asked:]), "what was committed is not fetched again"
    assert_nothing_is_lost(killed, undisturbed)


@pytest.mark.slow
def test_a_page_is_told_the_largest_inheritance_of_all_its_links(choice: Registered[Strategy], tmp_path: Path) -> None:
    """The crawl is played again, page by page: what each link was given is what the request for its page says."""
    crawl = crawl_of(tmp_path / "crawl", choice, workers=1)
    crawl.run()
    tasks = [task for _, task in crawl.servers.requests if task.kind == "page"]
    visitor = PageVisitor(
        FakeFetcher(small_web()), InTurns(PageReader(HtmlParser(), judges()["cosine"].make(simulated.TOPIC), pack))
    )
    strategy = choice.make(simulated.TOPIC)
    given: dict[str, float | None] = {}
    assert tasks[0].inherited is None, "it is a seed"
    for place, task in enumerate(tasks):
        assert place == 0 or task.inherited == given[task.url]
        visit = asyncio.run(visitor.visit(task))
        assert isinstance(visit, Seen)
        for one in strategy.follow(visit):
            if one.refused is None and (before := given.get(one.link.url)) is not None and one.inherited is not None:
                given[one.link.url] = max(before, one.inherited)
            elif one.refused is None:
                given.setdefault(one.link.url, one.inherited)
