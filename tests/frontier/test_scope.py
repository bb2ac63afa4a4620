"""Which URLs belong to the crawl."""

from __future__ import annotations

import pytest

from shoal.frontier.scope import ScopeRule
from shoal.settings import Scope

SEEDS = ("http://www.example.org/a/b.html", "https://other.net:8443/")


@pytest.mark.parametrize(
    ("scope", "inside", "outside"),
    [
        (Scope(), ["http://anywhere.example/"], []),
        (
            Scope(kind="host"),
            ["http://www.example.org/z", "https://www.example.org/", "http://other.net:8443/x"],
            ["http://example.org/a/b.html", "http://www.example.org:8080/", "https://other.net/"],
        ),
        (
            Scope(kind="domain"),
            ["http://example.org/", "http://deep.down.example.org:99/", "http://www.other.net/"],
            ["http://example.com/", "http://notexample.org/"],
        ),
        (
            Scope(kind="prefix"),
            ["http://www.example.org/a/", "https://www.example.org/a/c/d?e", "https://other.net:8443/any"],
            ["http://www.example.org/a", "http://www.example.org/ab/c", "http://example.org/a/"],
        ),
        (
            Scope(include=("*/news/*", "http://exact.example/page?id=1")),
            ["http://x.example/news/1", "http://x.example/a/news/", "http://exact.example/page?id=1"],
            ["http://x.example/newsroom/", "http://exact.example/pageXid=1", "http://x.example/NEWS/1"],
        ),
        (
            Scope(exclude=("*.pdf", "*?print=*")),
            ["http://x.example/a.html", "http://x.example/a.pdf.html", "http://x.example/a/print=1"],
            ["http://x.example/a.pdf", "http://x.example/a?print=1"],
        ),
        (Scope(include=("*/新闻/*",)), ["http://x.example/%E6%96%B0%E9%97%BB/1"], ["http://x.example/1"]),
        (Scope(include=("*/a[1]/*",)), ["http://x.example/a[1]/b"], ["http://x.example/a1/b"]),
        (
            Scope(kind="host", include=("*/a/*",), exclude=("*/a/private/*",)),
            ["http://www.example.org/a/b"],
            ["http://www.example.org/a/private/b", "http://www.example.org/b", "http://elsewhere.example/a/b"],
        ),
    ],
)
def test_scope(scope: Scope, inside: list[str], outside: list[str]) -> None:
    rule = ScopeRule(scope, SEEDS)
    assert [url for url in inside + outside if rule.allows(url)] == inside
    assert [url for url in inside + outside if rule.why_not(url) == ""] == inside


@pytest.mark.parametrize(
    ("scope", "url", "sentence"),
    [
        (Scope(kind="host"), "http://a.example/", "scope is host: its host a.example is not the host of a seed"),
        (Scope(kind="domain"), "http://b.a.co.uk/", "scope is domain: its domain a.co.uk is not the domain of a seed"),
        (Scope(kind="prefix"), "http://a.example/", "scope is prefix: it does not lie below the path of a seed"),
        (Scope(include=("*.html",)), "http://a.example/", "no include pattern matches it"),
        (Scope(exclude=("*a.example*",)), "http://a.example/", "an exclude pattern matches it"),
    ],
)
def test_the_reason_is_a_sentence(scope: Scope, url: str, sentence: str) -> None:
    assert ScopeRule(scope, SEEDS).why_not(url) == sentence


def test_a_pattern_of_many_stars_is_answered_at_once() -> None:
    # With ordinary groups this takes longer than the universe will last.
    rule = ScopeRule(Scope(include=("*a" * 30 + "*b",)), SEEDS)
    assert not rule.allows("http://x.example/" + "a" * 1500)
    assert rule.allows("http://x.example/" + "a" * 1500 + "b")
