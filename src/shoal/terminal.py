"""How does it look in a terminal? Progress of a crawl, its status, and explanations."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Callable, Coroutine
from pathlib import Path

from rich.console import Console, Group
from rich.live import Live
from rich.markup import escape
from rich.table import Table
from rich.text import Text

from shoal.crawl.coordinator import Coordinator, Ending
from shoal.crawl.statistics import Statistics
from shoal.store.explain import Explanation
from shoal.store.report import Count, Status

_FRAME_SECONDS = 0.25
_LINE_SECONDS = 5.0
_SHOWN_FETCHES = 6


async def silent(coordinator: Coordinator) -> None:
    """Show nothing."""


def progress(folder: Path) -> Callable[[Coordinator], Coroutine[None, None, None]]:
    """Show how a crawl goes: live in a terminal, a plain line now and then elsewhere."""
    console = Console(stderr=True)
    return _live(console, folder) if console.is_terminal else _lines


def _live(console: Console, folder: Path) -> Callable[[Coordinator], Coroutine[None, None, None]]:
    async def watch(coordinator: Coordinator) -> None:
        with Live(console=console, auto_refresh=False, transient=True) as live:
            while True:
                live.update(_screen(folder, coordinator.statistics()), refresh=True)
                await asyncio.sleep(_FRAME_SECONDS)

    return watch


async def _lines(coordinator: Coordinator) -> None:
    while True:
        await asyncio.sleep(_LINE_SECONDS)
        now = coordinator.statistics()
        print(
            f"{_clock(now.elapsed)}  {now.pages:,} pages, {now.relevant:,} relevant ({now.harvest_rate:.0%}), "
            f"{now.rate:.1f} pages/s, {now.queue:,} waiting, {len(now.fetching)} in flight, "
            f"hosts {now.hosts_ready:,} ready {now.hosts_waiting:,} waiting",
            file=sys.stderr,
            flush=True,
        )


def _screen(folder: Path, now: Statistics) -> Group:
    figures = Table.grid(padding=(0, 3))
    for _ in range(4):
        figures.add_column()
    figures.add_row(
        _figure("pages", f"{now.pages:,}"),
        _figure("relevant", f"{now.relevant:,}", "green"),
        _figure("harvest rate", f"{now.harvest_rate:.1%}", "green"),
        _figure("pages/s", f"{now.rate:.1f}"),
    )
    figures.add_row(
        _figure("queue", f"{now.queue:,}"),
        _figure("hosts ready", f"{now.hosts_ready:,}"),
        _figure("hosts waiting", f"{now.hosts_waiting:,}"),
        _figure("failed", f"{now.failed:,}", "red" if now.failed else ""),
    )
    title = Text.assemble(("shoal ", "bold"), f"{folder}  {_clock(now.elapsed)}  {_size(now.bytes)}")
    fetches = [
        Text(f"  → {url}", style="dim", overflow="ellipsis", no_wrap=True) for url in now.fetching[:_SHOWN_FETCHES]
    ]
    more = len(now.fetching) - len(fetches)
    rest = [Text(f"    and {more} more in flight; Ctrl-C stops, and nothing is lost", style="dim")] if more > 0 else []
    return Group(title, figures, *fetches, *rest)


def _figure(name: str, value: str, style: str = "") -> Text:
    return Text.assemble((value, f"bold {style}"), (f" {name}", "dim"))


def ending(folder: Path, ending: Ending, status: Status) -> str:
    """What a crawl says when it is over."""
    summary = (
        f"Over: {ending}. {status.pages:,} pages, {status.relevant:,} relevant by the judge, "
        f"{status.failed:,} failed, {status.skipped:,} skipped, {status.waiting:,} waiting, in {_clock(status.elapsed)}."
    )
    if ending is Ending.STOPPED:
        return f"{summary}\nGo on with: shoal resume --dir {folder}"
    return f"{summary}\nSee: shoal status --dir {folder}; shoal export --dir {folder}"


# --- status ----------------------------------------------------------------------------------------------------------


def show_status(folder: Path, status: Status) -> None:
    """The queues, hosts and rates of a crawl."""
    console = Console()
    state = "[green]running[/]" if status.running else "not running"
    console.print(f"[bold]{escape(str(folder))}[/]  {state}  {_clock(status.elapsed)} of crawling", highlight=False)
    console.print(_queues(status))
    console.print(_rates(status), highlight=False)
    if status.top_hosts:
        console.print(_hosts(status))


def _queues(status: Status) -> Table:
    table = Table(title="URLs", title_justify="left", box=None, padding=(0, 2, 0, 0))
    table.add_column("queue")
    table.add_column("URLs", justify="right")
    table.add_column("of which")
    fetching = Text(", ".join(status.fetching_urls[:3]) + (" …" if len(status.fetching_urls) > 3 else ""))
    rows: list[tuple[str, int, Text]] = [
        ("waiting", status.waiting, Text("")),
        ("fetching", status.fetching, fetching),
        ("done", status.done, Text("")),
        ("moved", status.moved, Text("")),
        ("failed", status.failed, _reasons(status.failures)),
        ("skipped", status.skipped, _reasons(status.skips)),
    ]
    for name, count, detail in rows:
        table.add_row(name, f"{count:,}", detail)
    return table


def _reasons(counts: tuple[Count, ...]) -> Text:
    return Text(", ".join(f"{count.reason} {count.count:,}" for count in counts))


def _rates(status: Status) -> str:
    harvest = "no page yet" if status.harvest_rate is None else f"{status.harvest_rate:.1%}"
    speed = "" if status.pages_per_second is None else f", {status.pages_per_second:.1f} pages/s"
    return (
        f"{status.pages:,} pages ({_size(status.bytes)}), {status.relevant:,} relevant by the judge "
        f"(harvest rate {harvest}){speed}; {status.hosts:,} hosts, {status.hosts_waiting:,} of them with URLs waiting"
    )


def _hosts(status: Status) -> Table:
    table = Table(title="Hosts", title_justify="left", box=None, padding=(0, 2, 0, 0))
    table.add_column("host")
    for name in ("pages", "relevant", "waiting", "failed"):
        table.add_column(name, justify="right")
    for host in status.top_hosts:
        table.add_row(Text(host.host), f"{host.pages:,}", f"{host.relevant:,}", f"{host.waiting:,}", f"{host.failed:,}")
    return table


# --- explanations ----------------------------------------------------------------------------------------------------


def show_explanation(found: Explanation, console: Console | None = None) -> None:
    """Why a URL was fetched, why this score, or why not."""
    console = console or Console()
    console.print(Text.assemble((found.url, "bold"), f"\n{found.sentence}"))
    if found.title:
        console.print(Text(f"“{found.title}”"))
    console.print(Text("How we got there", style="bold"))
    for depth, step in enumerate(found.path):
        console.print(Text("  " * depth + _step(step.by, step.url, step.anchor, step.score)))
    console.print(
        Text.assemble(("Priority ", "bold"), f"{found.priority:.3f}: {found.priority_why or 'no reason kept'}")
    )
    if found.score is not None and found.threshold is not None:
        console.print(Text.assemble(("Score ", "bold"), f"{found.score:.3f}, the threshold is {found.threshold:.3f}"))
        for evidence in found.evidence:
            console.print(Text(f"  {evidence.amount:+.3f}  {evidence.what}"))


def _step(by: str, url: str, anchor: str, score: float | None) -> str:
    how = {"seed": "seed", "redirect": "redirected to"}.get(by, f"link “{anchor}” to" if anchor else "link to")
    return f"{how} {url}" + ("" if score is None else f"  (score {score:.2f})")


# --- words for numbers -----------------------------------------------------------------------------------------------


def _clock(seconds: float) -> str:
    minutes, rest = divmod(int(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{rest:02}"


def _size(count: float) -> str:
    for unit in ("B", "KB", "MB", "GB"):
        if count < 1000 or unit == "GB":
            return f"{count:.0f} {unit}" if unit == "B" else f"{count:.1f} {unit}"
        count /= 1000
    raise AssertionError("every size has a unit")
