"""`shoal topic show` and `shoal topic learn` as a user meets them, and what they see of a topic."""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result
from rich.cells import cell_len

from shoal import services
from shoal.commands.topic import show_history, show_lesson, show_topic, topic, word_table
from shoal.errors import InputError
from shoal.model import Origin, Page, Term, Topic
from shoal.model.stored import TopicChange
from shoal.settings import Settings
from shoal.store import crawl_folder as folders
from shoal.testing.webserver import SimpleWeb, WebServer
from shoal.topic.term_weights import LearnedTopic, TermStatistics
from shoal.topic.topic_file import read_topic
from tests.shell import Shell

ENGLISH = "A transformer changes the voltage. The transformers of a substation feed the power grid. A substation hums."
CHINESE = "变压器和变电站组成电网。变压器改变电压，输电线路连接变电站，我们可以看到变压器。输电需要变压器。"


def run(*arguments: str | Path) -> Result:
    result = CliRunner().invoke(topic, [str(argument) for argument in arguments])
    if isinstance(result.exception, Exception):
        raise result.exception
    return result


def answer(*arguments: str | Path) -> Any:
    return json.loads(run(*arguments, "--json").stdout)


def complaint(*arguments: str | Path) -> str:
    with pytest.raises(InputError) as caught:
        run(*arguments)
    assert "\n" not in str(caught.value)
    return str(caught.value)


@pytest.fixture
def samples(tmp_path: Path) -> list[Path]:
    """Two pages in English and two in Chinese, one of them in GBK without saying so."""
    texts = [ENGLISH, ENGLISH + " Voltage again.", CHINESE, CHINESE * 2]
    paths = [tmp_path / f"{number}.html" for number in range(4)]
    for path, text, encoding in zip(paths, texts, ("utf-8", "utf-8", "utf-8", "gbk"), strict=True):
        path.write_bytes(f"<html><title>x</title><body><p>{text}</p></body></html>".encode(encoding))
    return paths


# --- learn -----------------------------------------------------------------------------------------------------------


def test_a_topic_file_is_made_that_a_crawl_can_use(tmp_path: Path, samples: list[Path]) -> None:
    out = tmp_path / "电网.toml"
    said = run("learn", "--from", *samples, "--topic", "电网, power grid=0.5", "--out", out, "--name", "电网 grid")
    learned = read_topic(out, names=services.choices.names(), options={"seeds": ("http://a.test/",)}).topic
    by_origin = {
        origin: {term.text for term in learned.terms if term.origin is origin} for origin in (Origin.HAND, Origin.SEEDS)
    }
    assert by_origin[Origin.HAND] == {"电网", "power grid"}
    assert {"变压器", "变电站", "输电", "transformer", "substation", "voltage"} <= by_origin[Origin.SEEDS]
    assert by_origin[Origin.SEEDS].isdisjoint({"the", "我们", "可以"})
    assert learned.name == "电网 grid"
    assert learned.languages == ("en", "zh")
    assert "变压器" in said.stdout
    assert "█" in said.stdout
    assert f"shoal crawl '{out}' --seed URL" in said.stderr


def test_json_says_what_was_found(samples: list[Path]) -> None:
    found = answer("learn", *samples, "--terms", "2")
    assert found["file"] is None
    assert [page["charset"] for page in found["pages"]] == ["utf-8", "utf-8", "utf-8", "gb18030"]
    words = [term["text"] for term in found["topic"]["terms"]]
    assert len(words) == 2
    assert found["topic"]["name"] == ", ".join(words)
    # 变压器 stands 4 times in one page and 8 times in the other
    assert found["found"]["变压器"] == {"count": 12, "pages": 2}


async def test_urls_become_the_seeds(tmp_path: Path) -> None:
    web = SimpleWeb().page("http://a.test/grid", ENGLISH).redirect("http://b.test/%E7%94%B5", "http://a.test/grid")
    out = tmp_path / "grid.toml"
    async with WebServer(web) as server:
        pages = ["--from", "http://b.test/电", "--from", "http://A.test/grid"]
        said = await asyncio.to_thread(
            run, "learn", *pages, "--proxy", server.proxy, "--delay", "0", "--user-agent", "Minnow/1", "--out", out
        )
    assert read_topic(out, names=services.choices.names()).seeds == ("http://b.test/%E7%94%B5", "http://a.test/grid")
    assert said.stderr.endswith(f"Crawl with: shoal crawl {out}\n")


def test_a_file_that_is_there_is_not_replaced_unless_asked(tmp_path: Path, samples: list[Path]) -> None:
    out = tmp_path / "grid.toml"
    out.write_text("precious", encoding="utf-8")
    assert "say --force to replace it" in complaint("learn", "--from", *samples, "--out", out)
    assert out.read_text(encoding="utf-8") == "precious"
    run("learn", "--from", *samples, "--out", out, "--force")
    assert "[learned]" in out.read_text(encoding="utf-8")


# --- show ------------------------------------------------------------------------------------------------------------


def test_a_file_is_shown(tmp_path: Path) -> None:
    path = tmp_path / "grid.toml"
    path.write_text('keywords = ["grid"]\nlearned = { "变压器" = { weight = 0.4, factor = 1.8 } }\n', encoding="utf-8")
    out = run("show", path).stdout
    assert "typed" in out
    assert "变压器   0.400" in out
    assert answer("show", path) == {
        "name": "grid, 变压器",
        "version": 1,
        "threshold": None,
        "terms": [
            {"text": "grid", "weight": 1.0, "factor": 1.0, "origin": "hand"},
            {"text": "变压器", "weight": 0.4, "factor": 1.8, "origin": "seeds"},
        ],
        "negative": [],
        "languages": [],
        "any": [],
    }


