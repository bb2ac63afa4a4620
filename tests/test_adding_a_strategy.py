"""Is `docs/adding-a-strategy.md` true? Its example is put where it says, found by itself, and passes every conformance test."""

from __future__ import annotations

import inspect
import re
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from shoal import services
from shoal import strategy as package
from shoal.crawl.termination import Ending
from shoal.errors import InputError
from shoal.judge.registry import Registered
from shoal.protocols import Strategy
from shoal.settings import Settings
from shoal.store import crawl_folder as folders
from shoal.strategy import strategies
from tests.conformance import test_strategy as conformance
from tests.crawl import simulated
from tests.strategy.pages import Queue, page

ROOT = Path(__file__).parents[1]
DOCUMENT = ROOT / "docs" / "adding-a-strategy.md"
MODULE = "patience"
CHECKS = {name: test for name, test in vars(conformance).items() if name.startswith("test_")}


def example() -> str:
    [code] = re.findall(r"^```python\n(.*?)^```", DOCUMENT.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)
    return str(code)


@pytest.fixture
def choice(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Registered[Strategy]]:
    """The example as a file beside the strategies, for the time of a test."""
    folder = tmp_path / "strategies"
    folder.mkdir()
    (folder / f"{MODULE}.py").write_text(example(), encoding="utf-8")
    monkeypatch.setattr(package, "__path__", [*package.__path__, str(folder)])
    _forget_what_there_is()
    try:
        yield strategies()[MODULE]
    finally:
        sys.modules.pop(f"{package.__name__}.{MODULE}", None)
        _forget_what_there_is()


def _forget_what_there_is() -> None:
    strategies.cache_clear()
    services.choices.names.cache_clear()


@pytest.mark.slow
@pytest.mark.parametrize("name", CHECKS)
def test_the_example_passes(name: str, choice: Registered[Strategy], tmp_path: Path) -> None:
    check: Callable[..., None] = CHECKS[name]
    for number, case in enumerate(cases(check)):
        folder = tmp_path / str(number)
        folder.mkdir()
        strategy = choice.make(conformance.TOPIC)
        offered = {"choice": choice, "rememberer": choice, "strategy": strategy, "tmp_path": folder} | case
        check(**{parameter: offered[parameter] for parameter in inspect.signature(check).parameters})


def cases(check: Callable[..., None]) -> list[dict[str, object]]:
    """The values of a check that runs with several, as its marks for pytest say."""
    found: list[dict[str, object]] = [{}]
    for mark in getattr(check, "pytestmark", ()):
        if mark.name == "parametrize":
            names, values = mark.args
            assert isinstance(names, str), "one name each is enough here"
            found = [case | {names: value} for case in found for value in values]
    return found


def test_the_example_is_short_enough_to_copy() -> None:
    assert len(example().splitlines()) <= 32


def test_the_example_does_what_it_says(choice: Registered[Strategy]) -> None:
    queue, strategy = Queue(), choice.make(conformance.TOPIC)
    # Half of the patience is gone behind a page that is not relevant: 0.3 + 0.5 < 0 + 1.
    queue.follow(strategy, page("http://a.example/", "http://a.example/1", score=0.9))
    queue.follow(strategy, page("http://a.example/bad", "http://a.example/2", hint=0.3, inherited=1.0))
    assert queue.order() == ["http://a.example/1", "http://a.example/2"]
    [candidate] = strategy.follow(page("p", "http://a.example/3", hint=0.1, inherited=0.5))
    assert candidate.priority == pytest.approx(0.35)
    assert candidate.inherited == 0.25
    assert candidate.why == "link 0.10, patience 0.25"


def test_the_example_crawls(choice: Registered[Strategy], tmp_path: Path) -> None:
    web = {simulated.SEED: simulated.page("/1", "/2"), simulated.SEED + "1": simulated.page("/3", text="grid")}
    crawl = simulated.Simulation(tmp_path / "crawl", web, strategy=choice.name)
    assert crawl.run() is Ending.NOTHING_LEFT
    assert set(crawl.pages_asked) == {simulated.SEED + name for name in ("", "1", "2", "3")}


def test_the_document_names_every_method_there_is() -> None:
    protocols = (Strategy, *conformance.OPTIONAL)
    names = [name for one in protocols for name in (one.__name__, *conformance.methods_of(one))]
    text = DOCUMENT.read_text(encoding="utf-8")
    assert [name for name in names if not re.search(rf"`{name}\b", text)] == []


def test_after_the_example_the_strategies_are_what_they_were() -> None:
    assert MODULE not in strategies()


def test_a_crawl_whose_strategy_is_gone_says_so(tmp_path: Path) -> None:
    folder = tmp_path / "crawl"
    folders.create(folder, Settings(topic=conformance.TOPIC, seeds=(simulated.SEED,), strategy=MODULE))
    with pytest.raises(InputError, match=f"There is no strategy {MODULE} any more: choose another one with --strategy"):
        services.crawls.change_settings(folder, {})
    services.crawls.change_settings(folder, {"strategy": "breadth"})
