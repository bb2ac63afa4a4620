"""Image files of every format: an image comes of them or one sentence, soon."""

from __future__ import annotations

from random import Random

from shoal.images.decode import PillowDecoder
from shoal.model import DecodedImage, Failure
from shoal.settings import ImageSettings
from shoal.testing.fuzz.image_files import damaged_image
from tests.fuzz.target import Target
from tests.images.drawings import drawing, encoded, response

_SMALL = drawing(1, (96, 80))
_HONEST = (
    encoded(_SMALL, "JPEG", icc_profile=b"x" * 200),
    encoded(
        _SMALL,
        "JPEG",
        progressive=True,
        exif=b"Exif\x00\x00MM\x00*\x00\x00\x00\x08\x00\x01\x01\x12\x00\x03\x00\x00\x00\x01\x00\x06",
    ),
    encoded(_SMALL),
    encoded(_SMALL.quantize(9), transparency=1),
    encoded(_SMALL, save_all=True, append_images=[drawing(2, (96, 80))]),
    encoded(_SMALL, "GIF", comment=b"a note"),
    encoded(_SMALL, "WEBP"),
    encoded(_SMALL, "WEBP", save_all=True, append_images=[drawing(2, (96, 80))]),
    encoded(_SMALL, "WEBP", lossless=True, exif=b"Exif\x00\x00II*\x00"),
    encoded(_SMALL, "BMP"),
    encoded(_SMALL, "TIFF"),
    encoded(_SMALL, "AVIF", quality=20),
)


def _make(random: Random) -> bytes:
    return damaged_image(random.choice(_HONEST), random)


def _check(data: bytes) -> None:
    found = PillowDecoder(ImageSettings(max_pixels=4_000_000)).decode(response(data))
    assert isinstance(found, DecodedImage | Failure)
    if isinstance(found, DecodedImage):
        assert found.width * found.height <= 4_000_000
        assert len(found.fingerprint) == 8
    else:
        assert found.detail.endswith(".")
        assert "\n" not in found.detail


TARGETS = (Target(name="images", make=_make, check=_check, runs=600),)
