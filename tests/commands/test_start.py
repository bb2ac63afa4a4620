"""`shoal start`, and what can be done then: a crawl in the background is paused, let go on and stopped."""

from __future__ import annotations

import asyncio
import json
import signal
from pathlib import Path

import pytest

from shoal.commands.start import outcome
from shoal.services import supervisor
from shoal.services.supervisor import Started, StateWord
from shoal.testing.webserver import WebServer
from tests.running import Operator
from tests.shell import Shell, served
from tests.small_web import HOME, SmallWeb


@pytest.mark.slow
def test_a_crawl_in_the_background_does_what_it_is_told(shoal: Shell, tmp_path: Path) -> None:
    folder = ("--dir", "电网 1")
    with served(SmallWeb((40,) * 4)) as server:
        crawl = ("--topic", "grid, 电网", "--seed", HOME, "--proxy", server.proxy, "--delay", "0.2")
        try:
            made = shoal("crawl", *crawl, *folder, "--background", "--json")
            one = json.loads(made.out)
            assert (made.code, one["folder"], one["log"], one["state"]) == (0, "电网 1", "电网 1/run.log", "running")
            again = shoal("start", *folder)
            assert (again.code, again.sentence()) == (2, f"The crawl in 电网 1 runs already (process {one['pid']}).")
            paused = shoal("pause", *folder)
            go_on = 'Go on with: shoal start --dir "电网 1"'
            assert (paused.code, paused.out) == (0, f"It is paused (process {one['pid']}). {go_on}\n")
            status = shoal("status", *folder)
            assert status.out.startswith(f"电网 1  paused\nprocess {one['pid']} on "), status.out
            assert json.loads(shoal("status", *folder, "--json").out)["run"]["state"] == "paused"
            resumed = shoal("resume", *folder)
            assert resumed.code == 2
            assert resumed.sentence().endswith("It is paused: 'shoal start --dir \"电网 1\"' lets it go on.")
            gone_on = shoal("start", *folder)
            assert (gone_on.code, gone_on.out) == (0, f"It is running (process {one['pid']}).\n")
            assert shoal("stop", *folder, "--quiet") == (type(gone_on)(0, "", ""))
            second = shoal("start", *folder)
            assert second.out.startswith("电网 1 is running (process "), second.err
            at_once = json.loads(shoal("stop", "--now", *folder, "--json").out)
            assert (at_once["state"], at_once["why"]) == ("stopped", "stopped")
            assert at_once["pid"] != one["pid"]
            assert shoal("status", *folder).out.startswith("电网 1  stopped\n")
        finally:
            if supervisor.state_of(tmp_path / "电网 1").at_work:
                supervisor.stop_at_once(tmp_path / "电网 1")


@pytest.mark.parametrize(("state", "stop"), [("running", True), ("finished", False)])
def test_what_is_over_already_need_not_be_stopped(tmp_path: Path, state: StateWord, stop: bool) -> None:
    said = outcome(tmp_path / "grid", tmp_path / "run.log", Started(pid=1, state=state))
    assert said.startswith(f"{tmp_path}/grid is {state} (process 1, which writes to {tmp_path}/run.log).\nLook with: ")
    assert ("Stop with: " in said) is stop


@pytest.mark.slow
async def test_a_crawl_in_a_terminal_says_that_it_is_paused_and_ends_with_ctrl_c(tmp_path: Path) -> None:
    operator, web = Operator(tmp_path), SmallWeb((40,) * 4)
    async with WebServer(web) as server:
        options = ("--topic", "grid", "--seed", HOME, "--proxy", server.proxy, "--delay", "0.2", "--dir", "c")
        crawl = await operator.types("crawl", *options)
        assert await crawl.lives_until(web.gets(5))
        assert (await operator.runs("pause", "--dir", "c")).code == 0
        asked = len(server.log)
        while "Paused: shoal start" not in tmp_path.joinpath("command-0.err").read_text():  # noqa: ASYNC110
            await asyncio.sleep(0.05)
        crawl.signal(signal.SIGINT)
        said = await crawl.end()
    assert (said.code, len(server.log)) == (130, asked)
    assert said.out.startswith("Stopped.\n")
    assert supervisor.state_of(tmp_path / "c").state == "stopped"


def test_where_there_is_no_crawl_one_sentence_says_so(shoal: Shell, tmp_path: Path) -> None:
    assert shoal("start", "--dir", "c").sentence().startswith("There is no crawl in c: start one with")
    assert list(tmp_path.iterdir()) == []
