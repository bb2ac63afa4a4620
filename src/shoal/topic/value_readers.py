"""Can this value be used? One reader per kind of value that a topic file or an option holds.

A reader returns the value in its final type, or raises `ValueError` with the end of a sentence that begins with the value's
name: "must be a whole number of at least 1, not 'many'". Words of a topic are read in `topic/word_readers.py`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from ipaddress import ip_network
from math import isfinite
from reprlib import Repr
from typing import TypeGuard

from shoal.urls import normalise, shown

LARGEST_INTEGER = 2**63 - 1
"""More does not fit into a database."""


class _Shortened(Repr):
    """A number of thousands of digits has no decimal form in Python."""

    def repr_int(self, number: int, level: int) -> str:
        return super().repr_int(number, level) if number.bit_length() < 1000 else "a number of hundreds of digits"


_SHORTENED = _Shortened()
_SHORTENED.maxstring = _SHORTENED.maxother = 100
short = _SHORTENED.repr
"""A value in an error message: as Python writes it, but never a whole screen."""

SEPARATORS = re.compile(r"[,，、;；\n]")
"""What stands between words in one text."""
_DURATION = re.compile(r"(?<!\d)(\d++(?:\.\d++)?+)\s*+([smhd])", re.IGNORECASE)
_LONGEST_DURATION = 100
_SIZE = re.compile(r"([0-9]++(?:\.[0-9]++)?+)\s*+(?:([kmgt]?+)(i?+)b?+)", re.IGNORECASE)
_LONGEST_SIZE = 30
_PREFIXES = ("", "k", "m", "g", "t")
_SECONDS = {"s": 1, "m": 60, "h": 3600, "d": 86400}
_HOST_WITHOUT_SCHEME = re.compile(r"(?:localhost|[\w-]+(?:\.[\w-]+)+)(?::\d+)?(?:[/?].*)?")
_NEAR = 0.6 - 1e-9
"""Of two words, this share of the letters must be the same and in the same order: of ten in all six, and not a hair less."""
_SHARE = re.compile(r"[-+]?+(?:\d++(?:\.\d*+)?+|\.\d++)\s*+%?+")
USUAL_SHARE = 0.05
"""What `until_done` means when nothing else is said: one relevant page in twenty."""
_LOGIN = r"(?:[^\s/?#@]*@)?"
_DATABASE = re.compile(rf"postgres(?:ql)?://{_LOGIN}[^\s/?#@]+/[^\s/?#@]+(?:\?\S*)?")
_BROKER = re.compile(rf"amqps?://{_LOGIN}[^\s/?#@]+(?:/[^\s/?#@]*)?(?:\?\S*)?")
_PRODUCT = re.compile(r"[A-Za-z][\w.-]*+(?:[/ ]|$)")
_LANGUAGE = re.compile(r"[A-Za-z]{2,3}(?:-[A-Za-z0-9]{2,8})*")

# --- numbers ---------------------------------------------------------------------------------------------------------


def whole(least: int, most: int | None = None) -> Callable[[object], int]:
    """A reader of whole numbers that are neither too small nor too large."""
    largest = LARGEST_INTEGER if most is None else most
    wanted = f"of at least {least}" if most is None else f"from {least} to {most}"

    def read(value: object) -> int:
        if isinstance(value, int) and not isinstance(value, bool) and least <= value <= largest:
            return value
        raise ValueError(f"must be a whole number {wanted}, not {short(value)}")

    return read


def number(value: object) -> float:
    """A finite number that is not negative."""
    if is_number(value) and value >= 0:
        return float(value)
    raise ValueError(f"must be a number that is not negative, not {short(value)}")


def number_within(least: float, most: float) -> Callable[[object], float]:
    """A reader of numbers that are neither too small nor too large."""

    def read(value: object) -> float:
        if is_number(value) and least <= value <= most:
            return float(value)
        raise ValueError(f"must be a number from {least:g} to {most:g}, not {short(value)}")

    return read


def is_number(value: object) -> TypeGuard[int | float]:
    """True for a finite number."""
    try:
        return isinstance(value, int | float) and not isinstance(value, bool) and isfinite(value)
    except OverflowError:  # an integer of more than 300 digits
        return False


def duration(value: object) -> float:
    """Seconds, from a number or from text such as `90s`, `10m`, `1h30m`."""
    seconds = _seconds_in(value) if isinstance(value, str) else value
    if is_number(seconds) and seconds > 0:
        return float(seconds)
    raise ValueError(f"must be seconds or a duration such as '90s', '10m', '2h' or '1d', not {short(value)}")


def _seconds_in(text: str) -> float:
    text = text.strip()
    if len(text) > _LONGEST_DURATION:
        return 0.0
    if _DURATION.sub("", text).strip():
        return float(text) if text.isascii() and text.replace(".", "", 1).isdigit() else 0.0
    return sum(float(amount) * _SECONDS[unit.lower()] for amount, unit in _DURATION.findall(text))


def duration_within(least: float, most: float) -> Callable[[object], float]:
    """A reader of durations that are neither too short nor too long."""

    def read(value: object) -> float:
        if least <= (seconds := duration(value)) <= most:
            return seconds
        raise ValueError(f"must be from {least:g} to {most:g} seconds, not {short(value)}")

    return read


def byte_count(least: int, most: int = LARGEST_INTEGER) -> Callable[[object], int]:
    """A reader of sizes: a number of bytes, or text such as `500k`, `20MB`, `1.5 GiB`."""
    wanted = f"from {least} to {most}"

    def read(value: object) -> int:
        count = _bytes_in(value) if isinstance(value, str) else value
        if isinstance(count, bool) or not isinstance(count, int):
            raise ValueError(f"must be a number of bytes, such as 500000, '500k' or '20MB', not {short(value)}")
        if not least <= count <= most:
            raise ValueError(f"must be {wanted} bytes, not {short(value)}")
        return count

    return read


def _bytes_in(text: str) -> int | None:
    """None when it says no whole number of bytes; what is far too large is as large as can be."""
    if len(text) > _LONGEST_SIZE or (found := _SIZE.fullmatch(text.strip())) is None:
        return None
    amount, prefix, binary = found.groups()
    count = float(amount) * (1024 if binary else 1000) ** _PREFIXES.index(prefix.lower())
    return int(count) if count.is_integer() else None


def least_share(value: object) -> float | None:
    """A share such as 0.05 or `5%` that is to be reached; `true` means the usual one, `false` and 0 that none is needed."""
    if isinstance(value, bool):
        return USUAL_SHARE if value else None
    share = _share_in(value) if isinstance(value, str) else value
    if isinstance(share, int | float) and 0 <= share <= 1:
        return float(share) or None
    raise ValueError(f"must be a share from 0 to 1 or a percentage, such as 0.05 or '5%', not {short(value)}")


def _share_in(text: str) -> float:
    digits, percent = text.strip().removesuffix("%"), text.strip().endswith("%")
    try:
        return float(digits) / (100 if percent else 1)
    except ValueError:
        return -1.0


def looks_like_share(text: str) -> bool:
    """It can only be meant as a share, whether a good one or not."""
    return _SHARE.fullmatch(text) is not None


def yes_or_no(value: object) -> bool:
    """A switch."""
    if isinstance(value, bool):
        return value
    raise ValueError(f"must be true or false, not {short(value)}")


def yes_means(yes: str, no: str) -> Callable[[object], str]:
    """Reads a switch that chooses between two words."""
    return lambda value: yes if yes_or_no(value) else no


def named_numbers(value: object) -> tuple[tuple[str, float], ...]:
    """Names with their numbers: a table, or text such as `width=10, depth=3`."""
    if not isinstance(value, Mapping):
        parts = [part for one in texts(value) for part in SEPARATORS.split(one) if part.strip()]
        value = dict(weighted(part) if "=" in part else (part.strip(), None) for part in parts)
    return tuple((name, _named_number(name, amount)) for name, amount in value.items())


def weighted(part: str) -> tuple[str, object]:
    """`substation=0.8` is a word and its weight, `width=10` a name and its number; 1 when none is said."""
    word, equals, weight = (piece.strip() for piece in part.rpartition("="))
    if not equals:
        return part.strip(), 1.0
    try:
        return word, float(weight)
    except ValueError:
        return word, weight


def _named_number(name: str, amount: object) -> float:
    if is_number(amount):
        return float(amount)
    said = "none" if amount is None else short(amount)
    raise ValueError(f"must be names with numbers, such as width=10, but {short(name)} has {said}")


# --- text ------------------------------------------------------------------------------------------------------------


def line(value: object) -> str:
    """One line of text that says something."""
    if isinstance(value, str) and value.strip() and value.isprintable():
        return value.strip()
    raise ValueError(f"must be one line of text, not {short(value)}")


def header(value: object) -> str:
    """Text that can be sent in a header; empty means none."""
    if isinstance(value, str) and value.isascii() and (value.isprintable() or not value):
        return value.strip()
    raise ValueError(f"must be one line of plain ASCII text, not {short(value)}")


def user_agent(value: object) -> str:
    """Product tokens; robots.txt files are matched against the first, so it must be there."""
    text = header(value)
    if _PRODUCT.match(text):
        return text
    raise ValueError(f"must begin with a product name, such as 'MyCrawler/1.0', not {short(value)}")


def texts(value: object) -> tuple[str, ...]:
    """Some lines of text, or one."""
    items = value if isinstance(value, list | tuple) else [value]
    return tuple(dict.fromkeys(map(line, items)))


def language(value: object) -> tuple[str, ...]:
    """Codes of languages, best first."""
    if wrong := [code for code in texts(value) if not _LANGUAGE.fullmatch(code)]:
        raise ValueError(f"must be a language code such as 'en' or 'zh', not {short(wrong[0])}")
    return texts(value)


def one_of(names: Iterable[str]) -> Callable[[object], str]:
    """A reader of one of some names; it suggests the nearest."""
    names = sorted(names)

    def read(value: object) -> str:
        if value in names:
            return str(value)
        raise ValueError(f"must be one of {', '.join(names)}, not {short(value)}{did_you_mean(value, names)}")

    return read


def did_you_mean(value: object, names: Iterable[str]) -> str:
    """`; did you mean X?` when one of the names is near."""
    # Only here, because who makes no mistake needs no edit distance.
    from rapidfuzz import process
    from rapidfuzz.distance import Indel

    said = value if isinstance(value, str) else short(value)
    near = process.extractOne(said[:100].lower(), list(names), scorer=Indel.normalized_similarity, score_cutoff=_NEAR)
    return f"; did you mean {near[0]}?" if near else ""


def quoted(name: str) -> str:
    """A name in an error message, as it was written if that fits into one."""
    return f'"{name}"' if name.isprintable() and len(name) <= _SHORTENED.maxstring else short(name)


# --- addresses -------------------------------------------------------------------------------------------------------


def seeds(value: object) -> tuple[str, ...]:
    """URLs to start from, in normal form, each once."""
    return tuple(dict.fromkeys(map(_seed, texts(value))))


def _seed(text: str) -> str:
    if url := normalise(text):
        return url
    if _HOST_WITHOUT_SCHEME.fullmatch(text) and normalise(f"https://{text}"):
        raise ValueError(f"must be whole URLs, but {short(text)} has no scheme; did you mean https://{text}?")
    raise ValueError(f"must be http or https URLs, but {short(text)} is none")


def proxy(value: object) -> str:
    """The URL of an HTTP proxy; empty means none."""
    text = header(value)
    if text and not normalise(text):
        raise ValueError(f"must be a URL such as 'http://127.0.0.1:3128', not {short(shown(text))}")
    return text


def database(value: object) -> str:
    """The URL of a PostgreSQL database; empty means none."""
    return _server(value, _DATABASE, "postgresql://user:password@host/name")


def broker(value: object) -> str:
    """The URL of a RabbitMQ server; empty means none."""
    return _server(value, _BROKER, "amqp://user:password@host/")


def _server(value: object, form: re.Pattern[str], example: str) -> str:
    """What cannot be used may still have a password in it."""
    if isinstance(value, str) and (not value or form.fullmatch(value)):
        return value
    said = short(shown(value)) if isinstance(value, str) else short(value)
    raise ValueError(f"must be a URL such as '{example}' (what is special in a password as %40 for @), not {said}")


def networks(value: object) -> tuple[str, ...]:
    """Address ranges."""
    return tuple(map(_network, texts(value)))


def _network(text: str) -> str:
    try:
        return str(ip_network(text, strict=False))
    except ValueError:
        raise ValueError(f"must be address ranges such as '127.0.0.0/8', but {short(text)} is none") from None
