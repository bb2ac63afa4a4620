"""URLs in one normal form: what is the same page must be the same string.

Browser rules come from ada-url; what browsers keep but crawlers must not (user names, fragments, trailing dots, spelling of
percent escapes) is settled here.
"""

from __future__ import annotations

import hashlib
import re
from functools import cache
from urllib.parse import unquote

import ada_url
from publicsuffixlist import PublicSuffixList

from shoal.cache import cached

# Not behind a broken escape: `%%341` would become `%41`, which the next reading would take for `A`.
_ESCAPE = re.compile(r"(?<!%)(?<!%[0-9A-Fa-f])%[0-9A-Fa-f]{2}")
_UNRESERVED = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~")
_SECRET = re.compile(r"\b(password|passwd|pwd)=[^&]*", re.IGNORECASE)
MAX_URL_LENGTH = 8000
"""Servers refuse longer request lines, so a longer URL cannot be fetched (what is suspiciously long: `frontier/traps.py`)."""


def normalise(url: str, base: str | None = None) -> str | None:
    """The normal form of `url` as it stands on page `base`; None when it is not an http(s) URL that can be fetched."""
    url = url.partition("#")[0]
    if len(url) > MAX_URL_LENGTH:
        return None
    try:
        joined = ada_url.join_url(base, url) if base else ada_url.normalize_url(url)
    except ValueError:
        return None
    scheme, found, rest = joined.partition("://")
    if not found or scheme not in ("http", "https") or len(joined) > MAX_URL_LENGTH:
        return None
    authority, _, path = rest.partition("/")
    host = authority.rpartition("@")[2]
    if "." in host:
        host = _without_trailing_dot(host)
    if "%" in path:
        path = _ESCAPE.sub(_settle_escape, path)
    if path.find("?") == len(path) - 1:  # an empty query; a question mark further on belongs to the query
        path = path.removesuffix("?")
    return f"{scheme}://{host}/{path}" if host else None


def _without_trailing_dot(host: str) -> str:
    """Empty when there is nothing but dots."""
    name, colon, port = host.partition(":")
    bare = name.rstrip(".")
    return bare + colon + port if bare else ""


def _settle_escape(match: re.Match[str]) -> str:
    """`%7e` is `~`; what must stay escaped is written in capitals."""
    escape = match.group().upper()
    character = chr(int(escape[1:], 16))
    return character if character in _UNRESERVED else escape


def host_of(url: str) -> str:
    """The host with its port, if that is not the scheme's own: the unit of politeness."""
    return url.split("/", 3)[2]


def origin_of(url: str) -> str:
    """Scheme and host: the unit of robots.txt."""
    return url[: url.index("/", 8)]


@cache
def _suffixes() -> PublicSuffixList:
    """Reading the list takes a tenth of a second, and most commands do not need it."""
    return PublicSuffixList()


@cached(size=20_000)
def domain_of(host: str) -> str:
    """The registered domain (`bbc.co.uk`); the host itself when there is none (addresses, `localhost`)."""
    if host.startswith("["):
        return host.partition("]")[0] + "]"
    name = host.partition(":")[0]
    if name.replace(".", "").isdigit():
        return name
    return _suffixes().privatesuffix(name) or name


def key_of(url: str) -> int:
    """A 64-bit number that stands for a URL in indexes; cryptographic, so that no page can forge a collision."""
    return int.from_bytes(
        hashlib.blake2b(url.encode("utf-8", "surrogatepass"), digest_size=8).digest(), "big", signed=True
    )


def shown(url: str) -> str:
    """The URL of a server as it may be printed: without its password."""
    scheme, separator, rest = url.partition("://") if "://" in url else ("", "", url)
    login, at, place = rest.rpartition("@")
    name, colon, _ = login.partition(":")
    return _SECRET.sub(r"\1=***", f"{scheme}{separator}{name}{colon and ':***'}{at}{place}")


def login_of(url: str) -> tuple[str, str, str]:
    """A server's URL without the login, the user's name, and the password; both empty when there is no login."""
    scheme, separator, rest = url.partition("://")
    authority, slash, path = rest.partition("/")
    login, _, place = authority.rpartition("@")
    name, _, password = login.partition(":")
    return f"{scheme}{separator}{place}{slash}{path}", unquote(name), unquote(password)
