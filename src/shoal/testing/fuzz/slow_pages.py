"""Which documents cost their reader most? One page of about any size per way that was found to be slow.

Each repeats what once was, or still is, dearest per byte: deep and crossed nesting, text that has to be looked at again and
again, attributes, links, images and metas without end, and characters that every analysis has to touch.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from itertools import accumulate, count, takewhile

_DEEP = (
    "div p span b a i font nobr table td tr ul li dl dd form button blockquote h1 figure figcaption main nav header article "
    "section select option optgroup object applet marquee svg math mi foreignObject template ruby rt noscript details address "
    "center pre dir menu image unknown-element"
)
_CROSSED = {
    "adoption agency": "<b><i></b></i>",
    "adoption agency of links": "<a href=x><b><a href=y>",
    "adoption agency of blocks": "<b><p></b>",
    "adoption agency in cells": "<a href=x><table><tr><td>t",
    "foster parents": "<table><a href=x>",
    "foster text": "<table>x<b>",
    "noble lists": "<nobr><ul><li>",
    "unclosed paragraphs": "<p>x",
    "unclosed items": "<ul><li>x",
    "unclosed cells": "<tr><td>a<td>b",
    "unclosed options": "<select><option>x",
    "unclosed links": "<a href=x>",
    "closed without a start": "</p></br>",
    "foreign breakouts": "<math><mi><p>",
    "foreign parts": "<svg><foreignObject><math><annotation-xml encoding=text/html>",
    "frames in formulas": "<math><area><iframe>",
    "templates": "<template><td>",
    "rubies": "<ruby>x<rt>y",
    "boxes": "<main><nav><header>",
    "named boxes": "<div class='main nav'>",
    "captions": "<figure><figcaption>x",
    "tiny tags": "<b>",
    "empty tags": "<br>",
    "comments": "<!---->",
    "open comments": "<!--",
    "declarations": "<![CDATA[",
    "sections of data": "<svg><![CDATA[x]]></svg>",
    "instructions": "<?x>",
    "less than": "<",
    "open tags": "<a",
    "end tags": "</",
    "ampersands": "&",
    "references": "&amp;",
    "long references": "&CounterClockwiseContourIntegral;",
    "open references": "&ThickSpac",
    "numbers": "&#1114112;",
    "NULs": "\x00",
    "spaces": " ",
    "lines": "x\n",
    "odd spaces": "x\u3000\u3000",
    "zero width": "a\u200b",
    "accents apart": "e\u0301",
    "voicing marks": "か\u3099",
    "lone Hangul": "ᄀ",
    "ligatures": "ﷺ",
    "emoji": "😀",
    "Chinese": "智能電網變電站發電",
    "Chinese and commas": "电，网，",
    "Chinese and words": "电x网y",
    "one Chinese character": "电",
    "words": "grids' ",
    "contractions": "a'b",
    "long word": "x",
    "numbers of years": "2024",
    "dates in text": "date 20",
    "item dates": "itemprop=datePublished ",
    "headings": "<h1>x</h1>",
    "rules": "<hr>",
    "lists of one": "<ul><li>x</ul>",
    "tables of one": "<table><td>x</table>",
    "metas": "<meta name=robots content=a,b>",
    "refreshes": "<meta http-equiv=refresh content=0;url=x>",
    "shared images": "<meta property=og:image content=x.jpg>",
    "bases": "<base href=x>",
    "titles": "<svg><title>x</title></svg>",
    "data": '<script type=application/ld+json>"datePublished":</script>',
    "times": "<time datetime=x>",
    "painted": "<b style='background:url(x)'>",
    "sources": "<picture><source srcset='a 1w,b 2w'><img>",
    "same images": "<img src=x alt=y title=z>",
    "same links": "<a href=x>y</a>",
    "links with titles": "<a href=x title=y><b></b></a>",
    "frames": "<iframe src=x></iframe>",
    "areas": "<area href=x alt=y>",
    "inputs": "<input>",
    "dot segments": "<a href=../../x>y</a>",
}
_NUMBERED: dict[str, Callable[[int], str]] = {
    "links": lambda n: f"<a href=/{n}>y</a>",
    "links with queries": lambda n: f"<a href='?q={n}%20é'>电网 grid {n}</a>",
    "links of other hosts": lambda n: f"<a href=//h{n}.xn--p1ai/>y</a>",
    "hosts in Chinese": lambda n: f"<a href=//电{n}.中国/>y</a>",
    "links about the topic": lambda n: f"<a href=/grid{n}>smart grid {n} 变电站</a>",
    "escaped links": lambda n: f"<a href='/%7e{n}%7E%b5%e7'>y</a>",
    "images": lambda n: f"<img src={n}.jpg alt=grid{n}>",
    "images about the topic": lambda n: f"<img src={n}.jpg alt='smart grid {n}' title='变电站'>",
    "linked images": lambda n: f"<a href={n}.png><img src={n}.jpg></a>",
    "formatting": lambda n: f"<b id={n}>",
    "formatting and paragraphs": lambda n: f"<font size={n}><p>",
    "elements": lambda n: f"<x{n}>",
    "names": lambda n: f"<div class='c{n}' id=i{n} role=r{n}>x</div>",
    "figures": lambda n: f"<figure><img src={n}><figcaption>{n}</figcaption></figure>",
    "other words": lambda n: f"w{n} ",
    "other Chinese": lambda n: chr(0x4E00 + n * 7919 % 20_000),
    "other characters": lambda n: chr(0xA1 + n * 7919 % 40_000),
    "beyond the basic plane": lambda n: chr(0x20000 + n * 7919 % 40_000),
}
_INSIDE: dict[str, tuple[str, str, str]] = {
    "a long attribute": ("<div class='", "x", "'>y</div>"),
    "a long class": ("<div class='", "nav-bar-", "!'>y</div>"),
    "a class of many": ("<div class='", "nav2-", "'>y</div>"),
    "a long id": ("<div id='", "a_", "'>y</div>"),
    "a long style": ("<p style='background:", "url(", "'>x"),
    "a long srcset": ("<img src=x srcset='", "a 1w, ", "'>"),
    "commas in a srcset": ("<img srcset='", ",", "'>"),
    "a long href": ("<a href='/", "../", "'>x</a>"),
    "a long query": ("<a href='/?", "电&", "'>x</a>"),
    "a long rel": ("<a href=x rel='", "a ", "'>x</a>"),
    "a long title": ("<title>", "grid ", "</title>"),
    "a title of spaces": ("<title>", " ", "</title>"),
    "a long alt": ("<img src=x alt='", "grid ", "'>"),
    "a long meta": ("<meta name=description content='", "x ", "'>"),
    "rules for robots": ("<meta name=robots content='", "a,", "'>"),
    "a long refresh": ("<meta http-equiv=refresh content='0", " ", "'>"),
    "a long name of a meta": ("<meta content=x name='", "x", "'>"),
    "a long language": ("<html lang='", " ", "'>"),
    "a long base": ("<base href='", "a/", "'><a href=x>y</a>"),
    "a long heading": ("<h1>", "grid ", "</h1>"),
    "a long anchor": ("<a href=x>", "grid ", "</a>"),
    "a long caption": ("<figure><img src=x><figcaption>", "电 ", "</figcaption></figure>"),
    "a long cell": ("<table><td>", "x ", "</table>"),
    "a long script": ("<script>", "<!--<script>", "</script>"),
    "long data": ('<script type="application/ld+json">"datePublished"', " ", "</script>"),
    "a long style sheet": ("<style>", "</styl", "</style>"),
    "a long area of text": ("<textarea>", "<", "</textarea>"),
    "plain text": ("<plaintext>", "<b>", ""),
    "a long comment": ("<!--", "- ", "-->"),
    "a long doctype": ("<!doctype ", "x ", ">"),
    "a long tag": ("<", "x", ">"),
    "a tag in capitals": ("<", "X", ">"),
    "a charset that does not end": ("<meta charset", " ", ">"),
    "spaces in a form": ("<form><pre>", " \n", "</pre></form>"),
    "an attribute in quotes": ("<p ", '"', ">"),
    "references in an attribute": ("<a href='", "&amp", "'>x</a>"),
}
_PAGES_OF_ATTRIBUTES: dict[str, tuple[str, Callable[[int], str], str]] = {
    "attributes": ("<a href=x ", lambda n: f"a{n}=1 ", ">x</a>"),
    "attributes of an image": ("<img ", lambda n: f"data-{n}=x ", "src=x>"),
    "attributes of the root": ("<html ", lambda n: f"a{n} ", ">"),
    "attributes of the body again": ("<body>", lambda n: f"<body a{n}>", ""),
    "dates of data": ('<script type="application/ld+json">', lambda n: f'"datePublished":"{n:04}",', "</script>"),
    "an image in a long link": ("<a href=x>", lambda n: f"text <img src={n}.jpg>", "</a>"),
    "one list": ("<ul>", lambda n: f"<li><a href={n}>x</a>", "</ul>"),
    "one table": ("<table>", lambda n: f"<tr><td><a href={n}>x</a><td>y", "</table>"),
}
_DEEP_ABOVE: dict[str, tuple[str, str]] = {
    "links below": ("<div>", "<a href=x>y</a>"),
    "links below formatting": ("<b>", "<p><a href=x>y</a>"),
    "images below a figure": ("<figure><figcaption>c</figcaption><div>", "<img src=x>"),
    "captions below": ("<div>", "<figcaption>x</figcaption>"),
    "figures below": ("<figure>", "<figcaption>x</figcaption>"),
    "painted below": ("<div>", "<b style='background:url(x)'>y</b>"),
    "text below": ("<div>", "x<br>"),
    "paragraphs below": ("<span>", "<p>x</p>"),
    "end tags below": ("<div>", "</span>"),
    "formatting end tags below": ("<b>", "</i></a>"),
    "headings below": ("<div>", "<h1>x</h1>"),
    "items below": ("<div>", "<li>x"),
    "forms below": ("<div>", "<form></form>"),
    "tables below": ("<div>", "<table></table>"),
    "cells below": ("<table><td>", "x<td>"),
    "boxes below": ("<div>", "<nav>x</nav>"),
    "templates below": ("<template>", "x</p>"),
    "formulas below": ("<div>", "<math><p></math>"),
    "drawings below": ("<svg><g>", "</x>"),
    "options below": ("<div>", "<option>x"),
    "definitions below": ("<div>", "<dd>x"),
    "buttons below": ("<div>", "<button>x"),
}


def slow_pages(size: int) -> dict[str, bytes]:
    """The pages by name, each of about `size` bytes."""
    pages = {f"deep {tag}": _repeated(f"<{tag}>", size) for tag in _DEEP.split()}
    pages |= {f"closed {tag}": _closed(tag, size) for tag in _DEEP.split()}
    pages |= {name: _repeated(part, size) for name, part in _CROSSED.items()}
    pages |= {name: _numbered(part, size) for name, part in _NUMBERED.items()}
    pages |= {name: _within(start, _repeated(part, size), end) for name, (start, part, end) in _INSIDE.items()}
    pages |= {
        name: _within(start, _numbered(part, size), end) for name, (start, part, end) in _PAGES_OF_ATTRIBUTES.items()
    }
    pages |= {name: _below(above, part, size) for name, (above, part) in _DEEP_ABOVE.items()}
    return pages | _multiplied(size) | _bytes(size)


def _repeated(part: str, size: int) -> bytes:
    data = part.encode()
    return data * max(1, size // len(data))


def _closed(tag: str, size: int) -> bytes:
    """What was opened is closed again, from inside out."""
    times = max(1, size // (2 * len(tag) + 6))
    return f"<{tag}>".encode() * times + b"x" + f"</{tag}>".encode() * times


def _numbered(part: Callable[[int], str], size: int) -> bytes:
    """No two alike: nothing that was remembered helps."""
    parts: Iterable[bytes] = (part(number).encode() for number in count())
    lengths = accumulate(len(part(number).encode()) for number in count())
    return b"".join(one for one, _ in zip(parts, takewhile(lambda length: length <= size, lengths), strict=False))


def _within(start: str, inside: bytes, end: str) -> bytes:
    return start.encode() + inside + end.encode()


def _below(above: str, part: str, size: int) -> bytes:
    """Half of the page nests, the other half stands at the bottom of it."""
    return _repeated(above, size // 2) + _repeated(part, size // 2)


def _multiplied(size: int) -> dict[str, bytes]:
    """Two halves that are harmless alone, and as bad as their product together."""
    half = size // 2
    attributes = _numbered(lambda n: f"a{n} ", half)
    few = _numbered(lambda n: f"<b a{n}>", min(half, 5000))
    text = _repeated("a", min(half, 150_000))
    long_anchors = _numbered(lambda n: f"<a href={n}>{'a' * (n % 60)}b{'a' * 60}</a>", half)
    images = _repeated("<img>", half)
    return {
        "links copied": _within("<p><a href=x ", attributes, ">") + _repeated("<p>x", half),
        "formatting copied": b"<p>" + few + _repeated("<p>x", size - len(few)),
        "formatting with attributes copied": _within("<p><b ", attributes, ">") + _repeated("<p>x", half),
        "formatting copied into cells": few + _repeated("<table><td>x</table>", size - len(few)),
        "plain formatting copied": b"<p>" + b"<b><i><u><s><tt><em><big><code><font>" * 3 + _repeated("<p>x", size),
        "formatting closed far below": few + _repeated("<p>x</b>", size - len(few)),
        "two bodies": _within("<body ", attributes, ">") + _within("<body b", attributes, ">"),
        "two roots": _within("<html ", attributes, ">") + _within("<p><html b", attributes, ">"),
        "tables at the deepest level": b"<x>" * 3
        + b"<table><td>" * 127
        + _repeated("</table><b><p></b><a><p></a>", half),
        "marks in no order": "か\u3099".encode() + _repeated("\u0315", half) + _repeated("\u0301", half),
        "sources of one image": b"<picture>" + _sources(half) + images,
        "links that are not in the text": b"<main><p>" + text + b"</main><nav>" + long_anchors,
        "a long tag above links": _within("<", _repeated("x", half), ">") + _repeated("<a href=x>y</a>", half),
        "a long base above links": _within("<base href='/", _repeated("x", min(half, 7900)), "/'>")
        + _numbered(lambda n: f"<a href={n}>y</a>", half),
        "a long anchor of images": b"<a href=x>"
        + _repeated("grid ", half)
        + _numbered(lambda n: f"<img src={n}>", half),
        "a long title of images": _within("<title>", _repeated("grid ", half), "</title>")
        + _repeated("<img src=x>", half),
        "a caption of images": _within("<figure><figcaption>", _repeated("grid ", half), "</figcaption>")
        + _numbered(lambda n: f"<img src={n}>", half),
    }


def _sources(size: int) -> bytes:
    source = _within("<source srcset='", _repeated("a 1w, ", min(600, size)), "'>")
    return source * max(1, min(20, size // len(source)))


def _bytes(size: int) -> dict[str, bytes]:
    """In charsets that have to be guessed, or are not what they say."""
    return {
        "every byte": bytes(range(256)) * (size // 256),
        "GBK": "智能电网，变电站。".encode("gbk") * (size // 18),
        "Big5": "智能電網，變電站。".encode("big5") * (size // 18),
        "GBK that says Latin-1": b"<meta charset=iso-8859-1>" + "智能电网".encode("gbk") * (size // 8),
        "Latin-1": "é, è. ".encode("latin-1") * (size // 6),
        "UTF-16": b"\xff\xfe" + "电x".encode("utf-16-le") * (size // 4),
        "ISO-2022": b"<meta charset=iso-2022-jp>" + b"\x1b$B" * (size // 3),
        "UTF-7": b"<meta charset=utf-7>" + b"+ZeVnLIqe-" * (size // 10),
        "broken UTF-8": b"\xe7\x94" * (size // 2),
        "surrogates": b"\xed\xa0\x80" * (size // 3),
        "high bytes": b"\xff" * size,
    }
