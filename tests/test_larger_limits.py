"""A crawl that is resumed with larger limits fetches what the smaller ones kept out."""

from pathlib import Path

import pytest

from shoal.testing.webserver import SimpleWeb, WebServer
from tests.running import Operator, assert_consistent, stored

pytestmark = pytest.mark.slow  # commands, each a process of its own
A, B = "http://a.test", "http://b.test"


def web() -> SimpleWeb:
    return (
        SimpleWeb()
        .page(f"{A}/", "start", links=["/1", f"{B}/"])
        .page(f"{A}/1", "one", links=["/2"])
        .page(f"{A}/2", "two", links=["/3"])
        .page(f"{A}/3", "three")
        .page(f"{B}/", "another host")
    )


def paths(folder: Path) -> set[str]:
    return {url for url, _, _ in stored(folder)}


@pytest.mark.parametrize(
    ("small", "large", "before"),
    [
        (("--max-depth", "1"), ("--max-depth", "9"), {f"{A}/", f"{A}/1", f"{B}/"}),
        (("--max-pages-per-host", "2"), ("--max-pages-per-host", "9"), {f"{A}/", f"{A}/1", f"{B}/"}),
        (("--scope", "host"), ("--scope", "any"), {f"{A}/", f"{A}/1", f"{A}/2", f"{A}/3"}),
        (("--strategy", "bounded", "--set", "depth=1"), ("--set", "depth=9"), {f"{A}/", f"{A}/1", f"{B}/"}),
        (("--strategy", "bounded", "--set", "depth=1"), ("--strategy", "depth"), {f"{A}/", f"{A}/1", f"{B}/"}),
    ],
    ids=["depth", "pages per host", "scope", "bound", "strategy"],
)
async def test_what_was_skipped_is_fetched(
    tmp_path: Path, small: tuple[str, ...], large: tuple[str, ...], before: set[str]
) -> None:
    operator = Operator(tmp_path)
    async with WebServer(web()) as server:
        start = (
            "crawl",
            "--topic",
            "one",
            "--seed",
            f"{A}/",
            "--dir",
            "c",
            "--proxy",
            server.proxy,
            "--delay",
            "0",
            "--quiet",
        )
        assert (await operator.runs(*start, *small)).code == 0
        assert paths(operator.folder("c")) == before
        assert (await operator.runs("resume", "--dir", "c", "--quiet", *large)).code == 0
        assert paths(operator.folder("c")) == {f"{A}/", f"{A}/1", f"{A}/2", f"{A}/3", f"{B}/"}
    assert_consistent(operator.folder("c"))
