"""Which pages are about a topic? A table that people made: one line per page, `URL<tab>topic`.

A page with several topics has several lines. Empty lines, lines that begin with `#`, and a line of column names at the top
are skipped.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from pathlib import Path

from shoal.errors import InputError
from shoal.files import read_text
from shoal.urls import normalise

_SHOWN = 3
_LARGEST = 256 * 2**20
"""Bytes: of some millions of labels."""


def read_labels(path: Path) -> dict[str, frozenset[str]]:
    """The pages of each topic, or one sentence about what is wrong with the file."""
    found: dict[str, set[str]] = {}
    for url, topic in _rows(path):
        found.setdefault(topic, set()).add(url)
    if not found:
        raise InputError(f"{path}: there is no label in it; each line is a URL, a tab and a topic")
    return {topic: frozenset(urls) for topic, urls in found.items()}


def strangers(labels: Mapping[str, frozenset[str]], known: Collection[str], path: Path) -> str:
    """A warning about labels for pages that the web does not have, or nothing; an error when it has none of them."""
    labelled = frozenset[str]().union(*labels.values())
    unknown = sorted(labelled - frozenset(known))
    if not unknown:
        return ""
    if len(unknown) == len(labelled):
        raise InputError(f"{path}: not one of its {len(labelled):,} URLs is a page of the web, such as {unknown[0]}")
    end = ", …" if len(unknown) > _SHOWN else "."
    return (
        f"{path}: {len(unknown):,} of {len(labelled):,} labelled URLs are not pages of the web and do not count: "
        f"{', '.join(unknown[:_SHOWN])}{end}"
    )


def _rows(path: Path) -> Iterator[tuple[str, str]]:
    at_the_top = True
    for number, line in enumerate(read_text(path, "file of labels", _LARGEST).splitlines(), start=1):
        if not line.strip() or line.startswith("#"):
            continue
        cells = [cell.strip() for cell in line.split("\t")]
        if len(cells) < 2 or not cells[0] or not cells[1]:
            raise InputError(
                f"{path}, line {number}: there should be a URL, a tab and a topic, but it says {line!r:.80}"
            )
        url = normalise(cells[0])
        if url is not None:
            yield url, cells[1]
        elif not at_the_top:
            raise InputError(f"{path}, line {number}: '{cells[0][:80]}' is not a URL")
        at_the_top = False
