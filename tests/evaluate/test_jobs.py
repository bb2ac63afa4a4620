"""One crawl measured: what is counted, under which conditions, and when it must be done again."""

from __future__ import annotations

import ast
import os
import pickle
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from msgspec.structs import replace

import shoal
from shoal.errors import InputError
from shoal.evaluate.jobs import (
    ORACLE,
    Bench,
    BenchWeb,
    Conditions,
    Job,
    Result,
    code_of,
    image_jobs,
    key_of,
    settings_of,
)
from shoal.evaluate.offline_web import Subject
from shoal.settings import Budget, Fetching, Politeness
from shoal.strategy import strategies
from shoal.testing.vector_packages import install_chinese
from tests.evaluate.small import field_of, linked, settings, url_of

#     home ─► d1 ─► d2, d3            r1 and r2 are relevant, and so would r3 be, but no way leads there.
#      └────► d4 ─► r1 ─► r2
WEB = linked(home="d1 d4", d1="d2 d3", d2="", d3="", d4="r1", r1="r2", r2="", r3="home")
PAGES = Conditions(pages=100)


def done(strategy: str, *, conditions: Conditions = PAGES, field: BenchWeb | None = None) -> Result:
    bench = Bench({"small": field or field_of(WEB, "r1", "r2", "r3")}, conditions)
    return bench(Job(web="small", topic="grid", strategy=strategy))


# --- what is counted -------------------------------------------------------------------------------------------------


def test_the_omniscient_crawler() -> None:
    result = done(ORACLE)
    # home, d4, r1, r2; then it has all and may fetch the other three for nothing.
    assert (result.hits, result.fetched) == ((3, 4), 7)
    assert (result.reachable, result.relevant) == (7, 2)
    assert (result.clock, result.judged, result.ending) == ((), (), "everything found")


def test_a_strategy() -> None:
    result = done("breadth")
    # home, d1, d4, d2, d3, r1, r2
    assert (result.hits, result.fetched, result.relevant) == ((6, 7), 7, 2)
    assert result.judged == (2,), "the judge's mark happens to be the truth here"
    assert result.requests == 8, "seven pages and a robots.txt"
    assert result.clock == pytest.approx((0.8,)), "a tenth of a second each"
    assert result.ending == "nothing left to fetch"


def test_a_budget_ends_both() -> None:
    assert done(ORACLE, conditions=Conditions(pages=3)).hits == (3,)
    assert done("breadth", conditions=Conditions(pages=3)).fetched == 3


@pytest.mark.slow
def test_marks_are_set_after_every_hundred_pages_and_at_the_end() -> None:
    names = [f"d{number}" for number in range(249)]
    result = done(
        "breadth",
        field=field_of(linked(home=" ".join(names), **dict.fromkeys(names, "")), "d0"),
        conditions=Conditions(pages=1000),
    )
    assert result.fetched == 250
    # The k-th page comes with the (k+1)-th request, for the first is that for robots.txt.
    assert result.clock == pytest.approx((10.1, 20.1, 25.1))
    assert result.judged == (0, 0, 0)


def test_nothing_to_find_is_a_mistake_of_the_labels() -> None:
    with pytest.raises(InputError, match=r"^Of the topic small/grid no labelled page can be reached from its seeds"):
        done("breadth", field=field_of(WEB, "r3"))


def test_a_strategy_that_fails_is_heard_of() -> None:
    with pytest.raises(KeyError):
        done("no-such-strategy")


# --- conditions ------------------------------------------------------------------------------------------------------

JOB = Job(web="small", topic="grid", strategy="breadth", judge="zones")
OWN = settings(
    strategy="fish",
    judge="cosine",
    parameters=(("width", 3.0),),
    budget=Budget(max_pages=7, max_depth=4, until_done=0.5),
    politeness=Politeness(delay=9.0, fetch_factor=3.0),
    fetching=Fetching(concurrency=20, user_agent="Own/1.0"),
)
SUBJECT = Subject(name="grid", settings=OWN, labelled=frozenset({url_of("r1")}))


def test_only_the_order_counts_unless_hosts_shall_wait() -> None:
    made = settings_of(JOB, SUBJECT, Conditions(pages=50))
    assert (made.strategy, made.judge, made.parameters) == ("breadth", "zones", ())
    assert made.budget == Budget(max_pages=50, max_depth=4)
    assert (made.politeness.delay, made.politeness.fetch_factor, made.politeness.max_crawl_delay) == (0.0, 0.0, 0.0)
    assert (made.fetching.concurrency, made.fetching.user_agent) == (1, "Own/1.0")


