"""A crawl learns about its topic: when, from which pages, and over a restart."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Sequence
from pathlib import Path
from types import FrameType
from typing import Any

import pytest
from msgspec.structs import replace

from shoal import services
from shoal.crawl.topic_learner import TopicLearner
from shoal.model import Origin, Page, Response, Seen, Task, Term, Timing, Topic, Verdict
from shoal.model.stored import TopicChange
from shoal.settings import Budget, Learning
from shoal.store import crawl_folder as folders
from shoal.store import strategy_memory as memories
from shoal.store.crawl_store import CrawlStore
from shoal.store.packed_page import pack
from shoal.testing.fakes import Answer, html

from .simulated import SEED, Simulation

GRID = Topic(name="grid", terms=(Term(text="power grid"),))
NEVER = Timing(started=0.0, answered=0.0, ended=0.0)
POWER = "The power grid carries electricity from the transformer to the substation. Every transformer hums."
COOKING = "Take two eggs, some flour and a little butter. Every cook knows the butter."


def learner(topic: Topic = GRID, last: TopicChange | None = None, pages: int = 0, **learning: Any) -> TopicLearner:
    start = last or TopicChange(topic=topic, pages=0, at=0.0, why="")
    return TopicLearner(Learning(**learning), start, seeds=2, pages=pages)


def came(text: str, *, score: float = 0.0, depth: int = 1, threshold: float = 0.15) -> Seen:
    url = "http://a.test/"
    response, page = Response(url=url, status=200, headers=(), body=b"", timing=NEVER), Page(url=url, text=text)
    return Seen(
        task=Task(id=1, url=url, depth=depth),
        response=response,
        packed=pack(response, page),
        page=page,
        text=text,
        verdict=Verdict(score=score, threshold=threshold),
    )


def study(learner: TopicLearner, pages: Sequence[Seen]) -> TopicChange | None:
    for page in pages:
        learner.saw(page)
    return asyncio.run(learner.study(now=7.0)) if learner.due else None


def words(change: TopicChange | None, origin: Origin) -> set[str]:
    assert change is not None
    return {term.text for term in change.topic.terms if term.origin is origin}


# --- when ------------------------------------------------------------------------------------------------------------


def test_who_does_not_want_to_learn_never_does() -> None:
    assert study(learner(), [came(POWER, score=1.0, depth=0)] * 300) is None


def test_seeds_are_learned_from_when_the_last_of_them_came() -> None:
    crawl = learner(from_seeds=True)
    assert study(crawl, [came(POWER, depth=0), came(COOKING, depth=1)]) is None
    change = study(crawl, [came(POWER, depth=0)])
    assert change is not None
    assert (change.topic.version, change.pages, change.at) == (2, 3, 7.0)
    assert "transformer" in words(change, Origin.SEEDS)
    assert "butter" not in words(change, Origin.SEEDS)
    assert words(change, Origin.HAND) == {"power grid"}
    assert change.why.endswith("words from 2 seed pages.")
    assert crawl.topic == change.topic


def test_what_comes_by_the_interval_does_not_come_with_the_seeds() -> None:
    crawl = learner(from_seeds=True, adapt_topic=True, adapt_threshold=True, interval=10, wanted=2)
    change = study(crawl, [came(POWER, score=0.9, depth=0)] * 2)
    assert change is not None
    assert change.why.endswith("words from 2 seed pages.")
    assert change.topic.threshold is None
    later = study(crawl, [came(POWER, score=0.9)] * 8)
    assert later is not None
    assert "The threshold rose" in later.why
    assert later.pages == 10


def test_a_seed_that_never_comes_is_waited_for_one_interval_only() -> None:
    crawl = learner(from_seeds=True, interval=10)
    assert study(crawl, [came(POWER, depth=0)] + [came(COOKING)] * 8) is None
    change = study(crawl, [came(COOKING)])
    assert change is not None
    assert change.why.endswith("words from 1 seed page.")


def test_feedback_comes_every_interval_and_is_recorded_only_when_it_changes_something() -> None:
    crawl = learner(adapt_topic=True, interval=10)
    pages = [came(POWER, score=0.9)] * 5 + [came(COOKING)] * 5
    assert study(crawl, pages[:9]) is None
    first = study(crawl, pages[9:])
    assert "transformer" in words(first, Origin.ADAPTED)
    assert "butter" not in words(first, Origin.ADAPTED)
    assert study(crawl, pages) is None, "the same pages again teach nothing new"


def test_the_threshold_moves_with_what_comes() -> None:
    # Wanted are 2 pages in 10, and 5 come, all of them good: x 1.05.
    crawl = learner(adapt_threshold=True, interval=10, wanted=2)
    change = study(crawl, [came(POWER, score=0.9)] * 5 + [came(COOKING)] * 5)
    assert change is not None
    assert change.topic.threshold == pytest.approx(0.15 * 1.05)
    assert change.topic.terms == GRID.terms
    # Then 10 pages without a single good one: 5 of 4 wanted so far, so it stays; after 10 more, 5 of 6: x 0.95.
    assert study(crawl, [came(COOKING)] * 10) is None
    lower = study(crawl, [came(COOKING)] * 10)
    assert lower is not None
    assert lower.topic.threshold == pytest.approx(0.15 * 1.05 * 0.95)
    assert lower.topic.version == 3


def test_what_happens_at_once_is_one_version_with_all_reasons() -> None:
    crawl = learner(adapt_topic=True, adapt_threshold=True, interval=10, wanted=2)
    change = study(crawl, [came(POWER, score=0.9)] * 5 + [came(COOKING)] * 5)
    assert change is not None
    assert change.topic.version == 2
    assert change.why.startswith("Learned ")
    assert "The threshold rose" in change.why


# --- while the crawl goes on -----------------------------------------------------------------------------------------


def test_pages_that_come_during_a_study_belong_to_the_next_interval() -> None:
    crawl = learner(adapt_topic=True, adapt_threshold=True, interval=10, wanted=2)

    async def meanwhile() -> TopicChange | None:
        for page in [came(POWER, score=0.9)] * 5 + [came(COOKING)] * 5:
            crawl.saw(page)
        studying = asyncio.create_task(crawl.study(now=7.0))
        await asyncio.sleep(0)  # it has begun
        assert not crawl.due
        for _ in range(9):
            crawl.saw(came(POWER, score=0.9))
        return await studying

    change = asyncio.run(meanwhile())
    assert change is not None
    assert change.pages == 10
    assert "5 pages came, 2 were wanted" in change.why
    later = study(crawl, [came(COOKING)])
    assert later is not None
    assert "9 pages came, 2 were wanted" in later.why


def test_the_event_loop_reads_no_page() -> None:
    crawl = learner(from_seeds=True, adapt_topic=True, adapt_threshold=True, interval=10, wanted=2)
    pages, called = [came(POWER, score=0.9, depth=0)] * 5 + [came(COOKING)] * 5, set[str]()

    def note(frame: FrameType, event: str, arg: object) -> None:
        called.add(f"{frame.f_globals.get('__name__', '')}.{frame.f_code.co_name}")

    sys.setprofile(note)  # of this thread only
    try:
        change = study(crawl, pages)
    finally:
        sys.setprofile(None)
    assert change is not None
    assert change.why.startswith("Learned ")
    assert "shoal.crawl.topic_learner.study" in called
    assert not {
        name
        for name in called
        if name.startswith(("shoal.text", "shoal.topic.term_weights", "shoal.topic.relevance_feedback.estimate"))
    }


# --- over a restart --------------------------------------------------------------------------------------------------


def test_a_restart_goes_on_from_what_was_known() -> None:
    crawl = learner(adapt_topic=True, adapt_threshold=True, interval=10, wanted=2)
    pages = [came(POWER, score=0.9)] * 5 + [came(COOKING)] * 5
    last = study(crawl, pages)
    assert last is not None
    again = learner(last=last, pages=10, adapt_topic=True, adapt_threshold=True, interval=10, wanted=2)
    more = [came(f"{POWER} A dam turns its turbine, and the turbine hums.", score=0.9)] * 10
    assert study(again, more) == study(crawl, more)


def test_seeds_of_an_earlier_run_count() -> None:
    crawl = learner(from_seeds=True)
    crawl.recall([Page(url=SEED, text=POWER)])
    change = study(crawl, [came(POWER, depth=0)])
    assert change is not None
    assert change.why.endswith("words from 2 seed pages.")


def test_a_threshold_that_the_user_sets_is_where_it_moves_on_from() -> None:
    wishes: dict[str, Any] = {"adapt_threshold": True, "interval": 10, "wanted": 2}
    last = study(learner(**wishes), [came(POWER, score=0.9)] * 5 + [came(COOKING)] * 5)
    assert last is not None
    said = replace(last, topic=replace(last.topic, threshold=0.5, version=3))
    again = learner(last=said, pages=10, **wishes)
    change = study(again, [came(POWER, score=0.9, threshold=0.5)] * 5 + [came(COOKING, threshold=0.5)] * 5)
    assert change is not None
    assert change.topic.threshold == pytest.approx(0.5 * 1.05)
    assert change.topic.version == 4


def test_what_is_wanted_is_what_the_user_says_now() -> None:
    pages = [came(POWER, score=0.9)] * 5 + [came(COOKING)] * 5
    last = study(learner(adapt_threshold=True, interval=10, wanted=2), pages)
    assert last is not None
    again = learner(last=last, pages=10, adapt_threshold=True, interval=10, wanted=8)
    change = study(again, pages)
    assert change is not None
    # 5 of 8 came: x 0.95; what came before, 5 of 2 wanted, does not count any more
    assert change.topic.threshold == pytest.approx(0.15 * 1.05 * 0.95)
    assert "5 pages came, 8 were wanted" in change.why


def test_of_several_topics_the_threshold_of_the_whole_is_where_it_begins() -> None:
    parts = (replace(GRID, threshold=0.3), replace(GRID, name="other", threshold=0.2))
    both = replace(GRID, threshold=0.2, any=parts)
    crawl = learner(both, adapt_threshold=True, interval=10, wanted=2)
    change = study(crawl, [came(POWER, score=0.9, threshold=0.3)] * 5 + [came(COOKING, threshold=0.2)] * 5)
    assert change is not None
    assert change.topic.threshold == pytest.approx(0.2 * 1.05)
    assert [part.threshold for part in change.topic.any] == pytest.approx([0.3 * 1.05, 0.2 * 1.05])


TURBINE = "The power grid needs a turbine, and the turbine hums."


def fed_back() -> TopicChange:
    last = study(learner(adapt_topic=True, interval=10), [came(POWER, score=0.9)] * 5 + [came(COOKING)] * 5)
    assert last is not None
    return last


def test_seeds_are_learned_from_when_the_user_asks_for_it_later() -> None:
    last = fed_back()
    assert not learner(last=last, pages=10, adapt_topic=True).awaits_seeds
    assert learner(last=last, pages=10, from_seeds=True).awaits_seeds
    again = learner(last=last, pages=10, from_seeds=True)
    again.recall([Page(url=SEED, text=TURBINE)] * 2)
    change = study(again, [came(COOKING)])
    assert "turbine" in words(change, Origin.SEEDS)
    assert change is not None
    assert change.topic.version == 3
    typed = [term.weight for term in change.topic.terms if term.origin is Origin.HAND]
    assert typed == [1.0], "what feedback added to a typed word's weight is not taken for typed"
    assert not again.awaits_seeds
    assert not learner(last=change, pages=11, from_seeds=True).awaits_seeds


def test_what_feedback_taught_stays_when_the_seeds_are_learned_from_later() -> None:
    again = learner(last=fed_back(), pages=10, from_seeds=True, adapt_topic=True)
    again.recall([Page(url=SEED, text=TURBINE)] * 2)
    change = study(again, [came(COOKING)])
    assert "turbine" in words(change, Origin.SEEDS)
    assert "transformer" in words(change, Origin.ADAPTED)


# --- in a crawl ------------------------------------------------------------------------------------------------------


def web() -> dict[str, Answer | list[Answer]]:
    """A seed about the power grid, and pages that say transformer but never power grid."""
    pages = [f"/{number}" for number in range(30)]
    links = "".join(f'<a href="{page}">{page}</a> ' for page in pages)
    long = f"<p>{POWER}</p>" * 3
    web: dict[str, Answer | list[Answer]] = {SEED: html("", f"<title>power grid</title><main>{long}</main>{links}")}
    for number, page in enumerate(pages):
        text = f"<p>The transformer number {number} needs electricity from the substation.</p>" * 3
        web[SEED.rstrip("/") + page] = html("", f"<title>{number}</title><main>{text}</main>")
    return web


def simulation(folder: Path, **settings: Any) -> Simulation:
    return Simulation(folder, web(), topic=GRID, learning=Learning(from_seeds=True, interval=5), **settings)


def test_pages_are_judged_by_what_was_learned(tmp_path: Path) -> None:
    crawl = simulation(tmp_path / "crawl")
    crawl.run()
    pages = services.export.fetched_pages(tmp_path / "crawl")
    assert [page.relevant for page in pages[3:]] == [True] * len(pages[3:])
    first, second = services.topics.topic_history(tmp_path / "crawl")
    assert first.topic == GRID
    assert "transformer" in words(second, Origin.SEEDS)


def test_without_learning_they_are_not(tmp_path: Path) -> None:
    crawl = Simulation(tmp_path / "crawl", web(), topic=GRID)
    crawl.run()
    first, *others = services.export.fetched_pages(tmp_path / "crawl")
    assert first.relevant
    assert not any(page.relevant for page in others)
    assert [change.topic for change in services.topics.topic_history(tmp_path / "crawl")] == [GRID]


def test_a_crawl_that_ends_before_it_learned_learns_when_it_goes_on(tmp_path: Path) -> None:
    folder = tmp_path / "crawl"
    seeds = (SEED, "http://gone.test/")  # which never comes, so the first interval must be over
    crawl = simulation(folder, seeds=seeds, budget=Budget(max_pages=2))
    crawl.run()
    assert len(services.topics.topic_history(folder)) == 1
    services.crawls.change_settings(folder, {"max_pages": 31})
    crawl.run()
    assert "transformer" in words(services.topics.topic_history(folder)[-1], Origin.SEEDS)


@pytest.mark.slow
def test_the_next_run_begins_with_the_latest_topic(tmp_path: Path) -> None:
    folder = tmp_path / "crawl"
    crawl = simulation(folder, budget=Budget(max_pages=10))
    crawl.run()
    store = CrawlStore(folder)
    assert store.topic().topic.version == 2
    store.close()
    services.crawls.change_settings(folder, {"max_pages": 20})
    crawl.run()
    assert [page.relevant for page in services.export.fetched_pages(folder)][10:] == [True] * 10


@pytest.mark.slow
def test_a_threshold_set_by_the_user_holds_for_the_learned_topic_too(tmp_path: Path) -> None:
    folder = tmp_path / "crawl"
    crawl = simulation(folder, budget=Budget(max_pages=10))
    crawl.run()
    services.crawls.change_settings(folder, {"max_pages": 20, "threshold": 2.0})
    crawl.run()
    assert [page.relevant for page in services.export.fetched_pages(folder)][10:] == [False] * 10
    last = services.topics.topic_history(folder)[-1]
    assert (last.topic.version, last.topic.threshold, last.why) == (3, 2.0, "The user set the threshold to 2.")


@pytest.mark.slow
def test_learned_words_do_not_get_lost_when_the_user_sets_a_threshold(tmp_path: Path) -> None:
    folder = tmp_path / "crawl"
    crawl = simulation(folder, budget=Budget(max_pages=10))
    crawl.run()
    before = services.topics.topic_history(folder)[-1].topic
    services.crawls.change_settings(folder, {"threshold": 0.3})
    after = services.topics.topic_history(folder)[-1].topic
    assert after == replace(before, version=3, threshold=0.3)


def test_the_latest_version_is_found_without_reading_the_others(tmp_path: Path) -> None:
    folder = tmp_path / "crawl"
    crawl = simulation(folder, budget=Budget(max_pages=10))
    crawl.run()
    services.crawls.change_settings(folder, {"threshold": 0.3})
    with folders.reading(folder) as database:
        assert memories.latest(database, GRID) == memories.topic_history(database, GRID)[-1]
        database.execute("UPDATE topics SET topic = 'no topic' WHERE version = 2")
        assert memories.latest(database, GRID).topic.version == 3
        database.execute("DELETE FROM topics")
        assert memories.latest(database, GRID) == memories.topic_history(database, GRID)[0]
        assert memories.latest(database, GRID).at > 0


def test_a_crawl_that_goes_on_learns_from_the_seeds_it_has_if_asked_to(tmp_path: Path) -> None:
    folder = tmp_path / "crawl"
    wishes = Learning(adapt_topic=True, adapt_threshold=True, interval=5, wanted=3)
    crawl = Simulation(folder, web(), topic=GRID, learning=wishes, budget=Budget(max_pages=10))
    crawl.run()
    assert len(services.topics.topic_history(folder)) > 1, "there is a version, with a memory"
    services.crawls.change_settings(folder, {"max_pages": 12, "learn_from_seeds": True})
    crawl.run()
    assert "from 1 seed page." in services.topics.topic_history(folder)[-1].why


def test_an_interval_goes_on_over_restarts() -> None:
    last = TopicChange(topic=GRID, pages=20, at=0.0, why="")
    crawl = learner(last=last, pages=58, adapt_topic=True, interval=20)
    # 20, 40, 60: two pages are missing, though this run has seen none of the 18 before.
    assert study(crawl, [came(POWER, score=0.9)]) is None
    change = study(crawl, [came(POWER, score=0.9)])
    assert change is not None
    assert change.pages == 60


def test_a_part_of_an_interval_says_nothing_about_how_much_comes() -> None:
    last = TopicChange(topic=GRID, pages=0, at=0.0, why="")
    crawl = learner(last=last, pages=8, adapt_threshold=True, interval=10, wanted=5)
    assert study(crawl, [came(COOKING)] * 2) is None, "only two of ten were seen"
    assert study(crawl, [came(COOKING)] * 10) is not None
