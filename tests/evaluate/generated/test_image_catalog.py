"""The same seed gives the same images: small, real, alike in every size; some are gone, and one is a bomb."""

from __future__ import annotations

import hashlib
import struct
from collections import Counter, defaultdict
from io import BytesIO

import PIL.Image
import pytest

from shoal.evaluate.generated.ground_truth import WebImage
from shoal.evaluate.generated.image_catalog import BOMB, drawn
from shoal.evaluate.generated.synthetic_web import SyntheticWeb, generate
from tests.evaluate.generated.served import answer

DIGEST = "d9838a4219bf284b"
"""Changes when an image or its truth changes: then what was measured with images must be measured again."""
SAMPLE = 29
"""Every so many images are decoded: all would take seconds."""


def decoded(web: SyntheticWeb, image: WebImage) -> PIL.Image.Image:
    return PIL.Image.open(BytesIO(answer(web, image.url).body))


def looks(image: PIL.Image.Image) -> int:
    """Which of two neighbours is brighter, in an image of 9 by 8."""
    small = image.convert("L").resize((9, 8), PIL.Image.Resampling.BOX).tobytes()
    return sum((small[y * 9 + x] < small[y * 9 + x + 1]) << (y * 8 + x) for y in range(8) for x in range(8))


def samples(web: SyntheticWeb) -> list[WebImage]:
    whole = [image for image in web.images.values() if image.sent == "image"]
    return whole[::SAMPLE]


def test_the_same_seed_gives_the_same_images(web: SyntheticWeb) -> None:
    state = hashlib.sha256()
    for url, image in sorted(web.images.items()):
        truth = (
            url,
            image.motif,
            sorted(image.topics),
            image.width,
            image.height,
            image.sent,
            image.allowed,
        )
        state.update(repr(truth).encode())
    for image in samples(web):
        state.update(answer(web, image.url).body)
    assert state.hexdigest()[:16] == DIGEST


@pytest.mark.slow
def test_another_seed_gives_others(web: SyntheticWeb) -> None:
    other = generate(8)
    assert {image.motif for image in web.images.values() if "/" in image.motif[:3]}.isdisjoint(
        image.motif for image in other.images.values()
    )
    assert min(len(other.relevant_images(topic)) for topic in other.topics) > 200


def test_every_image_can_be_decoded_and_has_its_size(web: SyntheticWeb) -> None:
    sizes = []
    for image in samples(web):
        seen = decoded(web, image)
        seen.load()
        assert seen.size == (image.width, image.height)
        sizes.append(len(answer(web, image.url).body))
    assert max(sizes) < 4_000


def test_the_same_image_looks_alike_in_every_size(web: SyntheticWeb) -> None:
    files = defaultdict(list)
    for image in web.images.values():
        if image.can_be_had:
            files[image.motif].append(image)
    several = [images for images in files.values() if len(images) > 1]
    assert len(several) > 500
    for images in several[::25]:
        smallest, largest = (pick(images, key=lambda image: image.width) for pick in (min, max))
        assert (looks(decoded(web, smallest)) ^ looks(decoded(web, largest))).bit_count() <= 4


def test_different_images_look_different() -> None:
    hashes = [looks(PIL.Image.open(BytesIO(drawn(f"motif {number}", 160, 120)))) for number in range(150)]
    apart = [(one ^ other).bit_count() for place, one in enumerate(hashes) for other in hashes[:place]]
    assert min(apart) > 8


@pytest.mark.parametrize(("width", "height"), [(1, 1), (8, 1), (7, 5), (300, 250)])
def test_every_size_can_be_drawn(width: int, height: int) -> None:
    image = PIL.Image.open(BytesIO(drawn("any", width, height)))
    image.load()
    assert image.size == (width, height)


def test_one_is_a_bomb(web: SyntheticWeb) -> None:
    [bomb] = [image for image in web.images.values() if image.sent == "bomb"]
    body = answer(web, bomb.url).body
    assert len(body) < 500
    assert struct.unpack(">II", body[16:24]) == (BOMB, BOMB)
    assert not bomb.can_be_had
    assert "power-grid" in bomb.topics


def test_some_are_gone_and_some_are_pages(web: SyntheticWeb) -> None:
    kinds = Counter(image.sent for image in web.images.values())
    assert 50 < kinds["gone"] < 300
    assert 50 < kinds["html"] < 300
    for image in web.images.values():
        if image.sent == "gone":
            assert answer(web, image.url).status == 404
        if image.sent == "html":
            assert dict(answer(web, image.url).headers)["Content-Type"] == "text/html"
