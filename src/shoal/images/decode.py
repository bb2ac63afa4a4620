"""Which image do these bytes show? A server may send anything: all is checked before it is decoded.

    bytes ─► what makes the pixels ─► a format we read? ─► not too small, not too large? ─► decoded ─► thumbnail, fingerprint

What cannot be used is a `Failure` with one sentence. A large JPEG is decoded at a fraction of its size. Pillow is an extra:
who imports this module has asked for it (`extras.need`).
"""

from __future__ import annotations

import logging
import warnings
from io import BytesIO

import numpy as np
from numpy.typing import NDArray
from PIL import Image, UnidentifiedImageError, features

from shoal.images.container import Unusable, orientation_in, pixels_of
from shoal.images.fingerprint import SIDE, fingerprint
from shoal.model import DecodedImage, Failure, Reason, Response
from shoal.settings import ImageSettings

THUMBNAIL = 256
"""Pixels of the longer side of a thumbnail; a smaller image stays as small."""
_QUALITY = 70
_FORMATS = ("JPEG", "PNG", "GIF", "WEBP", "BMP", "TIFF", *(("AVIF",) if features.check("avif") else ()))
"""All others are refused unopened: each decoder is one more way to be attacked."""
_DEEP = ("I", "F", "I;16", "I;16L", "I;16B", "I;16N")
"""More than 256 greys."""
_WHOLE = ("L", "LA", "La", "RGB", "RGBA", "RGBa", "RGBX", "CMYK", "YCbCr", "HSV")
"""Modes whose pixels can be mixed; numbers of colours in a palette cannot."""
_UPRIGHT = {
    2: Image.Transpose.FLIP_LEFT_RIGHT,
    3: Image.Transpose.ROTATE_180,
    4: Image.Transpose.FLIP_TOP_BOTTOM,
    5: Image.Transpose.TRANSPOSE,
    6: Image.Transpose.ROTATE_270,
    7: Image.Transpose.TRANSVERSE,
    8: Image.Transpose.ROTATE_90,
}
"""What undoes how the camera was held."""
_ONE_COLOUR = 4
"""Of 256 shades: what varies less is one colour to the eye."""
# Who wants to hear what Pillow thinks of a file says so; nobody's terminal is written to because nobody said anything.
logging.getLogger("PIL").addHandler(logging.NullHandler())


class PillowDecoder:
    """Makes images of bytes with Pillow (`protocols.ImageDecoder`)."""

    def __init__(self, settings: ImageSettings) -> None:
        self._settings = settings

    def decode(self, response: Response) -> DecodedImage | Failure:
        """The image, or why it is none that we want. Never raises for what a server sent; one thread at a time."""
        try:
            return self._decode(response)
        except Unusable as why:
            return Failure(
                url=response.url,
                reason=Reason.IMAGE,
                detail=str(why),
                status=response.status,
                timing=response.timing,
            )

    def _decode(self, response: Response) -> DecodedImage:
        if response.truncated:
            raise Unusable(f"The image has more than {len(response.body):,} bytes, and only those were read.")
        # Pillow warns of every oddity of a file; of those that matter it raises.
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            if not response.body:
                raise Unusable("The server sent no bytes.")
            body, orientation = pixels_of(response.body)
            image = _opened(body)
            name, size = (image.format or "").lower(), image.size
            self._check(*image.size)
            if orientation == 1:
                orientation = orientation_in(image.info.get("exif", b""))
            small = _decoded(image, orientation)
        if np.ptp(np.asarray(small), axis=(0, 1)).max() <= _ONE_COLOUR:  # of red, green and blue
            raise Unusable("The image is one colour all over.")
        width, height = _as_shown(size, small.size)
        return DecodedImage(
            format=name,
            width=width,
            height=height,
            fingerprint=fingerprint(_greys(small)),
            thumbnail=_webp(small),
        )

    def _check(self, width: int, height: int) -> None:
        """What the file says of its size, before memory is spent on it."""
        if width * height > self._settings.max_pixels:
            limit = self._settings.max_pixels
            raise Unusable(f"The image has {width:,} x {height:,} pixels, and {limit:,} is the most that is decoded.")
        if min(width, height) < self._settings.least_side:
            least = self._settings.least_side
            raise Unusable(f"The image has {width} x {height} pixels, and one with a side below {least} is an icon.")


