"""What does a link promise, by what stands in and around it? The rule that the judges of pages share.

The parts of a link are compared with the topic by the same cosine as pages are (RESTORE 3.2, IMAGE 1.1-1.3). "Context" is
the anchor with up to 50 characters either side, read as one text:

    0.7 x cosine(anchor) + 0.3 x cosine(context)              when one of the topic's words stands in the anchor
    0.5 x cosine(words of the URL) + 0.3 x cosine(context)    when none does

A link known only by its URL or its surroundings is thus never as good as one whose text names the topic.
"""

from __future__ import annotations

from collections.abc import Sequence
from urllib.parse import unquote_to_bytes

from shoal.crawl.judge.vector import TopicVector
from shoal.model import Link
from shoal.text import flattened

ANCHOR_SHARE = 0.7
CONTEXT_SHARE = 0.3
URL_SHARE = 0.5


class LinkScorer:
    """Compares links with a topic: all links of a page at once, because most say nothing and must cost next to nothing."""

    def __init__(self, vector: TopicVector) -> None:
        self._vector = vector

    def scores(self, links: Sequence[Link]) -> tuple[float, ...]:
        """How much each link promises, 0 to 1."""
        lines = [f"{link.before} {link.anchor} {link.after} {words_of(link.url)}" for link in links]
        worth_a_look = self._vector.may_stand_in(lines)
        return tuple(self._score(link) if place in worth_a_look else 0.0 for place, link in enumerate(links))

    def _score(self, link: Link) -> float:
        context = self._cosine(f"{link.before} {link.anchor} {link.after}")
        # The anchor is part of the context: where that says nothing, neither does the anchor.
        anchor = self._cosine(link.anchor) if context is not None else None
        if anchor is not None:
            return ANCHOR_SHARE * anchor + CONTEXT_SHARE * (context or 0.0)
        return URL_SHARE * (self._cosine(words_of(link.url)) or 0.0) + CONTEXT_SHARE * (context or 0.0)

    def _cosine(self, text: str) -> float | None:
        """None when not one of the topic's words stands in the text."""
        counts = self._vector.count(flattened(text))
        return self._vector.cosine(counts) if any(counts) else None


def words_of(url: str) -> str:
    """Path and query as one line of text: `/energy/smart_grid.html` says `energy/smart grid.html`."""
    path = url.split("/", 3)[3].replace("_", " ")
    return _unescaped(path).replace("\n", " ") if "%" in path else path


def _unescaped(path: str) -> str:
    """Escapes are UTF-8, or else GBK on older Chinese sites."""
    characters = unquote_to_bytes(path)
    try:
        return characters.decode()
    except UnicodeDecodeError:
        return characters.decode("gb18030", errors="ignore")
