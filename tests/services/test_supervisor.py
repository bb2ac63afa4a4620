"""A crawl without anybody at its keyboard is found, paused and stopped by whoever can read it; no other process is touched."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
import time
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest
from msgspec.structs import replace

from shoal import services
from shoal.errors import FolderBusy, FolderError, ShoalError, StartFailed, StorageFull
from shoal.files import UNFINISHED
from shoal.installation.location import Installation
from shoal.model.live import LiveFigures, RunRecord
from shoal.model.stored import Changes
from shoal.os_process import born
from shoal.services import supervisor
from shoal.services.supervisor import RunState, Started
from shoal.settings import Cluster, Fetching, Politeness, Settings
from shoal.store import crawl_folder as folders
from shoal.store import run_control
from shoal.store.crawl_store import open_store
from shoal.store.ownership import LOCK, RUN_LOG
from shoal.testing.webserver import WebServer
from tests.bad_luck import fill, small_disk
from tests.running import Operator, all_gone, assert_consistent, stored
from tests.small_web import HOME, SmallWeb
from tests.store.pages import batch, page
from tests.telling import SETTINGS as OF_TELLER
from tests.test_kill import undisturbed

HERE = os.uname().nodename
SETTINGS = replace(OF_TELLER, strategy="breadth", seeds=(HOME,))
RUN = RunRecord(id="a", pid=os.getpid(), host=HERE, born=born(os.getpid()), began=1_800_000_000.0)
NOW = LiveFigures(run="a", at=1_800_000_000.0, state="running", pages=5)
_SITS = "import signal, sys; signal.signal(signal.SIGTERM, signal.SIG_IGN); print(flush=True); sys.stdin.read()"
"""A program that nobody asks to end."""


def small_web() -> SmallWeb:
    """Nobody on it is in trouble, so that nobody is waited for."""
    return SmallWeb((15,) * 6)


@pytest.fixture
def installation(tmp_path: Path) -> Installation:
    return Installation(home=tmp_path / "state")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    folders.create(tmp_path / "c", SETTINGS)
    return tmp_path / "c"


@pytest.fixture
def processes() -> int:
    """In how many it fetches; a test may want something else."""
    return 1


@pytest.fixture
async def crawled(tmp_path: Path, processes: int) -> AsyncIterator[tuple[Path, SmallWeb, WebServer]]:
    """A crawl to be started, and the web that it is of; whatever goes wrong, it does not outlive the test."""
    web = small_web()
    async with WebServer(web) as server:
        folders.create(tmp_path / "c", replace(of(server), processes=processes))
        yield tmp_path / "c", web, server
        if supervisor.state_of(tmp_path / "c").at_work:
            await asyncio.to_thread(supervisor.stop_at_once, tmp_path / "c")


@pytest.fixture
def stranger() -> Iterator[subprocess.Popen[bytes]]:
    """A program that has nothing to do with us."""
    with subprocess.Popen((sys.executable, "-c", _SITS), stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        process.stdout.readline()
        yield process
        process.kill()


def of(server: WebServer, delay: float = 0.05) -> Settings:
    return replace(SETTINGS, politeness=Politeness(delay=delay), fetching=Fetching(proxy=server.proxy))


async def started(folder: Path, installation: Installation) -> Started:
    return await asyncio.to_thread(supervisor.start, folder, installation, os.environ)


async def reaches(folder: Path, *states: str) -> RunState:
    return await asyncio.to_thread(supervisor.wait_until, folder, lambda now: now.state in states, 20.0)


async def ends(folder: Path) -> RunState:
    return await asyncio.to_thread(supervisor.wait_for_end, folder, 60.0)


def buried(pid: int) -> None:
    """Return when a process is gone; one that nobody asks for its exit code stays for ever."""
    over = time.monotonic() + 10.0
    while Path(f"/proc/{pid}").exists():
        assert time.monotonic() < over, "a zombie is left"
        time.sleep(0.05)


def children_of(pid: int) -> list[int]:
    return [int(child) for child in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]


def command_of(pid: int) -> str:
    return Path(f"/proc/{pid}/cmdline").read_text()


# --- real processes --------------------------------------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.parametrize("processes", [2])
async def test_its_starter_is_killed_and_others_find_pause_and_finish_it(
    tmp_path: Path, installation: Installation, crawled: tuple[Path, SmallWeb, WebServer]
) -> None:
    folder, web, server = crawled
    operator = Operator(tmp_path)
    expected = await undisturbed(operator, small_web())
    operator.program = ("-c", f"{_START}; sys.stdin.close(); signal.pause()")
    starter = await operator.types(str(folder), str(installation.home))
    assert await starter.lives_until(web.gets(5)), (await starter.end()).err
    await starter.kill()
    found = await reaches(folder, "running")
    assert (found.state, found.host) == ("running", HERE)
    assert found.pid not in (None, starter.process.pid)

    await asyncio.to_thread(supervisor.pause, folder)
    assert (await reaches(folder, "paused")).state == "paused"
    await asyncio.to_thread(
        supervisor.wait_until, folder, lambda now: now.live is not None and now.live.in_flight == 0, 20.0
    )
    asked, paused = len(server.log), supervisor.live(folder)
    assert paused is not None
    at = paused.at
    later = await asyncio.to_thread(
        supervisor.wait_until, folder, lambda now: now.live is not None and now.live.at > at + 1.5, 20.0
    )
    assert len(server.log) == asked
    assert later.live is not None
    assert (later.state, later.live.pages, later.live.elapsed) == ("paused", paused.pages, paused.elapsed)

    await asyncio.to_thread(supervisor.go_on, folder)
    over = await ends(folder)
    assert (over.state, over.why) == ("finished", "nothing left to fetch")
    assert over.live is not None
    assert over.live.pages == len(stored(folder))
    assert stored(folder) == expected
    assert_consistent(folder)


_START = (
    "import os, signal, sys; from pathlib import Path; from shoal.installation.location import Installation; "
    "from shoal.services import supervisor; "
    "supervisor.start(Path(sys.argv[1]), Installation(home=Path(sys.argv[2])), os.environ)"
)


@pytest.mark.slow
async def test_it_stops_as_with_ctrl_c_and_goes_on_later(
    installation: Installation, crawled: tuple[Path, SmallWeb, WebServer]
) -> None:
    folder, web, _ = crawled
    first = await started(folder, installation)
    assert first.state == "running"
    await web.gets(5)
    with pytest.raises(FolderBusy, match=rf"runs already \(process {first.pid}\)"):
        await started(folder, installation)
    supervisor.stop(folder)
    over = await ends(folder)
    assert (over.state, over.why, over.pid) == ("stopped", "stopped", first.pid)
    assert over.live is not None
    assert (over.live.pages, over.live.in_flight) == (len(stored(folder)), 0)
    assert_consistent(folder)
    await asyncio.to_thread(buried, first.pid)

    await started(folder, installation)  # the wish to stop was one of the run before
    await web.gets(20)
    supervisor.pause(folder)
    await reaches(folder, "paused")
    supervisor.stop(folder)
    assert (await ends(folder)).state == "stopped"
    assert_consistent(folder)


@pytest.mark.slow
async def test_of_two_who_start_it_at_once_one_is_told(
    installation: Installation, crawled: tuple[Path, SmallWeb, WebServer]
) -> None:
    folder, _, _ = crawled
    both = await asyncio.gather(*(started(folder, installation) for _ in range(2)), return_exceptions=True)
    winners = [one for one in both if isinstance(one, Started)]
    (told,) = [one for one in both if isinstance(one, ShoalError)]
    assert len(winners) == 1
    assert str(told) in (
        f"Another crawl (process {winners[0].pid}) is running in {folder}.",
        f"The crawl in {folder} runs already (process {winners[0].pid}).",
    )
    assert (await ends(folder)).state == "finished"
    assert_consistent(folder)


@pytest.mark.slow
async def test_at_once_is_at_once_and_kills_its_workers_too(
    tmp_path: Path, installation: Installation, crawled: tuple[Path, SmallWeb, WebServer]
) -> None:
    _, web, server = crawled
    folder = tmp_path / "two"
    folders.create(folder, replace(of(server, delay=0.5), processes=2))
    first = await started(folder, installation)
    await web.gets(3)
    children = children_of(first.pid)
    now = await asyncio.to_thread(supervisor.stop_at_once, folder)
    assert (now.state, now.why) == ("stopped", "stopped")
    assert children
    assert await all_gone(children)
    assert_consistent(folder)


@pytest.mark.slow
async def test_a_small_crawl_may_be_over_when_it_is_started_and_no_secret_is_in_its_command(
    tmp_path: Path, installation: Installation
) -> None:
    web = SmallWeb((2,))
    web.slow(0, 1.0)
    async with WebServer(web) as server:
        secret = server.proxy.replace("http://", "http://me:very-secret@")
        folders.create(
            tmp_path / "c", replace(of(server), fetching=Fetching(proxy="http://me:***@" + server.proxy[7:]))
        )
        one = await started(tmp_path / "c", replace(installation, proxy=secret))
        command = command_of(one.pid)
        over = await ends(tmp_path / "c")
    assert "secret" not in command
    assert over.state == "finished"
    await started(tmp_path / "c", replace(installation, proxy=secret))
    again = await ends(tmp_path / "c")
    assert (again.state, again.why) == ("finished", "nothing left to fetch")
    assert "secret" not in (tmp_path / "c" / RUN_LOG).read_text()


@pytest.mark.slow
def test_what_a_crawl_says_that_ends_at_once_is_the_sentence(folder: Path, installation: Installation) -> None:
    hidden = replace(SETTINGS, fetching=Fetching(proxy="http://me:***@127.0.0.1:1"))
    with folders.reading(folder) as database:
        folders.write_meta(database, "settings", hidden)
    (folder / RUN_LOG).write_bytes(b"x" * (2**20 + 1))
    with pytest.raises(StartFailed, match=r"^The password of the proxy .* is not kept here: .* --proxy\.$"):
        supervisor.start(folder, installation, os.environ)
    assert (folder / f"{RUN_LOG}.old").stat().st_size == 2**20 + 1
    assert (folder / RUN_LOG).read_text().count("\n") == 1
    now = supervisor.state_of(folder)
    assert (now.state, now.why.partition(" http")[0]) == ("failed", "The password of the proxy")


@pytest.mark.slow
def test_one_that_cannot_even_write_down_that_the_disk_is_full(tmp_path: Path, installation: Installation) -> None:
    with small_disk(tmp_path / "disk", "2m") as disk:
        folders.create(disk / "c", SETTINGS)
        fill(disk / "filler")
        with pytest.raises(StorageFull, match=f"^The disk is full: make room where {disk / 'c'} is"):
            supervisor.start(disk / "c", installation, os.environ)
        assert [path.name for path in (disk / "c").iterdir() if path.name.startswith(UNFINISHED)] == []


@pytest.mark.slow
def test_one_that_does_not_begin_in_time_is_told_of(folder: Path, installation: Installation) -> None:
    with pytest.raises(StartFailed, match=r"has not begun within 0 seconds; process \d+ still tries to"):
        supervisor.start(folder, installation, os.environ, timeout=0.0)
    while supervisor.state_of(folder).state == "new" or supervisor.state_of(folder).at_work:
        time.sleep(0.05)  # nobody listens where its seed is


# --- on another machine ----------------------------------------------------------------------------------------------


async def test_a_crawl_that_another_machine_has_is_paused_and_stopped_from_here(
    tmp_path: Path, postgres: str, installation: Installation, monkeypatch: pytest.MonkeyPatch
) -> None:
    web, here, there = small_web(), tmp_path / "here" / "c", tmp_path / "there" / "c"
    async with WebServer(web) as server:
        here.parent.mkdir()
        folders.create(there, of(server), cluster=Cluster(database=postgres))
        services.crawls.join_crawl(here, {}, {"SHOAL_DATABASE": postgres})
        one = await started(there, installation)
        await web.gets(20)
        supervisor.pause(here, by="somebody")
        paused = await reaches(here, "paused")
        assert (paused.state, paused.pid) == ("paused", one.pid)
        monkeypatch.setattr("socket.gethostname", lambda: "elsewhere")
        with pytest.raises(FolderBusy, match=rf"runs on another machine \(process {one.pid} on {HERE}\)"):
            supervisor.stop_at_once(here)
        with pytest.raises(FolderBusy, match="runs already"):
            await started(here, installation)
        supervisor.go_on(here)
        await reaches(here, "running")
        await web.gets(5)
        supervisor.stop(here)
        over = await ends(here)
    assert (over.state, over.pid, over.host) == ("stopped", one.pid, HERE)
    assert over.live is not None
    assert over.live.pages == len(stored(here))
    assert_consistent(here, there)


# --- without processes -----------------------------------------------------------------------------------------------


def test_what_became_of_a_crawl_is_read_off_its_last_words(folder: Path) -> None:
    assert supervisor.state_of(folder) == RunState(state="new")
    words = {
        "stopped": ("ended", "stopped"),
        "finished": ("ended", "the page budget is reached"),
        "failed": ("failed", "The disk is full."),
    }
    for state, (word, why) in words.items():
        run_control.begin_run(folder, RUN)
        run_control.end_run(folder, RUN, word, why)  # type: ignore[arg-type]
        assert (supervisor.state_of(folder).state, supervisor.state_of(folder).why) == (state, why)
    run_control.begin_run(folder, RUN)
    dead = supervisor.state_of(folder)
    assert (dead.state, dead.why) == (
        "dead",
        f"It died: process {RUN.pid} on {HERE} has ended without a word. Nothing stored is lost.",
    )
    assert supervisor.live(folder) is None


def test_a_crawl_of_an_older_shoal_was_stopped(folder: Path) -> None:
    with open_store(folder) as store:
        asyncio.run(store.commit(batch(page(1, b"one"))))
    assert supervisor.state_of(folder).state == "stopped"


@pytest.mark.parametrize("at", [0.0, 4_000_000_000.0])
def test_the_lock_says_whether_it_lives_whatever_the_clocks_say(folder: Path, at: float) -> None:
    with open_store(folder) as store:
        assert supervisor.state_of(folder) == RunState(state="running", pid=os.getpid()), "it has said nothing yet"
        run_control.begin_run(folder, RUN)
        asyncio.run(store.commit(Changes(live=replace(NOW, at=at))))
        now = supervisor.state_of(folder)
        assert (now.state, supervisor.live(folder)) == ("running", replace(NOW, at=at))
        assert now.age(2_000_000_000.0) == max(0.0, 2_000_000_000.0 - at)
        run_control.end_run(folder, RUN, "ended", "stopped")
        assert supervisor.state_of(folder).state == "stopping", "its process completes the index"


@pytest.mark.parametrize("word", [supervisor.pause, supervisor.go_on, supervisor.stop, supervisor.stop_at_once])
def test_a_crawl_that_does_not_run_is_told_nothing(folder: Path, word: object) -> None:
    assert callable(word)
    with pytest.raises(FolderError, match=r"^The crawl in .* does not run"):
        word(folder)
    with pytest.raises(FolderError, match=r"^There is no crawl in"):
        word(folder.parent / "none")
    assert not (folder / "wish.json").exists()


@pytest.mark.slow
def test_a_program_that_got_the_number_of_a_crawl_is_left_alone(
    folder: Path, stranger: subprocess.Popen[bytes]
) -> None:
    taken = replace(RUN, pid=stranger.pid, born="22", heeds_signals=True)
    run_control.begin_run(folder, taken)
    (folder / LOCK).write_text(str(stranger.pid))
    with pytest.raises(FolderError, match="does not run"):
        supervisor.stop_at_once(folder)
    with folders.lock(folder):  # something has it, and the number in the file is another program's
        (folder / LOCK).write_text(str(stranger.pid))
        with pytest.raises(FolderBusy, match=r"that is no crawl of this machine: it is left alone"):
            supervisor.stop_at_once(folder)
        run_control.begin_run(folder, replace(taken, pid=1))
        with pytest.raises(FolderBusy, match="it is left alone"):
            supervisor.stop_at_once(folder)
    assert stranger.poll() is None


def test_a_program_that_only_has_a_crawl_in_it_is_not_ended(folder: Path) -> None:
    with open_store(folder):
        run_control.begin_run(folder, RUN)
        with pytest.raises(FolderBusy, match=rf"runs inside another program \(process {os.getpid()} on "):
            supervisor.stop_at_once(folder)


@pytest.mark.slow
def test_a_crawl_that_does_not_hear_is_killed(folder: Path) -> None:
    code = (
        "import os, signal, sys; from pathlib import Path; from shoal.model.live import RunRecord; "
        "from shoal.os_process import born; from shoal.store import crawl_folder, run_control; "
        "signal.signal(signal.SIGTERM, signal.SIG_IGN); folder = Path(sys.argv[1])\n"
        "with crawl_folder.lock(folder):\n"
        "    run_control.begin_run(folder, RunRecord(id='a', pid=os.getpid(), host=os.uname().nodename,\n"
        "        born=born(os.getpid()), began=1.0, heeds_signals=True))\n"
        "    print(flush=True); sys.stdin.read()"
    )
    command = (sys.executable, "-c", code, str(folder))
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as deaf:
        assert deaf.stdout is not None
        deaf.stdout.readline()
        now = supervisor.stop_at_once(folder, grace=0.3)
        assert (now.state, now.why) == ("stopped", "stopped"), "it was not its fault that it died"
        assert deaf.wait() == -signal.SIGKILL


def test_who_looks_whether_a_crawl_runs_keeps_nobody_from_starting_it(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """To look is to hold the lock for a moment: whoever wants it just then must not be told that a crawl runs."""
    import fcntl  # here, because only this test plays with locks

    looking = os.open(folder / LOCK, os.O_RDWR | os.O_CREAT)
    fcntl.flock(looking, fcntl.LOCK_SH)
    monkeypatch.setattr("shoal.store.crawl_folder.time.sleep", lambda seconds: fcntl.flock(looking, fcntl.LOCK_UN))
    with folders.lock(folder):
        assert folders.at_work(folder) == os.getpid()
    os.close(looking)
