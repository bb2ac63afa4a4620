"""Which image files does the generated web have, and what does a server send for one?"""

from __future__ import annotations

import struct
import zlib
from collections.abc import Iterable, Iterator, Mapping

from shoal.evaluate.generated.articles import Article
from shoal.evaluate.generated.copies import Copy
from shoal.evaluate.generated.ground_truth import ShownImage, WebImage
from shoal.evaluate.generated.illustrations import mirrored, thumbnail
from shoal.evaluate.generated.image_hosts import old_files, ornaments
from shoal.evaluate.generated.prose import Dice
from shoal.evaluate.generated.sites import SITES
from shoal.testing.webserver import NOT_FOUND, WebAnswer

_PNG = (("Content-Type", "image/png"),)
_INSTEAD = (
    b"<!DOCTYPE html><html><head><title>Not here</title></head><body><p>This picture has moved.</p></body></html>"
)


def all_images(
    articles: Iterable[Article], shown: Mapping[str, tuple[ShownImage, ...]], copies: Iterable[Copy]
) -> dict[str, WebImage]:
    """Every file that a page may name, by its URL."""
    files = [file for each in _all_shown(articles, shown, copies) for file in each.files]
    return {file.url: file for file in (*files, *old_files())}


def _all_shown(
    articles: Iterable[Article], shown: Mapping[str, tuple[ShownImage, ...]], copies: Iterable[Copy]
) -> Iterator[ShownImage]:
    for article in articles:
        images = shown[article.url]
        yield from images
        if small := thumbnail(article, images):
            yield small
    for copy in copies:
        if copy.kind == "mirror":
            yield from mirrored(copy, shown[copy.original.url])
    for site in SITES:
        yield from ornaments(site)


def answer_with(image: WebImage) -> WebAnswer:
    """What the server sends; drawn now, and always the same."""
    match image.sent:
        case "gone":
            return NOT_FOUND
        case "html":
            return WebAnswer(headers=(("Content-Type", "text/html"),), body=_INSTEAD, delay=image.delay)
        case "bomb":
            return WebAnswer(headers=_PNG, body=bomb(), delay=image.delay)
        case "image":
            body = drawn(image.motif, image.width, image.height)
            return WebAnswer(headers=_PNG, body=body, delay=image.delay)


# --- what they look like ----------------------------------------------------------------------------------------------

_COLUMNS, _ROWS, _SHADES = 9, 8, 16
_SIGNATURE = b"\x89PNG\r\n\x1a\n"
_PALETTE_OF_16 = struct.pack(">BBBBB", 4, 3, 0, 0, 0)
"""In a header: four bits per pixel, which are places in a palette."""
BOMB = 60_000
"""Pixels on either side of an image that has a few hundred bytes."""


def drawn(motif: str, width: int, height: int) -> bytes:
    """The image as a PNG file. Images with different motifs look different, in colour and in shades of grey."""
    dice = Dice(motif, "picture")
    tint = [dice.between(0.55, 1.0) for _ in range(3)]
    palette = bytes(int(shade * 255 / (_SHADES - 1) * share) for shade in range(_SHADES) for share in tint)
    rows = [
        _packed([dice.number(0, _SHADES - 1) for _ in range(_COLUMNS)], width)
        for _ in range(min(_ROWS, max(height, 1)))
    ]
    unchanged = b"\x02" + bytes(len(rows[0]))  # as the line above
    lines, last = [], -1
    for y in range(height):
        row = y * len(rows) // height
        lines.append(unchanged if row == last else b"\x00" + rows[row])
        last = row
    return _file(width, height, palette, zlib.compress(b"".join(lines)))


def bomb() -> bytes:
    """A few bytes that would fill the memory of whoever trusts them."""
    return _file(BOMB, BOMB, bytes(3 * _SHADES), zlib.compress(bytes(10_000)))


def _packed(cells: list[int], width: int) -> bytes:
    """A line of pixels, two in a byte."""
    pixels = [cells[x * _COLUMNS // width] for x in range(width)] + [0] * (width % 2)
    return bytes(left << 4 | right for left, right in zip(pixels[::2], pixels[1::2], strict=True))


def _file(width: int, height: int, palette: bytes, pixels: bytes) -> bytes:
    header = struct.pack(">II", width, height) + _PALETTE_OF_16
    chunks = ((b"IHDR", header), (b"PLTE", palette), (b"IDAT", pixels), (b"IEND", b""))
    return _SIGNATURE + b"".join(_chunk(name, content) for name, content in chunks)


def _chunk(name: bytes, content: bytes) -> bytes:
    return struct.pack(">I", len(content)) + name + content + struct.pack(">I", zlib.crc32(name + content))
