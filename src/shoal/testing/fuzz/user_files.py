"""What may a file be that a stranger gave to a user? Recordings (WARC), backups (tar), topics (TOML) and models, then broken."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import tarfile
import zlib
from random import Random

from shoal.testing.fuzz.mutation import mutated, noise

# --- WARC ------------------------------------------------------------------------------------------------------------

_KINDS = ("response", "response", "response", "resource", "revisit", "request", "warcinfo", "no such kind", "")
_CODINGS = ("gzip", "deflate", "br", "zstd", "chunked", "gzip, gzip", "x-gzip,,", "identity", "\x00")
_LENGTHS = ("0", "-1", "99999999999999999999", "1e9", "", "7")


def recording(random: Random) -> bytes:
    """Some records, packed or not."""
    records = [
        mutated(_record(random), random, times=random.choice((0, 0, 0, 1, 3))) for _ in range(random.randint(1, 5))
    ]
    kind = random.randrange(8)
    if kind < 3:
        data = b"".join(gzip.compress(record, 1, mtime=0) for record in records)
    elif kind == 3:
        data = random.choice((bz2.compress, lzma.compress))(b"".join(records))
    else:
        data = b"".join(records)
    return mutated(data, random, times=random.choice((0, 0, 1, 2)))


def _record(random: Random) -> bytes:
    block = _answer(random)
    length = str(len(block)) if random.random() < 0.9 else random.choice(_LENGTHS)
    head = (
        f"WARC/1.{random.randint(0, 1)}\r\nWARC-Type: {random.choice(_KINDS)}\r\nWARC-Record-ID: <urn:uuid:{random.random()}>\r\n"
        f"WARC-Target-URI: {random.choice(('http://a.test/', '<http://a.test/1>', 'http://[', ''))}\r\n"
        f"WARC-Payload-Digest: sha1:{random.choice('AB')}\r\nContent-Type: application/http; msgtype=response\r\n"
        f"Content-Length: {length}\r\n\r\n"
    )
    return head.encode() + block + b"\r\n\r\n"


def _answer(random: Random) -> bytes:
    body = b"<!doctype html><title>x</title>" + noise(random)
    headers = ""
    if random.random() < 0.4:
        headers = f"{random.choice(('Content-Encoding', 'Transfer-Encoding'))}: {random.choice(_CODINGS)}\r\n"
        body = random.choice((body, gzip.compress(body, 1, mtime=0), zlib.compress(body)))
    status = random.choice(("200 OK", "200", "301 Moved", "99999 X", "abc", "-1", "200 P\xe1gina", ""))
    return f"HTTP/1.1 {status}\r\nContent-Type: text/html\r\n{headers}\r\n".encode("latin-1") + body


# --- tar -------------------------------------------------------------------------------------------------------------

_TYPES: tuple[bytes, ...] = (
    tarfile.REGTYPE,
    tarfile.SYMTYPE,
    tarfile.LNKTYPE,
    tarfile.CHRTYPE,
    tarfile.DIRTYPE,
    tarfile.GNUTYPE_SPARSE,
)
_TYPES += (tarfile.XHDTYPE, tarfile.GNUTYPE_LONGNAME, tarfile.CONTTYPE, tarfile.AREGTYPE, b"\xff")


def archive(members: dict[str, bytes], random: Random) -> bytes:
    """These files in a tar, perhaps with others, twice, or as something that is no file."""
    stream = io.BytesIO()
    with tarfile.open(fileobj=stream, mode="w", format=random.choice((tarfile.PAX_FORMAT, tarfile.GNU_FORMAT))) as tar:
        for name, data in members.items():
            for _ in range(random.choice((1, 1, 1, 1, 0, 2))):
                _add(tar, name, mutated(data, random, times=random.choice((0, 0, 0, 0, 1))), random)
    data = stream.getvalue().rstrip(b"\x00") + bytes(1024)
    return mutated(data, random, times=random.choice((0, 0, 1, 1, 4)))


def _add(tar: tarfile.TarFile, name: str, data: bytes, random: Random) -> None:
    info = tarfile.TarInfo(random.choice((name, name, name, name, f"../{name}", f"/{name}", f"x/{name}", "x" * 300)))
    info.size = len(data)
    if random.random() < 0.15:
        info.type, info.linkname = random.choice(_TYPES), random.choice((name, "/etc/passwd", ""))
    if random.random() < 0.1:
        keys = ("GNU.sparse.size", "GNU.sparse.map", "size", "path", "GNU.sparse.realsize", "hdrcharset")
        info.pax_headers = {random.choice(keys): random.choice(("1", "-1", "9" * 30, "0,400000000", "x", "9" * 5000))}
    tar.addfile(info, io.BytesIO(data))


# --- TOML ------------------------------------------------------------------------------------------------------------

_KEYS: tuple[str, ...] = (
    "name",
    "keywords",
    "not",
    "learned",
    "any",
    "seeds",
    "language",
    "threshold",
    "strategy",
    "parameters",
    "max_pages",
)
_KEYS += (
    "max_time",
    "until_done",
    "include",
    "proxy",
    "allow_private",
    "images",
    "delay",
    "max_bytes",
    "max_body",
    "attempts",
    "connect_timeout",
    "fetch_factor",
    "image_threshold",
    "robots_ttl",
    "no_such_key",
    '"\\u0000"',
    "a.b.c",
)
_VALUES: tuple[str, ...] = (
    '"电网"',
    "'grid'",
    "0",
    "-1",
    "1.5",
    "inf",
    "nan",
    "true",
    "2026-01-01",
    "12:00:00",
    "[]",
    "[[]]",
    "{}",
    '["a", "b"]',
)
_VALUES += (
    "9" * 5000,
    "0x" + "f" * 5000,
    "1e999",
    '"10m"',
    '"5%"',
    '"20MB"',
    '"1.5 GiB"',
    '"' + "9" * 29 + 'T"',
    '["http://a.test/"]',
    "{ grid = 1, 电网 = { weight = 2 } }",
)
_VALUES += (
    '"' + "1" * 5000 + '"',
    "[" * 3000,
    "{a=" * 3000,
    '"http://user:secret@a.test:x/"',
    '"10.0.0.0/8"',
    '"\\ud800"',
)


def topic_file(random: Random) -> bytes:
    """A topic with its seeds, and what else may be said in such a file."""
    lines = ["keywords = ['grid']", "seeds = ['http://a.test/']"] if random.random() < 0.6 else []
    for _ in range(random.randint(0, 6)):
        key, value = random.choice(_KEYS), random.choice(_VALUES)
        lines.append(
            random.choice(
                (f"{key} = {value}", f"{key} = {value}", f"[{key}]\na = {value}", f"[[{key}]]\nname = {value}")
            )
        )
    if random.random() < 0.05:
        lines.append(".".join(["a"] * random.choice((30, 5000))) + " = 1")
    data = "\n".join(lines).encode()
    return mutated(data, random) if random.random() < 0.5 else data


# --- models ----------------------------------------------------------------------------------------------------------


def model_file(honest: bytes, random: Random) -> bytes:
    """A model whose inside was damaged before it was packed, or its outside after that."""
    first, _, packed = honest.partition(b"\n")
    inside = mutated(zlib.decompress(packed), random, times=random.randint(0, 3))
    if random.random() < 0.1:
        inside = random.choice((b"\x91", b"\x81", b"\xdd\xff\xff\xff\xff", b"\xc6\xff\xff\xff\xff")) * random.choice(
            (1, 5000)
        )
    outside = first + b"\n" + zlib.compress(inside, 1)
    return mutated(outside, random, times=random.choice((0, 0, 0, 1)))
