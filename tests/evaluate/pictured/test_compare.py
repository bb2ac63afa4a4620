"""`shoal compare --images` from what is typed to the files that come of it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from shoal.commands.compare import compare
from shoal.errors import FolderError, InputError
from shoal.evaluate.resultfolder import MARKER

pytestmark = pytest.mark.slow


def typed(*arguments: str | Path) -> tuple[int, str, str]:
    result = CliRunner().invoke(compare, ["--images", *map(str, arguments)], standalone_mode=False)
    if result.exception is not None:
        raise result.exception
    return result.return_value, result.stdout, result.stderr


SMALL = ("generated", "--topic", "rail", "--pages", "12", "--jobs", "1")


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.slow
def test_tables_for_people_and_files(here: Path) -> None:
    (here / "compare").mkdir()
    for name in ("report.html", "generated-12-pictures.png", "my-pictures.png"):
        (here / "compare" / name).write_text("old")
    said = (
        "Made by an earlier comparison.\nstrategies: report.html\npictures: generated-12-pictures.png\npictures: ../x\n"
    )
    (here / "compare" / MARKER).write_text(said)
    (here / "x").write_text("mine")
    code, out, err = typed(*SMALL, "--title", "图片")
    assert code == 0
    assert "图片" in out
    assert "times as many as breadth, all pictures in the same time" in " ".join(out.split())
    assert "3 jobs to do." in err
    # The comparison of strategies that was here stays; that of pictures is replaced.
    assert {path.name for path in (here / "compare").iterdir()} >= {
        *("report.html", "pictures.html", "pictures.csv", "generated-pictures.png")
    }
    assert not (here / "compare" / "generated-12-pictures.png").exists()
    assert ((here / "compare" / "my-pictures.png").read_text(), (here / "x").read_text()) == ("old", "mine")


@pytest.mark.slow
def test_json_for_programs(here: Path) -> None:
    code, out, err = typed(*SMALL, "--json", "--strategy", "breadth", "--delay", "1", "--out", "结果")
    said = json.loads(out)
    assert (code, err, said["folder"], said["strategy"]) == (0, "", "结果", "breadth")
    assert [(row["strategy"], row["wanted"]) for row in said["topics"]] == [("breadth", "relevant"), ("breadth", "all")]
    assert said["overall"][0]["against"] == "breadth, all pictures"
    assert said["conditions"]["pages"] == 12
    assert said["topics"][0]["end"]["pages"] == 12
    assert said["topics"][0]["end"]["seconds"] > 3  # two seeds, each host once a second


@pytest.mark.slow
def test_quiet() -> None:
    assert typed(*SMALL, "--strategy", "breadth", "--quiet") == (0, "", "")


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["webs/zhmed.warc.xz"], "zhmed.warc.xz is a recorded web, whose pictures nobody has labelled"),
        (["generated", "webs"], "webs is a recorded web"),
        (["generated:x"], "the seed of the generated web is a whole number"),
        (["generated", "--strategy", "breath"], "--strategy must be one of .* did you mean breadth"),
        (["generated", "--strategy", "fish", "--strategy", "breadth"], "name one --strategy"),
        (["generated", "--judge", "zones"], "leave --judge out"),
        (["generated", "--resume"], "leave --resume out"),
        (["generated", "--topic", "rails"], "--topic must be one of .* did you mean rail"),
        (["generated", "--labels", "l.tsv"], "leave --labels and topic files out"),
    ],
)
def test_a_mistake_is_one_sentence(here: Path, arguments: list[str], sentence: str) -> None:
    with pytest.raises(InputError, match=sentence):
        typed(*arguments)
    assert not (here / "compare").exists()


def test_the_folder_of_somebody_else(here: Path) -> None:
    (here / "novel.txt").write_text("Chapter 1")
    with pytest.raises(FolderError, match="choose another --out"):
        typed(*SMALL, "--out", here)


@pytest.mark.slow
def test_a_topic_of_one_of_two_webs(here: Path) -> None:
    code, out, _ = typed("generated", "generated:3", "--topic", "generated:3/rail", *SMALL[3:], "--json")
    assert code == 0
    assert {row["web"] for row in json.loads(out)["topics"]} == {"generated:3"}
    assert (here / "compare" / "generated-3-pictures.png").is_file()
