"""`shoal status`: how does a crawl stand?"""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click
from msgspec.structs import asdict

from shoal import services
from shoal.commands import options
from shoal.commands.console import say
from shoal.commands.live_lines import clock, size
from shoal.commands.next_command import alone, in_crawl
from shoal.commands.output import aligned, counted, reply, run_async, whole

if TYPE_CHECKING:
    from shoal.model.stored import WorkerRecord
    from shoal.services.cluster_status import Attendance
    from shoal.services.supervisor import RunState
    from shoal.store.crawl_status import HostCounts, ReasonCount, Status

_SHOWN_CLOSED = 5
_SHOWN_SEEDS = 5
_SHOWN_WORKERS = 40
"""Workers that fit on a screen; the busiest come first."""


@click.command()
@options.whole_crawl
@options.as_json
def status(folder: Path, as_json: bool) -> int:
    """How does a crawl stand: its queues, hosts, workers and rates."""
    found, cluster = services.status.crawl_status(folder), run_async(services.cluster_status.attendance(folder))
    run = services.supervisor.state_of(folder)
    said = asdict(found) | {"cluster": cluster, "run": whole(run)}
    return reply(said, lambda: show_status(folder, found, cluster, run), as_json=as_json)


def show_status(folder: Path, status: Status, cluster: Attendance | None = None, run: RunState | None = None) -> None:
    """The queues, hosts and rates of a crawl, and its workers if they are on other machines."""
    say(f"{folder}  {_state(status, run)}", "bold")
    if run is not None:
        for line in _of_run(run, time.time()):
            say(line)
    for line in summary(folder, status):
        say(line)
    for title, rows in (("URLs", _queues(status)), ("Hosts", _hosts(status))):
        say(f"\n{title}", "bold")
        for row in rows:
            say(row)
    for line in troubles(folder, status):
        say(f"\n{line}")
    if cluster is not None:
        show_attendance(cluster)


def _state(status: Status, run: RunState | None) -> str:
    """The word of `shoal crawls`; of a crawl that is over, with the reason."""
    if run is None:
        return "running" if status.running else "not running"
    tells = run.state in ("stopped", "finished") and run.why not in ("", run.state)
    return f"{run.state}: {run.why}" if tells else run.state


def _of_run(run: RunState, now: float) -> Iterator[str]:
    """What is worth saying of the process that runs it, or of how it ended."""
    if run.at_work and run.live is not None:
        live, age = run.live, run.age(now) or 0.0
        yield (
            f"process {run.pid} on {run.host}: {live.rate:.1f} pages/s lately, {live.in_flight:,} in flight, "
            f"as of {_ago(age)}"
        )
    elif run.state in ("failed", "dead"):
        yield run.why


# --- what came of it -------------------------------------------------------------------------------------------------


def summary(folder: Path, status: Status) -> Iterator[str]:
    """What the crawl brought home so far."""
    speed = "" if status.pages_per_second is None else f", {status.pages_per_second:.1f} pages/s"
    yield f"{counted(status.pages, 'page')} ({size(status.bytes)}) in {clock(status.elapsed)}{speed}"
    yield f"{status.relevant:,} relevant by the judge{_and_by_hand(status)}"
    if (found := status.images) is not None:
        rest = {
            "smaller of the same": found.copies,
            "waiting": found.waiting,
            "failed": found.failed,
            "skipped": found.skipped,
        }
        others = ", ".join(f"{count:,} {what}" for what, count in rest.items() if count)
        yield f"{counted(found.kept, 'image')} kept" + (f" ({others})" if others else "")
    if status.due:
        yield f"{counted(status.due, 'page')} to be looked at again: shoal revisit {in_crawl(folder)}"


def _and_by_hand(status: Status) -> str:
    harvest = "" if status.harvest_rate is None else f" (harvest rate {status.harvest_rate:.1%})"
    if not status.marked_relevant + status.marked_irrelevant:
        return harvest
    marks = f"{status.marked_relevant:,} relevant, {status.marked_irrelevant:,} irrelevant"
    return f" and by hand{harvest}; marked by hand: {marks}"


def troubles(folder: Path, status: Status) -> Iterator[str]:
    """What the user should know, and must not drown in numbers."""
    if status.internal_errors:  # bugs are neither hidden nor fatal
        pages, where = counted(status.internal_errors, "page"), services.status.internal_errors_file(folder)
        yield f"{pages} could not be understood: this is our fault, see {where} (and please report it)."
    yield from _outlook(status)
    for seed in status.failed_seeds[:_SHOWN_SEEDS]:  # most likely a mistake
        yield f"The seed {seed.url} gave no page: {seed.why}."
    if (more := len(status.failed_seeds) - _SHOWN_SEEDS) > 0:
        yield f"Nor did {more:,} more seeds: 'shoal status {alone(folder)} --json' lists them."


