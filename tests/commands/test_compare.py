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

from shoal.commands.compare import compare
from shoal.errors import InputError
from tests.evaluate.test_compare import make_web

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
