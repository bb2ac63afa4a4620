"""Where is the password of the proxy?

It is with the passwords of servers: the database, its backups and whatever is printed say `http://user:***@host`. The whole URL
is in the file that only its owner may read (`store/shared_crawl.py`); on another machine SHOAL_PROXY may say it.
"""

from __future__ import annotations

from msgspec.structs import replace

from shoal.errors import FolderError
from shoal.settings import Settings
from shoal.urls import shown

_HIDDEN = ":***@"


def masked(settings: Settings) -> Settings:
    """The settings as they may be stored, sent and shown."""
    return replace(settings, fetching=replace(settings.fetching, proxy=shown(settings.fetching.proxy)))


def secret_of(settings: Settings) -> str:
    """The proxy, if it has a password; else nothing."""
    proxy = settings.fetching.proxy
    return proxy if shown(proxy) != proxy else ""


def with_password(settings: Settings, known: str) -> Settings:
    """The settings as they are used, if this is the URL of their proxy with its password."""
    proxy = settings.fetching.proxy
    return (
        replace(settings, fetching=replace(settings.fetching, proxy=known))
        if known and shown(known) == proxy
        else settings
    )


def check_secrets(settings: Settings) -> None:
    """One sentence when a secret is missing that requests need."""
    proxy = settings.fetching.proxy
    if _HIDDEN in proxy and shown(proxy) == proxy:
        raise FolderError(f"The password of the proxy {proxy} is not kept here: give the whole URL once with --proxy.")
