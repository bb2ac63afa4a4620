"""A crawl whose database is lost gets it back from its page files: searched, shown, exported and resumed as before."""

from __future__ import annotations

import asyncio
import json
import shutil
import sqlite3
from contextlib import closing
from pathlib import Path
from random import Random

import pytest

from shoal.services import repair
from shoal.settings import ImageSettings
from shoal.store import crawl_folder as folders
from shoal.store.ownership import COPY
from shoal.testing.webserver import WebServer
from tests.bad_luck import contents
from tests.crawl.simulated import SEED
from tests.crawl.test_side_lane import image
from tests.running import Finished, Operator, ask, assert_consistent, fates, stored
from tests.small_web import HOME, SmallWeb
from tests.stocked import WEB, Stock, article

pytestmark = pytest.mark.slow

TOPIC = ("--topic", "grid", "--seed", HOME, "--delay", "0", "--strategy", "best-first")
FILE = "pages-00001.warc.gz"
IMAGED = WEB | {
    SEED: article("The power grid", "<img src=/1.png alt='the power grid'>", "/substation", "/bread"),
    "http://a.test/1.png": image(1),
}


def pages(folder: Path) -> set[tuple[object, ...]]:
    """What is stored of each page, save for what only the request itself could tell."""
    return set(
        ask(
            folder,
            """
            SELECT url, status, content_type, bytes, title, language, charset, canonical, noindex, links, round(score, 9),
                   relevant, content_hash, hex(fingerprint), warc_file, warc_offset, round(fetched_at, 2),
                   rank() OVER (ORDER BY fetch_order)
            FROM pages JOIN found USING (id) WHERE warc_file <> ''
            """,
        )
    )


def page_files(folder: Path) -> dict[str, bytes | None]:
    return {name: data for name, data in contents(folder).items() if name.startswith("pages-")}


