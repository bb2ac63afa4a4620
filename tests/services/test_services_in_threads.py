"""May several threads ask at once? A web server will: it calls what waits for the disk by `asyncio.to_thread`.

Each question is asked by eight threads at the same moment, and each of them gets the answer that one thread alone gets.
"""

from __future__ import annotations

import shutil
import tarfile
from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest
from msgspec.structs import replace

from shoal import services
from shoal.installation.location import Installation
from shoal.services.search import Finder
from shoal.settings import ImageSettings
from tests.crawl.simulated import SEED, Simulation
from tests.crawl.test_side_lane import image, showing
from tests.stocked import WEB, Stock
from tests.threads import asked_at_once

_THREADS = 8
OLDER = Path(__file__).parent.parent / "store" / "older"
_PAGE = "http://a.test/substation"
_PICTURES = {SEED: showing(("/1.png", "a substation of the grid"), ("/2.png", "变电站 grid"))} | {
    f"http://a.test/{number}.png": image(number) for number in (1, 2)
}


@pytest.fixture(scope="module")
def crawled(tmp_path_factory: pytest.TempPathFactory) -> Installation:
    """Two crawls that nobody has searched yet: one with pages, one with images."""
    home = Installation(home=tmp_path_factory.mktemp("home"))
    Stock(home.crawls / "power", dict(WEB))
    Simulation(home.crawls / "images", _PICTURES, images=ImageSettings(wanted="relevant")).run()
    return home


@pytest.fixture
def home(crawled: Installation, tmp_path: Path) -> Installation:
    shutil.copytree(crawled.home, tmp_path / "home")
    return Installation(home=tmp_path / "home")


def folders_of(home: Installation) -> list[Path]:
    return [home.crawls / "images", home.crawls / "power"]


def found(home: Installation, words: str) -> object:
    with Finder(folders_of(home)) as finder:
        return finder.search(words, explain=True)


def similar(home: Installation) -> object:
    with Finder(folders_of(home)) as finder:
        return finder.similar(_PAGE)


def listed(home: Installation) -> object:
    """Without the bytes on the disk: SQLite has a file more while somebody reads."""
    return [replace(crawl, bytes=0) for crawl in services.overview.list_crawls(home)]


QUESTIONS: dict[str, Callable[[Installation], object]] = {
    "status": lambda home: [services.status.crawl_status(folder) for folder in folders_of(home)],
    "search": lambda home: found(home, "substation 变电站"),
    "search in one": lambda home: services.search.search([home.crawls / "power"], "變電站"),
    "similar": similar,
    "list_crawls": listed,
    "fetched_pages": lambda home: [services.export.fetched_pages(folder) for folder in folders_of(home)],
    "explain_url": lambda home: services.explain.explain_url(home.crawls / "power", _PAGE),
    "steps": lambda home: services.versions.steps(home.crawls / "power", _PAGE),
    "stored": lambda home: services.versions.stored(home.crawls / "power", _PAGE),
    "images": lambda home: services.images.find(home.crawls / "images"),
    "images with words": lambda home: services.images.find(home.crawls / "images", "變電站"),
    "find_crawl": lambda home: [services.catalog.find_crawl(home, name) for name in ("power", "images")],
    "state_of": lambda home: [services.supervisor.state_of(folder) for folder in folders_of(home)],
    "list_marks": lambda home: [services.marks.list_marks(folder) for folder in folders_of(home)],
    "settings_form": lambda home: services.setting_forms.settings_form("person"),
    "manual": lambda home: services.manual_lookup.look_up(["searching"]),
}


@pytest.mark.parametrize("question", QUESTIONS)
def test_one_question_in_eight_threads(crawled: Installation, home: Installation, question: str) -> None:
    """Also the first one, when there is no index yet."""
    ask = QUESTIONS[question]
    answers = asked_at_once(*[lambda: ask(home)] * _THREADS)
    alone = ask(home)
    for answer in answers:
        assert answer == alone


def test_all_questions_at_the_same_moment(home: Installation) -> None:
    answers = asked_at_once(*[partial(ask, home) for ask in QUESTIONS.values()])
    for name, answer in zip(QUESTIONS, answers, strict=True):
        assert answer == QUESTIONS[name](home), name


def test_what_eight_threads_say_of_pages_is_all_there(home: Installation) -> None:
    folder = home.crawls / "power"
    urls = [page.url for page in services.export.fetched_pages(folder)]
    said = asked_at_once(*[partial(services.marks.mark_pages, folder, [url], True) for url in urls])
    assert [page.url for given in said for page in given.pages] == urls
    assert sorted(mark.url for mark in services.marks.list_marks(folder)) == sorted(urls)


def test_an_older_crawl_is_brought_up_to_date_once(tmp_path: Path) -> None:
    with tarfile.open(OLDER / "format-3.tar.gz") as archive:
        archive.extractall(tmp_path, filter="data")
    (folder,) = tmp_path.iterdir()
    answers = asked_at_once(*[partial(services.export.fetched_pages, folder)] * _THREADS)
    assert answers == [services.export.fetched_pages(folder)] * _THREADS
    assert len(list(folder.glob("crawl.sqlite.format-3-*"))) == 1


def test_one_home_for_crawls_that_are_put_on_the_list_at_once(crawled: Installation, tmp_path: Path) -> None:
    """Its database is not there yet, and each crawl gets a name of its own."""
    home = Installation(home=tmp_path / "home")
    places = [tmp_path / str(number) / "power" for number in range(_THREADS)]
    for place in places:
        shutil.copytree(crawled.crawls / "power", place)
    asked_at_once(*[partial(services.catalog.write_down, home, place) for place in places])
    assert sorted(crawl.name for crawl in services.overview.list_crawls(home)) == [
        "power",
        *(f"power-{number}" for number in range(2, _THREADS + 1)),
    ]
