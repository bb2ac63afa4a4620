"""Which words does a text say? The one analyser of the whole product.

    text ─fold─► one spelling ─terms─► words in order ─flat─► one string to look keywords up in
                       └───────flattened──────────────────►  └─fingerprint─► numbers that tell near-duplicates

Chinese and English are equal: Chinese words are cut by rjieba, Latin words lose their plural, both come out in order. The flat
form is the same however Chinese is cut, so what needs only that (every page of a crawl) does not wait for the cutting.
"""

from __future__ import annotations

import hashlib
import re
import struct
import unicodedata
from bisect import bisect_right
from collections.abc import Iterable, Sequence
from functools import cache
from os.path import commonprefix
from zlib import crc32

import ahocorasick_rs
import numpy as np
import opencc
from rensa import RMinHash

from shoal.cache import cached

HAN = "\u3005\u3007\u3400-\u4dbf\u4e00-\u9fff"
"""The characters of Chinese words, as the inside of a regular expression's class. Only those of the basic plane: with
one character beyond it, the regular expression engine is ten times slower (here and in `fold`)."""

# --- one spelling ----------------------------------------------------------------------------------------------------

# Removed everywhere: control characters, soft hyphens, zero-width characters, accents written apart, lone surrogates.
_SILENT = (
    "\x00-\x08\x0e-\x1f\x7f-\x84\x86-\x9f\xad\u0300-\u036f\u200b-\u200f\u202a-\u202e\u2060-\u2064\ufeff\ud800-\udfff"
)
_SILENT_ASCII = re.compile("[\x00-\x08\x0e-\x1f\x7f]")
# A voicing mark joins the kana in front of it, which no table of single characters can say.
_JOINING = ("\u3099", "\u309a", "\uff9e", "\uff9f")
_JOINED = re.compile(f".[{''.join(_JOINING)}]")
_APOSTROPHES = "’‘ʼ＇"
_MAX_SPELT = 6
"""Letters that one character may become, as `㌖` does. Two Arabic ones would become whole sentences."""
# Chinese and Korean characters are plain already.
_FOLDED_RANGES = ((0x80, 0x3400), (0xA000, 0xAC00), (0xD7A4, 0xD800), (0xE000, 0x10000))
_HAN_RANGE = range(0x3400, 0xA000)


def fold(text: str) -> str:
    """The text in one spelling: half width, lower case, simplified Chinese, no accents, no control characters.

    Punctuation beyond ASCII becomes a blank, so that an English text with curly quotes is as cheap as one without.
    """
    text = text.lower()
    if text.isascii():
        return _SILENT_ASCII.sub("", text)
    if any(mark in text for mark in _JOINING):
        # Only the pairs: of a whole text, a long row of marks would take time by its square.
        text = _JOINED.sub(lambda pair: unicodedata.normalize("NFKC", pair[0]), text)
    pattern, table = _folding()
    return pattern.sub(lambda match: table.get(match[0], ""), text)


@cache
def _folding() -> tuple[re.Pattern[str], dict[str, str]]:
    """What `fold` replaces, and by what; built at the first text that is not ASCII."""
    plain = {chr(code): _plain(chr(code)) for start, end in _FOLDED_RANGES for code in range(start, end)}
    plain |= {character: character for character in map(chr, _HAN_RANGE)}
    # One character a line: alone, none can become part of a phrase, so OpenCC answers character by character.
    simplified = opencc.OpenCC("t2s").convert("\n".join(plain.values())).split("\n")
    silent = re.compile(f"[{_SILENT}]")
    table = {old: new for old, new in zip(plain, simplified, strict=True) if old != new and not silent.match(old)}
    return re.compile(f"[{_SILENT}{_ranges(sorted(map(ord, table)))}]"), table


def _plain(character: str) -> str:
    """NFKC and lower case; Latin letters without their accents."""
    if character in _APOSTROPHES:
        return "'"
    folded = unicodedata.normalize("NFKC", character).lower()
    if len(folded) > _MAX_SPELT:
        return " "
    base = unicodedata.normalize("NFKD", folded)[:1]
    if base.isascii() and base.isalpha() and len(folded) == 1:
        return base
    return "".join(part if part.isalnum() else " " for part in folded)