@pytest.fixture(scope="module")
def originals(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A crawl that came to its end, and one that has a part of it; tests take copies."""
    home = tmp_path_factory.mktemp("originals")

    async def crawl() -> None:
        async with WebServer(web()) as server:
            for name, more in (("whole", ()), ("part", ("--max-pages", "14"))):
                options = (*TOPIC, "--proxy", server.proxy, "--dir", name, "--quiet", *more)
                assert await Operator(home).runs("crawl", *options) == Finished(0, "", "")

    asyncio.run(crawl())
    return home


def web() -> SmallWeb:
    return SmallWeb((9, 7, 5))


@pytest.fixture
def whole(originals: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(originals / "whole", tmp_path / "c"))


@pytest.fixture
def part(originals: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(originals / "part", tmp_path / "c"))


def lose(folder: Path, how: str) -> None:
    """Bad luck with the database."""
    path = folder / folders.DATABASE
    for ending in ("-wal", "-shm"):
        path.with_name(path.name + ending).unlink(missing_ok=True)
    if how == "deleted":
        path.unlink()
    elif how == "empty":
        path.write_bytes(b"")
    elif how == "overwritten":
        path.write_bytes(b"this is no database at all" * 500)
    else:
        data = bytearray(path.read_bytes())
        data[4096 : len(data) // 2] = Random(1).randbytes(len(data) // 2 - 4096)
        path.write_bytes(data)


@pytest.mark.parametrize("how", ["deleted", "empty", "overwritten", "torn"])
async def test_a_lost_database_comes_back(originals: Path, part: Path, how: str) -> None:
    operator, folder = Operator(part.parent), part
    async with WebServer(web()) as server:
        before, bodies, found = pages(folder), page_files(folder), await operator.runs("search", "dir", "--dir", "c")
        exported = await operator.runs("export", "--format", "warc", "--out", "before.warc.gz", "--dir", "c")
        lose(folder, how)
        lost = contents(folder).get(folders.DATABASE)
        refused = await operator.runs("resume", "--dir", "c", "--quiet")
        assert (refused.code, refused.out) == (2, "")
        assert "shoal check --repair --dir c" in refused.err
        repaired = await operator.runs("check", "--repair", "--dir", "c", "--json")
        assert repaired.code == 0, repaired.err + repaired.out
        assert json.loads(repaired.out)["repaired"]["unreadable"] == 0
        assert pages(folder) == before
        assert page_files(folder) == bodies, "not a byte of a page file changed"
        assert [data for name, data in contents(folder).items() if ".damaged-" in name] == (
            [lost] if lost is not None else []
        )
        assert (await operator.runs("search", "dir", "--dir", "c")).code == found.code
        assert (
            await operator.runs("export", "--format", "warc", "--out", "x.warc.gz", "--dir", "c")
        ).code == exported.code
        again = await operator.runs("check", "--repair", "--dir", "c", "--json")
        assert (again.code, json.loads(again.out)["repaired"]) == (0, None), "nothing to repair any more"
        resume = ("resume", "--dir", "c", "--quiet", "--max-pages", "1000", "--proxy", server.proxy)
        assert (await operator.runs(*resume)) == Finished(0, "", "")
    assert {row[0] for row in stored(folder)} == {row[0] for row in stored(originals / "whole")}
    assert fates(folder) == fates(originals / "whole")
    assert_consistent(folder)
    assert {name: data for name, data in page_files(folder).items() if name in bodies} == bodies


async def test_what_is_damaged_of_a_page_file_is_left_out_and_all_else_comes(whole: Path) -> None:
    operator, folder = Operator(whole.parent), whole
    places = sorted(ask(folder, "SELECT warc_offset, url FROM pages JOIN found USING (id) WHERE warc_file <> ''"))
    data = bytearray((folder / FILE).read_bytes())
    torn, last = places[5], places[-1]
    data[torn[0] + 30 : torn[0] + 60] = b"\x1f\x8b\x08" + bytes(27)
    data = data[:20] + bytearray(b"WARC") + data[24:]
    (folder / FILE).write_bytes(data[: last[0] + 40])
    before = {row[0]: row[1:14] for row in pages(folder)}
    harmed = (folder / FILE).read_bytes()
    (folder / folders.DATABASE).unlink()
    said = await operator.runs("check", "--repair", "--dir", "c")
    assert "cannot be read from byte" in said.out
    assert "byte 0 to" in said.out
    assert f"byte {torn[0]:,} to" in said.out
    assert f"byte {last[0]:,} to {last[0] + 40:,}" in said.out
    after = {row[0]: row[1:14] for row in pages(folder)}
    missing = before.keys() - after.keys()
    assert {torn[1], last[1]} <= missing
    assert len(missing) <= 3, "the two, and a copy of one of them at most"
    assert after.items() <= before.items()
    assert (folder / FILE).read_bytes() == harmed


async def test_an_older_folder_needs_its_topic_file(whole: Path) -> None:
    operator, folder = Operator(whole.parent), whole
    before = {row[0] for row in pages(folder)}
    (folder / folders.DATABASE).unlink()
    (folder / COPY).unlink()
    refused = await operator.runs("check", "--repair", "--dir", "c")
    assert (refused.code, refused.out) == (2, "")
    assert "name its topic file with --topic-file" in refused.err
    operator.folder("grid.toml").write_text(f'name = "grid"\nseeds = ["{HOME}"]\n[keywords]\ngrid = 1.0\n')
    said = await operator.runs("check", "--repair", "--topic-file", "grid.toml", "--dir", "c")
    assert said.code == 0, said.err
    assert {row[0] for row in pages(folder)} == before


async def test_a_damaged_database_may_still_say_what_the_crawl_was(whole: Path) -> None:
    operator, folder = Operator(whole.parent), whole
    before = pages(folder)
    (folder / COPY).unlink()
    with closing(sqlite3.connect(folder / folders.DATABASE)) as database:
        (root,) = database.execute("SELECT rootpage FROM sqlite_master WHERE name = 'pages'").fetchone()
        (size,) = database.execute("PRAGMA page_size").fetchone()
        database.execute("PRAGMA journal_mode = DELETE")
    with (folder / folders.DATABASE).open("r+b") as file:
        file.seek((root - 1) * size)
        file.write(b"\xff" * size)
    assert (await operator.runs("check", "--repair", "--dir", "c", "--quiet")).code == 0
    assert pages(folder) == before


async def test_a_repair_that_is_stopped_leaves_everything_as_it_was(whole: Path) -> None:
    operator, folder = Operator(whole.parent), whole
    (folder / folders.DATABASE).unlink()
    before, heard = contents(folder), []

    def stop(done: int, total: int) -> None:
        heard.append(done)
        if len(heard) > 5:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        await repair.repair(folder, repair.why_broken(folder), None, stop)
    del before["lock"]
    assert {name: data for name, data in contents(folder).items() if name != "lock"} == before
    assert (await operator.runs("check", "--repair", "--dir", "c", "--quiet")).code == 0


async def test_a_sound_database_is_left_alone_and_so_is_a_folder_without_pages(whole: Path) -> None:
    operator, folder = Operator(whole.parent), whole
    database = (folder / folders.DATABASE).read_bytes()
    said = await operator.runs("check", "--repair", "--dir", "c")
    assert (said.code, "nothing was repaired" in said.out) == (0, True)
    assert (folder / folders.DATABASE).read_bytes() == database
    mine = operator.folder("mine")
    mine.mkdir()
    (mine / "notes").write_text("mine")
    none = await operator.runs("check", "--repair", "--dir", "mine")
    assert (none.code, "no page files" in none.err) == (2, True)
    assert contents(mine) == {"notes": b"mine"}


def test_versions_and_images_come_back_too(tmp_path: Path) -> None:
    stock = Stock(tmp_path / "c", IMAGED, images=ImageSettings(wanted="relevant"))
    stock.serve(substation=article("Substations", "They were moved under the ground of the grid."))
    stock.look_again()
    folder = stock.folder
    questions = (
        "SELECT url, at, title, warc_file, warc_offset FROM versions JOIN found ON found.id = page ORDER BY versions.id",
        "SELECT url, state, format, width, height, bytes, hex(fingerprint), warc_file, warc_offset FROM images ORDER BY url",
        "SELECT images.url, found.url, score FROM sightings JOIN images ON images.id = image_id "
        "JOIN found ON found.id = page ORDER BY 1, 2",
    )
    before = [ask(folder, question) for question in questions]
    assert all(before)
    (folder / folders.DATABASE).unlink()
    done = asyncio.run(repair.repair(folder, repair.why_broken(folder), stock.crawl.settings, lambda done, total: None))
    assert (done.images, done.unreadable) == (1, 0)
    assert [ask(folder, question) for question in questions] == before
