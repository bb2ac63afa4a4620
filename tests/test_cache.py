"""What strangers write fills no cache: long texts are not remembered, and no cache is without a limit."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

from shoal import text, urls
from shoal.cache import LONGEST, cached
from shoal.judge import make_judge
from shoal.judge.image_judge import DescriptionImageJudge
from shoal.model import Response, Term, Timing, Topic
from shoal.parse.parser import HtmlParser
from shoal.settings import ImageSettings
from shoal.store import packed_page
from shoal.strategy.link_model import hashing
from tests.syntax import nodes_of

SOURCE = Path(__file__).parent.parent / "src" / "shoal"
OWN_KEYS = {
    "services.choices.names": "no key",
    "judge.judges": "no key",
    "judge.image_judge.judge_images": "forgotten with the page",
    "parse.links._remembered": "the caller looks at the length",
    "parse.main_text.is_noise": "the caller cuts the names",
    "strategy.strategies": "no key",
    "services.manual.pages": "no key",
    "index.snippet._aligned": "a few blocks of bounded length",
    "index.snippet._fold_one": "single characters",
    "index.snippet._pattern": "a few phrases that users ask for",
    "database.postgres._asks": "statements of ours",
    "database.postgres._numbered": "statements of ours",
    "templates._templates": "folders of ours",
    "text._folding": "no key",
    "text._word_pattern": "no key",
    "text.stamp": "no key",
    "topic.word_frequencies.general": "no key",
    "topic.word_vectors.load": "files of the installation",
    "urls._suffixes": "no key",
}
"""Caches of the standard library, which do not look at how long a key is, and why they need not."""


class Measure:
    """A function that remembers what it was asked."""

    def __init__(self) -> None:
        self.asked: list[str] = []

    def __call__(self, one: str) -> int:
        self.asked.append(one)
        return len(one)


def test_short_texts_are_remembered_and_long_ones_are_not() -> None:
    measure = Measure()
    measured = cached(size=10)(measure)
    for one in ("a", "a", "b" * LONGEST, "b" * LONGEST, "c" * (LONGEST + 1), "c" * (LONGEST + 1)):
        assert measured(one) == len(one)
    assert [one[0] for one in measure.asked] == ["a", "b", "c", "c"]


def test_what_does_not_fit_any_more_makes_room_for_itself() -> None:
    measure = Measure()
    measured = cached(size=2)(measure)
    for one in "ababcbcba":
        measured(one)
    assert measure.asked == ["a", "b", "c", "b", "a"], "all are forgotten when it is full"


def _uses(path: Path) -> Iterator[str]:
    """Where a module uses a cache of the standard library: the function or name that has it."""
    module = ".".join(path.relative_to(SOURCE).with_suffix("").parts).removesuffix(".__init__")
    for node in nodes_of(path):
        if isinstance(node, ast.FunctionDef) and any(map(_is_cache, node.decorator_list)):
            yield f"{module}.{node.name}"
        if isinstance(node, ast.Assign) and any(
            _is_cache(one) for one in ast.walk(node.value) if isinstance(one, ast.Call)
        ):
            names = [target.id for target in node.targets if isinstance(target, ast.Name)]
            yield f"{module}.{_function_around(path, node) or names[0]}"


def _is_cache(node: ast.AST) -> bool:
    called = node.func if isinstance(node, ast.Call) else node
    return isinstance(called, ast.Name) and called.id in ("cache", "lru_cache")


def _function_around(path: Path, node: ast.Assign) -> str:
    functions = [one for one in nodes_of(path) if isinstance(one, ast.FunctionDef)]
    inside = [one for one in functions if one.lineno < node.lineno <= (one.end_lineno or 0)]
    return max(inside, key=lambda one: -one.lineno).name if inside else ""


def test_every_cache_looks_at_the_length_of_its_keys_or_has_keys_of_our_own() -> None:
    product = [
        path for path in SOURCE.rglob("*.py") if path.relative_to(SOURCE).parts[0] not in ("evaluate", "testing")
    ]
    assert sorted({use for path in product for use in _uses(path)}) == sorted(OWN_KEYS)


# --- pages that fill memory ---

TOPIC = Topic(name="t", terms=(Term(text="grid", weight=1.0),))
LONG = 200_000


def _answer(number: int) -> Response:
    """A page whose every part is long, and none like that of another page."""
    one, name = f"{number:04}" * (LONG // 4), f"{number:04}" * 1900
    body = (
        f"<html lang='{one}'><title>grid {one}</title><meta name='{one}' content='{one}'>"
        f"<div class='{one}' id='{one}' role='{one}'>grid {one} {name}</div>"
        f"<a href='/{name}' rel='{one}'>grid {one}</a><a href='?{name}'>grid {name}</a><img src='/{name}.jpg' alt='grid {one}'>"
    )
    return Response(
        url=f"http://{'x' * 50}{number}.test/{name[:4000]}",
        status=200,
        headers=(("content-type", f"text/html; charset={one}"),),
        body=body.encode(),
        timing=Timing(started=0.0, answered=0.0, ended=0.0),
    )


def _memory() -> int:
    for row in Path("/proc/self/status").read_text(encoding="ascii").splitlines():
        if row.startswith("VmRSS:"):
            return int(row.split()[1]) * 1024
    raise AssertionError("the kernel does not say how much memory a process has")


def _read(number: int) -> None:
    page = HtmlParser().parse(_answer(number))
    assert page is not None
    judge = make_judge("evidence", TOPIC)
    judge.judge(page)
    judge.judge_links(page.links)
    DescriptionImageJudge(TOPIC, ImageSettings(wanted="all")).judge_images(page)
    packed_page.pack_links(page.links, page.url)
    for link in page.links:
        hashing.url_tokens(link.url)
        hashing.anchor_tokens(link.anchor)
        urls.domain_of(urls.host_of(link.url))


@pytest.mark.slow
def test_long_attributes_leave_nothing_behind() -> None:
    for number in range(5):
        _read(number)
    before = _memory()
    for number in range(5, 65):
        _read(number)
    assert _memory() - before < 10 * 2**20


@pytest.mark.parametrize("letter", ["x", "é", "か"])
def test_long_words_are_not_remembered(letter: str) -> None:
    text.flattened(f"grid {letter * 100_000}")
    assert max(map(len, text._term.__self__)) <= 40  # type: ignore[attr-defined]
