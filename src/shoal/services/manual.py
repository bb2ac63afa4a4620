"""What does the manual say? Its pages are the files of `docs/`: installed with the program, or in the repository beside it.

A page begins with its title and the question that it answers; its sections are what stands below its headings.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from shoal.errors import InputError
from shoal.model import Value

COMMANDS = "commands"
"""The page that has a section for each command."""
GROUPS = {
    "Where to begin": ("installing", "commands", "topics", "seeds"),
    "While it crawls": ("crawling", "marks", "finishing", "images", "models"),
    "What it found": ("searching", "reasons"),
    "Strategies": ("strategies", "learned", "comparison", "semantic", "adding-a-strategy"),
    "Machines and programs": ("operating", "cluster", "scaling", "python"),
}
"""In which order the pages are listed, and under which headings."""
_HEADING = re.compile(r"(#{1,6}+) ++(\S.*+)")
_FENCE = "```"
_QUESTION = re.compile(r"\*(.+)\*")
_MARKUP = re.compile(r"[`*]")
_CODE = re.compile(rf"^{_FENCE}.*?^{_FENCE}", re.MULTILINE | re.DOTALL)
_LINK = re.compile(r"\]\(([\w.-]*+)(?:#([^\s()\[\]]++))?+\)")
_NOT_IN_ANCHORS = re.compile(r"[^\w\- ]")


class ManualSection(Value, frozen=True):
    """What stands below a heading, with all that belongs to it; below the first one, that is the whole page."""

    page: str
    heading: str
    level: int
    text: str

    @property
    def anchor(self) -> str:
        """How links call it, as GitHub makes that."""
        return _NOT_IN_ANCHORS.sub("", self.heading.lower()).replace(" ", "-")

    @property
    def is_page(self) -> bool:
        """True for a whole page."""
        return self.level == 1

    @property
    def command(self) -> str:
        """The words behind `shoal` when it tells what a command does, else nothing."""
        program, _, words = self.heading.partition(" ")
        return words if self.page == COMMANDS and program == "shoal" else ""

    @property
    def subject(self) -> str:
        """What `shoal help` is asked for it."""
        if self.is_page:
            return self.page
        if self.command and self.command not in pages():
            return self.command
        return f"{self.page} {(self.command or self.anchor).replace('-', ' ')}"


class ManualPage(Value, frozen=True):
    """A file of `docs/`, and all of its sections; the first is the whole."""

    name: str
    question: str
    """Which one it answers."""
    sections: tuple[ManualSection, ...]


@cache
def pages() -> dict[str, ManualPage]:
    """All of them by their names, in the order in which they are listed."""
    found = {path.stem: path for path in sorted(_folder().glob("*.md"))}
    if not found:
        raise InputError("The manual is not installed with this shoal: install it anew.")
    listed = [name for group in GROUPS.values() for name in group if name in found]
    return {name: _page(name, found[name].read_text("utf-8")) for name in dict.fromkeys([*listed, *found])}


def contents() -> dict[str, tuple[ManualPage, ...]]:
    """What there is to read, by groups."""
    return {title: tuple(pages()[name] for name in names if name in pages()) for title, names in GROUPS.items()}


def see_also(section: ManualSection) -> tuple[str, ...]:
    """The subjects that its text links to; and the command, of a page that is called as one."""
    linked = [*_linked(section)]
    if section.is_page:
        linked += [one for one in pages()[COMMANDS].sections if one.command.partition(" ")[0] == section.page]
    return tuple(dict.fromkeys(one.subject for one in linked if one.text not in section.text))


def _linked(section: ManualSection) -> Iterator[ManualSection]:
    for file, anchor in _LINK.findall(_CODE.sub("", section.text)):
        name = file.removesuffix(".md") or section.page
        if name in pages() and (file == "" or file.endswith(".md")):
            yield from (one for one in pages()[name].sections if (one.anchor == anchor if anchor else one.is_page))


def _folder() -> Path:
    """Beside the program where it is installed; an editable copy has the repository around it."""
    installed = Path(__file__).parent.parent / "docs"
    return installed if installed.is_dir() else installed.parents[2] / "docs"


def _page(name: str, text: str) -> ManualPage:
    sections = tuple(_sections(name, text))
    question = next((found[1] for line in text.splitlines()[:3] if (found := _QUESTION.fullmatch(line))), "")
    return ManualPage(name=name, question=question or sections[0].heading, sections=sections)


def _sections(page: str, text: str) -> Iterator[ManualSection]:
    lines = text.splitlines(keepends=True)
    headings = [*_headings(lines)]
    for place, level, heading in headings:
        end = next((after for after, other, _ in headings if after > place and other <= level), len(lines))
        yield ManualSection(page=page, heading=heading, level=level, text="".join(lines[place:end]).rstrip() + "\n")


def _headings(lines: list[str]) -> Iterator[tuple[int, int, str]]:
    """The number of the line, the level and the words of each; what looks like one in a block of code is a comment."""
    in_code = False
    for place, line in enumerate(lines):
        if line.startswith(_FENCE):
            in_code = not in_code
        elif not in_code and (found := _HEADING.match(line)):
            yield place, len(found[1]), _MARKUP.sub("", found[2]).rstrip()
