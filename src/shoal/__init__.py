"""Shoal finds what the web says about a topic.

    crawl = shoal.crawl(topic="power grid, 电网", seeds=["https://example.org/"], max_pages=500)
    crawl.search("變電站")

All that is public is named below, and `docs/python.md` is a tour of it. A name is loaded when it is asked for, so that
the command `shoal` starts at once.
"""

from __future__ import annotations

import sys
from importlib import import_module
from types import ModuleType
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from shoal.errors import ShoalError as ShoalError
    from shoal.model import Candidate as Candidate
    from shoal.model import Evidence as Evidence
    from shoal.model import Link as Link
    from shoal.model import Page as Page
    from shoal.model import Seen as Seen
    from shoal.model import Verdict as Verdict
    from shoal.protocols import Judge as Judge
    from shoal.protocols import Strategy as Strategy
    from shoal.python.crawl import Crawl as Crawl
    from shoal.python.crawl_lookup import crawls as crawls
    from shoal.python.crawl_lookup import open as open
    from shoal.python.crawl_lookup import search as search
    from shoal.python.demo_web import DemoWeb as DemoWeb
    from shoal.python.rows import Rows as Rows
    from shoal.python.start import crawl as crawl
    from shoal.python.start import crawl_async as crawl_async
    from shoal.strategy import promising as promising

__version__ = "0.1.0"

_HOMES = {
    "Candidate": "shoal.model",
    "Crawl": "shoal.python.crawl",
    "DemoWeb": "shoal.python.demo_web",
    "Evidence": "shoal.model",
    "Judge": "shoal.protocols",
    "Link": "shoal.model",
    "Page": "shoal.model",
    "Rows": "shoal.python.rows",
    "Seen": "shoal.model",
    "ShoalError": "shoal.errors",
    "Strategy": "shoal.protocols",
    "Verdict": "shoal.model",
    "crawl": "shoal.python.start",
    "crawl_async": "shoal.python.start",
    "crawls": "shoal.python.crawl_lookup",
    "open": "shoal.python.crawl_lookup",
    "promising": "shoal.strategy",
    "search": "shoal.python.crawl_lookup",
}
"""Where each public name is."""
__all__ = [
    "Candidate",
    "Crawl",
    "DemoWeb",
    "Evidence",
    "Judge",
    "Link",
    "Page",
    "Rows",
    "Seen",
    "ShoalError",
    "Strategy",
    "Verdict",
    "crawl",
    "crawl_async",
    "crawls",
    "open",
    "promising",
    "search",
]


def __getattr__(name: str) -> object:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(_HOMES[name]), name)


def __dir__() -> list[str]:
    return [*__all__, "__version__"]


class _Door(ModuleType):
    """`shoal.crawl` is the function, always: Python would put the room `shoal/crawl/` in its place as soon as that is imported.

    Imports find the room all the same, because they ask `sys.modules`.
    """

    @property
    def crawl(self) -> object:
        return __getattr__("crawl")

    @crawl.setter
    def crawl(self, room: ModuleType) -> None:
        """What Python says when the room was imported."""


sys.modules[__name__].__class__ = _Door
