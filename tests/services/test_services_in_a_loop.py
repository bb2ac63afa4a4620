"""Can everything that a person can ask or do be called inside a running event loop? Each function of each service, on a crawl.

A new function without a case fails here. Whatever is said comes back as an answer: nothing is printed, and no loop is started,
which a running one would not allow.
"""

from __future__ import annotations

import asyncio
import importlib
import inspect
import io
import os
import pkgutil
import shutil
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import msgspec
import pytest

from shoal import services
from shoal.errors import ShoalError
from shoal.installation.location import Installation
from shoal.protocols import no_progress
from shoal.services.search import Finder
from shoal.settings import Settings
from shoal.store import crawl_folder as folders
from shoal.store.ownership import Made
from shoal.testing.searxng_web import SearxngWeb, result
from shoal.testing.webserver import SimpleWeb
from shoal.topic.setting_table import setting
from tests.shell import served

SEED = "http://a.test/"
GRID = "http://a.test/%E7%94%B5%E7%BD%91"


def web() -> SimpleWeb:
    return (
        SimpleWeb()
        .page(SEED, "All about the power grid.", title="The power grid", links=["/电网"])
        .page(GRID, "变电站把高压变成低压。电网调度很重要。" * 3, title="智能电网")
    )


def settings_for(proxy: str) -> Settings:
    options = {"proxy": proxy, "delay": 0.0, "index": False, "strategy": "learned"}
    return services.topics.settings_from_words("power grid, 电网", [SEED], options=options)


@dataclass(frozen=True)
class Place:
    """Where a case acts: a crawl of its own, in an installation of its own, and a web that answers."""

    home: Path
    proxy: str

    @property
    def installation(self) -> Installation:
        return Installation(home=self.home)

    @property
    def folder(self) -> Path:
        return self.installation.crawls / "grid"

    @property
    def file(self) -> Path:
        """A topic file."""
        return self.home / "电网.toml"

    def search(self) -> services.seeds.SeedSearch:
        return services.seeds.plan_search("grid, 电网", topic_file=self.home / "new.toml", keep_all=True, delay=0.0)

    async def found(self) -> services.seeds.FoundSeeds:
        return await services.seeds.read_place(self.search(), str(self.home / "list.txt"))

    def begin(self) -> Made:
        return services.crawls.start_crawl(self.home / "second", settings_for(self.proxy))


@pytest.fixture(scope="module")
def proxy() -> Iterator[str]:
    with served(web()) as server:
        yield server.proxy


@pytest.fixture(scope="module")
def crawled(proxy: str, tmp_path_factory: pytest.TempPathFactory) -> Place:
    """A crawl, made once, inside a loop; and files to read."""
    place = Place(tmp_path_factory.mktemp("crawled"), proxy)
    place.file.write_text(f'keywords = ["power grid", "电网"]\nseeds = ["{SEED}"]\n', encoding="utf-8")
    (place.home / "list.txt").write_text(f"{SEED}grid\n{GRID}\n", encoding="utf-8")
    (place.home / "page.html").write_text(
        "<title>电网</title><p>变电站 电网 变电站 transformer transformer", encoding="utf-8"
    )

    async def crawl() -> None:
        services.crawls.start_crawl(place.folder, settings_for(proxy))
        await services.run.run_crawl(place.folder, place.installation)

    asyncio.run(crawl())
    services.reindex.rebuild_index(place.folder)
    services.backups.save_crawl(place.folder, place.home / "saved.tar")
    return place


@pytest.fixture
def place(crawled: Place, tmp_path: Path) -> Place:
    shutil.copytree(crawled.home, tmp_path / "home")
    return Place(tmp_path / "home", crawled.proxy)


# --- a case for each function ----------------------------------------------------------------------------------------


async def choose(place: Place) -> object:
    return services.seeds.chosen(services.seeds.read_choice("1"), await place.found())


async def keep(place: Place) -> object:
    return services.seeds.keep_seeds(place.home / "new.toml", (await place.found()).suggestions, place.search())


async def engine(place: Place) -> object:
    with served(SearxngWeb([result(GRID, "智能电网", "变电站", ["baidu"])])) as server:
        return await services.seeds.ask_engine(place.search(), server.proxy)


