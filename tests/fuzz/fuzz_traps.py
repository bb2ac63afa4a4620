"""Traps: whatever URL comes, it is judged at once, and a family of it is kept in a bounded space."""

from __future__ import annotations

from shoal import urls
from shoal.frontier.scope import ScopeRule
from shoal.frontier.traps import LONG_URL, TrapDetector
from shoal.parse.robots_txt import Robots
from shoal.settings import Scope
from shoal.testing.fuzz import trap_urls
from tests.fuzz.target import Target

_RULES = Robots("User-agent: *\nDisallow: /*?*utm_*=\nDisallow: /*calend*20$\nAllow: /a*a*a*a", "Shoal/0.1")
_SCOPE = ScopeRule(Scope(include=("*a*", "http://*.test/*=*=*"), exclude=("*calend*20*", "*.pdf")), ("http://a.test/",))


def _check(data: bytes) -> None:
    url = urls.normalise(data.decode())
    if url is None:
        return
    detector = TrapDetector(2026)
    assert len(url) <= LONG_URL or detector.why(url) is not None, "a URL that long is a trap"
    for _ in range(40 if len(url) <= LONG_URL else 1):  # one that is longer comes as a seed, or not at all
        detector.record(url, is_repeat=True, relevant=False)
    for count in detector.changes():
        assert len(count.pattern) <= 2 * len(url) + 2
    assert detector.why(url) is None or detector.why(url), "a sentence, or nothing"
    assert _RULES.allowed(url) in (True, False)
    assert _SCOPE.allows(url) != bool(_SCOPE.why_not(url)), "a reason whenever it is out of scope"


TARGETS = (Target(name="traps", make=trap_urls.url, check=_check, runs=500, seconds=0.3),)