# --- decoding --------------------------------------------------------------------------------------------------------


def _opened(body: bytes) -> Image.Image:
    """The image with its head read and nothing decoded."""
    try:
        return Image.open(BytesIO(body), formats=_FORMATS)
    except UnidentifiedImageError as error:
        raise Unusable(_what_else(body)) from error
    except Image.DecompressionBombError as error:
        raise Unusable("The image says that it has hundreds of millions of pixels, which is an attack.") from error
    except Exception as error:  # damaged files make the decoders raise whatever comes to their minds
        raise Unusable("The image is damaged at its beginning.") from error


def _what_else(body: bytes) -> str:
    """What the bytes are, if not an image."""
    start = body[:1000].lstrip(b"\xef\xbb\xbf \t\r\n").lower()
    if b"<svg" in start:
        return "The server sent an SVG drawing, which is not decoded."
    if start.startswith(b"<"):
        return "The server sent a web page instead of an image."
    names = ", ".join(name.title() if name == "WEBP" else name for name in _FORMATS[:-1])
    return f"The server sent something that is neither {names} nor {_FORMATS[-1]}, or a damaged image."


def _decoded(image: Image.Image, orientation: int) -> Image.Image:
    """The first frame, upright, at most as large as a thumbnail, in red, green and blue on white."""
    try:
        if image.mode not in (*_WHOLE, *_DEEP):
            image = image.convert("RGBA" if image.has_transparency_data else "RGB")
        # Of a JPEG, this decodes only as many pixels as needed.
        image.thumbnail((THUMBNAIL, THUMBNAIL), Image.Resampling.LANCZOS, reducing_gap=3.0)
        upright = _on_white(_shallow(image) if image.mode in _DEEP else image)
        return upright.transpose(_UPRIGHT[orientation]) if orientation in _UPRIGHT else upright
    except Exception as error:  # as above; also when there is not enough memory
        raise Unusable("The image is damaged or incomplete, and cannot be decoded.") from error


def _shallow(image: Image.Image) -> Image.Image:
    """From the darkest to the brightest of more than 256 greys, in 256."""
    greys = np.asarray(image, dtype=np.float64)
    darkest, brightest = float(greys.min()), float(greys.max())
    if not np.isfinite(brightest - darkest):
        raise ValueError("not a number among the greys")
    scaled = (greys - darkest) * (255.0 / max(brightest - darkest, 1e-9))
    return Image.fromarray(scaled.astype(np.uint8))


def _on_white(image: Image.Image) -> Image.Image:
    """A new image, so that nothing but its pixels goes on."""
    paper = Image.new("RGB", image.size, "white")
    if image.has_transparency_data:
        image = image.convert("RGBA")
        paper.paste(image, mask=image)
    else:
        paper.paste(image.convert("RGB"))
    return paper


# --- what is kept ----------------------------------------------------------------------------------------------------


def _as_shown(size: tuple[int, int], small: tuple[int, int]) -> tuple[int, int]:
    """The size of the image when it is upright: the thumbnail is."""
    width, height = size
    return (height, width) if (width - height) * (small[0] - small[1]) < 0 else size


def _greys(image: Image.Image) -> NDArray[np.float64]:
    return np.asarray(image.convert("L").resize((SIDE, SIDE), Image.Resampling.BOX), dtype=np.float64)


def _webp(image: Image.Image) -> bytes:
    stream = BytesIO()
    image.save(stream, "WEBP", quality=_QUALITY)
    return stream.getvalue()
