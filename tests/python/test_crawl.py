"""What can be asked of a crawl from Python? Everything that the commands answer, as frozen values."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path
from typing import Any

import msgspec
import numpy
import pytest

import shoal
from shoal.errors import FolderError, InputError
from shoal.store import crawl_folder as folders
from shoal.store import run_control
from shoal.testing.webserver import SimpleWeb
from tests.python.conftest import SEED
from tests.shell import served

GBK = f"{SEED}gbk"


def test_what_was_fetched_and_what_of_it_is_relevant(crawled: shoal.Crawl) -> None:
    pages, relevant, others = crawled.pages(), crawled.pages(relevant=True), crawled.pages(relevant=False)
    assert [page.fetch_order for page in pages] == [1, 2, 3, 4]
    assert {page.url for page in relevant} == {SEED, f"{SEED}grid", GBK}
    assert [page.url for page in others] == [f"{SEED}tea"]


def test_a_harvest_counts_page_by_page(crawled: shoal.Crawl) -> None:
    harvest = crawled.harvest()
    assert [point.pages for point in harvest] == [1, 2, 3, 4]
    assert harvest[-1].relevant == 3
    steps = [after.relevant - before.relevant for before, after in pairwise(harvest)]
    assert steps == [int(page.relevant) for page in crawled.pages()[1:]]


def test_it_is_searched_in_either_spelling(crawled: shoal.Crawl) -> None:
    for words in ("變電站", "变电站"):
        [hit] = crawled.search(words)
        assert (hit.url, hit.title) == (GBK, "變電站")
        assert "变电站" in hit.snippet.text
    found = crawled.search("grid", limit=1)
    assert (len(found), found.total) == (1, 2)
    assert crawled.search("grid", limit=1, offset=1)[0].url != found[0].url
    with pytest.raises(InputError, match=r"^limit must be at least 1, and offset at least 0, not 0 and 0\.$"):
        crawled.search("grid", limit=0)
    with pytest.raises(TypeError, match=r"^words must be text, not 5$"):
        crawled.search(5)  # type: ignore[arg-type]


def test_a_gbk_page_says_what_it_said(crawled: shoal.Crawl) -> None:
    assert "这座城市的电网由变电站组成" in crawled.text(GBK)
    page = crawled.page(GBK)
    assert (page.title, page.page.charset, page.version) == ("變電站", "gb18030", 1)
    assert [step.number for step in crawled.versions(GBK)] == [1]
    with pytest.raises(InputError, match="has not changed"):
        crawled.diff(GBK)
    with pytest.raises(InputError, match="there is no number 2"):
        crawled.text(GBK, version=2)


def test_why(crawled: shoal.Crawl) -> None:
    why = crawled.explain(GBK)
    assert (why.state, why.relevant, why.depth) == ("done", True, 1)
    assert [step.url for step in why.path] == [SEED, GBK]
    with pytest.raises(InputError, match="is not known to this crawl: no fetched page links to it"):
        crawled.explain(f"{SEED}nobody")


def test_a_mark_counts_everywhere(crawled: shoal.Crawl) -> None:
    [given] = crawled.mark(f"{SEED}tea", relevant=True)
    assert (given.judged, given.relevant, given.before) == (False, True, None)
    assert len(crawled.pages(relevant=True)) == 4
    crawled.mark([SEED, GBK], relevant=False)
    assert {mark.url: mark.relevant for mark in crawled.marks()} == {f"{SEED}tea": True, SEED: False, GBK: False}
    crawled.mark(SEED, relevant=None)
    assert len(crawled.marks()) == 2
    assert crawled.harvest()[-1].relevant == 3


def test_what_is_no_mark_is_not_kept(crawled: shoal.Crawl) -> None:
    for wrong in ("yes", 0.5, [True]):
        with pytest.raises(TypeError, match="relevant must be True, False or None"):
            crawled.mark(SEED, relevant=wrong)  # type: ignore[arg-type]
        with pytest.raises(TypeError, match="relevant must be True, False or None"):
            crawled.pages(relevant=wrong)  # type: ignore[arg-type]
    before = len(crawled.pages(relevant=True))
    assert len(crawled.pages(relevant=numpy.True_)) == before  # type: ignore[arg-type]
    crawled.mark(SEED, relevant=numpy.False_)  # type: ignore[arg-type]
    assert [mark.relevant for mark in crawled.marks()] == [False]
    crawled.mark(SEED, relevant=None)
    assert len(crawled.marks()) == 0


def test_a_program_is_not_ended_because_its_crawl_shall_be(crawled: shoal.Crawl) -> None:
    with folders.reading(crawled.folder) as database:
        run = run_control.read_run(database)
    assert run is not None
    assert not run.heeds_signals


@pytest.mark.slow
def test_images(home: Path, about: dict[str, Any]) -> None:
    with shoal.DemoWeb() as web:
        given = about | {"topic": web.topic, "seeds": web.seeds, "proxy": web.proxy}
        crawl = shoal.crawl(**given, images=True, max_pages=30, max_images=5)
    images = crawl.images()
    assert 0 < len(images) <= 5
    assert all(image.width and image.shown for image in images)
    assert list(images.to_pandas()["url"]) == [image.url for image in images]
    assert [image.url for image in crawl.images(images[0].shown[0].title)]


@pytest.mark.parametrize("name", ["页面.csv", "pages.jsonl", "pages.parquet", "pages.warc.gz"])
def test_the_name_says_which_format(crawled: shoal.Crawl, tmp_path: Path, name: str) -> None:
    assert crawled.export(tmp_path / name, relevant=True) == 3
    assert (tmp_path / name).stat().st_size > 0


def test_a_name_that_says_no_format_or_one_that_does_not_matter(crawled: shoal.Crawl, tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"The name pages\.txt does not say which format"):
        crawled.export(tmp_path / "pages.txt")
    assert crawled.export(str(tmp_path / "pages.txt"), "jsonl") == 4
    assert len((tmp_path / "pages.txt").read_bytes().splitlines()) == 4


def test_a_changed_page_has_versions(home: Path, about: dict[str, Any]) -> None:
    web = SimpleWeb().page(SEED, "The power grid had one substation.")
    with served(web) as server:
        crawl = shoal.crawl(**about | {"proxy": server.proxy})
        web.page(SEED, "电网有两座变电站。")
        assert crawl.revisit(progress=False).found.changed == (SEED,)
    assert [(step.number, step.added) for step in crawl.versions(SEED)] == [(1, 0), (2, 1)]
    changes = [(line.kind, line.text) for line in crawl.diff(SEED).lines if line.kind in ("added", "removed")]
    assert changes == [("removed", "The power grid had one substation."), ("added", "电网有两座变电站。")]
    assert "one substation" in crawl.text(SEED, version=1)
    assert "两座变电站" in crawl.text(SEED)
    with pytest.raises(InputError, match="There is no page to look at again"):
        crawl.revisit(older="1d", progress=False)


def test_how_it_looks(crawled: shoal.Crawl) -> None:
    assert repr(crawled) == "Crawl('电网')"
    html = crawled._repr_html_()
    assert "<b>电网</b>: power grid, 电网<br>4 pages, 3 relevant (75%), 0 URLs waiting; nothing left to fetch" in html
    assert "not running" in shoal.open("电网")._repr_html_()


def test_a_name_is_no_markup_in_a_notebook(about: dict[str, Any], home: Path, tmp_path: Path) -> None:
    crawl = shoal.crawl(**about | {"topic": "power grid <script>"}, folder=tmp_path / "<img src=x>")
    html = crawl._repr_html_()
    assert "<img" not in html
    assert "<script" not in html
    assert "&lt;img src=x&gt;" in html


def test_what_is_answered_cannot_be_changed(crawled: shoal.Crawl) -> None:
    for answer in (
        crawled.status(),
        crawled.pages()[0],
        crawled.explain(SEED),
        crawled.page(SEED),
        crawled.harvest()[0],
    ):
        assert isinstance(answer, msgspec.Struct)
        with pytest.raises(AttributeError):
            setattr(answer, answer.__struct_fields__[0], "changed")


def test_a_folder_that_went_away_is_one_sentence(crawled: shoal.Crawl, tmp_path: Path) -> None:
    crawled.folder.rename(tmp_path / "elsewhere")
    with pytest.raises(FolderError, match=r"There is no crawl in .*: start one with shoal\.crawl"):
        crawled.pages()
    assert len(shoal.open(tmp_path / "elsewhere").pages()) == 4
