"""The tables of a comparison in Markdown."""

from __future__ import annotations

from pathlib import Path

from shoal.evaluate.markdown import write_markdown
from tests.evaluate.test_comparison_report import comparison_of
from tests.evaluate.test_standings import RESULTS


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
