"""robots.txt: whatever it says, every URL has an answer at once; of small ones, the answer that a simple reader finds."""

from __future__ import annotations

import re
from collections.abc import Callable
from itertools import takewhile
from random import Random

from shoal.parse.robots_txt import LONGEST_DELAY, Robots, product_token
from shoal.testing.fuzz import robots_texts
from tests.fuzz.target import Target

_AGENTS = ("Shoal/0.1", "Crawler9000", "my.bot/1.0 (+http://x.test)")


def _check_any(data: bytes) -> None:
    text = data.decode("utf-8", "replace")
    random = Random(len(data))
    for agent in _AGENTS:
        rules = Robots(text, agent)
        delay = rules.crawl_delay
        assert delay is None or 0 <= delay <= LONGEST_DELAY, "a delay that can be waited for"
        for path in ("/", robots_texts.path(random), "/" + "ab" * 3900, "/%FF%zz%", "/电?a=b"):
            assert rules.allowed(f"http://a.test{path}") in (True, False)
        assert rules.allowed("http://a.test/robots.txt")


def _check_small(data: bytes) -> None:
    text = data.decode()
    random = Random(text)
    for agent in _AGENTS:
        rules = Robots(text, agent)
        for _ in range(5):
            path = robots_texts.path(random)
            url = f"http://a.test{path}"
            assert rules.allowed(url) == _allowed(text, agent, path), (agent, path)


# --- a simple reader: RFC 9309, each rule as a regular expression ----------------------------------------------------


def _allowed(text: str, agent: str, path: str) -> bool:
    name = product_token(agent).lower()
    by_name = _reading(text, path, lambda said: said.partition("/")[0] == name)
    by_token = _reading(text, path, lambda said: _letters(said) == _letters(name))
    return by_name and by_token


def _letters(name: str) -> str:
    return "".join(takewhile(lambda one: one in "abcdefghijklmnopqrstuvwxyz_-", name))


def _reading(text: str, path: str, is_us: Callable[[str], bool]) -> bool:
    rules: dict[bool, list[tuple[bool, str]]] = {True: [], False: []}
    named: set[bool] = set()
    names: list[str] = []
    fresh = True
    for line in text.splitlines():
        field, _, value = (part.strip() for part in line.partition(":"))
        if field == "User-agent":
            names = [*names, value.lower()] if fresh else [value.lower()]
            fresh = True
            named |= {True for name in names if is_us(name)}
        else:
            fresh = False
            for ours in {True for name in names if is_us(name)} | {False for name in names if name == "*"}:
                rules[ours].append((field == "Allow", value))
    return _decided(rules[bool(named)], path)


def _decided(rules: list[tuple[bool, str]], path: str) -> bool:
    found = [(-1, True)]
    for allow, rule in rules:
        if _matches(rule, path):
            found.append((_length(rule), allow))
        if allow and rule.endswith("/index.html"):
            folder = rule.removesuffix("index.html") + "$"
            found += [(_length(folder), True)] if _matches(folder, path) else []
    return max(found)[1]


def _spelled(text: str) -> str:
    """Of what the generator makes, only these two are written otherwise in a URL."""
    return text.replace("?", "%3F").replace("$", "%24")


def _length(rule: str) -> int:
    return len(_spelled(rule.removesuffix("$"))) + rule.endswith("$")


def _matches(rule: str, path: str) -> bool:
    end = r"\Z" if rule.endswith("$") else ""
    parts = re.split(r"\*+", _spelled(rule.removesuffix("$")))
    pattern = ".*?".join(map(re.escape, parts)) + end
    return re.match(pattern, _spelled(path).replace("*", "%2A")) is not None


TARGETS = (
    Target(name="robots", make=robots_texts.wild, check=_check_any, runs=150, seconds=0.5, megabytes=60),
    Target(name="robots-small", make=robots_texts.small, check=_check_small, runs=600),
)
