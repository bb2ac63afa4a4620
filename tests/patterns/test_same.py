"""The patterns that were slow, and those that took their place: do they find the same in honest texts?"""

from __future__ import annotations

import re
from collections.abc import Callable
from random import Random
from typing import Any

import pytest

from shoal.frontier import traps
from shoal.judge import image_judge
from shoal.parse import charset, image_sources, links
from shoal.seeds import discovery
from shoal.topic import value_readers

_CALENDAR = re.compile(
    r"(?:calend|kalend|rili|%E6%97%A5%E5%8E%86)[^?]*?"
    r"[/_-](?P<year>\d{4})[-/_](?:0?[1-9]|1[0-2])(?:[-/_](?:0?[1-9]|[12]\d|3[01]))?/?(?:\.\w{2,5})?$",
    re.IGNORECASE,
)
_REFRESH = re.compile(r"^\s*\d*(?:\.\d*)?\s*[;,]\s*(?:url\s*=\s*)?[\"']?\s*([^\"'\s]+)", re.I)
_META = re.compile(
    rb"<meta\s[^>]*?charset\s*=\s*[\"']?\s*([\w.:-]+)|<\?xml\s[^>]*?encoding\s*=\s*[\"']([\w.:-]+)", re.I
)
_SESSION = re.compile(traps._SESSION.pattern.replace("{0,40}+", "*").replace("{1,40}+", "+"), re.I)


def _groups(pattern: re.Pattern[Any]) -> Callable[[Any], object]:
    return lambda text: [match.groups() for match in pattern.finditer(text)]


def _group(match: re.Match[str] | None) -> object:
    return match and match.groups()


def _calendar(path: str) -> object:
    found = traps._date_in(path, "")
    return found.year if found and found.calendar else None


def _old_calendar(path: str) -> object:
    return int(found["year"]) if (found := _CALENDAR.search(path)) else None


def _old_refresh(text: str) -> object:
    found = _REFRESH.match(text)
    if found and found[1].lower() == "url=":  # it took that for an address where nothing follows
        found = links._REFRESH.match(text)
    return _group(found)


CASES: dict[str, tuple[tuple[str, ...], Callable[[Any], object], Callable[[Any], object]]] = {
    "header": (
        ("charset", "=", " ", "'", '"', ";", "gbk", ","),
        _groups(re.compile(r"charset\s*=\s*[\"']?\s*([^\s\"';,]+)", re.I)),
        _groups(charset._HEADER),
    ),
    "comment": (
        ("<!--", "-->", "a", "-", ">", "\n"),
        lambda text: re.sub(rb"<!--.*?-->", b"", text.encode(), flags=re.DOTALL),
        lambda text: charset._COMMENT.sub(rb"\1", text.encode()),
    ),
    "meta": (
        ("<meta ", "charset", "=", " ", ">", '"', "gbk", "<?xml ", "encoding", "a"),
        lambda text: _groups(_META)(text.encode()) if "<" not in text[1:] else None,
        lambda text: _groups(charset._META)(text.encode()) if "<" not in text[1:] else None,
    ),
    "refresh": (
        ("0", "5", ".", ";", ",", "url=", " ", "'", '"', "/a"),
        _old_refresh,
        lambda text: _group(links._REFRESH.match(text)),
    ),
    "length": (
        ("1", "23", ".", " ", "px", "PX", "%"),
        lambda text: _group(re.match(r"\s*(\d{1,5})(?:\.\d*)?\s*(?:px)?\s*$", text, re.I)),
        lambda text: _group(image_sources._LENGTH.match(text)),
    ),
    "calendar": (
        ("/calend", "rili", "/2026", "-05", "/1", "_", "-12", ".html", "/", "a"),
        lambda text: _old_calendar("/" + text),
        lambda text: _calendar("/" + text),
    ),
    "session": (
        ("utm_", "sid", "=", "&", "a", "aspsessionid", "token", "/", ";"),
        _groups(_SESSION),
        _groups(traps._SESSION),
    ),
    "extension": (
        (".jpg", ".PNG", "a", "-", ".php", "!"),
        lambda text: re.sub(image_judge._EXTENSION.pattern.removesuffix("+") + "$", "", text, flags=re.I),
        lambda text: image_judge._EXTENSION.sub("", text),
    ),
    "not an element": (
        ("<!--", "-->", "a", "<rss", "\n"),
        lambda text: discovery._ELEMENT.findall(re.sub(r"<!--.*?-->|<\?.*?\?>", "", text, flags=re.DOTALL)),
        lambda text: discovery._ELEMENT.findall(discovery._NOT_AN_ELEMENT.sub(r"\1", text)),
    ),
    "duration": (
        ("1", "30", ".", "h", "m", " ", "x"),
        _groups(re.compile(r"(\d+(?:\.\d+)?)\s*([smhd])", re.I)),
        _groups(value_readers._DURATION),
    ),
    "share": (
        ("1", "0", ".", "-", "+", "%", " "),
        lambda text: bool(re.fullmatch(r"[-+]?(?:\d+\.?\d*|\.\d+)\s*%?", text)),
        lambda text: bool(value_readers._SHARE.fullmatch(text)),
    ),
}


@pytest.mark.parametrize("case", CASES)
def test_the_same_is_found(case: str) -> None:
    pieces, old, new = CASES[case]
    random = Random(case)
    different = set()
    for _ in range(4000):
        text = "".join(random.choices(pieces, k=random.randint(0, 9)))
        found = new(text)
        assert found == old(text), text
        different.add(repr(found))
    assert len(different) > 1, "something is found"
