"""The coordinator keeps every promise of a crawl: budgets, robots.txt, redirects, retries, and nothing lost on the way."""

from __future__ import annotations

import asyncio
from itertools import pairwise
from pathlib import Path

import pytest
from msgspec import structs

from shoal.crawl.allowance import Ending
from shoal.crawl.coordinator import Coordinator
from shoal.errors import StorageFull
from shoal.model import Failure, Missed, Moved, Reason, Redirect, Response, State, Task, Timing
from shoal.remembered import Changes, Duplicate
from shoal.services import crawls as app
from shoal.settings import Budget, Fetching, Politeness, Scope
from shoal.store import crawl_folder as folders
from shoal.store.crawl_store import CrawlStore, open_store
from shoal.testing.fakes import Answer, failure, html, redirect
from shoal.testing.memory_ledger import Clock, MemoryLedger
from tests.crawl.simulated import SEED, Servers, Simulation, in_no_time, page
from tests.running import ask, assert_consistent, fates, stored

SLOW = 3.0
"""Seconds a server takes in the tests about requests in flight."""
TIMEOUT = failure("", Reason.TIMEOUT, heals=True)
CUT_OFF = failure("", Reason.TRUNCATED, heals=True)


def hosts(count: int, pages: int = 1) -> dict[str, Answer]:
    """A seed page that links to all pages of many hosts."""
    urls = [f"http://h{host}.test/{number}" for host in range(count) for number in range(pages)]
    return {SEED: page(*urls)} | {url: page(text=url) for url in urls}


def robots(text: str) -> Answer:
    return html("", text, content_type="text/plain")


def urls_stored(folder: Path) -> set[str]:
    return {url for url, _, _ in stored(folder)}


def assert_apart(times: list[float], seconds: float) -> None:
    assert all(later - earlier >= seconds - 1e-6 for earlier, later in pairwise(times)), times


# --- budgets ---------------------------------------------------------------------------------------------------------


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


def test_goes_no_deeper_than_it_may(tmp_path: Path) -> None:
    web = {f"http://a.test/{n or ''}": page(f"/{n + 1}") for n in range(6)}
    crawl = Simulation(tmp_path, web, budget=Budget(max_depth=2))
    assert crawl.run() is Ending.NOTHING_LEFT
    assert crawl.pages_asked == [SEED, "http://a.test/1", "http://a.test/2"]
    assert fates(tmp_path)["http://a.test/3"] == (State.SKIPPED, Reason.DEPTH)


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


# --- patience --------------------------------------------------------------------------------------------------------


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


# --- redirects -------------------------------------------------------------------------------------------------------


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


def test_a_redirect_out_of_scope_is_not_followed(tmp_path: Path) -> None:
    web = {SEED: page("/out"), "http://a.test/out": redirect("", "http://b.test/")}
    crawl = Simulation(tmp_path, web, scope=Scope(kind="host"))
    crawl.run()
    assert fates(tmp_path)["http://b.test/"] == (State.SKIPPED, Reason.SCOPE)
    assert "http://b.test/" not in crawl.asked


def test_a_redirect_to_a_page_we_have_does_not_fetch_it_again(tmp_path: Path) -> None:
    web = {SEED: page("/moved"), "http://a.test/moved": redirect("", SEED)}
    crawl = Simulation(tmp_path, web)
    crawl.run()
    assert crawl.pages_asked == [SEED, "http://a.test/moved"]
    assert fates(tmp_path)["http://a.test/moved"] == (State.MOVED, None)


# --- robots.txt ------------------------------------------------------------------------------------------------------


def test_reads_the_robots_txt_of_every_origin_before_its_pages(tmp_path: Path) -> None:
    web = {
        SEED: page("https://a.test/safe", "http://b.test/", "http://b.test/2"),
        "https://a.test/safe": page(),
        "http://b.test/": page(),
        "http://b.test/2": page(),
    }
    crawl = Simulation(tmp_path, web)
    crawl.run()
    for origin in ("http://a.test", "https://a.test", "http://b.test"):
        of_origin = [url for url in crawl.asked if url.startswith(origin + "/")]
        assert of_origin[0] == origin + "/robots.txt"
        assert of_origin.count(origin + "/robots.txt") == 1
        assert len(of_origin) > 1


def test_does_not_ask_for_what_robots_txt_forbids(tmp_path: Path) -> None:
    web = hosts(1) | {
        SEED: page("/open", "/closed/1", "/closed/2"),
        "http://a.test/robots.txt": robots("User-agent: *\nDisallow: /closed"),
    }
    crawl = Simulation(tmp_path, web)
    crawl.run()
    assert crawl.pages_asked == [SEED, "http://a.test/open"]
    assert fates(tmp_path)["http://a.test/closed/1"] == (State.SKIPPED, Reason.ROBOTS)


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


