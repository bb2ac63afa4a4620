"""What may the headers of a page say that we read: its type, its rules for robots, where it goes on?"""

from __future__ import annotations

from random import Random

from shoal.testing.fuzz.mutation import mutated

_TYPES = (
    "text/html",
    "text/html; charset=",
    "charset",
    "TEXT/PLAIN",
    "application/xhtml+xml",
    "image/png",
    "/",
    ";",
    "=",
)
_RULES = (
    "noindex",
    "nofollow",
    "none",
    "shoal:",
    "otherbot:",
    "unavailable_after: 25 Jun 2010 15:00:00",
    "max-snippet:",
    ",",
    ":",
)
_REFRESH = ("0", "5;", "url=", "URL = ", "'", '"', "/next", " ", ".", ",", "http://a.test/", "\t")
_BLANKS = (" ", "\t", "\xa0", "\u3000", "=", "'", "gbk", "utf-8", "bz2", "1")


def headers(random: Random) -> bytes:
    """Three values, one per line: content-type, x-robots-tag, and the content of a refresh."""
    lines = []
    for words in (_TYPES, _RULES, _REFRESH):
        pieces = random.choices((*words, *_BLANKS), k=random.randint(0, 8))
        long = random.choice((*words, *_BLANKS)) * random.choice((0, 0, 5, 3000))
        lines.append("".join(pieces) + long)
    return mutated("\n".join(lines).encode(), random, times=random.choice((0, 0, 3)))
