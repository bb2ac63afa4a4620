"""Which small image takes a decoder the longest? Files of all formats, built by hand around what decoders do again and again.

Each is as good as the formats demand: a decoder that reads it to its end finds an image. What repeats (a scan, a chunk, a
comment) repeats until the file has the size that was asked for.
"""

from __future__ import annotations

import struct
import zlib
from base64 import b64decode
from collections.abc import Callable
from functools import cache

_WIDTH, _HEIGHT = 7000, 7000
"""As many pixels as a crawl decodes by default, nearly."""


def slow_images(size: int) -> dict[str, bytes]:
    """The slowest files of about this many bytes, by what is slow about them; some are small whatever is asked for."""
    return {name: make(size) for name, make in _MAKERS.items()}


# --- JPEG ------------------------------------------------------------------------------------------------------------

_GREY = bytes([1, 1, 0x11, 0])
_YELLOWISH = bytes([3, 1, 0x11, 0, 2, 0x11, 0, 3, 0x11, 0])
_RUNS = 0xE0
"""The code of a run of 16,384 blocks and more that are empty."""


def _segment(marker: int, data: bytes) -> bytes:
    return struct.pack(">BBH", 0xFF, marker, len(data) + 2) + data


def _jpeg(kind: int, components: bytes, scans: bytes, *, first: bytes = b"") -> bytes:
    """`kind` is the marker of the frame: 0xC0 baseline, 0xC2 progressive, 0xCA progressive with arithmetic coding."""
    codes = bytes([1, 1]) + bytes(14)  # a code of one bit and one of two
    tables = _segment(0xC4, b"\x00" + codes + b"\x00\x01") + _segment(0xC4, b"\x10" + codes + bytes([_RUNS, 0]))
    frame = _segment(0xC0 | kind, struct.pack(">BHH", 8, _HEIGHT, _WIDTH) + components)
    return b"\xff\xd8" + first + _segment(0xDB, bytes(1) + b"\x01" * 64) + tables + frame + scans + b"\xff\xd9"


def _scan(component: int, first: int, last: int, data: bytes = b"") -> bytes:
    return _segment(0xDA, bytes([1, component, 0, first, last, 0])) + data


def _empty_scans(size: int) -> bytes:
    return _jpeg(0xC2, _GREY, _scan(1, 0, 0) + _filled(size, _scan(1, 1, 63)))


def _arithmetic_scans(size: int) -> bytes:
    return _jpeg(0xCA, _GREY, _scan(1, 0, 0) + _filled(size, _scan(1, 1, 63)))


