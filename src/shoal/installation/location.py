"""Where is this installation? All that outlives one crawl has its place here."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from pathlib import Path

from shoal.errors import InputError
from shoal.settings import Cluster, SettingsPart


class Installation(SettingsPart, frozen=True, kw_only=True):
    """One home, and the servers that its crawls may use. It may have passwords, so nobody prints it."""

    home: Path
    database: str = ""
    """The URL of the PostgreSQL database that keeps what is not a page's body; empty: files below the home do."""
    broker: str = ""
    """The URL of the RabbitMQ server that hands out the work of new crawls; empty: their own processes do."""
    proxy: str = ""
    """The URL of the proxy, with its password, for crawls whose settings name it without."""

    @property
    def crawls(self) -> Path:
        """Where crawls are kept for which nobody names a place."""
        return self.home / "crawls"

    @property
    def file(self) -> Path:
        """The database of crawls, topics and people."""
        return self.home / "shoal.sqlite"

    @property
    def hosts(self) -> Path:
        """The clocks of all hosts."""
        return self.home / "hosts.sqlite"

    @property
    def cluster(self) -> Cluster:
        """The servers of a new crawl."""
        return Cluster(database=self.database, broker=self.broker)


def installation_of(environ: Mapping[str, str], platform: str = sys.platform) -> Installation:
    """What the environment says: SHOAL_HOME, or the place where programs of this user keep their data."""
    chosen = environ.get("SHOAL_HOME", "")
    return Installation(
        home=Path(chosen).absolute() if chosen else _data_folder(environ, platform) / "shoal",
        database=environ.get("SHOAL_DATABASE", ""),
        broker=environ.get("SHOAL_BROKER", ""),
        proxy=environ.get("SHOAL_PROXY", ""),
    )


def _data_folder(environ: Mapping[str, str], platform: str) -> Path:
    user = Path(environ["HOME"]) if environ.get("HOME") else _home_of_user()
    if platform == "darwin":
        return user / "Library" / "Application Support"
    data = Path(environ.get("XDG_DATA_HOME", ""))
    # The XDG rules: a relative path counts as not set.
    return data if data.is_absolute() else user / ".local" / "share"


def _home_of_user() -> Path:
    try:
        return Path.home()
    except RuntimeError:
        raise InputError(
            "Nobody knows where your home folder is: say with SHOAL_HOME where Shoal may keep things."
        ) from None
