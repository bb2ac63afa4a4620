"""What does a generated picture look like? A pattern of its own, the same in every size: a small, real PNG.

It is drawn when it is asked for: a web has thousands of pictures, and a crawl fetches few of them.
"""

from __future__ import annotations

import struct
import zlib

from shoal.evaluate.generated.prose import Dice

_COLUMNS, _ROWS, _SHADES = 9, 8, 16
_SIGNATURE = b"\x89PNG\r\n\x1a\n"
_PALETTE_OF_16 = struct.pack(">BBBBB", 4, 3, 0, 0, 0)
"""In a header: four bits per pixel, which are places in a palette."""
BOMB = 60_000
"""Pixels on either side of a picture that has a few hundred bytes."""


def drawn(motif: str, width: int, height: int) -> bytes:
    """The picture as a PNG file. Pictures with different motifs look different, in colour and in shades of grey."""
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