def _full_scans(size: int) -> bytes:
    """Scans that say of each block that it is empty, in runs of the longest kind."""
    runs = -(-(_WIDTH // 8 + 1) * (_HEIGHT // 8 + 1) // 2**15)
    bits = ("0" + "1" * 14) * runs
    data = int(bits.ljust(-(-len(bits) // 8) * 8, "1"), 2).to_bytes(-(-len(bits) // 8), "big")
    return _jpeg(0xC2, _GREY, _scan(1, 0, 0) + _filled(size, _scan(1, 1, 63, data.replace(b"\xff", b"\xff\x00"))))


def _baseline_scans(size: int) -> bytes:
    """Without being progressive: a scan per colour, again and again."""
    return _jpeg(0xC0, _YELLOWISH, _filled(size, b"".join(_scan(colour, 0, 63) for colour in (1, 2, 3))))


def _camera_notes(size: int) -> bytes:
    """Notes of a camera that each name the same many bytes as their value."""
    length = min(max(size, 1000), 9 * 2**20)
    entries = min(length // 24, 2**16 - 1, 300 * 2**20 // length)
    table = b"".join(struct.pack(">HHII", tag, 7, length // 2, 8) for tag in range(entries))
    exif = (b"MM\x00*\x00\x00\x00\x08" + struct.pack(">H", entries) + table).ljust(length, b"\x00")
    parts = [exif[start : start + 65000] for start in range(0, length, 65000)]
    first = b"".join(_segment(0xE1, b"Exif\x00\x00" + part) for part in parts)
    return _jpeg(0xC0, _GREY, _scan(1, 0, 63), first=first)


# --- PNG -------------------------------------------------------------------------------------------------------------


def _chunk(kind: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))


def _png(before: bytes, pixels: bytes | None = None, *, side: int = 64) -> bytes:
    rows = _chunk(b"IDAT", zlib.compress(bytes((side + 1) * side)))
    head = _chunk(b"IHDR", struct.pack(">IIBBBBB", side, side, 8, 0, 0, 0, 0))
    return b"\x89PNG\r\n\x1a\n" + head + before + (rows if pixels is None else pixels) + _chunk(b"IEND", b"")


def _profiles(size: int) -> bytes:
    """A kilobyte each, and a megabyte when it is unpacked."""
    return _png(_filled(size, _chunk(b"iCCP", b"x\x00\x00" + zlib.compress(bytes(2**20 - 1), 9))))


def _texts(size: int) -> bytes:
    return _png(_filled(size, _chunk(b"zTXt", b"x\x00\x00" + zlib.compress(bytes(2**20 - 1), 9))))


def _empty_chunks(size: int) -> bytes:
    return _png(_filled(size, _chunk(b"abCd", b"")))


def _crumbs(size: int) -> bytes:
    """The pixels in chunks of a byte each, with more empty ones between them than pixels."""
    packed = zlib.compress(bytes(65 * 64))
    crumbs = b"".join(_chunk(b"IDAT", packed[place : place + 1]) for place in range(len(packed) - 1))
    return _png(b"", crumbs + _filled(size, _chunk(b"IDAT", b"")) + _chunk(b"IDAT", packed[-1:]))


def _many_pixels(size: int) -> bytes:
    """As many as are decoded at all, and nothing in them."""
    return _png(b"", _chunk(b"IDAT", _nothing()), side=_WIDTH)


@cache
def _nothing() -> bytes:
    """Packed once: that takes longer than all other images together."""
    return zlib.compress(bytes((_WIDTH + 1) * _HEIGHT), 9)


# --- GIF, BMP, TIFF --------------------------------------------------------------------------------------------------


def _gif(before: bytes, frame: bytes) -> bytes:
    return b"GIF89a" + struct.pack("<HHBBB", 64, 64, 0x80, 0, 0) + bytes(6) + before + frame + b";"


def _frame(side: int, pieces: bytes) -> bytes:
    return b"," + struct.pack("<HHHHBB", 0, 0, side, side, 0, 7) + pieces + b"\x00"


_PIXELS = (b"\xc8" + b"\x80\x01" * 100) * 41
"""4,096 of them: each begins anew."""


def _comments(size: int) -> bytes:
    """One comment in pieces of a byte."""
    return _gif(b"!\xfe" + _filled(size, b"\x01x") + b"\x00", _frame(64, _PIXELS))


def _many_comments(size: int) -> bytes:
    return _gif(_filled(size, b"!\xfe\x01x\x00"), _frame(64, _PIXELS))


def _gif_crumbs(size: int) -> bytes:
    """The pixels in pieces of a byte: every other one says to begin anew."""
    return _gif(b"", _frame(_WIDTH, _filled(size, b"\x01\x80\x01\x01")))


def _runs_of_one(size: int) -> bytes:
    """A BMP whose runs are a pixel long."""
    width = 2000
    height = max(64, min(size // (2 * width), 20_000))
    return _bmp(width, height, (b"\x01\x01" * width + b"\x00\x00") * height)


def _empty_rows(size: int) -> bytes:
    """A BMP whose rows end after a pixel."""
    return _bmp(_WIDTH, _HEIGHT, b"\x01\x01\x00\x00" * _HEIGHT)


def _bmp(width: int, height: int, pixels: bytes) -> bytes:
    """Packed as runs of a length and a colour."""
    pixels, palette = pixels + b"\x00\x01", bytes(1024)
    head = struct.pack("<IiiHHIIiiII", 40, width, height, 1, 8, 1, len(pixels), 0, 0, 256, 0)
    start = 14 + len(head) + len(palette)
    return b"BM" + struct.pack("<IHHI", start + len(pixels), 0, 0, start) + head + palette + pixels


def _tiff(entries: list[tuple[int, int, int, int]], data: bytes) -> bytes:
    """Entries are tag, type, count and value."""
    table = b"".join(struct.pack("<HHII", *entry) for entry in sorted(entries))
    start = struct.pack("<I", 8 + len(data))
    return b"II*\x00" + start + data + struct.pack("<H", len(entries)) + table + bytes(4)


def _tags(size: int) -> bytes:
    """Each tag names the same bytes as its value."""
    length = max(64 * 64, size - 12 * 1000)
    count = min(2**16 - 20, 1000, 300 * 2**20 // length)
    more = [(1000 + number, 7, length, 8) for number in range(count)]
    return _tiff([*_plain_tiff(64, 64), (273, 4, 1, 8), (279, 4, 1, 64 * 64), *more], bytes(length))


def _strips(size: int) -> bytes:
    """Far more strips than rows."""
    count = max(64, size // 8)
    data = struct.pack("<I", 8) * count + struct.pack("<I", 64) * count
    return _tiff([*_plain_tiff(64, 64), (273, 4, count, 8), (279, 4, count, 8 + 4 * count)], data)


def _plain_tiff(width: int, height: int) -> list[tuple[int, int, int, int]]:
    """Grey, not compressed, a row a strip."""
    return [(256, 4, 1, width), (257, 4, 1, height), (258, 3, 1, 8), (259, 3, 1, 1), (262, 3, 1, 1), (278, 4, 1, 1)]


# --- WebP, AVIF ------------------------------------------------------------------------------------------------------


def _webp(size: int) -> bytes:
    """A lossless one whose codes have no bits: some dozen bytes for all pixels, each of them foretold from its neighbours."""
    codes = _code(11) + _code(0) * 4  # the green of the image of predictors says which one: the slowest
    width, height = _WIDTH, _HEIGHT
    bits = _bits(width - 1, 14) + _bits(height - 1, 14) + "1" + _bits(0, 3)
    bits += "1" + _bits(0, 2) + _bits(0, 3) + "0" + codes  # foretell, in squares of 4 x 4
    bits += "0" + "0" + "0" + _code(1) + _code(2) + _code(3) + _code(255) + _code(0)
    bits = bits.ljust(-(-len(bits) // 8) * 8 + 64, "0")
    data = b"\x2f" + bytes(int(bits[place : place + 8][::-1], 2) for place in range(0, len(bits), 8))
    data += bytes(len(data) % 2)
    return b"RIFF" + struct.pack("<I", len(data) + 12) + b"WEBPVP8L" + struct.pack("<I", len(data)) + data


def _bits(number: int, count: int) -> str:
    """The lowest first."""
    return format(number, f"0{count}b")[::-1]


def _code(symbol: int) -> str:
    """A prefix code with one symbol, which takes no bits then."""
    return "1" + "0" + "1" + _bits(symbol, 8)


_AVIF = """
eNpjYGBQSCupLEgsy0xjAAIQnZuZZpibmZjm62joBBR6nZtaksgAAYoZKTlFUDZDQWZyCQMa4CvILMkFsxiBWC4zJz8ZxHEB8RkhoozCDAwsS4
FsjczMvDS4WikgJ5UJykssMzB0zs/JB9uVlVlQVACkvTMLkvOBtEhmcUEqxDrpCAhmECjIrMgEiTBzcHAAKZ7EMkPnRnkekJBwcn5OUV5yTgXQ
ZF4GtgagkHhmQS7MT0CHsTAyNbMAXbU2NyWxRIiBi1v+s9n6rWUdHBkmCkaTOSXPHW9vjbz///+j8wcYGPzPn9I8Xtjmw7dOre6qFae760+Gzd
MmsYh+W2ax/sn+gBs/i9/cymVg/pZ1SSPbTPvS67LgL9F6YScffPm938ZoCweDW2GMWmXXNHZDgy6Np87cKmdSzp9yz58hJsGc8iFxRfy254/a
s2/v2PLrmOC+dQwr9CoPR+6UdLBev+TgnbPlV3fPiRd5PIVVaEHPLFG33a3v2ZrU7wcZbi38MjFIgCvbRTHaN0Gx27la1GL2k/YX2RvvKRzlFt
2t+vzDrQ762LKRBFv2foz62LM9Vezx8t/6vHXRjzomTSksOCXrNLOj9fH22q9NArYmFVtnrzx+42Ot3bNVgvO7f/8QybPZse56il9ZlvC27fJy
3Sc8t6R/UAx+t5b1/Let0Uf+CPN+jDPQvb746i6ZLLNLN8RuXaz4cuPNPa57bV62W6azXv/B9KHctV+dXfGCuOL5nKUK6RW/tRbSIWBul6ndFr
KXS2YVEHeLWRLpEXuWbeWyG/9T2MwSb81RMTv5euuVqUIRdh1L5+862J0WdIA5vJLjJmftjdptZ/c37FEYdSI1nDjEkmYl+9fbdfYfklI5f1tG
3f/k5yjp8P9c3b0H6014JiUCAHCSfgM=
"""
"""7,000 x 7,000 pixels, all white."""


def _avif(size: int) -> bytes:
    return zlib.decompress(b64decode(_AVIF))


def _filled(size: int, part: bytes) -> bytes:
    return part * max(1, size // len(part))


_MAKERS: dict[str, Callable[[int], bytes]] = {
    "JPEG of empty scans": _empty_scans,
    "JPEG of arithmetic scans": _arithmetic_scans,
    "JPEG of full scans": _full_scans,
    "JPEG of baseline scans": _baseline_scans,
    "JPEG with notes of a camera": _camera_notes,
    "PNG with profiles": _profiles,
    "PNG with texts": _texts,
    "PNG of empty chunks": _empty_chunks,
    "PNG of crumbs": _crumbs,
    "PNG of many pixels": _many_pixels,
    "GIF with a comment": _comments,
    "GIF with comments": _many_comments,
    "GIF of crumbs": _gif_crumbs,
    "BMP of short runs": _runs_of_one,
    "BMP of empty rows": _empty_rows,
    "TIFF with tags": _tags,
    "TIFF of strips": _strips,
    "WebP of many pixels": _webp,
    "AVIF of many pixels": _avif,
}
