"""Which URL next? Worked examples; `test_frontier_model.py` has the random ones."""

from __future__ import annotations

import math
from collections.abc import Callable
from random import Random

import pytest

from shoal.frontier.frontier import Frontier
from shoal.frontier.politeness import Clocks
from shoal.model import Entry, Reason, State, Timing
from shoal.remembered import Closing
from shoal.settings import Politeness
from shoal.testing.fakes import failure
from shoal.testing.memory_ledger import MemoryLedger
from shoal.testing.memory_url_index import MemoryShelf
from shoal.urls import host_of, key_of

NOW = 1000.0


class PaperLocator:
    """Notes who is to be looked up; the test answers."""

    def __init__(self, room: int = 100) -> None:
        self.asked: dict[str, Callable[[str], None]] = {}
        self._room = room

    @property
    def has_room(self) -> bool:
        return len(self.asked) < self._room

    def ask(self, host: str, tell: Callable[[str], None]) -> None:
        self.asked[host] = tell

    def answer(self, host: str, address: str) -> None:
        self.asked.pop(host)(address)


class Crawl:
    """A frontier with its clocks, and a shelf that outlives it."""

    def __init__(
        self,
        shelf: MemoryShelf | None = None,
        *,
        front: int = 100,
        delay: float = 1.0,
        per_host: int = 1,
        locator: PaperLocator | None = None,
        latest: float = math.inf,
    ):
        self.shelf = shelf or MemoryShelf()
        politeness = Politeness(delay=delay, per_host=per_host)
        self.clocks = Clocks(politeness, MemoryLedger(), longest_request=60, random=Random(1))
        self.frontier = Frontier(self.shelf, self.clocks, front=front, locator=locator, latest=latest)

    def add(self, url: str, priority: float = 0.5, *, depth: int = 0, refused: Reason | None = None) -> bool:
        state = State.WAITING if refused is None else State.SKIPPED
        entry = Entry(
            id=0,
            url=f"http://{url}",
            host=host_of(f"http://{url}/"),
            priority=priority,
            depth=depth,
            state=state,
            reason=refused,
        )
        return self.frontier.add(entry)

    def pop(self, now: float = NOW, *, patient: bool = False) -> str | None:
        entry = self.frontier.pop(now, patient=patient)
        return entry.url.removeprefix("http://") if entry else None

    def done(self, now: float = NOW) -> None:
        """All that is under way comes home."""
        for entry in list(self.frontier.leased.values()):
            self.release(entry, now)
            self.frontier.settle(entry, State.DONE)
            self.frontier.free(entry.host)

    def release(self, entry: Entry, now: float) -> None:
        self.clocks.release(entry.host, Timing(started=now, answered=now, ended=now))

    def fetch_all(self, now: float = NOW) -> list[str]:
        """All that may be asked for now, in order; with a delay of 0, everything."""
        came = []
        while (url := self.pop(now)) is not None:
            came.append(url)
            self.done(now)
        return came

    def commit(self) -> None:
        self.shelf.commit(self.frontier.take_changes())
        self.frontier.committed()

    def only(self) -> Entry:
        (entry,) = self.frontier.leased.values()
        return entry


def test_the_best_url_comes_first_whatever_its_host() -> None:
    crawl = Crawl(delay=0)
    for url, priority in [("a.test/1", 0.2), ("b.test/1", 0.9), ("a.test/2", 0.5), ("c.test/1", 0.3)]:
        crawl.add(url, priority)
    assert crawl.fetch_all() == ["b.test/1", "a.test/2", "c.test/1", "a.test/1"]


def test_urls_of_equal_priority_come_in_the_order_of_discovery() -> None:
    crawl = Crawl(delay=0)
    for number in range(5):
        crawl.add(f"a.test/{number}")
    assert crawl.fetch_all() == [f"a.test/{number}" for number in range(5)]


