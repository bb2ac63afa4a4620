"""What does somebody see who waits for a comparison? What runs, and how long it takes: drawn over, or as plain lines."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from rich.console import Console, Group, RenderableType
from rich.live import Live
from rich.progress_bar import ProgressBar
from rich.table import Table
from rich.text import Text

from shoal.commands.output import tell
from shoal.commands.terminal import Notes, one_line
from shoal.evaluate.jobs import JUDGING, Job, Result
from shoal.evaluate.ratings import shown

_LINE_SECONDS = 5.0


@contextmanager
def watching(*, silent: bool) -> Iterator[Silent | JobScreen | JobLines]:
    """Show how a comparison goes, of strategies or of images."""
    console = Notes(highlight=False)
    if silent:
        yield Silent()
    elif console.is_terminal:
        screen = JobScreen(console)
        with Live(screen, console=console, refresh_per_second=4, transient=True):
            yield screen
    else:
        yield JobLines(tell)


class Silent:
    """Says nothing unless something is wrong."""

    def warn(self, sentence: str) -> None:
        tell(sentence)

    def say(self, sentence: str) -> None: ...
    def surveying(self, web: str, done: int, of: int) -> None: ...
    def planned(self, jobs: int, done: int) -> None: ...
    def began(self, job: Job) -> None: ...
    def ended(self, job: Job, result: Result) -> None: ...


class _Jobs:
    """Which jobs run, how many are done, and how long the others will take."""

    def __init__(self, clock: Callable[[], float]) -> None:
        self._clock = clock
        self._jobs = self._done = self._earlier = 0
        self._started = 0.0
        self._running: list[Job] = []

    def planned(self, jobs: int, done: int) -> None:
        self._jobs, self._done, self._earlier, self._started = jobs, done, done, self._clock()

    def began(self, job: Job) -> None:
        self._running.append(job)

    def ended(self, job: Job, result: Result) -> None:
        self._running.remove(job)
        self._done += 1

    def _left(self) -> str:
        """The end of a sentence, as far as the jobs so far tell; empty when they do not."""
        made = self._done - self._earlier
        if not made or self._done == self._jobs:
            return ""
        return f", {_duration((self._clock() - self._started) / made * (self._jobs - self._done))} left"


class JobLines(_Jobs):
    """One line per job, for files and pipes."""

    def __init__(self, write: Callable[[str], None], clock: Callable[[], float] = time.monotonic) -> None:
        super().__init__(clock)
        self._last = -_LINE_SECONDS
        self.say = self.warn = write

    def surveying(self, web: str, done: int, of: int) -> None:
        if done == of or self._clock() - self._last >= _LINE_SECONDS:
            self._last = self._clock()
            self.say(_survey(web, done, of))

    def planned(self, jobs: int, done: int) -> None:
        super().planned(jobs, done)
        earlier = f", {done:,} of them done earlier" if done else ""
        self.say(f"{jobs:,} jobs to do{earlier}.")

    def ended(self, job: Job, result: Result) -> None:
        super().ended(job, result)
        self.say(f"{self._done:,} of {self._jobs:,}: {outcome(job, result)}{self._left()}")


class JobScreen(_Jobs):
    """Drawn over and over while a comparison runs."""

    def __init__(self, console: Console) -> None:
        super().__init__(time.monotonic)
        self._console = console
        self._survey = ""
        self._share = 0.0
        self._last = ""

    def say(self, sentence: str) -> None:
        self._survey, self._share = sentence, 1.0

    def warn(self, sentence: str) -> None:
        self._console.print(Text(sentence, style="yellow"))

    def surveying(self, web: str, done: int, of: int) -> None:
        self._survey, self._share = _survey(web, done, of), done / of

    def planned(self, jobs: int, done: int) -> None:
        super().planned(jobs, done)
        self._survey = ""

    def ended(self, job: Job, result: Result) -> None:
        super().ended(job, result)
        self._last = outcome(job, result)

    def __rich__(self) -> RenderableType:
        if self._survey or not self._jobs:
            return _progress(self._survey or "Opening …", self._share)
        title = f"{self._done:,} of {self._jobs:,} jobs{self._left()}"
        running = [one_line(f"  → {job}") for job in self._running]
        last = [one_line(f"  last: {self._last}")] if self._last else []
        foot = Text("Ctrl-C stops; what is finished is kept.", style="dim")
        return Group(_progress(title, self._done / self._jobs), *running, *last, foot)


def outcome(job: Job, result: Result) -> str:
    """What came of a job, in one line."""
    if images := result.images:
        return f"{job}: {len(images.hits):,} of {images.total:,} relevant images ({result.seconds:.1f} s)"
    if job.strategy == JUDGING:
        return f"{job}: AUC {shown(result.auc)} ({result.seconds:.1f} s)"
    return f"{job}: {len(result.hits):,} of {result.relevant:,} relevant in {result.fetched:,} pages ({result.seconds:.1f} s)"


def _survey(web: str, done: int, of: int) -> str:
    return f"Reading {web}: {done:,} of {of:,} pages"


def _progress(title: str, share: float) -> Table:
    row = Table.grid(padding=(0, 2))
    row.add_row(ProgressBar(total=1.0, completed=share, width=30), Text(title))
    return row


def _duration(seconds: float) -> str:
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{rest:02}" if hours else f"{minutes}:{rest:02}"
