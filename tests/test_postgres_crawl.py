"""A crawl in PostgreSQL that is killed, loses its server, or is taken over by another machine ends with the same pages."""

from __future__ import annotations

import asyncio
import json
import os
from pathlib import Path
from random import Random

import pytest

from shoal.settings import Cluster
from shoal.store import crawl_folder as folders
from shoal.testing.servers import PostgreSQL
from shoal.testing.webserver import WebServer
from tests.running import Operator, assert_consistent, impolite, stored
from tests.small_web import HOME, SmallWeb
from tests.test_kill import DELAY, index_agrees, make_web, options, undisturbed


@pytest.mark.slow
async def test_a_crawl_killed_and_left_by_its_server_ends_with_the_same_pages(
    tmp_path: Path, postgres: str, postgres_server: PostgreSQL
) -> None:
    random, operator, folder = Random(7), Operator(tmp_path), tmp_path / "killed"
    expected = await undisturbed(operator, make_web(25))
    web = make_web(25)
    async with WebServer(web) as server:
        crawl = await operator.types("crawl", *options(server, DELAY), "--dir", "killed", "--database", postgres)
        for kind in ("coordinator", "server", "server", "coordinator", "restart"):
            assert await crawl.lives_until(web.gets(random.randint(10, 40))), (await crawl.end()).err
            if kind == "coordinator":
                await crawl.kill()
                crawl = await operator.types("resume", "--dir", "killed", "--quiet")
            elif kind == "restart":
                await asyncio.to_thread(postgres_server.restart)
            else:
                await asyncio.to_thread(postgres_server.kill)
                await asyncio.to_thread(postgres_server.start)
        finished = await crawl.end()
    assert finished.code == 0, finished.err
    assert stored(folder) == expected
    assert_consistent(folder)
    assert impolite(server.log, DELAY, web.robots) == []
    await index_agrees(folder)


@pytest.mark.slow
async def test_a_machine_that_stands_by_takes_over_from_one_that_died(tmp_path: Path, postgres: str) -> None:
    first, second = Operator(_made(tmp_path / "first")), Operator(_made(tmp_path / "second"))
    expected = await undisturbed(first, make_web(15))
    web = make_web(15)
    async with WebServer(web) as server:
        crawl = await first.types("crawl", *options(server, DELAY), "--dir", "shared", "--database", postgres)
        assert await crawl.lives_until(web.gets(20)), (await crawl.end()).err
        waiting = await second.types("resume", "--dir", "shared", "--database", postgres, "--standby", "--quiet")
        assert await crawl.lives_until(web.gets(20)), (await crawl.end()).err
        assert waiting.process.returncode is None, (await waiting.end()).err
        await crawl.kill()
        finished = await waiting.end()
    assert finished.code == 0, finished.err
    assert stored(second.folder("shared")) == stored(first.folder("shared")) == expected
    assert_consistent(second.folder("shared"), first.folder("shared"))
    assert impolite(server.log, DELAY, web.robots) == []


def _made(folder: Path) -> Path:
    folder.mkdir()
    return folder


@pytest.mark.slow
async def test_every_command_finds_a_crawl_in_postgresql_by_its_folder(
    tmp_path: Path, postgres: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    operator = Operator(tmp_path)
    async with WebServer(SmallWeb((4, 3))) as server:
        monkeypatch.setenv("SHOAL_DATABASE", postgres)
        crawl = ("crawl", *options(server, 0.0), "--dir", "电网", "--max-pages", "6")
        assert (await operator.runs(*crawl)).code == 0
        again = await operator.runs(*crawl)
        assert again.code == 2
        assert "already" in again.err
        assert (await operator.runs("revisit", HOME, "--dir", "电网", "--quiet")).code == 0
    monkeypatch.delenv("SHOAL_DATABASE")
    status = await answered(operator, "status", "--dir", "电网", "--json")
    assert (status["pages"], status["running"]) == (6, False)
    page = (await operator.runs("export", "--dir", "电网", "--format", "jsonl")).out.splitlines()[1]
    url = json.loads(page)["final_url"]
    assert (await operator.runs("mark", "--dir", "电网", "--relevant", url)).code == 0
    assert (await answered(operator, "explain", url, "--dir", "电网", "--json"))["marked"] is True
    assert (await answered(operator, "check", "--dir", "电网", "--json"))["problems"] == []
    for command in (("show", url), ("search", "twins"), ("reindex",), ("mark", "--list")):
        said = await operator.runs(*command, "--dir", "电网")
        assert said.code == 0, (command, said.err)
    unchanged = await operator.runs("diff", url, "--dir", "电网")
    assert "there is one version of it" in unchanged.err
    assert sorted(os.listdir(operator.folder("电网")))[:2] == ["cluster.json", "index"]


async def answered(operator: Operator, *arguments: str) -> dict[str, object]:
    said = await operator.runs(*arguments)
    assert said.code == 0, said.err
    answer: dict[str, object] = json.loads(said.out)
    return answer


@pytest.mark.slow
async def test_a_machine_without_the_folder_looks_at_the_crawl_by_its_name(
    tmp_path: Path, postgres: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    here, there = Operator(_made(tmp_path / "here")), Operator(_made(tmp_path / "there"))
    async with WebServer(SmallWeb((3,))) as server:
        assert (await here.runs("crawl", *options(server, 0.0), "--dir", "c", "--database", postgres)).code == 0
    refused = await there.runs("status", "--dir", "c")
    assert (refused.code, "There is no crawl in c" in refused.err) == (2, True)
    monkeypatch.setenv("SHOAL_DATABASE", postgres)
    status = await answered(there, "status", "--dir", "c", "--json")
    assert status == await answered(here, "status", "--dir", "c", "--json")
    assert folders.look_up(there.folder("c"), Cluster(database=postgres))
    assert folders.is_remote(there.folder("c"))
    assert not there.folder("c").exists(), "who only looks leaves nothing behind"
    wrong = await there.runs("status", "--dir", "unknown")
    assert "There is no crawl in unknown" in wrong.err


@pytest.mark.slow
async def test_a_server_that_is_not_there_is_one_sentence_without_the_password(tmp_path: Path) -> None:
    url = "postgresql://shoal:very-secret@127.0.0.1:1/shoal"
    said = await Operator(tmp_path).runs(
        "crawl", "--topic", "grid", "--seed", HOME, "--dir", "c", "--database", url, "--quiet"
    )
    assert said.code == 2
    assert said.err.startswith("shoal: The database at 127.0.0.1:1/shoal cannot be reached: ")
    assert said.err.count("\n") == 1
    assert "secret" not in said.err


@pytest.mark.slow
@pytest.mark.parametrize("url", ["postgresql://shoal:secret@host", "mysql://u:secret@host/x", "shoal:secret@host/db"])
async def test_a_wrong_url_is_one_sentence_without_the_password(tmp_path: Path, url: str) -> None:
    said = await Operator(tmp_path).runs("crawl", "--topic", "grid", "--seed", HOME, "--dir", "c", "--database", url)
    assert said.code == 2
    assert said.err.startswith("shoal: --database must be a URL such as 'postgresql://user:password@host/name'")
    assert "secret" not in said.err
