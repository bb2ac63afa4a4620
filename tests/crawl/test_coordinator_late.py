"""What comes of results that nobody waits for any more: of leases that ran out, and of runs that died?"""

from __future__ import annotations

import asyncio
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from shoal.crawl.coordinator import Coordinator
from shoal.crawl.page_reader import PageReader
from shoal.crawl.readers import InTurns
from shoal.crawl.termination import Ending
from shoal.crawl.worker import PageVisitor
from shoal.judge import judges
from shoal.model import Candidate, Entry, Failure, Missed, Moved, Reason, Redirect, Seen, State, Task, Timing, Visit
from shoal.parse.parser import HtmlParser
from shoal.settings import Budget, Politeness
from shoal.store.packed_page import pack
from shoal.strategy.breadth import Breadth
from shoal.strategy.learned import Learned
from tests.crawl.simulated import SEED, TOPIC, Simulation, page
from tests.running import assert_consistent, fates, stored

WEB = {SEED: page("/1", "/2"), SEED + "1": page(), SEED + "2": page()}


def simulation(folder: Path, **settings: Any) -> Simulation:
    return Simulation(folder, WEB, politeness=Politeness(delay=1.0), **settings)


def visitor(crawl: Simulation) -> PageVisitor:
    return PageVisitor(crawl.servers, InTurns(PageReader(HtmlParser(), judges()["cosine"].make(TOPIC), pack)))


async def first_page(crawl: Simulation, coordinator: Coordinator) -> Task:
    """The task for the seed; its robots.txt is read already."""
    rules = await coordinator.lease()
    assert rules is not None
    await coordinator.settle(await visitor(crawl).visit(rules))
    task = await coordinator.lease()
    assert task is not None
    assert task.url == SEED
    return task


def pages_asked(crawl: Simulation) -> int:
    return crawl.pages_asked.count(SEED)


def test_a_page_that_waits_again_is_spared_a_second_request(tmp_path: Path) -> None:
    crawl = simulation(tmp_path)

    async def late(coordinator: Coordinator) -> Ending:
        task = await first_page(crawl, coordinator)
        visit = await visitor(crawl).visit(task)
        coordinator.take_back(task)
        assert await coordinator.settle_late(visit)
        return await crawl.crawl(coordinator)

    assert crawl.play(late) is Ending.NOTHING_LEFT
    assert pages_asked(crawl) == 1
    assert {url for url, _, _ in stored(tmp_path)} == set(WEB)
    assert_consistent(tmp_path)


