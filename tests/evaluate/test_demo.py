"""The demo is a real crawl: its figures are those of the server's own log, and it leaves nothing behind, however it ends."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest

from shoal.crawl.termination import Ending
from shoal.errors import FolderError
from shoal.evaluate.demo import BASELINE, DELAY, FOCUSED, DemoPlan, run_demo
from shoal.evaluate.generated.synthetic_web import SyntheticWeb
from shoal.installation.location import Installation
from shoal.store.crawl_folder import connect, read_settings
from shoal.testing.politeness_audit import violations
from shoal.testing.webserver import read_log

PNG = b"\x89PNG\r\n\x1a\n"
PAGES = 100
LONG = 400.0
"""Seconds after which a test gives up waiting."""


def start(folder: Path, *options: str) -> subprocess.Popen[str]:
    """`shoal demo` as a user starts it; what would be the user's own ledger of hosts lies beside the folder."""
    environment = os.environ | {"SHOAL_HOME": str(folder.parent / "users-own")}
    return subprocess.Popen(
        [sys.executable, "-m", "shoal", "demo", "--dir", str(folder), *options],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=environment,
    )


def finish(process: subprocess.Popen[str]) -> tuple[int, str, str]:
    out, err = process.communicate(timeout=LONG)
    return process.returncode, out, err


def line_to_server(process: subprocess.Popen[str], folder: Path) -> socket.socket:
    """An open connection to the demo's server, made in the middle of its first crawl; it breaks when the server ends."""
    assert process.stderr is not None
    # The first line of progress: pages are being fetched.
    assert any("pages/s" in line for line in process.stderr), "the demo ended before it began to crawl"
    database = connect(folder / FOCUSED)
    proxy = urlsplit(read_settings(folder / FOCUSED, database).fetching.proxy)
    database.close()
    return socket.create_connection((proxy.hostname or "", proxy.port or 0), timeout=LONG)


def is_broken(line: socket.socket) -> bool:
    """Waits until the other end is gone; False when it is still there after a long time."""
    try:
        return line.recv(1) == b""
    except ConnectionResetError:
        return True
    except TimeoutError:
        return False


# --- what it says ----------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Stopped:
    """A demo that was stopped by Ctrl-C in the middle of its first crawl."""

    folder: Path
    code: int
    out: str
    err: str
    server_gone: bool


@pytest.fixture(scope="module")
def stopped(tmp_path_factory: pytest.TempPathFactory) -> Stopped:
    folder = tmp_path_factory.mktemp("demo") / "here"
    process = start(folder, "--pages", "5000")
    with line_to_server(process, folder) as line:
        process.send_signal(signal.SIGINT)
        return Stopped(folder, *finish(process), is_broken(line))


@pytest.fixture(scope="module")
def finished(stopped: Stopped) -> tuple[Path, dict[str, Any]]:
    """A demo that went well, in the folder of an earlier one, and what it answered in JSON."""
    (stopped.folder / "notes.txt").write_text("mine")
    code, out, err = finish(start(stopped.folder, "--json", "--pages", str(PAGES)))
    assert (code, err) == (0, "")
    return stopped.folder, json.loads(out)


def counted(log: Path, relevant: frozenset[str]) -> tuple[int, int]:
    """Pages and relevant pages that the server itself has handed out."""
    pages = [f"http://{access.host}{access.path}" for access in read_log(log) if access.status == 200]
    pages = [url for url in pages if not url.endswith("/robots.txt")]
    return len(pages), len(relevant.intersection(pages))


@pytest.mark.slow
@pytest.mark.parametrize(("name", "strategy"), [("focused", FOCUSED), ("baseline", BASELINE)])
def test_figures_are_those_of_the_servers_log(
    finished: tuple[Path, dict[str, Any]], web: SyntheticWeb, name: str, strategy: str
) -> None:
    folder, said = finished
    relevant = web.relevant("power-grid")
    pages, found = counted(folder / f"{strategy}.access.jsonl", relevant)
    harvest = said[name]
    assert (harvest["fetched"], harvest["relevant"]) == (pages, found) == (PAGES, found)
    assert harvest["harvest_rate"] == pytest.approx(found / pages)
    assert harvest["recall"] == pytest.approx(found / len(relevant))


@pytest.mark.slow
def test_best_first_finds_more_than_breadth_first(finished: tuple[Path, dict[str, Any]]) -> None:
    _, said = finished
    assert said["focused"]["relevant"] > 1.5 * said["baseline"]["relevant"]


@pytest.mark.slow
@pytest.mark.parametrize("strategy", [FOCUSED, BASELINE])
def test_is_polite(finished: tuple[Path, dict[str, Any]], web: SyntheticWeb, strategy: str) -> None:
    log = read_log(finished[0] / f"{strategy}.access.jsonl")
    assert violations(log, lambda host: DELAY, web.robots) == []


@pytest.mark.slow
def test_names_true_pages_and_explains_one_far_from_the_seeds(
    finished: tuple[Path, dict[str, Any]], web: SyntheticWeb
) -> None:
    _, said = finished
    relevant = web.relevant("power-grid")
    assert [page["truth"] == "relevant" for page in said["best"]] == [page["url"] in relevant for page in said["best"]]
    assert said["explained"]["url"] in relevant
    assert said["explained"]["depth"] >= 3


@pytest.mark.slow
def test_leaves_a_plot_and_touches_nothing_else(finished: tuple[Path, dict[str, Any]]) -> None:
    folder, said = finished
    assert Path(said["plot"]).read_bytes().startswith(PNG)
    assert (folder / "notes.txt").read_text() == "mine"
    assert not (folder.parent / "users-own").exists()


# --- how it ends -----------------------------------------------------------------------------------------------------


@pytest.mark.slow
def test_stopped_by_ctrl_c_it_says_so_and_takes_its_server_along(stopped: Stopped) -> None:
    assert (stopped.code, stopped.out) == (130, "")
    assert "Stopped." in stopped.err
    assert "Traceback" not in stopped.err
    assert stopped.server_gone


@pytest.mark.slow
def test_killed_it_takes_its_server_along(tmp_path: Path) -> None:
    process = start(tmp_path / "demo", "--pages", "5000")
    with line_to_server(process, tmp_path / "demo") as line:
        process.kill()
        finish(process)
        assert is_broken(line)


def never(folder: Path, ledger: Installation) -> Ending:
    raise AssertionError("nothing should be crawled")


def file_in_it(folder: Path) -> None:
    folder.mkdir()
    (folder / "thesis.txt").write_text("mine")


def file_instead(folder: Path) -> None:
    folder.write_text("mine")


@pytest.mark.parametrize(
    ("prepare", "sentence"),
    [(file_in_it, "not of an earlier demo: choose another --dir"), (file_instead, "cannot be used")],
)
def test_a_folder_of_somebody_else_is_left_alone(
    tmp_path: Path, prepare: Callable[[Path], None], sentence: str
) -> None:
    folder = tmp_path / "work"
    prepare(folder)
    before = sorted(tmp_path.rglob("*"))
    with pytest.raises(FolderError, match=sentence):
        run_demo(DemoPlan(folder=folder, topic="power-grid", pages=10, seed=7), never, print)
    assert sorted(tmp_path.rglob("*")) == before
