"""How does it look in a terminal? Progress of a crawl, its status, and explanations.

Progress goes to standard error, answers to standard output. A URL is never broken: whoever reads it can copy it.
"""

from __future__ import annotations

import asyncio
import shlex
from collections.abc import Callable, Coroutine, Iterator, Sequence
from pathlib import Path

from rich.console import Console, Group, RenderableType
from rich.live import Live
from rich.table import Table
from rich.text import Text

from shoal.crawl.allowance import Ending
from shoal.crawl.coordinator import Coordinator
from shoal.crawl.statistics import Statistics
from shoal.model import Evidence, Outlook
from shoal.printable import harmless
from shoal.store.crawl_status import Count, HostCounts, Status
from shoal.store.ownership import LOG
from shoal.store.provenance import Explanation, Step
from shoal.terminal.speaking import Notes, aligned, speaker, tell

Watch = Callable[[Coordinator], Coroutine[None, None, None]]
_FRAME_SECONDS = 0.25
_LINE_SECONDS = 5.0
_SHOWN_FETCHES = 6
_SHOWN_CLOSED = 5
_SHOWN_SEEDS = 5
_RAISE = {
    Ending.PAGES: "--max-pages N",
    Ending.BYTES: "--max-bytes N",
    Ending.TIME: "--max-time TIME",
    Ending.DONE: "--until-done SHARE",
}
"""What lets a crawl go on that is over."""
_HOLDING_BACK = "better links wait for their hosts (--hurry does not)"


# --- progress --------------------------------------------------------------------------------------------------------


async def silent(coordinator: Coordinator) -> None:
    """Show nothing."""


def unsaid(sentence: str) -> None:
    """Say nothing."""


def progress(folder: Path) -> Watch:
    """Show how a crawl goes: live in a terminal, a plain line now and then elsewhere."""
    console = Notes()
    return _live(console, folder) if console.is_terminal else _lines


def _live(console: Console, folder: Path) -> Watch:
    async def watch(coordinator: Coordinator) -> None:
        # Its last state is gone with it, because `ending` says the same for good.
        with Live(console=console, auto_refresh=False, transient=True) as live:
            while True:
                live.update(screen(folder, coordinator.statistics(), coordinator.finish.outlook), refresh=True)
                await asyncio.sleep(_FRAME_SECONDS)

    return watch


async def _lines(coordinator: Coordinator) -> None:
    last = 0.0
    told = False
    while True:
        await asyncio.sleep(_FRAME_SECONDS)
        now = coordinator.statistics()
        if now.stopping and not told:
            told = True
            tell(stopping_line(now))
        last += _FRAME_SECONDS
        if last >= _LINE_SECONDS:
            last = 0.0
            tell(line(now))


def line(now: Statistics) -> str:
    """How a crawl stands, where there is only one line to say it."""
    trouble = f"; last failure: {harmless(now.trouble)}" if now.trouble and not now.pages else ""
    held = f"; {_HOLDING_BACK}" if now.holding_back else ""
    return (
        f"{_clock(now.elapsed)}  {now.pages:,} pages, {now.relevant:,} relevant ({now.harvest_rate:.0%}), "
        f"{now.rate:.1f} pages/s, {now.queue:,} waiting, {len(now.fetching)} in flight, "
        f"hosts {now.hosts_ready:,} ready {now.hosts_waiting:,} waiting{_extras(now)}{held}{trouble}"
    )


def _extras(now: Statistics) -> str:
    """What comes besides pages, if anything does."""
    pictures = f"; {_count(now.pictures, 'picture')}" if now.pictures else ""
    return f"{pictures}; {now.extras:,} pictures or pages to look at again are waiting" if now.extras else pictures


def stopping_line(now: Statistics) -> str:
    """What happens after the first Ctrl-C."""
    return f"Finishing {_count(len(now.fetching), 'request')} in flight; Ctrl-C again stops at once."