def _ranges(codes: Iterable[int]) -> str:
    """Ascending code points as the inside of a character class."""
    runs: list[list[int]] = []
    for code in codes:
        if runs and runs[-1][1] == code - 1:
            runs[-1][1] = code
        else:
            runs.append([code, code])
    return "".join(f"{re.escape(chr(first))}-{re.escape(chr(last))}" for first, last in runs)


def shortened(text: str, most: int) -> str:
    """At most so many characters of a text, in one line; what is left out is marked."""
    text = " ".join(text[: 4 * most].split())
    return text if len(text) <= most else f"{text[: most - 1].rstrip()}…"


# --- words -----------------------------------------------------------------------------------------------------------

_CONTRACTION = re.compile(r"(?<=[^\W_])'[a-z]{1,2}(?![a-z])")
"""What is cut from `grid's` and `isn't`."""
_SEPARATE = "".join(chr(code) if chr(code).isalnum() or chr(code) == "\n" else " " for code in range(128))
"""A translation table: of ASCII, only letters and digits stay, and the ends of lines."""
_LINE_END = re.compile("\n")
_IS_HAN = re.compile(f"[{HAN}]")
_NOT_HAN = re.compile(f"([^{HAN}]+)")
_PLACE = "\x01"
"""Stands for everything between two runs of Chinese while the Chinese is cut; `fold` has removed it from every text."""
_MAX_WORD = 40
"""Longer ones are data (keys, encoded images), not words."""


def terms(text: str) -> list[str]:
    """The analysed words of a text, in order."""
    folded = _ready_to_cut(text)
    if folded.isascii():
        return _plain_terms(folded)
    # [Chinese, other, Chinese, other, …]: one call cuts all the Chinese, because a call per run takes twice as long.
    runs = _NOT_HAN.split(folded)
    # Most of the others are a single blank that was a comma.
    others = [_plain_terms(run) if len(run) > 1 or run.isalnum() else [] for run in runs[1::2]]
    import rjieba  # here, because it reads its dictionary (0.2 s) when it is imported, and a crawl can do without

    return _in_order(rjieba.cut(_PLACE.join(runs[::2])), others)


def _in_order(chinese: Iterable[str], others: Iterable[list[str]]) -> list[str]:
    """The Chinese words with the others in their places."""
    following = iter(others)
    found: list[str] = []
    for piece in chinese:
        if piece == _PLACE:
            found += next(following)
        else:
            found.append(piece)
    return found


def _ready_to_cut(text: str) -> str:
    folded = fold(text)
    return _CONTRACTION.sub("", folded) if "'" in folded else folded


def _plain_terms(run: str) -> list[str]:
    """The terms of a text without Chinese."""
    words = run.translate(_SEPARATE).split() if run.isascii() else _word_pattern().findall(run)
    return list(filter(None, map(_term, words)))


@cache
def _word_pattern() -> re.Pattern[str]:
    """Words that are not Chinese, in every alphabet; spelt out as ranges because that is twice as fast as `\\w`."""
    letters = (code for code in range(0x80, 0x10000) if chr(code).isalnum() and not _IS_HAN.match(chr(code)))
    return re.compile(rf"[a-z0-9{_ranges(letters)}]+")


@cached(size=200_000, longest=_MAX_WORD)
def _term(word: str) -> str:
    """The term of one word: without its plural; nothing for a single digit, and for what is too long."""
    if len(word) > _MAX_WORD or (len(word) == 1 and word.isdigit()):
        return ""
    return _singular(word) if word.isascii() and word.isalpha() else word


# Plurals that the endings below would get wrong, and words that only look like plurals.
_IRREGULAR_PLURALS = """
    children:child men:man women:woman people:people mice:mouse feet:foot teeth:tooth criteria:criterion
    analyses:analysis crises:crisis theses:thesis hypotheses:hypothesis diagnoses:diagnosis syntheses:synthesis
    indices:index matrices:matrix vertices:vertex appendices:appendix viruses:virus buses:bus campuses:campus
    statuses:status bonuses:bonus focuses:focus gases:gas biases:bias lenses:lens aliases:alias canvases:canvas
    atlases:atlas movies:movie cookies:cookie calories:calorie zombies:zombie selfies:selfie caches:cache
    headaches:headache niches:niche shoes:shoe canoes:canoe knives:knife wives:wife wolves:wolf shelves:shelf
    quizzes:quiz axes:axis"""
