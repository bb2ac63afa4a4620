"""A web of a few pages in Chinese and English, and a home of one's own."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import shoal
from shoal.testing.webserver import SimpleWeb, WebAnswer
from tests.shell import served

SEED = "http://a.test/"
GBK = '<title>變電站</title><p>这座城市的电网由变电站组成，变电站每天都有人维护。<a href="/grid">电网</a>'


def web() -> SimpleWeb:
    """Four pages, one of them in GBK, and one that is about something else."""
    found = SimpleWeb()
    found.page(SEED, "The power grid of the city.", title="Power grid 电网", links=["/grid", "/gbk", "/tea"])
    found.page(f"{SEED}grid", "The power grid has many substations. The power grid is large.", title="<b>Grid</b>")
    found.page(f"{SEED}tea", "Tea is a drink that has nothing to do with it.", title="Tea")
    return found.raw(f"{SEED}gbk", GBK.encode("gbk"), content_type="text/html; charset=gb2312")


class SlowPage:
    """A web of two pages, whose second one takes so long; it tells when that was asked for."""

    def __init__(self, delay: float) -> None:
        pages = SimpleWeb().page(SEED, "The power grid.", links=["/slow"])
        self._pages = pages.page(f"{SEED}slow", "A slow power grid.", links=["/more"], delay=delay)
        self.asked = threading.Event()

    def answer(self, host: str, target: str, nth: int) -> WebAnswer:
        """The `Web` that `WebServer` serves."""
        if target == "/slow":
            self.asked.set()
        return self._pages.answer(host, target, nth)


@pytest.fixture
def proxy() -> Iterator[str]:
    with served(web()) as server:
        yield server.proxy


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where crawls are kept for which nobody names a place."""
    for name in ("SHOAL_DATABASE", "SHOAL_BROKER", "SHOAL_PROXY"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("SHOAL_HOME", str(tmp_path / "home"))
    return tmp_path / "home"


@pytest.fixture
def about(proxy: str) -> dict[str, Any]:
    """What every crawl of this web is given."""
    return {"topic": "power grid, 电网", "seeds": SEED, "proxy": proxy, "delay": 0.0, "index": False, "progress": False}


@pytest.fixture
def crawled(about: dict[str, Any], home: Path) -> shoal.Crawl:
    """A crawl that came to its end."""
    return shoal.crawl(**about, name="电网")
