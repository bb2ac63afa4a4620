"""Bytes become an image, or one sentence; nothing that a server sends is an error of ours."""

from __future__ import annotations

import struct
import subprocess
import sys
import warnings
import zlib
from io import BytesIO
from pathlib import Path
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from PIL import Image, features

from shoal.images.decode import THUMBNAIL, PillowDecoder
from shoal.model import DecodedImage, Failure, Reason, Response
from shoal.settings import ImageSettings
from tests.images.drawings import TIMING, URL, distance, drawing, encoded, response

FORMATS = ["JPEG", "PNG", "GIF", "WEBP", "BMP", "TIFF", *(["AVIF"] if features.check("avif") else [])]

COMPRESSIONS = ["tiff_lzw", "jpeg", "tiff_adobe_deflate", "packbits"]


def decode(body: bytes | Response, **wishes: int) -> DecodedImage | Failure:
    given = body if isinstance(body, Response) else response(body)
    return PillowDecoder(ImageSettings(**wishes)).decode(given)  # type: ignore[arg-type]


def image(body: bytes, **wishes: int) -> DecodedImage:
    found = decode(body, **wishes)
    assert isinstance(found, DecodedImage), found
    return found


def why_not(body: bytes | Response, **wishes: int) -> str:
    found = decode(body, **wishes)
    assert isinstance(found, Failure), found
    assert (found.url, found.reason, found.timing, found.heals) == (URL, Reason.IMAGE, TIMING, False)
    assert found.detail.endswith(".")
    assert "\n" not in found.detail
    return found.detail


def thumbnail(body: bytes) -> Image.Image:
    return Image.open(BytesIO(image(body).thumbnail)).convert("RGB")


# --- what is read ---


@pytest.mark.parametrize("format", FORMATS)
def test_every_format(format: str) -> None:
    found = image(encoded(drawing(1), format))
    assert (found.format, found.width, found.height) == (format.lower(), 400, 300)
    assert len(found.fingerprint) == 8
    small = Image.open(BytesIO(found.thumbnail))
    assert (small.format, small.size) == ("WEBP", (256, 192))
    assert small.getpixel((200, 100)) == pytest.approx(drawing(1, (256, 192)).getpixel((200, 100)), abs=40)


@pytest.mark.parametrize("content_type", ["text/html", "image/gif", ""])
def test_the_bytes_count_not_what_the_server_calls_them(content_type: str) -> None:
    found = decode(response(encoded(drawing(1), "JPEG"), content_type))
    assert isinstance(found, DecodedImage)
    assert found.format == "jpeg"


@pytest.mark.parametrize("mode", ["1", "L", "LA", "P", "RGB", "RGBA", "I;16"])
def test_every_kind_of_pixel_of_png(mode: str) -> None:
    assert image(
        encoded(drawing(1, mode="RGB").convert("L").convert(mode) if mode == "I;16" else drawing(1, mode=mode))
    )


@pytest.mark.parametrize("mode", ["1", "L", "LA", "P", "RGB", "RGBA", "CMYK", "YCbCr", "I", "F", "I;16"])
def test_every_kind_of_pixel_of_tiff(mode: str) -> None:
    grey = drawing(1).convert("L")
    assert image(encoded(grey.convert(mode) if mode in ("I", "F", "I;16") else drawing(1, mode=mode), "TIFF"))


def test_cmyk_jpeg() -> None:
    assert thumbnail(encoded(drawing(1, mode="CMYK"), "JPEG")).getpixel((200, 100)) == pytest.approx(
        drawing(1, (256, 192)).getpixel((200, 100)), abs=40
    )


def test_more_greys_than_a_screen_has() -> None:
    deep = Image.new("F", (100, 100))
    deep.paste(1e6, (0, 0, 50, 100))
    small = thumbnail(encoded(deep, "TIFF"))
    assert (small.getpixel((10, 50)), small.getpixel((90, 50))) == ((255, 255, 255), (0, 0, 0))


def test_transparent_parts_are_white() -> None:
    image = Image.new("RGBA", (100, 100), (0, 0, 0, 0))
    image.paste((255, 0, 0, 255), (0, 0, 50, 100))
    for body in (
        encoded(image),
        encoded(image, "WEBP", lossless=True),
        encoded(image.quantize(8)),
        encoded(image, "GIF"),
    ):
        small = thumbnail(body)
        assert small.getpixel((90, 50)) == pytest.approx((255, 255, 255), abs=6)
        assert small.getpixel((20, 50)) == pytest.approx((255, 0, 0), abs=12)