def _outlook(status: Status) -> Iterator[str]:
    """What was to be expected when the last run ended, and whether that can be trusted."""
    if (found := status.outlook) is None:
        return
    if found.pages and found.waiting:
        begin = "The next" if found.after == status.pages else f"After {counted(found.after, 'page')}: the next"
        following = "page" if found.pages == 1 else f"{found.pages:,} pages"
        yield (
            f"{begin} {following} would bring {_about(found.relevant, 'relevant one')}; "
            f"{_about(found.missed, 'relevant page')} remain{'s' if round(found.missed) <= 1 else ''} "
            f"among the {found.waiting:,} that wait{'s' if found.waiting == 1 else ''}."
        )
    if found.warning:
        yield found.warning


def _about(number: float, noun: str) -> str:
    return f"about {counted(round(number), noun)}" if round(number) else f"hardly a {noun}"


# --- queues and hosts ------------------------------------------------------------------------------------------------


def _queues(status: Status) -> Iterator[str]:
    more = len(status.fetching_urls) - 3
    fetching = ", ".join(status.fetching_urls[:3]) + (f" and {more} more" if more > 0 else "")
    yield from aligned(
        [
            ("waiting", f"{status.waiting:,}", ""),
            ("fetching", f"{status.fetching:,}", fetching),
            ("done", f"{status.done:,}", ""),
            ("moved", f"{status.moved:,}", ""),
            ("failed", f"{status.failed:,}", _reasons(status.failures)),
            ("skipped", f"{status.skipped:,}", _reasons(status.skips)),
        ],
        left={0, 2},
    )


def _reasons(counts: Sequence[ReasonCount]) -> str:
    return ", ".join(f"{count.reason} {count.count:,}" for count in counts)


def _hosts(status: Status) -> Iterator[str]:
    yield f"  {status.hosts:,} known, {status.hosts_waiting:,} with URLs waiting"
    if status.hosts_closed:
        shown = ", ".join(f"{host.host} ({host.reason})" for host in status.closed[:_SHOWN_CLOSED])
        closed = sum(count.count for count in status.hosts_closed)
        yield f"  {closed:,} closed: {shown}" + (" …" if closed > _SHOWN_CLOSED else "")
    if status.top_hosts:
        header = ("most pages", "pages", "relevant", "waiting", "failed")
        yield from aligned([header, *map(_host_row, status.top_hosts)], left={0})


def _host_row(host: HostCounts) -> tuple[str, ...]:
    return (host.host, *(f"{count:,}" for count in (host.pages, host.relevant, host.waiting, host.failed)))


# --- workers ---------------------------------------------------------------------------------------------------------


def show_attendance(found: Attendance) -> None:
    """Who works for a crawl on other machines, and what they could not do."""
    say("\nWorkers", "bold")
    for line in _workers(found, time.time()):
        say(line)
    if found.problem:
        say(f"\n{found.problem}")
    if found.dead_letters:
        say("\nPut aside: workers died of them, or nobody could read them", "bold")
        for letter in found.dead:
            say(f"  {letter.url}" + (f"  after {letter.attempts} attempts" if letter.attempts else ""))
        if (more := found.dead_letters - len(found.dead)) > 0:
            say(f"  and {more:,} more")


def _workers(found: Attendance, now: float) -> Iterator[str]:
    if not found.workers:
        yield f"  none was heard yet at {found.broker}: start some with shoal worker --broker URL"
        return
    busiest = sorted(found.workers, key=lambda worker: (-worker.rate, worker.name))
    header = ("name", "state", "a second", "busy", "visits", "failed", "heard")
    rows = [_worker_row(worker, now) for worker in busiest[:_SHOWN_WORKERS]]
    yield from aligned([header, *rows], left={0, 1})
    if (more := len(busiest) - _SHOWN_WORKERS) > 0:
        yield f"  and {more:,} more"
    yield f"  {found.rate:.1f} visits a second in all, through {found.broker}"


def _worker_row(worker: WorkerRecord, now: float) -> tuple[str, ...]:
    state = worker.state if worker.state != "refused" else f"refused (shoal {worker.shoal})"
    return (
        worker.name,
        state,
        f"{worker.rate:.1f}",
        f"{worker.busy}/{worker.capacity}",
        f"{worker.visits:,}",
        f"{worker.failures:,}",
        _ago(now - worker.heard_at),
    )


def _ago(seconds: float) -> str:
    if seconds < 120:
        return f"{max(0.0, seconds):.0f} s ago"
    return f"{seconds / 60:.0f} min ago" if seconds < 7200 else f"{seconds / 3600:.0f} h ago"
