"""Who gets which request, and when? Within the budget, the best first where pages are scarce, until it is over."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest
from msgspec import structs

from shoal.crawl.coordinator import Coordinator
from shoal.crawl.robots_lane import RobotsLane
from shoal.crawl.termination import Ending
from shoal.frontier.robots import Rulebook
from shoal.frontier.traps import TrapDetector
from shoal.model import Failure, Missed, Moved, Reason, Redirect, Response, State, Task, Timing
from shoal.settings import Budget, Fetching, Politeness
from shoal.testing.fakes import Answer, failure, html, redirect
from shoal.testing.memory_ledger import Clock, MemoryLedger
from tests.crawl.simulated import SEED, SLOW, Simulation, assert_apart, hosts, page, robots, urls_stored
from tests.crawl.stumbling import AFTER_IT, BAD, GOOD, WEB, stumbles
from tests.running import assert_consistent, fates, stored


@pytest.mark.parametrize("budget", [1, 2, 10, 64, 65])
def test_never_asks_for_more_pages_than_the_budget(tmp_path: Path, budget: int) -> None:
    crawl = Simulation(tmp_path, hosts(100), latency=SLOW, workers=64, budget=Budget(max_pages=budget))
    assert crawl.run() is Ending.PAGES
    assert len(crawl.pages_asked) == len(stored(tmp_path)) == budget


def test_a_page_that_fails_leaves_its_place_in_the_budget_to_another(tmp_path: Path) -> None:
    web = hosts(40)
    for host in range(20):
        del web[f"http://h{host}.test/0"]
    crawl = Simulation(tmp_path, web, latency=SLOW, workers=64, budget=Budget(max_pages=21))
    assert crawl.run() is Ending.PAGES
    assert len(stored(tmp_path)) == 21


def test_stores_nothing_more_when_the_bytes_are_spent(tmp_path: Path) -> None:
    web = {url: html("", "x" * 1000) for url in hosts(30)} | {SEED: hosts(30)[SEED]}
    size = len(web[SEED].body)  # type: ignore[union-attr]
    crawl = Simulation(tmp_path, web, latency=SLOW, workers=64, budget=Budget(max_bytes=size + 2500))
    assert crawl.run() is Ending.BYTES
    assert len(stored(tmp_path)) == 4
    assert list(fates(tmp_path).values()).count((State.WAITING, None)) == 27
    asked_before = len(crawl.asked)
    assert crawl.run() is Ending.BYTES
    assert len(crawl.asked) == asked_before
    assert_consistent(tmp_path)


@pytest.mark.slow
def test_asks_nothing_after_its_time_is_over_in_all_runs_together(tmp_path: Path) -> None:
    web = {f"http://a.test/{n or ''}": page(f"/{n + 1}") for n in range(1000)}
    crawl = Simulation(tmp_path, web, latency=SLOW, budget=Budget(max_time=60.0))

    async def half(coordinator: Coordinator) -> Ending:
        asyncio.get_running_loop().call_later(30.0, coordinator.stop)
        return await crawl.crawl(coordinator)

    assert crawl.play(half) is Ending.STOPPED
    interrupted = crawl.now
    crawl.now += 1000.0
    assert crawl.run() is Ending.TIME
    crawled = [at - 1000.0 if at > interrupted else at for at, _ in crawl.servers.requests]
    assert 50.0 < max(crawled) - 1_000_000.0 <= 60.0
    assert crawl.run() is Ending.TIME


def one_good_host() -> dict[str, Answer]:
    """A seed page with links to pages of its host that are about the topic, and to many hosts that are not."""
    good = [f"http://a.test/grid/{number}" for number in range(12)]
    poor = [f"http://poor{number}.test/" for number in range(60)]
    return {SEED: page(*good, *poor, text="grid")} | {url: page(text=f"grid {url}") for url in (*good, *poor)}


def good_ones(folder: Path) -> int:
    return sum(url.startswith("http://a.test/") for url, _, _ in stored(folder))


@pytest.mark.parametrize(
    ("budget", "hurry", "good"),
    [
        (Budget(max_pages=10), False, 10),
        (Budget(max_pages=10, max_time=100.0), False, 10),
        (Budget(max_pages=10), True, 2),
    ],
)
def test_where_pages_are_scarce_a_poor_link_waits_for_a_better_one(
    tmp_path: Path, budget: Budget, hurry: bool, good: int
) -> None:
    fetching = Fetching(hurry=hurry)
    crawl = Simulation(
        tmp_path, one_good_host(), strategy="best-first", workers=64, latency=0.1, budget=budget, fetching=fetching
    )
    assert crawl.run() is Ending.PAGES
    assert good_ones(tmp_path) == good
    assert_apart(crawl.times("a.test"), 1.0)


def test_where_bytes_are_scarce_too(tmp_path: Path) -> None:
    web = one_good_host()
    size = sum(len(answer.body) for answer in list(web.values())[:10] if isinstance(answer, Response))
    crawl = Simulation(tmp_path, web, strategy="best-first", workers=64, latency=0.1, budget=Budget(max_bytes=size))
    assert crawl.run() is Ending.BYTES
    assert good_ones(tmp_path) == len(stored(tmp_path)) == 10


def test_but_not_where_time_is_scarcer(tmp_path: Path) -> None:
    budget = Budget(max_pages=10, max_time=5.0)  # a.test alone gives four pages in this time
    crawl = Simulation(tmp_path, one_good_host(), strategy="best-first", workers=64, latency=0.1, budget=budget)
    assert crawl.run() is Ending.PAGES


def test_a_crawl_without_a_budget_of_pages_never_waits_for_a_better_link(tmp_path: Path) -> None:
    crawl = Simulation(tmp_path, one_good_host(), strategy="best-first", workers=64, latency=0.1)
    assert crawl.run() is Ending.NOTHING_LEFT
    seed_came = crawl.times("a.test")[1] + 0.1
    assert [crawl.times(f"poor{number}.test")[0] for number in range(60)] == pytest.approx([seed_came] * 60)


def test_a_host_that_hangs_does_not_hold_up_the_others_for_long(tmp_path: Path) -> None:
    at_once = Politeness(delay=0.0)
    budget = Budget(max_pages=30)
    crawl = Simulation(
        tmp_path, one_good_host(), strategy="best-first", workers=64, latency=40.0, budget=budget, politeness=at_once
    )
    assert crawl.run() is Ending.PAGES
    first = min(crawl.times(f"poor{number}.test")[0] for number in range(60) if crawl.times(f"poor{number}.test"))
    robots_txt, seed, link, *_ = crawl.times("a.test")
    assert (seed, link) == pytest.approx((robots_txt + 40.0, robots_txt + 80.0))
    assert first == pytest.approx(link + 10.0)


def test_says_that_it_holds_back(tmp_path: Path) -> None:
    crawl = Simulation(tmp_path, one_good_host(), strategy="best-first", latency=0.1, budget=Budget(max_pages=10))

    async def look(coordinator: Coordinator) -> list[bool]:
        came = []
        asyncio.get_running_loop().call_later(0.1, lambda: came.append(coordinator.statistics().holding_back))
        asyncio.get_running_loop().call_later(3.0, lambda: came.append(coordinator.statistics().holding_back))
        await crawl.crawl(coordinator)
        return [*came, coordinator.statistics().holding_back]

    assert crawl.play(look) == [False, True, False]


@pytest.mark.slow
def test_thousands_of_forbidden_links_do_not_keep_the_others_waiting(tmp_path: Path) -> None:
    web = {
        SEED: page(*[f"/closed/{n}" for n in range(3000)], "/open"),
        "http://a.test/open": page(),
        "http://a.test/robots.txt": robots("User-agent: *\nDisallow: /closed"),
    }
    crawl = Simulation(tmp_path, web, politeness=Politeness(delay=0.0))
    assert crawl.run() is Ending.NOTHING_LEFT
    assert list(fates(tmp_path).values()).count((State.SKIPPED, Reason.ROBOTS)) == 3000
    assert "http://a.test/open" in urls_stored(tmp_path)
    assert_consistent(tmp_path)


def test_the_first_request_after_a_restart_is_claimed_with_the_crawl_delay_of_before(tmp_path: Path) -> None:
    """If we are killed in it, the next run must not come too early."""
    web = {f"http://a.test/{n or ''}": page(f"/{n + 1}") for n in range(5)}
    web["http://a.test/robots.txt"] = robots("User-agent: *\nCrawl-delay: 50")
    clocks: dict[str, Clock] = {}
    crawl = Simulation(tmp_path, web, ledger=MemoryLedger(clocks=clocks))

    async def stop_soon(coordinator: Coordinator) -> Ending:
        asyncio.get_running_loop().call_later(120.0, coordinator.stop)
        return await crawl.crawl(coordinator)

    async def ask_and_die(coordinator: Coordinator) -> Task | None:
        return await coordinator.lease()

    crawl.play(stop_soon)
    crawl.now = clocks["a.test"].next_at
    task = crawl.play(ask_and_die)
    assert task is not None
    assert task.kind == "page"
    assert clocks["a.test"].next_at >= crawl.now + 50.0


@pytest.mark.slow
def test_after_a_stop_what_is_in_flight_comes_home_and_nothing_new_goes_out(tmp_path: Path) -> None:
    crawl = Simulation(tmp_path, hosts(100), latency=SLOW, workers=16)
    asked_before_stop: list[str] = []

    async def stop_soon(coordinator: Coordinator) -> Ending:
        def stop() -> None:
            assert crawl.servers.in_flight == 16
            asked_before_stop.extend(crawl.asked)
            coordinator.stop()

        asyncio.get_running_loop().call_later(8.5 * SLOW, stop)
        return await crawl.crawl(coordinator)

    assert crawl.play(stop_soon) is Ending.STOPPED
    assert crawl.asked == asked_before_stop
    assert urls_stored(tmp_path) == set(crawl.pages_asked)
    assert_consistent(tmp_path)
    assert crawl.run() is Ending.NOTHING_LEFT
    assert len(crawl.pages_asked) == len(set(crawl.pages_asked)) == len(stored(tmp_path)) == 101


@pytest.mark.slow
@pytest.mark.parametrize("budget", [Budget(), Budget(max_pages=2)])
def test_a_robots_txt_that_waits_for_its_host_does_not_hold_up_the_end(tmp_path: Path, budget: Budget) -> None:
    web = hosts(6) | {f"http://h{host}.test/robots.txt": redirect("", "http://rules.test/") for host in range(1, 6)}
    crawl = Simulation(tmp_path, web, budget=budget, politeness=Politeness(delay=300.0))

    async def stop_soon(coordinator: Coordinator) -> Ending:
        if budget.max_pages is None:
            asyncio.get_running_loop().call_later(350.0, coordinator.stop)
        return await crawl.crawl(coordinator)

    assert crawl.play(stop_soon) is (Ending.STOPPED if budget.max_pages is None else Ending.PAGES)
    assert crawl.now < 1_000_000 + 700


@pytest.mark.parametrize("kind", ["page", "robots"])
def test_a_lease_cancelled_at_the_moment_it_is_answered_loses_nothing(tmp_path: Path, kind: str) -> None:
    web = hosts(2, pages=2)
    web["http://a.test/robots.txt"] = redirect("", "http://a.test/rules")
    crawl = Simulation(tmp_path, web, politeness=Politeness(delay=0.0))

    async def cancel_a_lease(coordinator: Coordinator) -> Ending:
        rules = await coordinator.lease()
        assert rules is not None
        waiting = asyncio.create_task(coordinator.lease())
        await asyncio.sleep(0)
        answer = redirect("", "http://a.test/rules") if kind == "robots" else failure("", status=404)
        timing = Timing(started=crawl.now, answered=crawl.now, ended=crawl.now)
        answer = structs.replace(answer, timing=timing)
        match answer:
            case Failure():
                await coordinator.settle(Missed(task=rules, failure=answer))
            case Redirect():
                await coordinator.settle(Moved(task=rules, redirect=answer))
        waiting.cancel()  # it has its answer, but has not seen it yet
        await asyncio.gather(waiting, return_exceptions=True)
        assert waiting.cancelled()
        assert not coordinator.statistics().fetching
        return await crawl.crawl(coordinator)

    assert crawl.play(cancel_a_lease) is Ending.NOTHING_LEFT
    assert len(stored(tmp_path)) == 5


def test_a_crawl_does_not_sit_out_a_rest_of_hours_and_goes_on_when_it_is_over(tmp_path: Path) -> None:
    later = structs.replace(failure("", status=503, heals=True), retry_after=6 * 3600.0)
    web: dict[str, Answer | list[Answer]] = {**hosts(5), "http://h2.test/0": [later, page()]}
    crawl = Simulation(tmp_path, web)
    began = crawl.now
    assert crawl.run() is Ending.RESTING
    assert crawl.now - began < 3600
    assert fates(tmp_path)["http://h2.test/0"] == (State.WAITING, None)
    assert crawl.run() is Ending.RESTING, "too early"
    crawl.now += 6 * 3600.0
    crawl.clock.start = crawl.now
    assert crawl.run() is Ending.NOTHING_LEFT
    assert len(stored(tmp_path)) == 6


@pytest.mark.slow
def test_a_rest_of_minutes_is_sat_out(tmp_path: Path) -> None:
    later = structs.replace(failure("", status=503, heals=True), retry_after=1800.0)
    crawl = Simulation(tmp_path, {**hosts(2), "http://h1.test/0": [later, page()]})
    assert crawl.run() is Ending.NOTHING_LEFT
    assert len(stored(tmp_path)) == 3


@pytest.mark.slow
def test_others_are_asked_while_one_rests_for_hours(tmp_path: Path) -> None:
    later = structs.replace(failure("", status=503, heals=True), retry_after=6 * 3600.0)
    crawl = Simulation(tmp_path, {**hosts(20, pages=3), "http://h0.test/0": later}, latency=SLOW, workers=2)
    assert crawl.run() is Ending.RESTING
    assert len(stored(tmp_path)) == 1 + 19 * 3


@pytest.mark.parametrize(("part", "verb"), [(Rulebook, "check"), (TrapDetector, "why")])
def test_what_stumbles_before_a_request_is_made(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, part: type, verb: str
) -> None:
    stumbles(monkeypatch, part, verb)
    crawl = Simulation(tmp_path, {**WEB, SEED: page(AFTER_IT, *GOOD)}, seeds=(SEED, BAD), bugs=1)
    assert crawl.run() is Ending.NOTHING_LEFT
    assert fates(tmp_path)[BAD] == (State.FAILED, Reason.INTERNAL)
    assert BAD not in crawl.pages_asked
    assert len(stored(tmp_path)) == len(WEB) - 1


def test_a_robots_txt_that_stumbles_before_its_request_is_made(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    moved: dict[str, Answer] = {"http://bad.test/robots.txt": redirect("", "http://bad.test/rules")}
    stumbles(monkeypatch, RobotsLane, "task", word="bad.test/rules")
    crawl = Simulation(tmp_path, WEB | moved, bugs=1, politeness=Politeness(robots_retry=60.0))
    assert crawl.run() is Ending.NOTHING_LEFT
    assert fates(tmp_path)[BAD] == (State.SKIPPED, Reason.ROBOTS_UNREACHABLE)
    assert len(stored(tmp_path)) == len(WEB) - 2
