"""How does a new page come? Through redirects and retries, within the budget of its host; or it is given up with a reason."""

from __future__ import annotations

import asyncio
from itertools import pairwise
from pathlib import Path

import pytest
from msgspec import structs

from shoal.crawl.coordinator import Coordinator
from shoal.crawl.termination import Ending
from shoal.model import Missed, Reason, State, Task, Timing
from shoal.settings import Budget, Politeness
from shoal.testing.fakes import failure, redirect
from tests.crawl.simulated import CUT_OFF, SEED, SLOW, TIMEOUT, Simulation, assert_apart, hosts, page, urls_stored
from tests.running import ask, assert_consistent, fates


@pytest.mark.parametrize("per_host", [1, 4])
def test_takes_no_more_pages_of_a_host_than_it_may(tmp_path: Path, per_host: int) -> None:
    crawl = Simulation(
        tmp_path,
        hosts(3, pages=9),
        latency=SLOW,
        budget=Budget(max_pages_per_host=2),
        politeness=Politeness(per_host=per_host),
    )
    assert crawl.run() is Ending.NOTHING_LEFT
    by_host = [sum(f"//h{host}.test" in url for url in crawl.pages_asked) for host in range(3)]
    assert by_host == [2, 2, 2]
    assert list(fates(tmp_path).values()).count((State.SKIPPED, Reason.HOST_BUDGET)) == 21
    assert_consistent(tmp_path)


def test_a_page_behind_redirects_is_stored_under_its_last_address_with_its_origin(tmp_path: Path) -> None:
    web = {
        SEED: page("/old"),
        "http://a.test/old": redirect("", "http://b.test/newer"),
        "http://b.test/newer": redirect("", "http://c.test/newest"),
        "http://c.test/newest": page(text="here"),
    }
    Simulation(tmp_path, web).run()
    assert urls_stored(tmp_path) == {SEED, "http://c.test/newest"}
    chain = ask(tmp_path, "SELECT url, hop, origin, depth FROM urls WHERE hop > 0 ORDER BY hop")
    ((origin,),) = ask(tmp_path, "SELECT id FROM urls WHERE url = 'http://a.test/old'")
    assert chain == [("http://b.test/newer", 1, origin, 1), ("http://c.test/newest", 2, origin, 1)]
    assert fates(tmp_path)["http://a.test/old"] == (State.MOVED, None)


@pytest.mark.parametrize(
    ("targets", "last", "reason"),
    [
        (["/"], "/", Reason.REDIRECT_LOOP),
        (["/1", "/"], "/1", Reason.REDIRECT_LOOP),
        (["/1", "/2", "/1"], "/2", Reason.REDIRECT_LOOP),
        ([f"/{n + 1}" for n in range(20)], "/10", Reason.BAD_REDIRECT),
    ],
)
def test_a_chain_without_end_fails_with_its_reason(
    tmp_path: Path, targets: list[str], last: str, reason: Reason
) -> None:
    places = [SEED, *(f"http://a.test{target}" for target in targets)]
    web = {here: redirect("", there) for here, there in pairwise(places)}
    crawl = Simulation(tmp_path, web)
    assert crawl.run() is Ending.NOTHING_LEFT
    assert fates(tmp_path)[f"http://a.test{last}"] == (State.FAILED, reason)
    assert len(crawl.pages_asked) == len(set(crawl.pages_asked))


def test_a_redirect_to_a_page_we_have_does_not_fetch_it_again(tmp_path: Path) -> None:
    web = {SEED: page("/moved"), "http://a.test/moved": redirect("", SEED)}
    crawl = Simulation(tmp_path, web)
    crawl.run()
    assert crawl.pages_asked == [SEED, "http://a.test/moved"]
    assert fates(tmp_path)["http://a.test/moved"] == (State.MOVED, None)
    assert ask(tmp_path, "SELECT target, detail FROM fates WHERE state = 4") == [(SEED, "Moved (302).")]