def test_a_host_that_waits_never_blocks_another() -> None:
    crawl = Crawl(delay=10)
    for number in range(3):
        crawl.add(f"best.test/{number}", 0.9)
    crawl.add("other.test/", 0.1)
    assert crawl.pop() == "best.test/0"
    assert crawl.pop() == "other.test/"
    crawl.done()
    assert crawl.pop(NOW + 9.9) is None
    assert crawl.frontier.ready_at() == NOW + 10
    assert crawl.pop(NOW + 10) == "best.test/1"


def test_who_is_patient_waits_for_the_host_of_a_clearly_better_url() -> None:
    crawl = Crawl(delay=2)
    crawl.add("best.test/0", 0.9)
    crawl.add("best.test/1", 0.8)
    crawl.add("other.test/", 0.7)
    assert crawl.pop(patient=True) == "best.test/0"
    assert crawl.pop(patient=True) is None, "best.test is being asked"
    assert crawl.frontier.is_holding_back
    crawl.done(NOW + 1)
    assert crawl.pop(NOW + 1, patient=True) is None, "best.test is asleep"
    assert crawl.frontier.ready_at() == NOW + 3
    assert crawl.pop(NOW + 3, patient=True) == "best.test/1"
    assert crawl.pop(NOW + 3, patient=True) == "other.test/", "nothing better waits"
    assert not crawl.frontier.is_holding_back


@pytest.mark.parametrize(
    ("better", "other", "waits"),
    [(0.9, 0.82, False), (0.9, 0.8, True), (-2.0, -2.1, False), (-2.0, -3.0, True), (0.0, 0.0, False)],
)
def test_a_url_that_is_nearly_as_good_need_not_wait(better: float, other: float, waits: bool) -> None:
    crawl = Crawl()
    crawl.add("best.test/0", 1.0)
    crawl.add("best.test/1", better)
    crawl.add("other.test/", other)
    crawl.pop(patient=True)
    assert (crawl.pop(patient=True) is None) == waits


@pytest.mark.parametrize("committed", [False, True])
def test_whoever_is_waited_for_counts_with_what_its_urls_are_worth_now(committed: bool) -> None:
    crawl = Crawl(front=2)
    for number in range(6):
        crawl.add(f"best.test/{number}", 0.9)
    crawl.add("other.test/", 0.5)
    assert crawl.pop(patient=True) == "best.test/0"
    if committed:
        crawl.commit()
    for number in range(1, 6):
        crawl.frontier.reprice(key_of(f"http://best.test/{number}"), 0.1, "it was not so good")
    assert crawl.pop(patient=True) == "other.test/"
    crawl.add("third.test/", 0.4)
    crawl.frontier.reprice(key_of("http://best.test/4"), 0.7, "one was")
    assert crawl.pop(patient=True) is None


def test_a_good_url_that_is_found_while_its_host_is_asked_is_waited_for() -> None:
    crawl = Crawl()
    crawl.add("best.test/0", 0.9)
    crawl.pop(patient=True)
    crawl.add("other.test/", 0.2)
    crawl.add("best.test/1", 0.8)
    assert crawl.pop(patient=True) is None
    crawl.done()
    assert crawl.pop(NOW + 1, patient=True) == "best.test/1"


def test_nobody_waits_long_for_a_host_that_does_not_answer() -> None:
    crawl = Crawl()
    crawl.add("slow.test/0", 0.9)
    crawl.add("slow.test/1", 0.9)
    crawl.add("other.test/0", 0.2)
    crawl.add("other.test/1", 0.2)
    crawl.pop(patient=True)
    assert crawl.pop(NOW + 9, patient=True) is None
    assert crawl.frontier.ready_at() == NOW + 10
    assert crawl.pop(NOW + 10, patient=True) == "other.test/0"
    crawl.add("slow.test/2", 0.95)  # what is found meanwhile does not make it faster
    crawl.add("third.test/", 0.3)
    assert crawl.pop(NOW + 11, patient=True) == "third.test/"


def while_the_best_is_asked(delay: float = 1.0) -> Crawl:
    """The best of three URLs is under way; the second best is of the same host."""
    crawl = Crawl(delay=delay)
    for url, priority in [("best.test/0", 0.9), ("best.test/1", 0.9), ("other.test/", 0.2)]:
        crawl.add(url, priority)
    assert crawl.pop(patient=True) == "best.test/0"
    return crawl


