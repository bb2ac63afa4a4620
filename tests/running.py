"""How does a test run crawls as real processes? Words to start, stop, kill and resume them, and to look at what they left.

operator = Operator(tmp_path)
crawl = await operator.types("crawl", "--topic", "grid", "--seed", url, "--dir", "c", "--proxy", server.proxy)
await crawl.kill()
assert (await operator.runs("resume", "--dir", "c")).code == 0
assert stored(operator.folder("c")) == …

A command is forked from a process that has read the code already: it is a process like any other, and is there at once.
"""

from __future__ import annotations

import asyncio
import json
import multiprocessing
import os
import re
import signal
import sys
from collections import Counter
from collections.abc import Coroutine, Iterable, Sequence
from itertools import count
from multiprocessing.context import ForkServerProcess
from pathlib import Path
from typing import Any, Protocol

from warcio.archiveiterator import ArchiveIterator

from shoal import __main__ as program
from shoal import services
from shoal.settings import Cluster, Settings
from shoal.store import crawl_folder as folders
from shoal.store import shared_crawl as clusters
from shoal.testing.politeness_audit import violations
from shoal.testing.webserver import Access
from tests.shell import Said

Finished = Said
"""A command that is over."""


_FORKS = multiprocessing.get_context("forkserver")
_FORKS.set_forkserver_preload(["shoal.cli", "tests.running"])


class Process(Protocol):
    """What a process of another program and a forked one have in common."""

    @property
    def pid(self) -> int: ...

    @property
    def returncode(self) -> int | None: ...

    def send_signal(self, signal: int) -> None: ...

    async def wait(self) -> int: ...


class Fork:
    """A process that was forked, as asyncio would show it."""

    def __init__(self, process: ForkServerProcess) -> None:
        assert process.pid is not None
        self.pid = process.pid
        self._process = process
        self._loop = asyncio.get_running_loop()
        self._ended: asyncio.Future[int] = self._loop.create_future()
        self._loop.add_reader(process.sentinel, self._end)

    @property
    def returncode(self) -> int | None:
        return self._ended.result() if self._ended.done() else None

    def send_signal(self, number: int) -> None:
        if self.returncode is None:
            os.kill(self.pid, number)

    async def wait(self) -> int:
        return await asyncio.shield(self._ended)

    def _end(self) -> None:
        self._loop.remove_reader(self._process.sentinel)
        self._process.join()
        assert self._process.exitcode is not None
        self._ended.set_result(self._process.exitcode)
        self._process.close()


def _become(arguments: Sequence[str], home: Path, output: Path, environment: dict[str, str]) -> None:
    """What a forked process does first: it becomes a command that somebody typed."""
    os.setsid()
    os.chdir(home)
    os.environ.clear()
    os.environ.update(environment)
    new = os.O_WRONLY | os.O_CREAT | os.O_TRUNC
    for number, place in enumerate((os.devnull, f"{output}.out", f"{output}.err")):
        os.dup2(os.open(place, new if number else os.O_RDONLY), number)
    sys.argv = ["shoal", *arguments]
    program.run()


class Command:
    """A `shoal` command under way, in a process group of its own."""

    def __init__(self, process: Process, output: Path) -> None:
        self.process = process
        self._output = output

    def signal(self, number: signal.Signals) -> None:
        self.process.send_signal(number)

    async def lives_until(self, something: Coroutine[Any, Any, None]) -> bool:
        """Wait for something that happens while it runs; False when it is over before."""
        happening = asyncio.ensure_future(something)
        ending = asyncio.ensure_future(self.process.wait())
        await asyncio.wait((happening, ending), return_when=asyncio.FIRST_COMPLETED)
        alive = happening.done() and not ending.done()
        happening.cancel()
        ending.cancel()
        return alive

    async def kill(self) -> None:
        """As a power cut would: the whole group, at once."""
        if self.process.returncode is None:
            os.killpg(self.process.pid, signal.SIGKILL)
        await self.process.wait()

    async def end(self) -> Finished:
        """Wait until it is over by itself."""
        code = await self.process.wait()
        out, err = (self._output.with_suffix(ending).read_text() for ending in (".out", ".err"))
        return Finished(code, out, err)

    async def peak_memory(self) -> int:
        """Watch the process until it is over; the largest resident size it had, in bytes."""
        peak = 0
        while self.process.returncode is None:
            peak = max(peak, _peak_memory(self.process.pid))
            await asyncio.sleep(0.02)
        return peak

    def workers(self) -> list[int]:
        """The worker processes of this crawl that are alive."""
        return [pid for pid in _children(self.process.pid) if _is_alive(pid)]


class Operator:
    """Somebody at a keyboard, with an installation of their own below one folder."""

    program: Sequence[str] = ("-m", "shoal")
    """What Python is to run; anything else is not forked."""

    def __init__(self, home: Path) -> None:
        self._home = home
        self._numbers = count()

    def folder(self, name: str) -> Path:
        return self._home / name

    def prepares(self, name: str, settings: Settings, cluster: Cluster | None = None) -> None:
        """A crawl with settings that no option can give; `resume` starts it."""
        services.crawls.start_crawl(self.folder(name), settings, cluster=cluster or Cluster())

    async def types(self, *arguments: str, prefix: Sequence[str] = ()) -> Command:
        """Start a command; behind a prefix when another one is to start it."""
        output = self._home / f"command-{next(self._numbers)}"
        environment = os.environ | {"SHOAL_HOME": str(self._home / "state")}
        if not prefix and self.program is Operator.program:
            for ending in (".out", ".err"):  # to be there as soon as the command is
                output.with_suffix(ending).touch()
            forked = _FORKS.Process(target=_become, args=(arguments, self._home, output, environment))
            forked.start()
            return Command(Fork(forked), output)
        with output.with_suffix(".out").open("wb") as out, output.with_suffix(".err").open("wb") as err:
            process = await asyncio.create_subprocess_exec(
                *(*prefix, sys.executable, *self.program, *arguments),
                cwd=self._home,
                env=environment,
                stdin=asyncio.subprocess.DEVNULL,
                stdout=out,
                stderr=err,
                start_new_session=True,
            )
        return Command(process, output)

    async def runs(self, *arguments: str) -> Finished:
        """Type a command and wait for its end."""
        return await (await self.types(*arguments)).end()