def test_a_depth_for_all_wins_over_the_topics_own() -> None:
    assert settings_of(JOB, SUBJECT, Conditions(pages=50, max_depth=2)).budget.max_depth == 2


def test_a_topic_that_would_end_when_it_is_exhausted_goes_as_far_as_the_others() -> None:
    """In a crawl of one's own `breadth` would refuse it, because it cannot tell."""
    field = field_of(WEB, "r1", "r2", budget=Budget(until_done=0.5))
    assert done("breadth", field=field).fetched == 7
    assert settings_of(JOB, SUBJECT, PAGES).budget.until_done is None


def test_what_lies_deeper_than_the_limit_is_not_missed() -> None:
    # home, d1, d4, d2, d3, r1 are at most two links away, r2 is not.
    result = done("breadth", conditions=Conditions(pages=100, max_depth=2))
    assert (result.reachable, result.relevant, result.fetched) == (6, 1, 6)


def test_the_omniscient_crawler_keeps_to_the_limit_too() -> None:
    # Over r1 and r2 the page r3 lies three links deep, over d1 two; only the latter way is open.
    field = field_of(linked(home="r1 d1", r1="r2", r2="r3", r3="", d1="r3"), "r1", "r2", "r3")
    result = done(ORACLE, field=field, conditions=Conditions(pages=100, max_depth=2))
    assert (result.hits, result.ending) == ((2, 3, 5), "everything found")
    assert done(ORACLE, field=field).hits == (2, 3, 4)


@pytest.mark.parametrize(
    ("conditions", "delay", "factor", "concurrency"),
    [
        (Conditions(pages=5, delay=2.0), 2.0, 3.0, 20),
        (Conditions(pages=5, delay=2.0, concurrency=8), 2.0, 3.0, 8),
        (Conditions(pages=5, concurrency=8), 0.0, 0.0, 8),
    ],
)
def test_a_live_crawl_may_be_simulated(conditions: Conditions, delay: float, factor: float, concurrency: int) -> None:
    made = settings_of(JOB, SUBJECT, conditions)
    assert (made.politeness.delay, made.politeness.fetch_factor) == (delay, factor)
    assert made.fetching.concurrency == concurrency


def test_parameters_stay_with_the_strategy_they_were_set_for() -> None:
    assert settings_of(replace(JOB, strategy="fish"), SUBJECT, PAGES).parameters == (("width", 3.0),)


# --- done before -----------------------------------------------------------------------------------------------------


def test_a_job_is_the_same_as_long_as_nothing_it_depends_on_changes() -> None:
    field = field_of(WEB, "r1")
    assert key_of(JOB, field, PAGES) == key_of(JOB, field_of(WEB, "r1"), PAGES)
    different = [
        key_of(JOB, field, PAGES),
        key_of(JOB, field, Conditions(pages=99)),
        key_of(JOB, field, Conditions(pages=100, delay=0.0)),
        key_of(JOB, field, Conditions(pages=100, latency=0.2)),
        key_of(replace(JOB, strategy="best-first"), field, PAGES),
        key_of(replace(JOB, judge="cosine"), field, PAGES),
        key_of(replace(JOB, strategy=ORACLE, judge=""), field, PAGES),
        key_of(JOB, field_of(WEB, "r1", "r2"), PAGES),
        key_of(JOB, field_of(WEB, "r1", stamp="2"), PAGES),
        key_of(JOB, field_of(WEB, "r1", seeds=(url_of("d1"),)), PAGES),
    ]
    assert len(set(different)) == len(different)


