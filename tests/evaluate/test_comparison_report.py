"""The report is one page that needs nothing else, whatever webs, topics and strategies are called."""

from __future__ import annotations

import re
from collections import Counter
from html.parser import HTMLParser
from pathlib import Path

import pytest

from shoal.evaluate.comparison_plots import Plot, draw_all
from shoal.evaluate.comparison_report import write_image_report, write_report
from shoal.evaluate.image_standings import CLAIM
from shoal.evaluate.jobs import Conditions
from shoal.evaluate.standings import Comparison, CrawlResults, WebFacts, topic_facts
from tests.evaluate.test_image_standings import ONE as IMAGES
from tests.evaluate.test_image_standings import comparison_of as image_comparison_of
from tests.evaluate.test_standings import ONE

PLOT = Plot(file="x", web="", svg="<svg></svg>")
EVIL = "<script>alert('x')</script>&\"电网\""


def comparison_of(
    results: CrawlResults, *, title: str = "A comparison", conditions: Conditions | None = None
) -> Comparison:
    standings, oracle = results.standings()
    return Comparison(
        title=title,
        conditions=conditions or Conditions(pages=4),
        webs=tuple(
            WebFacts(name=web, pages=10, links=20, topics=topic_facts(results, web, dict.fromkeys("abc", title)))
            for web in results.webs
        ),
        standings=tuple(standings),
        oracle=oracle,
        topics=tuple(results.figures()),
        judges=results.judges,
        folder="out",
        files=(),
        seconds=1.0,
    )


class Page(HTMLParser):
    """What stands in a page."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.tags: Counter[str] = Counter()
        self.ids: Counter[str] = Counter()
        self.sources: list[str] = []
        self.text = ""
        self.open: list[str] = []
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags[tag] += 1
        for name, value in attrs:
            if name == "id":
                self.ids[value or ""] += 1
            if name in ("src", "href", "xlink:href"):
                self.sources.append(value or "")

    def handle_data(self, data: str) -> None:
        self.text += data


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, str]:
    folder = tmp_path_factory.mktemp("report")
    results = CrawlResults(ONE, 4)
    comparison = comparison_of(results, title=EVIL)
    write_report(folder / "report.html", comparison, draw_all(folder, comparison, results))
    return folder, (folder / "report.html").read_text(encoding="utf-8")


@pytest.mark.slow
def test_the_page_needs_nothing_but_itself(written: tuple[Path, str]) -> None:
    page = Page(written[1])
    assert page.tags["script"] == page.tags["link"] == page.tags["img"] == 0
    assert page.tags["svg"] == 7
    assert all(source.startswith("#") for source in page.sources)
    assert {source.removeprefix("#") for source in page.sources} <= set(page.ids), "what is pointed to is there"
    assert max(page.ids.values()) == 1
    assert set(re.findall(r"url\(#([^)]+)\)", written[1])) <= set(page.ids)
    assert "@import" not in written[1]


@pytest.mark.slow
def test_strange_names_are_shown_as_they_are(written: tuple[Path, str]) -> None:
    page = Page(written[1])
    assert EVIL in page.text
    assert EVIL not in written[1]


@pytest.mark.slow
def test_figures_stand_in_their_tables(written: tuple[Path, str]) -> None:
    # (4/7 + 1) / 4 over all, (4/7 + 1) / 2 on the first web.
    text = " ".join(Page(written[1]).text.split())
    assert "fish brings home 39% of what a crawler that knows every page would: the best of 2 strategies" in text
    assert "in 6 crawls of up to 4 pages" in text
    assert "<td><strong>0.393</strong></td>" in written[1]
    assert "<td><strong>0.786</strong></td>" in written[1]
    assert "2 of 4" in text
    assert "its opinion, not the truth" in text


def test_a_single_web_is_not_averaged(tmp_path: Path) -> None:
    results = CrawlResults([row for row in ONE if row.job.web == "one"], 4)
    write_report(tmp_path / "report.html", comparison_of(results), [PLOT])
    assert "all webs" not in (tmp_path / "report.html").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("conditions", "sentence"),
    [
        (Conditions(pages=1), "Up to 1 page per crawl, 1 request in flight, no host is ever waited for"),
        (Conditions(pages=2000, concurrency=5), "Up to 2,000 pages per crawl, 5 requests in flight, no host"),
        (Conditions(pages=5, max_depth=2), "Up to 5 pages per crawl, at most 2 links from a seed, 1 request in flight"),
        (Conditions(pages=5, delay=1.5), "as many requests as usual in flight, 1.5 s between two requests to one host"),
        (Conditions(pages=5, delay=0.0, concurrency=1, latency=0.25), "servers answer after 0.25 s"),
    ],
)
def test_says_how_it_was_measured(tmp_path: Path, conditions: Conditions, sentence: str) -> None:
    comparison = comparison_of(CrawlResults(ONE, 4), conditions=conditions)
    write_report(tmp_path / "report.html", comparison, [PLOT])
    assert sentence in Page((tmp_path / "report.html").read_text(encoding="utf-8")).text


def test_what_judging_images_is_worth(tmp_path: Path) -> None:
    write_image_report(tmp_path / "images.html", image_comparison_of(*IMAGES, title=EVIL), [PLOT])
    html = (tmp_path / "images.html").read_text(encoding="utf-8")
    page = Page(html)
    assert EVIL in page.text
    assert EVIL not in html
    assert "2.0 times as many as learned, all images" in page.text
    assert CLAIM in page.text
    assert page.tags["svg"] == 1
    assert page.tags["script"] == page.tags["img"] == 0
    assert {"generated/rail", "all topics"} <= set(re.findall(r'<th scope="row">([^<]+)</th>', html))
