"""How does a page of the manual look in a terminal? As wide as one can read, its tables too, and in a pager when it is long."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from textwrap import fill, indent
from typing import TYPE_CHECKING, Any, ClassVar

from rich.console import Console, ConsoleOptions, RenderableType, RenderResult
from rich.markdown import CodeBlock, Heading, ImageItem, Markdown, MarkdownElement, TableElement
from rich.padding import Padding
from rich.table import Column, Table
from rich.text import Text
from rich.theme import Theme

from shoal import services
from shoal.commands.output import drawn_to_pager
from shoal.commands.terminal import Answers

if TYPE_CHECKING:
    from shoal.services.manual import ManualSection

WIDEST = 110
"""Characters of a line; with more, the eye does not find the next one."""
LEGIBLE = 22
"""Characters that a column of long texts must have; a table with less of them is told row by row."""
_GAP = 2
_HARD_BLANK = "\u00a0"
_STYLES = Theme({
    "markdown.h1": "bold cyan underline",
    "markdown.h2": "bold cyan",
    "markdown.h3": "bold",
    "markdown.h4": "bold dim",
    "markdown.code": "cyan",
    "markdown.code_block": "cyan",
    "markdown.item.bullet": "dim",
    "markdown.link": "none",
    "markdown.link_url": "dim",
})  # fmt: skip


def show_sections(sections: Sequence[ManualSection]) -> None:
    """All of them, for whoever sits at the terminal."""
    drawn_to_pager(drawn(sections, Answers(highlight=False, emoji=False, theme=_STYLES)))


def drawn(sections: Sequence[ManualSection], console: Console) -> str:
    """One below the other as this console shows them, and where else to look."""
    width = min(console.width, WIDEST)
    with console.capture() as capture:
        for section in sections:
            console.print(ManualText(section.text), width=width, crop=False)
            console.print()
        if other := dict.fromkeys(subject for section in sections for subject in services.manual.see_also(section)):
            console.print(Text(_see_also(other, width), "dim"))
    lines = [line.rstrip() for line in capture.get().rstrip().split("\n")]
    # One blank line is enough where a comment stood between two.
    return "\n".join(line for line, before in zip(lines, ["", *lines], strict=False) if line or before)


def _see_also(subjects: Iterable[str], width: int) -> str:
    """Commands to be copied: no line ends inside of one."""
    whole = (f"shoal help {subject}".replace(" ", _HARD_BLANK) for subject in subjects)
    return fill(", ".join(whole), width, initial_indent="See also: ", subsequent_indent="  ").replace(_HARD_BLANK, " ")


class _Heading(Heading):
    """All of them begin where the lines begin."""

    LEVEL_ALIGN: ClassVar = {"h1": "left"}


class _Code(CodeBlock):
    """A block of code as it is: a terminal folds what is too long, and can copy it whole."""

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        yield Text(indent(str(self.text).rstrip(), " " * _GAP), self.style, no_wrap=True, overflow="ignore")


class _Image(ImageItem):
    """What an image shows, in words."""

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        yield Text.assemble("[image: ", self.text, "] ", end="")


class _Table(TableElement):
    """A table; where its columns would be too narrow to read, row by row what stands in each."""

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        assert self.header is not None
        assert self.header.row is not None
        names = [cell.content for cell in self.header.row.cells]
        rows = [[cell.content for cell in row.cells] for row in (self.body.rows if self.body else ())]
        widest = [max(cell.cell_len for cell in column) for column in zip(names, *rows, strict=True)]
        if sum(min(width, LEGIBLE) for width in widest) + _GAP * (len(names) - 1) <= options.max_width:
            yield _in_columns(names, rows)
        else:
            yield from _row_by_row(names, rows)


def _in_columns(names: Sequence[Text], rows: Iterable[Sequence[Text]]) -> Table:
    """Without lines; a column of figures is as wide as they are, and words are not cut."""
    columns = (Column(name, justify=name.justify or "default", overflow="fold") for name in names)
    table = Table(*columns, box=None, padding=(0, _GAP, 0, 0), pad_edge=False, header_style="dim")
    for row in rows:
        table.add_row(*row)
    return table


def _row_by_row(names: Sequence[Text], rows: Iterable[Sequence[Text]]) -> Iterator[RenderableType]:
    for first, *others in rows:
        yield Text.assemble(first, style="bold")
        for name, cell in zip(names[1:], others, strict=True):
            if cell.plain:
                yield Padding(Text.assemble((f"{name.plain}: ", "dim"), cell), (0, 0, 0, _GAP))


class ManualText(Markdown):
    """Markdown for a terminal; what other pages are called stands in the text, how to open them below all of it."""

    elements: ClassVar[dict[str, type[MarkdownElement]]] = Markdown.elements | {
        "heading_open": _Heading,
        "fence": _Code,
        "code_block": _Code,
        "image": _Image,
        "table_open": _Table,
    }

    def __init__(self, markup: str) -> None:
        super().__init__(markup, hyperlinks=False)
        for token in self.parsed:
            token.children = list(_named(token.children)) if token.children else token.children


def _named(tokens: Iterable[Any]) -> Iterator[Any]:
    """Links to files become names: a terminal cannot follow them. What is in the web keeps its address."""
    inside = False
    for token in tokens:
        if token.type == "link_open" and "://" not in str(token.attrs["href"]):
            inside = True
            token.type, token.tag = "em_open", "em"
        elif token.type == "link_close" and inside:
            inside = False
            token.type, token.tag = "em_close", "em"
        elif token.type == "text" and inside:
            token.content = token.content.removesuffix(".md")
        yield token