def screen(folder: Path, now: Statistics, outlook: Outlook | None = None) -> RenderableType:
    """How a crawl stands, in a terminal that can be drawn over."""
    title = Text.assemble(
        ("shoal ", "bold"), f"{folder}  {_clock(now.elapsed)}  {_size(now.bytes)}", overflow="ellipsis"
    )
    title.no_wrap = True
    fetches = [
        Text(f"  → {url}", style="dim", overflow="ellipsis", no_wrap=True) for url in now.fetching[:_SHOWN_FETCHES]
    ]
    more = len(now.fetching) - len(fetches)
    rest = [Text(f"    and {more} more in flight", style="dim")] if more > 0 else []
    if extras := _extras(now).removeprefix("; "):
        rest.append(Text(f"  {extras}", overflow="ellipsis", no_wrap=True))
    if now.holding_back:
        rest.append(Text(f"  {_HOLDING_BACK}", style="dim", overflow="ellipsis", no_wrap=True))
    if now.trouble:
        rest.append(Text(f"  last failure: {harmless(now.trouble)}", style="dim", overflow="ellipsis", no_wrap=True))
    if outlook is not None and outlook.pages:
        share = f"  {outlook.relevant / outlook.pages:.1%} of the next {outlook.pages:,} pages expected to be relevant"
        rest.append(Text(share, style="dim", overflow="ellipsis", no_wrap=True))
    foot = Text(stopping_line(now), style="yellow") if now.stopping else Text("Ctrl-C stops; nothing is lost.", "dim")
    return Group(title, _figures(now), *fetches, *rest, foot)


def _figures(now: Statistics) -> Table:
    figures = Table.grid(padding=(0, 3))
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
    return figures


def _figure(name: str, value: str, style: str = "") -> Text:
    return Text.assemble((value, f"bold {style}"), (f" {name}", "dim"))


def ending(folder: Path, ending: Ending, status: Status) -> str:
    """What a crawl says when it is over: why, what came of it, and what can be done now."""
    where = f"--dir {shlex.quote(str(folder))}"
    why = "Stopped." if ending is Ending.STOPPED else f"The crawl is over: {ending}."
    if ending in (Ending.STOPPED, Ending.RESTING):
        advice = f"Go on with: shoal resume {where}"
    else:
        more = f"Go on with: shoal resume {where} {_RAISE[ending]}\n" if ending in _RAISE and status.waiting else ""
        images = f"Look with: shoal images {where} --html gallery.html\n" if status.pictures else ""
        found = f"{images}Search with: shoal search {where} WORDS\nTake with: shoal export {where}"
        advice = f"{more}Look with: shoal status {where}\n{found}"
    parts = (
        why,
        _harvest(status),
        *_pictures(status),
        _leftovers(status),
        *_our_fault(folder, status),
        *_outlook(status),
        *_failed_seeds(status),
        advice,
    )
    return harmless("\n".join(parts))


def _harvest(status: Status) -> str:
    speed = "" if status.pages_per_second is None else f", {status.pages_per_second:.1f} pages/s"
    harvest = "" if status.harvest_rate is None else f" (harvest rate {status.harvest_rate:.1%})"
    return (
        f"{_count(status.pages, 'page')} ({_size(status.bytes)}) in {_clock(status.elapsed)}{speed}\n"
        f"{status.relevant:,} relevant by the judge{_and_by_hand(status, harvest)}"
    )


def _pictures(status: Status) -> Iterator[str]:
    if (found := status.pictures) is not None:
        rest = {
            "smaller of the same": found.copies,
            "waiting": found.waiting,
            "failed": found.failed,
            "skipped": found.skipped,
        }
        others = ", ".join(f"{count:,} {what}" for what, count in rest.items() if count)
        yield f"{_count(found.kept, 'picture')} kept" + (f" ({others})" if others else "")
    if status.due:
        yield f"{_count(status.due, 'page')} to be looked at again: shoal revisit goes on"


def _and_by_hand(status: Status, harvest: str) -> str:
    if not status.marked_relevant + status.marked_irrelevant:
        return harvest
    marks = f"{status.marked_relevant:,} relevant, {status.marked_irrelevant:,} irrelevant"
    return f" and by hand{harvest}; marked by hand: {marks}"


def _our_fault(folder: Path, status: Status) -> Iterator[str]:
    """Bugs are neither hidden nor fatal."""
    if status.internal_errors:
        pages = _count(status.internal_errors, "page")
        yield f"{pages} could not be understood: this is our fault, see {folder / LOG} (and please report it)."


def _failed_seeds(status: Status) -> list[str]:
    """A seed that gave nothing is most likely a mistake, and must not drown in the number of failures."""
    shown = [f"The seed {seed.url} gave no page: {seed.why}." for seed in status.failed_seeds[:_SHOWN_SEEDS]]
    if (more := len(status.failed_seeds) - _SHOWN_SEEDS) > 0:
        shown.append(f"Nor did {more:,} more seeds: shoal status --json lists them.")
    return shown


