"""The figures of judges, worked by hand from a few made-up ratings, and how every table shows them."""

from __future__ import annotations

import csv
from pathlib import Path

import pytest

from shoal.evaluate.comparison_report import write_report
from shoal.evaluate.jobs import JUDGING, Job, Result
from shoal.evaluate.ratings import HEADING, judge_standings, rating_rows
from shoal.evaluate.standings import CrawlResults
from shoal.evaluate.tables import write_judges, write_markdown
from tests.evaluate.test_comparison_report import Page, comparison_of
from tests.evaluate.test_standings import ONE


def rating(web: str, topic: str, judge: str, auc: float | None, precision: float | None) -> Result:
    job = Job(web=web, topic=topic, strategy=JUDGING, judge=judge)
    return Result(
        key="",
        job=job,
        reachable=10,
        relevant=2,
        auc=auc,
        average_precision=precision,
        seconds=1.25,
    )


# The web `one` has two topics, `two` has one.
RATINGS = [
    rating("one", "a", "cosine", 0.9, 0.5),
    rating("one", "b", "cosine", 0.7, 0.3),
    rating("two", "c", "cosine", 0.6, 0.2),
    rating("one", "a", "zones", 0.8, 0.6),
    rating("one", "b", "zones", None, None),
    rating("two", "c", "zones", 1.0, 1.0),
]
BOTH = CrawlResults([*RATINGS, *ONE], 4)


def test_every_web_counts_the_same_and_the_best_judge_is_first() -> None:
    zones, cosine = judge_standings(RATINGS)
    assert (zones.judge, cosine.judge) == ("zones", "cosine")
    assert cosine.webs["one"].auc == pytest.approx(0.8)
    assert cosine.webs["one"].average_precision == pytest.approx(0.4)
    # Of two webs: (0.8 + 0.6) / 2 and (0.4 + 0.2) / 2.
    assert cosine.overall.auc == pytest.approx(0.7)
    assert cosine.overall.average_precision == pytest.approx(0.3)
    # What is not known does not count: (0.8 + 1) / 2.
    assert zones.overall.auc == pytest.approx(0.9)
    assert [topic.topic for topic in zones.topics] == ["a", "b", "c"]


def test_nothing_is_known_of_a_judge() -> None:
    [judge] = judge_standings([rating("one", "a", "cosine", None, None)])
    assert (judge.overall.auc, judge.webs["one"].average_precision) == (None, None)


def test_rows_are_topics_and_means_of_several() -> None:
    rows = list(rating_rows(judge_standings(RATINGS)))
    assert [(row.name, row.is_mean) for row in rows] == [
        ("one/a", False),
        ("one/b", False),
        ("one, mean", True),
        ("two/c", False),
        ("all webs, mean", True),
    ]
    assert [cell.auc for cell in rows[0].cells] == [0.8, 0.9]
    assert list(rating_rows(())) == []


def test_judges_are_no_strategies() -> None:
    without = CrawlResults(ONE, 4)
    assert BOTH.standings() == without.standings()
    assert BOTH.figures() == without.figures()
    assert (BOTH.contestants, BOTH.webs, BOTH.topics("one")) == (
        without.contestants,
        without.webs,
        without.topics("one"),
    )
    assert (len(BOTH.judges), without.judges) == (2, ())


def test_a_spreadsheet_gets_a_line_per_judge_and_topic(tmp_path: Path) -> None:
    write_judges(tmp_path / "judges.csv", BOTH.judges)
    with (tmp_path / "judges.csv").open(newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    assert len(rows) == len(RATINGS)
    assert rows[1] == {
        "web": "one",
        "topic": "b",
        "judge": "zones",
        "auc": "",
        "average_precision": "",
        "relevant": "2",
        "reachable": "10",
    }
    assert rows[3]["auc"] == "0.9"


def test_markdown(tmp_path: Path) -> None:
    write_markdown(tmp_path / "tables.md", comparison_of(BOTH))
    _, table = (tmp_path / "tables.md").read_text(encoding="utf-8").split(f"## {HEADING}\n\n")
    assert table.splitlines()[:7] == [
        "| AUC / AP | `zones` | `cosine` |",
        "| --- | ---: | ---: |",
        "| one/a | 0.800 / 0.600 | **0.900** / 0.500 |",
        "| one/b | – / – | **0.700** / 0.300 |",
        "| *one, mean* | **0.800** / 0.600 | **0.800** / 0.400 |",
        "| two/c | **1.000** / 1.000 | 0.600 / 0.200 |",
        "| *all webs, mean* | **0.900** / 0.800 | 0.700 / 0.300 |",
    ]


def test_the_report(tmp_path: Path) -> None:
    write_report(tmp_path / "report.html", comparison_of(BOTH), [])
    html = (tmp_path / "report.html").read_text(encoding="utf-8")
    assert HEADING in Page(html).text
    # 0.9 is four fifths of the way from luck to perfect.
    assert '<td style="--heat:0.80">0.900<small>0.500</small></td>' in html
    assert '<td style="--heat:0.00">–<small>–</small></td>' in html
    assert "in 6 crawls of up to 4 pages" in Page(html).text, "a rating is no crawl"
    write_report(tmp_path / "without.html", comparison_of(CrawlResults(ONE, 4)), [])
    assert HEADING not in (tmp_path / "without.html").read_text(encoding="utf-8")
