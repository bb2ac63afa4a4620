"""Which URLs lead into traps, or look as if? In normal form, up to the longest that is asked for."""

from __future__ import annotations

from random import Random

_PIECES = (
    "/", "/a", "/calendar", "/calend", "rili", "%E6%97%A5%E5%8E%86", "/2026", "-05", "/05", "-12", "/1", "_", "2150", ".html",
    "?", "&", "=", "sid=", "utm_", "utm_source=x", "jsessionid=", "month=", "year=2026", "date=2026-05-01", "%2525", "%25",
    "/../", "//", ";", "0123456789abcdef", "A1b2C3d4", "f47ac10b-58cc-4372-a567-0e02b2c3d479", "9" * 30, "id[]=1&", "page=",
)  # fmt: skip


def url(random: Random) -> bytes:
    """A URL of a few pieces, or of a few pieces again and again."""
    pieces = "".join(random.choices(_PIECES, k=random.randint(1, 12)))
    repeated = random.choice(_PIECES) * random.choice((0, 0, 3, 40, 4000))
    tail = "".join(random.choices(_PIECES, k=random.randint(0, 3)))
    return (
        f"http://{random.choice('ab')}.test/{pieces}{repeated}"[: random.choice((200, 1990, 7900))].encode()
        + tail.encode()
    )