# --- what a crawl left behind ----------------------------------------------------------------------------------------


def stored(folder: Path) -> set[tuple[str, str, bytes]]:
    """URL, title and hash of every page."""
    rows = ask(folder, "SELECT url, title, content_hash FROM pages JOIN urls USING (id)")
    return {(url, title, content_hash) for url, title, content_hash in rows}


def fates(folder: Path) -> dict[str, tuple[int, str | None]]:
    """State and reason of every URL."""
    return {url: (state, reason) for url, state, reason in ask(folder, "SELECT url, state, reason FROM urls")}


def ask(folder: Path, question: str) -> list[tuple[Any, ...]]:
    """Put a question to a crawl's database."""
    with folders.reading(folder) as database:
        return database.execute(question).fetchall()


_BODIES = """
SELECT url, warc_file, warc_offset FROM pages JOIN found USING (id) WHERE warc_file <> ''
UNION SELECT url, warc_file, warc_offset FROM versions JOIN found ON found.id = page WHERE warc_file <> ''
UNION SELECT url, warc_file, warc_offset FROM images WHERE warc_file <> ''
"""
"""What must be in the WARC files: pages, what they said before, and images."""


def assert_consistent(folder: Path, *elsewhere: Path, lost: int = 0) -> None:
    """Everything that is written down twice says the same, and every page is there exactly once.

    `elsewhere` are the folders of other machines that had the same crawl. So many pages were `lost` to bugs of ours.
    """
    counted = {(state, reason or ""): n for state, reason, n in ask(
        folder, "SELECT state, reason, COUNT(*) FROM urls GROUP BY state, reason"
    )}  # fmt: skip
    tally = {(state, reason): n for state, reason, n in ask(folder, "SELECT * FROM tally WHERE urls <> 0")}
    assert tally == counted
    orders = [order for (order,) in ask(folder, "SELECT fetch_order FROM pages ORDER BY fetch_order")]
    assert len(set(orders)) == len(orders)
    assert not orders or (orders[0] >= 1 and orders[-1] <= len(orders) + lost)
    assert ask(folder, "SELECT COUNT(*) FROM urls WHERE state = 1") == [(len(orders),)]
    assert ask(folder, "SELECT url FROM urls GROUP BY url HAVING COUNT(*) > 1") == []
    per_host = "SELECT name, pages FROM hosts WHERE pages > 0"
    per_page = "SELECT name, COUNT(*) FROM pages JOIN found USING (id) JOIN hosts ON hosts.id = host GROUP BY name"
    assert dict(ask(folder, per_host)) == dict(ask(folder, per_page))
    with_body = ask(folder, _BODIES)
    records = [*_records(folder), *(record for place in elsewhere for record in _committed(place))]
    assert Counter(with_body) == Counter(records)


def _committed(folder: Path) -> Iterable[tuple[str, str, int]]:
    """The same of a machine that was killed and not started again: what it had not committed is still at the end of its file."""
    ((position,),) = ask(folder, f"SELECT value FROM meta WHERE key = 'warc {clusters.read(folder).mark}'")
    last, end = json.loads(position)
    return ((url, file, at) for url, file, at in _records(folder) if (file, at) < (last, end))


def _records(folder: Path) -> Iterable[tuple[str, str, int]]:
    """URL, file and position of every page in the WARC files, read by somebody else's reader to the very end."""
    for path in sorted(folder.glob("*.warc.gz")):
        with path.open("rb") as file:
            records = ArchiveIterator(file)
            for record in records:
                if record.rec_type in ("response", "revisit"):
                    yield record.rec_headers.get_header("WARC-Target-URI"), path.name, records.get_record_offset()


def impolite(log: Iterable[Access], delay: float, robots: dict[str, str]) -> list[str]:
    """What the server has to complain about, in sentences."""
    return [str(violation) for violation in violations(log, lambda host: delay, robots)]


# --- processes -------------------------------------------------------------------------------------------------------


def _peak_memory(pid: int) -> int:
    try:
        status = Path(f"/proc/{pid}/status").read_text()
    except (FileNotFoundError, ProcessLookupError):  # it is over, but nobody told us yet
        return 0
    return max((int(size) * 1024 for size in re.findall(r"VmHWM:\s+(\d+) kB", status)), default=0)


def _children(parent: int) -> list[int]:
    return [int(pid) for pid in Path(f"/proc/{parent}/task/{parent}/children").read_text().split()]


def _is_alive(pid: int) -> bool:
    """False also for a zombie, whose parent is dead and which nobody has buried yet."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except (FileNotFoundError, ProcessLookupError):
        return False


async def all_gone(pids: Iterable[int], within: float = 10.0) -> bool:
    """Wait for processes that are not our children; False when some are still alive at the end."""
    left = list(pids)
    for _ in range(int(within / 0.05)):
        left = [pid for pid in left if _is_alive(pid)]
        if not left:
            return True
        await asyncio.sleep(0.05)
    return False
