"""Who reads the robots.txt files? Before any page of their origins; and who cannot be read is left alone."""

from __future__ import annotations

from pathlib import Path

import pytest

from shoal.crawl.termination import Ending
from shoal.model import Reason, State
from shoal.settings import Politeness
from shoal.testing.fakes import Answer, failure, redirect
from tests.crawl.simulated import SEED, TIMEOUT, Simulation, assert_apart, hosts, page, robots, urls_stored
from tests.running import assert_consistent, fates


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
