"""How does a test get a PostgreSQL of its own? Free port of 127.0.0.1, folder and password are made for it, and go with it."""

from __future__ import annotations

import os
import secrets
import shutil
import signal
import subprocess
from itertools import count
from pathlib import Path

from shoal.testing.daemons import (
    PATH,
    START_SECONDS,
    USER,
    Daemon,
    RealServer,
    ServerError,
    free_port,
    private_folder,
)
from shoal.testing.packages import ensure_installed

_SETTINGS = {
    "unix_socket_directories": "",
    "listen_addresses": "127.0.0.1",
    "max_connections": "200",
    "shared_buffers": "32MB",
    "max_wal_size": "64MB",  # what has to be read again after a kill stays little
    "checkpoint_timeout": "30s",
    "timezone": "UTC",
}
_WITHOUT_FSYNC = {"fsync": "off", "full_page_writes": "off"}
"""What is committed is with the kernel, so it survives `kill`; `synchronous_commit = off` would lose it."""

_EMPTY = """
SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid();
DO $$ DECLARE name text; BEGIN
  FOR name IN SELECT nspname FROM pg_namespace WHERE nspname !~ '^pg_' AND nspname <> 'information_schema' LOOP
    EXECUTE format('DROP SCHEMA %I CASCADE', name);
  END LOOP;
  CREATE SCHEMA public;
END $$
"""


def find_postgresql() -> Path | None:
    """The programs of the newest PostgreSQL on this machine."""
    versions = sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"), key=lambda path: float(path.parts[-3]))
    found = str(versions[-1]) if versions else shutil.which("initdb")
    return Path(found).parent if found else None


class PostgreSQL(RealServer):
    """A PostgreSQL server while its `with` block lasts."""

    stops_by = signal.SIGINT

    def __init__(self, *, fsync: bool = False) -> None:
        """Without `fsync` it survives `kill` as well, but not a power cut of the machine, and is much faster."""
        self._programs = ensure_installed("postgresql", find_postgresql)
        # PostgreSQL refuses to run as root.
        self._owner = "postgres" if os.geteuid() == 0 else None
        self.port = free_port()
        self._password = secrets.token_hex(12)
        self._folder = private_folder(self._owner)
        self._names = count(1)
        settings = _SETTINGS | ({} if fsync else _WITHOUT_FSYNC) | {"port": str(self.port)}
        options = [word for name, value in settings.items() for word in ("-c", f"{name}={value}")]
        self._daemon = Daemon(
            "postgresql",
            [*self._as_owner("postgres"), "-D", str(self._data), *options],
            folder=self._folder,
            environment={"PATH": PATH, "LC_ALL": "C.UTF-8"},
        )

    @property
    def url(self) -> str:
        """The server's own database; tests take one of their own from `create_database`."""
        return self._url("postgres")

    def start(self) -> None:
        """Returns when clients can connect; after `stop` or `kill` with the port and data of before."""
        if not self._data.exists():
            self._initialise()
        # A killed server leaves this file; what it says of readiness is old.
        self._status.unlink(missing_ok=True)
        self._daemon.start()
        self._daemon.wait(self._is_ready, seconds=START_SECONDS)

    def create_database(self) -> str:
        """The URL of a new, empty database."""
        name = f"shoal_{next(self._names)}"
        # Copying files is quicker than writing each page to the log.
        self.execute(f"CREATE DATABASE {name} TEMPLATE template0 STRATEGY file_copy")
        return self._url(name)

    def empty_database(self, url: str) -> None:
        """As good as a new one, and in a fifth of the time; whoever is still connected is sent away."""
        self.execute(_EMPTY, url)

    def execute(self, sql: str, url: str | None = None) -> str:
        """What psql prints for a statement, in the database of `url`: a look from outside, with no code of ours."""
        command = [str(self._programs / "psql"), "-XAtq", "-v", "ON_ERROR_STOP=1", "-c", sql]
        name = (url or self.url).rpartition("/")[2]
        target = {"PGHOST": "127.0.0.1", "PGPORT": str(self.port), "PGUSER": USER, "PGDATABASE": name}
        done = subprocess.run(
            command,
            env={"PATH": PATH, **target, "PGPASSWORD": self._password},
            capture_output=True,
            text=True,
            timeout=START_SECONDS,
            check=False,
        )
        if done.returncode:
            raise ServerError(f"PostgreSQL refused {sql!r}: {done.stderr.strip()}")
        return done.stdout.strip()

    @property
    def _data(self) -> Path:
        return self._folder / "data"

    @property
    def _status(self) -> Path:
        return self._data / "postmaster.pid"

    def _url(self, database: str) -> str:
        return f"postgresql://{USER}:{self._password}@127.0.0.1:{self.port}/{database}"

    def _as_owner(self, program: str) -> list[str]:
        become = ["setpriv", f"--reuid={self._owner}", f"--regid={self._owner}", "--init-groups"] if self._owner else []
        return [*become, str(self._programs / program)]

    def _initialise(self) -> None:
        secret = self._folder / "password"
        secret.write_text(self._password, encoding="utf-8")
        if self._owner:
            shutil.chown(secret, self._owner, self._owner)
        choices = ["--auth=scram-sha-256", "--encoding=UTF8", "--locale=C.UTF-8", "--no-sync", f"--username={USER}"]
        done = subprocess.run(
            [*self._as_owner("initdb"), "-D", str(self._data), f"--pwfile={secret}", *choices],
            cwd=self._folder,
            capture_output=True,
            text=True,
            timeout=START_SECONDS,
            check=False,
        )
        if done.returncode:
            raise ServerError(f"PostgreSQL cannot make its data folder: {done.stderr.strip()[-1000:]}")

    def _is_ready(self) -> bool:
        """The server says so in the last line of its status file, as `pg_ctl` reads it."""
        try:
            return self._status.read_text(encoding="utf-8").splitlines()[7].strip() == "ready"
        except (OSError, IndexError):
            return False
