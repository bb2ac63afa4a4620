"""Which links the frontier should think differently of, with numbers worked by hand."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

import numpy as np
import pytest

from shoal.model import Repriced
from shoal.strategy.link_model.features import FEATURES
from shoal.strategy.link_model.link_rows import LinkTable
from shoal.strategy.link_model.pricing import (
    AUDIT_EVERY,
    CONTENT,
    EXPLORE,
    FIRST,
    FIRST_PAGES,
    ROWS_PER_PAGE,
    STRIDE,
    LinkPricing,
)
from shoal.strategy.link_model.valuation import TOP
from shoal.urls import key_of
from tests.strategy.link_model.pages import found, model, rows, source

NEAR = 5 * STRIDE + TOP
"""So many prices are right."""


class Plan:
    """Links that are worth what their anchors promise, times a factor: the model believes in nothing else."""

    def __init__(self, *, explore: float = 0.0, host_share: float = 1.0, most: int = 10**6) -> None:
        self.links = LinkTable(most=most)
        self.names: dict[int, str] = {}
        """By key."""
        self.model = model(self.links, hubs=0.0, prior=False)
        self.pricing = LinkPricing(self.links, self.model, explore=explore, host_share=host_share)
        self.pricing._lately = CONTENT  # as if pages had paid so far
        self.believe(1.0)

    def believe(self, factor: float) -> None:
        """From here on a link is worth so many times what its anchor promises."""
        seen = [factor * (one.name == "named") for one in FEATURES]
        self.model.worth.restore(np.concatenate([np.eye(len(FEATURES)).ravel(), seen]).tobytes())

    def put(self, depth: float = 0, **promises: float) -> None:
        """Links of these names; of one host, unless the name says another: `other_name`."""
        for name, amount in promises.items():
            self.names[key_of(url_of(name))] = name
            slots = self.links.put(rows([found(url_of(name), named=amount)], source(depth=depth)))
            self.links.ways[slots] = 1.0

    def reprice(self) -> dict[str, float]:
        """The prices that are told."""
        return {self.names[one.key]: one.priority for one in self.think_aloud()}

    def think_aloud(self) -> Sequence[Repriced]:
        return asyncio.run(self.pricing.reprice())

    def come(self, pages: int = 1, *, score: float = 0.0, ordered: bool = False) -> None:
        """So many pages came that nobody expected anything of."""
        for _ in range(pages):
            self.pricing.came(0, score, relevant=False, expected=0.0, ordered=ordered)


def url_of(name: str) -> str:
    host, _, path = name.rpartition("_")
    return f"http://{host or 'x'}.example/{path}"


# --- what is told ----------------------------------------------------------------------------------------------------


def test_what_changed_is_told_once() -> None:
    plan = Plan()
    assert plan.reprice() == {}
    plan.put(a=0.5, b=0.25)
    assert plan.reprice() == pytest.approx({"a": 0.5, "b": 0.25})
    assert plan.reprice() == {}
    plan.believe(2.0)
    assert plan.reprice() == pytest.approx({"a": 1.0, "b": 0.5})


def test_prices_are_told_with_their_reason() -> None:
    plan = Plan()
    plan.put(a=0.5)
    assert plan.think_aloud() == [Repriced(key=key_of(url_of("a")), priority=0.5, why="expected to pay 0.50")]


def test_what_hardly_changed_is_not_told() -> None:
    plan = Plan()
    plan.put(a=0.5, b=0.25)
    plan.reprice()
    plan.believe(1.03)  # 0.515 and 0.2575
    assert plan.reprice() == pytest.approx({"a": 0.515})


@pytest.mark.slow
def test_only_prices_near_the_top_are_told() -> None:
    plan = Plan()
    plan.put(**{f"n{number}": 0.5 + number / 1000 for number in range(200)})
    assert set(plan.reprice()) == {f"n{number}" for number in range(200 - NEAR, 200)}


def test_what_was_near_the_top_and_is_no_longer_is_told_so() -> None:
    plan = Plan()
    plan.put(**{f"n{number}": 0.5 for number in range(100)})
    plan.put(bad=0.9)
    plan.reprice()
    slot = plan.links.find(key_of(url_of("bad")))
    plan.links.rows["named"][slot] = 0.1
    assert plan.reprice() == pytest.approx({"bad": 0.1})


def test_the_best_link_of_every_host_has_the_right_price() -> None:
    plan = Plan()
    plan.put(**{f"n{number}": 0.5 + number / 1000 for number in range(200)})
    plan.put(other_far=0.05)
    assert plan.reprice()["other_far"] == pytest.approx(0.05)


def test_the_price_of_the_top() -> None:
    plan = Plan()
    plan.put(**{f"n{number}": number / 100 for number in range(40)})
    plan.reprice()
    # 0.39 is in the first place, so 0.10 is in the thirtieth
    assert plan.model.price == pytest.approx(0.10)
    few = Plan()
    few.put(a=0.5, b=0.25)
    few.reprice()
    assert few.model.price == pytest.approx(0.25), "with fewer, the last"


# --- when ------------------------------------------------------------------------------------------------------------


def test_at_first_after_every_page_and_then_now_and_then() -> None:
    plan = Plan()
    for _ in range(FIRST_PAGES - 1):
        plan.come()
        assert plan.pricing.pace() == 1
    plan.come()
    plan.reprice()
    assert plan.pricing.pace() == STRIDE
    plan.come(3)
    assert plan.pricing.pace() == STRIDE - 3
    plan.come(20)
    assert plan.pricing.pace() == 1, "it is late already"


@pytest.mark.parametrize(
    ("pages", "pace"), [(0, 1), (10, 10), (400, 10), (439, 10), (440, 11), (1_000, 25), (2_000, 50), (10_000, 50)]
)
def test_the_more_pages_came_the_less_often(pages: int, pace: int) -> None:
    # one page more for every 40, at least 10 and at most 50
    plan = Plan()
    plan.put(a=0.5, b=0.25)
    plan.come(pages)
    plan.pricing.solve()
    assert plan.pricing.pace() == pace


@pytest.mark.slow
def test_with_many_links_less_often() -> None:
    plan = Plan()
    plan.come(FIRST_PAGES)
    plan.links.put(rows([found(str(number)) for number in range(20 * ROWS_PER_PAGE)]))
    plan.pricing.solve()
    assert plan.pricing.pace() == 20
    plan.come(1_200 - FIRST_PAGES)
    plan.pricing.solve()
    assert plan.pricing.pace() == 30, "the longer of both: 1,200 pages by 40"


# --- how many --------------------------------------------------------------------------------------------------------


def test_when_there_are_too_many_the_least_are_let_go() -> None:
    plan = Plan(most=40)
    plan.put(**{f"n{number}": number / 100 for number in range(60)})
    plan.reprice()
    # 20 too many, and 5 to spare
    assert len(plan.links) == 35
    assert all(plan.links.find(key_of(url_of(f"n{number}"))) is not None for number in range(25, 60))


@pytest.mark.slow
def test_others_have_their_turn_while_very_many_are_valued() -> None:
    plan = Plan()
    plan.links.put(rows([found(f"{number}", named=0.5) for number in range(20_001)]))
    gone = [key_of(f"http://x.example/{number}") for number in (0, 20_000)]

    async def reprice() -> Sequence[Repriced]:
        thinking = asyncio.create_task(plan.pricing.reprice())
        await asyncio.sleep(0)
        assert not thinking.done()
        plan.links.drop(gone)
        plan.put(good=0.9)
        return await thinking

    told = asyncio.run(reprice())
    assert not {one.key for one in told} & set(gone)
    assert len(plan.links) == 20_000


# --- exploring -------------------------------------------------------------------------------------------------------


def exploring() -> Plan:
    """A link near the seeds that promises nothing, one far away that promises much, and some between."""
    plan = Plan(explore=EXPLORE)
    plan.put(depth=0, a=0.01, b=0.02)
    plan.put(depth=3, c=0.9, d=0.5)
    plan.reprice()
    return plan


def ordered(plan: Plan) -> list[str]:
    return [name for name, price in plan.reprice().items() if price == FIRST]


def test_while_pages_pay_nothing_is_explored() -> None:
    plan = exploring()
    plan.come(AUDIT_EVERY - 1, score=CONTENT)
    assert ordered(plan) == []


def test_when_pages_pay_little_the_best_link_near_the_seeds_is_explored() -> None:
    plan = exploring()
    # What pages scored lately is 0.5 x 0.96^n after n pages of 0: the sum of 0.4 x (1 - 0.96^n) passes 1 with the 13th.
    plan.come(12)
    assert ordered(plan) == []
    plan.come()
    assert ordered(plan) == ["b"]


@pytest.mark.slow
def test_half_as_bad_is_explored_half_as_much() -> None:
    def explored(score: float, pages: int) -> float:
        plan, count = exploring(), 0
        for _ in range(pages):
            plan.come(score=score)
            found = ordered(plan)
            count += len(found)
            plan.links.drop(key_of(url_of(name)) for name in found)
            plan.put(depth=0, a=0.01, b=0.02)
        return count / pages

    # in the long run 0.4 of all pages, and 0.2, and one check in fifty pages
    assert explored(0.0, 500) == pytest.approx(EXPLORE + 1 / AUDIT_EVERY, abs=0.03)
    assert explored(CONTENT / 2, 500) == pytest.approx(EXPLORE / 2 + 1 / AUDIT_EVERY, abs=0.03)


def test_pages_that_were_explored_do_not_make_it_look_as_if_there_were_more_to_explore() -> None:
    plan = exploring()
    plan.come(AUDIT_EVERY - 1, score=0.0, ordered=True)
    assert ordered(plan) == []


def test_an_order_stands_until_the_link_is_fetched() -> None:
    plan = exploring()
    plan.come(13)
    assert ordered(plan) == ["b"]
    b = plan.links.find(key_of(url_of("b")))
    assert b is not None
    for _ in range(2):  # its host has to wait for its clock
        plan.come()
        assert "b" not in plan.reprice()
        assert plan.pricing.is_ordered(b)
    plan.come(4)  # the sum passes 2 with the 19th page
    assert ordered(plan) == ["a"], "the next one, not the same again"


def test_why_it_is_fetched() -> None:
    plan = exploring()
    plan.come(13)
    [told] = plan.think_aloud()
    assert told.why == "to explore near the seeds"
    assert plan.pricing.why(told.key, 0.5) == "expected to pay 0.50"


def test_what_a_restart_recalls_is_not_all_explored_at_once() -> None:
    plan = Plan(explore=EXPLORE)
    plan.put(depth=0, **{f"n{number}": 0.1 for number in range(300)})
    plan.come(400)  # without a thought in between
    explored = 0
    for _ in range(5):
        names = ordered(plan)
        explored += len(names)
        plan.links.drop(key_of(url_of(name)) for name in names)
    assert explored == STRIDE + 1, "and one check"


def test_who_does_not_explore_never_does() -> None:
    plan = Plan(explore=0.0)
    plan.put(depth=0, a=0.01, b=0.02)
    plan.come(3 * AUDIT_EVERY)
    assert ordered(plan) == []


def test_what_was_to_be_explored_by_a_link_that_failed_still_is() -> None:
    plan = exploring()
    plan.come(13)
    assert ordered(plan) == ["b"]
    plan.links.drop([key_of(url_of("b"))])
    plan.pricing.failed(key_of(url_of("b")), ordered=True)
    assert ordered(plan) == ["a"]


# --- checks ----------------------------------------------------------------------------------------------------------


def audited(plan: Plan) -> tuple[int, float, float]:
    outlook = plan.pricing.outlook(1)
    return outlook.audited, outlook.audited_relevant, outlook.expected_relevant


def drawn(plan: Plan) -> int:
    """The key of the link that is to be a check."""
    [one] = [one for one in plan.think_aloud() if one.priority == FIRST]
    assert one.why == "drawn at random, as a check"
    return one.key


def test_one_page_in_fifty_is_drawn_at_random_and_counted_when_it_comes() -> None:
    plan = Plan(explore=EXPLORE)
    plan.put(a=0.25, b=0.25)
    plan.come(AUDIT_EVERY - 1, score=1.0)
    assert ordered(plan) == []
    plan.come(score=1.0)
    key = drawn(plan)
    assert audited(plan) == (0, 0.0, 0.0)
    plan.pricing.came(key, 1.0, relevant=True, expected=0.25, ordered=True)
    count, relevant, expected = audited(plan)
    assert (count, relevant) == (1, 1.0)
    # hits: 0.995^51 and 1; hopes: 2 x 0.995^51 and 0.25
    kept = 0.995**51
    assert expected == pytest.approx((kept + 1) / (2 * kept + 0.25) * 0.25)
    plan.come(AUDIT_EVERY - 2, score=1.0)
    assert ordered(plan) == []


def test_a_check_that_failed_does_not_count() -> None:
    plan = Plan(explore=EXPLORE)
    plan.put(a=0.25)
    plan.come(AUDIT_EVERY, score=1.0)
    key = drawn(plan)
    plan.pricing.failed(key, ordered=True)
    plan.pricing.came(key, 1.0, relevant=True, expected=0.25, ordered=False)
    assert audited(plan)[0] == 0


def test_every_link_may_be_drawn() -> None:
    plan = Plan(explore=EXPLORE)
    plan.put(**{f"n{number}": number / 10 for number in range(5)})
    found = set()
    for _ in range(40):
        plan.come(AUDIT_EVERY, score=1.0)
        key = drawn(plan)
        found.add(key)
        slot = plan.links.find(key)
        assert slot is not None
        row = plan.links.rows[slot : slot + 1].copy()
        plan.links.drop([key])  # it comes, and is found anew
        plan.links.put(row)
    assert len(found) == 5


# --- one host --------------------------------------------------------------------------------------------------------


def test_a_host_with_more_than_its_share_must_wait() -> None:
    plan = Plan(host_share=0.5)
    plan.put(a=0.5, other_far=0.4)
    plan.reprice()
    plan.come(10)
    host = rows([found(url_of("a"))])["places"][:, 0]
    plan.model.counts.add(host, 0.0, 0.0, pages=5.0)
    assert plan.reprice() == {}, "half of them is its share"
    plan.model.counts.add(host, 0.0, 0.0, pages=1.0)
    assert plan.reprice() == pytest.approx({"a": -0.5})


# --- what to expect --------------------------------------------------------------------------------------------------


def test_the_outlook_is_what_the_best_links_are_expected_to_bring() -> None:
    plan = Plan()
    plan.put(a=0.5, b=0.25, c=0.125)
    plan.reprice()
    # before the first page one page in two of those that score is relevant
    outlook = plan.pricing.outlook(2)
    assert (outlook.pages, outlook.relevant, outlook.missed) == pytest.approx((2, 0.5 * 0.75, 0.5 * 0.875))
    outlook = plan.pricing.outlook(10)
    assert (outlook.pages, outlook.relevant, outlook.missed) == pytest.approx((3, 0.5 * 0.875, 0.5 * 0.875))
    outlook = plan.pricing.outlook(0)
    assert (outlook.pages, outlook.relevant) == (0, 0.0)


def test_an_outlook_is_corrected_by_what_came_of_what_was_expected() -> None:
    plan = Plan()
    plan.put(a=0.5)
    plan.reprice()
    for _ in range(1000):
        plan.pricing.came(0, 0.5, relevant=False, expected=0.5, ordered=False)
    assert plan.pricing.outlook(1).relevant < 0.01, "it hoped in vain"
    for _ in range(2000):
        plan.pricing.came(0, 0.5, relevant=True, expected=0.5, ordered=False)
    assert plan.pricing.outlook(1).relevant == pytest.approx(1.0, abs=0.01), "0.5 expected is one page in truth"


def test_no_more_than_all_pages_are_relevant() -> None:
    plan = Plan()
    plan.put(a=0.9, b=0.9)
    plan.reprice()
    for _ in range(1000):
        plan.pricing.came(0, 1.0, relevant=True, expected=0.1, ordered=False)
    outlook = plan.pricing.outlook(1)
    assert (outlook.relevant, outlook.missed) == (1.0, 2.0)


def test_the_outlook_falls_when_all_good_links_are_gone() -> None:
    plan = Plan()
    plan.put(**{f"n{number}": 0.9 for number in range(20)}, **dict.fromkeys("abcd", 0.05))
    plan.reprice()
    before = plan.pricing.outlook(10)
    plan.links.drop(key_of(url_of(f"n{number}")) for number in range(20))
    after = plan.pricing.outlook(10)
    assert before.relevant == pytest.approx(0.5 * 9.0)
    assert after.relevant == pytest.approx(0.5 * 4 * 0.05)
    assert after.pages == 4


def test_nothing_waits_and_nothing_is_expected() -> None:
    outlook = Plan().pricing.outlook(100)
    assert (outlook.pages, outlook.relevant, outlook.missed) == (0, 0.0, 0.0)


# --- a restart -------------------------------------------------------------------------------------------------------


def test_who_catches_up_values_everything_at_once() -> None:
    plan, other = Plan(), Plan()
    for each in (plan, other):
        each.put(a=0.5, b=0.25)
    plan.pricing.reprice_all()
    other.reprice()
    assert plan.links.value[plan.links.slots()].tolist() == other.links.value[other.links.slots()].tolist()
    assert plan.pricing.outlook(2) == other.pricing.outlook(2)
    assert plan.model.price == other.model.price
    assert plan.reprice() == pytest.approx({"a": 0.5, "b": 0.25}), "nobody was told yet"
