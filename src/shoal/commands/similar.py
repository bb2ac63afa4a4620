"""`shoal similar`: which stored pages are like this one?"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import click

from shoal.commands import options
from shoal.commands.search import find, limit


@click.command()
@click.argument("url", metavar="URL")
@options.folders
@limit
@options.as_json
def similar(url: str, folders: Mapping[Path, str], limit: int, as_json: bool) -> int:
    """Find stored pages that say much the same as one of them. Near-copies of it are left out."""
    return find(folders, lambda finder: finder.similar(url, limit=limit), as_json=as_json)
