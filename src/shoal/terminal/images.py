"""How do pictures look in a terminal? As what pages say about them, and where they stand."""

from __future__ import annotations

import shlex
from collections.abc import Iterator
from pathlib import Path

from shoal.services.images import Pictures
from shoal.store.album import Kept
from shoal.terminal.speaking import speaker


def show_pictures(folder: Path, found: Pictures) -> None:
    """What was found, and how to look at it."""
    say = speaker()
    for note in found.notes:
        say(note, "yellow")
    for place, picture in enumerate(found.pictures, start=found.offset + 1):
        for number, line in enumerate(_picture(picture)):
            say(
                f"{place:>3}. {line}" if not number else f"     {line}",
                ("bold", "cyan")[number] if number < 2 else "dim",
            )
        say("")
    say(_summary(folder, found), "bold")
    if found.waiting:
        say(f"{found.waiting:,} more are to be fetched: shoal resume --dir {shlex.quote(str(folder))}")


def _picture(picture: Kept) -> Iterator[str]:
    best = picture.shown[0]
    image = best.image
    yield (image.caption or image.alt or image.title or best.title or "(nobody says what it shows)").replace("\n", " ")
    yield picture.url
    others = len({shown.page for shown in picture.shown}) - 1
    yield f"on {best.page}" + (f" and {others:,} more page{'s' if others > 1 else ''}" if others else "")
    why = "; ".join(evidence.what for evidence in best.why)
    yield f"{picture.width} × {picture.height} {picture.format}, topic {best.score:.2f}" + (f": {why}" if why else "")


def _summary(folder: Path, found: Pictures) -> str:
    where = f"--dir {shlex.quote(str(folder))}"
    if not found.pictures:
        again = f" Did you mean: {found.suggestion}" if found.suggestion else ""
        none = (
            "There is no picture: only a crawl with --images keeps them."
            if not found.words and not found.waiting
            else ""
        )
        return none or f"No picture was found.{again}"
    count = "1 picture" if found.total == 1 else f"{found.total:,} pictures"
    words = f" {shlex.quote(found.words)}" if found.words else ""
    return f"{count}. Look at them with: shoal images {where}{words} --html gallery.html"
