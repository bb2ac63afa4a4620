"""Page files after damage of every kind: whatever is whole is read, and stands where the reader says."""

from __future__ import annotations

import tempfile
from functools import cache
from pathlib import Path
from random import Random

from shoal.model import Response, Timing
from shoal.store.recovery import LostRecord, SalvagedRecord, records
from shoal.store.warc import info_member, payload_digest, read_body, response_member, revisit_member
from shoal.testing.fuzz.mutation import mutated
from tests.fuzz.target import Target

_NAME = "pages-00001.warc.gz"


@cache
def _honest() -> bytes:
    """A file of three records, one of them a copy."""
    body = "<title>变电站</title><p>power grid".encode() * 20
    timing = Timing(started=1.0, answered=1_700_000_000.5, ended=2.0)
    page = Response(
        url="http://a.test/1", status=200, headers=(("content-type", "text/html"),), body=body, timing=timing
    )
    digest = payload_digest(body)
    copy = revisit_member(page, len(body), digest, page.url, 1.0)
    return info_member(_NAME, {}) + response_member(page, digest) + copy + response_member(page, digest)


def _make(random: Random) -> bytes:
    kind = random.random()
    if kind < 0.1:
        return _honest()[:10] * random.randint(1, 3_000)
    if kind < 0.2:
        return _honest()[: random.randrange(400)] * random.randint(1, 50)
    return mutated(_honest(), random)


def _check(data: bytes) -> None:
    with tempfile.TemporaryDirectory(prefix="shoal-fuzz-") as name:
        path = Path(name) / _NAME
        path.write_bytes(data)
        end = 0
        for found in records([path]):
            if isinstance(found, LostRecord):
                assert end <= found.start < found.end <= len(data), "what is lost lies between what is read"
                end = found.end
            elif isinstance(found, SalvagedRecord):
                assert found.place[1] >= end
                assert read_body(Path(name), *found.place) == found.response.body, "it is where it is said to be"
        assert path.read_bytes() == data


TARGETS = (Target(name="salvage", make=_make, check=_check, runs=600),)
