"""What may a server say? HTTP answers: honest ones, odd ones, and what is left of them after some damage."""

from __future__ import annotations

import gzip
import zlib
from base64 import b64decode
from collections.abc import Callable
from functools import cache
from random import Random

from shoal.testing.fuzz.mutation import SPECIAL, mutated, noise

_VERSIONS = (b"HTTP/1.0", b"HTTP/0.9", b"HTTP/2", b"HTTP/9.9", b"http/1.1", b"ICY", b"")
_STATUSES = (
    b"200 OK",
    b"200",
    b"204 No Content",
    b"206 Partial",
    b"301 Moved",
    b"304 Not Modified",
    b"307 Go",
    b"404 P\xe1gina no encontrada",
    b"404 \xce\xb4\xd5\xd2\xb5\xbd",
    b"429 Slow",
    b"503 Later",
    b"101 Switching Protocols",
    b"099 Low",
    b"999 High",
    b"1000 Higher",
    b"-1 Below",
    b"two hundred",
)
_HEADERS = (
    b"Content-Type: text/html",
    b"Content-Type: text/html; charset=gbk",
    b"Content-Type: text/html; charset=\xe1\x80",
    b"Content-Type: application/pdf",
    b"Content-Length: 8",
    b"Content-Length: 0",
    b"Content-Length: -1",
    b"Content-Length: 99999999999",
    b"Content-Length: 8, 8",
    b"Transfer-Encoding: chunked",
    b"Transfer-Encoding: gzip, chunked",
    b"Transfer-Encoding: identity",
    b"Content-Encoding: gzip",
    b"Content-Encoding: gzip, gzip",
    b"Content-Encoding: deflate",
    b"Content-Encoding: br",
    b"Content-Encoding: zstd",
    b"Content-Encoding: x-unknown",
    b"Location: /elsewhere",
    b"Location: //[::1",
    b"Location: http://\xff\xfe/\x1b",
    b"Location: javascript:alert(1)",
    b"Location: " + b"../" * 3000,
    b"Retry-After: 120",
    b"Retry-After: -1e400",
    b"Retry-After: Fri, 31 Dec 9999 23:59:59 GMT",
    b"Set-Cookie: a=b; Expires=never",
    b'ETag: W/"\xe1"',
    b"Connection: close",
    b"Connection: upgrade",
    b"Upgrade: h2c",
    b"Link: <\xe5\x8f\x98>; rel=canonical",
    b"X-Folded: a\r\n b",
    b"X-Control: a\x1b[2Jb\x07",
    b"X-Nothing",
    b": empty",
    b"Trailer: X",
    b"Date: \x00",
)
# Twenty megabytes of nothing.
_BOMB_BR = b64decode(b"y///P/gnAOKxQCD3/o///3/wTwDEYRGA7v1f/v//4J8AiMMCAN37Hw==")
_BOMB_ZSTD = zlib.decompress(b64decode(b"eJzT2Kr/tyGCgcGBMYSBQYCBgZHh93/LA0xMQPYoHsX0xsxADABURxGs"))


@cache
def _bomb_gzip() -> bytes:
    return gzip.compress(bytes(20 * 2**20), mtime=0)


_HELLO = b"<p>hello"
_BODIES: tuple[tuple[bytes, Callable[[], bytes]], ...] = (
    (b"", lambda: _HELLO),
    (b"", lambda: b""),
    (b"", lambda: _HELLO * 5000),
    (b"gzip", lambda: gzip.compress(_HELLO, mtime=0)),
    (b"gzip, gzip", lambda: gzip.compress(gzip.compress(_HELLO, mtime=0), mtime=0)),
    (b"gzip", _bomb_gzip),
    (b"deflate", lambda: zlib.compress(_HELLO)),
    (b"br", lambda: b64decode(b"iwOAPHA+aGVsbG8D")),
    (b"br", lambda: _BOMB_BR),
    (b"zstd", lambda: b64decode(b"KLUv/SAIQQAAPHA+aGVsbG8=")),
    (b"zstd", lambda: _BOMB_ZSTD),
)


def http_answer(random: Random) -> bytes:
    """All that a server says to one request before it hangs up; often broken, and sometimes no HTTP at all."""
    if random.random() < 0.03:
        return noise(random, 500)
    encoding, body = random.choice(_BODIES)
    content = body()
    headers = random.choices(_HEADERS, k=random.choice((0, 1, 2, 3, 5, 300 if random.random() < 0.1 else 4)))
    if encoding:
        headers.append(b"Content-Encoding: " + encoding)
    if random.random() < 0.4:
        headers.append(b"Transfer-Encoding: chunked")
        content = _chunked(content, random)
    elif random.random() < 0.5:
        headers.append(b"Content-Length: %d" % len(content))
    head = b"\r\n".join([_status(random), *headers, b"", b""])
    return _hints(random) + _damaged(head, content, random)


def _status(random: Random) -> bytes:
    """Mostly one that lets us look at the rest."""
    version = random.choice(_VERSIONS) if random.random() < 0.1 else b"HTTP/1.1"
    return version + b" " + (b"200 OK" if random.random() < 0.5 else random.choice(_STATUSES))


def _damaged(head: bytes, body: bytes, random: Random) -> bytes:
    """The head, the body or all of it after some damage, or none; of a large body only the beginning."""
    where = random.choice(("nowhere", "head", "body", "anywhere"))
    if where == "head":
        first, rest = head[:9], head[9:]
        head = first + mutated(rest, random, times=random.choice((1, 1, 2)))
    elif where == "body":
        body = mutated(body[:2000], random, times=random.choice((1, 1, 2, 4))) + body[2000:]
    elif where == "anywhere":
        return mutated((head + body)[:2000], random, times=1) + (head + body)[2000:]
    return head + body


def _hints(random: Random) -> bytes:
    """What comes before the answer itself."""
    return b"HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n" * random.choice((0, 0, 0, 0, 0, 1, 50))


def _chunked(body: bytes, random: Random) -> bytes:
    parts = []
    while body:
        size = random.choice((1, 7, 100, 10_000, 1_000_000))
        part, body = body[:size], body[size:]
        extension = random.choice((b"", b"", b"", b";a=b", b";" + random.choice(SPECIAL)))
        parts.append(b"%x%s\r\n%s\r\n" % (len(part), extension, part))
        if len(parts) > 50:
            break
    ending = random.choice(
        (b"0\r\n\r\n", b"0\r\n\r\n", b"0\r\nX-Trailer: \xe1\r\n\r\n", b"", b"-1\r\n", b"ffffffffffffffffff\r\n")
    )
    return b"".join(parts) + ending