def test_nobody_waits_for_a_host_that_must_rest_for_long() -> None:
    crawl = while_the_best_is_asked(delay=11)
    crawl.done()
    assert crawl.pop(patient=True) == "other.test/"


def test_nobody_waits_for_a_host_in_trouble() -> None:
    crawl = while_the_best_is_asked()
    entry = crawl.only()
    timing = Timing(started=NOW, answered=NOW, ended=NOW)
    crawl.clocks.release(entry.host, timing, failure("", Reason.RESET, heals=True))
    crawl.frontier.retry(entry, NOW + 5)
    crawl.frontier.free(entry.host)
    assert crawl.pop(patient=True) == "other.test/"


def test_nobody_waits_long_for_a_host_whose_robots_txt_is_not_known() -> None:
    crawl = Crawl()
    crawl.add("best.test/", 0.9)
    crawl.add("other.test/", 0.2)
    crawl.pop(patient=True)
    crawl.frontier.put_back(crawl.only())  # the robots.txt is asked for in its place
    assert crawl.pop(patient=True) is None
    assert crawl.frontier.ready_at() == NOW + 2
    assert crawl.pop(NOW + 2, patient=True) == "other.test/"


def test_nobody_waits_for_a_host_that_must_be_asked_for_something_else_first() -> None:
    crawl = while_the_best_is_asked()
    crawl.frontier.queue_errand("http://best.test/robots.txt")
    assert crawl.pop(patient=True) == "other.test/"


def test_nor_does_that_host_hide_another_that_is_worth_waiting_for() -> None:
    crawl = while_the_best_is_asked()
    for number in range(2):
        crawl.add(f"good.test/{number}", 0.9)
    assert crawl.pop(patient=True) == "good.test/0"
    crawl.frontier.queue_errand("http://best.test/robots.txt")
    assert crawl.pop(patient=True) is None


@pytest.mark.parametrize("queue", ["queue_errand", "queue_extra"])
def test_nor_does_a_sleeping_host_with_something_else_hide_one_that_is_worth_waiting_for(queue: str) -> None:
    crawl = while_the_best_is_asked()
    getattr(crawl.frontier, queue)("http://cdn.test/1.png")
    assert crawl.pop(patient=True) == "cdn.test/1.png", "it costs no page, so nobody is waited for"
    crawl.clocks.release("cdn.test", Timing(started=NOW, answered=NOW, ended=NOW))
    getattr(crawl.frontier, queue)("http://cdn.test/2.png")
    crawl.frontier.free("cdn.test")
    assert crawl.pop(patient=True) is None, "cdn.test is asleep, and other.test waits for best.test"


def test_what_is_no_new_page_comes_first_and_alone_when_no_pages_may_come() -> None:
    crawl = Crawl()
    crawl.add("a.test/", 0.9)
    crawl.add("b.test/", 0.1)
    crawl.frontier.queue_extra("http://b.test/1.png")
    popped = [crawl.frontier.pop(NOW, pages=False), crawl.frontier.pop(NOW, pages=False)]
    assert [entry and entry.url for entry in popped] == ["http://b.test/1.png", None]
    assert crawl.pop() == "a.test/"


def test_a_host_that_has_given_its_pages_still_gives_pictures_and_a_dead_one_does_not() -> None:
    crawl = Crawl()
    for host, reason in (("full.test", Reason.HOST_BUDGET), ("dead.test", Reason.DNS)):
        crawl.add(f"{host}/", 0.5)
        before = crawl.frontier.queue_extra(f"http://{host}/1.png")
        crawl.frontier.close(Closing(host=host, state=State.SKIPPED, reason=reason, detail="x"))
        after = crawl.frontier.queue_extra(f"http://{host}/2.png")
        expected = [] if reason is Reason.HOST_BUDGET else [(before, reason), (after, reason)]
        assert crawl.frontier.take_stranded() == expected
    assert crawl.pop() == "full.test/1.png"


