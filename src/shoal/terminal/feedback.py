"""How does it look when a user says what they think of pages? One line per page, with what the judge had said."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from pathlib import Path

from shoal.services.marks import Feedback
from shoal.store.marked_pages import Given, Mark
from shoal.terminal.speaking import speaker


def show_feedback(folder: Path, feedback: Feedback) -> None:
    """What changed, page by page, and when the crawl hears of it."""
    say = speaker()
    for page in feedback.pages:
        say(f"{_change(page)}  {page.url}{_title(page)}  ({_judge(page)}{_way(page)})")
    if all(page.before is page.relevant for page in feedback.pages):
        return
    if feedback.running:
        say("The crawl that is running hears of it now.")
    else:
        say(f"The crawl hears of it when it goes on: shoal resume --dir {shlex.quote(str(folder))}")


def show_opinions(folder: Path, said: Sequence[Mark]) -> None:
    """All that holds, the latest at the end."""
    say = speaker()
    if not said:
        say(f"No page of {folder} is marked.")
    for mark in said:
        say(f"{word(mark.relevant):<10}  {mark.at:%Y-%m-%d %H:%M} UTC  {mark.url}{_title(mark)}  ({_judge(mark)})")


def word(relevant: bool | None) -> str:
    """What a mark says."""
    return {True: "relevant", False: "irrelevant", None: "as judged"}[relevant]


def _change(page: Given) -> str:
    if page.relevant is None:
        return "Was not marked" if page.before is None else f"No longer marked {word(page.before)}"
    return f"{'Marked before as' if page.before is page.relevant else 'Marked'} {word(page.relevant)}"


def _title(mark: Mark) -> str:
    return f"  “{mark.title}”" if mark.title else ""


def _way(page: Given) -> str:
    """A redirect led to it, or it was typed in another spelling."""
    return "" if page.asked == page.url else f"; typed as {page.asked}"


def _judge(mark: Mark) -> str:
    if mark.judged is None or mark.score is None:
        return "not judged"
    return f"judged {'relevant' if mark.judged else 'not relevant'}, {mark.score:.3f}"