def test_of_an_animation_the_first_frame() -> None:
    frames = [drawing(number) for number in (1, 2, 3)]
    for format in ("GIF", "PNG", "WEBP"):
        body = encoded(frames[0], format, save_all=True, append_images=frames[1:])
        assert image(body).fingerprint == image(encoded(frames[0], format)).fingerprint


@pytest.mark.slow
@pytest.mark.parametrize("format", ["JPEG", "PNG", "WEBP", "TIFF", "AVIF"])
@pytest.mark.parametrize(
    ("orientation", "upright"), [(1, (400, 300)), (3, (400, 300)), (6, (300, 400)), (8, (300, 400))]
)
def test_held_as_the_camera_was(format: str, orientation: int, upright: tuple[int, int]) -> None:
    exif = Image.Exif()
    exif[0x0112] = orientation
    found = image(encoded(drawing(1), format, exif=exif))
    turn = {1: None, 3: Image.Transpose.ROTATE_180, 6: Image.Transpose.ROTATE_270, 8: Image.Transpose.ROTATE_90}[
        orientation
    ]
    turned = drawing(1) if turn is None else drawing(1).transpose(turn)
    assert (found.width, found.height) == turned.size == upright
    # it is made small first and turned then, which moves a rounding here and there
    assert distance(found.fingerprint, image(encoded(turned, format)).fingerprint) <= 2


def test_a_damaged_note_on_the_camera_harms_nobody() -> None:
    assert image(encoded(drawing(1), "JPEG", exif=b"Exif\x00\x00MM\x00*\x00\x00\x00\x08\xff\xff\x01"))


def test_nothing_of_the_file_but_its_pixels_is_kept() -> None:
    exif = Image.Exif()
    exif[0x010E] = "where I live"
    assert b"where I live" not in image(encoded(drawing(1), "JPEG", exif=exif)).thumbnail


@pytest.mark.parametrize(
    ("size", "small"),
    [
        ((5000, 70), (256, 4)),
        ((70, 5000), (4, 256)),
        ((100, 80), (100, 80)),
        ((2000, 2000), (256, 256)),
        ((300, 64), (256, 55)),
    ],
)
def test_thumbnails_are_never_enlarged(size: tuple[int, int], small: tuple[int, int]) -> None:
    found = image(encoded(drawing(1, size), "JPEG"))
    assert (found.width, found.height) == size
    assert Image.open(BytesIO(found.thumbnail)).size == small
    assert max(small) <= THUMBNAIL


# --- what is refused ---


def test_no_bytes() -> None:
    assert why_not(b"") == "The server sent no bytes."


@pytest.mark.parametrize(
    "body",
    [
        b"<!doctype html><title>404</title>",
        "\ufeff\n<html>找不到".encode(),
        b"<?xml version='1.0'?><rss>",
    ],
)
def test_a_web_page_instead(body: bytes) -> None:
    assert why_not(body) == "The server sent a web page instead of an image."


def test_a_drawing_in_words() -> None:
    assert "SVG" in why_not(b"<?xml version='1.0'?>\n<svg xmlns='http://www.w3.org/2000/svg'/>")


@pytest.mark.parametrize("format", ["PPM", "TGA", "ICO", "PCX", "JPEG2000", "EPS", "ICNS"])
def test_formats_that_nobody_shows_on_the_web(format: str) -> None:
    assert "neither JPEG, PNG" in why_not(encoded(drawing(1, (128, 128)), format))


def test_a_body_that_was_cut_at_the_limit() -> None:
    assert "more than 1,000 bytes" in why_not(response(b"x" * 1000, truncated=True))


@pytest.mark.parametrize("format", ["JPEG", "PNG", "WEBP", "BMP", "TIFF"])
@pytest.mark.parametrize("share", [0.02, 0.5, 0.9])
def test_a_image_without_its_end(format: str, share: float) -> None:
    body = encoded(drawing(1), format)
    assert why_not(body[: int(len(body) * share)])


@pytest.mark.parametrize("size", [(63, 500), (500, 63), (1, 1)])
def test_icons(size: tuple[int, int]) -> None:
    assert f"{size[0]} x {size[1]} pixels" in why_not(encoded(drawing(1, size)))
    if size != (1, 1):
        assert image(encoded(drawing(1, size)), least_side=63)


@pytest.mark.parametrize(
    "image",
    [
        Image.new("RGB", (200, 200), "red"),
        Image.new("L", (200, 200), 128),
        Image.new("RGBA", (200, 200), (10, 20, 30, 0)),
        Image.new("I;16", (200, 200), 9),
        Image.new("RGB", (200, 200), (250, 251, 252)),
    ],
)
def test_one_colour_all_over(image: Image.Image) -> None:
    assert why_not(encoded(image)) == "The image is one colour all over."


