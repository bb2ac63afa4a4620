"""A comparison fits into a terminal, says who is best, and tells how long it takes."""

from __future__ import annotations

from io import StringIO

import pytest
from rich.cells import cell_len
from rich.console import Console

from shoal.evaluate.jobs import ORACLE, Job, Result
from shoal.evaluate.ratings import HEADING
from shoal.evaluate.standings import Results
from shoal.terminal.compare import Lines, Screen, bar, outcome, show_comparison, watching
from tests.evaluate.test_comparison_report import comparison_of
from tests.evaluate.test_ratings import RATINGS, rating
from tests.evaluate.test_standings import ONE, result

NAMES = ("best-first", "bounded", "breadth", "fish-improved", "fish-pagerank", "genetic-factor", "pagerank", "restore")
TOPICS = ("webextensions", "uievents", "智能电网与变电站", "kidney", "mental", "dental")
WEBS = ("generated", "webkb", "mdnzh", "zhmed")
MANY = Results(
    [
        result(web, topic, name, (1, 2) if name == ORACLE else (2,), clock=(1.0,), judged=(1,))
        for web in WEBS
        for topic in TOPICS
        for name in (ORACLE, *NAMES)
    ],
    4,
)


@pytest.mark.parametrize("width", [80, 100, 200])
def test_fits(width: int, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setenv("COLUMNS", str(width))
    show_comparison(comparison_of(MANY))
    shown = capsys.readouterr().out
    assert max(cell_len(line.rstrip()) for line in shown.splitlines()) <= width
    assert all(name in shown for name in (*NAMES, *WEBS))
    # (0+1+1+1)/8 of the oracle's 7/8: overall and on each web, and on each topic of each web.
    assert shown.count("0.429") == len(NAMES) * (1 + len(WEBS) + len(WEBS) * len(TOPICS)), "no figure is cut"


def test_says_what_the_figures_are(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setenv("COLUMNS", "100")
    show_comparison(comparison_of(Results(ONE, 4), title="电网 <b>"))
    shown = capsys.readouterr().out
    lines = [line.split() for line in shown.splitlines()]
    assert "电网 <b>" in shown
    assert ["fish", "0.393", "████▊", "0.786", "0.000"] in lines
    assert ["breadth", "0.286", "███▍", "0.000", "0.571"] in lines
    # Recall, precision and value of fish: the mean of (1, 1) and 0; (0.5, 1) and 0; (1, 2) and 0; the judge says 81 %.
    assert ["fish", "50.0%", "37.5%", "0.75/s", "81.2%"] in lines
    assert [ORACLE, "100.0%", "50.0%", "–", "–"] in lines
    assert ["fish", "0.571", "1.000"] in lines
    assert ["relevant", "pages", "2", "2"] in lines
    assert "out/report.html" in shown


@pytest.mark.parametrize("width", [80, 120])
def test_judges_fit_too(width: int, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setenv("COLUMNS", str(width))
    names = ("anchor", "boolean", "cosine", "evidence", "relative", "zones")
    many = [rating("generated", "electric-vehicles", name, 0.987, 0.123) for name in names]
    show_comparison(comparison_of(Results([*many, *ONE], 4)))
    shown = capsys.readouterr().out
    _, table = shown.split(HEADING)
    assert max(map(len, table.splitlines())) <= width
    assert (table.count("0.987"), table.count("0.123")) == (6, 6), "no figure is cut"
    assert all(name in table for name in names)
    assert "generated/electric-vehicles" in table
    assert (table.count("0.987 0.123") == 6) == (width > 80), "below each other where there is no room"
    assert "judges.csv" in table
    show_comparison(comparison_of(Results(ONE, 4)))
    assert HEADING not in capsys.readouterr().out


@pytest.mark.parametrize(
    ("share", "drawn"), [(0.0, ""), (0.001, ""), (1 / 96, "▏"), (0.5, "██████"), (1.0, "█" * 12), (1.2, "█" * 12)]
)
def test_bars(share: float, drawn: str) -> None:
    assert bar(share) == drawn


# --- progress --------------------------------------------------------------------------------------------------------

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
    lines = Lines(written.append, clock)
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
    screen = Screen(console)
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