def test_the_topic_of_a_crawl_and_its_history_are_shown(tmp_path: Path) -> None:
    started = Topic(name="grid", terms=(Term(text="grid"),), threshold=0.3)
    services.crawls.start_crawl(tmp_path / "crawl", Settings(topic=started, seeds=("http://a.test/",)))
    assert answer("show", "--dir", tmp_path / "crawl")["threshold"] == 0.3
    [first] = answer("show", "--dir", tmp_path / "crawl", "--history")
    assert (first["version"], first["pages"], first["learned"], first["moved"]) == (1, 0, [], [])
    assert first["topic"]["terms"][0]["text"] == "grid"
    assert "version 1  after 0 pages" in run("show", "--dir", tmp_path / "crawl", "--history").stdout


def test_what_cannot_be_shown_is_one_sentence(tmp_path: Path) -> None:
    assert complaint("show") == "Give either a topic file or --crawl NAME"
    assert complaint("show", "x.toml", "--dir", tmp_path) == "Give either a topic file or --crawl NAME"
    assert complaint("show", "x.toml", "--history").startswith("--history needs --crawl NAME")
    assert "there is no such topic file" in complaint("show", tmp_path / "x.toml")


def test_who_names_a_crawl_as_if_it_were_a_file_is_told_how(shoal: Shell) -> None:
    folders.create(
        shoal.home / "state" / "crawls" / "电网",
        Settings(topic=Topic(name="电网", terms=(Term(text="电网"),)), seeds=()),
    )
    said = shoal("topic", "show", "电网")
    assert said.sentence() == "There is no topic file 电网; for the crawl: shoal topic show --crawl 电网."
    assert "there is no such topic file" in shoal("topic", "show", "风电").sentence()


@pytest.mark.slow
def test_nobody_waits_for_what_most_commands_do_not_need() -> None:
    code = "import sys, shoal.commands.topic; sys.exit(len({'aiohttp', 'wordfreq', 'rjieba'} & set(sys.modules)))"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


# --- what is shown ---------------------------------------------------------------------------------------------------

GRID = Topic(
    name="power grid",
    terms=(
        Term(text="grid", weight=2.0),
        Term(text="变压器", weight=1.0, factor=1.8, origin=Origin.SEEDS),
        Term(text="kv", weight=0.01, origin=Origin.ADAPTED),
    ),
    negative=(Term(text="fan", weight=0.5),),
    threshold=0.2,
    version=3,
)


def test_columns_stand_under_each_other_in_chinese_too() -> None:
    lines = list(
        word_table(GRID.terms, {"grid": TermStatistics(count=1, samples=1), "kv": TermStatistics(count=0, samples=0)})
    )
    assert lines == [
        "          weight                factor  origin",
        "  grid     2.000  ████████████    1.00  typed, once on 1 page",
        "  变压器   1.000  ██████          1.80  from samples",
        "  kv       0.010  ▏               1.00  from relevant pages, on no page",
    ]
    assert len({cell_len(line[: line.index(".")]) for line in lines[1:]}) == 1


def test_a_topic(capsys: pytest.CaptureFixture[str]) -> None:
    show_topic(GRID)
    out = capsys.readouterr().out.splitlines()
    assert out[0] == "power grid  version 3"
    assert out[-3:] == ["against: fan 0.50", "", "threshold: 0.2"]


def test_several_topics(capsys: pytest.CaptureFixture[str]) -> None:
    parts = (Topic(name="a", terms=(Term(text="grid"),), threshold=0.4), Topic(name="b", terms=(Term(text="电网"),)))
    show_topic(Topic(name="both", terms=(Term(text="grid"), Term(text="电网")), any=parts))
    out = capsys.readouterr().out
    assert "2 topics, each judged on its own" in out
    assert out.index("\na\n") < out.index("grid ") < out.index("\nb\n") < out.index("电网 ")
    assert "threshold: the judge's own; a: 0.4" in out


def test_what_was_learned(capsys: pytest.CaptureFixture[str]) -> None:
    page = Page(url="http://a.test/", title="A \x1b[31mred\x1b[0m title")
    show_lesson(LearnedTopic(topic=GRID, samples=1, found={"变压器": TermStatistics(count=1200, samples=3)}), [page])
    out = capsys.readouterr().out
    assert "power grid: learned from 1 page\n" in out
    assert "from samples, 1,200 times on 3 pages" in out
    assert "\x1b" not in out  # a stranger's title must not steer the terminal


def test_history(capsys: pytest.CaptureFixture[str]) -> None:
    first = Topic(name="t", terms=(Term(text="grid"), Term(text="fan", weight=0.3, origin=Origin.SEEDS)))
    second = Topic(
        name="t",
        version=2,
        threshold=0.2,
        terms=(Term(text="grid", weight=1.5), Term(text="变压器", weight=0.5, origin=Origin.ADAPTED)),
    )
    changes = [
        TopicChange(topic=first, pages=0, at=0.0, why="as the crawl was started"),
        TopicChange(topic=second, pages=1, at=86400.0, why="Learned 变压器; dropped fan."),
    ]
    show_history(changes)
    assert capsys.readouterr().out.splitlines() == [
        "version 1  after 0 pages  before the first page",
        "  as the crawl was started",
        "    grid 1.00, fan 0.30",
        "version 2  after 1 page  1970-01-02 00:00:00 UTC",
        "  Learned 变压器; dropped fan.",
        "  + 变压器 0.500",
        "  - fan 0.300",
        "  ~ grid 1.000 → 1.500",
        "  ~ threshold: the judge's own → 0.2",
    ]
