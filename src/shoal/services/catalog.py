"""Which crawls does this installation have, and which one is meant?

A crawl has a name. Those below the home's own folder are called as their folders and found by looking; those elsewhere are
written down, and called as the list says (`installation/crawl_registry.py`); those that are only on other machines are known to
the database that all share.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator
from pathlib import Path

from shoal.errors import InputError, UnknownCrawl
from shoal.installation.location import Installation
from shoal.installation.names import checked_name, made_of, normal_name
from shoal.store import crawl_folder as folders
from shoal.store import shared_crawl

_LONGEST = 60
"""Letters of a name that nobody chose."""
_SHOWN = 12
"""Names that a sentence may list."""


def find_crawl(installation: Installation, said: str) -> Path:
    """The folder of a crawl that was named, by its name or by its folder."""
    if _is_path(said):
        return Path(said)
    wanted, here = normal_name(said), Path(said)
    known = next((folder for name, folder in crawl_folders(installation) if name == wanted), None)
    if folders.exists(here) and known is not None and not _same(here, known):
        raise InputError(
            f"Two crawls are called {said}: one in this folder, one in {known}. Say which: ./{said}, or that path."
        )
    if known is not None or folders.exists(here):
        return known or here
    raise UnknownCrawl(_unknown(said, sorted({name for name, _ in crawl_folders(installation)})))


def _is_path(said: str) -> bool:
    return said in (".", "..") or os.sep in said or bool(os.altsep and os.altsep in said)


def _same(one: Path, other: Path) -> bool:
    return os.path.realpath(one) == os.path.realpath(other)


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
    """Every crawl of the installation, by name: first those at home, which cost nothing to find."""
    known = set()
    for source in (_at_home, _written_down, _on_other_machines):
        for name, folder in source(installation):
            if name not in known:
                known.add(name)
                yield name, folder


def names_at_home(installation: Installation) -> list[str]:
    """The names that are found without asking a database: soon enough for whoever presses Tab."""
    return [name for name, _ in _at_home(installation)]


def _at_home(installation: Installation) -> Iterator[tuple[str, Path]]:
    try:
        found = sorted(installation.crawls.iterdir())
    except (FileNotFoundError, NotADirectoryError):
        return
    except OSError as error:
        raise InputError(f"The folder {installation.crawls} cannot be read: {error.strerror}.") from error
    yield from ((normal_name(folder.name), folder) for folder in found if folders.exists(folder))


def _written_down(installation: Installation) -> Iterator[tuple[str, Path]]:
    if not installation.database and not installation.file.exists():
        return
    # Only here, because it brings SQLAlchemy, which takes a fifth of a second, and most crawls are at home.
    from shoal.installation.crawl_registry import all_crawls
    from shoal.installation.installation_database import reading

    with reading(installation) as connection:
        entries = all_crawls(connection)
    yield from ((entry.name, entry.folder) for entry in entries if entry.is_here)


def _on_other_machines(installation: Installation) -> Iterator[tuple[str, Path]]:
    if installation.database:
        yield from ((name, installation.crawls / name) for name in shared_crawl.names(installation.cluster))


def write_down(installation: Installation, folder: Path, now: Callable[[], float] = time.time) -> None:
    """A crawl that is kept elsewhere gets a name, by which it is found from now on."""
    if os.path.realpath(folder.absolute().parent) == os.path.realpath(installation.crawls):
        return
    with folders.reading(folder) as database:
        crawl = folders.read_meta(database, "crawl", str) or ""
        topic = folders.read_settings(folder, database).topic.name
    # Only here, for the same reason as above.
    from shoal.installation import crawl_registry
    from shoal.installation.installation_database import writing

    with writing(installation) as connection:
        crawl_registry.register(connection, crawl=crawl, folder=folder, now=now(), topic=topic)


def place_for(installation: Installation, name: str) -> Path:
    """Where a new crawl of this name is kept."""
    kept = checked_name(name, "A crawl")
    if any(known == kept for known, _ in crawl_folders(installation)):
        raise InputError(
            f"There is a crawl called {kept} already: go on with 'shoal resume {kept}', or give the new one another --name."
        )
    return installation.crawls / kept


def name_for(topic: str) -> str:
    """What a crawl is called whose user gave it no name: `Power grid, 电网` is `power-grid-电网`."""
    return made_of(topic).lower()[:_LONGEST].rstrip("-_.") or "crawl"
