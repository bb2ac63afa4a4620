"""The CSV files say what the figures say, and harm no spreadsheet; so do the tables in Markdown."""

from __future__ import annotations

import csv
from pathlib import Path

from shoal.evaluate.jobs import ORACLE
from shoal.evaluate.standings import CrawlResults
from shoal.evaluate.tables import write_curves, write_image_curves, write_markdown, write_means, write_summary
from tests.evaluate.test_comparison_report import comparison_of
from tests.evaluate.test_image_standings import ONE as IMAGES
from tests.evaluate.test_image_standings import comparison_of as image_comparison_of
from tests.evaluate.test_standings import ONE, PAGES, RESULTS, result


def read(path: Path) -> list[dict[str, str]]:
    with path.open(newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def test_curves_after_every_hundred_pages_and_at_the_end(tmp_path: Path) -> None:
    hits = tuple(range(1, 151))
    rows = [
        result("one", "a", ORACLE, hits, relevant=200, fetched=250),
        result("one", "a", "fish", hits, relevant=200, fetched=250, clock=(10.0, 20.0, 25.0), judged=(7, 8, 9)),
    ]
    write_curves(tmp_path / "curves.csv", CrawlResults(rows, 1000))
    lines = [row for row in read(tmp_path / "curves.csv") if row["strategy"] == "fish"]
    assert [row["fetched"] for row in lines] == ["100", "200", "250"]
    assert [row["found"] for row in lines] == ["100", "150", "150"]
    assert [row["precision"] for row in lines] == ["1.0", "0.75", "0.6"]
    assert [row["recall"] for row in lines] == ["0.5", "0.75", "0.75"]
    assert [row["value"] for row in lines] == ["10.0", "7.5", "6.0"]
    assert [row["judged_relevant"] for row in lines] == ["7", "8", "9"]
    assert {row["of_oracle"] for row in lines} == {"1.0"}


def test_a_line_per_topic_and_strategy(tmp_path: Path) -> None:
    write_summary(tmp_path / "summary.csv", RESULTS.figures())
    lines = read(tmp_path / "summary.csv")
    assert len(lines) == len(ONE)
    fish = next(row for row in lines if (row["strategy"], row["topic"]) == ("fish", "c"))
    assert (fish["of_oracle"], fish["half_after"]) == ("0.0", "")


def test_means_of_each_web_and_of_all(tmp_path: Path) -> None:
    standings, oracle = RESULTS.standings()
    write_means(tmp_path / "means.csv", [*standings, oracle])
    found = {(row["name"], row["web"]): row["of_oracle"] for row in read(tmp_path / "means.csv")}
    assert found["fish", "one"] == f"{(4 / 7 + 1) / 2:.6f}"
    assert found["fish", ""] == f"{(4 / 7 + 1) / 4:.6f}"
    assert len(found) == 9


def test_a_name_that_a_spreadsheet_would_run_is_made_harmless(tmp_path: Path) -> None:
    rows = CrawlResults([result("=one", "@a", ORACLE, (1, 2))], PAGES).figures()
    write_summary(tmp_path / "summary.csv", rows)
    [line] = read(tmp_path / "summary.csv")
    assert (line["web"], line["topic"]) == ("'=one", "'@a")


def test_every_point_of_a_crawl_for_images_is_a_row(tmp_path: Path) -> None:
    write_image_curves(tmp_path / "images.csv", image_comparison_of(*IMAGES).topics)
    assert [
        (row["strategy"], row["wanted"], row["seconds"], row["relevant"]) for row in read(tmp_path / "images.csv")
    ] == [
        ("learned", "relevant", "6.0", "2"),
        ("learned", "all", "10.0", "2"),
        ("breadth", "all", "10.0", "1"),
    ]


# --- Markdown ---------------------------------------------------------------------------------------------------------


def test_all_tables_stand_below_their_headings(tmp_path: Path) -> None:
    comparison = comparison_of(RESULTS)
    write_markdown(tmp_path / "tables.md", comparison)
    text = (tmp_path / "tables.md").read_text(encoding="utf-8")
    webs = [web.name for web in comparison.webs]
    assert text.startswith("# A comparison\n")
    assert [line for line in text.splitlines() if line.startswith("## ")] == [
        "## Share of the omniscient crawler's harvest",
        "## At the end of the crawls",
        *(f"## {web}, topic by topic" for web in webs),
    ]
    assert f"| strategy | all webs | {' | '.join(webs)} |" in text


def test_the_best_of_each_column_is_strong(tmp_path: Path) -> None:
    comparison = comparison_of(RESULTS)
    write_markdown(tmp_path / "tables.md", comparison)
    first, second = (tmp_path / "tables.md").read_text(encoding="utf-8").splitlines()[6:8]
    best = comparison.standings[0]
    assert first.startswith(f"| `{best.name}` | **{best.overall.of_oracle:.3f}** |")
    assert f"| {comparison.standings[1].overall.of_oracle:.3f} |" in second


def test_every_row_of_a_table_has_as_many_cells(tmp_path: Path) -> None:
    write_markdown(tmp_path / "tables.md", comparison_of(RESULTS))
    for part in (tmp_path / "tables.md").read_text(encoding="utf-8").split("\n\n"):
        if part.startswith("|"):
            assert len({line.count("|") for line in part.splitlines()}) == 1
