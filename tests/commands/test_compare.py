"""`shoal compare` as a stranger types it; what it says fits into a terminal."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from click.testing import CliRunner
from rich.cells import cell_len

from shoal.commands.compare import compare, show_comparison, show_image_comparison
from shoal.errors import InputError
from shoal.evaluate.jobs import ORACLE, image_jobs
from shoal.evaluate.ratings import HEADING
from shoal.evaluate.standings import CrawlResults
from tests.evaluate.test_compare import make_web
from tests.evaluate.test_comparison_report import comparison_of
from tests.evaluate.test_image_standings import ONE as IMAGES
from tests.evaluate.test_image_standings import comparison_of as image_comparison_of
from tests.evaluate.test_image_standings import result as image_result
from tests.evaluate.test_ratings import rating
from tests.evaluate.test_standings import ONE, result

LONG = 120.0


@pytest.fixture
def web(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("SHOAL_CACHE_DIR", str(tmp_path / "cache"))
    return make_web(tmp_path, "电网站", "电网")


def typed(*arguments: str | Path) -> tuple[int, str, str]:
    result = CliRunner().invoke(compare, list(map(str, arguments)), standalone_mode=False)
    if result.exception is not None:
        raise result.exception
    return result.return_value, result.stdout, result.stderr


@pytest.mark.slow
def test_a_table_for_people(web: Path) -> None:
    code, out, err = typed(web, "--strategy", "breadth", "--strategy", "best-first", "--jobs", "1", "--title", "比较")
    assert code == 0
    assert "比较" in out
    assert "电网站, topic by topic" in out
    assert "8 jobs to do." in err
    assert (web.parent / "compare" / "report.html").is_file()


@pytest.mark.slow
def test_json_for_programs(web: Path) -> None:
    code, out, err = typed(
        *(web, "--json", "--strategy", "breadth", "--topic", "main", "--jobs", "1", "--out", "结果"),
        *("--delay", "1", "--concurrency", "4", "--latency", "0.2", "--pages", "9"),
    )
    said = json.loads(out)
    assert (code, said["folder"], said["standings"][0]["strategy"]) == (0, "结果", "breadth")
    assert said["conditions"] == {"pages": 9, "delay": 1.0, "concurrency": 4, "latency": 0.2, "max_depth": None}
    # Nine pages of one host, each a second after the other had come.
    assert said["topics"][0]["seconds"] > 9
    assert "labelled URLs are not pages" in err or err == ""


@pytest.mark.slow
def test_quiet(web: Path) -> None:
    code, out, _ = typed(web, "--quiet", "--strategy", "breadth", "--topic", "other", "--jobs", "1")
    assert (code, out) == (0, "")


@pytest.mark.slow
def test_images_for_people_and_for_programs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    small = ("generated", "--images", "--topic", "rail", "--pages", "12", "--jobs", "1", "--strategy", "breadth")
    code, out, err = typed(*small, "--title", "图片")
    assert code == 0
    assert "图片" in out
    assert "as many as breadth, all images" in " ".join(out.split())
    assert "2 jobs to do." in err
    code, out, err = typed(*small, "--resume", "--json")
    said = json.loads(out)
    assert (code, err, said["strategy"], said["conditions"]["pages"]) == (0, "", "breadth", 12)
    assert [(row["strategy"], row["wanted"]) for row in said["topics"]] == [("breadth", "relevant"), ("breadth", "all")]
    assert typed(*small, "--resume", "--quiet") == (0, "", "")


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["--strategy", "breath"], "--strategy must be one of .* did you mean breadth"),
        (["--judge", "zone"], "--judge must be one of .* did you mean zones"),
        (["--topic", "others"], "--topic must be one of main, other, .* did you mean other"),
    ],
)
def test_a_typing_mistake_is_one_sentence(web: Path, arguments: list[str], sentence: str) -> None:
    with pytest.raises(InputError, match=sentence):
        typed(web, *arguments)
    assert not (web.parent / "compare").exists()


def test_the_help_says_what_a_source_is() -> None:
    shown = CliRunner().invoke(compare, ["--help"]).output
    assert "SOURCE…" in shown
    assert "shoal compare generated" in shown


@pytest.mark.slow
def test_ctrl_c_keeps_what_is_finished_and_leaves_nobody_behind(tmp_path: Path) -> None:
    command = [
        sys.executable,
        "-c",
        "import sys; from shoal.commands.compare import compare; sys.exit(compare(standalone_mode=False))",
    ]
    options = ["generated", "--out", str(tmp_path / "out"), "--jobs", "2", "--pages", "1000"]
    environment = os.environ | {"SHOAL_CACHE_DIR": str(tmp_path / "cache")}
    with subprocess.Popen(
        command + options,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=environment,
        start_new_session=True,
    ) as process:
        assert process.stderr is not None
        assert any(line.startswith("3 of ") for line in process.stderr), "the comparison ended before it began"
        os.killpg(process.pid, signal.SIGINT)  # as a terminal does it: everybody hears it
        out, err = process.communicate(timeout=LONG)
        assert (process.returncode, out) == (130, "")
        assert "go on by typing the same again with --resume" in err
        assert "Traceback" not in err
        assert len((tmp_path / "out" / "jobs.jsonl").read_text().splitlines()) >= 3
    assert is_empty(process.pid)


def is_empty(group: int, within: float = 10.0) -> bool:
    """Nobody of a group of processes is left; who ends by itself when its parent is gone needs a moment for that."""
    for _ in range(int(within / 0.05)):
        try:
            os.killpg(group, 0)
        except ProcessLookupError:
            return True
        time.sleep(0.05)
    return False


# --- what is shown ---------------------------------------------------------------------------------------------------

NAMES = ("best-first", "bounded", "breadth", "fish-improved", "fish-pagerank", "genetic-factor", "pagerank", "restore")
TOPICS = ("webextensions", "uievents", "智能电网与变电站", "kidney", "mental", "dental")
WEBS = ("generated", "webkb", "mdnzh", "zhmed")
MANY = CrawlResults(
    [
        result(web, topic, name, (1, 2) if name == ORACLE else (2,), clock=(1.0,), judged=(1,))
        for web in WEBS
        for topic in TOPICS
        for name in (ORACLE, *NAMES)
    ],
    4,
)


@pytest.mark.parametrize("width", [80, 100, 200])
def test_fits(width: int, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setenv("COLUMNS", str(width))
    show_comparison(comparison_of(MANY))
    shown = capsys.readouterr().out
    assert max(cell_len(line.rstrip()) for line in shown.splitlines()) <= width
    assert all(name in shown for name in (*NAMES, *WEBS))
    # (0+1+1+1)/8 of the oracle's 7/8: overall and on each web, and on each topic of each web.
    assert shown.count("0.429") == len(NAMES) * (1 + len(WEBS) + len(WEBS) * len(TOPICS)), "no figure is cut"


def test_says_what_the_figures_are(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setenv("COLUMNS", "100")
    show_comparison(comparison_of(CrawlResults(ONE, 4), title="电网 <b>"))
    shown = capsys.readouterr().out
    lines = [line.split() for line in shown.splitlines()]
    assert "电网 <b>" in shown
    assert ["fish", "0.393", "████▊", "0.786", "0.000"] in lines
    assert ["breadth", "0.286", "███▍", "0.000", "0.571"] in lines
    # Recall, precision and value of fish: the mean of (1, 1) and 0; (0.5, 1) and 0; (1, 2) and 0; the judge says 81 %.
    assert ["fish", "50.0%", "37.5%", "0.75/s", "81.2%"] in lines
    assert [ORACLE, "100.0%", "50.0%", "–", "–"] in lines
    assert ["fish", "0.571", "1.000"] in lines
    assert ["relevant", "pages", "2", "2"] in lines
    assert "out/report.html" in shown


@pytest.mark.parametrize("width", [80, 120])
def test_judges_fit_too(width: int, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setenv("COLUMNS", str(width))
    names = ("anchor", "boolean", "cosine", "evidence", "relative", "zones")
    many = [rating("generated", "electric-vehicles", name, 0.987, 0.123) for name in names]
    show_comparison(comparison_of(CrawlResults([*many, *ONE], 4)))
    shown = capsys.readouterr().out
    _, table = shown.split(HEADING)
    assert max(map(len, table.splitlines())) <= width
    assert (table.count("0.987"), table.count("0.123")) == (6, 6), "no figure is cut"
    assert all(name in table for name in names)
    assert "generated/electric-vehicles" in table
    assert (table.count("0.987 0.123") == 6) == (width > 80), "below each other where there is no room"
    assert "judges.csv" in table
    show_comparison(comparison_of(CrawlResults(ONE, 4)))
    assert HEADING not in capsys.readouterr().out


# --- images ----------------------------------------------------------------------------------------------------------

IMAGE_TOPICS = ("power-grid", "batteries", "electric-vehicles", "rail", "hydrology", "smart-home")
MANY_IMAGES = tuple(
    image_result(job, "abcd", "efgh", "ef", topic=topic, web=web)
    for web in ("generated", "generated:12")
    for topic in IMAGE_TOPICS
    for job in image_jobs(web, topic, "fish-pagerank")
)


@pytest.mark.parametrize("width", [80, 120])
def test_images_fit_too(width: int, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setenv("COLUMNS", str(width))
    show_image_comparison(image_comparison_of(*MANY_IMAGES, strategy="fish-pagerank"))
    shown = capsys.readouterr().out
    assert max(cell_len(line.rstrip()) for line in shown.splitlines()) <= width
    assert "…" not in shown
    # Once per topic and per way to do without judging, and once over all topics for each.
    assert shown.count("1.0 ×") == 2 * (len(MANY_IMAGES) // 3 + 1), "no figure is cut"


def test_says_what_the_figures_of_images_are(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("COLUMNS", "100")
    show_image_comparison(image_comparison_of(*IMAGES, title="图片 <b>"))
    shown = capsys.readouterr().out
    lines = [line.split() for line in shown.splitlines()]
    assert "图片 <b>" in shown
    assert ["rail", "2", "1", "2.0", "×", "6", "s"] in lines
    assert ["all", "topics", "2", "0", "–"] in lines
    # Pages, requests, time, shown, got, relevant, recall, precision of the crawl that judges.
    assert ["rail", "4", "7", "6", "s", "8", "2", "2", "50%", "100%"] in lines
    assert "out/images.html" in shown