async def look_again(place: Place) -> object:
    services.revisit.want(place.folder, [SEED], older=0.0, relevant_only=False, now=0.0)

    async def watch(coordinator: object) -> None:
        return

    return await services.revisit.revisit(place.folder, place.installation, watch)


def rebuild(place: Place) -> Awaitable[object]:
    (place.folder / "crawl.sqlite").unlink()
    why = services.repair.why_broken(place.folder)
    return services.repair.repair(place.folder, why, None, lambda done, total: None)


async def work(place: Place) -> object:
    @contextmanager
    def at_once(leave: Callable[[], None]) -> Iterator[None]:
        leave()
        yield

    return await services.workers.work("amqp://u:p@127.0.0.1:1/", interrupted=at_once)


def state_in(place: Place) -> object:
    with folders.reading(place.folder) as database:
        return services.supervisor.state_in(place.folder, database)


def similar(place: Place) -> object:
    with Finder([place.folder]) as finder:
        return finder.similar(SEED)


def opened(place: Place) -> object:
    with services.open_crawls.open_crawls([place.folder], no_progress) as crawls:
        return crawls.databases


Case = Callable[[Place], object]
CASES: dict[str, Case] = {
    "backups.move_crawl": lambda place: services.backups.move_crawl(place.folder, "sqlite"),
    "backups.restore_crawl": lambda place: services.backups.restore_crawl(
        place.home / "saved.tar", place.home / "back"
    ),
    "backups.save_crawl": lambda place: services.backups.save_crawl(place.folder, place.home / "again.tar"),
    "catalog.crawl_folders": lambda place: list(services.catalog.crawl_folders(place.installation)),
    "catalog.find_crawl": lambda place: services.catalog.find_crawl(place.installation, "grid"),
    "catalog.how_it_went": lambda place: services.catalog.how_it_went("grid", place.folder),
    "catalog.is_gone": lambda place: services.catalog.is_gone(place.folder),
    "catalog.listed": lambda place: services.catalog.listed(["grid", "电网"]),
    "catalog.name_at_home": lambda place: services.catalog.name_at_home(place.installation, place.folder),
    "catalog.name_for": lambda place: services.catalog.name_for("Power grid, 电网"),
    "catalog.name_of": lambda place: services.catalog.name_of("Power grid (2)"),
    "catalog.names_at_home": lambda place: services.catalog.names_at_home(place.installation),
    "catalog.no_crawl_named": lambda place: services.catalog.no_crawl_named(place.installation),
    "catalog.place_for": lambda place: services.catalog.place_for(place.installation, "new"),
    "catalog.take_off_list": lambda place: services.catalog.take_off_list(place.installation, "grid"),
    "catalog.write_down": lambda place: services.catalog.write_down(place.installation, place.folder),
    "check.check": lambda place: services.check.check(place.folder),
    "choices.choices": lambda place: services.choices.choices(),
    "choices.names": lambda place: services.choices.names(),
    "cluster_status.attendance": lambda place: services.cluster_status.attendance(place.folder),
    "crawls.change_settings": lambda place: services.crawls.change_settings(place.folder, {"max_pages": 5}),
    "crawls.check_extras": lambda place: services.crawls.check_extras(settings_for(place.proxy)),
    "crawls.check_names": lambda place: services.crawls.check_names(settings_for(place.proxy)),
    "crawls.forget_crawl": lambda place: services.crawls.forget_crawl(place.begin()),
    "crawls.join_crawl": lambda place: services.crawls.join_crawl(place.folder, {}, {}),
    "crawls.look_up": lambda place: services.crawls.look_up(place.folder, place.installation),
    "crawls.start_crawl": lambda place: place.begin(),
    "explain.explain_in_depth": lambda place: services.explain.explain_in_depth(place.folder, SEED),
    "explain.explain_url": lambda place: services.explain.explain_url(place.folder, SEED),
    "export.export_pages": lambda place: services.export.export_pages(
        place.folder, "jsonl", io.BytesIO(), relevant_only=False
    ),
    "export.fetched_pages": lambda place: services.export.fetched_pages(place.folder),
    "images.find": lambda place: services.images.find(place.folder),
    "images.write_files": lambda place: services.images.write_files(
        place.folder, place.home / "files", progress=lambda done, total: None
    ),
    "images.write_gallery": lambda place: services.images.write_gallery(place.folder, place.home / "gallery.html"),
    "images.write_lines": lambda place: services.images.write_lines(place.folder, place.home / "images.jsonl"),
    "manual.contents": lambda place: services.manual.contents(),
    "manual.pages": lambda place: services.manual.pages(),
    "manual.see_also": lambda place: services.manual.see_also(services.manual.pages()["strategies"].sections[0]),
    "manual_lookup.look_up": lambda place: services.manual_lookup.look_up(["策略"]),
    "manual_lookup.subjects_after": lambda place: services.manual_lookup.subjects_after(["topic"]),
    "marks.list_marks": lambda place: services.marks.list_marks(place.folder),
    "marks.mark_pages": lambda place: services.marks.mark_pages(place.folder, [GRID], True),
    "marks.urls_in": lambda place: services.marks.urls_in("http://a.test/电网\n".encode("gbk")),
    "models.export_model": lambda place: services.models.export_model(place.folder, place.home / "grid.model"),
    "models.read_model": lambda place: services.models.read_model(place.home / "none.model"),
    "open_crawls.OpenCrawls": lambda place: services.open_crawls.OpenCrawls({"grid": place.folder}, no_progress),
    "open_crawls.named": lambda place: services.open_crawls.named([place.folder]),
    "open_crawls.open_crawls": opened,
    "overview.list_crawls": lambda place: services.overview.list_crawls(place.installation),
    "overview.size_of": lambda place: services.overview.size_of(place.folder),
    "own_parts.check_own": lambda place: services.own_parts.check_own(
        place.folder, settings_for(place.proxy), services.own_parts.NOTHING_OWN
    ),
    "own_parts.with_own": lambda place: services.own_parts.with_own(
        settings_for(place.proxy), services.own_parts.NOTHING_OWN
    ),
    "own_parts.without_own": lambda place: services.own_parts.without_own(settings_for(place.proxy)),
    "reindex.rebuild_index": lambda place: services.reindex.rebuild_index(place.folder),
    "repair.repair": rebuild,
    "repair.why_broken": lambda place: services.repair.why_broken(place.folder),
    "revisit.read_age": lambda place: services.revisit.read_age("7d"),
    "revisit.revisit": look_again,
    "revisit.want": lambda place: services.revisit.want(place.folder, [GRID], older=0.0, relevant_only=False, now=0.0),
    "run.run_crawl": lambda place: services.run.run_crawl(place.folder, place.installation),
    "run.stand_by": lambda place: services.run.stand_by(place.folder, lambda sentence: None),
    "search.Finder": similar,
    "search.search": lambda place: services.search.search([place.folder], "变电站"),
    "seeds.ask_engine": engine,
    "seeds.check_topic_file": lambda place: services.seeds.check_topic_file(place.file, place.search()),
    "seeds.chosen": choose,
    "seeds.keep_seeds": keep,
    "seeds.plan_search": lambda place: place.search(),
    "seeds.read_choice": lambda place: services.seeds.read_choice("1-5,8"),
    "seeds.read_place": lambda place: place.found(),
    "setting_forms.read_form": lambda place: services.setting_forms.read_form(
        {"keywords": "电网", "seeds": SEED}, "person", {}
    ),
    "setting_forms.settings_form": lambda place: services.setting_forms.settings_form("person"),
    "status.crawl_status": lambda place: services.status.crawl_status(place.folder),
    "status.most_pages": lambda place: services.status.most_pages(place.folder),
    "status.internal_errors_file": lambda place: services.status.internal_errors_file(place.folder),
    "supervisor.go_on": lambda place: services.supervisor.go_on(place.folder),
    "supervisor.live": lambda place: services.supervisor.live(place.folder),
    "supervisor.log_of": lambda place: services.supervisor.log_of(place.folder),
    "supervisor.pause": lambda place: services.supervisor.pause(place.folder),
    "supervisor.start": lambda place: services.supervisor.start(place.folder, place.installation, os.environ),
    "supervisor.state_in": state_in,
    "supervisor.state_of": lambda place: services.supervisor.state_of(place.folder),
    "supervisor.stop": lambda place: services.supervisor.stop(place.folder),
    "supervisor.stop_at_once": lambda place: services.supervisor.stop_at_once(place.folder),
    "supervisor.wait_for_end": lambda place: services.supervisor.wait_for_end(place.folder),
    "supervisor.wait_until": lambda place: services.supervisor.wait_until(place.folder, lambda state: True),
    "topics.difference": lambda place: services.topics.difference(
        services.topics.topic_of(place.file), services.topics.topic_history(place.folder)[0].topic
    ),
    "topics.learn_topic": lambda place: services.topics.learn_topic([str(place.home / "page.html")] * 2, words="电网"),
    "topics.servers_of": lambda place: services.topics.servers_of(place.file),
    "topics.settings_from_words": lambda place: settings_for(place.proxy),
    "topics.settings_of": lambda place: services.topics.settings_of(place.file),
    "topics.topic_history": lambda place: services.topics.topic_history(place.folder),
    "topics.topic_of": lambda place: services.topics.topic_of(place.file),
    "topics.value_of": lambda place: services.topics.value_of(setting("max_time"), "10m"),
    "versions.body": lambda place: services.versions.body(place.folder, SEED),
    "versions.difference": lambda place: services.versions.difference(place.folder, SEED, 1, 1),
    "versions.steps": lambda place: services.versions.steps(place.folder, SEED),
    "versions.stored": lambda place: services.versions.stored(place.folder, SEED),
    "workers.check_broker": lambda place: services.workers.check_broker("amqp://u:p@mq/"),
    "workers.own_name": lambda place: services.workers.own_name(),
    "workers.work": work,
}
REFUSED = {
    "catalog.take_off_list": "is in the installation's home",
    "supervisor.go_on": "does not run",
    "supervisor.pause": "does not run",
    "supervisor.stop": "does not run",
    "supervisor.stop_at_once": "does not run",
    "backups.move_crawl": "that is in a PostgreSQL database",
    "models.read_model": "there is no such model file",
}
"""What is asked here cannot be had, and the answer is a sentence."""
NOTHING = {
    "catalog.write_down",
    "crawls.change_settings",
    "crawls.check_names",
    "crawls.check_extras",
    "supervisor.live",
    "crawls.forget_crawl",
    "crawls.join_crawl",
    "cluster_status.attendance",
}
NOTHING |= {"seeds.check_topic_file", "run.stand_by", "repair.why_broken", "marks.list_marks", "images.write_files"}
NOTHING |= {"catalog.is_gone", "images.write_gallery", "images.write_lines", "own_parts.check_own", "status.most_pages"}
"""Those that answer nothing, or of which there is none in this crawl."""
SLOW = {"supervisor.start"}
"""That begins a process."""


def functions() -> Iterator[str]:
    """All that somebody else may call: functions, and classes that do something."""
    for found in pkgutil.iter_modules(services.__path__):
        module = importlib.import_module(f"shoal.services.{found.name}")
        for name, one in vars(module).items():
            own = getattr(one, "__module__", "") == module.__name__ and not name.startswith("_")
            is_answer = inspect.isclass(one) and issubclass(one, msgspec.Struct)
            if own and callable(one) and not is_answer:
                yield f"{found.name}.{name}"


def test_every_function_of_every_service_has_a_case() -> None:
    assert set(functions()) == set(CASES)


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=[pytest.mark.slow] if name in SLOW else []) for name in CASES]
)
async def test_it_answers_inside_a_running_loop_and_prints_nothing(
    name: str, place: Place, capfd: pytest.CaptureFixture[str]
) -> None:
    if name in REFUSED:
        with pytest.raises(ShoalError, match=REFUSED[name]):
            await answered(name, place)
    else:
        answer = await answered(name, place)
        assert bool(answer) is (name not in NOTHING), answer
    assert capfd.readouterr() == ("", "")


async def answered(name: str, place: Place) -> object:
    said = CASES[name](place)
    return await said if inspect.isawaitable(said) else said
