"""`shoal pause` says what came of it, also when nothing came of it yet."""

from __future__ import annotations

import os

import pytest

from shoal.commands import options
from shoal.model.live import RunRecord
from shoal.store import run_control
from shoal.store.crawl_store import open_store
from tests.shell import Shell
from tests.stocked import Stock

RUN = RunRecord(id="a", pid=os.getpid(), host="here", began=1_800_000_000.0)


def test_a_crawl_that_does_not_run_cannot_be_paused(stocked: Shell) -> None:
    said = stocked("pause")
    assert (said.code, said.sentence()) == (
        2,
        "The crawl in 爬 行 does not run: 'shoal start --dir \"爬 行\"' lets it go on.",
    )


def test_one_that_does_not_listen_yet_is_not_said_to_be_paused(
    stocked: Shell, stock: Stock, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(options, "OBEYED_WITHIN", 0.0)
    with open_store(stock.folder) as store:
        run_control.begin_run(stock.folder, RUN)
        said = stocked("pause")
        heard = store.wishes.news()
    assert said.out == 'It was told to pause, and has not done so yet. Look with: shoal status --dir "爬 行"\n'
    assert heard is not None
    assert (heard.want, heard.by.partition(" on ")[2]) == ("pause", os.uname().nodename)
