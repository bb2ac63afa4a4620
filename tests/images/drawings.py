"""Images to try things on: each is made from a number, and no two show the same."""

from __future__ import annotations

from io import BytesIO
from random import Random

from PIL import Image, ImageDraw

from shoal.model import Response, Timing

TIMING = Timing(started=1.0, answered=2.0, ended=3.0)
URL = "http://x.test/a"


def drawing(number: int, size: tuple[int, int] = (400, 300), mode: str = "RGB") -> Image.Image:
    """Ellipses and boxes in all colours."""
    dice = Random(number)
    image = Image.new("RGB", (400, 300), "white")
    draw = ImageDraw.Draw(image)
    for place in range(12):
        left, right = sorted(dice.sample(range(400), 2))
        top, bottom = sorted(dice.sample(range(300), 2))
        shape = draw.ellipse if place % 2 else draw.rectangle
        shape((left, top, right, bottom), fill=tuple(dice.randrange(256) for _ in range(3)))
    return image.resize(size).convert(mode)


def encoded(image: Image.Image, format: str = "PNG", **options: object) -> bytes:
    stream = BytesIO()
    image.save(stream, format, **options)
    return stream.getvalue()


def response(body: bytes, content_type: str = "image/png", *, truncated: bool = False) -> Response:
    headers = (("content-type", content_type),)
    return Response(url=URL, status=200, headers=headers, body=body, timing=TIMING, truncated=truncated)


def distance(one: bytes, other: bytes) -> int:
    """In how many of 64 bits two fingerprints differ."""
    return (int.from_bytes(one, "big") ^ int.from_bytes(other, "big")).bit_count()
