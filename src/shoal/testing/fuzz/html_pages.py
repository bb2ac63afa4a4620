"""What may a web page be? Random nesting of every element there is, in every charset, with headers that fit or do not.

An answer is one line per header, an empty line, and the body: `answer_of` takes it apart again.
"""

from __future__ import annotations

from collections.abc import Callable
from random import Random

from shoal.testing.fuzz.mutation import SPECIAL, mutated, noise

_HTML = """
    a abbr address applet area article aside audio b base bdi bdo big blink blockquote body br button canvas caption center cite
    code col colgroup data datalist dd del details dfn dialog dir div dl dt em embed fieldset figcaption figure font footer form
    frame frameset h1 h2 h3 h6 head header hgroup hr html i iframe image img input ins kbd keygen label legend li link listing
    main map mark marquee menu meta meter nav nobr noembed noframes noscript object ol optgroup option output p param image
    plaintext pre progress q rb rp rt rtc ruby s samp script search section select selectedcontent small source span strike
    strong style sub summary sup svg math table tbody td template textarea tfoot th thead time title tr track tt u ul var video
    wbr xmp"""
_FOREIGN = """
    annotation-xml annotation desc foreignObject g mglyph mi mo mn ms mtext mrow malignmark path text tspan use image animate"""
_UNKNOWN = "x x-y o:p ns:a:b élan 变电站 a< constructor __proto__"
_ELEMENTS = (*_HTML.split(), *_FOREIGN.split(), *_UNKNOWN.split())
_TROUBLE = (
    "math",
    "svg",
    "table",
    "select",
    "template",
    "a",
    "area",
    "iframe",
    "title",
    "script",
    "td",
    "p",
    "b",
    "figure",
    "nav",
)
"""Elements that change how others are read; every second one is one of these."""

_ATTRIBUTES: dict[str, tuple[str, ...]] = {
    "href": (
        "x",
        "/a/b?c=d#e",
        "?q=电",
        "#",
        "//h.test/",
        "http://[::1",
        "javascript:x",
        "../" * 40,
        "\ud7ff",
        " \t/x ",
        "%zz",
    ),
    "src": ("p.jpg", "data:image/png;base64,xx", "//h.test/变.png", "", "x" * 9000),
    "srcset": ("a 1w, b 2x", ",,,", "a 99999w, data:x, b", "a,b,c 1x 2w", "a " * 50),
    "sizes": ("100vw",),
    "style": ("background:url(x.jpg)", "background:url('x", "width:10px;height:99999px", "background: url( )"),
    "class": ("nav", "main content", "sidebar-left", "x" * 500, "nav\x00bar"),
    "id": ("footer", "a b", ""),
    "role": ("navigation", "main", "banner", "x"),
    "rel": ("nofollow", "canonical", "image_src", "NOFOLLOW UGC " * 20),
    "alt": ("smart grid", "变电站", "x" * 2000, "&#xD800;"),
    "title": ("t", "\u202e", "&lt;b&gt;"),
    "type": ("application/ld+json", "text/javascript", "image/svg+xml", "image/webp"),
    "name": ("robots", "description", "og:image", "keywords", "shoal", "date"),
    "property": ("og:image", "og:image:alt", "og:title", "article:published_time"),
    "http-equiv": ("refresh", "content-type", "Content-Language"),
    "content": (
        "noindex,nofollow",
        "0;url=/next",
        "0; URL='x",
        "2024-01-02T03:04:05Z",
        "text/html; charset=gbk",
        "none",
        "1e9;",
    ),
    "charset": ("utf-8", "gb2312", "utf-16", "iso-2022-jp", "utf-7", "bz2", "x-user-defined", "\x00"),
    "lang": ("zh-CN", "en", "xx-", ""),
    "datetime": ("2024-02-30", "9999-99-99", "1999", "20240102"),
    "itemprop": ("datePublished", "image"),
    "width": ("1", "0", "99999", "10%", "-1", "１２"),
    "height": ("100", "1e3", "٣"),
    "media": ("(min-width: 900px)", "print", "(max-width:1px"),
    "data-src": ("lazy.jpg", "true", "{json}"),
    "encoding": ("text/html", "application/xhtml+xml"),
    "shadowrootmode": ("open", "closed"),
    "selected": ("",),
}
_FITTING = {
    "a": "href",
    "area": "href alt",
    "iframe": "src",
    "frame": "src",
    "img": "src alt",
    "source": "srcset",
    "meta": "name content",
    "link": "rel href",
    "base": "href",
    "time": "datetime",
    "div": "class",
    "annotation-xml": "encoding",
}
_SWALLOWING = (
    "title",
    "script",
    "style",
    "textarea",
    "xmp",
    "noscript",
    "noembed",
    "noframes",
    "iframe",
    "plaintext",
    "template",
    "svg",
)
"""Elements that make text of all that follows, or hide it, and are mostly closed again."""
_TEXTS = (
    "smart grid",
    "变电站，智能電網。",
    "Published 2024-01-02",
    "© 2024 all rights reserved",
    "か\u3099ｶﾞ",
    "\u0301\u0315\u0327",
    "ﷺ㌖ﬁ",
    "😀\U000e0001",
    "a'b don't grids'",
    "\u200b\ufeff\u202e",
    "\u2028\x85\x1c",
    " \n\t\x0c ",
    "x" * 300,
    '"datePublished": "2020-01-01"',
)
_REFERENCES = (
    "&amp;",
    "&#0;",
    "&#xD801;",
    "&#xD803;",
    "&#128;",
    "&#1114112;",
    "&#99999999999;",
    "&notit;",
    "&",
    "&lt",
    "&#x;",
)
_ODDITIES = (
    "<!--",
    "-->",
    "<!-->",
    "<![CDATA[",
    "]]>",
    "<!DOCTYPE html>",
    "<!DOCTYPE x SYSTEM>",
    "<?xml version='1.0' encoding='gbk'?>",
    "</",
    "<",
    "</>",
    "<a ",
    "</p>",
    "</br>",
    "</body>",
    "</html>",
    "<p/>",
    "<a href=",
    "<a href='",
)
_CHARSETS = (
    "utf-8",
    "utf-8",
    "utf-8",
    "gb18030",
    "big5",
    "utf-16",
    "utf-16-le",
    "utf-7",
    "iso2022_jp",
    "latin-1",
    "shift_jis",
    "euc_kr",
)
_TYPES = (
    "text/html",
    "text/html; charset=utf-8",
    "text/html;charset=gb2312",
    "text/html; charset=utf-16",
    "text/html; charset=iso-2022-jp",
    "text/html; charset=utf-7",
    "text/html; charset=bz2",
    "text/html; charset=\x00",
    "application/xhtml+xml",
    "text/plain",
    "text/html; charset=" + " " * 300,
    "",
    "nonsense",
)
_ROBOTS = ("noindex", "shoal: none", "unavailable_after: 25 Jun 2030", "a:" * 100, "googlebot: noindex", ",,,")
_LONGEST = 40


