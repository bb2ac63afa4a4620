"""The figures of a comparison, worked by hand from a few made-up crawls."""

from __future__ import annotations

from typing import Any

import pytest

from shoal.evaluate.jobs import ORACLE, Job, Result
from shoal.evaluate.standings import CrawlResults, topic_facts

PAGES = 4


def result(web: str, topic: str, strategy: str, hits: tuple[int, ...], **given: Any) -> Result:
    job = Job(web=web, topic=topic, strategy=strategy, judge=given.pop("judge", ""))
    usual: dict[str, Any] = {"reachable": 10, "relevant": 2, "fetched": 4}
    return Result(key="", job=job, hits=hits, **usual | given)


# Two relevant pages everywhere. Area over four fetches: of the oracle (1+2+2+2)/8 = 7/8.
ONE = [
    result("one", "a", ORACLE, (1, 2)),
    result("one", "b", ORACLE, (1, 2)),
    result("two", "c", ORACLE, (1, 2)),
    # (0+1+1+2)/8 = 4/8, so 4/7 of the oracle's; both found in 2 s.
    result("one", "a", "fish", (2, 4), clock=(2.0,), judged=(3,), requests=6, ending="over"),
    # (1+2+2+2)/8: as good as the oracle, though it ends after two pages.
    result("one", "b", "fish", (1, 2), fetched=2, clock=(1.0,), judged=(1,)),
    # Nothing found.
    result("two", "c", "fish", (), clock=(4.0,), judged=(4,)),
    result("one", "a", "breadth", (), clock=(1.0,), judged=(0,)),
    result("one", "b", "breadth", (), clock=(1.0,), judged=(0,)),
    # (1+1+1+1)/8 = 4/8
    result("two", "c", "breadth", (1,), clock=(1.0,), judged=(0,)),
]
RESULTS = CrawlResults(ONE, PAGES)
FIGURES = {(row.strategy, row.topic): row for row in RESULTS.figures()}


def test_one_topic() -> None:
    fish = FIGURES["fish", "a"]
    assert fish.of_oracle == pytest.approx(4 / 7)
    assert (fish.precision, fish.recall, fish.value) == (0.5, 1.0, 1.0)
    assert (fish.half_after, fish.most_after) == (2, 4)
    assert (fish.fetched, fish.found, fish.relevant, fish.reachable, fish.compared) == (4, 2, 2, 10, 4)
    assert (fish.judged_relevant, fish.requests, fish.seconds, fish.ending) == (3, 6, 2.0, "over")


def test_a_crawl_that_ends_early_keeps_what_it_has() -> None:
    fish = FIGURES["fish", "b"]
    assert fish.of_oracle == pytest.approx(1.0)
    assert (fish.precision, fish.recall, fish.fetched) == (1.0, 1.0, 2)


def test_nothing_found() -> None:
    fish = FIGURES["fish", "c"]
    assert (fish.of_oracle, fish.precision, fish.recall, fish.value, fish.half_after) == (0.0, 0.0, 0.0, 0.0, None)


def test_the_oracle_needs_no_time() -> None:
    oracle = FIGURES[ORACLE, "a"]
    assert (oracle.of_oracle, oracle.precision, oracle.value, oracle.judged_relevant) == (1.0, 0.5, None, None)


def test_every_web_counts_the_same_however_many_topics_it_has() -> None:
    [fish, breadth], oracle = RESULTS.standings()
    assert (fish.name, breadth.name, oracle.name) == ("fish", "breadth", ORACLE)
    assert fish.webs["one"].of_oracle == pytest.approx((4 / 7 + 1) / 2)
    assert fish.webs["two"].of_oracle == 0.0
    assert fish.overall.of_oracle == pytest.approx((4 / 7 + 1) / 4)
    assert breadth.overall.of_oracle == pytest.approx((0 + 4 / 7) / 2)
    assert fish.webs["one"].precision == 0.75
    assert fish.webs["one"].value == pytest.approx((2 / 2 + 2 / 1) / 2)
    # The judge takes three of four, one of two, and four of four pages for relevant.
    assert fish.overall.judged_share == pytest.approx(((0.75 + 0.5) / 2 + 1.0) / 2)
    assert (oracle.overall.of_oracle, oracle.overall.value, oracle.overall.judged_share) == (1.0, None, None)


def test_only_so_many_pages_count_as_there_are() -> None:
    # Five pages can be reached. The crawl ran into a trap, went on and on, and found its page when it was too late.
    rows = [
        result("one", "a", ORACLE, (1,), reachable=5, relevant=1, fetched=5),
        result(
            "one", "a", "fish", (7,), reachable=5, relevant=1, fetched=300, clock=(9.0, 18.0, 27.0), judged=(1, 1, 1)
        ),
    ]
    fish = next(row for row in CrawlResults(rows, 1000).figures() if row.strategy == "fish")
    assert (fish.compared, fish.fetched, fish.of_oracle, fish.recall, fish.half_after) == (5, 5, 0.0, 0.0, None)


def test_a_judge_is_named_only_where_several_are_compared() -> None:
    def names(*judges: str) -> list[str]:
        rows = [result("one", "a", ORACLE, (1, 2))]
        rows += [result("one", "a", "fish", (1, 2), judge=judge) for judge in judges]
        return [row.name for row in CrawlResults(rows, PAGES).standings()[0]]

    assert names("") == ["fish"]
    assert names("zones") == ["fish"]
    assert names("cosine", "zones") == ["fish · cosine", "fish · zones"]


def test_what_there_is_to_find() -> None:
    [a, b] = topic_facts(RESULTS, "one", {"a": "电网"})
    assert (a.name, a.title, a.relevant, a.reachable, a.oracle_needs) == ("a", "电网", 2, 10, 2)
    assert b.title == "b"
    short = CrawlResults([result("one", "a", ORACLE, (1,))], PAGES)
    assert topic_facts(short, "one", {})[0].oracle_needs is None
