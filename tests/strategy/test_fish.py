"""Fish breed where they find food, and starve where they find none for too long."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from shoal import services
from shoal.crawl.coordinator import Coordinator
from shoal.crawl.termination import Ending
from shoal.model import Candidate, Link, Reason, State
from shoal.strategy.fish import Fish
from tests.crawl import simulated
from tests.running import fates
from tests.strategy.pages import TOPIC, Queue, page, seen

FOOD, NONE = 0.9, 0.1
"""Scores of a relevant page and of another one: the threshold of these tests is 0.15."""


def scores(candidates: list[Candidate]) -> list[float]:
    return [one.priority for one in candidates]


def test_a_relevant_page_favours_its_first_a_times_w_links() -> None:
    # W = 2, a = 1.5: the first 1.5 * 2 = 3 links score 1, the others 0; all may go D = 3 pages without food.
    candidates = list(Fish(TOPIC, width=2).follow(seen(score=FOOD, hints=[0.0] * 5)))
    assert scores(candidates) == [1.0, 1.0, 1.0, 0.0, 0.0]
    assert [one.inherited for one in candidates] == [3.0] * 5
    assert candidates[0].why == "among the first links of a relevant page, 3 more without"
    assert candidates[4].why == "further down on a relevant page, 3 more without"


def test_another_page_favours_its_first_w_links_by_half() -> None:
    # W = 2; of D = 3 pages without food this was the first.
    candidates = list(Fish(TOPIC, width=2).follow(seen(score=NONE, hints=[1.0] * 4)))
    assert scores(candidates) == [0.5, 0.5, 0.0, 0.0]
    assert [one.inherited for one in candidates] == [2.0] * 4


@pytest.mark.parametrize(("width", "breeding", "favoured"), [(3, 1.5, 5), (1, 1.0, 1), (2, 100.0, 6)])
def test_half_a_place_is_a_place(width: int, breeding: float, favoured: int) -> None:
    # 3 * 1.5 = 4.5: four whole links and a half. 2 * 100 is more than there are.
    candidates = list(Fish(TOPIC, width=width, breeding=breeding).follow(seen(score=FOOD, hints=[0.0] * 6)))
    assert scores(candidates) == [1.0] * favoured + [0.0] * (6 - favoured)


def test_links_that_must_not_be_followed_take_no_place() -> None:
    links = [Link(url="http://x.example/1", rel=("nofollow",)), Link(url="http://x.example/2")]
    candidates = list(Fish(TOPIC, width=1, breeding=1).follow(seen(score=FOOD, hints=[0.0] * 2, links=links)))
    assert [(one.refused, one.priority) for one in candidates] == [(Reason.NOFOLLOW, 0.0), (None, 1.0)]


def test_pages_that_were_fetched_are_nobodys_offspring() -> None:
    # W = 1: behind the menu, whose page was fetched, the first link that leads to something new is favoured.
    fish = Fish(TOPIC, width=1, breeding=1)
    list(fish.follow(page("menu", "first", score=FOOD)))
    assert scores(list(fish.follow(page("first", "menu", "second", "third", score=FOOD)))) == [1.0, 1.0, 0.0]
    again = Fish(TOPIC, width=1, breeding=1)
    again.recall([fish.memo(page("menu", "first", score=FOOD)), b"", b"of another strategy"])
    assert scores(list(again.follow(page("first", "menu", "second", "third", score=FOOD)))) == [1.0, 1.0, 0.0]


@pytest.mark.parametrize(
    ("score", "inherited", "left"),
    [
        (FOOD, None, 3.0),  # a seed
        (NONE, None, 2.0),
        (NONE, 2.0, 1.0),
        (NONE, 1.0, 0.0),
        (FOOD, 0.0, 3.0),  # saved at the last moment
        (NONE, 100.0, 2.0),  # the user has made the depth smaller since
    ],
)
def test_what_is_left_of_the_depth(score: float, inherited: float | None, left: float) -> None:
    [candidate] = Fish(TOPIC).follow(page("p", "a", score=score, inherited=inherited))
    assert (candidate.inherited, candidate.refused) == (left, None)


def test_at_depth_0_without_food_a_fish_starves() -> None:
    candidates = list(Fish(TOPIC).follow(page("p", "a", "b", score=NONE, inherited=0.0)))
    assert [one.refused for one in candidates] == [Reason.BOUND] * 2
    assert candidates[0].why == "4 pages in a row were without food"


def test_three_bands_in_one_queue() -> None:
    queue, fish = Queue(), Fish(TOPIC, width=1)
    queue.follow(fish, page("p", "half", "rest", score=NONE))
    queue.follow(fish, page("q", "food-1", "food-2", "rest-2", score=FOOD))  # 1.5 links: the second is favoured too
    queue.follow(fish, page("r", "half-2", "rest-3", score=NONE))
    assert queue.order() == ["food-1", "food-2", "half", "half-2", "rest", "rest-2", "rest-3"]


def test_found_again_a_url_keeps_the_larger_score_and_the_larger_depth() -> None:
    queue, fish = Queue(), Fish(TOPIC, width=1)
    queue.follow(fish, page("p", "a", score=NONE, inherited=1.0))  # a: 0.5, and 0 pages more
    queue.follow(fish, page("q", "1", "2", "a", score=FOOD))  # a: 0, and 3 pages more
    queue.follow(fish, page("r", "3", "a", score=NONE, inherited=2.0))  # a: 0, and 1 page more
    waiting = {entry.url: entry for entry in iter(queue.pop, None)}
    assert (waiting["http://x.example/a"].priority, waiting["http://x.example/a"].inherited) == (0.5, 3.0)


def test_a_starved_url_lives_again_when_a_page_with_food_links_to_it() -> None:
    queue, fish = Queue(), Fish(TOPIC)
    queue.follow(fish, page("p", "a", score=NONE, inherited=0.0))
    assert queue.pop() is None
    queue.follow(fish, page("q", "a", score=FOOD))
    entry = queue.pop()
    assert entry is not None
    assert (entry.url, entry.priority, entry.inherited) == ("http://x.example/a", 1.0, 3.0)


def test_a_crawl_ends_where_there_is_no_food(tmp_path: Path) -> None:
    # Each page links to the next. Only page 3 is about the grid. D = 2.
    names = [str(number) for number in range(9)]
    texts = {name: "grid grid grid" if name == "3" else f"nothing {name}" for name in names}
    web = {
        simulated.SEED + name: simulated.page(str(int(name) + 1), text=texts[name]) for name in names if name != "0"
    } | {simulated.SEED: simulated.page("1", text="nothing")}
    crawl = simulated.Simulation(tmp_path, web, strategy="fish", parameters=(("depth", 2.0),), workers=1)
    crawl.run()
    left = [(task.url, task.inherited) for _, task in crawl.servers.requests if task.kind == "page"]
    # Seed: 2. Page 1 after one page without food: 1. Page 2: 0. It has none either: page 3 would starve.
    assert left == [(simulated.SEED, None), (simulated.SEED + "1", 1.0), (simulated.SEED + "2", 0.0)]
    assert fates(tmp_path)[simulated.SEED + "3"] == (State.SKIPPED, Reason.BOUND)
    asked = len(crawl.pages_asked)
    services.crawls.change_settings(tmp_path, {})  # as `shoal resume` does
    crawl.run()
    assert len(crawl.pages_asked) == asked, "its bounds are not those of the budget"


def test_a_crawl_goes_on_where_there_is_food_in_time(tmp_path: Path) -> None:
    names = [str(number) for number in range(1, 9)]
    texts = {name: "grid grid grid" if name == "2" else f"nothing {name}" for name in names}
    web = {simulated.SEED + name: simulated.page(str(int(name) + 1), text=texts[name]) for name in names}
    web[simulated.SEED] = simulated.page("1", text="nothing")
    crawl = simulated.Simulation(tmp_path, web, strategy="fish", parameters=(("depth", 2.0),), workers=1)
    crawl.run()
    left = [task.inherited for _, task in crawl.servers.requests if task.kind == "page"]
    # The seed and page 1 have none: 1, 0. Page 2 feeds them: 2 again, then 1, 0, and page 5 is the last.
    assert left == [None, 1.0, 0.0, 2.0, 1.0, 0.0]


@pytest.mark.slow
def test_a_crawl_that_was_stopped_starves_where_it_would_have(tmp_path: Path) -> None:
    """How far each fish may still swim survives a restart: on one host the order is the same, and so are the pages."""
    names = [str(number) for number in range(1, 40)]
    web = {simulated.SEED: simulated.page("1", "2", text="grid")}
    for place, name in enumerate(names, start=1):
        text = "grid grid" if place % 3 == 0 else f"nothing {name}"
        web[simulated.SEED + name] = simulated.page(str(2 * place + 1), str(2 * place + 2), text=f"{text} {name}")

    def crawl_in(folder: Path) -> simulated.Simulation:
        parameters = (("depth", 1.0), ("width", 1.0))
        return simulated.Simulation(folder, web, strategy="fish", parameters=parameters, workers=1)

    whole = crawl_in(tmp_path / "whole")
    whole.run()
    assert 5 < len(whole.pages_asked) < len(web), "some are fetched, and some starve"
    stopped = crawl_in(tmp_path / "stopped")

    async def stop_soon(coordinator: Coordinator) -> Ending:
        asyncio.get_running_loop().call_later(4.5, coordinator.stop)
        return await stopped.crawl(coordinator)

    assert stopped.play(stop_soon) is Ending.STOPPED
    assert stopped.run() is Ending.NOTHING_LEFT
    assert stopped.pages_asked == whole.pages_asked
    assert fates(stopped.folder) == fates(whole.folder)
