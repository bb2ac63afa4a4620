"""What can a person ask or do? Plain functions with frozen answers, for commands, web and Python alike.

`from shoal import services` loads nothing: a module comes when something of it is asked, so that a mistake is told at once.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from types import ModuleType

    from shoal.services import backups as backups
    from shoal.services import catalog as catalog
    from shoal.services import check as check
    from shoal.services import choices as choices
    from shoal.services import cluster_status as cluster_status
    from shoal.services import crawls as crawls
    from shoal.services import explain as explain
    from shoal.services import export as export
    from shoal.services import images as images
    from shoal.services import manual as manual
    from shoal.services import manual_lookup as manual_lookup
    from shoal.services import marks as marks
    from shoal.services import models as models
    from shoal.services import overview as overview
    from shoal.services import own_parts as own_parts
    from shoal.services import reindex as reindex
    from shoal.services import repair as repair
    from shoal.services import revisit as revisit
    from shoal.services import run as run
    from shoal.services import search as search
    from shoal.services import seeds as seeds
    from shoal.services import setting_forms as setting_forms
    from shoal.services import status as status
    from shoal.services import supervisor as supervisor
    from shoal.services import topics as topics
    from shoal.services import versions as versions
    from shoal.services import workers as workers


def __getattr__(name: str) -> ModuleType:
    try:
        return import_module(f"{__name__}.{name}")
    except ModuleNotFoundError as error:
        if error.name != f"{__name__}.{name}":
            raise
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}") from None
