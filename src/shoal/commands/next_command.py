"""How is the crawl called in the command that comes next? By its name when it is in the installation's home, else by its folder.

What is shown here is copied into a shell: spaces are quoted, and a name that would mean another crawl there is not used.
"""

from __future__ import annotations

import os
from pathlib import Path

from shoal import services
from shoal.errors import ShoalError
from shoal.installation.location import installation_of
from shoal.printable import typed


def alone(folder: Path) -> str:
    """For a command that is about nothing else: `power-grid` as in `shoal status power-grid`, or `--dir FOLDER`."""
    return _name(folder) or in_folder(folder)


def in_crawl(folder: Path) -> str:
    """For all others: `--crawl power-grid` as in `shoal show --crawl power-grid URL`, or `--dir FOLDER`."""
    return f"--crawl {name}" if (name := _name(folder)) else in_folder(folder)


def in_folder(folder: Path) -> str:
    """By its folder, wherever that is."""
    return f"--dir {typed(folder)}"


def called(folder: Path) -> str:
    """In a sentence: its name, or its folder as it was typed."""
    return _name(folder) or str(folder)


def _name(folder: Path) -> str:
    try:
        return services.catalog.name_at_home(installation_of(os.environ), folder)
    except ShoalError:  # nobody knows where the home is: it is said when that matters
        return ""
