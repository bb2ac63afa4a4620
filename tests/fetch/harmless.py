"""Can what a fetch brought be stored, sent and shown, whatever the server said?"""

from __future__ import annotations

from collections.abc import Iterator

import msgspec

from shoal.model import Failure, Redirect, Response

Result = Response | Redirect | Failure


def strings(value: object) -> Iterator[str]:
    """Every text in what a fetch brings, however deep."""
    match value:
        case str():
            yield value
        case list() | tuple():
            for part in value:
                yield from strings(part)
        case dict():
            yield from strings(list(value.items()))


def assert_harmless(result: Result) -> None:
    """It can be stored, sent to another process, and shown on a terminal."""
    msgspec.msgpack.encode(result)
    for text in strings({name: getattr(result, name) for name in result.__struct_fields__ if name != "trace"}):
        text.encode("utf-8")
        assert text.isprintable(), text
