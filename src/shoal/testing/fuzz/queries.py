"""What may somebody type to search, and what may stand on the page that is found?"""

from __future__ import annotations

from random import Random

from shoal.testing.fuzz.mutation import SPECIAL, mutated

_WORDS = (
    "grid",
    "smart",
    "grids'",
    "batteries",
    "智能电网",
    "變電站",
    "x-ray",
    "café",
    "a",
    "的",
    "2024",
    "ab" * 30,
    "men",
    "ﷺ",
    "ｶﾞ",
)
_OPERATORS = (
    "site:",
    "lang:",
    "after:",
    "before:",
    "topic:",
    "is:",
    "title:",
    "标题：",
    "-",
    "-site:",
    "nothing:",
    "--",
    "：",
)
_MARKS = (
    '"',
    "“",
    "”",
    "「",
    "」",
    "『",
    "』",
    "＂",
    " ",
    " ",
    " ",
    "(",
    ")",
    ":",
    "-",
    "*",
    "~",
    "\\",
    "AND",
    "\u3000",
    "\n",
)


def query(random: Random) -> bytes:
    """A query: words, operators and marks in any order, sometimes the same ones hundreds of times."""
    pieces = [random.choice(random.choice((_WORDS, _OPERATORS, _MARKS))) for _ in range(random.randint(0, 20))]
    text = random.choice(("", " ")).join(pieces) * random.choice((1, 1, 1, 30, 400))
    return mutated(text.encode(), random, times=random.choice((0, 0, 2)))


def text(random: Random) -> bytes:
    """The text of a page: honest words, or few pieces again and again."""
    some = random.choices((*_WORDS, *_MARKS, "gridlock", "grid’s", "gr"), k=random.randint(1, 5))
    pumped = random.choice(("", " ")).join(some) * random.choice((1, 10, 1000))
    special = random.choice(SPECIAL).decode("utf-8", "replace")
    return (pumped + special + " ".join(random.choices(_WORDS, k=20))).encode()


def question(random: Random) -> bytes:
    """A query and a text, with a NUL between them."""
    return query(random).replace(b"\x00", b" ") + b"\x00" + text(random)
