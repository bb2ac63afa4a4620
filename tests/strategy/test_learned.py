"""Learned: what it thinks of links before the first page, what pages teach it, and what it keeps.

The pages are real, and so is what the judge says of them; only the web is small.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable, Iterator, Sequence
from random import Random

import msgspec
import numpy as np
import pytest
from numpy.typing import NDArray

from shoal.errors import InputError
from shoal.judge.evidence import EvidenceJudge
from shoal.model import Candidate, Entry, Link, LinkKind, Mark, Outlook, Seen, Term, Topic
from shoal.strategy.learned import MARK_PAGES, Learned
from shoal.strategy.link_model.pricing import AUDIT_EVERY, FIRST
from shoal.topic.word_vectors import Meanings
from shoal.urls import host_of, key_of
from tests.strategy.pages import seen

TOPIC = Topic(name="grid", terms=(Term(text="power grid"), Term(text="电网")))
JUDGE = EvidenceJudge(TOPIC)
HOME = "http://x.example/"


def learned(**parameters: float) -> Learned:
    """Without word vectors, installed or not, and without trying things out."""
    return Learned.make(TOPIC, Meanings(()), **{"explore": 0.0} | parameters)


def url_of(name: str) -> str:
    return name if name.startswith("http") else HOME + name


def link(name: str, anchor: str = "", path: str = "ul/li/a", **more: object) -> Link:
    return Link(url=url_of(name), anchor=anchor, path=path, **more)  # type: ignore[arg-type]


def page(name: str, *links: Link | str, score: float = 0.0, depth: int = 1) -> Seen:
    """The page came; its links say what they say, and the judge says what it says of that."""
    given = [link(one) if isinstance(one, str) else one for one in links]
    placed = [msgspec.structs.replace(one, position=place) for place, one in enumerate(given)]
    hints = JUDGE.judge_links(placed)
    return seen(url=url_of(name), score=score, hints=hints, links=placed, depth=depth)


def entry(name: str, anchor: str = "") -> Entry:
    return Entry(id=1, url=url_of(name), host=host_of(url_of(name)), priority=0.0, anchor=anchor)


def follow(strategy: Learned, *visits: Seen) -> list[Candidate]:
    """The pages come one after the other, each when it was chosen; what is due is thought about."""
    found: list[Candidate] = []
    for visit in visits:
        strategy.chosen(entry(visit.task.url))
        found += strategy.follow(visit)
        if strategy.pace() == 1:
            asyncio.run(strategy.refresh())
    asyncio.run(strategy.refresh())
    return found


def value(strategy: Learned, name: str, anchor: str = "") -> float:
    """What a link that waits is worth: all that speaks for it or against it, together."""
    reasons = strategy.reasons(entry(name, anchor))
    assert reasons, f"{name} does not wait"
    return sum(one.amount for one in reasons)


def values(strategy: Learned, *names: str) -> list[float]:
    return [value(strategy, name) for name in names]


def said(strategy: Learned, name: str, anchor: str = "") -> list[str]:
    return [one.what for one in strategy.reasons(entry(name, anchor))]


Counts = tuple[NDArray[np.float32], ...]


def counts(strategy: Learned) -> Counts:
    """All that was counted of pages: how many, what they were worth, what they led to."""
    counts = strategy._model.counts
    return counts.pages.copy(), counts.worth.copy(), counts.leads.copy()


def same(one: Counts, other: Counts) -> bool:
    """To a hundred thousandth: sums of numbers with seven digits."""
    return np.array_equal(one[0], other[0]) and all(map(np.allclose, one[1:], other[1:], (1e-5,) * 2, (1e-5,) * 2))


# --- before the first page -------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("good", "bad"),
    [("The power grid today", "The weather today"), ("今日电网", "今日天气"), ("今日電網", "今日天氣")],
)
def test_a_link_that_names_the_topic_is_first(good: str, bad: str) -> None:
    strategy = learned()
    found = strategy.follow(page("", link("1", bad), link("2", good), link("3", ""), depth=0))
    first, *others = sorted(found, key=lambda one: -one.priority)
    assert first.link.anchor == good
    assert first.priority > max(one.priority for one in others) + 0.2


def test_chinese_and_english_are_equal_at_first() -> None:
    strategy = learned()
    anchors = ("the power grid", "电网", "電網", "the weather", "天气", "天氣")
    found = list(strategy.follow(page("", *(link(str(place), anchor) for place, anchor in enumerate(anchors)))))
    grid, *chinese_grid, weather, sky, sky_too = [one.priority for one in found]
    assert chinese_grid == pytest.approx([grid, grid], abs=0.15), "how rare a word is differs a little"
    assert min(chinese_grid) > weather + 0.2
    assert [sky, sky_too] == pytest.approx([weather, weather])


def test_the_anchor_says_more_than_the_address_and_that_more_than_nothing() -> None:
    strategy = learned()
    links = (link("1", "power grid"), link("power-grid/2", "here"), link("3", "here", before="of the power grid"))
    named, spelt, around, nothing = strategy.follow(page("", *links, link("4", "here")))
    assert named.priority > spelt.priority > around.priority > nothing.priority


def test_links_of_a_good_page_are_better() -> None:
    good, bad = learned(), learned()
    [on_good] = good.follow(page("", "1", score=1.0))
    [on_bad] = bad.follow(page("", "1", score=0.0))
    assert on_good.priority > on_bad.priority + 0.1


# --- what pages teach ------------------------------------------------------------------------------------------------


def test_a_section_that_pays_rises_and_one_that_does_not_falls() -> None:
    strategy = learned()
    sections = [f"{section}/{number}" for number in range(6) for section in ("good", "bad", "new")]
    follow(strategy, page("", *sections, depth=0))
    good, bad, new = values(strategy, "good/5", "bad/5", "new/5")
    assert good == bad == new
    for number in range(4):
        follow(strategy, page(f"good/{number}", score=1.0), page(f"bad/{number}", score=0.0))
    good, bad, new = values(strategy, "good/5", "bad/5", "new/5")
    assert good > new + 0.2
    assert new > bad + 0.1


def test_siblings_of_good_pages_are_better() -> None:
    strategy = learned()
    # Nothing but the page they stand on tells them apart: each is on a host of its own.
    follow(strategy, page("list1", *(f"http://a{number}.example/" for number in range(6))))
    follow(strategy, page("list2", *(f"http://b{number}.example/" for number in range(6))))
    for number in range(4):
        follow(strategy, page(f"http://a{number}.example/", score=1.0))
        follow(strategy, page(f"http://b{number}.example/", score=0.0))
    good, bad = values(strategy, "http://a5.example/", "http://b5.example/")
    assert good > bad + 0.2
    assert "pages beside it were relevant" in said(strategy, "http://a5.example/")


def test_a_list_of_a_page_is_told_from_its_menu() -> None:
    strategy = learned()
    lists = [link(f"http://a{number}.example/", path="main/ul/li/a") for number in range(6)]
    menus = [link(f"http://b{number}.example/", path="nav/ul/li/a") for number in range(6)]
    follow(strategy, page("", *lists, *menus))
    for number in range(4):
        follow(strategy, page(f"http://a{number}.example/", score=1.0))
        follow(strategy, page(f"http://b{number}.example/", score=0.0))
    in_list, in_menu = values(strategy, "http://a5.example/", "http://b5.example/")
    assert in_list > in_menu + 0.2


def test_a_page_that_leads_to_good_links_makes_links_like_the_one_that_led_there_worth_more() -> None:
    strategy = learned()
    names = [f"{kind}{number}" for number in range(6) for kind in ("hub/", "leaf/")]
    follow(strategy, page("", *names, depth=0))
    hub, leaf = values(strategy, "hub/5", "leaf/5")
    assert hub == leaf
    for number in range(4):
        links = [link(f"http://{number}-{place}.example/", "power grid") for place in range(8)]
        # Neither of them is worth anything itself.
        follow(strategy, page(f"hub/{number}", *links, score=0.0), page(f"leaf/{number}", score=0.0))
    hub, leaf = values(strategy, "hub/5", "leaf/5")
    assert hub > leaf + 0.2


def test_links_that_are_known_are_no_hub() -> None:
    strategy = learned()
    targets = [link(f"http://{place}.example/", "power grid") for place in range(8)]
    names = [f"{kind}{number}" for number in range(6) for kind in ("same/", "leaf/")]
    follow(strategy, page("", *names, *targets, depth=0))
    for number in range(4):
        follow(strategy, page(f"same/{number}", *targets), page(f"leaf/{number}"))
    same, leaf = values(strategy, "same/5", "leaf/5")
    assert same == pytest.approx(leaf, abs=0.1)


def test_who_does_not_care_for_hubs_does_not_follow_them() -> None:
    strategy = learned(hubs=0.0)
    follow(strategy, page("", *(f"hub/{number}" for number in range(6)), "other/1", depth=0))
    for number in range(4):
        links = [link(f"http://{number}-{place}.example/", "power grid") for place in range(8)]
        follow(strategy, page(f"hub/{number}", *links, score=0.0))
    hub, other = values(strategy, "hub/5", "other/1")
    assert hub == pytest.approx(other, abs=0.05)


@pytest.mark.parametrize("anchor", ["第2页", "第2頁", "下一页", "下一頁", "2", "next", "Next »", "more", "更多"])
def test_a_list_that_led_to_good_links_goes_on(anchor: str) -> None:
    strategy = learned()
    targets = [link(f"http://{place}.example/", "power grid") for place in range(8)]
    turning, other = link("list?page=2", anchor), link("contact", "contact")
    follow(strategy, page("list?page=1", *targets, turning, other, score=0.0, depth=0))
    on, off = value(strategy, "list?page=2", anchor), value(strategy, "contact", "contact")
    assert on > off + 0.3
    assert "it goes on with a list that led to good pages" in said(strategy, "list?page=2", anchor)
    nowhere = learned()
    follow(nowhere, page("list?page=1", turning, other, score=0.0, depth=0))
    assert value(nowhere, "list?page=2", anchor) == pytest.approx(value(nowhere, "contact"), abs=0.1)


@pytest.mark.parametrize(
    ("good", "bad", "like_good", "like_bad"),
    [
        ("transformer stations", "holiday images", "our transformer", "more images"),
        ("变压器介绍", "旅游图片", "新型变压器", "更多图片"),
        ("變壓器介紹", "旅遊圖片", "新型变压器", "更多图片"),
        ("transformerStation", "holidayImages", "a Transformer", "PicturesOfUs"),
    ],
)
def test_words_of_anchors_are_learned(good: str, bad: str, like_good: str, like_bad: str) -> None:
    strategy = learned()
    # Nothing but their words tells them apart.
    taught = [
        link(f"http://{word}{number}.example/", anchor)
        for number in range(5)
        for word, anchor in (("a", good), ("b", bad))
    ]
    follow(strategy, page("", *taught, depth=0))
    for one in taught:
        follow(strategy, page(one.url, score=float(one.anchor == good)))
    follow(strategy, page("later", link("http://c.example/", like_good), link("http://d.example/", like_bad)))
    assert value(strategy, "http://c.example/", like_good) > value(strategy, "http://d.example/", like_bad) + 0.05
    [word] = [what for what in said(strategy, "http://c.example/", like_good) if what.startswith("the link says")]
    assert word in ("the link says “transformer”", "the link says “变压”", "the link says “压器”")


def test_what_is_no_page_is_worth_nothing() -> None:
    strategy = learned()
    follow(strategy, page("", *(name for number in range(6) for name in (f"a/{number}.zip", f"a/{number}")), depth=0))
    for number in range(4):
        archive = page(f"a/{number}.zip")
        follow(strategy, msgspec.structs.replace(archive, page=None, verdict=None, hints=()))
        follow(strategy, page(f"a/{number}", score=0.5))
    archive_left, page_left = values(strategy, "a/5.zip", "a/5")
    assert archive_left < page_left - 0.2


@pytest.mark.slow
def test_the_past_is_forgotten() -> None:
    def left(kept: float) -> float:
        """What it counts that a link names the topic, when that paid nothing at first and was not seen for long."""
        strategy = learned(kept=kept)
        names = [f"{number}" for number in range(100)]
        follow(strategy, page("", *(link(name, "power grid" if int(name) < 20 else "") for name in names), depth=0))
        follow(strategy, *(page(name, score=0.0) for name in names[:15] + names[20:]))
        reasons = strategy.reasons(entry("19", "power grid"))
        return {one.what: one.amount for one in reasons}.get("the link names the topic", 0.0)

    at_first = learned()
    follow(at_first, page("", link("19", "power grid"), depth=0))
    believed = next(one.amount for one in at_first.reasons(entry("19")) if one.what == "the link names the topic")
    assert left(1.0) < 0.4 * believed
    assert left(0.9) > 0.8 * believed


@pytest.mark.slow
def test_the_same_pages_give_the_same_values() -> None:
    def run() -> list[float]:
        strategy = learned(explore=0.4)
        crawl = Crawl(strategy, small_web())
        crawl.run(60)
        return list(crawl.prices.values())

    assert run() == run()


# --- which way to a page ---------------------------------------------------------------------------------------------


def test_the_best_way_to_a_page_counts() -> None:
    strategy = learned()
    [first] = strategy.follow(page("a", link("x", "here")))
    [better] = strategy.follow(page("b", link("x", "power grid"), score=1.0))
    [worse] = strategy.follow(page("c", link("x", "here")))
    assert better.priority > first.priority + 0.3
    assert worse.priority == better.priority


def test_a_link_that_stands_twice_on_a_page_is_named_best() -> None:
    strategy, other = learned(), learned()
    both = list(strategy.follow(page("", link("x", ""), link("x", "power grid"))))
    [one] = other.follow(page("", link("x", "power grid")))
    assert both[0].priority == both[1].priority == pytest.approx(one.priority, abs=0.05)


def test_the_page_itself_and_what_came_already_are_no_news() -> None:
    strategy = learned()
    follow(strategy, page("", "a", depth=0), page("a"))
    strategy.lost([key_of(url_of("gone"))])
    found = list(strategy.follow(page("b", "b", "", "a", "gone", "new")))
    assert [one.why for one in found[:4]] == ["known already"] * 4
    assert [one.priority for one in found[:4]] == [0.0] * 4
    assert found[4].why.startswith("expected to pay 0.")
    assert strategy.reasons(entry("a")) == strategy.reasons(entry("gone")) == ()


@pytest.mark.parametrize("kind", [LinkKind.FRAME, LinkKind.CANONICAL])
def test_a_link_of_any_kind_has_a_value(kind: LinkKind) -> None:
    strategy = learned()
    [found] = strategy.follow(page("", link("frame", "", kind=kind), score=1.0))
    assert found.priority > 0


# --- links in flight -------------------------------------------------------------------------------------------------


def paying() -> Learned:
    """A section that paid, with links that wait."""
    strategy = learned()
    follow(strategy, page("", *(f"good/{number}" for number in range(20)), "other/1", depth=0))
    follow(strategy, *(page(f"good/{number}", score=1.0) for number in range(3)))
    return strategy


def test_links_in_flight_make_others_of_their_place_worth_less_until_they_land() -> None:
    strategy = paying()
    before = value(strategy, "good/19")
    falling = [before]
    for number in range(5, 10):
        strategy.chosen(entry(f"good/{number}"))
        falling.append(value(strategy, "good/19"))
    assert falling == sorted(falling, reverse=True)
    assert falling[-1] < before - 0.05
    for number in range(5, 10):
        follow(strategy, page(f"good/{number}", score=1.0))
    assert value(strategy, "good/19") > before - 0.02, "they kept the promise"


def test_links_that_are_lost_leave_no_trace_in_what_was_counted() -> None:
    strategy = paying()
    before, worth = counts(strategy), value(strategy, "good/19")
    chosen = [f"good/{number}" for number in range(5, 15)]
    for name in chosen:
        strategy.chosen(entry(name))
    assert not same(counts(strategy), before)
    strategy.lost(key_of(url_of(name)) for name in chosen)
    assert same(counts(strategy), before)
    assert value(strategy, "good/19") == pytest.approx(worth, abs=1e-5)


def test_links_that_land_are_counted_as_if_they_had_never_flown() -> None:
    flying, walking = paying(), paying()
    for number in (5, 6):
        flying.chosen(entry(f"good/{number}"))
    for strategy in (flying, walking):
        for number in (5, 6):
            list(strategy.follow(page(f"good/{number}", score=0.5)))
    assert same(counts(flying), counts(walking))


def test_a_link_that_is_chosen_does_not_wait_any_more() -> None:
    strategy = paying()
    assert strategy.reasons(entry("good/5"))
    strategy.chosen(entry("good/5"))
    strategy.chosen(entry("good/5"))  # tried again after a failure
    assert strategy.reasons(entry("good/5")) == ()
    asyncio.run(strategy.refresh())
    [again] = strategy.follow(page("good/6", "good/5"))
    assert again.why == "known already"


# --- why -------------------------------------------------------------------------------------------------------------


def why(strategy: Learned, name: str, anchor: str = "") -> str:
    """Why a link was fetched, once its page came."""
    strategy.chosen(entry(name, anchor))
    list(strategy.follow(page(name, score=0.5)))
    return strategy.why(entry(name, anchor))


@pytest.mark.parametrize(
    ("anchor", "taught", "word"),
    [("more about transformers", "transformers", "transformers"), ("更多变压器资料", "变压器", "变压")],
)
def test_why_a_link_was_chosen_is_said_in_words(anchor: str, taught: str, word: str) -> None:
    strategy = learned()
    links = [link(f"http://{number}.example/", taught if number % 2 else "weather") for number in range(12)]
    follow(strategy, page("", *links, depth=0))
    follow(strategy, *(page(one.url, score=float(one.anchor == taught)) for one in links))
    follow(strategy, page("later", link("a/b", anchor)))
    amount = strategy._links.value[strategy._links.find(key_of(url_of("a/b")))]
    said = why(strategy, "a/b", anchor)
    assert said.startswith(f"expected to pay {amount:.2f}: ")
    assert f"the link says “{word}”" in said


def test_a_link_that_names_the_topic_says_so() -> None:
    strategy = learned()
    follow(strategy, page("", link("1", "电网"), depth=0))
    assert said(strategy, "1", "电网")[0] == "the link names the topic"
    assert "the link names the topic" in why(strategy, "1", "电网")


# --- what is told ----------------------------------------------------------------------------------------------------


class Crawl:
    """A crawl of a small web, one page after the other: the strategy says what comes next."""

    def __init__(self, strategy: Learned, web: dict[str, Seen], prices: dict[str, float] | None = None) -> None:
        self.strategy = strategy
        self.web = web
        self.prices: dict[str, float] = dict(prices or {next(iter(web)): 1e12})
        """Of what waits."""
        self.came: list[str] = []
        self.memos: list[bytes] = []
        self.told: list[int] = []
        """How many prices were told at once."""
        self.ordered: list[tuple[int, str]] = []
        """Pages that were fetched whatever they are worth: after how many others, and why."""
        self._why: dict[str, str] = {}
        self._names = {key_of(url): url for url in web}
        self._due = strategy.pace()

    def run(self, pages: int) -> None:
        for _ in range(min(pages, len(self.web))):
            if not self.prices:
                return
            self.fetch(max(self.prices, key=lambda url: (self.prices[url], url)))

    def fetch(self, url: str) -> None:
        if self.prices.pop(url) == FIRST:
            self.ordered.append((len(self.came), self._why[url]))
        self.strategy.chosen(entry(url))
        self.came.append(url)
        for one in self.strategy.follow(self.web[url]):
            if one.link.url not in self.came:
                self.prices[one.link.url] = max(one.priority, self.prices.get(one.link.url, one.priority))
        self.memos.append(self.strategy.memo(self.web[url]))
        self._due -= 1
        if self._due <= 0:
            self.think()

    def think(self) -> None:
        told = asyncio.run(self.strategy.refresh())
        self.told.append(len(told))
        self._why |= {self._names[one.key]: one.why for one in told}
        self.prices |= {self._names[one.key]: one.priority for one in told if self._names[one.key] in self.prices}
        self._due = self.strategy.pace()

    @property
    def found(self) -> int:
        return sum(self.web[url].verdict.relevant for url in self.came)  # type: ignore[union-attr]


def small_web(pages: int = 400, hosts: int = 3) -> dict[str, Seen]:
    """Pages in three sections of each host, one of which is mostly good; links say little, and go anywhere."""
    random = Random(3)
    urls = [f"http://h{number % hosts}.example/{'abc'[number % 7 % 3]}/{number}" for number in range(pages)]
    anchors = ("grid news", "weather", "电网消息", "next", "more", "power grid")
    web = {}
    for url in urls:
        links = [link(other, random.choice(anchors)) for other in random.sample(urls, 12)]
        good = random.random() < (0.8 if "/a/" in url else 0.05)
        web[url] = page(url, *links, score=random.uniform(0.5, 1.0) if good else 0.0)
    return web


@pytest.mark.slow
def test_a_crawl_finds_what_pays_first() -> None:
    web = small_web()
    crawl = Crawl(learned(), web)
    crawl.run(100)
    by_chance = 100 * sum(one.verdict.relevant for one in web.values()) / len(web)  # type: ignore[union-attr]
    assert crawl.found > 1.6 * by_chance


@pytest.mark.slow
def test_prices_that_follow_what_was_learned_are_better_than_those_that_stay() -> None:
    class Deaf(Crawl):
        """Prices that changed are not heard of."""

        def think(self) -> None:
            before = self.prices.copy()
            super().think()
            self.prices = before

    def found(kind: type[Crawl]) -> int:
        crawl = kind(learned(), small_web())
        crawl.run(150)
        return crawl.found

    assert found(Crawl) > found(Deaf)


def test_what_is_told_is_what_changed() -> None:
    crawl = Crawl(learned(), small_web())
    crawl.run(60)
    assert any(crawl.told)
    for _ in range(4):  # when some fall, others are near the top
        crawl.think()
    assert crawl.told[-1] == 0
    crawl.run(9)
    before = dict(crawl.prices)
    told = asyncio.run(crawl.strategy.refresh())
    assert 0 < len(told) < len(before)
    assert all(abs(one.priority - before[crawl._names[one.key]]) > 0.01 for one in told)


# --- exploring and checking ------------------------------------------------------------------------------------------


def all_worth(score: float) -> dict[str, Seen]:
    """The small web, but every page is worth the same."""
    return {url: page(url, *visit.page.links, score=score) for url, visit in small_web().items() if visit.page}


@pytest.mark.slow
def test_while_pages_pay_nothing_is_explored_and_when_they_do_not_something_is() -> None:
    content, poor = Crawl(learned(explore=0.4), all_worth(1.0)), Crawl(learned(explore=0.4), all_worth(0.0))
    for crawl in (content, poor):
        crawl.run(AUDIT_EVERY - 1)
    assert all(pages < 25 for pages, _ in content.ordered), "when it is clear that pages pay, no more"
    assert 2 * len(content.ordered) < len(poor.ordered) <= 0.4 * AUDIT_EVERY
    assert {why for _, why in poor.ordered} == {"to explore near the seeds"}


@pytest.mark.slow
def test_checks_are_counted() -> None:
    crawl = Crawl(learned(explore=0.4), small_web())
    crawl.run(3 * AUDIT_EVERY + 20)
    outlook = crawl.strategy.outlook(100)
    assert outlook is not None
    assert outlook.audited == 3
    assert 0 <= outlook.audited_relevant <= 3
    assert outlook.expected_relevant > 0


@pytest.mark.slow
def test_a_link_that_is_a_check_says_so() -> None:
    crawl = Crawl(learned(explore=0.4), all_worth(1.0))
    crawl.run(2 * AUDIT_EVERY + 15)
    assert [why for pages, why in crawl.ordered if pages >= AUDIT_EVERY] == ["drawn at random, as a check"] * 2


def test_a_link_that_is_to_be_explored_is_not_expected_to_pay_ten() -> None:
    strategy = learned(explore=1.0)
    names = {key_of(url_of(str(number))): str(number) for number in range(30)}
    follow(strategy, page("", *names.values(), depth=0))
    for number in range(12):
        list(strategy.follow(page(str(number))))
    [name, *_] = [names[one.key] for one in asyncio.run(strategy.refresh()) if one.priority == FIRST]
    [again] = strategy.follow(page("another", name))
    assert (again.priority, again.why) == (FIRST, "to explore near the seeds")
    assert why(strategy, name) == "", "the entry says so already"


def test_the_outlook_falls_when_all_good_links_are_gone() -> None:
    strategy = learned()
    good = [f"good/{number}" for number in range(30)]
    bad = [f"bad/{number}" for number in range(30)]
    follow(strategy, page("", *good, *bad, depth=0))
    follow(strategy, *(page(name, score=1.0) for name in good[:10]), *(page(name, score=0.0) for name in bad[:10]))
    before = expects(strategy)
    follow(strategy, *(page(name, score=1.0) for name in good[10:]))
    after = expects(strategy)
    assert before.relevant > 8
    assert after.relevant < 2
    assert after.missed < 2
    strategy.lost(key_of(url_of(name)) for name in bad)
    assert (expects(strategy).pages, expects(strategy).relevant) == (0, 0.0)


def expects(strategy: Learned, pages: int = 20) -> Outlook:
    outlook = strategy.outlook(pages)
    assert outlook is not None
    return outlook


# --- what a user says ------------------------------------------------------------------------------------------------


def say(strategy: Learned, name: str, relevant: bool | None) -> None:
    strategy.learn_mark(Mark(url=url_of(name), relevant=relevant, at=1.0))
    asyncio.run(strategy.refresh())


def asked() -> Learned:
    """Two sections that did neither well nor badly."""
    strategy = learned()
    follow(strategy, page("", *(f"{section}/{number}" for number in range(6) for section in "ab"), depth=0))
    follow(strategy, *(page(f"{section}/{number}", score=0.3) for number in range(3) for section in "ab"))
    return strategy


@pytest.mark.parametrize("relevant", [True, False])
def test_an_mark_moves_siblings_at_once(relevant: bool) -> None:
    strategy = asked()
    before, other_before = values(strategy, "a/5", "b/5")
    say(strategy, "a/1", relevant)
    after, other = values(strategy, "a/5", "b/5")
    moved, other_moved = after - before, other - other_before
    if relevant:
        assert moved > max(0.1, other_moved + 0.1)
    else:
        assert moved < min(-0.05, other_moved - 0.02)


def test_an_mark_can_be_taken_back() -> None:
    strategy, never = asked(), asked()
    for relevant in (True, False, True, None):
        say(strategy, "a/1", relevant)
    asyncio.run(never.refresh())
    assert same(counts(strategy), counts(never))
    assert values(strategy, "a/5", "b/5") == pytest.approx(values(never, "a/5", "b/5"), abs=0.005)


def test_to_say_something_twice_is_to_say_it_once() -> None:
    once, twice = asked(), asked()
    say(once, "a/1", True)
    for _ in range(3):
        say(twice, "a/1", True)
    assert same(counts(once), counts(twice))
    assert values(once, "a/5", "b/5") == pytest.approx(values(twice, "a/5", "b/5"), abs=0.005)


def test_the_last_mark_counts() -> None:
    strategy, straight = asked(), asked()
    say(strategy, "a/1", True)
    say(strategy, "a/1", False)
    say(straight, "a/1", False)
    assert same(counts(strategy), counts(straight))


def test_an_mark_about_a_page_that_comes_later_holds_when_it_comes() -> None:
    early, late = asked(), asked()
    say(early, "a/4", True)
    for strategy in (early, late):
        follow(strategy, page("a/4", score=0.0))
    say(late, "a/4", True)
    assert same(counts(early), counts(late))
    assert min(values(early, "a/5", "b/5")) > max(values(asked(), "a/5", "b/5")) + 0.1
    place = early._links.rows["places"][early._links.find(key_of(url_of("a/5"))), 1]
    assert early._model.counts.pages[place] == 3 + MARK_PAGES


@pytest.mark.parametrize("depth", [0, 1])
def test_links_of_a_page_stand_on_one_of_the_worth_that_the_user_says(depth: int) -> None:
    strategy = learned()
    follow(strategy, page("", "p", depth=0))
    name = "p" if depth else "seed"
    follow(strategy, page(name, "http://y.example/", score=0.0, depth=depth))
    before = value(strategy, "http://y.example/")
    say(strategy, name, True)
    assert value(strategy, "http://y.example/") > before + 0.1
    assert "the page it stands on scores 1.00" in said(strategy, "http://y.example/")
    say(strategy, name, None)
    assert value(strategy, "http://y.example/") == pytest.approx(before, abs=0.02)


def test_an_mark_on_a_page_does_not_make_it_lead_to_less() -> None:
    strategy = learned()
    links = [link(f"http://{number}.example/", "power grid") for number in range(8)]
    follow(strategy, page("", "hub/1", "hub/2", depth=0), page("hub/1", *links, score=0.0))
    counts, row = strategy._model.counts, strategy._links.rows[strategy._links.find(key_of(url_of("hub/2")))]
    section = row["places"][1]
    before = counts.leads[section] / counts.pages[section]
    say(strategy, "hub/1", True)
    assert counts.leads[section] / counts.pages[section] == pytest.approx(before)
    assert before > 0.5


# --- a restart -------------------------------------------------------------------------------------------------------


def waiting(strategy: Learned, names: Iterable[str]) -> dict[str, float]:
    return {name: value(strategy, name) for name in names if strategy.reasons(entry(name))}


@pytest.mark.slow
@pytest.mark.parametrize("pages", [5, 30, 120, 127])
def test_a_crawl_that_was_killed_values_what_waits_as_if_it_had_gone_on(pages: int) -> None:
    """One page after the other: then a memo says all, and the only difference is in the last digits."""
    web = small_web()
    crawl = Crawl(learned(), web)
    crawl.run(pages)
    heir = learned()
    heir.recall(crawl.memos)
    crawl.think()
    assert len(crawl.prices) > 30
    assert waiting(heir, web) == pytest.approx(waiting(crawl.strategy, web), abs=1e-3)
    ours, theirs = expects(heir, 50), expects(crawl.strategy, 50)
    assert ours.relevant == pytest.approx(theirs.relevant, rel=1e-3)
    resumed = Crawl(heir, web, crawl.prices)
    for each in (crawl, resumed):
        each.think()
    # Prices that changed by less than a hundredth are not told.
    best = sorted(crawl.prices, key=lambda url: -crawl.prices[url])[:20]
    assert len({*best, *sorted(crawl.prices, key=lambda url: -resumed.prices[url])[:20]}) <= 22
    assert [resumed.prices[url] for url in best] == pytest.approx([crawl.prices[url] for url in best], abs=0.02)


@pytest.mark.slow
def test_with_many_links_in_flight_a_restart_knows_nearly_as_much() -> None:
    """What was in flight was chosen with what was known then; the memos do not say when that was."""
    web = small_web()
    strategy, memos, flying = learned(), [], [next(iter(web))]
    prices: dict[str, float] = {}
    came: set[str] = set()
    due = strategy.pace()
    for _ in range(150):
        url = flying.pop(0)
        came.add(url)
        for one in strategy.follow(web[url]):
            if one.link.url not in came and one.link.url not in flying:
                prices[one.link.url] = max(one.priority, prices.get(one.link.url, one.priority))
        memos.append(strategy.memo(web[url]))
        while len(flying) < 8 and prices:
            best = max(prices, key=lambda url: (prices[url], url))
            del prices[best]
            strategy.chosen(entry(best))
            flying.append(best)
        due -= 1
        if due <= 0:
            asyncio.run(strategy.refresh())
            due = strategy.pace()
    heir = learned()
    heir.recall(memos)
    asyncio.run(strategy.refresh())
    ours, theirs = waiting(heir, web), waiting(strategy, web)
    assert ours.keys() - theirs.keys() == set(flying), "what was in flight waits again"
    apart = np.array([ours[name] - theirs[name] for name in theirs])
    spread = np.std(list(theirs.values()))
    assert np.abs(apart).mean() < 0.25 * spread
    assert np.corrcoef([ours[name] for name in theirs], list(theirs.values()))[0, 1] > 0.95


@pytest.mark.slow
def test_what_was_lost_is_lost_after_a_restart() -> None:
    web = small_web()
    crawl = Crawl(learned(), web)
    crawl.run(30)
    gone = list(crawl.prices)[:10]
    heir = learned()
    heir.recall(crawl.memos)
    heir.lost(key_of(url) for url in gone)
    assert waiting(heir, gone) == {}
    assert {one.why for one in heir.follow(page("another", *gone))} == {"known already"}


def test_marks_are_told_again_after_a_restart() -> None:
    visits = [page("", "a/1", "a/2", "b/1", depth=0), page("a/1", "http://y.example/", score=0.3)]
    strategy, memos = learned(), []
    for visit in visits:
        follow(strategy, visit)
        memos.append(strategy.memo(visit))
    say(strategy, "a/1", True)
    heir = learned()
    heir.recall(memos)
    say(heir, "a/1", True)
    assert same(counts(heir), counts(strategy))
    names = ("a/2", "b/1", "http://y.example/")
    assert values(heir, *names) == pytest.approx(values(strategy, *names), abs=0.005)


@pytest.mark.slow
def test_memos_of_others_and_damaged_ones_are_as_nothing() -> None:
    crawl = Crawl(learned(), small_web())
    crawl.run(30)
    clean, dirty = learned(), learned()
    clean.recall(crawl.memos)
    damaged = [memo[: len(memo) // 2] for memo in crawl.memos]
    dirty.recall(memo for pair in zip(crawl.memos, damaged, strict=True) for memo in pair)
    assert waiting(dirty, small_web()) == waiting(clean, small_web())


# --- what another crawl learned --------------------------------------------------------------------------------------


@pytest.mark.slow
def test_knowledge_of_one_crawl_gives_another_a_better_start() -> None:
    web = small_web()
    teacher = Crawl(learned(), web)
    teacher.run(200)

    def found(*knowledge: bytes) -> int:
        strategy = learned()
        for one in knowledge:
            strategy.begin_with(one)
        crawl = Crawl(strategy, web)
        crawl.run(60)
        return crawl.found

    assert found(teacher.strategy.knowledge()) > found() + 3


def test_knowledge_is_not_of_the_urls_that_wait() -> None:
    strategy = asked()
    pupil = learned()
    pupil.begin_with(strategy.knowledge())
    assert pupil.reasons(entry("a/5")) == ()
    assert (expects(pupil).pages, pupil.pace()) == (0, 1)


def test_what_is_no_knowledge_is_refused_in_one_sentence() -> None:
    for knowledge in (b"", b"garbage", msgspec.msgpack.encode(["learned-0", 1]), asked().knowledge()[:-2]):
        with pytest.raises(InputError, match=r"^[^.\n]+\.$"):
            learned().begin_with(knowledge)


# --- how much is kept ------------------------------------------------------------------------------------------------


def small(make: Callable[..., Learned], most: int) -> Learned:
    """One that keeps no more than so many links."""
    strategy = make()
    strategy._links._most = most
    return strategy


def test_the_number_of_links_is_bounded_and_those_let_go_can_still_be_fetched() -> None:
    strategy = small(learned, 40)
    names = [str(number) for number in range(100)]
    named = [link(name, "power grid" if int(name) < 30 else "weather") for name in names]
    follow(strategy, page("", *named, depth=0))
    assert len(strategy._links) <= 40
    kept = [name for name in names if strategy.reasons(entry(name))]
    assert set(names[:30]) <= set(kept), "those that promise least go"
    gone, another, *_ = [name for name in names if name not in kept]
    strategy.chosen(entry(gone))
    [found] = follow(strategy, page(gone, "news", score=1.0))
    assert strategy.why(entry(gone)) == "", "the frontier knows what it was worth when it was let go"
    assert found.priority > 0
    [again] = strategy.follow(page("later", another))
    assert again.why.startswith("expected to pay"), "who is found again is known again"


@pytest.mark.slow
def test_the_number_of_links_stays_bounded() -> None:
    strategy = small(learned, 50)
    crawl = Crawl(strategy, small_web())
    crawl.run(200)
    assert len(strategy._links) <= 50 + 12 * 10, "and what came since the last thought"
    heir, most = small(learned, 50), 0

    def watched() -> Iterator[bytes]:
        nonlocal most
        for memo in crawl.memos:
            most = max(most, len(heir._links))
            yield memo

    heir.recall(watched())
    assert most <= 50 + 12 * 10
    assert len(heir._links) <= 50


def links_in(strategy: Learned) -> Sequence[int]:
    keys: Sequence[int] = strategy._links.rows["key"][strategy._links.slots()].tolist()
    return keys


@pytest.mark.slow
def test_what_came_or_was_lost_does_not_wait() -> None:
    crawl = Crawl(learned(), small_web())
    crawl.run(80)
    assert set(links_in(crawl.strategy)) == {key_of(url) for url in crawl.prices}


def test_what_is_kept_of_a_page_does_not_grow_with_its_links() -> None:
    """For marks, fifty thousand pages are remembered: each with its own link, not with all those that stand on it."""
    strategy = learned()
    follow(strategy, page("", "hub", depth=0), page("hub", *(str(number) for number in range(500))))
    arrival = strategy._came[key_of(url_of("hub"))].arrival
    assert arrival is not None
    kept = [arrival.features, arrival.flight.row, arrival.flight.ways]
    assert all(part.base is None for part in kept)
    assert sum(part.nbytes for part in kept) < 1_000