def test_nobody_waits_for_a_host_that_was_closed_meanwhile() -> None:
    crawl = while_the_best_is_asked()
    crawl.frontier.close(Closing(host="best.test", state=State.FAILED, reason=Reason.DNS, detail="gone"))
    assert crawl.pop(patient=True) == "other.test/"


def test_hosts_that_nobody_waited_for_leave_nothing_behind() -> None:
    crawl = Crawl(delay=1)
    for number in range(3_000):
        crawl.add(f"a.test/{number}")
    for turn in range(3_000):
        assert crawl.pop(NOW + 2 * turn) == f"a.test/{turn}"
        crawl.done(NOW + 2 * turn)
    assert len(crawl.frontier._roster._awaited) <= 1_001


def test_one_host_gets_as_many_requests_at_once_as_it_may() -> None:
    crawl = Crawl(delay=0, per_host=2)
    for number in range(4):
        crawl.add(f"a.test/{number}")
    assert [crawl.pop() for _ in range(3)] == ["a.test/0", "a.test/1", None]
    crawl.done()
    assert [crawl.pop() for _ in range(3)] == ["a.test/2", "a.test/3", None]


@pytest.mark.parametrize("committed", [False, True])
def test_a_url_found_again_by_a_better_link_moves_up(committed: bool) -> None:
    crawl = Crawl(delay=0)
    for number in range(20):
        crawl.add(f"a.test/{number}", 0.9 - number / 100)
    if committed:
        crawl.commit()
        crawl = Crawl(crawl.shelf, delay=0)  # now all of them are on the shelf
    assert not crawl.add("a.test/19", 1.0), "it waited before"
    assert crawl.fetch_all()[:2] == ["a.test/19", "a.test/0"]


def test_a_url_found_again_by_a_worse_link_keeps_its_priority() -> None:
    crawl = Crawl()
    crawl.add("a.test/", 0.9)
    crawl.add("a.test/", 0.1)
    assert crawl.frontier.pop(NOW) is not None
    assert crawl.only().priority == 0.9


@pytest.mark.parametrize("priority", [0.1, 0.9])
def test_the_shortest_way_to_a_url_counts_as_its_depth(priority: float) -> None:
    crawl = Crawl()
    crawl.add("a.test/", 0.5, depth=5)
    assert crawl.frontier.is_news("http://a.test/", priority, 2)
    crawl.add("a.test/", priority, depth=2)
    crawl.add("a.test/", 0.9, depth=7)
    crawl.pop()
    assert crawl.only().depth == 2


@pytest.mark.parametrize(
    ("reason", "reopens"),
    [
        (Reason.DEPTH, True),
        (Reason.NOFOLLOW, True),
        (Reason.THRESHOLD, True),
        (Reason.SCOPE, False),
        (Reason.TRAP, False),
    ],
)
def test_a_refusal_that_lies_in_the_way_is_undone_by_another_way(reason: Reason, reopens: bool) -> None:
    crawl = Crawl()
    assert not crawl.add("a.test/", refused=reason, depth=9)
    crawl.commit()
    assert crawl.add("a.test/", depth=2) is reopens
    assert len(crawl.frontier) == int(reopens)
    assert crawl.pop() == ("a.test/" if reopens else None)


def test_a_url_that_was_fetched_is_never_fetched_again() -> None:
    crawl = Crawl(delay=0)
    crawl.add("a.test/")
    assert crawl.fetch_all() == ["a.test/"]
    crawl.commit()
    assert not crawl.add("a.test/", 1.0)
    assert crawl.fetch_all() == []


def test_a_retry_comes_at_its_time_and_not_before_even_when_found_again() -> None:
    crawl = Crawl(delay=1)
    crawl.add("a.test/", 0.5)
    crawl.add("a.test/other", 0.4)
    crawl.pop()
    entry = crawl.only()
    crawl.release(entry, NOW)
    crawl.frontier.retry(entry, NOW + 60)
    crawl.frontier.free(entry.host)
    crawl.add("a.test/", 1.0)
    assert crawl.pop(NOW + 1) == "a.test/other"
    crawl.done(NOW + 1)
    assert (crawl.pop(NOW + 59), crawl.frontier.ready_at()) == (None, NOW + 60)
    assert crawl.pop(NOW + 60) == "a.test/"
    assert (crawl.only().attempt, crawl.only().priority) == (2, 1.0)


