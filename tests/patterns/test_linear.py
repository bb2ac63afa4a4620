"""Every regular expression of every module, its worst texts, and how its time grows with them.

A pattern that is new is found here by itself. One that is made inside a function has to be named in `MADE`, with examples.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable
from typing import Any

import pytest

from shoal import text
from shoal.frontier import scope
from shoal.index import snippet
from tests.patterns.attacks import attacks
from tests.patterns.collection import Found, calls, disguises, patterns
from tests.patterns.growth import complaint

pytestmark = pytest.mark.slow

PARTS = 8
"""Of all patterns, which are asked side by side: together they take more than a minute."""
_ALL = frozenset({"scan", "match", "fullmatch"})
_SCAN = frozenset({"scan"})
_TYPED = [["*a*b*c"], ["http://a.test/*", "*.pdf"], ["*aa*aa*", "*a"], ["http://*/新闻/*.html*"]]
_ASKED = [("ab", "cd"), ("电", "网", "ab"), ("aa",) * 5, ("ééé", "aaa"), ("man", "man")]

MADE: dict[str, tuple[int, frozenset[str], Callable[[], Iterable[re.Pattern[str] | None]]]] = {
    "shoal.frontier.scope:_any_of": (1, frozenset({"fullmatch"}), lambda: map(scope._any_of, _TYPED)),
    "shoal.index.snippet:_pattern": (1, _SCAN, lambda: map(snippet._pattern, _ASKED)),
    "shoal.text:_folding": (2, _SCAN, lambda: [text._folding()[0], re.compile(f"[{text._SILENT}]")]),
    "shoal.text:_word_pattern": (1, _SCAN, lambda: [text._word_pattern()]),
}
"""Functions that make patterns: how many calls of `re` they have, how the patterns are used, and some of them."""


def slowness(found: Found) -> str:
    """The worst that can be said of a pattern; empty when it is linear in every way it is used."""
    for attack in attacks(found.pattern):
        for method in sorted(found.methods):
            if complaint_ := complaint(_work(found.pattern, method), attack.text):
                return f"{found.place} ({method}) {complaint_}: {attack!r}"
    return ""


def _work(pattern: re.Pattern[Any], method: str) -> Callable[[Any], object]:
    """`sub`, `split`, `findall` and `search` go from place to place as `finditer` does."""
    if method == "scan":
        return lambda text: sum(1 for _ in pattern.finditer(text))
    anchored: Callable[[Any], object] = getattr(pattern, method)
    return anchored


@pytest.mark.parametrize("part", range(PARTS))
def test_every_pattern_is_linear(part: int) -> None:
    found = patterns()
    assert len(found) > 100, "the patterns of the modules are not found any more"
    assert [wrong for one in found[part::PARTS] if (wrong := slowness(one))] == []


def test_what_is_made_at_run_time_is_linear() -> None:
    made = [
        Found(place, pattern, methods) for place, (_, methods, make) in MADE.items() for pattern in make() if pattern
    ]
    assert [wrong for one in made if (wrong := slowness(one))] == []


def test_nothing_is_made_at_run_time_that_is_not_known_here() -> None:
    """Make it a constant of its module, or add it to `MADE`."""
    assert Counter(call.place for call in calls()) == {place: number for place, (number, _, _) in MADE.items()}
    assert disguises() == [], "write `import re`, so that patterns are found"


# --- would it find them? ---------------------------------------------------------------------------------------------

SLOW = [
    # Tried from every place, each reads to the end.
    r"\s+$",
    r"\d+x",
    r"\s++x",
    r"(?>a+)b",
    r"a*b",
    r"<!--.*?-->",
    r"<meta\s[^>]*?charset=",
    r"(?:calend|rili)[^?]*?/\d{4}$",
    r"(?<![0-9a-z])(sid|utm_\w+)=",
    r"\.(?:jpe?g|png)(?![a-z]).*$",
    r"[a-z]+@[a-z]+\.",
    # The same text is shared out in many ways.
    r"(a+)+b",
    r"(?:a|a)*b",
    r"(\w|\d)+!",
    r"^\s*\d*(?:\.\d*)?\s*[;,]\s*(?:url\s*=\s*)?[\"']?\s*([^\"'\s]+)",
    r"charset\s*=\s*[\"']?\s*([^\s\"';,]+)",
    r"ab[a-z0-9]*[\W_]{0,3}cd",
    r"(x+x+)+y",
    r"^(.*?,){11}P",
    "电+网",
]
LINEAR = [
    r"a",
    r"<!--.*?-->|(<!--.*+)",
    r"(?<!\d)\d++x",
    r"[^<>]{0,50}+>",
    r"\b[a-z]{2,5}\b",
    r"(?:calend|rili)",
    r"[电网]+",
    r"\d{4}-\d\d",
]


@pytest.mark.parametrize("slow", SLOW)
def test_it_finds_what_is_slow(slow: str) -> None:
    used = frozenset({"match"}) if slow.startswith("^") else _SCAN
    assert slowness(Found("planted", re.compile(slow, re.IGNORECASE), used))


@pytest.mark.parametrize("slow", [rb"\s+$", rb"<!--.*?-->"])
def test_it_finds_what_is_slow_on_bytes(slow: bytes) -> None:
    assert slowness(Found("planted", re.compile(slow, re.DOTALL), _SCAN))


@pytest.mark.parametrize("linear", LINEAR)
def test_it_says_nothing_of_what_is_linear(linear: str) -> None:
    assert slowness(Found("honest", re.compile(linear, re.DOTALL), _ALL)) == ""


def test_what_begins_at_one_place_only_is_asked_that() -> None:
    pattern = re.compile(r"[\w-]+(?:\.[\w-]++)++")
    assert slowness(Found("anchored", pattern, frozenset({"fullmatch"}))) == ""
    assert slowness(Found("searched", pattern, _SCAN))
