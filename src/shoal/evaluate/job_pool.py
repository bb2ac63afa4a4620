"""How do several processes share a list of jobs? Each takes the next one when it is done; what they say comes as it happens.

A job that fails ends it all, loudly: half a comparison would look like a whole one. So does a process that dies. Ctrl-C is
for the one who handed out the jobs; the others are ended with it.
"""

from __future__ import annotations

import multiprocessing
import signal
import traceback
from collections.abc import Callable, Collection, Generator, Hashable, Iterator, Sequence
from dataclasses import dataclass
from multiprocessing import resource_tracker
from multiprocessing.connection import Connection, wait
from multiprocessing.context import SpawnProcess
from typing import Generic, TypeVar, cast

from shoal.crawl.time_slices import collect_seldom
from shoal.errors import ShoalError

Job = TypeVar("Job")
Result = TypeVar("Result")


@dataclass(frozen=True, slots=True)
class Began(Generic[Job]):
    """Somebody works on a job now."""

    job: Job


@dataclass(frozen=True, slots=True)
class Ended(Generic[Job, Result]):
    """A job is done."""

    job: Job
    result: Result


class JobFailed(Exception):
    """A job raised what it should not: a bug, with the traceback of the process it happened in."""


def share(
    work: Callable[[Job], Result],
    jobs: Sequence[Job],
    processes: int,
    group: Callable[[Job], Hashable] = lambda job: None,
) -> Generator[Began[Job] | Ended[Job, Result], None, None]:
    """Do all jobs, in about their order; `work` is sent to each process once.

    Jobs of one `group` use what is remembered of each other: whoever did one goes on with the next of them, and the others
    begin another group as long as there is one. With one process everything happens in this one.
    """
    if min(processes, len(jobs)) <= 1:
        for job in jobs:
            yield Began(job)
            yield Ended(job, work(job))
        return
    worker_registry = [_PoolWorker(work) for _ in range(min(processes, len(jobs)))]
    try:
        yield from _share(worker_registry, list(jobs), group)
    finally:
        for worker in worker_registry:
            worker.end()


def _share(
    worker_registry: Sequence[_PoolWorker[Job, Result]], waiting: list[Job], group: Callable[[Job], Hashable]
) -> Iterator[Began[Job] | Ended[Job, Result]]:
    busy: dict[Connection, _PoolWorker[Job, Result]] = {}
    # Which groups somebody works on, by the process that does.
    places: dict[_PoolWorker[Job, Result], Hashable] = {}

    def hand_out(worker: _PoolWorker[Job, Result]) -> Iterator[Began[Job]]:
        if not waiting:
            return
        job = choose(waiting, group, own=places.get(worker), taken=places.values())
        waiting.remove(job)
        places[worker] = group(job)
        worker.take(job)
        busy[worker.line] = worker
        yield Began(job)

    for worker in worker_registry:
        yield from hand_out(worker)
    while busy:
        for line in wait(list(busy)):
            worker = busy.pop(cast(Connection, line))
            yield worker.bring()
            yield from hand_out(worker)


def choose(
    waiting: Sequence[Job], group: Callable[[Job], Hashable], *, own: Hashable, taken: Collection[Hashable]
) -> Job:
    """Of one's own group first, then of one that nobody is in, then whatever is left; each in the order of the list."""
    return min(waiting, key=lambda job: (group(job) != own, group(job) in taken))


class _PoolWorker(Generic[Job, Result]):
    """One process, and what it works on."""

    def __init__(self, work: Callable[[Job], Result]) -> None:
        context = multiprocessing.get_context("spawn")  # a forked process would inherit threads and locks in any state
        self.line, theirs = context.Pipe()
        self._process: SpawnProcess = context.Process(target=_work, args=(work, theirs), daemon=True)
        # Ctrl-C is for us, also while the process starts: it inherits that the signal is blocked, and we get it right after.
        resource_tracker.ensure_running()  # which would unblock it again when the first process starts
        signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
        try:
            self._process.start()
        finally:
            signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})
        theirs.close()
        self._job: Job | None = None

    def take(self, job: Job) -> None:
        """Begin with a job."""
        self._job = job
        self.line.send(job)

    def bring(self) -> Ended[Job, Result]:
        """What came of the job; waits for it."""
        job = cast(Job, self._job)
        try:
            result, error = self.line.recv()
        except (EOFError, ConnectionResetError):
            self._process.join()
            code = self._process.exitcode
            raise ChildProcessError(f"the process that worked on {job} died with exit code {code}") from None
        if isinstance(error, ShoalError):
            raise error
        if error is not None:
            raise JobFailed(f"{job} failed:\n{error}")
        return Ended(job, result)

    def end(self) -> None:
        """Whatever it does, it ends now."""
        self._process.terminate()
        self._process.join()
        self._process.close()
        self.line.close()


def _work(work: Callable[[Job], Result], line: Connection) -> None:
    """Take jobs until nobody hands them out any more."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    collect_seldom()
    while True:
        try:
            job = line.recv()
        except EOFError:
            return
        try:
            answer: tuple[Result | None, object] = work(job), None
        except ShoalError as error:
            answer = None, error
        except Exception:
            answer = None, traceback.format_exc()
        try:
            line.send(answer)
        except BrokenPipeError:  # who wanted to know is gone
            return
