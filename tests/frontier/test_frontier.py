"""Which URL next? Worked examples; `test_frontier_model.py` has the random ones."""

from __future__ import annotations

from random import Random

import pytest

from shoal.model import Reason, State
from shoal.model.stored import Closing
from shoal.urls import key_of
from tests.frontier.paper_crawl import NOW, Crawl


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


@pytest.mark.parametrize("committed", [False, True])
def test_a_url_found_again_by_a_better_link_moves_up(committed: bool) -> None:
    crawl = Crawl(delay=0)
    for number in range(20):
        crawl.add(f"a.test/{number}", 0.9 - number / 100)
    if committed:
        crawl.commit()
        crawl = Crawl(crawl.url_index, delay=0)  # now all of them are in the URL index
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
    crawl.host_schedule.free(entry.host)
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
    crawl.host_schedule.free(entry.host)
    assert crawl.pop(NOW + 59) is None
    assert crawl.pop(NOW + 60) == "a.test/"


def test_a_retry_survives_the_end_of_the_process() -> None:
    crawl = Crawl()
    crawl.add("a.test/")
    crawl.pop()
    crawl.frontier.retry(crawl.only(), NOW + 60)
    crawl.commit()
    again = Crawl(crawl.url_index)
    assert (len(again.frontier), again.pop(NOW + 59), again.pop(NOW + 60)) == (1, None, "a.test/")


def test_what_was_under_way_when_the_process_died_is_asked_for_again() -> None:
    crawl = Crawl()
    crawl.add("a.test/")
    crawl.commit()
    assert crawl.pop() == "a.test/"
    assert Crawl(crawl.url_index).pop() == "a.test/"


def test_a_host_whose_robots_txt_is_unknown_waits_until_it_is_known() -> None:
    crawl = Crawl(delay=0)
    crawl.add("a.test/")
    crawl.pop()
    entry = crawl.only()
    crawl.frontier.put_back(entry)
    crawl.host_schedule.block("a.test")
    assert (crawl.pop(), len(crawl.frontier)) == (None, 1)
    crawl.release(entry, NOW)
    crawl.host_schedule.block("a.test", blocked=False)
    crawl.host_schedule.free("a.test")
    assert crawl.pop() == "a.test/"


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
        entry.url.removeprefix("http://a.test/"): (entry.state, entry.reason)
        for entry in crawl.url_index.entries.values()
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
    again = Crawl(crawl.url_index)
    assert (len(again.frontier), again.pop(), again.frontier.ready_at()) == (0, None, None)
    again.commit()
    assert [entry.state for entry in crawl.url_index.entries.values()] == [State.SKIPPED]


def test_the_worst_urls_are_dropped_and_come_back_when_found_again() -> None:
    crawl = Crawl(delay=0)
    for number in range(6):
        crawl.add(f"a.test/{number}", number / 10)
    crawl.commit()
    crawl.frontier.trim(2)
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
    assert len(crawl.host_schedule.front) <= 50, "the rest is in the URL index"
    assert [int(url.partition("/")[2]) for url in crawl.fetch_all()] == sorted(numbers, reverse=True)


def test_what_an_earlier_run_left_for_an_impossible_time_waits_until_the_latest_possible_one() -> None:
    first = Crawl(delay=0)
    first.add("a.test/", 0.5)
    first.pop()
    entry = first.only()
    first.release(entry, NOW)
    first.frontier.retry(entry, NOW + 1_000_000)
    first.commit()
    second = Crawl(first.url_index, delay=0, latest=NOW + 50)
    assert second.frontier.ready_at() == NOW + 50
    second.add("a.test/", 0.9)  # found again, by a better way
    assert second.pop(NOW + 49) is None
    assert second.pop(NOW + 50) == "a.test/"
