"""`shoal images`: which pictures were found?"""

from __future__ import annotations

from pathlib import Path

import click

from shoal.commands import options
from shoal.commands.answer import path_text, print_json
from shoal.errors import InputError
from shoal.services import images as picturing
from shoal.terminal import images as screen
from shoal.terminal import waiting
from shoal.terminal.speaking import tell

_file = click.Path(path_type=Path)


@click.command(short_help="Find pictures by what pages say about them.", context_settings=options.WITH_MINUS)
@click.argument("words", nargs=-1, metavar="[WORDS]...", callback=options.typed)
@options.folder
@click.option("--limit", type=click.IntRange(1), metavar="N", help="At most so many. Default: 10; all for a file.")
@click.option("--offset", type=click.IntRange(0, 100_000), default=0, help="Leave out the first so many.")
@click.option("--html", "html", type=_file, metavar="FILE", help="Write a gallery: one file that any browser shows.")
@click.option("--jsonl", type=_file, metavar="FILE", help="Write a line of JSON for each picture.")
@click.option("--files", type=_file, metavar="FOLDER", help="Write the pictures themselves, and pictures.jsonl.")
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
    """Find the pictures that a crawl with --images kept, by what pages say about them.

    \b
    shoal images --dir crawls/grid 变电站
    shoal images --dir crawls/grid --html grid.html

    Without words all of them, those that are most about the topic first. The same words and operators as in shoal search.
    """
    wanted = [place for place in (html, jsonl, files) if place is not None]
    if len(wanted) > 1 or (wanted and offset):
        raise InputError("Choose one of --html, --jsonl and --files; --offset is for the screen only.")
    if wanted:
        return _write(folder, words, limit or 1_000_000, html, jsonl, files, as_json=as_json)
    with waiting.pictures(silent=as_json) as progress:
        found = picturing.find(folder, words, limit=limit or 10, offset=offset, progress=progress)
    if as_json:
        print_json(found)
    else:
        screen.show_pictures(folder, found)
    return 0 if found.pictures else 1


def _write(
    folder: Path, words: str, limit: int, html: Path | None, jsonl: Path | None, files: Path | None, *, as_json: bool
) -> int:
    if html is not None:
        count, place = picturing.write_gallery(folder, html, words, limit=limit), html
    elif jsonl is not None:
        count, place = picturing.write_lines(folder, jsonl, words, limit=limit), jsonl
    else:
        assert files is not None
        with waiting.pictures(silent=as_json) as progress:
            count, place = picturing.write_files(folder, files, words, limit=limit, progress=progress), files
    if as_json:
        print_json({"pictures": count, "place": path_text(place)})
    else:
        tell(f"{count:,} pictures written to {place}.")
    return 0
