"""How does what is stored become searchable anew?"""

from __future__ import annotations

from pathlib import Path

from shoal import indexer
from shoal.protocols import Progress, no_progress


def rebuild_index(folder: Path, progress: Progress = no_progress) -> int:
    """Make the search index anew from what is stored; answers how many pages are in it. A crawl must not run meanwhile."""
    return indexer.rebuild(folder, progress)