def html_answer(random: Random) -> bytes:
    """Headers and a body, the body damaged now and then."""
    headers = [("content-type", random.choice(_TYPES))]
    if random.random() < 0.2:
        headers.append(("x-robots-tag", random.choice(_ROBOTS)))
    deep = _deep(random) if random.random() < 0.1 else ""
    body = _encoded(deep + "".join(_part(random) for _ in range(random.randint(0, _LONGEST))), random)
    if random.random() < 0.3:
        body = mutated(body, random)
    return "".join(f"{name}: {value}\n" for name, value in headers).encode() + b"\n" + body


def answer_of(data: bytes) -> tuple[tuple[tuple[str, str], ...], bytes]:
    """The headers and the body again."""
    head, _, body = data.partition(b"\n\n")
    lines = (line.partition(": ") for line in head.decode("utf-8", "replace").split("\n"))
    return tuple((name, value) for name, _, value in lines if name), body


def _encoded(text: str, random: Random) -> bytes:
    charset = random.choice(_CHARSETS)
    body = text.encode(charset, "replace")
    return b"<meta charset=" + charset.encode() + b">" + body if random.random() < 0.3 else body


def _part(random: Random) -> str:
    return random.choices(_PARTS, _WEIGHTS)[0](random)


def _start(random: Random) -> str:
    name = random.choice(_TROUBLE if random.random() < 0.5 else _ELEMENTS)
    if random.random() < 0.05:
        name = name.upper()
    chosen = [random.choice(tuple(_ATTRIBUTES)) for _ in range(random.choice((0, 0, 0, 1, 1, 2, 3)))]
    if random.random() < 0.8:
        chosen += _FITTING.get(name, "").split()
    attributes = "".join(f" {one}{_value(random.choice(_ATTRIBUTES[one]), random)}" for one in chosen)
    closed = f"{random.choice(_TEXTS)}</{name}>" if name in _SWALLOWING and random.random() < 0.9 else ""
    return f"<{name}{attributes}{random.choice(('', '', '', '', '/'))}>{closed}"


def _value(value: str, random: Random) -> str:
    quote = random.choice(('"', '"', "'", ""))
    return "" if random.random() < 0.05 else f"={quote}{value}{quote}"


def _end(random: Random) -> str:
    return f"</{random.choice(_TROUBLE if random.random() < 0.5 else _ELEMENTS)}>"


def _text(random: Random) -> str:
    return random.choice(_TEXTS)


def _reference(random: Random) -> str:
    return random.choice(_REFERENCES)


def _oddity(random: Random) -> str:
    return random.choice(_ODDITIES)


def _special(random: Random) -> str:
    return random.choice(SPECIAL).decode("utf-8", "replace")


def _nonsense(random: Random) -> str:
    return noise(random, 30).decode("latin-1")


def _deep(random: Random) -> str:
    """As deep as parsers nest, nearly or a little more: there the rules change."""
    names = random.choice(
        (("x",), ("div",), ("table", "td"), ("svg", "g"), ("math", "mi"), ("template", "td"), _ELEMENTS)
    )
    nested = [random.choice(("x", "div")) for _ in range(random.randint(0, 5))]
    nested += [
        name for _ in range(random.randint(100, 560)) for name in (names if len(names) < 3 else [random.choice(names)])
    ]
    return "".join(f"<{name}>" for name in nested)


def _many(random: Random) -> str:
    """The same some times: what nests, nests deeply."""
    part = _start(random) + random.choice(("", "x", _end(random)))
    return part * random.choice((2, 5, 50, 600))


_PARTS: tuple[Callable[[Random], str], ...] = (_start, _end, _text, _reference, _oddity, _special, _nonsense, _many)
_WEIGHTS = (50, 20, 20, 4, 6, 2, 2, 2)
