"""Every page of docs/ is in the manual, says which question it answers, and is cut at its headings."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from shoal import services
from shoal.errors import InputError
from shoal.services import manual
from shoal.services.manual import GROUPS, ManualSection

DOCS = Path(__file__).parent.parent.parent / "docs"


def whole(name: str) -> ManualSection:
    return services.manual.pages()[name].sections[0]


def test_every_page_is_listed_once_and_no_other() -> None:
    listed = [page.name for pages in services.manual.contents().values() for page in pages]
    assert sorted(listed) == sorted(path.stem for path in DOCS.glob("*.md"))
    assert listed == [name for names in GROUPS.values() for name in names] == list(services.manual.pages())


@pytest.mark.parametrize("name", services.manual.pages())
def test_a_page_says_below_its_title_which_question_it_answers(name: str) -> None:
    title, _, line, *_ = (DOCS / f"{name}.md").read_text("utf-8").splitlines()
    question = services.manual.pages()[name].question
    assert (title[:2], line) == ("# ", f"*{question}*")
    assert question.endswith("?")
    assert len(question) < 60, "one line of a narrow terminal, beside the longest name"


@pytest.mark.parametrize("name", services.manual.pages())
def test_the_first_section_is_the_whole_page_and_no_line_of_others_is_lost(name: str) -> None:
    first, *others = services.manual.pages()[name].sections
    assert first.text == (DOCS / f"{name}.md").read_text("utf-8")
    assert first.is_page
    assert not any(section.is_page for section in others)
    top = [section.text for section in others if section.level == 2]
    assert first.text.endswith("\n".join(top))


def test_a_comment_in_a_block_of_code_is_no_heading() -> None:
    page = manual._page("x", "# X\n\n```sh\n# not one\n```\n\n## `Two` *words*\n\nb\n\n### Three\n\nc\n\n## Four\n")
    assert [section.heading for section in page.sections] == ["X", "Two words", "Three", "Four"]
    assert page.sections[1].text == "## `Two` *words*\n\nb\n\n### Three\n\nc\n"
    assert page.question == "X", "without a question the title will do"


def test_a_section_says_how_it_is_asked_for() -> None:
    said = {section.heading: section.subject for page in manual.pages().values() for section in page.sections}
    assert said["Strategies and judges"] == "strategies"
    assert said["Which link next?"] == "strategies which link next"
    assert said["shoal topic learn"] == "topic learn"
    assert said["shoal strategies"] == "commands strategies", "a page has its name"
    assert said["中文页面"] == "marks 中文页面"


def test_who_reads_a_page_learns_where_it_links_to() -> None:
    other = services.manual.see_also(whole("strategies"))
    assert {"comparison", "comparison how good the judges are", "marks", "finishing", "adding-a-strategy"} <= set(other)
    assert "commands strategies" in other, "the command that is called as the page"
    assert "strategies learned" not in other, "that is on the page"


def test_links_to_what_is_not_in_the_manual_are_no_subjects() -> None:
    text = "# X\n\n[a](decisions/0013-learned.md) [b](https://x.test/topics.md) [c](seeds.md) [d](topics.md#no-such)\n"
    text += "\n```\n[e](topics.md)\n```\n"
    section = ManualSection(page="x", heading="X", level=1, text=text)
    assert services.manual.see_also(section) == ("seeds",)


def test_without_its_pages_it_is_one_sentence(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    program = tmp_path / "shoal" / "services" / "manual.py"
    program.parent.mkdir(parents=True)
    shutil.copy(manual.__file__, program)
    code = {"__name__": "copied", "__file__": str(program)}
    exec(compile(program.read_text("utf-8"), str(program), "exec"), code)
    with pytest.raises(InputError, match="not installed"):
        code["pages"]()  # type: ignore[operator]
