"""Which picture files does the generated web have, and what does a server send for one?"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from shoal.evaluate.generated.articles import Article
from shoal.evaluate.generated.copies import Copy
from shoal.evaluate.generated.drawing import bomb, drawn
from shoal.evaluate.generated.illustrations import mirrored, thumbnail
from shoal.evaluate.generated.image_hosts import old_files, ornaments
from shoal.evaluate.generated.sites import SITES
from shoal.evaluate.generated.webpicture import Shown, WebPicture
from shoal.testing.webserver import NOT_FOUND, Answer

_PNG = (("Content-Type", "image/png"),)
_INSTEAD = (
    b"<!DOCTYPE html><html><head><title>Not here</title></head><body><p>This picture has moved.</p></body></html>"
)


def all_pictures(
    articles: Iterable[Article], shown: Mapping[str, tuple[Shown, ...]], copies: Iterable[Copy]
) -> dict[str, WebPicture]:
    """Every file that a page may name, by its URL."""
    files = [file for each in _all_shown(articles, shown, copies) for file in each.files]
    return {file.url: file for file in (*files, *old_files())}


def _all_shown(
    articles: Iterable[Article], shown: Mapping[str, tuple[Shown, ...]], copies: Iterable[Copy]
) -> Iterator[Shown]:
    for article in articles:
        pictures = shown[article.url]
        yield from pictures
        if small := thumbnail(article, pictures):
            yield small
    for copy in copies:
        if copy.kind == "mirror":
            yield from mirrored(copy, shown[copy.original.url])
    for site in SITES:
        yield from ornaments(site)


def answer_with(picture: WebPicture) -> Answer:
    """What the server sends; drawn now, and always the same."""
    match picture.sent:
        case "gone":
            return NOT_FOUND
        case "html":
            return Answer(headers=(("Content-Type", "text/html"),), body=_INSTEAD, delay=picture.delay)
        case "bomb":
            return Answer(headers=_PNG, body=bomb(), delay=picture.delay)
        case "picture":
            body = drawn(picture.motif, picture.width, picture.height)
            return Answer(headers=_PNG, body=body, delay=picture.delay)
