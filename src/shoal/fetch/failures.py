"""What went wrong on the way to a server? Every error of the HTTP library and the system becomes one reason and one sentence.

The only place where aiohttp's exceptions are known by name.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from typing import NamedTuple

import aiohttp
from aiohttp import http_exceptions
from aiohttp.client_exceptions import UploadAbortedError

from shoal.fetch.addresses import AddressRefused, NoSuchName
from shoal.model import Reason
from shoal.printable import legible
from shoal.settings import Fetching

_DEEPEST = 20
"""Causes of causes that are looked at; exceptions can stand in a circle."""
_LONGEST = 160


class Explained(NamedTuple):
    """Why there is no page."""

    reason: Reason
    heals: bool
    detail: str
    """A sentence; in the tables below with places to fill in."""


def explain(error: BaseException, settings: Fetching) -> Explained:
    """The reason and the sentence for whatever was raised while a server was asked. Never raises itself."""
    trouble = _find(error)
    detail = trouble.detail.format(
        error=_words(error),
        address=next((cause.address for cause in _causes(error) if isinstance(cause, AddressRefused)), ""),
        connect=settings.connect_timeout,
        answer=settings.answer_timeout,
        total=settings.total_timeout,
    )
    return trouble._replace(detail=detail)


def is_known(error: Exception) -> bool:
    """True when the HTTP library or the system raises such errors for what a server does."""
    return deciding_class(type(error)) is not Exception


def _find(error: BaseException) -> Explained:
    words = _said_by(error)
    for telltale, trouble in _BY_WORDS.items():
        if telltale in words:
            return trouble
    for cause in _causes(error):
        if type(cause) in _BY_CAUSE:
            return _BY_CAUSE[type(cause)]
    return _BY_CLASS[deciding_class(type(error))]


def deciding_class(kind: type[BaseException]) -> type[BaseException]:
    """The nearest ancestor that has a line of its own below."""
    return next((ancestor for ancestor in kind.__mro__ if ancestor in _BY_CLASS), Exception)


def _causes(error: BaseException) -> Iterator[BaseException]:
    """The error, what lies behind it, and so on; of several at once the first."""
    return islice(_all_causes(error), _DEEPEST)


def _all_causes(error: BaseException | None) -> Iterator[BaseException]:
    while error is not None:
        yield error
        error = error.exceptions[0] if isinstance(error, BaseExceptionGroup) else error.__cause__


def _words(error: BaseException) -> str:
    """The gist of an error in one short line; a server may have had a hand in its words."""
    if isinstance(error, aiohttp.ClientConnectorError):
        words = _said_by(error.os_error.strerror or error.os_error)
    else:
        words = _said_by(getattr(error, "message", "") or error)
    first_line = legible(words.strip().partition("\n")[0][:_LONGEST])
    return first_line.rstrip(" .:") or legible(type(error).__name__)


def _said_by(thing: object) -> str:
    """Its words, if it has any: the HTTP library puts objects of every kind where a message should be."""
    try:
        return str(thing)
    except Exception:  # whatever is wrong with it, there is an error to report already
        return type(thing).__name__


_TOO_LARGE = Explained(Reason.HEADERS_TOO_LARGE, False, "The headers are too large.")
_TRUNCATED = Explained(Reason.TRUNCATED, True, "The body ended before it was complete.")
_RESET = Explained(Reason.RESET, True, "The server broke the connection off.")

# Where aiohttp has one class for two things, its words tell them apart; the hostile server's tests notice new words.
_BY_WORDS: dict[str, Explained] = {
    "Too many headers": _TOO_LARGE,
    "ConnectionResetError": _RESET,
    "Not enough data to satisfy transfer length": _TRUNCATED,
}

# What lies behind a general error of aiohttp decides before the general error does.
_BY_CAUSE: dict[type[BaseException], Explained] = {
    AddressRefused: Explained(
        Reason.ADDRESS, False, "The address {address} is not public, and not allowed in the settings."
    ),
    NoSuchName: Explained(Reason.DNS, False, "The host name does not exist."),
    http_exceptions.LineTooLong: _TOO_LARGE,
    http_exceptions.ContentLengthError: _TRUNCATED,
    # What was unpacked so far is not kept: nobody can say where the damage began.
    http_exceptions.ContentEncodingError: Explained(Reason.PROTOCOL, False, "The body cannot be decompressed."),
}

# The nearest class in the error's family decides. ClientError itself stands for classes that a later aiohttp may bring;
# a test proves that all of today's have a nearer line.
_BY_CLASS: dict[type[BaseException], Explained] = {
    aiohttp.ConnectionTimeoutError: Explained(
        Reason.TIMEOUT, True, "There was no connection within {connect:g} seconds."
    ),
    aiohttp.SocketTimeoutError: Explained(Reason.TIMEOUT, True, "The server was silent for {answer:g} seconds."),
    TimeoutError: Explained(Reason.TIMEOUT, True, "The answer was not complete within {total:g} seconds."),
    aiohttp.ClientConnectorDNSError: Explained(Reason.DNS, True, "The host name cannot be resolved: {error}."),
    aiohttp.ClientSSLError: Explained(Reason.TLS, False, "There is no secure connection: {error}."),
    aiohttp.ServerFingerprintMismatch: Explained(Reason.TLS, False, "The certificate is not the expected one."),
    aiohttp.ClientConnectorError: Explained(Reason.CONNECT, True, "There is no connection: {error}."),
    aiohttp.ClientHttpProxyError: Explained(Reason.CONNECT, True, "The proxy refused the connection: {error}."),
    aiohttp.ClientConnectionError: _RESET,
    OSError: Explained(Reason.RESET, True, "The connection broke: {error}."),
    aiohttp.ClientPayloadError: Explained(Reason.PROTOCOL, False, "The body breaks the rules of HTTP: {error}."),
    aiohttp.ClientResponseError: Explained(Reason.PROTOCOL, False, "The answer breaks the rules of HTTP: {error}."),
    aiohttp.InvalidURL: Explained(Reason.DNS, False, "The host in the URL cannot be used: {error}."),
    aiohttp.NonHttpUrlClientError: Explained(Reason.PROTOCOL, False, "The URL is neither http nor https."),
    aiohttp.RedirectClientError: Explained(Reason.BAD_REDIRECT, False, "The redirect cannot be followed."),
    UploadAbortedError: Explained(Reason.PROTOCOL, False, "The server refused the request while it was sent."),
    http_exceptions.HttpProcessingError: Explained(
        Reason.PROTOCOL, False, "The answer breaks the rules of HTTP: {error}."
    ),
    aiohttp.ClientError: Explained(Reason.PROTOCOL, True, "The exchange failed: {error}."),
    # The HTTP library has tripped over the answer, or we have.
    Exception: Explained(Reason.PROTOCOL, False, "The answer could not be read: {error}."),
}
