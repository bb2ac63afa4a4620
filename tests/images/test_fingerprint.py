"""The same image in other clothes is near, other images are far."""

from __future__ import annotations

from collections.abc import Callable
from itertools import combinations
from statistics import mean

import numpy as np
import pytest
from PIL import Image, ImageEnhance

from shoal.images.decode import PillowDecoder
from shoal.images.fingerprint import NEAR, SIDE
from shoal.images.fingerprint import fingerprint as of_greys
from shoal.model import DecodedImage
from shoal.settings import ImageSettings
from tests.images.drawings import distance, drawing, encoded, response

NUMBERS = range(12)
CLOTHES: dict[str, Callable[[Image.Image], bytes]] = {
    "a good JPEG": lambda image: encoded(image, "JPEG", quality=90),
    "a poor JPEG": lambda image: encoded(image, "JPEG", quality=20),
    "WebP": lambda image: encoded(image, "WEBP", quality=50),
    "GIF": lambda image: encoded(image.quantize(64), "GIF"),
    "greys": lambda image: encoded(image.convert("L"), "PNG"),
    "16 bit": lambda image: encoded(image.convert("L").convert("I;16"), "PNG"),
    "CMYK": lambda image: encoded(image.convert("CMYK"), "TIFF"),
    "half as large": lambda image: encoded(image.resize((200, 150)), "JPEG"),
    "a thumbnail": lambda image: encoded(image.resize((96, 72)), "JPEG", quality=60),
    "four times as large": lambda image: encoded(image.resize((1600, 1200)), "JPEG"),
    "darker": lambda image: encoded(ImageEnhance.Brightness(image).enhance(0.8), "PNG"),
}


def fingerprint(body: bytes) -> bytes:
    image = PillowDecoder(ImageSettings()).decode(response(body))
    assert isinstance(image, DecodedImage)
    return image.fingerprint


@pytest.mark.slow
@pytest.mark.parametrize("dress", CLOTHES.values(), ids=CLOTHES)
def test_the_same_image_is_near(dress: Callable[[Image.Image], bytes]) -> None:
    distances = [
        distance(fingerprint(encoded(drawing(number))), fingerprint(dress(drawing(number)))) for number in NUMBERS
    ]
    assert max(distances) <= NEAR
    assert mean(distances) <= 2


@pytest.mark.slow
def test_other_images_are_far() -> None:
    prints = [fingerprint(encoded(drawing(number))) for number in range(30)]
    distances = [distance(one, other) for one, other in combinations(prints, 2)]
    assert min(distances) > NEAR
    assert 26 < mean(distances) < 34


def test_upside_down_and_mirrored_are_others() -> None:
    own = fingerprint(encoded(drawing(1)))
    for way in (Image.Transpose.ROTATE_180, Image.Transpose.FLIP_LEFT_RIGHT):
        assert distance(own, fingerprint(encoded(drawing(1).transpose(way)))) > NEAR


def test_a_fingerprint_is_for_ever() -> None:
    """They are stored: who changes how they are made, makes all folders forget what they have."""
    rows, columns = np.mgrid[0:SIDE, 0:SIDE]
    greys = 128.0 + 60 * np.sin(rows / 3) * np.cos(columns / 5) + (rows * columns) % 17
    assert of_greys(greys).hex() == "3b1844010188c5b8"
    assert of_greys(greys * 0.5 + 9).hex() == "3b1844010188c5b8"
