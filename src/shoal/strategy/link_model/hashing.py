"""What does a link say, and where does it lead, token by token? Every token becomes a number that can be counted.

Words of the anchor and of the address are tokens: of Latin text the words (`RTCPeerConnection` is three), of Chinese the
characters and all pairs of them, so that nothing depends on how Chinese is cut. The site, the section, the folder and the
shape of the address are tokens too. Numbers are hashes, so tokens need no dictionary and mean the same in every crawl.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import NamedTuple
from zlib import crc32

from shoal.cache import cached
from shoal.judge.vector import words_of
from shoal.text import HAN, fold

BUCKETS = 2**18
"""How many numbers there are. Two tokens that share one learn from each other: rare enough among thousands."""
NO_TOKEN = 0
"""The number that no token has."""
MOST_TOKENS = 16
"""Tokens that count of one anchor or address: the first ones."""
_REMEMBERED = 50_000
_HUMPS = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
_LATIN = re.compile(r"[a-z]+|[0-9]+")
_CHINESE = re.compile(f"[{HAN}]+")
_DIGITS = re.compile(r"\d+")
_FILLERS = frozenset({"html", "htm", "shtml", "php", "asp", "aspx", "jsp", "index"})
_LONGEST_NUMBER = 4
_NEXT = re.compile(
    r"[\[(]?(第\s*)?\d{1,4}(\s*[页頁])?[\])]?|page\s*\d+|(next|more|older)\b.{0,20}|[下后後]一?[页頁]|更多|[尾末][页頁]|last|[>»›→]+",
    re.IGNORECASE,
)


class UrlTokens(NamedTuple):
    """The tokens of a URL."""

    words: tuple[int, ...]
    host: int
    section: int
    """The host with the first segment of the path."""
    folder: int
    """The URL up to its last slash."""
    shape: int
    """The host with the path, every name in it replaced by an x: `/~x/`, `/users/x/x.html`."""
    twin: int
    """The whole URL, every number in it replaced by a 0."""


def hash_token(token: str) -> int:
    """The number of a token."""
    return crc32(token.encode("utf-8", "replace")) % (BUCKETS - 1) + 1


def words_in(text: str) -> list[str]:
    """The tokens of a text, each once, in order."""
    folded = fold(_HUMPS.sub(" ", text))
    latin = [word if word[0].isalpha() else "0" * min(len(word), _LONGEST_NUMBER) for word in _LATIN.findall(folded)]
    runs = [] if folded.isascii() else _CHINESE.findall(folded)
    # Pairs first: they say more than single characters, and only the first few tokens count.
    pairs = [run[place : place + 2] for run in runs for place in range(len(run) - 1)]
    return list(dict.fromkeys([*latin, *pairs, *"".join(runs)]))


@cached(size=_REMEMBERED)
def anchor_tokens(anchor: str) -> tuple[int, ...]:
    """The numbers of what the anchor says."""
    return _numbers("a", words_in(anchor))


@cached(size=_REMEMBERED)
def url_tokens(url: str) -> UrlTokens:
    """The numbers of what the URL says and of the places it belongs to."""
    _, _, host, path = url.split("/", 3)
    folder = path.rpartition("/")[0]
    shape = _shape(path)
    return UrlTokens(
        # The shape is a word of its own, whatever the host: home pages look alike everywhere.
        words=(hash_token(f"s:{shape}"), *_numbers("u", address_words(url)))[:MOST_TOKENS],
        host=hash_token(f"h:{host}"),
        section=hash_token(f"d:{host}/{folder.partition('/')[0]}"),
        folder=hash_token(f"f:{host}/{folder}"),
        shape=hash_token(f"s:{host}/{shape}"),
        twin=hash_token(f"t:{_DIGITS.sub('0', url)}"),
    )


def address_words(url: str) -> list[str]:
    """What the address says, without what every address says."""
    return [word for word in words_in(words_of(url)) if word not in _FILLERS]


@cached(size=_REMEMBERED)
def is_next_page(anchor: str) -> bool:
    """The link turns a page of a list: `2`, `第3页`, `next`, `更多`."""
    return _NEXT.fullmatch(anchor.strip()) is not None


def _numbers(kind: str, words: Iterable[str]) -> tuple[int, ...]:
    return tuple(hash_token(f"{kind}:{word}") for word, _ in zip(words, range(MOST_TOKENS), strict=False))


def _shape(path: str) -> str:
    *folders, last = path.partition("?")[0].split("/")
    ending = last.rpartition(".")[2] if "." in last else ""
    return "/".join([*map(_mask, folders), f"{_mask(last)}.{ending}" if ending else _mask(last)])


def _mask(name: str) -> str:
    return "~x" if name.startswith("~") else "x" if name else ""
