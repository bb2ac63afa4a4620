"""How does a stored page look in a terminal, and what changed on it?"""

from __future__ import annotations

from collections.abc import Iterable

from shoal.services.versions import Difference, Step, Stored
from shoal.terminal.speaking import speaker

_MARKS = {"same": ("  ", ""), "added": ("+ ", "green"), "removed": ("- ", "red"), "gap": ("  …", "dim")}


def show_page(found: Stored) -> None:
    """What is known of it, and its text."""
    say = speaker()
    page = found.page
    say(found.title or "(without a title)", "bold")
    say(page.url, "cyan")
    say(f"Fetched {found.at:%Y-%m-%d %H:%M} UTC, last seen so {found.until:%Y-%m-%d %H:%M} UTC", "dim")
    say("; ".join(_about(found)), "dim")
    if page.gone:
        say(f"Gone since: {page.gone}", "yellow")
    say(f"\n{found.text}")


def _about(found: Stored) -> Iterable[str]:
    page = found.page
    yield f"version {found.version} of {found.versions}"
    if page.published:
        yield f"published {page.published}"
    if page.score is not None:
        yield f"topic {page.score:.2f}, {'relevant' if page.relevant else 'not relevant'}"
    if page.language:
        yield f"language {page.language}"
    if page.charset:
        yield f"charset {page.charset}"
    if page.copy_of:
        yield f"says much the same as {page.copy_of}"


def show_versions(steps: list[Step]) -> None:
    """When a page changed, and how much."""
    say = speaker()
    for step in steps:
        change = f"+{step.added} -{step.removed} lines" if step.number > 1 else "first seen"
        say(
            f"{step.number:>3}  {step.at:%Y-%m-%d %H:%M} UTC  {change:<18}  {step.characters:,} characters  {step.title}"
        )


def show_difference(found: Difference) -> None:
    """What changed, line by line."""
    say = speaker()
    say(found.url, "bold")
    say(f"- version {found.before}, {found.before_at:%Y-%m-%d %H:%M} UTC", "red")
    say(f"+ version {found.after}, {found.after_at:%Y-%m-%d %H:%M} UTC\n", "green")
    for line in found.lines:
        mark, style = _MARKS[line.kind]
        say(f"{mark}{line.text}", style)
    if not found.lines:
        say("Both say the same.")
