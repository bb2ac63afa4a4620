"""What may stand in a robots.txt? Small ones that a simple reader can follow, and any number of rules, names and damage."""

from __future__ import annotations

from random import Random

from shoal.testing.fuzz.mutation import mutated, noise

NAMES = ("*", "shoal", "Shoal/0.1", "other", "Crawler9000", "my.bot")
_PIECES = ("/", "a", "b", "ab", "*", "/a", "/b", "?", "=", ".pdf", "index.html", "-", "x1")
_FIELDS = ("Allow", "Disallow")
_DELAYS = ("1", "0.5", "-1", "1e999", "nan", "inf", "9" * 400, "1_0", "٣", "soon", "")
_LINES = ("Sitemap: http://a.test/s.xml", "Foo: bar", "# a word", "", "Host: a.test", "Clean-param: a&b /x", "<html>")
_BREAKS = ("\n", "\r\n", "\r", "\n\n", "\u2028", "\x0b")


def small(random: Random) -> bytes:
    """An honest file with a few groups and rules, one per line."""
    lines = []
    for _ in range(random.randint(1, 4)):
        lines += [f"User-agent: {name}" for name in random.sample(NAMES, random.randint(1, 3))]
        lines += [f"{random.choice(_FIELDS)}: {path(random)}" for _ in range(random.randint(1, 6))]
    return "\n".join(lines).encode()


def path(random: Random) -> str:
    """What a rule is about, or a URL that it may be about."""
    return "/" + "".join(random.choices(_PIECES, k=random.randint(0, 6))) + random.choice(("", "", "", "$"))


def wild(random: Random) -> bytes:
    """A file of every kind: fields that nobody knows, absurd numbers, lines of any length, thousands of rules."""
    lines = [_line(random) for _ in range(random.choice((1, 10, 50, 50, 2000)))]
    text = random.choice(_BREAKS).join(["User-agent: *", *lines])
    data = text.encode(random.choice(("utf-8", "utf-8", "utf-16", "gb18030")), "replace")
    return mutated(data, random)


def _line(random: Random) -> str:
    kind = random.randrange(8)
    if kind < 4:
        return f"{random.choice(_FIELDS)}: {path(random)}{random.randint(0, 999)}"
    if kind == 4:
        return f"User-agent: {random.choice(NAMES)}"
    if kind == 5:
        return f"Crawl-delay: {random.choice(_DELAYS)}"
    if kind == 6:
        return random.choice(_LINES)
    long = random.choice(("*a", "/*", "%", "ab", "%25", "电", " ", "$")) * random.choice((3, 100, 5000))
    return f"{random.choice(_FIELDS)}: /{long}{noise(random, 5).decode('latin-1')}"