def test_a_retry_waits_for_its_time_though_its_old_price_came_back() -> None:
    crawl = Crawl(delay=0)
    crawl.add("a.test/", 0.5)
    for price in (0.9, 0.5):  # each leaves its mark in the queue of the host
        crawl.frontier.reprice(key_of("http://a.test/"), price, "because")
    crawl.pop()
    entry = crawl.only()
    crawl.release(entry, NOW)
    crawl.frontier.retry(entry, NOW + 60)
    crawl.frontier.free(entry.host)
    assert crawl.pop(NOW + 59) is None
    assert crawl.pop(NOW + 60) == "a.test/"


def test_a_retry_survives_the_end_of_the_process() -> None:
    crawl = Crawl()
    crawl.add("a.test/")
    crawl.pop()
    crawl.frontier.retry(crawl.only(), NOW + 60)
    crawl.commit()
    again = Crawl(crawl.shelf)
    assert (len(again.frontier), again.pop(NOW + 59), again.pop(NOW + 60)) == (1, None, "a.test/")


def test_what_was_under_way_when_the_process_died_is_asked_for_again() -> None:
    crawl = Crawl()
    crawl.add("a.test/")
    crawl.commit()
    assert crawl.pop() == "a.test/"
    assert Crawl(crawl.shelf).pop() == "a.test/"


def test_a_host_whose_robots_txt_is_unknown_waits_until_it_is_known() -> None:
    crawl = Crawl(delay=0)
    crawl.add("a.test/")
    crawl.pop()
    entry = crawl.only()
    crawl.frontier.put_back(entry)
    robots = crawl.frontier.start_errand("http://a.test/robots.txt")
    assert (crawl.pop(), len(crawl.frontier)) == (None, 1)
    crawl.frontier.end_errand(robots.id)
    crawl.release(entry, NOW)
    crawl.frontier.unblock("a.test")
    crawl.frontier.free("a.test")
    assert crawl.pop() == "a.test/"


def test_an_errand_goes_before_all_pages_of_its_host_and_keeps_its_clock() -> None:
    crawl = Crawl(delay=5)
    crawl.add("a.test/1")
    crawl.add("a.test/2", 1.0)
    crawl.pop()
    crawl.done()
    crawl.frontier.queue_errand("http://a.test/robots.txt")
    assert crawl.pop(NOW + 4) is None
    assert crawl.pop(NOW + 5) == "a.test/robots.txt"


def test_an_errand_to_a_closed_host_is_still_run() -> None:
    crawl = Crawl()
    crawl.frontier.queue_errand("http://a.test/robots.txt")
    crawl.frontier.close(Closing(host="a.test", state=State.FAILED, reason=Reason.DNS, detail=""))
    assert crawl.pop() == "a.test/robots.txt"


def test_a_closed_host_is_asked_nothing_more() -> None:
    crawl = Crawl(delay=0, per_host=3)
    for number in range(5):
        crawl.add(f"a.test/{number}")
    crawl.add("b.test/", 0.1)
    crawl.commit()
    crawl.pop(), crawl.pop(), crawl.pop()
    done, again, back = crawl.frontier.leased.values()
    crawl.frontier.close(Closing(host="a.test", state=State.FAILED, reason=Reason.DNS, detail="No such name."))
    assert not crawl.add("a.test/new", 1.0)
    crawl.frontier.settle(done, State.DONE)
    crawl.frontier.retry(again, NOW)
    crawl.frontier.put_back(back)
    assert (len(crawl.frontier), crawl.pop(NOW + 1), crawl.pop(NOW + 1)) == (1, "b.test/", None)
    crawl.commit()
    fates = {
        entry.url.removeprefix("http://a.test/"): (entry.state, entry.reason) for entry in crawl.shelf.entries.values()
    }
    gone, skipped = (State.FAILED, Reason.DNS), (State.SKIPPED, Reason.DNS)
    assert fates.pop("http://b.test/")[0] is State.WAITING
    assert fates == {"0": (State.DONE, None), "1": skipped, "2": skipped, "3": gone, "4": gone, "new": skipped}


