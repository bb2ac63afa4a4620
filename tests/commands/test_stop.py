"""`shoal stop` says what came of it, and touches no process that is not the crawl's own."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from shoal.commands import stop
from shoal.services.supervisor import RunState, StateWord
from shoal.store import run_control
from shoal.store.crawl_store import open_store
from tests.commands.test_pause import RUN
from tests.shell import Shell
from tests.stocked import Stock


@pytest.mark.parametrize("options", [(), ("--now",)])
def test_a_crawl_that_does_not_run_cannot_be_stopped(stocked: Shell, options: tuple[str, ...]) -> None:
    said = stocked("stop", *options)
    assert said.code == 2
    assert said.sentence().startswith("The crawl in 爬 行 does not run.")


def test_one_that_takes_its_time_is_not_said_to_have_stopped(
    stocked: Shell, stock: Stock, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(stop, "_PATIENCE", 0.0)
    with open_store(stock.folder) as store:
        run_control.begin_run(stock.folder, RUN)
        said = stocked("stop")
        heard = store.wishes.news()
    now = f"It is still running (process {os.getpid()})."
    assert said.out == f'{now} Do not wait for it with: shoal stop --now --dir "爬 行"\n'
    assert said.err == "Waiting for what is in flight …\n"
    assert heard is not None
    assert heard.want == "stop"


def test_one_on_another_machine_is_not_ended_at_once(stocked: Shell, stock: Stock) -> None:
    with open_store(stock.folder):
        run_control.begin_run(stock.folder, RUN)
        said = stocked("stop", "--now").sentence()
    assert said == (
        f"The crawl in 爬 行 runs on another machine (process {os.getpid()} on here): end it there, or ask it to stop."
    )


@pytest.mark.parametrize(("state", "why"), [("failed", "The disk is full."), ("dead", "It died: process 7 is gone.")])
def test_one_that_ended_otherwise_is_not_said_to_have_been_stopped(tmp_path: Path, state: StateWord, why: str) -> None:
    assert stop._outcome(tmp_path, RunState(state=state, why=why)) == f"It is {state}: {why}"
    assert stop._outcome(tmp_path, RunState(state="stopped")).startswith("Stopped. Go on with: shoal start ")
