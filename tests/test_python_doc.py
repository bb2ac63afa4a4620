"""Is `docs/python.md` true? Its examples run in order, as they stand, on the made-up web; what they print is looked at."""

from __future__ import annotations

import contextlib
import inspect
import io
import re
from pathlib import Path
from typing import Any

import matplotlib as mpl
import pytest

import shoal
from shoal import services
from shoal.testing.webserver import SimpleWeb
from tests.services.test_services_in_a_loop import functions
from tests.shell import served

ROOT = Path(__file__).parent.parent
DOCUMENT = ROOT / "docs" / "python.md"


def blocks(language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```", DOCUMENT.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty folder to work in, with a home of its own."""
    monkeypatch.setenv("SHOAL_HOME", str(tmp_path / "home"))
    monkeypatch.chdir(tmp_path)
    mpl.use("agg")
    return tmp_path


@pytest.mark.slow
def test_the_examples_run_as_they_stand(place: Path) -> None:
    names: dict[str, Any] = {}
    printed = [run(block, names) for block in blocks("python")]
    whole = "".join(printed)
    assert printed[0].startswith("the page budget is reached\nscore  date")
    assert len(re.findall("变电站|變電站", printed[0])) >= 3
    assert len(names["crawl"].pages()) == 150
    assert re.search(r"150 pages, of them relevant: [5-9]\d%", whole)
    assert {crawl.name for crawl in shoal.crawls()} == {"near-home", "substations", "铁路", "电网", "power-grid"}
    assert {page.language for page in names["relevant"]} >= {"zh", "en"}
    assert "seed http" in whole
    assert "30 30 " in whole
    assert len(names["mine"].pages(relevant=True)) > 5
    assert len(names["near"].pages()) == 40
    assert re.search("^(near|far from) home$", whole, re.MULTILINE)
    assert len(names["curve"].lines[0].get_xdata()) == 150
    assert (place / "pages.warc.gz").stat().st_size > 10_000
    assert re.search(r"finished\n\d+\n$", whole)


def run(block: str, names: dict[str, Any]) -> str:
    said = io.StringIO()
    with contextlib.redirect_stdout(said):
        exec(compile(block, str(DOCUMENT), "exec"), names)
    return said.getvalue()


def test_mistakes_are_told_as_it_says(place: Path) -> None:
    with served(SimpleWeb().page("http://a.test/", "The power grid.")) as server:
        shoal.crawl("grid", seeds="http://a.test/", proxy=server.proxy, name="power-grid", index=False, progress=False)
    [block] = [block for block in blocks("python") if "mistake" in block]
    said = run(block, {"shoal": shoal}).splitlines()
    wanted = blocks("text")[-1].splitlines()
    assert len(said) == len(wanted)
    for line, want in zip(said, wanted, strict=True):
        assert re.fullmatch(re.escape(want).replace("…", ".*"), line)


def test_every_service_is_named_with_its_question_and_its_functions() -> None:
    rows = re.findall(r"^\| `([a-z_]+)` \| (.*\?) \| (.*) \|$", DOCUMENT.read_text(encoding="utf-8"), re.MULTILINE)
    named = {
        f"{service}.{name}": bool(awaited)
        for service, _, these in rows
        for awaited, name in re.findall(r"`(await )?(\w+)`", these)
    }
    there = {name: getattr(getattr(services, name.partition(".")[0]), name.partition(".")[2]) for name in functions()}
    assert named == {name: inspect.iscoroutinefunction(one) for name, one in there.items()}
    assert [(name, asked) for name, asked, _ in rows if not _first_line(name).startswith(asked)] == []


def _first_line(service: str) -> str:
    return (getattr(services, service).__doc__ or "").partition("\n")[0]