_NO_PLURALS = """
    series species news lens gas bias alias canvas atlas pancreas overseas whereas christmas texas kansas arkansas
    dallas vegas keras chaos cosmos ethos kudos macos diabetes kubernetes postgres mercedes always perhaps sometimes
    besides towards afterwards does goes physics mathematics economics politics ethics electronics statistics genetics
    linguistics robotics logistics athletics aesthetics mechanics dynamics thermodynamics optics acoustics informatics
    bioinformatics semantics genomics proteomics photonics analytics hydraulics kinetics ergonomics gymnastics
    pediatrics obstetrics forensics"""
_IRREGULAR = dict(pair.split(":") for pair in _IRREGULAR_PLURALS.split())
_SINGULAR = frozenset(_NO_PLURALS.split())
_VOWELS = frozenset("aeiouy")


def _singular(word: str) -> str:
    """`grids` is `grid`, `batteries` is `battery`, `glass` stays: a reader must recognise every term."""
    if irregular := _IRREGULAR.get(word):
        return irregular
    if len(word) < 4 or word[-1] != "s" or word[-2] in "sui" or word in _SINGULAR or _VOWELS.isdisjoint(word[:-1]):
        return word
    if word.endswith("ies"):
        return word[:-3] + "y" if len(word) > 4 else word[:-1]
    if word.endswith(("sses", "shes", "ches", "xes", "zzes")) or (word.endswith("oes") and len(word) > 5):
        return word[:-2]
    return word[:-1]


# --- keywords --------------------------------------------------------------------------------------------------------


def flat(terms: Iterable[str]) -> str:
    """The terms as one string to look keywords up in; texts that do not touch are joined with a newline.

    Chinese words stand without spaces, so that a keyword is found however it was cut; all others stand between single
    spaces, so that `ux` is not found in `linux`.
    """
    return "".join(term if _IS_HAN.match(term) else f" {term} " for term in terms).replace("  ", " ")


def flattened(text: str) -> str:
    """What `flat(terms(text))` is, without cutting the Chinese, which costs most: for texts that are only looked up in."""
    folded = _ready_to_cut(text)
    return _flat_run(folded) if folded.isascii() else _NOT_HAN.sub(_flat_match, folded)


def _flat_match(match: re.Match[str]) -> str:
    run = match.group()
    # Between two Chinese words mostly stands a comma or a familiar word; a long run is hardly ever seen again.
    return _flat_short_run(run) if len(run) < 16 else _flat_run(run)


def _flat_run(run: str) -> str:
    """The flat form of text without Chinese."""
    found = _plain_terms(run)
    return f" {' '.join(found)} " if found else ""


_flat_short_run = cached(size=20_000)(_flat_run)


SAMPLE = "Smart GRIDS' batteries, 智能電網與變電站 ＡＢＣ café x-ray don't 2024"
"""Of everything that the analyser does, something: another analyser makes something else of it."""


@cache
def stamp() -> int:
    """Another number when the analyser makes other things of texts: what it made before is of no use then."""
    return crc32(flattened(SAMPLE).encode())


class Keywords:
    """Counts how often each of some words and phrases stands in a text, all of them in one pass."""

    def __init__(self, phrases: Sequence[str]) -> None:
        forms = [flat(terms(phrase)) for phrase in phrases]
        distinct = dict.fromkeys(filter(None, forms))
        places = {form: place for place, form in enumerate(distinct)}
        # The last is that of phrases that say nothing (punctuation, single digits); their count is always 0.
        self._places = [places.get(form, -1) for form in forms]
        self._automaton = ahocorasick_rs.AhoCorasick(list(distinct)) if distinct else None
        roots = {_root(phrase) for phrase in phrases} - {""}
        self._roots = ahocorasick_rs.AhoCorasick(sorted(roots)) if roots else None

    def count(self, flat_text: str) -> list[int]:
        """How often each phrase stands in the flat text, in the order of the phrases; nested ones all count."""
        if self._automaton is None:
            return [0] * len(self._places)
        found = [0] * (max(self._places) + 2)
        for place, _, _ in self._automaton.find_matches_as_indexes(flat_text, overlapping=True):
            found[place] += 1
        return [found[place] for place in self._places]

    def may_stand_in(self, texts: Sequence[str]) -> set[int]:
        """The places of those texts, one line each, in which a phrase may stand: a fast look before a close one."""
        if self._roots is None:
            return set()
        folded = fold("\n".join(texts))
        matches = self._roots.find_matches_as_indexes(folded)
        ends = [end.start() for end in _LINE_END.finditer(folded)] if matches else []
        ends.append(len(folded))
        found: list[int] = []
        until = -1
        for _, start, _ in matches:
            if start > until:  # further ones in the same text say nothing new
                found.append(bisect_right(ends, start))
                until = ends[found[-1]]
        return set(found)


