"""How does a test run crawls as real processes? Words to start, stop, kill and resume them, and to look at what they left.

operator = Operator(tmp_path)
crawl = await operator.types("crawl", "--topic", "grid", "--seed", url, "--dir", "c", "--proxy", server.proxy)
await crawl.kill()
assert (await operator.runs("resume", "--dir", "c")).code == 0
assert stored(operator.folder("c")) == …
"""

from __future__ import annotations

import asyncio
import os
import re
import signal
import sys
from collections import Counter
from collections.abc import Coroutine, Iterable, Sequence
from dataclasses import dataclass
from itertools import count
from pathlib import Path
from typing import Any

from warcio.archiveiterator import ArchiveIterator

from shoal.services import crawls as app
from shoal.settings import Cluster, Settings
from shoal.store import crawl_folder as folders
from shoal.testing.politeness_audit import violations
from shoal.testing.webserver import Access


@dataclass(frozen=True)
class Finished:
    """A command that is over."""

    code: int
    out: str
    err: str


class Command:
    """A `shoal` command under way, in a process group of its own."""

    def __init__(self, process: asyncio.subprocess.Process, output: Path) -> None:
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

    def __init__(self, home: Path) -> None:
        self._home = home
        self._numbers = count()

    def folder(self, name: str) -> Path:
        return self._home / name

    def prepares(self, name: str, settings: Settings, cluster: Cluster | None = None) -> None:
        """A crawl with settings that no option can give; `resume` starts it."""
        app.start_crawl(self.folder(name), settings, cluster=cluster or Cluster())

    async def types(self, *arguments: str, prefix: Sequence[str] = ()) -> Command:
        """Start a command; behind a prefix when another command is to start it."""
        output = self._home / f"command-{next(self._numbers)}"
        with output.with_suffix(".out").open("wb") as out, output.with_suffix(".err").open("wb") as err:
            process = await asyncio.create_subprocess_exec(
                *(*prefix, sys.executable, "-m", "shoal", *arguments),
                cwd=self._home,
                env=os.environ | {"SHOAL_STATE_DIR": str(self._home / "state")},
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
UNION SELECT url, warc_file, warc_offset FROM pictures WHERE warc_file <> ''
"""
"""What must be in the WARC files: pages, what they said before, and pictures."""


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
    records = [record for place in (folder, *elsewhere) for record in _records(place)]
    assert Counter(with_body) == Counter(records)


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
