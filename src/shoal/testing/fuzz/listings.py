"""What may stand where a list of pages should be? Sitemaps, feeds and answers of search engines: honest ones, then broken."""

from __future__ import annotations

import gzip
import json
from random import Random

from shoal.testing.fuzz.mutation import SPECIAL, mutated

_WORDS = (
    "电网",
    "grid",
    "変電所",
    "a & b",
    "<b>bold</b>",
    "]]>",
    "\ud800",
    "\x00",
    "&#x110000;",
    "&#" + "9" * 5000 + ";",
    "é",
)
_ADDRESSES = ("http://a.test/1", "/2?a=1&b=2", "//b.test/电网", "javascript:1", "http://", "http://[::1", "\x1b[2J", "")
_DATES = (
    "2025-03-01T00:00:00Z",
    "Sat, 01 Mar 2025 08:00:00 +0800",
    "9999-99-99",
    "0001-01-01T00:00:00+23:59",
    "1" * 500,
)
_CHARSETS = ("utf-8", "gbk", "utf-16", "latin-1", "big5")
_LABELS = ("utf-8", "gb2312", "bz2", "zip", "hex", "utf-7", "punycode", "idna", "undefined", "UTF-16LE", "x" * 500)
_TAGS = ("url", "loc", "item", "entry", "title", "link", "source", "content", "guid", "a:b", "rdf:li", "media:title")


def sitemap(random: Random) -> bytes:
    """A sitemap, an index of sitemaps or a list of URLs."""
    root, entry = random.choice((("urlset", "url"), ("sitemapindex", "sitemap")))
    entries = "".join(
        f"<{entry}>{_element('loc', random.choice(_ADDRESSES), random)}{_element('lastmod', random.choice(_DATES), random)}"
        f"{_broken_part(random)}</{entry}>"
        for _ in range(random.randint(0, 5))
    )
    text = f"{_head(random)}<{root}{_attributes(random)}>{entries}{_broken_part(random)}</{root}>"
    return _sent(random.choice((text, text, "\n".join(random.choices(_ADDRESSES, k=5)))), random)


def feed(random: Random) -> bytes:
    """RSS, Atom or RDF."""
    root, entry = random.choice((("rss", "item"), ("feed", "entry"), ("rdf:RDF", "item"), ("channel", "item")))
    entries = "".join(
        f"<{entry}{_attributes(random)}>{_link(random)}{_element('title', random.choice(_WORDS), random)}"
        f"{_element('description', random.choice(_WORDS), random)}{_element('pubDate', random.choice(_DATES), random)}"
        f"{_broken_part(random)}</{entry}>"
        for _ in range(random.randint(0, 5))
    )
    return _sent(f"{_head(random)}<{root}{_attributes(random)}>{entries}{_broken_part(random)}</{root}>", random)


def json_feed(random: Random) -> bytes:
    """A JSON Feed."""
    items = [
        {
            "url": _value(random),
            "title": _value(random),
            "content_html": _value(random),
            "date_published": _value(random),
        }
        for _ in range(random.randint(0, 5))
    ]
    return _as_json({"version": "https://jsonfeed.org/version/1.1", "items": items, "more": _value(random)}, random)


def search_answer(random: Random) -> bytes:
    """What SearXNG says."""
    results = [
        {"url": _value(random), "title": _value(random), "engines": [_value(random)], "publishedDate": _value(random)}
        for _ in range(random.randint(0, 5))
    ]
    silent = [[_value(random), _value(random)] for _ in range(random.randint(0, 3))]
    return _as_json({"results": results, "unresponsive_engines": silent, "more": _value(random)}, random)


# --- parts of XML ----------------------------------------------------------------------------------------------------


def _head(random: Random) -> str:
    kind = random.randrange(6)
    if kind == 0:
        return f'<?xml version="1.0" encoding="{random.choice(_LABELS)}"?>'
    if kind == 1:
        inner = "".join(
            f'<!ENTITY a{number} "&a{number - 1};&a{number - 1};">' for number in range(random.randint(1, 40))
        )
        return f"<!DOCTYPE x [{inner}]>"
    return random.choice(("", "<?xml version='1.0'?>", "\ufeff\n\n", "<!-- -->"))


def _attributes(random: Random) -> str:
    said = (
        "xmlns='http://www.w3.org/2005/Atom'",
        "xmlns:a='http://x.test/'",
        "xml:base='http://c.test/'",
        "a=b",
        "rel=self",
        "'",
    )
    return "".join(f" {random.choice(said)}" for _ in range(random.choice((0, 0, 1, 2, 300))))


def _element(name: str, text: str, random: Random) -> str:
    if random.random() < 0.3:
        text = f"<![CDATA[{text}]]>"
    end = f"</{name}>" if random.random() < 0.9 else ""
    return f"<{name}{_attributes(random) if random.random() < 0.2 else ''}>{text}{end}"


def _link(random: Random) -> str:
    address = random.choice(_ADDRESSES)
    return random.choice((f"<link>{address}</link>", f'<link href="{address}"/>', f"<guid>{address}</guid>"))


def _broken_part(random: Random) -> str:
    if random.random() < 0.7:
        return ""
    name, often = random.choice(_TAGS), random.choice((1, 3, 300, 5000))
    parts = (f"<{name}>", f"</{name}>", f"<{name}/>", "&", "<", "<!--", "<![CDATA[", "<?", "<!", "&a1;", f"<{name} a='")
    return random.choice(parts) * often


def _sent(text: str, random: Random) -> bytes:
    data = (
        text.encode(random.choice(_CHARSETS), "replace")
        if random.random() < 0.3
        else text.encode("utf-8", "surrogatepass")
    )
    data = mutated(data, random)
    if random.random() < 0.15:
        data = mutated(gzip.compress(data, 1, mtime=0), random, times=random.randint(0, 2))
    return data


# --- parts of JSON ---------------------------------------------------------------------------------------------------


def _value(random: Random) -> object:
    plain: tuple[object, ...] = (*_WORDS, *_ADDRESSES, *_DATES, None, True, -1, 1e308, 10**30, [], {}, ["x"], {"a": 1})
    return random.choice(plain)


def _as_json(value: object, random: Random) -> bytes:
    text = json.dumps(value, ensure_ascii=random.random() < 0.5)
    if random.random() < 0.2:
        deep = random.choice(("[", '{"a":')) * random.choice((100, 2000, 100_000))
        text = text.replace("null", deep, 1) if random.random() < 0.5 else text[:-1] + f', "deep": {deep}'
    data = text.encode("utf-8", "surrogatepass")
    return mutated(data, random) if random.random() < 0.7 else data + random.choice(SPECIAL)
