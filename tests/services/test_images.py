"""The images that a crawl kept can be searched, shown in a gallery, and taken away."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from msgspec.structs import replace

from shoal.errors import InputError
from shoal.services import images
from shoal.settings import ImageSettings
from shoal.store import crawl_folder as folders
from tests.crawl.simulated import SEED, Simulation
from tests.crawl.test_side_lane import drawing, image, showing

WEB = {
    SEED: showing(
        ("/1.png", "a substation of the grid"),
        ("/2.png", "变电站 grid"),
        ("/3.png", "grid <script>alert(1)</script>"),
        text="The <b>grid</b>",
    ),
    **{f"http://a.test/{number}.png": image(number) for number in (1, 2, 3)},
}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    Simulation(tmp_path / "c", WEB, images=ImageSettings(wanted="relevant")).run()
    return tmp_path / "c"


def urls(folder: Path, words: str = "") -> list[str]:
    return [image.url.rpartition("/")[2] for image in images.find(folder, words).images]


def test_all_images_are_there_the_best_first(folder: Path) -> None:
    found = images.find(folder)
    assert (found.total, found.more, found.waiting) == (3, False, 0)
    scores = [image.shown[0].score for image in found.images]
    assert scores == sorted(scores, reverse=True)


@pytest.mark.slow
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
def test_images_are_found_by_what_is_said_of_them(folder: Path, words: str, names: list[str]) -> None:
    assert urls(folder, words) == names


@pytest.mark.slow
def test_images_that_came_later_are_found_too(tmp_path: Path) -> None:
    simulation = Simulation(tmp_path / "c", WEB, images=ImageSettings(wanted="relevant", max_images=1))
    simulation.run()
    assert urls(tmp_path / "c", "变电站") == []
    found = images.find(tmp_path / "c", "变电站")
    assert found.waiting == 2
    with folders.reading(tmp_path / "c") as database:
        folders.write_settings(
            tmp_path / "c", database, replace(simulation.settings, images=ImageSettings(wanted="relevant"))
        )
    simulation.run()
    assert urls(tmp_path / "c", "变电站") == ["2.png"]


@pytest.mark.slow
def test_a_gallery_needs_nothing_else_and_runs_nothing(folder: Path, tmp_path: Path) -> None:
    out = tmp_path / "画廊.html"
    assert images.write_gallery(folder, out) == 3
    text = out.read_text(encoding="utf-8")
    assert text.count("data:image/webp;base64,") == 3
    assert "<script" not in text
    assert "&lt;script&gt;alert(1)&lt;/script&gt;" in text
    assert "变电站" in text


def test_the_images_themselves_can_be_taken(folder: Path, tmp_path: Path) -> None:
    out = tmp_path / "images"
    assert images.write_files(folder, out, progress=lambda done, total: None) == 3
    lines = [json.loads(line) for line in (out / "images.jsonl").read_text(encoding="utf-8").splitlines()]
    for line in lines:
        number = int(line["url"].rpartition("/")[2].removesuffix(".png"))
        assert (out / line["file"]).read_bytes() == drawing(number)
    with pytest.raises(InputError, match="is not empty"):
        images.write_files(folder, out, progress=lambda done, total: None)


@pytest.mark.slow
def test_lines_have_all_that_is_known(folder: Path, tmp_path: Path) -> None:
    assert images.write_lines(folder, tmp_path / "p.jsonl", "变电站") == 1
    (line,) = (tmp_path / "p.jsonl").read_text(encoding="utf-8").splitlines()
    found = json.loads(line)
    assert (found["width"], found["height"], found["format"]) == (320, 240, "png")
    assert found["shown"][0]["image"]["alt"] == "变电站 grid"


@pytest.mark.parametrize("place", ["crawl.sqlite", "index/x.html", "pages-00009.warc.gz"])
def test_nothing_of_the_crawl_is_overwritten(folder: Path, place: str) -> None:
    with pytest.raises(InputError, match="is part of the crawl itself"):
        images.write_gallery(folder, folder / place)
