"""A whole comparison, of strategies on small recorded webs, and of crawls for images: what it writes, what it refuses, and how
it goes on after a stop."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from shoal.errors import FolderError, InputError
from shoal.evaluate import comparison_plots
from shoal.evaluate.compare import ComparisonPlan, run_compare
from shoal.evaluate.comparison_files import CURVES, JOBS, JUDGES, MARKER, MEANS, REPORT, SUMMARY
from shoal.evaluate.image_standings import ImageComparison
from shoal.evaluate.jobs import JUDGING, ORACLE, Conditions, Job, Result
from shoal.evaluate.standings import Comparison
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


def compared(plan: ComparisonPlan, notes: Notes) -> Comparison:
    comparison = run_compare(plan, notes)
    assert isinstance(comparison, Comparison)
    return comparison


@pytest.fixture
def undrawn(monkeypatch: pytest.MonkeyPatch) -> None:
    """For tests of what is crawled: drawing takes longer than crawling such small webs."""
    monkeypatch.setattr(comparison_plots, "draw_all", lambda folder, comparison, results: [])


@pytest.fixture
def plan(webs: Path, tmp_path: Path) -> Callable[..., ComparisonPlan]:
    def make(**given: Any) -> ComparisonPlan:
        usual: dict[str, Any] = {
            "sources": (str(webs / "english.warc.gz"),),
            "strategies": STRATEGIES,
            "conditions": Conditions(pages=50),
            "folder": tmp_path / "out",
            "cache": tmp_path / "cache",
        }
        return ComparisonPlan(**usual | given)

    return make


# --- what it says ----------------------------------------------------------------------------------------------------


def test_everything_is_measured_and_written(plan: Callable[..., ComparisonPlan], webs: Path, tmp_path: Path) -> None:
    notes = Notes()
    comparison = compared(plan(sources=(str(webs),), title="三个网站"), notes)
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


@pytest.mark.usefixtures("undrawn")
def test_each_topic_is_measured_by_what_its_own_crawler_may_follow(
    plan: Callable[..., ComparisonPlan], tmp_path: Path
) -> None:
    front = b"<meta name='mybot' content='nofollow'><p>the grid</p><a href='/r'>grid</a>"
    web = save(tmp_path / "a.warc.gz", response("http://a.test/", front), page("http://a.test/r", "the power grid"))
    (tmp_path / "a.labels.tsv").write_text(
        "".join(f"http://a.test/{name}\t{topic}\n" for name in ("", "r") for topic in "xy")
    )
    text = 'seeds = ["http://a.test/"]\nkeywords = ["grid"]\n'
    (tmp_path / "a.x.toml").write_text(text)
    (tmp_path / "a.y.toml").write_text(text + 'user_agent = "MyBot/2.0"\n')
    comparison = compared(plan(sources=(str(web),), strategies=("breadth",)), Notes())
    assert [(fact.name, fact.relevant) for fact in comparison.webs[0].topics] == [("x", 2), ("y", 1)]


@pytest.mark.usefixtures("undrawn")
def test_a_web_may_be_named_by_its_file_with_labels_from_elsewhere(
    plan: Callable[..., ComparisonPlan], webs: Path
) -> None:
    labels = webs / "my.tsv"
    labels.write_text("http://english.test/d1\tweather\nhttp://english.test/nowhere\tweather\n")
    topic = webs / "weather.toml"
    topic.write_text('seeds = ["http://english.test/"]\nkeywords = ["weather"]\n')
    notes = Notes()
    comparison = compared(plan(sources=(str(webs / "english.warc.gz"),), labels=labels, topic_files=(topic,)), notes)
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
@pytest.mark.usefixtures("undrawn")
def test_only_some_topics(
    plan: Callable[..., ComparisonPlan], webs: Path, topics: tuple[str, ...], measured: list[str]
) -> None:
    comparison = compared(plan(sources=(str(webs),), topics=topics, strategies=("breadth",)), Notes())
    assert [f"{web.name}/{topic.name}" for web in comparison.webs for topic in web.topics] == measured


@pytest.mark.usefixtures("undrawn")
def test_several_judges(plan: Callable[..., ComparisonPlan]) -> None:
    given = plan(strategies=("best-first",), judges=("cosine", "zones"), topics=("english/main",))
    comparison = compared(given, Notes())
    assert {row.name for row in comparison.standings} == {"best-first · cosine", "best-first · zones"}
    assert {row.judge for row in comparison.judges} == {"cosine", "zones"}


@pytest.mark.usefixtures("undrawn")
def test_the_judges_that_the_strategies_use_are_rated(plan: Callable[..., ComparisonPlan]) -> None:
    given = plan(strategies=("best-first", "breadth", "fish", "learned"), topics=("english/main",))
    comparison = compared(given, Notes())
    assert {row.judge for row in comparison.judges} == {"cosine", "boolean", "evidence"}
    # The five pages about the word are those that are labelled.
    assert all(row.overall.auc == row.overall.average_precision == 1.0 for row in comparison.judges)


@pytest.mark.usefixtures("undrawn")
def test_two_processes_find_the_same_as_one(plan: Callable[..., ComparisonPlan], tmp_path: Path) -> None:
    one = compared(plan(topics=("main",)), Notes())
    two = compared(plan(topics=("main",), processes=2, folder=tmp_path / "two"), Notes())
    assert (two.topics, two.judges) == (one.topics, one.judges)
    assert (tmp_path / "two" / CURVES).read_text() == (tmp_path / "out" / CURVES).read_text()


# --- going on --------------------------------------------------------------------------------------------------------


def finished(folder: Path) -> list[Job]:
    lines = [json.loads(line)["job"] for line in (folder / JOBS).read_text().splitlines() if line]
    return [Job(**{"judge": ""} | line) for line in lines]


@pytest.mark.usefixtures("undrawn")
def test_what_is_finished_is_kept_and_not_done_again(plan: Callable[..., ComparisonPlan], tmp_path: Path) -> None:
    stopped = Notes(stop_after=4)  # both ratings, the omniscient crawler, and the first crawl
    with pytest.raises(KeyboardInterrupt):
        compared(plan(), stopped)
    assert finished(tmp_path / "out") == stopped.done
    again = Notes()
    comparison = compared(plan(resume=True), again)
    assert again.plan == (8, 4)
    assert {job.strategy for job in again.done}.isdisjoint({JUDGING}), "ratings are kept, too"
    assert set(again.done).isdisjoint(stopped.done)
    assert len(comparison.topics) == 6
    new = compared(plan(folder=tmp_path / "new"), Notes())
    assert (comparison.topics, comparison.judges) == (new.topics, new.judges)


@pytest.mark.usefixtures("undrawn")
def test_a_line_that_was_cut_off_is_done_again(plan: Callable[..., ComparisonPlan], tmp_path: Path) -> None:
    compared(plan(), Notes())
    file = tmp_path / "out" / JOBS
    file.write_bytes(file.read_bytes()[:-20])
    for missing in (1, 0):
        notes = Notes()
        compared(plan(resume=True), notes)
        assert notes.plan == (8, 8 - missing)


@pytest.mark.usefixtures("undrawn")
def test_another_budget_is_another_job(plan: Callable[..., ComparisonPlan]) -> None:
    compared(plan(), Notes())
    notes = Notes()
    compared(plan(resume=True, conditions=Conditions(pages=3)), notes)
    assert notes.plan == (8, 2), "how far a crawl goes makes no difference to the judges"


@pytest.mark.usefixtures("undrawn")
def test_another_strategy_is_added_to_what_is_there(plan: Callable[..., ComparisonPlan]) -> None:
    compared(plan(strategies=("breadth",)), Notes())
    notes = Notes()
    comparison = compared(plan(resume=True), notes)
    assert {job.strategy for job in notes.done} == {"best-first"}
    assert {row.name for row in comparison.standings} == set(STRATEGIES)


def test_without_resume_it_begins_anew_and_removes_only_its_own(
    plan: Callable[..., ComparisonPlan], tmp_path: Path
) -> None:
    compared(plan(), Notes())
    (tmp_path / "out" / "notes.txt").write_text("mine")
    (tmp_path / "out" / "my-recall.png").write_text("mine, too")
    with (tmp_path / "out" / MARKER).open("a") as marker:
        marker.write("strategies: older-recall.png\n")
    (tmp_path / "out" / "older-recall.png").write_text("of a web that is not compared any more")
    notes = Notes()
    compared(plan(topics=("english/main",)), notes)
    assert notes.plan == (4, 0)
    assert (tmp_path / "out" / "notes.txt").read_text() == "mine"
    assert not (tmp_path / "out" / "older-recall.png").exists()
    assert (tmp_path / "out" / "my-recall.png").read_text() == "mine, too"


@pytest.mark.usefixtures("undrawn")
def test_the_second_comparison_reads_no_page_to_begin(plan: Callable[..., ComparisonPlan], tmp_path: Path) -> None:
    first, second = Notes(), Notes()
    compared(plan(), first)
    compared(plan(folder=tmp_path / "second"), second)
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
@pytest.mark.usefixtures("undrawn")
def test_a_mistake_is_one_sentence_and_leaves_nothing_behind(
    plan: Callable[..., ComparisonPlan], tmp_path: Path, given: dict[str, Any], sentence: str
) -> None:
    with pytest.raises(InputError, match=sentence):
        compared(plan(**given), Notes())
    assert not (tmp_path / "out").exists()


@pytest.mark.usefixtures("undrawn")
def test_two_webs_of_one_name(plan: Callable[..., ComparisonPlan], webs: Path, tmp_path: Path) -> None:
    (tmp_path / "more").mkdir()
    again = make_web(tmp_path / "more", "english", "grid")
    with pytest.raises(InputError, match="Two of the webs are called english"):
        compared(plan(sources=(str(webs), str(again))), Notes())


@pytest.mark.usefixtures("undrawn")
def test_labels_that_no_seed_leads_to(plan: Callable[..., ComparisonPlan], webs: Path) -> None:
    (webs / "english.labels.tsv").write_text("http://english.test/private\tmain\nhttp://english.test/d3\tother\n")
    with pytest.raises(InputError, match="english/main no labelled page can be reached"):
        compared(plan(), Notes())


@pytest.mark.usefixtures("undrawn")
def test_a_folder_of_somebody_else_is_left_alone(plan: Callable[..., ComparisonPlan], tmp_path: Path) -> None:
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "thesis.txt").write_text("mine")
    with pytest.raises(FolderError, match="not of an earlier comparison: choose another --out"):
        compared(plan(), Notes())
    assert [path.name for path in (tmp_path / "out").iterdir()] == ["thesis.txt"]


@pytest.mark.usefixtures("undrawn")
def test_the_oracle_is_always_there(plan: Callable[..., ComparisonPlan]) -> None:
    notes = Notes()
    compared(plan(strategies=("breadth",), topics=("english/main",)), notes)
    assert [job.strategy for job in notes.done] == [JUDGING, ORACLE, "breadth"]


# --- images ----------------------------------------------------------------------------------------------------------


@pytest.fixture
def images(tmp_path: Path) -> Callable[..., ComparisonPlan]:
    def make(**given: Any) -> ComparisonPlan:
        usual: dict[str, Any] = {
            "sources": ("generated",),
            "images": True,
            "topics": ("rail",),
            "conditions": Conditions(pages=12),
            "folder": tmp_path / "out",
            "cache": tmp_path / "cache",
        }
        return ComparisonPlan(**usual | given)

    return make


def images_compared(plan: ComparisonPlan, notes: Notes) -> ImageComparison:
    comparison = run_compare(plan, notes)
    assert isinstance(comparison, ImageComparison)
    return comparison


def test_images_are_counted_with_and_without_judging(images: Callable[..., ComparisonPlan], tmp_path: Path) -> None:
    notes = Notes()
    comparison = images_compared(images(title="图片", conditions=Conditions(pages=12, delay=1.0)), notes)
    assert (comparison.title, comparison.strategy, notes.plan) == ("图片", "learned", (3, 0))
    ways = [("learned", "relevant"), ("learned", "all"), ("breadth", "all")]
    assert [(row.strategy, row.wanted) for row in comparison.topics] == ways
    assert [row.against for row in comparison.overall] == ["learned, all images", "breadth, all images"]
    assert comparison.topics[0].end.pages == 12
    assert comparison.topics[0].end.seconds > 3, "two seeds, each host once a second"
    written = {path.name for path in (tmp_path / "out").iterdir()}
    assert {"images.html", "images.csv", "images.jsonl", "generated-images.png"} == set(comparison.files) <= written
    assert notes.read == [], "nobody needs to know all pages to count images"


def test_a_comparison_of_images_goes_on_after_a_stop(images: Callable[..., ComparisonPlan]) -> None:
    stopped, again = Notes(stop_after=1), Notes()
    with pytest.raises(KeyboardInterrupt):
        run_compare(images(strategies=("breadth",)), stopped)
    comparison = images_compared(images(strategies=("breadth",), resume=True), again)
    assert again.plan == (2, 1)
    assert [job.images for job in (*stopped.done, *again.done)] == ["relevant", "all"]
    assert [row.way for row in comparison.topics] == ["breadth, judged images", "breadth, all images"]


def test_images_of_a_topic_of_one_of_two_webs(images: Callable[..., ComparisonPlan]) -> None:
    given = images(sources=("generated", "generated:3"), topics=("generated:3/rail",), strategies=("breadth",))
    comparison = images_compared(given, Notes())
    assert {row.web for row in comparison.topics} == {"generated:3"}
    assert comparison.files[-1] == "generated-3-images.png"


@pytest.mark.parametrize(
    ("given", "sentence"),
    [
        ({"sources": ("webs/zhmed.warc.xz",)}, "zhmed.warc.xz is a recorded web, whose images nobody has labelled"),
        ({"sources": ("generated", "webs")}, "webs is a recorded web"),
        ({"sources": ("generated:x",)}, "the seed of the generated web is a whole number"),
        ({"strategies": ("breath",)}, "--strategy must be one of .* did you mean breadth"),
        ({"strategies": ("fish", "breadth")}, "name one --strategy"),
        ({"judges": ("zones",)}, "leave --judge out"),
        ({"topics": ("rails",)}, "--topic must be one of .* did you mean rail"),
        ({"labels": Path("l.tsv")}, "leave --labels and topic files out"),
    ],
)
def test_what_images_cannot_be_compared_by(
    images: Callable[..., ComparisonPlan], tmp_path: Path, given: dict[str, Any], sentence: str
) -> None:
    with pytest.raises(InputError, match=sentence):
        run_compare(images(**given), Notes())
    assert not (tmp_path / "out").exists()