def _outlook(status: Status) -> Iterator[str]:
    """What was to be expected when the last run ended, and whether that can be trusted."""
    if (found := status.outlook) is None:
        return
    if found.pages and found.waiting:
        begin = "The next" if found.after == status.pages else f"After {_count(found.after, 'page')}: the next"
        following = "page" if found.pages == 1 else f"{found.pages:,} pages"
        yield (
            f"{begin} {following} would bring {_about(found.relevant, 'relevant one')}; "
            f"{_about(found.missed, 'relevant page')} remain{'s' if round(found.missed) <= 1 else ''} "
            f"among the {found.waiting:,} that wait{'s' if found.waiting == 1 else ''}."
        )
    if found.warning:
        yield found.warning


def _about(number: float, noun: str) -> str:
    return f"about {_count(round(number), noun)}" if round(number) else f"hardly a {noun}"


def _leftovers(status: Status) -> str:
    return f"{_count(status.waiting, 'URL')} waiting, {status.failed:,} failed, {status.skipped:,} skipped"


# --- status ----------------------------------------------------------------------------------------------------------


def show_status(folder: Path, status: Status) -> None:
    """The queues, hosts and rates of a crawl."""
    say = speaker()
    say(f"{folder}  {'running' if status.running else 'not running'}", "bold")
    for line in (_harvest(status), *_pictures(status)):
        say(line)
    for title, rows in (("URLs", _queues(status)), ("Hosts", _hosts(status))):
        say(f"\n{title}", "bold")
        for row in rows:
            say(row)
    for line in (*_our_fault(folder, status), *_outlook(status), *_failed_seeds(status)):
        say(f"\n{line}")


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


def _reasons(counts: Sequence[Count]) -> str:
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


# --- explanations ----------------------------------------------------------------------------------------------------


def show_explanation(found: Explanation) -> None:
    """Why a URL was fetched, why this score, or why not."""
    say = speaker()
    say(found.url, "bold")
    if found.title:
        say(f"“{found.title}”")
    say(_fate(found))
    say("\nHow we got there, with the score of each page", "bold")
    for step in found.path:
        say(_step(step))
    say("\nPriority", "bold")
    say(f"  {found.priority:6.3f}  {found.priority_why or 'no reason was kept'}")
    if found.value_why:  # the priority may be older: only those that decide what comes next are kept up to date
        say("\nWhat makes its value now", "bold")
        _show_evidence(say, found.value_why)
    if found.score is not None and found.threshold is not None:
        say("\nScore", "bold")
        verdict = "relevant" if found.score >= found.threshold else "not relevant"  # the judge's, also of a marked page
        say(f"  {found.score:6.3f}  {verdict}, the threshold is {found.threshold:.3f}")
        _show_evidence(say, found.evidence)


def _show_evidence(say: Callable[..., None], parts: Sequence[Evidence]) -> None:
    for part in parts:
        say(f"  {part.amount:+6.3f}  {part.what}")


def _fate(found: Explanation) -> str:
    """What became of it: done, moved and waiting say so themselves, a failure or a refusal gets its word in front."""
    sentence = found.sentence if found.sentence.endswith(".") else f"{found.sentence}."
    if found.reason:
        tries = f" after {found.attempts} attempts" if found.attempts > 1 else ""
        sentence = f"{found.state.capitalize()}{tries} ({found.reason}): {sentence}"
    if found.host_rank is not None:
        sentence += f" On its host it is number {found.host_rank.place:,} of {found.host_rank.of:,}."
    if found.retry_at is not None:
        sentence += f" It is tried again not before {found.retry_at:%Y-%m-%d %H:%M:%S} UTC."
    return sentence


def _step(step: Step) -> str:
    score = "   –" if step.score is None else f"{step.score:.2f}"
    link = f"by the link “{step.anchor}”" if step.anchor else "by a link without words"
    how = {"seed": "a seed", "redirect": "by a redirect"}.get(step.by, link)
    return f"  {score}  {step.url}  {how}"


# --- what all of it needs --------------------------------------------------------------------------------------------


def _count(count: int, noun: str) -> str:
    return f"{count:,} {noun}" if count == 1 else f"{count:,} {noun}s"


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
