"""What did the user ask?

Reads a query as it was typed: words, "phrases", -not, and operators such as site:example.org and after:2024-05.
"""

from __future__ import annotations

import re
from datetime import UTC, date, datetime, timedelta
from enum import StrEnum
from itertools import pairwise

from shoal.errors import InputError
from shoal.index.analyzer import chunks, cut, is_han, tokens
from shoal.model import Value
from shoal.text import fold
from shoal.urls import host_of, normalise

_DATE = re.compile(r"(\d{4})(?:[-/.年](\d{1,2})(?:[-/.月](\d{1,2}))?)?")
_TYPED = re.compile(rf"{_DATE.pattern}[年月日]?")
_FIRST_DAY = date(1970, 1, 1)
_DAY = 86400


def day_typed(text: str) -> int | None:
    """The first day of what a user typed: `2024`, `2024-05`, `2024-05-01`, `2024年5月`; None when it is no date."""
    return _first_day(_TYPED.fullmatch(text))


def day_of(published: str, fetched_at: float) -> int:
    """The day a page was published; when it does not say, or names a day to come, the day it was fetched."""
    fetched = int(fetched_at // _DAY)
    said = _first_day(_DATE.match(published))
    # A day of grace, because it may be tomorrow already where the page was written.
    return fetched if said is None or said > fetched + 1 else said


def month_of(day: int) -> int:
    """The months since the year 0, a number that counts cheaply."""
    moment = _FIRST_DAY + timedelta(days=day)
    return moment.year * 12 + moment.month - 1


def month_name(month: int) -> str:
    """`2024-05`."""
    return f"{month // 12:04}-{month % 12 + 1:02}"


def today(now: float) -> int:
    """The day on which it is now, in UTC."""
    return (datetime.fromtimestamp(now, UTC).date() - _FIRST_DAY).days


def _first_day(match: re.Match[str] | None) -> int | None:
    if match is None:
        return None
    year, month, day = (int(number or 1) for number in match.groups())
    try:
        return (date(year, month, day) - _FIRST_DAY).days
    except ValueError:  # the 31st of June
        return None


# --- what did the user ask -------------------------------------------------------------------------------------------

MOST_CHARACTERS = 1000
MOST_WORDS = 50
MOST_LIMITS = 50
_LONGEST_HAN_WORD = 4
"""A longer run of Chinese characters is several words."""


class QueryTerms(Value, frozen=True, kw_only=True):
    """A word or a phrase to look for."""

    tokens: tuple[str, ...]
    """What must stand one behind the other."""
    text: str
    """As it was typed."""
    exact: bool = False
    """It stood in quotes: nothing else will do."""
    in_title: bool = False
    light: bool = False
    """It says little (`the`, `的`): nobody misses it."""

    def __str__(self) -> str:
        quoted = f'"{self.text}"' if self.exact and (len(self.tokens) > 1 or not self.in_title) else self.text
        return f"title:{quoted}" if self.in_title else quoted


class LimitKind(StrEnum):
    """By what pages can be left out."""

    SITE = "site"
    TOPIC = "topic"
    LANGUAGE = "lang"
    AFTER = "after"
    BEFORE = "before"
    IS = "is"
    CRAWL = "crawl"


class Limit(Value, frozen=True, kw_only=True):
    """Only such pages, or never such pages."""

    kind: LimitKind
    value: str
    """In its normal form: a host, a language code, or what was typed."""
    day: int = 0
    """Of `after` and `before`: the first day of what was named, in days since 1970."""

    def __str__(self) -> str:
        return f'{self.kind}:"{self.value}"' if " " in self.value else f"{self.kind}:{self.value}"


class Query(Value, frozen=True, kw_only=True):
    """What the user wants to find."""

    wanted: tuple[QueryTerms, ...] = ()
    unwanted: tuple[QueryTerms, ...] = ()
    only: tuple[Limit, ...] = ()
    """Of two sites, topics, languages or crawls one will do; of different kinds all must be met."""
    never: tuple[Limit, ...] = ()
    notes: tuple[str, ...] = ()
    """Sentences for the user: what was left out, and why."""

    @property
    def is_empty(self) -> bool:
        """True when nothing was asked."""
        return not (self.wanted or self.unwanted or self.only or self.never)

    def __str__(self) -> str:
        """A query that means the same; typed again, it is read as this."""
        wanted, unwanted = [*self.wanted, *self.only], [*self.unwanted, *self.never]
        return " ".join([*map(str, wanted), *(f"-{part}" for part in unwanted)])


def parse(text: str) -> Query:
    """Read a query; raises InputError for what cannot mean anything (`after:soon`)."""
    reading = _QueryReader()
    if len(text) > MOST_CHARACTERS:
        reading.notes.append(f"The query was cut to its first {MOST_CHARACTERS:,} characters.")
    for piece in _PIECE.finditer(_beginning(text).translate(_ASCII)):
        reading.take(piece)
    return reading.result()


def _beginning(text: str) -> str:
    """The characters that are read, without half a word at their end."""
    beginning = text[:MOST_CHARACTERS]
    if len(text) <= MOST_CHARACTERS or text[MOST_CHARACTERS].isspace():
        return beginning
    words = beginning.rsplit(maxsplit=1)
    return words[0] if len(words) == 2 else beginning


# --- from pieces to a query ------------------------------------------------------------------------------------------

_ASCII = str.maketrans(dict.fromkeys("＂“”„‟", '"') | {"：": ":", "－": "-", "−": "-"})
_QUOTING = str.maketrans(dict.fromkeys('"「『', " "))
"""Inside of quotes of another kind; typed again without those, they would begin a quotation."""
_PIECE = re.compile(
    r"""(?P<minus>-?)
        (?: (?P<name>[^\s":]{1,8}:)? (?P<quoted> "[^"]{0,1000}+" | 「[^」]{0,1000}+」 | 『[^』]{0,1000}+』 )
          | (?P<plain>[^\s"「『]++)
          | (?P<unclosed>["「『]) )""",
    re.VERBOSE,
)
_NAMES = {
    "site": LimitKind.SITE, "站点": LimitKind.SITE, "网站": LimitKind.SITE, "topic": LimitKind.TOPIC, "主题": LimitKind.TOPIC,
    "lang": LimitKind.LANGUAGE, "语言": LimitKind.LANGUAGE, "after": LimitKind.AFTER, "之后": LimitKind.AFTER,
    "before": LimitKind.BEFORE, "之前": LimitKind.BEFORE, "is": LimitKind.IS, "title": "title", "标题": "title",
    "crawl": LimitKind.CRAWL, "采集": LimitKind.CRAWL,
}  # fmt: skip
_LANGUAGES = {
    "中文": "zh", "汉语": "zh", "chinese": "zh", "英文": "en", "英语": "en", "english": "en", "日文": "ja", "日语": "ja",
    "japanese": "ja", "韩文": "ko", "韩语": "ko", "korean": "ko", "德语": "de", "german": "de", "法语": "fr", "french": "fr",
}  # fmt: skip
_LIGHT_WORDS = """
    a an and are as at be by do for from how in is it of on or that the this to was what when where which who why with
    的 了 和 与 及 或 在 是 有 之 等 吗 呢 吧 把 被 对 从 向 于 为 而 就 都 也 怎么 怎么办 如何 什么 为什么 怎样 哪些"""
_LIGHT = frozenset(_LIGHT_WORDS.split())
"""Words that are in nearly every text; not asked for when others are."""


class _QueryReader:
    """What was understood so far. Owned by one call of `parse`."""

    def __init__(self) -> None:
        self.wanted: list[QueryTerms] = []
        self.unwanted: list[QueryTerms] = []
        self.only: list[Limit] = []
        self.never: list[Limit] = []
        self.notes: list[str] = []

    def take(self, piece: re.Match[str]) -> None:
        """Understand the next piece."""
        minus = bool(piece["minus"])
        if piece["unclosed"]:
            self._note("A quotation mark that is not closed was left out.")
        elif piece["quoted"]:
            self._quoted(piece["name"] or "", piece["quoted"][1:-1], minus)
        else:
            self._plain(piece["plain"], minus)

    def _quoted(self, name: str, text: str, minus: bool) -> None:
        text = " ".join(text.translate(_QUOTING).split())
        operator = _NAMES.get(fold(name[:-1]))
        if operator is not None:
            self._operator(operator, name, text, minus)
            return
        if name:  # not an operator: a word in front of a phrase
            self._plain(name, minus)
        self._add([QueryTerms(tokens=tokens(text), text=text, exact=True)], minus)

    def _plain(self, text: str, minus: bool) -> None:
        name, colon, value = text.partition(":")
        operator = _NAMES.get(fold(name)) if colon else None
        if operator is None:
            self._add([_phrase(text)] if minus else _words(text), minus)
        elif value:
            self._operator(operator, f"{name}:", value, minus)
        else:
            self._note(f"{name}: was left out, because nothing follows it (write {name}:word, without a blank).")

    def _operator(self, operator: str, name: str, value: str, minus: bool) -> None:
        if not isinstance(operator, LimitKind):
            self._add([QueryTerms(tokens=tokens(value), text=value, exact=" " in value, in_title=True)], minus)
            return
        limit = _limit(operator, name, value)
        (self.never if minus else self.only).append(limit)
        if operator is LimitKind.SITE and "/" in value.partition("://")[2 if "://" in value else 0].rstrip("/"):
            self._note(f"{name} compares hosts, so it means all of {limit.value}.")

    def _add(self, words: list[QueryTerms], minus: bool) -> None:
        (self.unwanted if minus else self.wanted).extend(word for word in words if word.tokens)

    def _note(self, sentence: str) -> None:
        if sentence not in self.notes:
            self.notes.append(sentence)

    def result(self) -> Query:
        """All of it."""
        wanted, unwanted = (list(dict.fromkeys(words)) for words in (self.wanted, self.unwanted))
        if len(wanted) + len(unwanted) > MOST_WORDS:
            self._note(f"Only the first {MOST_WORDS} words were searched.")
        only, never = (list(dict.fromkeys(limits)) for limits in (self.only, self.never))
        if len(only) + len(never) > MOST_LIMITS:
            self._note(f"Only the first {MOST_LIMITS} limits such as site: were heeded.")
        return Query(
            wanted=tuple(wanted[:MOST_WORDS]),
            unwanted=tuple(unwanted[: MOST_WORDS - len(wanted[:MOST_WORDS])]),
            only=tuple(only[:MOST_LIMITS]),
            never=tuple(never[: MOST_LIMITS - len(only[:MOST_LIMITS])]),
            notes=tuple(self.notes),
        )


# --- words -----------------------------------------------------------------------------------------------------------


def _words(typed: str) -> list[QueryTerms]:
    """The words of something typed without a blank; a long run of Chinese is cut into its words."""
    found: list[tuple[str, ...]] = []
    for chunk in chunks(typed):
        found += cut(chunk) if is_han(chunk[0]) and len(chunk) > _LONGEST_HAN_WORD else [chunk]
    if len(found) == 1:
        return [_phrase(typed)]
    return [_word(tokens) for tokens in found]


def _phrase(typed: str) -> QueryTerms:
    """What was typed without a blank belongs together: `x-ray`, `manifest.json`."""
    word = _word(tokens(typed))
    return QueryTerms(tokens=word.tokens, text=typed, light=word.light) if typed.isalnum() else word


def _word(tokens: tuple[str, ...]) -> QueryTerms:
    text = written(tokens)
    return QueryTerms(tokens=tokens, text=text, light=text in _LIGHT)


def written(tokens: tuple[str, ...], blank: str = "-") -> str:
    """Tokens in a spelling that is read as these tokens again."""
    text = "".join(tokens[:1])
    for before, token in pairwise(tokens):
        text += token if is_han(before) or is_han(token) else blank + token
    return text


def pieces_of(words: QueryTerms) -> list[QueryTerms]:
    """The smaller words that a word of several characters is made of; itself, when it cannot be cut."""
    if len(words.tokens) == 1 or words.in_title:
        return [words]
    if not all(map(is_han, words.tokens)):
        return [_word((token,)) for token in words.tokens]
    return [_word(tokens) for tokens in cut(words.tokens)]


# --- limits ----------------------------------------------------------------------------------------------------------


def _limit(kind: LimitKind, name: str, value: str) -> Limit:
    if kind is LimitKind.SITE:
        return Limit(kind=kind, value=_site(name, value))
    if kind is LimitKind.LANGUAGE:
        return Limit(kind=kind, value=_language(value))
    if kind is LimitKind.IS:
        return Limit(kind=kind, value=_quality(name, value))
    if kind is LimitKind.TOPIC:
        return Limit(kind=kind, value=_topic(name, value))
    if kind is LimitKind.CRAWL:
        return Limit(kind=kind, value=value)
    day = day_typed(fold(value).strip())
    if day is None:
        raise InputError(f"{name} needs a date such as 2024, 2024-05 or 2024-05-01, not '{value}'.")
    return Limit(kind=kind, value=value, day=day)


def _site(name: str, value: str) -> str:
    bare = value.lstrip("*.") if "://" not in value else value
    url = normalise(bare if "://" in bare else f"http://{bare}")
    host = host_of(url).lstrip("*.") if url is not None else ""  # a URL may have them, too: https://*.example.org/
    if not host:
        raise InputError(f"{name} needs a host or a domain such as example.org, not '{value}'.")
    return host


def _language(value: str) -> str:
    folded = fold(value).strip()
    return _LANGUAGES.get(folded, folded.partition("_")[0].partition("-")[0])


def _quality(name: str, value: str) -> str:
    folded = fold(value).strip()
    if folded not in ("relevant", "相关"):
        raise InputError(f"{name} knows only is:relevant, not '{value}'.")
    return "relevant"


def _topic(name: str, value: str) -> str:
    if not tokens(value):
        raise InputError(f"{name} needs words of a topic's name, not '{value}'.")
    return value
