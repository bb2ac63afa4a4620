"""How does a comparison look in a terminal? What runs and how long it takes; then who is how good, and where to look.

Progress goes to standard error, live in a terminal and as plain lines elsewhere; the tables go to standard output.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from rich.cells import cell_len
from rich.console import Console, Group, RenderableType
from rich.live import Live
from rich.progress_bar import ProgressBar
from rich.table import Table
from rich.text import Text

from shoal.evaluate.jobs import JUDGING, ORACLE, Job, Result
from shoal.evaluate.pictured.crawls import PictureJob, PictureResult
from shoal.evaluate.ratings import EXPLAINED, HEADING, Rating, rating_rows, shown
from shoal.evaluate.standings import Comparison, Standing, WebFacts
from shoal.terminal.speaking import Answers, Notes, tell

_LINE_SECONDS = 5.0
_BAR = 12
"""Characters of a full bar."""
_RATING_WIDTH = len("0.123 0.123") + 2
"""Characters of a judge's column with both of its figures in one line."""
_EIGHTHS = " ▏▎▍▌▋▊▉█"

AnyJob = Job | PictureJob
AnyResult = Result | PictureResult


# --- progress --------------------------------------------------------------------------------------------------------


class Silent:
    """Says nothing unless something is wrong."""

    def warn(self, sentence: str) -> None:
        tell(sentence)

    def say(self, sentence: str) -> None: ...
    def surveying(self, web: str, done: int, of: int) -> None: ...
    def planned(self, jobs: int, done: int) -> None: ...
    def began(self, job: AnyJob) -> None: ...
    def ended(self, job: AnyJob, result: AnyResult) -> None: ...


class Lines:
    """One line per job, for files and pipes."""

    def __init__(self, write: Callable[[str], None], clock: Callable[[], float] = time.monotonic) -> None:
        self._write = write
        self._clock = clock
        self._last = -_LINE_SECONDS
        self._pace = _Pace(clock)

    def say(self, sentence: str) -> None:
        self._write(sentence)

    def warn(self, sentence: str) -> None:
        self._write(sentence)

    def surveying(self, web: str, done: int, of: int) -> None:
        if done == of or self._clock() - self._last >= _LINE_SECONDS:
            self._last = self._clock()
            self._write(f"Reading {web}: {done:,} of {of:,} pages")

    def planned(self, jobs: int, done: int) -> None:
        self._pace.start(jobs, done)
        earlier = f", {done:,} of them done earlier" if done else ""
        self._write(f"{jobs:,} jobs to do{earlier}.")

    def began(self, job: AnyJob) -> None:
        self._pace.running.append(job)

    def ended(self, job: AnyJob, result: AnyResult) -> None:
        self._pace.end(job)
        left = f", {self._pace.left()} left" if self._pace.left() else ""
        self._write(f"{self._pace.done:,} of {self._pace.jobs:,}: {outcome(job, result)}{left}")


def outcome(job: AnyJob, result: AnyResult) -> str:
    """What came of a job, in one line."""
    if isinstance(result, PictureResult):
        return f"{job}: {len(result.hits):,} of {result.total:,} relevant pictures ({result.seconds:.1f} s)"
    if isinstance(job, Job) and job.strategy == JUDGING:
        return f"{job}: AUC {shown(result.auc)} ({result.seconds:.1f} s)"
    return f"{job}: {len(result.hits):,} of {result.relevant:,} relevant in {result.fetched:,} pages ({result.seconds:.1f} s)"


class _Pace:
    """How many jobs are done, and how long the others will take."""

    def __init__(self, clock: Callable[[], float]) -> None:
        self._clock = clock
        self.jobs = self.done = self._earlier = 0
        self._started = 0.0
        self.running: list[AnyJob] = []

    def start(self, jobs: int, done: int) -> None:
        self.jobs, self.done, self._earlier, self._started = jobs, done, done, self._clock()

    def end(self, job: AnyJob) -> None:
        self.running.remove(job)
        self.done += 1

    def left(self) -> str:
        """As far as the jobs so far tell; empty when they do not."""
        made = self.done - self._earlier
        if not made or self.done == self.jobs:
            return ""
        return _duration((self._clock() - self._started) / made * (self.jobs - self.done))


