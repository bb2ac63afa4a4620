"""Which crawls does this installation have, and which one is meant?

A crawl has a name, that of its folder. Those below the home's own folder are found by looking.
"""

from __future__ import annotations

import os
import re
import unicodedata
from collections.abc import Iterator
from pathlib import Path

from shoal.errors import InputError, UnknownCrawl
from shoal.installation.location import Installation
from shoal.store import crawl_folder as folders

_NO_LETTERS = re.compile(r"\W+")
_LONGEST_NAME = 60
"""Letters of a name that nobody chose."""
_LONGEST_FILE_NAME = 200
"""Bytes; file systems take some more."""
_SHOWN = 12
"""Names that a sentence may list."""


def find_crawl(installation: Installation, said: str) -> Path:
    """The folder of a crawl that was named, by its name or by its folder."""
    if _is_path(said):
        return Path(said)
    known = {name: folder for name, folder in crawl_folders(installation) if name == normal(said)}
    if folders.exists(here := Path(said)):
        if known and not any(os.path.samefile(here, folder) for folder in known.values()):
            raise InputError(
                f"Two crawls are called {said}: one in this folder, one in {known[normal(said)]}. "
                f"Say which: ./{said}, or that path."
            )
        return here
    if known:
        return known[normal(said)]
    raise UnknownCrawl(_unknown(said, sorted({name for name, _ in crawl_folders(installation)})))


def _is_path(said: str) -> bool:
    return said in (".", "..") or os.sep in said or bool(os.altsep and os.altsep in said)


def _unknown(said: str, names: list[str]) -> str:
    """One sentence with the nearest name, or with all there are."""
    # Only here, because it comes with all that reads topics, and most names are right.
    from shoal.topic.value_readers import did_you_mean, quoted

    if hint := did_you_mean(said, names):
        return f"There is no crawl called {quoted(said)}{hint}"
    return f"There is no crawl called {quoted(said)}: {listed(names)}"


def no_crawl_named(installation: Installation) -> UnknownCrawl:
    """What to say to somebody who named none."""
    names = sorted({name for name, _ in crawl_folders(installation)})
    return UnknownCrawl(f"Say which crawl, by its name or its folder: {listed(names)}")


def listed(names: list[str]) -> str:
    """The end of a sentence: which crawls there are."""
    if not names:
        return "there are none here yet. Start one with 'shoal crawl'."
    more = f" and {len(names) - _SHOWN:,} more (shoal crawls)" if len(names) > _SHOWN else ""
    return f"there {'is' if len(names) == 1 else 'are'} {', '.join(names[:_SHOWN])}{more}."


def crawl_folders(installation: Installation) -> Iterator[tuple[str, Path]]:
    """Every crawl of the installation, by name."""
    try:
        found = sorted(installation.crawls.iterdir())
    except (FileNotFoundError, NotADirectoryError):
        return
    except OSError as error:
        raise InputError(f"The folder {installation.crawls} cannot be read: {error.strerror}.") from error
    yield from ((normal(folder.name), folder) for folder in found if folders.exists(folder))


def place_for(installation: Installation, name: str) -> Path:
    """Where a new crawl of this name is kept."""
    if problem := _not_a_name(name):
        raise InputError(f"A crawl cannot be called {name!r}: {problem}.")
    if any(known == normal(name) for known, _ in crawl_folders(installation)):
        raise InputError(
            f"There is a crawl called {name} already: go on with 'shoal resume {name}', or give the new one another --name."
        )
    return installation.crawls / normal(name)


def _not_a_name(name: str) -> str:
    """Why nobody could type it as the name of a crawl, or the disk could not keep it."""
    if not name.strip() or not name.isprintable() or name != name.strip():
        return "a name is one line of letters, without spaces around it"
    if _is_path(name) or name.startswith(("-", ".")):
        return f"a name has no {os.sep} in it and begins with a letter; --dir says where else to keep a crawl"
    if len(os.fsencode(name)) > _LONGEST_FILE_NAME:
        return f"a name has at most {_LONGEST_FILE_NAME} bytes"
    return ""


# --- names -----------------------------------------------------------------------------------------------------------


def normal(name: str) -> str:
    """A name as it is compared: systems spell the same letters in different ways."""
    return unicodedata.normalize("NFC", name)


def name_for(topic: str) -> str:
    """What a crawl is called whose user gave it no name: `Power grid, 电网` is `power-grid-电网`."""
    return _NO_LETTERS.sub("-", normal(topic)).strip("-").lower()[:_LONGEST_NAME].rstrip("-") or "crawl"