def test_a_moved_robots_txt_keeps_the_clock_of_the_host_it_moved_to(tmp_path: Path) -> None:
    web = hosts(5, pages=3)
    for host in range(5):
        web[f"http://h{host}.test/robots.txt"] = redirect("", "http://rules.test/robots.txt")
    web["http://rules.test/robots.txt"] = robots("User-agent: *\nDisallow: /1")
    crawl = Simulation(tmp_path, web, latency=0.1, politeness=Politeness(delay=2.0))
    assert crawl.run() is Ending.NOTHING_LEFT
    assert len(crawl.times("rules.test")) == 5
    assert_apart(crawl.times("rules.test"), 2.0)
    for host in range(5):
        assert_apart(crawl.times(f"h{host}.test"), 2.0)
        assert fates(tmp_path)[f"http://h{host}.test/1"] == (State.SKIPPED, Reason.ROBOTS)
        assert fates(tmp_path)[f"http://h{host}.test/2"] == (State.DONE, None)


@pytest.mark.parametrize("answer", [failure("", status=503, heals=True), TIMEOUT])
def test_a_host_whose_robots_txt_cannot_be_read_is_left_alone(tmp_path: Path, answer: Answer) -> None:
    web = hosts(1, pages=3) | {"http://h0.test/robots.txt": answer}
    crawl = Simulation(tmp_path, web)
    assert crawl.run() is Ending.NOTHING_LEFT
    assert crawl.pages_asked == [SEED]
    assert crawl.asked.count("http://h0.test/robots.txt") == Politeness().attempts
    for number in range(3):
        assert fates(tmp_path)[f"http://h0.test/{number}"] == (State.SKIPPED, Reason.ROBOTS_UNREACHABLE)
    assert_consistent(tmp_path)


def test_a_robots_txt_that_comes_at_the_second_try_counts(tmp_path: Path) -> None:
    web: dict[str, Answer | list[Answer]] = {**hosts(1, pages=2)}
    web["http://h0.test/robots.txt"] = [TIMEOUT, robots("User-agent: *\nDisallow: /0")]
    crawl = Simulation(tmp_path, web)
    crawl.run()
    assert urls_stored(tmp_path) == {SEED, "http://h0.test/1"}


@pytest.mark.parametrize(("reason", "state"), [(Reason.DNS, State.FAILED), (Reason.ADDRESS, State.SKIPPED)])
def test_a_host_without_an_address_to_ask_is_given_up_as_a_whole(tmp_path: Path, reason: Reason, state: State) -> None:
    web = hosts(1, pages=3) | {"http://h0.test/robots.txt": failure("", reason)}
    crawl = Simulation(tmp_path, web)
    crawl.run()
    assert crawl.asked.count("http://h0.test/robots.txt") == 1
    assert {fates(tmp_path)[f"http://h0.test/{page}"] for page in range(3)} == {(state, reason)}


def test_a_robots_txt_moved_to_a_dead_host_does_not_declare_its_own_host_dead(tmp_path: Path) -> None:
    web = hosts(1) | {
        "http://h0.test/robots.txt": redirect("", "http://gone.test/robots.txt"),
        "http://gone.test/robots.txt": failure("", Reason.DNS),
    }
    Simulation(tmp_path, web).run()
    assert fates(tmp_path)["http://h0.test/0"] == (State.SKIPPED, Reason.ROBOTS_UNREACHABLE)


@pytest.mark.parametrize(("reason", "requests"), [(Reason.CONNECT, 2), (Reason.RESET, Politeness().attempts)])
def test_where_nobody_ever_answered_the_crawl_gives_up_soon(tmp_path: Path, reason: Reason, requests: int) -> None:
    crawl = Simulation(tmp_path, {"http://a.test/robots.txt": failure("", reason, heals=True)})
    assert crawl.run() is Ending.NOTHING_LEFT
    assert crawl.asked == ["http://a.test/robots.txt"] * requests
    assert fates(tmp_path)[SEED] == (State.SKIPPED, Reason.ROBOTS_UNREACHABLE)


def test_a_crawl_delay_holds_also_when_the_delay_is_zero(tmp_path: Path) -> None:
    web = {f"http://a.test/{n or ''}": page(f"/{n + 1}") for n in range(5)}
    web["http://a.test/robots.txt"] = robots("User-agent: *\nCrawl-delay: 7")
    crawl = Simulation(tmp_path, web, politeness=Politeness(delay=0.0))
    crawl.run()
    assert len(crawl.times("a.test")) == 7
    assert_apart(crawl.times("a.test"), 7.0)


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


# --- trouble ---------------------------------------------------------------------------------------------------------


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


def test_links_that_say_nofollow_are_recorded_and_not_followed(tmp_path: Path) -> None:
    crawl = Simulation(tmp_path, {SEED: page("/no", rel="nofollow")})
    crawl.run()
    assert crawl.pages_asked == [SEED]
    assert fates(tmp_path)["http://a.test/no"] == (State.SKIPPED, Reason.NOFOLLOW)


