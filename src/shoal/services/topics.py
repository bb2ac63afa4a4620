"""What does a crawl look for, and how did that change?"""

from __future__ import annotations

from pathlib import Path

from shoal.model.stored import TopicChange
from shoal.store import crawl_folder as folders
from shoal.store import strategy_memory


def topic_history(folder: Path) -> list[TopicChange]:
    """Every version of the topic, the one that the crawl was started with first."""
    with folders.reading(folder) as database:
        return strategy_memory.topic_history(database, folders.read_settings(folder, database).topic)
