"""What most tests of commands need: somebody who types, and crawls to ask about."""

from __future__ import annotations

from pathlib import Path

import pytest

from shoal.testing.webserver import SimpleWeb
from tests.shell import Said, Shell, served
from tests.stocked import Stock

HOME = "http://a.test/"
TOPIC = "power grid, 电网, 变电站=0.8"
FOLDER = "爬 行 crawl"


@pytest.fixture
def shoal(tmp_path: Path) -> Shell:
    """Any command, in an empty folder."""
    return Shell(tmp_path)


def small_web() -> SimpleWeb:
    """A page of each fate."""
    links = ["", "/private", "/moved", "/gone", "/image"]
    web = SimpleWeb().robots("a.test", "User-agent: *\nDisallow: /power-grid/private")
    web.page(
        HOME,
        "The power grid and its news.",
        links=["/电网", *(f"/power-grid{link}" for link in links), "http://elsewhere.test/", *"abcdef"],
        title="Home",
    )
    web.page(f"{HOME}power-grid", "A power grid has substations. " * 5, title="\x1b[31mGrid\x1b[0m \u202egnp")
    web.page(f"{HOME}%E7%94%B5%E7%BD%91", "电网调度与变电站的运行情况。" * 5, title="智能电网")
    web.redirect(f"{HOME}power-grid/moved", "/power-grid/new").page(f"{HOME}power-grid/new", "The power grid moved.")
    web.raw(f"{HOME}power-grid/image", b"GIF89a", content_type="image/gif")
    for dull in "abcdef":
        web.page(HOME + dull, f"Nothing about that, but {dull * 20}.", title=dull)
    return web


@pytest.fixture(scope="session")
def finished(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Said]:
    """The folder in which the crawl's folder is, and what the crawl said."""
    home = tmp_path_factory.mktemp("finished")
    budget = ("--max-pages", "6", "--scope", "host", "--delay", "0", "--concurrency", "1")
    with served(small_web()) as server:
        said = Shell(home)("crawl", "--topic", TOPIC, "--seed", HOME, "--dir", FOLDER, *budget, "--proxy", server.proxy)
    return home, said


@pytest.fixture
def crawled(finished: tuple[Path, Said]) -> Shell:
    """Ask about the finished crawl; `--dir` need not be typed."""
    return Shell(finished[0], "--dir", FOLDER)


@pytest.fixture
def stock(tmp_path: Path) -> Stock:
    """A crawl of a web that can change."""
    return Stock(tmp_path / "爬 行")


@pytest.fixture
def stocked(stock: Stock) -> Shell:
    """Ask about that; `--dir` need not be typed."""
    return Shell(stock.folder.parent, "--dir", stock.folder.name)