def test_a_trap_found_out_on_the_way_is_left_before_the_next_request(tmp_path: Path) -> None:
    urls = [f"http://a.test/list?sid={n}" for n in range(40)]
    web = {SEED: page(*urls)} | {url: page(text="always the same words") for url in urls}
    crawl = Simulation(tmp_path, web)
    assert crawl.run() is Ending.NOTHING_LEFT
    reasons = [fates(tmp_path)[url] for url in urls]
    assert 3 <= reasons.count((State.DONE, None)) < 10
    assert reasons.count((State.SKIPPED, Reason.TRAP)) > 30


# --- stopping --------------------------------------------------------------------------------------------------------


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


# --- the disk --------------------------------------------------------------------------------------------------------


class FullDisk(CrawlStore):
    """A store whose disk is full after a few batches."""

    batches = 0

    async def commit(self, changes: Changes) -> list[Duplicate]:
        self.batches += 1
        if self.batches > 3:
            raise StorageFull("The disk is full.")
        return await super().commit(changes)


def test_a_full_disk_stops_the_crawl_and_nothing_is_lost(tmp_path: Path) -> None:
    crawl = Simulation(tmp_path, hosts(30), latency=1.0, store=FullDisk)
    with pytest.raises(ExceptionGroup) as stopped:
        crawl.run()
    assert stopped.group_contains(StorageFull)
    assert_consistent(tmp_path)
    assert len(stored(tmp_path)) < 31
    crawl._make_store = CrawlStore
    crawl.now += 100.0
    assert crawl.run() is Ending.NOTHING_LEFT
    assert len(stored(tmp_path)) == 31
    assert_consistent(tmp_path)


class SlowDisk(CrawlStore):
    """A store that waits in the middle of a commit until it is told to go on."""

    def __init__(self, folder: Path) -> None:
        super().__init__(folder)
        self.begun, self.go_on = asyncio.Event(), asyncio.Event()
        self.finished = False

    async def commit(self, changes: Changes) -> list[Duplicate]:
        self.begun.set()
        await self.go_on.wait()
        duplicates = await super().commit(changes)
        self.finished = True
        return duplicates


async def test_a_cancelled_crawl_waits_until_the_disk_has_what_it_was_given(tmp_path: Path) -> None:
    """Else the folder would be closed under the hands of whoever writes to it."""
    crawl = Simulation(tmp_path, {SEED: page()})
    with folders.lock(tmp_path):
        store = SlowDisk(tmp_path)
        coordinator = app.make_coordinator(store, MemoryLedger())
        running = asyncio.create_task(coordinator.run())
        await store.begun.wait()
        running.cancel()
        asyncio.get_running_loop().call_soon(store.go_on.set)
        await asyncio.gather(running, return_exceptions=True)
        assert running.cancelled()
        assert store.finished
        store.close()
    assert fates(crawl.folder)[SEED] == (State.WAITING, None)


# --- two crawls ------------------------------------------------------------------------------------------------------


def test_two_crawls_share_the_clock_of_a_host(tmp_path: Path) -> None:
    web = {f"http://a.test/{n or ''}": page(f"/{n + 1}") for n in range(20)}
    clocks: dict[str, Clock] = {}
    first = Simulation(tmp_path / "1", web, latency=0.5, ledger=MemoryLedger("1", clocks))
    second = Simulation(tmp_path / "2", web, latency=0.5, ledger=MemoryLedger("2", clocks))
    second.servers = Servers(web, lambda: first.now, 0.5)

    async def both() -> None:
        with open_store(first.folder) as one, open_store(second.folder) as two:
            async with asyncio.TaskGroup() as group:
                for crawl, store in ((first, one), (second, two)):
                    coordinator = app.make_coordinator(store, crawl.ledger, lambda: first.now)
                    group.create_task(crawl.crawl(coordinator))

    in_no_time(first, both)
    assert len(stored(first.folder)) == len(stored(second.folder)) == 20
    assert_apart(sorted(first.times("a.test") + second.times("a.test")), 1.0)


# --- long rests ------------------------------------------------------------------------------------------------------


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


def test_a_rest_of_minutes_is_sat_out(tmp_path: Path) -> None:
    later = structs.replace(failure("", status=503, heals=True), retry_after=1800.0)
    crawl = Simulation(tmp_path, {**hosts(2), "http://h1.test/0": [later, page()]})
    assert crawl.run() is Ending.NOTHING_LEFT
    assert len(stored(tmp_path)) == 3


def test_others_are_asked_while_one_rests_for_hours(tmp_path: Path) -> None:
    later = structs.replace(failure("", status=503, heals=True), retry_after=6 * 3600.0)
    crawl = Simulation(tmp_path, {**hosts(20, pages=3), "http://h0.test/0": later}, latency=SLOW, workers=2)
    assert crawl.run() is Ending.RESTING
    assert len(stored(tmp_path)) == 1 + 19 * 3
