"""A page of the manual can be read in a narrow terminal and in a wide one, in Chinese too, and nothing of it is lost."""

from __future__ import annotations

import io
import re
from collections import Counter

import pytest

from shoal import services
from shoal.commands.manual_view import WIDEST, ManualText, drawn
from shoal.commands.terminal import Answers
from shoal.services.manual import ManualSection


def shown(text: str, width: int) -> str:
    out = io.StringIO()
    Answers(file=out, width=width).print(ManualText(text), crop=False)
    return "\n".join(line.rstrip() for line in out.getvalue().splitlines())


def page(name: str) -> ManualSection:
    return services.manual.pages()[name].sections[0]


def letters(text: str) -> Counter[str]:
    return Counter(sign for sign in text if sign.isalnum())


NAME_OF_ROWS = re.compile(r"^\|[^|\n]*\|(?=.*\n\|-)", re.MULTILINE)
"""What the first column is called: said only where there are columns."""


@pytest.mark.parametrize("width", [40, 60, 80, WIDEST])
@pytest.mark.parametrize("name", ["searching", "reasons", "marks", "learned"])
def test_no_letter_is_lost_in_a_narrow_terminal(name: str, width: int) -> None:
    text = NAME_OF_ROWS.sub("| |", page(name).text)
    assert letters(shown(text, 5000)) - letters(shown(text, width)) == Counter()
    assert "…" not in shown(text.replace("…", ""), width)


TABLE = """
| query | means | finds |
|---|---|---:|
| `电网建设` | more than four characters are cut into words (电网, 建设, 进展), of which most must be there | 12 |
| `x` | a word | |
"""


def test_a_table_has_columns_where_they_can_be_read() -> None:
    lines = shown(TABLE, 80).splitlines()
    assert re.fullmatch(r"query +means +finds", lines[1])
    assert re.fullmatch(r"电网建设 +more than .* 12", lines[2])


def test_and_is_told_row_by_row_where_they_would_be_too_narrow() -> None:
    assert shown(TABLE, 30).splitlines() == [
        "",
        "电网建设",
        "  means: more than four",
        "  characters are cut into",
        "  words (电网, 建设, 进展), of",
        "  which most must be there",
        "  finds: 12",
        "x",
        "  means: a word",
    ]


def test_links_are_names_and_only_the_web_has_addresses() -> None:
    text = "See [topics.md](topics.md#the-file), [how](decisions/0013.md) and [SearXNG](https://a.test/).\n\n![A plot](a.svg)"
    assert shown(text, 80) == "See topics, how and SearXNG (https://a.test/).\n\n[image: A plot]"


def test_code_is_whole_and_can_be_copied() -> None:
    line = "shoal crawl grid.toml --topic '电网' " + "--seed http://a.test/ " * 8 + "# 100 [bold] :smile:"
    assert shown(f"```sh\n{line}\n\n  indented\n```", 40) == f"  {line}\n\n    indented"


def test_where_else_to_look_stands_below_in_commands_that_no_line_breaks() -> None:
    lines = drawn([page("strategies")], Answers(file=io.StringIO(), width=60)).splitlines()
    end = lines[lines.index(next(line for line in lines if line.startswith("See also: "))) :]
    assert len(end) > 1
    assert max(map(len, end)) <= 60
    assert all(re.fullmatch(r"(See also: |  )(shoal help [\w -]+(, |,|$))+", line) for line in end)


def test_a_section_that_leads_nowhere_ends_with_its_text() -> None:
    section = ManualSection(page="marks", heading="X", level=2, text="## X\n\n<!-- a -->\n\nWords.\n")
    assert drawn([section], Answers(file=io.StringIO(), width=60)) == "X\n\nWords."
