"""Which host next? The best of those that may be asked; and who is patient waits for a better one, but not for long."""

from __future__ import annotations

import pytest

from shoal.model import Reason, State, Timing
from shoal.model.stored import Closing
from shoal.testing.fakes import failure
from shoal.urls import key_of
from tests.frontier.paper_crawl import NOW, Crawl, PaperLocator


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
    assert crawl.host_schedule.is_holding_back
    crawl.done(NOW + 1)
    assert crawl.pop(NOW + 1, patient=True) is None, "best.test is asleep"
    assert crawl.frontier.ready_at() == NOW + 3
    assert crawl.pop(NOW + 3, patient=True) == "best.test/1"
    assert crawl.pop(NOW + 3, patient=True) == "other.test/", "nothing better waits"
    assert not crawl.host_schedule.is_holding_back


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
    crawl.host_schedule.free(entry.host)
    assert crawl.pop(patient=True) == "other.test/"


def test_nobody_waits_long_for_a_host_whose_robots_txt_is_not_known() -> None:
    crawl = Crawl()
    crawl.add("best.test/", 0.9)
    crawl.add("other.test/", 0.2)
    crawl.pop(patient=True)
    crawl.frontier.put_back(crawl.only())
    crawl.host_schedule.block("best.test")  # the robots.txt is asked for in its place
    assert crawl.pop(patient=True) is None
    assert crawl.frontier.ready_at() == NOW + 2
    assert crawl.pop(NOW + 2, patient=True) == "other.test/"


def test_nobody_waits_for_a_host_that_must_be_asked_for_something_else_first() -> None:
    crawl = while_the_best_is_asked()
    crawl.queue("best.test/robots.txt", urgent=True)
    assert crawl.pop(patient=True) == "other.test/"


def test_nor_does_that_host_hide_another_that_is_worth_waiting_for() -> None:
    crawl = while_the_best_is_asked()
    for number in range(2):
        crawl.add(f"good.test/{number}", 0.9)
    assert crawl.pop(patient=True) == "good.test/0"
    crawl.queue("best.test/robots.txt", urgent=True)
    assert crawl.pop(patient=True) is None


@pytest.mark.parametrize("urgent", [True, False], ids=["robots.txt", "image"])
def test_nor_does_a_sleeping_host_with_something_else_hide_one_that_is_worth_waiting_for(urgent: bool) -> None:
    crawl = while_the_best_is_asked()
    crawl.queue("cdn.test/1.png", urgent=urgent)
    assert crawl.pop(patient=True) == "cdn.test/1.png", "it costs no page, so nobody is waited for"
    crawl.clocks.release("cdn.test", Timing(started=NOW, answered=NOW, ended=NOW))
    crawl.queue("cdn.test/2.png", urgent=urgent)
    crawl.host_schedule.free("cdn.test")
    assert crawl.pop(patient=True) is None, "cdn.test is asleep, and other.test waits for best.test"


def test_what_is_no_new_page_comes_first_and_alone_when_no_pages_may_come() -> None:
    crawl = Crawl()
    crawl.add("a.test/", 0.9)
    crawl.add("b.test/", 0.1)
    crawl.queue("b.test/1.png")
    popped = [crawl.frontier.pop(NOW, pages=False), crawl.frontier.pop(NOW, pages=False)]
    assert [task and task.url for task in popped] == ["http://b.test/1.png", None]
    assert crawl.pop() == "a.test/"


def test_a_host_that_has_given_its_pages_still_gives_images_and_a_dead_one_does_not() -> None:
    crawl = Crawl()
    for host, reason in (("full.test", Reason.HOST_BUDGET), ("dead.test", Reason.DNS)):
        crawl.add(f"{host}/", 0.5)
        before = crawl.queue(f"{host}/1.png")
        crawl.frontier.close(Closing(host=host, state=State.SKIPPED, reason=reason, detail="x"))
        after = crawl.queue(f"{host}/2.png")
        expected = [] if reason is Reason.HOST_BUDGET else [(before, reason), (after, reason)]
        assert crawl.host_schedule.take_stranded() == expected
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
    assert len(crawl.host_schedule._awaited) <= 1_001


def test_one_host_gets_as_many_requests_at_once_as_it_may() -> None:
    crawl = Crawl(delay=0, per_host=2)
    for number in range(4):
        crawl.add(f"a.test/{number}")
    assert [crawl.pop() for _ in range(3)] == ["a.test/0", "a.test/1", None]
    crawl.done()
    assert [crawl.pop() for _ in range(3)] == ["a.test/2", "a.test/3", None]


def test_an_errand_goes_before_all_pages_of_its_host_and_keeps_its_clock() -> None:
    crawl = Crawl(delay=5)
    crawl.add("a.test/1")
    crawl.add("a.test/2", 1.0)
    crawl.pop()
    crawl.done()
    crawl.queue("a.test/robots.txt", urgent=True)
    assert crawl.pop(NOW + 4) is None
    assert crawl.pop(NOW + 5) == "a.test/robots.txt"


def test_an_errand_to_a_closed_host_is_still_run() -> None:
    crawl = Crawl()
    crawl.queue("a.test/robots.txt", urgent=True)
    crawl.frontier.close(Closing(host="a.test", state=State.FAILED, reason=Reason.DNS, detail=""))
    assert crawl.pop() == "a.test/robots.txt"


def test_host_counts_tell_who_may_be_asked_and_who_waits() -> None:
    crawl = Crawl(delay=10)
    for url in ["a.test/1", "a.test/2", "b.test/1", "b.test/2", "c.test/"]:
        crawl.add(url, 0.9 if url.startswith("a") else 0.5)
    crawl.pop()
    crawl.done()
    assert crawl.pop() == "b.test/1"
    assert crawl.host_schedule.counts() == (1, 1)


def test_a_host_is_located_before_it_is_asked() -> None:
    locator = PaperLocator()
    crawl = Crawl(locator=locator)
    told: list[bool] = []
    crawl.host_schedule.when_located = lambda: told.append(True)
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
    assert crawl.host_schedule.is_holding_back
    assert crawl.pop() == "known.test/"


def test_errands_are_for_located_hosts_too_and_pages_that_nobody_wants_are_not_looked_up() -> None:
    locator = PaperLocator()
    crawl = Crawl(locator=locator)
    crawl.add("page.test/")
    crawl.queue("errand.test/robots.txt", urgent=True)
    assert crawl.frontier.pop(NOW, pages=False) is None
    assert list(locator.asked) == ["errand.test"]
    locator.answer("errand.test", "192.0.2.1")
    robots_fetch = crawl.frontier.pop(NOW, pages=False)
    assert robots_fetch is not None
    assert robots_fetch.url == "http://errand.test/robots.txt"


def test_a_host_that_is_closed_while_it_is_looked_up_is_not_asked() -> None:
    locator = PaperLocator()
    crawl = Crawl(locator=locator)
    crawl.add("a.test/")
    crawl.pop()
    crawl.frontier.close(Closing(host="a.test", state=State.SKIPPED, reason=Reason.SCOPE, detail="", waiting=()))
    locator.answer("a.test", "192.0.2.1")
    assert crawl.pop(NOW + 100) is None
    assert len(crawl.frontier) == 0
