"""The password of the proxy is where only the user may read it: not in the database, a backup, a message or a traceback."""

from __future__ import annotations

import asyncio
import sqlite3
import stat
from contextlib import closing
from pathlib import Path

import msgspec
import pytest
from msgspec.structs import replace

from shoal import services
from shoal.errors import FolderError
from shoal.fetch.client import HttpFetcher
from shoal.installation.location import Installation
from shoal.model import Failure, Task
from shoal.settings import Cluster, Fetching, Settings
from shoal.store import backup, migrate
from shoal.store import crawl_folder as folders
from shoal.store import shared_crawl as clusters
from shoal.store.crawl_store import open_store
from shoal.store.proxy_password import with_password
from shoal.topic.topic_file import topic_from_words
from shoal.urls import login_of
from tests.bad_luck import contents
from tests.store.pages import SETTINGS

PASSWORD = "gr1d-p@ss"
PROXY = "http://crawler:gr1d-p%40ss@127.0.0.1:1"
SECRET: Settings = replace(SETTINGS, fetching=Fetching(proxy=PROXY))
SIGNS = (b"gr1d-p", b"gr1d-p%40ss", PASSWORD.encode())


def silent(done: int, total: int) -> None:
    assert done <= total


def tells(folder: Path) -> list[str]:
    """The files in which the password stands."""
    found = contents(folder)
    return [name for name, data in found.items() if data and any(sign in data for sign in SIGNS)]


@pytest.fixture
def folder(tmp_path: Path, cluster: Cluster) -> Path:
    folders.create(tmp_path / "crawl", SECRET, cluster=cluster)
    return tmp_path / "crawl"


def test_only_one_file_has_it_and_only_its_owner_reads_that(folder: Path) -> None:
    with open_store(folder) as store:
        assert store.settings == SECRET, "whoever fetches needs it"
        assert tells(folder) == [clusters.FILE]
    assert stat.S_IMODE((folder / clusters.FILE).stat().st_mode) == 0o600
    with folders.reading(folder) as database:
        assert ":***@" in database.execute("SELECT value FROM meta WHERE key = 'settings'").fetchone()[0]


def test_a_backup_has_none_and_what_comes_back_asks_for_it(folder: Path, tmp_path: Path) -> None:
    backup.save(folder, tmp_path / "saved.tar", silent)
    assert tells(tmp_path) == ["crawl/cluster.json"]
    backup.bring_back(tmp_path / "saved.tar", tmp_path / "back", "", silent)
    with pytest.raises(FolderError, match=r"password of the proxy http://crawler:\*\*\*@.* --proxy"):
        asyncio.run(services.run.run_crawl(tmp_path / "back", Installation(home=tmp_path)))
    with open_store(tmp_path / "back") as store:
        assert with_password(store.settings, PROXY) == SECRET, "as the installation knows it"
        assert with_password(store.settings, PROXY.replace("127", "128")) == store.settings, "of another proxy"
    services.crawls.change_settings(tmp_path / "back", {"proxy": PROXY})
    with open_store(tmp_path / "back") as store:
        assert store.settings == SECRET


def as_before(folder: Path) -> None:
    """A folder as an older shoal left it."""
    folders.create(folder, SETTINGS)
    with closing(sqlite3.connect(folder / folders.DATABASE)) as database:
        database.execute("UPDATE meta SET value = ? WHERE key = 'settings'", (msgspec.json.encode(SECRET).decode(),))
        database.commit()
        database.execute("PRAGMA journal_mode = WAL")


def test_the_folder_of_an_older_shoal_loses_it_to_the_last_byte(tmp_path: Path) -> None:
    as_before(tmp_path / "c")
    assert tells(tmp_path) == ["c/crawl.sqlite"]
    with open_store(tmp_path / "c") as store:
        assert store.settings == SECRET
    assert tells(tmp_path) == ["c/cluster.json"]
    as_before(tmp_path / "d")
    services.crawls.change_settings(tmp_path / "d", {"max_pages": 3})
    assert tells(tmp_path / "d") == ["cluster.json"]


def test_a_backup_of_such_a_folder_has_none_either(tmp_path: Path) -> None:
    as_before(tmp_path / "c")
    backup.save(tmp_path / "c", tmp_path / "saved.tar", silent)
    assert tells(tmp_path) == ["c/crawl.sqlite"]


def test_it_moves_with_the_crawl(tmp_path: Path, postgres: str) -> None:
    as_before(tmp_path / "c")
    migrate.to_postgresql(tmp_path / "c", postgres, silent)
    with folders.reading(tmp_path / "c") as database:
        assert folders.read_settings(tmp_path / "c", database) == SECRET
        assert ":***@" in database.execute("SELECT value FROM meta WHERE key = 'settings'").fetchone()[0]
    migrate.to_sqlite(tmp_path / "c", silent)
    with folders.reading(tmp_path / "c") as database:
        assert folders.read_settings(tmp_path / "c", database) == SECRET
    assert tells(tmp_path) == ["c/cluster.json"]


def test_another_proxy_takes_its_place(tmp_path: Path) -> None:
    folders.create(tmp_path / "c", SECRET)
    services.crawls.change_settings(tmp_path / "c", {"proxy": "http://127.0.0.1:2"})
    with open_store(tmp_path / "c") as store:
        assert store.settings.fetching.proxy == "http://127.0.0.1:2"
    assert tells(tmp_path) == []


def test_no_traceback_shows_it() -> None:
    assert not any(sign.decode() in f"{SECRET!r} {clusters.Home(proxy=PROXY, broker=PROXY)!r}" for sign in SIGNS)


def test_a_proxy_that_cannot_be_used_is_told_without_it() -> None:
    with pytest.raises(Exception, match=r"proxy.*\*\*\*") as told:
        topic_from_words(
            "grid",
            ("http://a.test/",),
            names=services.choices.names(),
            options={"proxy": f"ftp://u:{PASSWORD}@h"},
            environ={},
        )
    assert PASSWORD not in str(told.value)


@pytest.mark.parametrize(
    "answer", [b"HTTP/1.1 407 No\r\ncontent-length: 0\r\n\r\n", b"HTTP/1.1 407 \r\n\r\n", b"", b"x\r\n"]
)
@pytest.mark.parametrize("url", ["http://a.test/", "https://a.test/"])
async def test_what_goes_wrong_at_the_proxy_is_told_without_it(url: str, answer: bytes) -> None:
    heard: list[bytes] = []

    async def proxy(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        heard.append(await reader.readuntil(b"\r\n\r\n"))
        writer.write(answer)
        writer.close()

    async with await asyncio.start_server(proxy, "127.0.0.1", 0) as server:
        port = server.sockets[0].getsockname()[1]
        settings = Fetching(proxy=f"http://crawler:gr1d-p%40ss@127.0.0.1:{port}")
        async with HttpFetcher(settings) as fetcher:
            failure = await fetcher.fetch(Task(id=1, url=url, host="a.test"))
    assert isinstance(failure, Failure)
    assert b"proxy-authorization: basic " in heard[0].lower()
    assert not any(sign.decode() in failure.detail for sign in SIGNS)


def test_the_parts_of_a_login() -> None:
    assert login_of(PROXY) == ("http://127.0.0.1:1", "crawler", PASSWORD)
    assert login_of("http://127.0.0.1:1/x@y") == ("http://127.0.0.1:1/x@y", "", "")
    assert login_of("") == ("", "", "")
