"""`shoal model export` and `shoal model show`: what did a crawl learn that another one could begin with?"""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import click
import msgspec

from shoal.commands import options
from shoal.commands.answer import path_text, print_json
from shoal.services import marks as knowing
from shoal.store.models import FORMAT, Model, read_model
from shoal.terminal import model as screen
from shoal.terminal.speaking import tell

_path = click.Path(path_type=Path)


@click.group(short_help="Carry what a crawl learned to another one.")
def model() -> None:
    """Carry what a crawl learned to another one."""


@model.command(short_help="Write what a crawl learned to a file.")
@options.folder
@click.option("--out", type=_path, required=True, metavar="FILE", help="The model file to write.")
@options.as_json
def export(folder: Path, out: Path, as_json: bool) -> int:
    """Write what the strategy of a crawl learned to a file.

    \b
    shoal model export --dir crawls/power-grid --out grid.model
    shoal crawl other.toml --strategy learned --model grid.model

    The crawl must not be running.
    """
    written = knowing.export_model(folder, out)
    if as_json:
        print_json(_written_out(out, written))
    else:
        tell(screen.written(out, written))
    return 0


@model.command(short_help="Say what is in a model file.")
@click.argument("file", type=_path, metavar="FILE")
@options.as_json
def show(file: Path, as_json: bool) -> int:
    """Say what is in a model file: who learned it, when, from how many pages, and about which topic."""
    found = read_model(file)
    if as_json:
        print_json(_written_out(file, found))
    else:
        screen.show_model(file, found)
    return 0


def _written_out(file: Path, found: Model) -> dict[str, object]:
    return {
        "file": path_text(file),
        "format": FORMAT,
        "strategy": found.strategy,
        "shoal": found.shoal,
        "topic": _whole(found.topic),
        "pages": found.pages,
        "at": datetime.fromtimestamp(found.at, UTC),
        "bytes": len(found.knowledge),
    }


def _whole(value: object) -> object:
    """With its defaults, because who reads JSON does not know them."""
    if isinstance(value, msgspec.Struct):
        return {name: _whole(part) for name, part in msgspec.structs.asdict(value).items()}
    return [_whole(part) for part in value] if isinstance(value, tuple) else value