class Screen:
    """Drawn over and over while a comparison runs."""

    def __init__(self, console: Console) -> None:
        self._console = console
        self._pace = _Pace(time.monotonic)
        self._survey = ""
        self._share = 0.0
        self._last = ""

    def say(self, sentence: str) -> None:
        self._survey, self._share = sentence, 1.0

    def warn(self, sentence: str) -> None:
        self._console.print(Text(sentence, style="yellow"))

    def surveying(self, web: str, done: int, of: int) -> None:
        self._survey, self._share = f"Reading {web}: {done:,} of {of:,} pages", done / of

    def planned(self, jobs: int, done: int) -> None:
        self._survey = ""
        self._pace.start(jobs, done)

    def began(self, job: AnyJob) -> None:
        self._pace.running.append(job)

    def ended(self, job: AnyJob, result: AnyResult) -> None:
        self._pace.end(job)
        self._last = outcome(job, result)

    def __rich__(self) -> RenderableType:
        if self._survey or not self._pace.jobs:
            return _progress(self._survey or "Opening …", self._share)
        left = self._pace.left()
        title = f"{self._pace.done:,} of {self._pace.jobs:,} jobs" + (f", {left} left" if left else "")
        running = [_line(f"  → {job}") for job in self._pace.running]
        last = [_line(f"  last: {self._last}")] if self._last else []
        foot = Text("Ctrl-C stops; what is finished is kept.", style="dim")
        return Group(_progress(title, self._pace.done / self._pace.jobs), *running, *last, foot)


def _progress(title: str, share: float) -> Table:
    row = Table.grid(padding=(0, 2))
    row.add_row(ProgressBar(total=1.0, completed=share, width=30), Text(title))
    return row


def _line(text: str) -> Text:
    return Text(text, style="dim", overflow="ellipsis", no_wrap=True)


@contextmanager
def watching(*, silent: bool) -> Iterator[Silent | Screen | Lines]:
    """Show how a comparison goes, of strategies or of pictures."""
    console = Notes(highlight=False)
    if silent:
        yield Silent()
    elif console.is_terminal:
        screen = Screen(console)
        with Live(screen, console=console, refresh_per_second=4, transient=True):
            yield screen
    else:
        yield Lines(tell)


# --- what came of it -------------------------------------------------------------------------------------------------


def show_comparison(comparison: Comparison) -> None:
    """Who is how good, over all and topic by topic, on standard output."""
    console = Answers(highlight=False, markup=False, emoji=False)
    heading(console, comparison.title)
    console.print(_standings(comparison))
    console.print(Text("Share of what a crawler that knows every page brings home (area under recall).", style="dim"))
    heading(console, "At the end of the crawls")
    console.print(_measures(comparison))
    for web in comparison.webs:
        heading(console, f"{web.name}, topic by topic")
        console.print(_topics(comparison, web))
    if comparison.judges:
        heading(console, HEADING)
        console.print(_ratings(comparison, console.width))
        console.print(Text(EXPLAINED, style="dim"))
    heading(console, "Where to look next")
    console.print(_files(comparison), soft_wrap=True)


def heading(console: Console, words: str) -> None:
    console.print(Text(f"\n{words}\n", style="bold cyan"))


def plain_table() -> Table:
    return Table(box=None, padding=(0, 2, 0, 0), pad_edge=False, header_style="dim")


def _standings(comparison: Comparison) -> Table:
    """The best strategy on top; the best figure of each column is bold."""
    webs = [web.name for web in comparison.webs]
    several = len(webs) > 1
    table = plain_table()
    table.add_column("strategy", no_wrap=True)
    table.add_column("all webs" if several else webs[0], justify="right")
    table.add_column("", width=_BAR, no_wrap=True)
    for web in webs if several else []:
        table.add_column(web, justify="right")
    columns = [[row.overall.of_oracle for row in comparison.standings]]
    columns += [[row.webs[web].of_oracle for row in comparison.standings] for web in (webs if several else [])]
    cells = [_best_bold(column) for column in columns]
    for place, row in enumerate(comparison.standings):
        overall, *others = (column[place] for column in cells)
        table.add_row(Text(row.name), overall, Text(bar(row.overall.of_oracle), style="cyan"), *others)
    return table


