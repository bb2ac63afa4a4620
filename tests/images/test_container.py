"""What does not make pixels never reaches a decoder, and what does is the same as before."""

from __future__ import annotations

import struct
import time
from io import BytesIO

import pytest
from PIL import Image

from shoal.images.container import Unusable, orientation_in, pixels_of
from shoal.images.decode import PillowDecoder
from shoal.model import DecodedImage, Failure
from shoal.settings import ImageSettings
from shoal.testing.fuzz.slow_images import slow_images
from tests.images.drawings import drawing, encoded, response

PROFILE = b"a profile of colours" * 5000


def _exif(orientation: int = 6) -> Image.Exif:
    exif = Image.Exif()
    exif[0x0112] = orientation
    exif[0x010E] = "a note of the camera"
    return exif


def _seen(body: bytes) -> bytes:
    return Image.open(BytesIO(body)).convert("RGBA").tobytes()


HONEST: dict[str, bytes] = {
    "JPEG": encoded(drawing(1), "JPEG", icc_profile=PROFILE, comment=b"a note", exif=_exif(1)),
    "progressive JPEG": encoded(drawing(1), "JPEG", progressive=True, icc_profile=PROFILE),
    "JPEG of a printer": encoded(drawing(1, mode="CMYK"), "JPEG"),
    "JPEG with restarts": encoded(drawing(1), "JPEG", restart_marker_blocks=2),
    "JPEG in red, green and blue": encoded(drawing(1), "JPEG", keep_rgb=True),
    "JPEG with more behind it": encoded(drawing(1), "MPO", save_all=True, append_images=[drawing(2)]),
    "PNG": encoded(drawing(1), icc_profile=PROFILE, exif=_exif(1)),
    "PNG of few colours": encoded(drawing(1).quantize(7), transparency=3),
    "PNG with an animation": encoded(drawing(1), save_all=True, append_images=[drawing(2)]),
    "GIF": encoded(drawing(1), "GIF", comment=b"a note", interlace=1),
    "GIF with an animation": encoded(drawing(1), "GIF", save_all=True, append_images=[drawing(2)], loop=0),
    "TIFF": encoded(drawing(1), "TIFF", description="a note"),
    "TIFF of few colours": encoded(drawing(1).quantize(9), "TIFF"),
    "TIFF, the highest first": encoded(drawing(1), "TIFF", big_tiff=False, tiffinfo={270: "a note"}),
    "BMP": encoded(drawing(1), "BMP"),
    "WebP": encoded(drawing(1), "WEBP", icc_profile=PROFILE),
    "AVIF": encoded(drawing(1), "AVIF", exif=_exif(1)),
}


@pytest.mark.parametrize("name", HONEST)
def test_the_pixels_are_the_same(name: str) -> None:
    assert _seen(pixels_of(HONEST[name]).file) == _seen(HONEST[name])


@pytest.mark.parametrize("name", [name for name in HONEST if name[:4] in ("JPEG", "PNG", "GIF", "TIFF")])
def test_nothing_else_is_left(name: str) -> None:
    info = Image.open(BytesIO(pixels_of(HONEST[name]).file)).info
    assert not {"icc_profile", "comment", "exif", "mp", "xmp"} & info.keys()


@pytest.mark.parametrize("format", ["JPEG", "PNG", "TIFF"])
def test_how_the_camera_was_held_is_read_before_its_notes_are_gone(format: str) -> None:
    assert [pixels_of(encoded(drawing(1), format, exif=_exif(held))).orientation for held in (1, 3, 8)] == [1, 3, 8]


@pytest.mark.parametrize(
    "notes",
    [
        b"",
        b"Exif\x00\x00",
        b"Exif\x00\x00MM\x00*\x00\x00\x00\x08\xff\xff\x01",
        b"MM\x00*\xff\xff\xff\xff",
        b"II*\x00" + struct.pack("<IHHHIHH", 8, 1, 0x0112, 3, 1, 9, 0),
        b"II*\x00" + struct.pack("<IHHHII", 8, 1, 0x0112, 5, 1, 3),
    ],
)
def test_notes_that_do_not_say_it(notes: bytes) -> None:
    assert orientation_in(notes) == 1


# --- attacks ---


def _cost(body: bytes) -> float:
    began = time.thread_time()
    assert isinstance(PillowDecoder(ImageSettings()).decode(response(body)), DecodedImage | Failure)
    return time.thread_time() - began


SMALL = slow_images(1000)


@pytest.fixture(scope="module")
def large() -> dict[str, bytes]:
    return slow_images(5_000_000)


@pytest.mark.parametrize(
    "name",
    [pytest.param(name, marks=[pytest.mark.slow] * ("many pixels" in name)) for name in sorted(SMALL)],
)
def test_no_file_is_slow(name: str, large: dict[str, bytes]) -> None:
    """The scans took half a minute and more, the profiles ten seconds, the rows of the BMP four."""
    assert _cost(large[name]) < 4.0


@pytest.mark.parametrize("name", [name for name in SMALL if "scans" in name])
def test_as_many_scans_as_are_decoded_take_no_longer_than_a_large_image(name: str) -> None:
    """10 bytes are a scan, if it is empty."""
    assert _cost(SMALL[name]) < 4.0


@pytest.mark.slow
@pytest.mark.parametrize(
    ("kind", "parts"),
    [
        ("JPEG of empty scans", "scans"),
        ("JPEG of full scans", "scans"),
        ("JPEG of baseline scans", "scans"),
        ("JPEG of arithmetic scans", "scans"),
        ("PNG of empty chunks", "chunks"),
        ("PNG of crumbs", "chunks"),
        ("GIF with a comment", "blocks"),
        ("GIF with comments", "blocks"),
        ("TIFF of strips", "strips"),
    ],
)
def test_what_is_cut_into_far_too_many_parts_is_not_decoded(kind: str, parts: str) -> None:
    with pytest.raises(Unusable, match=f"far more {parts} than any needs"):
        pixels_of(slow_images(600_000)[kind])


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["BMP of short runs", "BMP of empty rows"])
def test_packed_bmp_is_left(kind: str) -> None:
    with pytest.raises(Unusable, match="compressed BMP"):
        pixels_of(slow_images(10_000)[kind])


def test_a_frame_larger_than_the_screen_counts() -> None:
    """Else the limit of pixels would be that of the screen, and what is decoded the frame."""
    body = encoded(drawing(1), "GIF")
    small = body[:6] + struct.pack("<HH", 64, 64) + body[10:]
    found = PillowDecoder(ImageSettings(max_pixels=100_000)).decode(response(small))
    assert isinstance(found, Failure)
    assert "400 x 300" in found.detail
