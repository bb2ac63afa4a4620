"""A whole comparison on small recorded webs: what it writes, what it refuses, and how it goes on after a stop."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from shoal.errors import FolderError, InputError
from shoal.evaluate.compare import CURVES, JOBS, JUDGES, MEANS, REPORT, SUMMARY, Plan, run_compare
from shoal.evaluate.jobs import JUDGING, ORACLE, Conditions, Job, Result
from shoal.evaluate.resultfolder import MARKER
from tests.evaluate.recording import page, redirect, response, robots, save

pytestmark = pytest.mark.slow

STRATEGIES = ("best-first", "breadth")


class Notes:
    """Writes down how a comparison goes."""

    def __init__(self, stop_after: int | None = None) -> None:
        self.said: list[str] = []
        self.read: list[str] = []
        self.done: list[Job] = []
        self.begun: list[Job] = []
        self.plan = (0, 0)
        self._stop_after = stop_after

    def say(self, sentence: str) -> None:
        self.said.append(sentence)

    def warn(self, sentence: str) -> None:
        self.said.append(sentence)

    def surveying(self, web: str, done: int, of: int) -> None:
        self.read.append(web)

    def planned(self, jobs: int, done: int) -> None:
        self.plan = (jobs, done)

    def began(self, job: Job) -> None:
        self.begun.append(job)

    def ended(self, job: Job, result: Result) -> None:
        self.done.append(job)
        if len(self.done) == self._stop_after:
            raise KeyboardInterrupt


def make_web(folder: Path, name: str, word: str) -> Path:
    """A dozen pages on one host, half of them about the word; two topics, the second of which has one page."""
    host = f"http://{name}.test"
    relevant = [f"/r{number}" for number in range(5)]
    records = [
        robots(f"{name}.test", "User-agent: *\nDisallow: /private\n"),
        page(f"{host}/", "front", "/d0", "/r0", "/old", "/private"),
        page(f"{host}/private", word),
        redirect(f"{host}/old", "/r4"),
        *(page(f"{host}/d{number}", "weather", f"/d{number + 1}", f"/x{number}") for number in range(4)),
        *(page(f"{host}{path}", f"all about {word}", f"/r{number + 1}") for number, path in enumerate(relevant)),
    ]
    labels = [f"{host}{path}\tmain" for path in relevant] + [f"{host}/old\tmain", f"{host}/d3\tother"]
    (folder / f"{name}.labels.tsv").write_text("\n".join(labels) + "\n", encoding="utf-8")
    for topic in ("main", "other"):
        text = f'name = "{topic} {word}"\nseeds = ["{host}/"]\nkeywords = ["{word}"]\n'
        (folder / f"{name}.{topic}.toml").write_text(text, encoding="utf-8")
    return save(folder / f"{name}.warc.gz", *records)


@pytest.fixture
def webs(tmp_path: Path) -> Path:
    folder = tmp_path / "webs"
    folder.mkdir()
    make_web(folder, "english", "grid")
    make_web(folder, "chinese", "电网")
    return folder


@pytest.fixture
def plan(webs: Path, tmp_path: Path) -> Callable[..., Plan]:
    def make(**given: Any) -> Plan:
        usual: dict[str, Any] = {
            "sources": (str(webs / "english.warc.gz"),),
            "strategies": STRATEGIES,
            "conditions": Conditions(pages=50),
            "folder": tmp_path / "out",
            "cache": tmp_path / "cache",
        }
        return Plan(**usual | given)

    return make


# --- what it says ----------------------------------------------------------------------------------------------------


def test_everything_is_measured_and_written(plan: Callable[..., Plan], webs: Path, tmp_path: Path) -> None:
    notes = Notes()
    comparison = run_compare(plan(sources=(str(webs),), title="三个网站"), notes)
    assert [web.name for web in comparison.webs] == ["chinese", "english"]
    assert [(topic.name, topic.title, topic.relevant) for topic in comparison.webs[0].topics] == [
        ("main", "main 电网", 5),
        ("other", "other 电网", 1),
    ]
    assert {row.name for row in comparison.standings} == set(STRATEGIES)
    assert comparison.oracle.overall.of_oracle == 1.0
    assert len(comparison.topics) == 2 * 2 * 3
    # What the labels call relevant is what a Chinese and an English crawl of the same shape find alike.
    assert comparison.standings[0].webs["chinese"] == comparison.standings[0].webs["english"]
    # One judge for both strategies, rated on each topic of each web before it is crawled.
    assert notes.plan == (12 + 4, 0)
    assert [judge.judge for judge in comparison.judges] == ["cosine"]
    assert [(topic.web, topic.topic) for topic in comparison.judges[0].topics] == [
        (web, topic) for web in ("chinese", "english") for topic in ("main", "other")
    ]
    assert notes.begun == notes.done
    written = {path.name for path in (tmp_path / "out").iterdir()}
    assert {MARKER, JOBS, CURVES, SUMMARY, MEANS, JUDGES, REPORT, "all-recall.png", "chinese-precision.svg"} <= written
    assert set(comparison.files) <= written
    assert "三个网站" in (tmp_path / "out" / REPORT).read_text(encoding="utf-8")


def test_each_topic_is_measured_by_what_its_own_crawler_may_follow(plan: Callable[..., Plan], tmp_path: Path) -> None:
    front = b"<meta name='mybot' content='nofollow'><p>the grid</p><a href='/r'>grid</a>"
    web = save(tmp_path / "a.warc.gz", response("http://a.test/", front), page("http://a.test/r", "the power grid"))
    (tmp_path / "a.labels.tsv").write_text(
        "".join(f"http://a.test/{name}\t{topic}\n" for name in ("", "r") for topic in "xy")
    )
    text = 'seeds = ["http://a.test/"]\nkeywords = ["grid"]\n'
    (tmp_path / "a.x.toml").write_text(text)
    (tmp_path / "a.y.toml").write_text(text + 'user_agent = "MyBot/2.0"\n')
    comparison = run_compare(plan(sources=(str(web),), strategies=("breadth",)), Notes())
    assert [(fact.name, fact.relevant) for fact in comparison.webs[0].topics] == [("x", 2), ("y", 1)]


def test_a_web_may_be_named_by_its_file_with_labels_from_elsewhere(plan: Callable[..., Plan], webs: Path) -> None:
    labels = webs / "my.tsv"
    labels.write_text("http://english.test/d1\tweather\nhttp://english.test/nowhere\tweather\n")
    topic = webs / "weather.toml"
    topic.write_text('seeds = ["http://english.test/"]\nkeywords = ["weather"]\n')
    notes = Notes()
    comparison = run_compare(plan(sources=(str(webs / "english.warc.gz"),), labels=labels, topic_files=(topic,)), notes)
    assert [(fact.name, fact.relevant) for fact in comparison.webs[0].topics] == [("weather", 1)]
    assert any("1 of 2 labelled URLs are not pages of the web" in sentence for sentence in notes.said)
    assert comparison.title == "Strategies compared on english"


@pytest.mark.parametrize(
    ("topics", "measured"),
    [
        (("other",), ["chinese/other", "english/other"]),
        (("english/main",), ["english/main"]),
        (("english/main", "other"), ["chinese/other", "english/main", "english/other"]),
    ],
)
def test_only_some_topics(plan: Callable[..., Plan], webs: Path, topics: tuple[str, ...], measured: list[str]) -> None:
    comparison = run_compare(plan(sources=(str(webs),), topics=topics, strategies=("breadth",)), Notes())
    assert [f"{web.name}/{topic.name}" for web in comparison.webs for topic in web.topics] == measured


def test_several_judges(plan: Callable[..., Plan]) -> None:
    given = plan(strategies=("best-first",), judges=("cosine", "zones"), topics=("english/main",))
    comparison = run_compare(given, Notes())
    assert {row.name for row in comparison.standings} == {"best-first · cosine", "best-first · zones"}
    assert {row.judge for row in comparison.judges} == {"cosine", "zones"}


def test_the_judges_that_the_strategies_use_are_rated(plan: Callable[..., Plan]) -> None:
    given = plan(strategies=("best-first", "breadth", "fish", "learned"), topics=("english/main",))
    comparison = run_compare(given, Notes())
    assert {row.judge for row in comparison.judges} == {"cosine", "boolean", "evidence"}
    # The five pages about the word are those that are labelled.
    assert all(row.overall.auc == row.overall.average_precision == 1.0 for row in comparison.judges)


def test_two_processes_find_the_same_as_one(plan: Callable[..., Plan], tmp_path: Path) -> None:
    one = run_compare(plan(), Notes())
    two = run_compare(plan(processes=2, folder=tmp_path / "two"), Notes())
    assert (two.topics, two.judges) == (one.topics, one.judges)
    assert (tmp_path / "two" / CURVES).read_text() == (tmp_path / "out" / CURVES).read_text()


# --- going on --------------------------------------------------------------------------------------------------------


def finished(folder: Path) -> list[Job]:
    lines = [json.loads(line)["job"] for line in (folder / JOBS).read_text().splitlines() if line]
    return [Job(**{"judge": ""} | line) for line in lines]


def test_what_is_finished_is_kept_and_not_done_again(plan: Callable[..., Plan], tmp_path: Path) -> None:
    stopped = Notes(stop_after=4)  # both ratings, the omniscient crawler, and the first crawl
    with pytest.raises(KeyboardInterrupt):
        run_compare(plan(), stopped)
    assert finished(tmp_path / "out") == stopped.done
    again = Notes()
    comparison = run_compare(plan(resume=True), again)
    assert again.plan == (8, 4)
    assert {job.strategy for job in again.done}.isdisjoint({JUDGING}), "ratings are kept, too"
    assert set(again.done).isdisjoint(stopped.done)
    assert len(comparison.topics) == 6
    new = run_compare(plan(folder=tmp_path / "new"), Notes())
    assert (comparison.topics, comparison.judges) == (new.topics, new.judges)


def test_a_line_that_was_cut_off_is_done_again(plan: Callable[..., Plan], tmp_path: Path) -> None:
    run_compare(plan(), Notes())
    file = tmp_path / "out" / JOBS
    file.write_bytes(file.read_bytes()[:-20])
    for missing in (1, 0):
        notes = Notes()
        run_compare(plan(resume=True), notes)
        assert notes.plan == (8, 8 - missing)


def test_another_budget_is_another_job(plan: Callable[..., Plan]) -> None:
    run_compare(plan(), Notes())
    notes = Notes()
    run_compare(plan(resume=True, conditions=Conditions(pages=3)), notes)
    assert notes.plan == (8, 2), "how far a crawl goes makes no difference to the judges"


def test_another_strategy_is_added_to_what_is_there(plan: Callable[..., Plan]) -> None:
    run_compare(plan(strategies=("breadth",)), Notes())
    notes = Notes()
    comparison = run_compare(plan(resume=True), notes)
    assert {job.strategy for job in notes.done} == {"best-first"}
    assert {row.name for row in comparison.standings} == set(STRATEGIES)


def test_without_resume_it_begins_anew_and_removes_only_its_own(plan: Callable[..., Plan], tmp_path: Path) -> None:
    run_compare(plan(), Notes())
    (tmp_path / "out" / "notes.txt").write_text("mine")
    (tmp_path / "out" / "my-recall.png").write_text("mine, too")
    with (tmp_path / "out" / MARKER).open("a") as marker:
        marker.write("strategies: older-recall.png\n")
    (tmp_path / "out" / "older-recall.png").write_text("of a web that is not compared any more")
    notes = Notes()
    run_compare(plan(topics=("english/main",)), notes)
    assert notes.plan == (4, 0)
    assert (tmp_path / "out" / "notes.txt").read_text() == "mine"
    assert not (tmp_path / "out" / "older-recall.png").exists()
    assert (tmp_path / "out" / "my-recall.png").read_text() == "mine, too"


def test_the_second_comparison_reads_no_page_to_begin(plan: Callable[..., Plan], tmp_path: Path) -> None:
    first, second = Notes(), Notes()
    run_compare(plan(), first)
    run_compare(plan(folder=tmp_path / "second"), second)
    assert (first.read, second.read) == (["english"], [])


# --- what it refuses -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("given", "sentence"),
    [
        ({"strategies": ("bredth",)}, r"^--strategy must be one of .*, not 'bredth'; did you mean breadth\?"),
        ({"judges": ("cosin",)}, r"^--judge must be one of .*did you mean cosine\?"),
        ({"topics": ("mian",)}, r"^--topic must be one of main, other, not 'mian'; did you mean main\?"),
        ({"topics": ("english/mian",)}, r"did you mean english/main\?"),
        ({"sources": ("nowhere.warc",)}, "nowhere.warc: there is no such file"),
        ({"labels": Path("nowhere.tsv")}, "nowhere.tsv: there is no such file of labels"),
    ],
)
def test_a_mistake_is_one_sentence_and_leaves_nothing_behind(
    plan: Callable[..., Plan], tmp_path: Path, given: dict[str, Any], sentence: str
) -> None:
    with pytest.raises(InputError, match=sentence):
        run_compare(plan(**given), Notes())
    assert not (tmp_path / "out").exists()


def test_two_webs_of_one_name(plan: Callable[..., Plan], webs: Path, tmp_path: Path) -> None:
    (tmp_path / "more").mkdir()
    again = make_web(tmp_path / "more", "english", "grid")
    with pytest.raises(InputError, match="Two of the webs are called english"):
        run_compare(plan(sources=(str(webs), str(again))), Notes())


def test_labels_that_no_seed_leads_to(plan: Callable[..., Plan], webs: Path) -> None:
    (webs / "english.labels.tsv").write_text("http://english.test/private\tmain\nhttp://english.test/d3\tother\n")
    with pytest.raises(InputError, match="english/main no labelled page can be reached"):
        run_compare(plan(), Notes())


def test_a_folder_of_somebody_else_is_left_alone(plan: Callable[..., Plan], tmp_path: Path) -> None:
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "thesis.txt").write_text("mine")
    with pytest.raises(FolderError, match="not of an earlier comparison: choose another --out"):
        run_compare(plan(), Notes())
    assert [path.name for path in (tmp_path / "out").iterdir()] == ["thesis.txt"]


def test_the_oracle_is_always_there(plan: Callable[..., Plan]) -> None:
    notes = Notes()
    run_compare(plan(strategies=("breadth",), topics=("english/main",)), notes)
    assert [job.strategy for job in notes.done] == [JUDGING, ORACLE, "breadth"]