def test_a_busy_host_is_crawled_in_the_end_and_being_busy_costs_no_attempt(tmp_path: Path) -> None:
    busy = failure("", status=429, heals=True, retry_after=30.0)
    crawl = Simulation(tmp_path, {SEED: [busy] * 6 + [page()]})
    assert crawl.run() is Ending.NOTHING_LEFT
    assert urls_stored(tmp_path) == {SEED}
    assert ask(tmp_path, "SELECT attempt FROM urls") == [(1,)]
    assert_apart(crawl.times("a.test")[1:], 30.0)


def test_what_may_heal_is_tried_again(tmp_path: Path) -> None:
    crawl = Simulation(tmp_path, {SEED: [CUT_OFF, CUT_OFF, page()]})
    crawl.run()
    assert urls_stored(tmp_path) == {SEED}
    assert [task.attempt for _, task in crawl.servers.requests if task.kind == "page"] == [1, 2, 3]


def test_what_does_not_heal_is_given_up_after_a_few_tries(tmp_path: Path) -> None:
    crawl = Simulation(tmp_path, {SEED: CUT_OFF}, politeness=Politeness(attempts=3))
    assert crawl.run() is Ending.NOTHING_LEFT
    assert crawl.pages_asked == [SEED] * 3
    assert fates(tmp_path)[SEED] == (State.FAILED, Reason.TRUNCATED)


def test_what_cannot_heal_is_asked_for_once(tmp_path: Path) -> None:
    crawl = Simulation(tmp_path, {})
    crawl.run()
    assert crawl.pages_asked == [SEED]
    assert fates(tmp_path)[SEED] == (State.FAILED, Reason.STATUS)


def test_a_host_that_never_answers_is_given_up_with_all_its_pages(tmp_path: Path) -> None:
    web = hosts(1, pages=50) | dict.fromkeys((f"http://h0.test/{n}" for n in range(50)), TIMEOUT)
    crawl = Simulation(tmp_path, web)
    assert crawl.run() is Ending.NOTHING_LEFT
    assert len(crawl.times("h0.test")) < 10
    assert {fates(tmp_path)[f"http://h0.test/{n}"] for n in range(50)} == {(State.FAILED, Reason.TIMEOUT)}
    assert_consistent(tmp_path)


def test_a_trap_found_out_on_the_way_is_left_before_the_next_request(tmp_path: Path) -> None:
    urls = [f"http://a.test/list?sid={n}" for n in range(40)]
    web = {SEED: page(*urls)} | {url: page(text="always the same words") for url in urls}
    crawl = Simulation(tmp_path, web)
    assert crawl.run() is Ending.NOTHING_LEFT
    reasons = [fates(tmp_path)[url] for url in urls]
    assert 3 <= reasons.count((State.DONE, None)) < 10
    assert reasons.count((State.SKIPPED, Reason.TRAP)) > 30


def test_what_a_dead_worker_had_is_tried_again_and_given_up_at_last(tmp_path: Path) -> None:
    crawl = Simulation(tmp_path, {SEED: page()})

    async def die(coordinator: Coordinator) -> Ending:
        async with asyncio.TaskGroup() as group:
            running = group.create_task(coordinator.run())
            while (task := await coordinator.lease()) is not None:
                if task.kind == "robots":
                    await coordinator.settle(Missed(task=task, failure=failure(task.url, status=404)))
                else:
                    await coordinator.settle(_worker_died(task, crawl.now))
        return running.result()

    assert crawl.play(die) is Ending.NOTHING_LEFT
    assert fates(tmp_path)[SEED] == (State.FAILED, Reason.WORKER_DIED)
    assert ask(tmp_path, "SELECT attempt FROM urls") == [(Politeness().attempts,)]


def _worker_died(task: Task, now: float) -> Missed:
    timing = Timing(started=now, answered=now, ended=now)
    return Missed(task=task, failure=structs.replace(failure(task.url, Reason.WORKER_DIED, heals=True), timing=timing))