def test_a_url_under_way_when_its_host_was_closed_does_not_wait_for_ever_after_a_crash() -> None:
    crawl = Crawl()
    crawl.add("a.test/")
    crawl.commit()
    crawl.pop()
    crawl.frontier.close(Closing(host="a.test", state=State.FAILED, reason=Reason.DNS, detail=""))
    crawl.commit()
    again = Crawl(crawl.shelf)
    assert (len(again.frontier), again.pop(), again.frontier.ready_at()) == (0, None, None)
    again.commit()
    assert [entry.state for entry in crawl.shelf.entries.values()] == [State.SKIPPED]


def test_the_worst_urls_are_dropped_and_come_back_when_found_again() -> None:
    crawl = Crawl(delay=0)
    for number in range(6):
        crawl.add(f"a.test/{number}", number / 10)
    crawl.commit()
    crawl.frontier.drop_worst(4)
    assert len(crawl.frontier) == 2
    assert crawl.frontier.is_news("http://a.test/0", 0.05, 3)
    assert crawl.add("a.test/0", 0.05)
    assert crawl.fetch_all() == ["a.test/5", "a.test/4", "a.test/0"]


def test_a_price_can_fall_as_well_as_rise() -> None:
    crawl = Crawl(delay=0)
    for number in range(3):
        crawl.add(f"a.test/{number}", 0.5)
    crawl.frontier.reprice(key_of("http://a.test/0"), 0.1, "it was a mistake")
    crawl.frontier.reprice(key_of("http://a.test/2"), 0.9, "it was a find")
    crawl.frontier.reprice(key_of("http://a.test/unknown"), 0.9, "never seen")
    assert crawl.fetch_all() == ["a.test/2", "a.test/1", "a.test/0"]


def test_few_urls_stay_in_memory_and_all_come_back_in_order() -> None:
    crawl = Crawl(delay=0, front=10)
    numbers = list(range(500))
    Random(1).shuffle(numbers)
    for count, number in enumerate(numbers):
        crawl.add(f"{'ab'[number % 2]}.test/{number}", number)
        if count % 50 == 49:
            crawl.commit()
    assert len(crawl.frontier._front) <= 50, "the rest is on the shelf"
    assert [int(url.partition("/")[2]) for url in crawl.fetch_all()] == sorted(numbers, reverse=True)


def test_host_counts_tell_who_may_be_asked_and_who_waits() -> None:
    crawl = Crawl(delay=10)
    for url in ["a.test/1", "a.test/2", "b.test/1", "b.test/2", "c.test/"]:
        crawl.add(url, 0.9 if url.startswith("a") else 0.5)
    crawl.pop()
    crawl.done()
    assert crawl.pop() == "b.test/1"
    assert crawl.frontier.host_counts() == (1, 1)


# --- where hosts live ------------------------------------------------------------------------------------------------


def test_a_host_is_located_before_it_is_asked() -> None:
    locator = PaperLocator()
    crawl = Crawl(locator=locator)
    told: list[bool] = []
    crawl.frontier.when_located(lambda: told.append(True))
    crawl.add("a.test/")
    assert crawl.pop() is None
    assert list(locator.asked) == ["a.test"]
    locator.answer("a.test", "192.0.2.1")
    assert told == [True]
    assert crawl.pop() == "a.test/"
    crawl.done()
    crawl.add("a.test/2")
    assert crawl.pop(NOW + 1) == "a.test/2"
    assert locator.asked == {}, "it is known now"


