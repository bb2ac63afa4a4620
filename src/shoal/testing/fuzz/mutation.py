"""What can happen to bytes on their way? Small damage of every kind, for inputs that begin as honest ones."""

from __future__ import annotations

from collections.abc import Callable
from random import Random

SPECIAL = (
    b"\x00",
    b"\xff",
    b"\r\n",
    b"\n\n",
    b"\xef\xbb\xbf",
    b"\xff\xfe",
    b"\xed\xa0\x80",  # a surrogate, as UTF-8 that is none
    b"\xc3\x28",
    b"\xb1\xe4\xb5\xe7",  # 变电, as GBK
    b"%00",
    b"&#0;",
    b"&#xD800;",
    b"&",
    b"<",
    b"<!--",
    b"]]>",
    b'"',
    b"'",
    b"-1",
    b"9" * 40,
    b"1e999",
    b"\x1b[2J\x1b]0;mine\x07",
    "變電站".encode(),
    "\u202e\u200b\ufeff".encode(),
)
"""Bytes that something somewhere takes for more than text."""


def mutated(data: bytes, random: Random, *, times: int | None = None) -> bytes:
    """The same bytes after some damage; by default up to eight times."""
    for _ in range(random.randint(0, 8) if times is None else times):
        data = random.choice(_DAMAGES)(data, random)
    return data


def noise(random: Random, longest: int = 200) -> bytes:
    """Bytes that mean nothing."""
    return random.randbytes(random.randint(0, longest))


def _place(data: bytes, random: Random) -> int:
    return random.randint(0, len(data))


def _flip(data: bytes, random: Random) -> bytes:
    if not data:
        return data
    at = random.randrange(len(data))
    return data[:at] + bytes([data[at] ^ 1 << random.randrange(8)]) + data[at + 1 :]


def _insert(data: bytes, random: Random) -> bytes:
    at = _place(data, random)
    return data[:at] + random.choice(SPECIAL) + data[at:]


def _scatter(data: bytes, random: Random) -> bytes:
    at = _place(data, random)
    return data[:at] + noise(random, 30) + data[at:]


def _cut(data: bytes, random: Random) -> bytes:
    return data[: _place(data, random)]


def _drop(data: bytes, random: Random) -> bytes:
    at = _place(data, random)
    return data[:at] + data[at + random.randint(1, 40) :]


def _repeat(data: bytes, random: Random) -> bytes:
    """Some part stands there many times; what nests, nests deeply then."""
    at = _place(data, random)
    part = data[at : at + random.randint(1, 40)]
    return data[:at] + part * random.choice((2, 10, 300)) + data[at:]


def _swap(data: bytes, random: Random) -> bytes:
    one, other = sorted((_place(data, random), _place(data, random)))
    return data[other:] + data[one:other] + data[:one]


_DAMAGES: tuple[Callable[[bytes, Random], bytes], ...] = (_flip, _insert, _scatter, _cut, _drop, _repeat, _swap)
