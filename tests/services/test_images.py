"""The pictures that a crawl kept can be searched, shown in a gallery, and taken away."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from msgspec.structs import replace

from shoal.cli import main
from shoal.errors import InputError
from shoal.services import images as picturing
from shoal.settings import Pictures
from shoal.store import crawl_folder as folders
from tests.crawl.simulated import SEED, Simulation
from tests.crawl.test_side_lane import drawing, picture, showing

WEB = {
    SEED: showing(
        ("/1.png", "a substation of the grid"),
        ("/2.png", "变电站 grid"),
        ("/3.png", "grid <script>alert(1)</script>"),
        text="The <b>grid</b>",
    ),
    **{f"http://a.test/{number}.png": picture(number) for number in (1, 2, 3)},
}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    Simulation(tmp_path / "c", WEB, pictures=Pictures(wanted="relevant")).run()
    return tmp_path / "c"


def urls(folder: Path, words: str = "") -> list[str]:
    return [picture.url.rpartition("/")[2] for picture in picturing.find(folder, words).pictures]


def test_all_pictures_are_there_the_best_first(folder: Path) -> None:
    found = picturing.find(folder)
    assert (found.total, found.more, found.waiting) == (3, False, 0)
    scores = [picture.shown[0].score for picture in found.pictures]
    assert scores == sorted(scores, reverse=True)


@pytest.mark.parametrize(
    ("words", "names"),
    [
        ("substations", ["1.png"]),
        ("變電站", ["2.png"]),
        ("site:a.test 变电站", ["2.png"]),
        ("cat", []),
        ("-substation 变电站", ["2.png"]),
    ],
)
def test_pictures_are_found_by_what_is_said_of_them(folder: Path, words: str, names: list[str]) -> None:
    assert urls(folder, words) == names


def test_pictures_that_came_later_are_found_too(tmp_path: Path) -> None:
    simulation = Simulation(tmp_path / "c", WEB, pictures=Pictures(wanted="relevant", max_pictures=1))
    simulation.run()
    assert urls(tmp_path / "c", "变电站") == []
    found = picturing.find(tmp_path / "c", "变电站")
    assert found.waiting == 2
    with folders.reading(tmp_path / "c") as database:
        folders.write_settings(
            tmp_path / "c", database, replace(simulation.settings, pictures=Pictures(wanted="relevant"))
        )
    simulation.run()
    assert urls(tmp_path / "c", "变电站") == ["2.png"]


def test_a_gallery_needs_nothing_else_and_runs_nothing(folder: Path, tmp_path: Path) -> None:
    out = tmp_path / "画廊.html"
    assert picturing.write_gallery(folder, out) == 3
    text = out.read_text(encoding="utf-8")
    assert text.count("data:image/webp;base64,") == 3
    assert "<script" not in text
    assert "&lt;script&gt;alert(1)&lt;/script&gt;" in text
    assert "变电站" in text


def test_the_pictures_themselves_can_be_taken(folder: Path, tmp_path: Path) -> None:
    out = tmp_path / "pictures"
    assert picturing.write_files(folder, out, progress=lambda done, total: None) == 3
    lines = [json.loads(line) for line in (out / "pictures.jsonl").read_text(encoding="utf-8").splitlines()]
    for line in lines:
        number = int(line["url"].rpartition("/")[2].removesuffix(".png"))
        assert (out / line["file"]).read_bytes() == drawing(number)
    with pytest.raises(InputError, match="is not empty"):
        picturing.write_files(folder, out, progress=lambda done, total: None)


def test_lines_have_all_that_is_known(folder: Path, tmp_path: Path) -> None:
    assert picturing.write_lines(folder, tmp_path / "p.jsonl", "变电站") == 1
    (line,) = (tmp_path / "p.jsonl").read_text(encoding="utf-8").splitlines()
    found = json.loads(line)
    assert (found["width"], found["height"], found["format"]) == (320, 240, "png")
    assert found["shown"][0]["image"]["alt"] == "变电站 grid"


@pytest.mark.parametrize("place", ["crawl.sqlite", "index/x.html", "pages-00009.warc.gz"])
def test_nothing_of_the_crawl_is_overwritten(folder: Path, place: str) -> None:
    with pytest.raises(InputError, match="is part of the crawl itself"):
        picturing.write_gallery(folder, folder / place)


def test_the_command_shows_and_writes(folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    def typed(*words: str) -> tuple[int, str]:
        with pytest.raises(SystemExit) as ended:
            main(["images", *words, "--dir", str(folder)])
        assert isinstance(ended.value.code, int)
        return ended.value.code, "".join(capsys.readouterr())

    code, out = typed("变电站")
    assert code == 0
    assert "1. 变电站 grid\n     http://a.test/2.png\n     on http://a.test/\n     320 × 240 png, topic" in out
    assert json.loads(typed("--json", "--limit", "2")[1])["more"] is True
    assert typed("zzzz")[0] == 1
    assert typed("--html", str(tmp_path / "g.html"))[1] == f"3 pictures written to {tmp_path / 'g.html'}.\n"
    assert typed("--html", str(tmp_path / "g.html"), "--jsonl", str(tmp_path / "x"))[0] == 2
    assert typed("--jsonl", str(tmp_path))[0] == 2
