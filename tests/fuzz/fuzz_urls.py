"""URLs as pages write them: whatever they are, normalising is the end of it."""

from __future__ import annotations

from random import Random

from shoal import urls
from shoal.testing.fuzz.mutation import mutated
from tests.fuzz.target import Target

_HONEST = (
    b"http://www.example.org:8080/a/../b;c?d=e&f#g",
    b"https://user:secret@[::1]:443/%E5%8F%98/?q=%ff",
    "//变电站.中国/路径".encode(),
    b"http://..:0",
    b"../../x?y",
    b"data:text/html,x",
    b"http://0x7f.1/",
)


def _make(random: Random) -> bytes:
    return mutated(random.choice(_HONEST), random)


def _check(data: bytes) -> None:
    for text in (data.decode("utf-8", "replace"), data.decode("latin-1")):
        if (once := urls.normalise(text, "http://base.test/a/b")) is not None:
            assert once.encode("ascii"), "a normal URL is ASCII"
            assert urls.normalise(once) == once, "normalising twice is normalising once"


TARGETS = (Target(name="urls", make=_make, check=_check, runs=3000),)
