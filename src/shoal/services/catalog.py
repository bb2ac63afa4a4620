"""Which crawls does this installation have, and which one is meant?

A crawl has a name. Those below the home's own folder are called as their folders and found by looking; those elsewhere are
written down, and called as the list says (`installation/crawl_registry.py`); those that are only on other machines are known to
the database that all share.

Here is also the door for people: whoever is no administrator finds, by name, what is theirs, and nothing else by any name. All
other services take the folder that was found here.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator, Sequence
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING

from shoal.errors import InputError, NotAllowed, ShoalError, UnknownCrawl
from shoal.installation.location import Installation
from shoal.installation.names import checked_name, made_of, normal_name
from shoal.installation.permissions import Act, may, require
from shoal.model.person import OPERATOR, Person
from shoal.printable import typed
from shoal.store import crawl_folder as folders
from shoal.store import shared_crawl

if TYPE_CHECKING:
    from shoal.installation.crawl_registry import RegisteredCrawl

_LONGEST = 60
"""Letters of a name that nobody chose."""
_SHOWN = 12
"""Names that a sentence may list."""


def find_crawl(installation: Installation, said: str, asker: Person = OPERATOR, act: Act = Act.READ) -> Path:
    """The folder of a crawl that was named, by its name or by its folder; for somebody who may do that with it.

    The crawl may be on other machines only: from now on whoever reads the folder finds it there.
    """
    folder = _chosen(installation, said, asker, act)
    if installation.database:
        folders.look_up(folder, installation.cluster)
    if not _is_path(said) and is_gone(folder):
        raise UnknownCrawl(f"The crawl {said} is gone: {how_it_went(said, folder)}")
    return folder


def is_gone(folder: Path) -> bool:
    """True when somebody removed or moved the folder of a crawl on the list, which is in no database either."""
    return not os.path.lexists(folder) and not folders.is_remote(folder)


def how_it_went(name: str, folder: Path) -> str:
    """A sentence about a crawl that is gone, and what can be done."""
    return f"there is no folder {folder} any more; 'shoal crawls --forget {typed(name)}' takes it off the list."


def _chosen(installation: Installation, said: str, asker: Person, act: Act) -> Path:
    return _find(installation, said) if _may_all(asker) else _find_own(installation, said, asker, act)


def _find(installation: Installation, said: str) -> Path:
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


def _find_own(installation: Installation, said: str, asker: Person, act: Act) -> Path:
    """By its name only: which folders there are is not for everybody, nor is it which crawls others have."""
    known = dict(crawl_folders(installation, asker))
    if (folder := known.get(normal_name(said))) is None:
        raise UnknownCrawl(_unknown(said, sorted(known)))
    require(asker, act, asker.id, what=f"the crawl {normal_name(said)}")
    return folder


def _is_path(said: str) -> bool:
    return said in (".", "..") or os.sep in said or bool(os.altsep and os.altsep in said)


def _same(one: Path, other: Path) -> bool:
    """True when both lead to one folder."""
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


def crawl_folders(installation: Installation, asker: Person = OPERATOR) -> Iterator[tuple[str, Path]]:
    """Every crawl of the installation that somebody may see, by name: first those at home, which cost nothing to find."""
    owned = None if _may_all(asker) else _owned_by(installation, asker)
    for name, folder in _named(installation):
        if owned is None or os.path.realpath(folder) in owned:
            yield name, folder


def _named(installation: Installation) -> Iterator[tuple[str, Path]]:
    """One that is kept elsewhere and has the name of one at home, which came later, has a number behind it."""
    known, hidden, places = set[str](), [], set[str]()
    for source in (_at_home, _written_down, _on_other_machines):
        for name, folder in source(installation):
            if (place := os.path.realpath(folder)) in places:
                continue
            places.add(place)
            if name not in known:
                known.add(name)
                yield name, folder
            elif source is _written_down:
                hidden.append((name, folder))
    for name, folder in hidden:
        free = next(other for number in count(2) if (other := f"{name}-{number}") not in known)
        known.add(free)
        yield free, folder


def _may_all(asker: Person) -> bool:
    return may(asker, Act.ADMINISTER)


def _owned_by(installation: Installation, asker: Person) -> set[str]:
    """The folders on this machine whose crawls somebody owns; not those of other crawls that took their places."""
    entries = [entry for entry in _entries(installation) if entry.is_here and entry.owner == asker.id]
    return {os.path.realpath(entry.folder) for entry in entries if _id_of(entry.folder) == entry.crawl}


def _id_of(folder: Path) -> str:
    try:
        with folders.reading(folder) as database:
            return folders.read_meta(database, "crawl", str) or ""
    except ShoalError:  # whose it is cannot be known, so it is nobody's; who administers sees in the list what is wrong
        return ""


def names_at_home(installation: Installation) -> list[str]:
    """The names that are found without asking a database: soon enough for whoever presses Tab."""
    return [name for name, _ in _at_home(installation)]


def name_at_home(installation: Installation, folder: Path) -> str:
    """By which name that can be typed, and that means nothing else here, this crawl in the home is found; else nothing."""
    path = folder.absolute()
    name = normal_name(path.name)
    if made_of(name) != name or not _same(path.parent, installation.crawls):
        return ""
    here = Path(name)
    return "" if folders.exists(here) and not _same(here, path) else name


def _at_home(installation: Installation) -> Iterator[tuple[str, Path]]:
    try:
        found = sorted(installation.crawls.iterdir())
    except (FileNotFoundError, NotADirectoryError):
        return
    except OSError as error:
        raise InputError(f"The folder {installation.crawls} cannot be read: {error.strerror}.") from error
    yield from ((normal_name(folder.name), folder) for folder in found if _may_be_one(folder))


def _may_be_one(folder: Path) -> bool:
    try:
        return folders.exists(folder)
    except ShoalError:  # who opens it is told what is wrong with it; the others can be found
        return True


def _written_down(installation: Installation) -> Iterator[tuple[str, Path]]:
    yield from ((entry.name, entry.folder) for entry in _entries(installation) if entry.is_here)


def _entries(installation: Installation) -> Sequence[RegisteredCrawl]:
    if not installation.database and not installation.file.exists():
        return ()
    # Only here, because it brings SQLAlchemy, which takes a fifth of a second, and most crawls are at home.
    from shoal.installation.crawl_registry import all_crawls
    from shoal.installation.installation_database import reading

    with reading(installation) as connection:
        return all_crawls(connection)


def _on_other_machines(installation: Installation) -> Iterator[tuple[str, Path]]:
    if installation.database:
        yield from ((name, installation.crawls / name) for name in shared_crawl.names(installation.cluster))


def write_down(
    installation: Installation, folder: Path, owner: Person = OPERATOR, now: Callable[[], float] = time.time
) -> None:
    """A crawl that is kept elsewhere gets a name, by which it is found from now on; one of a person gets its owner."""
    at_home = _same(folder.absolute().parent, installation.crawls)
    if at_home and owner.id is None:
        return
    with folders.reading(folder) as database:
        crawl = folders.read_meta(database, "crawl", str) or ""
        topic = folders.read_settings(folder, database).topic.name
    taken = () if at_home else names_at_home(installation)
    # Only here, for the same reason as above.
    from shoal.installation import crawl_registry
    from shoal.installation.installation_database import writing

    with writing(installation) as connection:
        crawl_registry.register(
            connection, crawl=crawl, folder=folder, now=now(), topic=topic, owner=owner.id, avoid=taken
        )


def take_off_list(installation: Installation, said: str, asker: Person = OPERATOR) -> Path:
    """From now on no name leads to a crawl that is kept elsewhere; its folder stays, and the next run puts it on the list again.

    Answers the folder.
    """
    folder = _chosen(installation, said, asker, Act.CHANGE)
    # Only here, for the same reason as above.
    from shoal.installation import crawl_registry
    from shoal.installation.installation_database import writing

    if _same(folder.absolute().parent, installation.crawls):
        raise InputError(f"{said} is in the installation's home, where every crawl is listed: its folder is {folder}.")
    with writing(installation) as connection:
        if (entry := crawl_registry.by_folder(connection, folder)) is None:
            raise InputError(f"The crawl in {folder} is not on the list.")
        crawl_registry.forget(connection, entry.id)
    return folder


def place_for(installation: Installation, name: str, asker: Person = OPERATOR) -> Path:
    """Where a new crawl of this name is kept, for somebody who may have one."""
    if not may(asker, Act.CHANGE, asker.id):
        raise NotAllowed(f"{asker.name} may look at crawls, but not start one: ask an administrator.")
    kept = checked_name(name, "A crawl")
    if any(known == kept for known, _ in crawl_folders(installation)):
        raise InputError(
            f"There is a crawl called {kept} already: go on with 'shoal resume {kept}', or give the new one another --name."
        )
    return installation.crawls / kept


def name_of(text: str) -> str:
    """The name that is nearest to any text, such as that of a file: `My crawl (2)` is `My-crawl-2`."""
    return made_of(text) or "crawl"


def name_for(topic: str) -> str:
    """What a crawl is called whose user gave it no name: `Power grid, 电网` is `power-grid-电网`."""
    return made_of(topic).lower()[:_LONGEST].rstrip("-_.") or "crawl"