def test_two_pale_colours_are_a_image() -> None:
    pale = Image.new("RGB", (200, 200), (250, 250, 250))
    pale.paste((240, 250, 250), (50, 50, 150, 150))
    assert image(encoded(pale))


# --- attacks ---


def bomb(width: int, height: int) -> bytes:
    """A PNG of a few bytes that claims to be enormous."""

    def chunk(kind: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    head = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    return (
        b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", zlib.compress(b"\0" * 1000)) + chunk(b"IEND", b"")
    )


@pytest.mark.parametrize(
    "size", [(7100, 7100), (10_000, 10_000), (30_000, 30_000), (2**31 - 1, 2**31 - 1), (2**31 - 1, 64)]
)
def test_bombs_are_not_decoded_and_nothing_is_said_of_them(size: tuple[int, int]) -> None:
    before = warnings.filters[:]
    limit = Image.MAX_IMAGE_PIXELS
    assert "pixels" in why_not(bomb(*size))
    assert (warnings.filters, Image.MAX_IMAGE_PIXELS) == (before, limit)


def test_the_users_limit_of_pixels() -> None:
    assert "400 x 300" in why_not(encoded(drawing(1)), max_pixels=119_999)
    assert image(encoded(drawing(1)), max_pixels=120_000)


SILENCE = """
import sys
from pathlib import Path
from shoal.images.decode import PillowDecoder
from shoal.model import Response, Timing
from shoal.settings import ImageSettings
timing = Timing(started=0.0, answered=0.0, ended=0.0)
for name in sys.argv[1:]:
    body = Path(name).read_bytes()
    for place in range(0, len(body), 1 + len(body) // 200):
        damaged = body[:place] + b"\\xff\\x00\\x81" + body[place + 3:]
        PillowDecoder(ImageSettings()).decode(Response(url="", status=200, headers=(), body=damaged, timing=timing))
"""


@pytest.mark.slow
def test_the_terminal_hears_nothing_of_damaged_images(tmp_path: Path) -> None:
    """In a process of its own: decoders write past Python, and pytest listens to every log."""
    bodies = {format: encoded(drawing(1, (96, 72)), format) for format in FORMATS}
    bodies |= {way: encoded(drawing(1, (96, 72)), "TIFF", compression=way) for way in COMPRESSIONS}
    # the number of colours of a pixel, which Pillow logs a word about
    three, many = (struct.pack("<HHIH", 277, 3, 1, count) for count in (3, 2048))
    bodies["many"] = bodies["TIFF"].replace(three, many)
    assert bodies["many"] != bodies["TIFF"]
    for name, body in bodies.items():
        (tmp_path / name).write_bytes(body)
    command = [sys.executable, "-c", SILENCE, *(str(tmp_path / name) for name in bodies)]
    done = subprocess.run(command, capture_output=True, check=True)
    assert (done.stdout, done.stderr) == (b"", b"")


@pytest.mark.parametrize("compression", COMPRESSIONS)
def test_compressed_tiff_is_left(compression: str) -> None:
    assert "compressed TIFF" in why_not(encoded(drawing(1), "TIFF", compression=compression))


BODIES = {format: encoded(drawing(1, (160, 120)), format) for format in FORMATS}


@pytest.mark.parametrize("format", FORMATS)
def test_damaged_bytes_are_a_image_or_a_sentence(format: str, capfd: pytest.CaptureFixture[str]) -> None:
    dice = Random(5)
    for _ in range(150):
        body = bytearray(BODIES[format])
        for _ in range(dice.choice((1, 3, 20))):
            # damage to the head is what confuses decoders most
            body[dice.randrange(dice.choice((64, 400, len(body))) % len(body) or 1)] = dice.randrange(256)
        cut = dice.choice((len(body), dice.randrange(1, len(body))))
        found = decode(bytes(body[:cut]), max_pixels=1_000_000)
        assert isinstance(found, DecodedImage | Failure)
    assert capfd.readouterr() == ("", "")


@settings(max_examples=200, deadline=None)
@given(st.sampled_from([body[:32] for body in BODIES.values()]), st.binary(max_size=400))
def test_bytes_that_only_begin_like_a_image(head: bytes, rest: bytes) -> None:
    for start in (head, head[:12], head[:4], b""):
        assert isinstance(decode(start + rest, max_pixels=1_000_000), DecodedImage | Failure)
