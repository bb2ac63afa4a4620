"""What went wrong on the way to a server? Every exception has a reason and a sentence, those of tomorrow too."""

from __future__ import annotations

from collections.abc import Iterator

import aiohttp
import pytest
from aiohttp import client_exceptions

from shoal.fetch.failures import deciding_class, explain
from shoal.model import Reason
from shoal.settings import Fetching


class Sullen(Exception):
    """Says nothing about itself."""

    def __str__(self) -> str:
        raise RuntimeError("I will not say")

    __repr__ = __str__


class Odd(aiohttp.ClientResponseError):
    """Has attributes of any type."""

    def __init__(self, message: object) -> None:
        super().__init__(request_info=None, history=(), message=message)  # type: ignore[arg-type]


def _cycle() -> BaseException:
    one, other = ValueError("one"), OSError("other")
    one.__cause__, other.__cause__ = other, one
    return one


def _strange_connector() -> BaseException:
    error = aiohttp.ClientConnectorError(None, OSError("x"))  # type: ignore[arg-type]
    error.os_error.strerror = 7  # type: ignore[assignment]
    return error


@pytest.mark.parametrize(
    "error",
    [
        Sullen(),
        OSError(Sullen()),
        Odd(Sullen()),
        Odd(7),
        Odd(b"bytes"),
        Odd(None),
        Odd({"a": ["{error}"]}),
        aiohttp.ServerDisconnectedError(Odd(7)),  # type: ignore[arg-type]
        aiohttp.ServerDisconnectedError(),
        _cycle(),
        _strange_connector(),
        ExceptionGroup("some", [ValueError("a"), ExceptionGroup("more", [OSError("b")])]),
        BaseExceptionGroup("all", [KeyboardInterrupt()]),
        KeyboardInterrupt(),
        UnicodeDecodeError("utf-8", b"\xff", 0, 1, "bad"),
        ValueError("a\x1b[2J\ud800{connect}"),
        RecursionError(),
        type("Named\nbadly", (Exception,), {})(),
    ],
    ids=lambda error: type(error).__name__,
)
def test_every_exception_has_an_explanation(error: BaseException) -> None:
    trouble = explain(error, Fetching())
    assert isinstance(trouble.reason, Reason)
    assert trouble.detail.endswith(".")
    assert trouble.detail.isprintable()
    assert len(trouble.detail) < 400


def family(kind: type[BaseException]) -> Iterator[type[BaseException]]:
    for child in kind.__subclasses__():
        yield child
        yield from family(child)


def test_no_exception_of_the_http_library_is_forgotten() -> None:
    public = {getattr(client_exceptions, name) for name in client_exceptions.__all__}
    known = set(family(aiohttp.ClientError)) | {kind for kind in public if issubclass(kind, aiohttp.ClientError)}
    assert len(known) > 20
    forgotten = {kind.__name__ for kind in known - {aiohttp.ClientError} if deciding_class(kind) is aiohttp.ClientError}
    assert forgotten == set()


def test_an_exception_of_tomorrow_is_still_a_failure() -> None:
    class Tomorrow(aiohttp.ClientError):
        pass

    trouble = explain(Tomorrow("what\nelse"), Fetching())
    assert (trouble.reason, trouble.detail) == (Reason.PROTOCOL, "The exchange failed: what.")