def test_a_strategy_that_stumbles_over_a_late_page_costs_that_page(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    crawl = simulation(tmp_path, strategy="learned", bugs=1)
    chosen: list[str] = []

    def only_once(self: Learned, entry: Entry) -> None:
        if entry.url in chosen:
            raise KeyError(entry.url)
        chosen.append(entry.url)

    async def late(coordinator: Coordinator) -> Ending:
        task = await first_page(crawl, coordinator)
        visit = await visitor(crawl).visit(task)
        coordinator.take_back(task)
        assert await coordinator.settle_late(visit)
        return await crawl.crawl(coordinator)

    monkeypatch.setattr(Learned, "chosen", only_once)
    assert crawl.play(late) is Ending.NOTHING_LEFT
    assert fates(tmp_path) == {SEED: (State.FAILED, Reason.INTERNAL)}
    assert_consistent(tmp_path)


def test_one_that_rests_before_its_second_try_is_spared_it_too(tmp_path: Path) -> None:
    crawl = simulation(tmp_path)

    async def late(coordinator: Coordinator) -> Ending:
        task = await first_page(crawl, coordinator)
        visit = await visitor(crawl).visit(task)
        await coordinator.settle(_died(task, crawl.now))
        assert await coordinator.settle_late(visit)
        return await crawl.crawl(coordinator)

    assert crawl.play(late) is Ending.NOTHING_LEFT
    assert pages_asked(crawl) == 1
    assert_consistent(tmp_path)


def test_one_that_is_being_asked_for_again_is_not_taken_twice(tmp_path: Path) -> None:
    crawl = simulation(tmp_path)

    async def late(coordinator: Coordinator) -> Ending:
        task = await first_page(crawl, coordinator)
        visit = await visitor(crawl).visit(task)
        coordinator.take_back(task)
        again = await coordinator.lease()
        assert again == task
        assert not await coordinator.settle_late(visit)
        await coordinator.settle(await visitor(crawl).visit(again))
        return await crawl.crawl(coordinator)

    assert crawl.play(late) is Ending.NOTHING_LEFT
    assert len(stored(tmp_path)) == len(WEB)
    assert_consistent(tmp_path)


def test_a_result_that_comes_twice_is_stored_once(tmp_path: Path) -> None:
    crawl = simulation(tmp_path)

    async def twice(coordinator: Coordinator) -> Ending:
        visit = await visitor(crawl).visit(await first_page(crawl, coordinator))
        await coordinator.settle(visit)
        assert not await coordinator.settle_late(visit)
        return await crawl.crawl(coordinator)

    assert crawl.play(twice) is Ending.NOTHING_LEFT
    assert len(stored(tmp_path)) == len(WEB)
    assert_consistent(tmp_path)


def test_the_run_that_asked_may_have_had_another_number_for_the_url(tmp_path: Path) -> None:
    crawl = simulation(tmp_path)

    async def of_another_run(coordinator: Coordinator) -> Ending:
        task = await first_page(crawl, coordinator)
        visit = await visitor(crawl).visit(task)
        coordinator.take_back(task)
        assert await coordinator.settle_late(replace(visit, task=replace(task, id=task.id + 77)))
        return await crawl.crawl(coordinator)

    assert crawl.play(of_another_run) is Ending.NOTHING_LEFT
    assert pages_asked(crawl) == 1
    assert_consistent(tmp_path)


def test_what_a_late_page_says_of_its_task_does_not_count(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    crawl = simulation(tmp_path)
    followed: list[Task] = []
    follow = Breadth.follow

    def notes(self: Breadth, seen: Seen) -> Iterable[Candidate]:
        followed.append(seen.task)
        return follow(self, seen)

    async def lies(coordinator: Coordinator) -> Ending:
        task = await first_page(crawl, coordinator)
        visit = await visitor(crawl).visit(task)
        coordinator.take_back(task)
        lie = replace(task, depth=2**40, attempt=2**62, inherited=float("nan"))
        assert await coordinator.settle_late(replace(visit, task=lie))
        assert followed == [task]
        return await crawl.crawl(coordinator)

    monkeypatch.setattr(Breadth, "follow", notes)
    assert crawl.play(lies) is Ending.NOTHING_LEFT
    assert pages_asked(crawl) == 1
    assert_consistent(tmp_path)


def test_a_late_result_of_a_host_that_we_do_not_know_changes_nothing(tmp_path: Path) -> None:
    crawl = simulation(tmp_path)

    async def stranger(coordinator: Coordinator) -> Ending:
        task = await first_page(crawl, coordinator)
        visit = await visitor(crawl).visit(task)
        assert not await coordinator.settle_late(replace(visit, task=replace(task, host="never.test")))
        assert "never.test" not in coordinator._clocks._hosts
        await coordinator.settle(visit)
        return await crawl.crawl(coordinator)

    assert crawl.play(stranger) is Ending.NOTHING_LEFT
    assert_consistent(tmp_path)


@pytest.mark.parametrize("what", ["unknown", "robots", "failure"])
def test_what_is_of_no_use_tells_only_the_clock_of_its_host(tmp_path: Path, what: str) -> None:
    crawl = simulation(tmp_path)

    async def useless(coordinator: Coordinator) -> Ending:
        task = await first_page(crawl, coordinator)
        visit = await visitor(crawl).visit(task)
        coordinator.take_back(task)
        late: dict[str, Visit] = {
            "unknown": replace(visit, task=replace(task, url=SEED + "never-found")),
            "robots": replace(visit, task=replace(task, kind="robots")),
            "failure": _died(task, crawl.now),
        }
        assert not await coordinator.settle_late(late[what])
        return await crawl.crawl(coordinator)

    assert crawl.play(useless) is Ending.NOTHING_LEFT
    assert pages_asked(crawl) == 2
    asked_at = crawl.times("a.test")
    assert asked_at[2] - asked_at[1] >= 1.0
    assert len(stored(tmp_path)) == len(WEB)


def test_no_late_page_is_taken_beyond_the_budget(tmp_path: Path) -> None:
    crawl = simulation(tmp_path, budget=Budget(max_pages=1))

    async def late(coordinator: Coordinator) -> Ending:
        task = await first_page(crawl, coordinator)
        await coordinator.settle(await visitor(crawl).visit(task))
        other = Task(id=2, url=SEED + "1", host=task.host)
        assert not await coordinator.settle_late(await visitor(crawl).visit(other))
        return await crawl.crawl(coordinator)

    assert crawl.play(late) is Ending.PAGES
    assert len(stored(tmp_path)) == 1


def test_a_late_redirect_is_followed(tmp_path: Path) -> None:
    crawl = simulation(tmp_path)

    async def late(coordinator: Coordinator) -> Ending:
        task = await first_page(crawl, coordinator)
        coordinator.take_back(task)
        timing = Timing(started=crawl.now, answered=crawl.now, ended=crawl.now)
        moved = Moved(task=task, redirect=Redirect(url=SEED, status=301, target=SEED + "1", timing=timing))
        assert await coordinator.settle_late(moved)
        return await crawl.crawl(coordinator)

    assert crawl.play(late) is Ending.NOTHING_LEFT
    assert {url for url, _, _ in stored(tmp_path)} == {SEED + "1"}


# --- what an earlier run left ----------------------------------------------------------------------------------------


def test_a_host_that_an_earlier_run_asked_is_left_alone_until_the_answer_comes(tmp_path: Path) -> None:
    crawl = simulation(tmp_path)
    visits: list[Visit] = []

    async def dies(coordinator: Coordinator) -> None:
        running = asyncio.create_task(coordinator.run())
        visits.append(await visitor(crawl).visit(await first_page(crawl, coordinator)))
        await asyncio.sleep(1.0)  # what it learned before is on the disk
        running.cancel()
        await asyncio.gather(running, return_exceptions=True)

    crawl.play(dies)

    async def goes_on(coordinator: Coordinator) -> Ending:
        waiting = asyncio.create_task(coordinator.lease())
        await asyncio.sleep(30)
        assert not waiting.done()
        waiting.cancel()
        assert await coordinator.settle_late(visits[0])
        return await crawl.crawl(coordinator)

    assert crawl.play(goes_on, inherited=["a.test"]) is Ending.NOTHING_LEFT
    assert pages_asked(crawl) == 1
    assert_consistent(tmp_path)


def test_the_answer_counts_also_for_a_host_that_this_run_has_not_asked_yet(tmp_path: Path) -> None:
    """The ledger need not know it any more: only the page that comes late tells of the request."""
    crawl = simulation(tmp_path)
    visits: list[Visit] = []

    async def dies(coordinator: Coordinator) -> None:
        running = asyncio.create_task(coordinator.run())
        visits.append(await visitor(crawl).visit(await first_page(crawl, coordinator)))
        await asyncio.sleep(1.0)
        running.cancel()
        await asyncio.gather(running, return_exceptions=True)

    crawl.play(dies)

    async def goes_on(coordinator: Coordinator) -> Ending:
        assert await coordinator.settle_late(visits[0])
        return await crawl.crawl(coordinator)

    assert crawl.play(goes_on) is Ending.NOTHING_LEFT
    assert pages_asked(crawl) == 1
    assert_consistent(tmp_path)


def test_or_until_nobody_can_be_asking_any_more(tmp_path: Path) -> None:
    crawl = simulation(tmp_path)

    async def goes_on(coordinator: Coordinator) -> Ending:
        waiting = asyncio.create_task(coordinator.lease())
        await asyncio.sleep(30)
        assert not waiting.done()
        coordinator.let_go("a.test")
        coordinator.let_go("a.test")  # that nobody asks is true however often it is said
        coordinator.let_go("never-heard-of.test")
        task = await waiting
        assert task is not None
        coordinator.take_back(task)
        return await crawl.crawl(coordinator)

    assert crawl.play(goes_on, inherited=["a.test"]) is Ending.NOTHING_LEFT
    assert len(stored(tmp_path)) == len(WEB)


def _died(task: Task, now: float) -> Missed:
    timing = Timing(started=now, answered=now, ended=now)
    failure = Failure(url=task.url, reason=Reason.WORKER_DIED, heals=True, timing=timing)
    return Missed(task=task, failure=failure)
