"""How do suggested seeds look in a terminal? A numbered list on standard output; what is said about it goes to standard error."""

from __future__ import annotations

from collections.abc import Sequence

from shoal.printable import harmless
from shoal.seeds.selection import Listed
from shoal.terminal.speaking import speaker, tell


def show_suggestions(suggestions: Sequence[Listed]) -> None:
    """Number, title, address, a few words, and why it was found."""
    say = speaker()
    width = len(str(len(suggestions)))
    for one in suggestions:
        indent = " " * (width + 2)
        say(f"{one.number:>{width}}  {harmless(one.title) or one.url}", "bold")
        if one.title:
            say(f"{indent}{one.url}", "cyan")
        if one.snippet:
            say(f"{indent}{one.snippet}")
        if about := _about(one):
            say(f"{indent}{about}", "dim")


def _about(one: Listed) -> str:
    parts = [
        f"matches: {', '.join(one.matched)}" if one.matched else "",
        f"found by: {', '.join(one.engines)}" if one.engines else "",
        f"changed: {one.updated}" if one.updated else "",
        "a seed already" if one.known else "",
    ]
    return " · ".join(filter(None, parts))


def remark(sentence: str) -> None:
    """Something worth knowing that is not part of the answer."""
    tell(sentence)
