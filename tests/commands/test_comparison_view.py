"""Who waits for a comparison is told what runs, and how long it takes."""

from __future__ import annotations

from io import StringIO

import pytest
from rich.console import Console

from shoal.commands.comparison_view import JobLines, JobScreen, outcome, watching
from shoal.evaluate.jobs import Job, Result
from tests.evaluate.test_image_standings import ONE
from tests.evaluate.test_ratings import RATINGS

JOBS = [Job(web="webkb", topic="课程", strategy=name) for name in ("fish", "restore", "hits")]


def done(job: Job) -> Result:
    return Result(key="", job=job, reachable=10, relevant=7, fetched=20, hits=(1, 2, 3), seconds=1.25)


class Moments:
    """A clock that is set by hand."""

    now = 0.0

    def __call__(self) -> float:
        return self.now


def test_lines_for_files_and_pipes() -> None:
    written: list[str] = []
    clock = Moments()
    lines = JobLines(written.append, clock)
    for pages in (250, 500, 600):
        lines.surveying("webkb", pages, 600)
    lines.planned(4, 1)
    for job in JOBS[:2]:
        lines.began(job)
    clock.now = 30.0
    lines.ended(JOBS[0], done(JOBS[0]))
    assert written == [
        "Reading webkb: 250 of 600 pages",
        "Reading webkb: 600 of 600 pages",
        "4 jobs to do, 1 of them done earlier.",
        # One of three took half a minute, so two take a minute.
        "2 of 4: webkb/课程 with fish: 3 of 7 relevant in 20 pages (1.2 s), 1:00 left",
    ]


def test_the_screen_shows_what_runs() -> None:
    console = Console(width=80, record=True, force_terminal=True, file=StringIO())
    screen = JobScreen(console)
    console.print(screen)
    screen.surveying("webkb", 250, 600)
    console.print(screen)
    screen.planned(4, 1)
    for job in JOBS[:2]:
        screen.began(job)
    screen.ended(JOBS[0], done(JOBS[0]))
    console.print(screen)
    shown = console.export_text()
    assert "Opening …" in shown
    assert "Reading webkb: 250 of 600 pages" in shown
    assert "2 of 4 jobs, 0:00 left" in shown
    assert "→ webkb/课程 with restore" in shown
    assert "→ webkb/课程 with fish" not in shown
    assert "last: webkb/课程 with fish: 3 of 7 relevant" in shown
    assert "Ctrl-C stops; what is finished is kept." in shown


def test_silence_is_broken_only_by_what_is_wrong(capsys: pytest.CaptureFixture[str]) -> None:
    with watching(silent=True) as watcher:
        watcher.say("Drawing …")
        watcher.surveying("webkb", 1, 2)
        watcher.planned(2, 0)
        watcher.began(JOBS[0])
        watcher.ended(JOBS[0], done(JOBS[0]))
        watcher.warn("3 labels are not pages.")
    assert capsys.readouterr() == ("", "3 labels are not pages.\n")


def test_what_came_of_a_rating_in_one_line() -> None:
    assert outcome(RATINGS[0].job, RATINGS[0]) == "one/a judged by cosine: AUC 0.900 (1.2 s)"
    assert outcome(RATINGS[4].job, RATINGS[4]) == "one/b judged by zones: AUC – (1.2 s)"


def test_a_job_in_one_line() -> None:
    said: list[str] = []
    lines = JobLines(said.append, clock=lambda: 0.0)
    lines.planned(2, 0)
    lines.began(ONE[0].job)
    lines.ended(ONE[0].job, ONE[0])
    assert outcome(ONE[0].job, ONE[0]) == ("generated/rail with learned, judged images: 2 of 4 relevant images (0.0 s)")
    assert said[-1].startswith("1 of 2: generated/rail with learned, judged images")
