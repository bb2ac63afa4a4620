"""Programs that open an installation's database and are killed at every step, or open it all at once.

    python -m tests.installation.processes killed|together older|new FOLDER [DATABASE]

Everything happens in forked processes of this one, which has loaded all that they need. Prints how many steps or processes
there were.
"""

from __future__ import annotations

import os
import shutil
import signal
import sqlite3
import sys
import traceback
from collections.abc import Callable
from contextlib import closing
from functools import partial
from itertools import count
from pathlib import Path

import alembic.operations
import alembic.runtime.migration
import alembic.script  # noqa: F401 (so that no forked process has to)
from sqlalchemy import Engine, event

from shoal.database.postgres import PostgresDatabase
from shoal.installation import crawl_registry
from shoal.installation.installation_database import reading, writing
from shoal.installation.location import Installation
from tests.installation.older import bring_up, check_all_there, make_older

_TOGETHER = 5
_FILES = {"open", "os.link", "os.mkdir", "os.remove", "os.rename", "sqlite3.connect", "fcntl.flock"}
"""What Python tells of before it happens."""


def killed(what: str, folder: Path, database: str) -> int:
    """Kill a process at its first step, another one at its second, and so on, until one comes to its end.

    With a server not at every step, because that takes long; that a transaction is whole is the server's task.
    """
    for step in count(1, 6 if database else 1):
        here = Installation(home=folder / str(step), database=database)
        _succeed(partial(_prepare, what, here))
        ending = _fork(partial(_open_until, here, step))
        _succeed(partial(_check, what, here))
        if ending == 0:
            return step
        assert ending == -signal.SIGKILL, f"step {step}: {ending}"
    raise AssertionError("numbers do not end")


def together(what: str, folder: Path, database: str) -> int:
    """Open it at the same moment in several processes, each of which registers a crawl."""
    here = Installation(home=folder / "home", database=database)
    _succeed(partial(_prepare, what, here))
    gate, opened = os.pipe()
    children = [_start(partial(_pass, gate, opened, here, number)) for number in range(_TOGETHER)]
    os.close(opened)
    assert [_end(child) for child in children] == [0] * _TOGETHER
    _succeed(partial(_check_registered, what, here))
    return _TOGETHER


# --- what they do ----------------------------------------------------------------------------------------------------


def _prepare(what: str, here: Installation) -> None:
    if here.database:
        with closing(PostgresDatabase(here.database)) as database:
            for schema in ("shoal_installation", *_copies(database)):
                database.execute(f"DROP SCHEMA IF EXISTS {schema} CASCADE")
    if what == "older" and here.database:
        make_older(here)
    elif what == "older":  # made once, because each is forced to the disk
        template = Installation(home=here.home.parent / what)
        if not template.home.exists():
            make_older(template)
        shutil.copytree(template.home, here.home)


def _open_until(here: Installation, step: int) -> None:
    left = count(step - 1, -1)

    def go_on(*_: object) -> None:
        if next(left) == 0:
            os.kill(os.getpid(), signal.SIGKILL)

    def see(name: str, values: tuple[object, ...]) -> None:
        if name in _FILES and (name != "open" or str(here.home) in str(values[0])):
            go_on()

    for moment in ("before_cursor_execute", "after_cursor_execute", "commit"):
        event.listen(Engine, moment, go_on)
    sys.addaudithook(see)
    bring_up(here)


def _check(what: str, here: Installation) -> None:
    bring_up(here)
    if what == "older":
        check_all_there(here)
        _check_copy(here)
    else:
        with reading(here) as connection:
            assert crawl_registry.all_crawls(connection) == []


def _check_copy(here: Installation) -> None:
    """There is one, and it is whole."""
    if here.database:
        with closing(PostgresDatabase(here.database)) as database:
            (copy,) = _copies(database)
            assert database.execute(f"SELECT text FROM {copy}.topics").fetchall() == [('terms = "變電站"',)]
        return
    (file,) = here.home.glob("shoal.sqlite.before-*")
    with closing(sqlite3.connect(file)) as connection:
        assert connection.execute("PRAGMA quick_check").fetchall() == [("ok",)]
        assert connection.execute("SELECT text FROM topics").fetchall() == [('terms = "變電站"',)]


def _copies(database: PostgresDatabase) -> list[str]:
    return [
        name for (name,) in database.execute("SELECT nspname FROM pg_namespace WHERE nspname LIKE 'shoal\\_before\\_%'")
    ]


def _pass(gate: int, opened: int, here: Installation, number: int) -> None:
    os.close(opened)
    os.read(gate, 1)  # until all others are there
    with writing(here) as connection:
        crawl_registry.register(connection, crawl=f"new {number}", folder=here.home / "grid", now=1.0)
        crawl_registry.register(connection, crawl=f"{number}", folder=here.home / str(number) / "grid", now=1.0)


def _check_registered(what: str, here: Installation) -> None:
    with reading(here) as connection:
        names = {entry.name for entry in crawl_registry.all_crawls(connection)}
    expected = {"grid", *(f"grid-{number}" for number in range(2, _TOGETHER + 2))}
    assert names == expected | ({"电网"} if what == "older" else set()), names
    if what == "older":
        _check_copy(here)


# --- processes -------------------------------------------------------------------------------------------------------


def _start(work: Callable[[], object]) -> int:
    if pid := os.fork():
        return pid
    try:
        work()
    except BaseException:
        traceback.print_exc()
        os._exit(1)
    os._exit(0)


def _end(pid: int) -> int:
    return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])


def _fork(work: Callable[[], object]) -> int:
    return _end(_start(work))


def _succeed(work: Callable[[], object]) -> None:
    assert _fork(work) == 0


if __name__ == "__main__":
    done = {"killed": killed, "together": together}[sys.argv[1]]
    print(done(sys.argv[2], Path(sys.argv[3]), *(sys.argv[4:] or [""])))
