"""`shoal help`: what does the manual say about this?"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import click
from click.shell_completion import CompletionItem

from shoal import services
from shoal.commands.output import is_watched, to_pager

if TYPE_CHECKING:
    from shoal.services.manual import ManualSection


def subjects(ctx: click.Context, argument: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """Pages and commands; then the sections of a page, or the second words of a command."""
    before: Sequence[str] = ctx.params.get("words") or ()
    named = services.manual_lookup.subjects_after(before)
    found = [CompletionItem(name, help=what) for name, what in named.items() if name.startswith(incomplete)]
    if before:
        return found
    root = ctx.find_root()
    return found + [one for one in root.command.shell_complete(root, incomplete) if one.value not in named]


@click.command("help")
@click.argument("words", metavar="[SUBJECT]", nargs=-1, shell_complete=subjects)
@click.pass_context
def help(ctx: click.Context, words: tuple[str, ...]) -> int:
    """Read the manual.

    \b
    shoal help                       what there is to read
    shoal help topics                a page
    shoal help strategies learned    a section of it, by words of its heading
    shoal help status                all about a command

    In a terminal it opens in your pager (PAGER) when it is longer than the screen; into a pipe goes plain Markdown.
    """
    if not words:
        to_pager(_contents(ctx))
        return 0
    found = services.manual_lookup.look_up(words)
    if len({section.page for section in found}) > 1:
        to_pager("\n".join(_several(found)))
    elif is_watched():
        from shoal.commands.manual_view import show_sections  # here, because rich comes with it

        show_sections(found)
    else:
        to_pager("\n".join(section.text for section in found).rstrip())
    return 0


def _contents(ctx: click.Context) -> str:
    """The pages by groups, each with the question that it answers, and the commands."""
    out = ctx.make_formatter()
    out.write_text(
        "shoal help SUBJECT shows a page, a section of it (strategies learned), or all about a command (status)."
    )
    for title, pages in services.manual.contents().items():
        with out.section(title):
            out.write_dl([(page.name, page.question) for page in pages])
    root = ctx.find_root().command
    assert isinstance(root, click.Group)
    with out.section("Commands"):
        out.write_text(", ".join(root.list_commands(ctx)))
    return out.getvalue().rstrip()


def _several(found: Sequence[ManualSection]) -> list[str]:
    width = max(len(section.subject) for section in found)
    return ["Several sections are about this:"] + [
        f"  shoal help {section.subject:{width}}   {section.heading}" for section in found
    ]
