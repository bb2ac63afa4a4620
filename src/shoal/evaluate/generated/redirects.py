"""What has moved? Addresses that lead to articles only by a redirect, and some that lead nowhere."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Literal

from shoal.evaluate.generated.articles import Article
from shoal.evaluate.generated.ground_truth import WebPage
from shoal.evaluate.generated.prose import Dice


@dataclass(frozen=True, slots=True)
class Move:
    """An old address and where it leads."""

    source: str
    target: str
    how: Literal[301, 302, "refresh"]


def moves(seed: int, articles: Sequence[Article]) -> list[Move]:
    """Short links, a site that changed its name, meta refreshes and a chain; the loop is in `dead_ends`."""
    dice = Dice(seed, "moves")
    open_ones = [article for article in articles if article.allowed and not article.section.bridges]
    found = [
        Move(f"http://short.test/r/{index}", article.url, dice.pick((301, 302)))
        for index, article in enumerate(dice.some(open_ones, 60))
    ]
    for article in open_ones:
        if article.site.host == "energy.test" and article.number % 3 == 0:
            found.append(Move(article.url.replace("energy.test", "old-energy.test"), article.url, 301))
        if article.site.host in ("rails.test", "tielu.test") and article.number % 8 == 0:
            found.append(Move(f"http://{article.site.host}/moved/{article.number}", article.url, "refresh"))
    return found + _chain(dice.pick(open_ones).url)


def _chain(target: str) -> list[Move]:
    stops = [*(f"http://short.test/chain/{step}" for step in range(1, 5)), target]
    return [Move(stop, following, 302) for stop, following in pairwise(stops)]


def dead_ends() -> list[Move]:
    """A loop of two."""
    first, second = "http://short.test/loop/a", "http://short.test/loop/b"
    return [Move(first, second, 302), Move(second, first, 302)]


def redirect_pages(found: Sequence[Move]) -> Iterator[WebPage]:
    """What the server answers at the old addresses."""
    for move in found:
        if move.how == "refresh":
            body = f'<html><head><meta http-equiv="refresh" content="0; url={move.target}"></head><body></body></html>'
            yield WebPage(url=move.source, note="redirect", body=body.encode(), links=(move.target,))
        else:
            body = f'<html><body>Moved <a href="{move.target}">here</a>.</body></html>'
            yield WebPage(
                url=move.source,
                note="redirect",
                body=body.encode(),
                status=move.how,
                location=move.target,
                links=(move.target,),
            )