@pytest.mark.parametrize(("addresses", "at_once"), [(["192.0.2.1"], 1), (["192.0.2.1", "192.0.2.2"], 2), ([""], 20)])
def test_the_first_requests_to_hosts_at_one_address_are_spread(addresses: list[str], at_once: int) -> None:
    """Of four at once, one begins every quarter of the delay."""
    locator = PaperLocator()
    crawl = Crawl(locator=locator, delay=4.0)
    for number in range(20):
        crawl.add(f"{number}.test/")
    assert crawl.pop() is None
    for number in range(20):
        locator.answer(f"{number}.test", addresses[number % len(addresses)])
    assert len(list(iter(crawl.pop, None))) == at_once
    crawl.done()
    assert len(list(iter(lambda: crawl.pop(NOW + 2.0), None))) == (at_once if any(addresses) else 0)


def test_the_best_strangers_are_looked_up_first_and_only_so_many_at_once() -> None:
    locator = PaperLocator(room=2)
    crawl = Crawl(locator=locator)
    for name, priority in [("poor", 0.1), ("best", 0.9), ("good", 0.5), ("fair", 0.3)]:
        crawl.add(f"{name}.test/", priority)
    assert crawl.pop() is None
    assert set(locator.asked) == {"best.test", "good.test"}
    locator.answer("good.test", "192.0.2.1")
    assert crawl.pop() == "good.test/", "who is known does not wait for others"
    assert set(locator.asked) == {"best.test", "fair.test"}


def test_a_look_up_that_takes_long_is_not_begun_twice_and_its_host_is_asked_in_the_end() -> None:
    locator = PaperLocator()
    crawl = Crawl(locator=locator)
    crawl.add("slow.test/", 0.9)
    crawl.add("slow.test/better", 0.95)
    assert crawl.pop() is None
    for seconds in (1, 3, 6, 9):
        assert crawl.pop(NOW + seconds) is None
    assert list(locator.asked) == ["slow.test"]
    locator.answer("slow.test", "")
    assert crawl.pop(NOW + 10) == "slow.test/better"


def test_who_is_patient_waits_a_moment_for_a_better_stranger() -> None:
    locator = PaperLocator()
    crawl = Crawl(locator=locator)
    crawl.add("known.test/", 0.5)
    crawl.pop()
    locator.answer("known.test", "192.0.2.1")
    crawl.add("stranger.test/", 0.9)
    assert crawl.pop(patient=True) is None
    assert crawl.frontier.is_holding_back
    assert crawl.pop() == "known.test/"


def test_errands_are_for_located_hosts_too_and_pages_that_nobody_wants_are_not_looked_up() -> None:
    locator = PaperLocator()
    crawl = Crawl(locator=locator)
    crawl.add("page.test/")
    crawl.frontier.queue_errand("http://errand.test/robots.txt")
    assert crawl.frontier.pop(NOW, pages=False) is None
    assert list(locator.asked) == ["errand.test"]
    locator.answer("errand.test", "192.0.2.1")
    errand = crawl.frontier.pop(NOW, pages=False)
    assert errand is not None
    assert errand.url == "http://errand.test/robots.txt"


def test_a_host_that_is_closed_while_it_is_looked_up_is_not_asked() -> None:
    locator = PaperLocator()
    crawl = Crawl(locator=locator)
    crawl.add("a.test/")
    crawl.pop()
    crawl.frontier.close(Closing(host="a.test", state=State.SKIPPED, reason=Reason.SCOPE, detail="", waiting=()))
    locator.answer("a.test", "192.0.2.1")
    assert crawl.pop(NOW + 100) is None
    assert len(crawl.frontier) == 0


def test_what_an_earlier_run_left_for_an_impossible_time_waits_until_the_latest_possible_one() -> None:
    first = Crawl(delay=0)
    first.add("a.test/", 0.5)
    first.pop()
    entry = first.only()
    first.release(entry, NOW)
    first.frontier.retry(entry, NOW + 1_000_000)
    first.commit()
    second = Crawl(first.shelf, delay=0, latest=NOW + 50)
    assert second.frontier.ready_at() == NOW + 50
    second.add("a.test/", 0.9)  # found again, by a better way
    assert second.pop(NOW + 49) is None
    assert second.pop(NOW + 50) == "a.test/"