def _best_bold(values: Sequence[float]) -> list[Text]:
    best = f"{max(values, default=0.0):.3f}"
    return [Text(f"{value:.3f}", style="bold green" if f"{value:.3f}" == best else "") for value in values]


def bar(share: float) -> str:
    """A share as a bar of blocks, exact to an eighth of a character."""
    eighths = round(min(max(share, 0.0), 1.0) * _BAR * 8)
    return ("█" * (eighths // 8) + _EIGHTHS[eighths % 8]).rstrip()


def _measures(comparison: Comparison) -> Table:
    table = plain_table()
    table.add_column("strategy", no_wrap=True)
    for name in ("recall", "precision", "value"):
        table.add_column(name, justify="right")
    table.add_column("judge says", justify="right", style="dim")
    for row in [*comparison.standings, comparison.oracle]:
        table.add_row(*_measure_cells(row), style="dim" if row.strategy == ORACLE else "")
    return table


def _measure_cells(row: Standing) -> tuple[Text, str, str, str, str]:
    means = row.overall
    value = "–" if means.value is None else f"{means.value:.2f}/s"
    judged = "–" if means.judged_share is None else f"{means.judged_share:.1%}"
    return Text(row.name), f"{means.recall:.1%}", f"{means.precision:.1%}", value, judged


def _topics(comparison: Comparison, web: WebFacts) -> Table:
    figures = {(row.topic, row.name): row for row in comparison.topics if row.web == web.name}
    table = plain_table()
    table.add_column("of oracle", no_wrap=True)
    for topic in web.topics:
        table.add_column(Text(topic.name), justify="right", overflow="fold", min_width=6)
    rows = sorted(comparison.standings, key=lambda row: -row.webs[web.name].of_oracle)
    columns = [_best_bold([figures[topic.name, row.name].of_oracle for row in rows]) for topic in web.topics]
    for place, row in enumerate(rows):
        table.add_row(Text(row.name), *(column[place] for column in columns))
    table.add_row(Text("relevant pages"), *(f"{topic.relevant:,}" for topic in web.topics), style="dim")
    return table


def _ratings(comparison: Comparison, width: int) -> Table:
    """One row per topic; in a narrow terminal average precision stands below AUC, else beside it."""
    table = plain_table()
    table.add_column("AUC, AP", overflow="fold")
    for judge in comparison.judges:
        table.add_column(judge.judge, justify="right", min_width=5, overflow="fold")
    rows = list(rating_rows(comparison.judges))
    names = max(cell_len(row.name) for row in rows)
    between = " " if names + len(comparison.judges) * _RATING_WIDTH <= width else "\n"
    for name, is_mean, cells in rows:
        best = max((cell.auc or 0.0 for cell in cells), default=0.0)
        table.add_row(Text(name), *(_rating(cell, best, between) for cell in cells), style="bold" if is_mean else "")
    return table


def _rating(cell: Rating, best: float, between: str) -> Text:
    auc = Text(shown(cell.auc), style="green" if cell.auc == best else "")
    return auc.append(f"{between}{shown(cell.average_precision)}", style="dim")


def _files(comparison: Comparison) -> Table:
    folder = Path(comparison.folder)
    table = Table.grid(padding=(0, 3, 0, 0))
    table.add_column(style="dim", no_wrap=True)
    table.add_column(no_wrap=True)
    for what, name in (
        ("everything on one page", "report.html"),
        ("means as a table", "means.csv"),
        ("every topic", "summary.csv"),
        ("after every 100 pages", "curves.csv"),
        ("every judge", "judges.csv"),
    ):
        table.add_row(what, Text(str(folder / name)))
    return table


def _duration(seconds: float) -> str:
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{rest:02}" if hours else f"{minutes}:{rest:02}"