def _root(phrase: str) -> str:
    """What stands in every folded text that has the phrase: one of its Chinese characters, or how its longest word begins."""
    words = terms(phrase)
    if chinese := _IS_HAN.search("".join(words)):
        return chinese.group()
    word = max(words, key=len, default="")
    plurals = [plural for plural, singular in _IRREGULAR.items() if singular == word]
    # `batteries` and `battery` begin with `batter`.
    return commonprefix([word.removesuffix("y"), *plurals])  # noqa: RUF071 - of words, not of paths


# --- near-duplicates -------------------------------------------------------------------------------------------------

_PERMUTATIONS = 128
_SEED = 42
_FACTORS = tuple(map(np.uint64, (0xC2B2AE3D27D4EB4F, 0x9E3779B97F4A7C15)))
"""Large odd numbers: multiplying by them spreads what differs in a few bits over all of them."""
_BITS = {count: np.uint64(count) for count in (8, 16, 32)}
_QUARTER = np.uint64(3)
_LEAST_BYTES = 150
"""Shorter texts (error pages, frames) resemble each other without being copies."""
_BANDS, _ROWS = 12, 5
"""A pair that is 80 % alike shares a band with probability 0.99, one that is 40 % alike with 0.12."""
_BAND_FACTORS = (
    np.frombuffer(hashlib.shake_128(b"bands").digest(8 * _BANDS * _ROWS), dtype="<u8").reshape(_BANDS, _ROWS) | 1
)
"""Arbitrary odd numbers, the same for ever: bands are stored."""


def fingerprint(flat_text: str) -> bytes:
    """128 numbers (4 bytes each) that are mostly equal for texts that are mostly equal; empty for a short text.

    Compared are all runs of 12 bytes (two English words, four Chinese characters) of the flat form, of which a fourth, chosen
    by what they say, is enough.
    """
    data = flat_text.encode("utf-8", "replace")
    if len(data) < _LEAST_BYTES:
        return b""
    one = np.frombuffer(data, dtype=np.uint8).astype(np.uint64)
    two = (one[:-1] << _BITS[8]) | one[1:]
    four = (two[:-2] << _BITS[16]) | two[2:]
    eight = (four[:-4] << _BITS[32]) | four[4:]
    twelve = (eight[:-4] * _FACTORS[0] + four[8:]) * _FACTORS[1]
    twelve ^= twelve >> _BITS[32]
    chosen = np.ascontiguousarray(twelve[(twelve & _QUARTER) == 0])
    matrix = RMinHash.digest_matrix_from_flat_token_hashes(chosen, [0, len(chosen)], _PERMUTATIONS, _SEED)
    return struct.pack(f"<{_PERMUTATIONS}I", *matrix.to_rows()[0])


NEAR = 0.75
"""Pages that share this much of their MinHash count as near-duplicates."""


def similarity(one: bytes, other: bytes) -> float:
    """How much two fingerprinted texts have in common, 0 to 1; 0 when one of them has no fingerprint."""
    if not one or len(one) != len(other):
        return 0.0
    equal = np.frombuffer(one, dtype="<u4") == np.frombuffer(other, dtype="<u4")
    return np.count_nonzero(equal) / _PERMUTATIONS


def bands(fingerprint: bytes) -> tuple[int, ...]:
    """12 signed 64-bit numbers; near-duplicates share at least one of them (a key for an ordinary index)."""
    if not fingerprint:
        return ()
    rows = np.frombuffer(fingerprint, dtype="<u4", count=_BANDS * _ROWS).reshape(_BANDS, _ROWS)
    mixed = (rows * _BAND_FACTORS).sum(axis=1, dtype=np.uint64)
    mixed ^= mixed >> _BITS[32]
    return tuple(mixed.view(np.int64).tolist())