def test_a_job_is_another_one_with_other_word_vectors(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = install_chinese(tmp_path / "with", {"电网": (1.0,)})
    field = field_of(WEB, "r1")
    keys = []
    for path in ([str(tmp_path / "without")], folder):
        monkeypatch.setattr(sys, "path", path)
        keys.append((key_of(JOB, field, PAGES), key_of(replace(JOB, strategy=ORACLE, judge=""), field, PAGES)))
    (crawl, oracle), (other, same) = keys
    assert (other != crawl, same) == (True, oracle), "the omniscient crawler reads no words"


SOURCE = Path(shoal.__file__).parent
COMMON = {
    "model/page.py",
    "topic/term_weights.py",
    *(f"evaluate/{name}.py" for name in ("oracle", "curves", "jobs")),
}


def names(files: list[Path]) -> set[str]:
    return {str(file.relative_to(SOURCE)) for file in files}


def imported(file: Path) -> set[Path]:
    """What a file is made of in the folders below `crawl`, itself included."""
    found, waiting = set[Path](), [file]
    while waiting:
        found.add(one := waiting.pop())
        nodes = [node for node in ast.walk(ast.parse(one.read_bytes())) if isinstance(node, ast.ImportFrom)]
        named = {f"{node.module}{end}" for node in nodes for end in ("", *(f".{alias.name}" for alias in node.names))}
        parts = [module for module in named if re.match(r"shoal\.crawl\.\w+\.\w", module)]
        files = {SOURCE.parent / f"{part.replace('.', '/')}.py" for part in parts} - found
        waiting += [file for file in files if file.exists()]
    return found


@pytest.mark.parametrize("strategy", sorted(strategies()))
def test_a_result_depends_on_all_judges_and_on_what_its_strategy_is_made_of(strategy: str) -> None:
    files = code_of(strategy)
    assert names(files) >= COMMON | names(list((SOURCE / "crawl" / "judge").glob("*.py")))
    own = strategies()[strategy].make.__module__.replace(".", "/")
    assert set(files) >= imported(SOURCE.parent / f"{own}.py")
    assert ("strategy/hits.py" in names(files)) == (strategy == "hits"), "other strategies may change"


def test_the_omniscient_crawler_depends_on_no_strategy_and_no_judge() -> None:
    assert names(code_of(ORACLE)) >= COMMON
    assert not [name for name in names(code_of(ORACLE)) if name.startswith("crawl/")]


KEYS = """
from msgspec.structs import replace
from tests.evaluate.test_jobs import JOB, ORACLE, PAGES, WEB, field_of, key_of
for job in (replace(JOB, judge="relative"), replace(JOB, strategy=ORACLE, judge="")):
    print(key_of(job, field_of(WEB, "r1"), PAGES))
"""


@pytest.mark.slow
def test_a_job_is_another_one_when_its_code_changes(tmp_path: Path) -> None:
    """With a copy of the code, in a process of its own."""
    shutil.copytree(SOURCE, tmp_path / "shoal", ignore=shutil.ignore_patterns("__pycache__"))
    paths = os.pathsep.join([str(tmp_path), str(Path(__file__).parents[2])])

    def keys_after_changing(*files: str) -> list[str]:
        for file in files:
            with (tmp_path / "shoal" / file).open("a", encoding="utf-8") as code:
                code.write("# another line\n")
        told = subprocess.run([sys.executable, "-c", KEYS], env={"PYTHONPATH": paths}, capture_output=True, check=True)
        return told.stdout.decode().split()

    crawl, oracle = keys_after_changing()
    # Of judge/cosine.py the judge `relative` is made; the omniscient crawler asks no judge.
    second, same = keys_after_changing("judge/cosine.py", "strategy/hits.py")
    assert (second != crawl, same) == (True, oracle)
    third, other = keys_after_changing("evaluate/oracle.py")
    assert (third != second, other != same) == (True, True)


def test_the_name_of_a_job_says_what_it_is() -> None:
    assert str(JOB) == "small/grid with breadth and the judge zones"
    assert str(replace(JOB, judge="")) == "small/grid with breadth"


def test_a_job_is_the_same_in_another_process() -> None:
    """Where a default stands in a struct, its copy stands in one that has travelled."""
    field = field_of(WEB, "r1")
    assert key_of(JOB, pickle.loads(pickle.dumps(field)), PAGES) == key_of(JOB, field, PAGES)


# --- crawls for images -----------------------------------------------------------------------------------------------


def test_images_are_crawled_for_in_three_ways_or_two() -> None:
    assert [job.way for job in image_jobs("w", "t", "learned")] == [
        "learned, judged images",
        "learned, all images",
        "breadth, all images",
    ]
    assert [str(job) for job in image_jobs("w", "t", "breadth")] == [
        "w/t with breadth, judged images",
        "w/t with breadth, all images",
    ]


def test_the_conditions_of_a_crawl_for_images_are_those_of_any_other() -> None:
    field = field_of(WEB, "r1")
    pages = Job(web="small", topic="grid", strategy="breadth")
    every = replace(pages, images="all")
    ours, theirs = (settings_of(job, field.subjects["grid"], PAGES) for job in (every, pages))
    assert (ours.images.wanted, theirs.images.wanted) == ("all", "none")
    assert replace(ours, images=theirs.images) == theirs
    assert (
        key_of(every, field, PAGES)
        != key_of(pages, field, PAGES)
        != key_of(replace(every, images="relevant"), field, PAGES)
    )
