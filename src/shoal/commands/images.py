"""`shoal images`: which images were found?"""

from __future__ import annotations

import shlex
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import click

from shoal import services
from shoal.commands import options
from shoal.commands.console import progress_bar, say
from shoal.commands.next_command import alone, in_crawl
from shoal.commands.output import counted, path_text, reply, tell
from shoal.errors import InputError

if TYPE_CHECKING:
    from shoal.services.images import ImageAnswer
    from shoal.store.kept_images import KeptImage


@click.command(context_settings=options.WITH_MINUS)
@click.argument("words", nargs=-1, metavar="[WORDS]...", callback=options.typed)
@options.folder
@click.option("--limit", type=click.IntRange(1), metavar="N", help="At most so many. Default: 10; all for a file.")
@click.option("--offset", type=click.IntRange(0, 100_000), default=0, help="Leave out the first so many.")
@options.path("--html", metavar="FILE", help="Write a gallery: one file that any browser shows.")
@options.path("--jsonl", metavar="FILE", help="Write a line of JSON for each image.")
@options.path("--files", metavar="FOLDER", help="Write the images themselves, and images.jsonl.")
@options.as_json
def images(
    words: str,
    folder: Path,
    limit: int | None,
    offset: int,
    html: Path | None,
    jsonl: Path | None,
    files: Path | None,
    as_json: bool,
) -> int:
    """Find the images that a crawl with --images kept, by what pages say about them.

    \b
    shoal images --crawl grid 变电站
    shoal images --crawl grid --html grid.html

    Without words all of them, those that are most about the topic first. The same words and operators as in shoal search.
    """
    wanted = [place for place in (html, jsonl, files) if place is not None]
    if len(wanted) > 1 or (wanted and offset):
        raise InputError("Choose one of --html, --jsonl and --files; --offset is for the screen only.")
    if wanted:
        return _write(folder, words, limit or 1_000_000, html, jsonl, files, as_json=as_json)
    with progress_bar("Gathering", "images", silent=as_json) as progress:
        found = services.images.find(folder, words, limit=limit or 10, offset=offset, progress=progress)
    reply(found, lambda: show_images(folder, found), as_json=as_json)
    return 0 if found.images else 1


def _write(
    folder: Path, words: str, limit: int, html: Path | None, jsonl: Path | None, files: Path | None, *, as_json: bool
) -> int:
    if html is not None:
        count, place = services.images.write_gallery(folder, html, words, limit=limit), html
    elif jsonl is not None:
        count, place = services.images.write_lines(folder, jsonl, words, limit=limit), jsonl
    else:
        assert files is not None
        with progress_bar("Gathering", "images", silent=as_json) as progress:
            count, place = services.images.write_files(folder, files, words, limit=limit, progress=progress), files
    written = {"images": count, "place": path_text(place)}
    return reply(written, lambda: tell(f"{count:,} images written to {place}."), as_json=as_json)


def show_images(folder: Path, found: ImageAnswer) -> None:
    """What pages say about them, where they stand, and how to look at them."""
    for note in found.notes:
        say(note, "yellow")
    for place, image in enumerate(found.images, start=found.offset + 1):
        for number, line in enumerate(_image(image)):
            begin = f"{place:>3}. " if not number else "     "
            say(begin + line, ("bold", "cyan")[number] if number < 2 else "dim")
        say("")
    say(_summary(folder, found), "bold")
    if found.waiting:
        say(f"{found.waiting:,} more are to be fetched: shoal resume {alone(folder)}")


def _image(kept: KeptImage) -> Iterator[str]:
    best = kept.shown[0]
    image = best.image
    yield (image.caption or image.alt or image.title or best.title or "(nobody says what it shows)").replace("\n", " ")
    yield kept.url
    others = len({shown.page for shown in kept.shown}) - 1
    yield f"on {best.page}" + (f" and {others:,} more page{'s' if others > 1 else ''}" if others else "")
    why = "; ".join(evidence.what for evidence in best.why)
    yield f"{kept.width} × {kept.height} {kept.format}, topic {best.score:.2f}" + (f": {why}" if why else "")


def _summary(folder: Path, found: ImageAnswer) -> str:
    if not found.images:
        if not found.words and not found.waiting:
            return "There is no image: only a crawl with --images keeps them."
        return "No image was found." + (f" Did you mean: {found.suggestion}" if found.suggestion else "")
    words = f" {shlex.quote(found.words)}" if found.words else ""
    count = counted(found.total, "image")
    return f"{count}. Look at them with: shoal images {in_crawl(folder)}{words} --html gallery.html"
