"""How much of a page is read? All of an honest one; of others, what cannot grow into a tree many times its size.

The rules of HTML make gigabytes of 64 KB: elements that were left open (`<b>`, `<a>`, …) are copied into every paragraph that
follows, with all their attributes, and those of every `<body>` are added to the first. What may be dangerous is found by what a
page could hold at most, however it is written, and gets a name that means nothing. Then nothing is copied, but every text, link
and image stays where it is. Most pages are so small that they need not even be looked at.
"""

from __future__ import annotations

import re

MAX_HTML = 3_000_000
"""Characters of a page that are read."""
MAX_TAGS = 150_000
"""Tags of a page that are read: each costs some microseconds. The longest pages of the web have about as many."""
_FEW_TAGS = 3_400
_SHORT = 60_000
_SMALL = 60_000_000
"""Tags times characters. Up to these three, nothing that a page can do takes the parser longer than a tenth of a second."""
_MAX_COPIES = 300_000
"""Elements that may come into a tree by copying."""
_MAX_ATTRIBUTES = 60
"""Of an element that may be copied."""
_MAX_ROOTS = 4
"""Tags `<html>` and `<body>`; some pages consist of several documents."""
_DEEPEST = 512
"""So many open elements the parser keeps apart, and copies."""
_DEEP = _DEEPEST - 12
_SHALLOW = _DEEP // 3
"""Tags that cannot nest as deep as that."""

_COPIED = "b|big|code|em|font|i|nobr|s|small|strike|strong|tt|u"
"""Elements that are copied, however many were left open. Of links, only the last one is."""
_PLAIN_COPIES = 3 * len(_COPIED.split("|"))
"""Of those that are equal in all, the last three count."""
_ANY_COPIED = re.compile(rf"<(/?)(?:{_COPIED})(?=[\s/>])", re.I)


# A table that is cut off at the deepest level ends the process when a link or the like is closed behind it (turbohtml 1.15.4).
# Such tables become the boxes that they are for a reader.
_BLOCK_OF_TABLE = re.compile(r"<(/?)(?:table|caption|td|th)(?=[\s/>])", re.I)
_ROW = re.compile(r"<(/?)(?:tbody|thead|tfoot|tr|colgroup|col)(?=[\s/>])", re.I)


def _any_case(names: str) -> str:
    """These names, in small letters or capitals: several times faster than to ignore the case."""
    return "".join(f"[{letter}{letter.upper()}]" if letter.isalpha() else letter for letter in names)


def _any_of(names: str) -> str:
    """One of the names; each first letter is tried once."""
    rests: dict[str, list[str]] = {}
    for name in sorted(names.split("|"), key=len, reverse=True):
        rests.setdefault(name[0], []).append(_any_case(name[1:]))
    firsts = "".join(rests) + "".join(rests).upper()
    each = "|".join(_any_case(first) + "(?:" + "|".join(rest) + ")" for first, rest in rests.items())
    return f"(?=[{firsts}])(?:{each})"


_TABLE = re.compile(rf"<{_any_case('table')}[\s/>]")
_NESTING = re.compile(
    "<(?![/!?])(?:(" + _any_of("svg|math|template|object|applet|marquee|button") + r")[\s/>]|(?!" + _any_of(
        "area|base|br|col|embed|hr|img|input|link|meta|param|source|track|wbr|"
        "a|p|caption|colgroup|td|tr|th|tbody|tfoot|thead"
    ) + r"[\s/>]))"
)  # fmt: skip
"""What may hold something, and itself again; of all parts of a table no more than six at once, with a link and a paragraph.

The first group are those in which anything goes: cells nest without tables, links and paragraphs in each other, and what is empty
elsewhere may hold something.
"""
_WITH_ATTRIBUTES = re.compile(rf"<{_any_of(_COPIED)}[\s/]")
_ROOT = re.compile(rf"<(?={_any_of('html|body')}[\s/>])")
# An attribute as browsers read one, but that `<` begins another one, which only counts too many. So every look ends soon.
_ATTRIBUTE = r"""[\s/]*+[^\s/>][^\s/>=<]*+(?:\s*+=\s*+(?:"[^"]*+"|'[^']*+'|[^\s>"'<][^\s><]*+)?+)?+"""
_CROWDED = re.compile(rf"<(?={_any_of(f'a|{_COPIED}|html|body')}[\s/](?:{_ATTRIBUTE}){{{_MAX_ATTRIBUTES}}})")
_LONG_NAME = re.compile(r"<[a-zA-Z][^\s/>]{100,}+")


def sanitised(html: str) -> str:
    """What is read of a page."""
    html = html[:MAX_HTML]
    tags = html.count("<")
    if tags > _SHALLOW and _may_be_too_deep(html):
        html = _ROW.sub(r"<\1x", _BLOCK_OF_TABLE.sub(r"<\1div", html))
    if tags <= _FEW_TAGS and len(html) <= _SHORT and tags * len(html) <= _SMALL:
        return html
    if tags > MAX_TAGS:
        html = html[: -len(html.split("<", MAX_TAGS + 1)[-1]) - 1]
    copies = min(_PLAIN_COPIES + len(_WITH_ATTRIBUTES.findall(html)), _DEEPEST)
    if tags * copies > _MAX_COPIES:
        html = _ANY_COPIED.sub(r"<\1span", html)
    if len(html) > _SHORT or tags * len(html) > _SMALL:
        html = _with_few_roots(_CROWDED.sub("<x-", _LONG_NAME.sub("<x", html)))
    return html


def _may_be_too_deep(html: str) -> bool:
    """Whether a table may stand where the parser nests no further; what is behind the last one does not matter."""
    tables = len(_TABLE.findall(html))
    if not tables:
        return False
    nesting = _NESTING.findall(html)
    if not any(nesting):
        deepest = len(nesting) + 6 * tables
        return deepest >= _DEEP and len(_NESTING.findall(html, 0, _last(html))) + 6 * tables >= _DEEP
    end = _last(html)
    parts = len(_BLOCK_OF_TABLE.findall(html, 0, end))
    return (
        html.count("<", 0, end) - html.count("</", 0, end) + 2 * parts >= _DEEP
    )  # each may open a row and a body, too


def _last(html: str) -> int:
    """Where the last part of a table begins."""
    return max(found.start() for found in _BLOCK_OF_TABLE.finditer(html))


def _with_few_roots(html: str) -> str:
    roots = [found.start() for found in _ROOT.finditer(html)]
    if len(roots) <= _MAX_ROOTS:
        return html
    further = roots[_MAX_ROOTS]
    return html[:further] + _ROOT.sub("<x-", html[further:])
