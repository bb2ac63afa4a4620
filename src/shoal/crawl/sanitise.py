"""How much of a page is read? All of an honest one; of others, what cannot grow into a tree many times its size.

The rules of HTML make gigabytes of 64 KB: elements that were left open (`<b>`, `<a>`, …) are copied into every paragraph that
follows, with all their attributes, and those of every `<body>` are added to the first. What may be dangerous is found by what a
page could hold at most, however it is written, and gets a name that means nothing. Then nothing is copied, but every text, link
and picture stays where it is. Most pages are so small that they need not even be looked at.
"""

from __future__ import annotations

import re

MAX_HTML = 3_000_000
"""Characters of a page that are read."""
MAX_TAGS = 150_000
"""Tags of a page that are read: each costs some microseconds. The longest pages of the web have about as many."""
_FEW_TAGS = 500
_SHORT = 60_000
_SMALL = 12_000_000
"""Tags times characters. Up to these three, nothing that a page can do takes longer than a twentieth of a second."""
_MAX_COPIES = 300_000
"""Elements that may come into a tree by copying."""
_MAX_ATTRIBUTES = 60
"""Of an element that may be copied."""
_MAX_ROOTS = 4
"""Tags `<html>` and `<body>`; some pages consist of several documents."""
_DEEPEST = 512
"""So many open elements the parser keeps apart, and copies."""
_DEEP = _DEEPEST - 12
_SHALLOW = _DEEP // 2
"""Tags that cannot nest as deep as that: two, `<table><td>`, open four elements."""

_COPIED = "b|big|code|em|font|i|nobr|s|small|strike|strong|tt|u"
"""Elements that are copied, however many were left open. Of links, only the last one is."""
_PLAIN_COPIES = 3 * len(_COPIED.split("|"))
"""Of those that are equal in all, the last three count."""
_ANY_COPIED = re.compile(rf"<(/?)(?:{_COPIED})(?=[\s/>])", re.I)


# A table that is cut off at the deepest level ends the process when a link or the like is closed behind it (turbohtml 1.15.4).
# Such tables become the boxes that they are for a reader.
_BLOCK_OF_TABLE = re.compile(r"<(/?)(?:table|caption|td|th)(?=[\s/>])", re.I)
_TABLE = re.compile(r"<[tT][aA][bB][lL][eE][\s/>]")
_ANYTHING_GOES = re.compile(r"<(?:[sS][vV][gG]|[mM][aA][tT][hH]|[tT][eE][mM][pP])")
"""Where these are, cells nest without tables, and what is empty elsewhere may hold something."""
_NESTING = re.compile(
    r"<(?!(?:area|base|br|col|embed|hr|img|input|link|meta|param|source|track|wbr|"
    r"caption|colgroup|t[drh]|tbody|tfoot|thead)[\s/>])[a-z]",
    re.I,
)
"""What may hold something; of all parts of a table, no more than four at once."""
_ROW = re.compile(r"<(/?)(?:tbody|thead|tfoot|tr|colgroup|col)(?=[\s/>])", re.I)


def _any_of(names: str) -> str:
    """One of the names, in small letters or capitals: several times faster than to ignore the case and try each."""
    first = "".join(sorted({name[0] for name in names.split("|")}))
    spelt = "".join(f"[{letter}{letter.upper()}]" if letter.isalpha() else letter for letter in names)
    return f"(?=[{first}{first.upper()}])(?:{spelt})"


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
    if tags > _SHALLOW and _may_be_too_deep(html, tags):
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


def _may_be_too_deep(html: str, tags: int) -> bool:
    """Whether a table may stand where the parser nests no further: some looks, each closer and dearer than the one before."""
    tables = len(_TABLE.findall(html))
    if not tables:
        return False
    if _ANYTHING_GOES.search(html):
        return tags - html.count("</") + 2 * (html.count("<t") + html.count("<T")) >= _DEEP
    return tags + 4 * tables >= _DEEP and len(_NESTING.findall(html)) + 4 * tables >= _DEEP


def _with_few_roots(html: str) -> str:
    roots = [found.start() for found in _ROOT.finditer(html)]
    if len(roots) <= _MAX_ROOTS:
        return html
    further = roots[_MAX_ROOTS]
    return html[:further] + _ROOT.sub("<x-", html[further:])
