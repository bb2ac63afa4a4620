"""Do two images show the same? Their fingerprints are near.

A fingerprint is 64 bits that stay nearly the same in other sizes, formats and qualities. An image of 32 x 32 greys is written
as a sum of waves (the cosine transform), from the longest on. Bit by bit: does the next wave, of the 64 longest, add or take
away? Compression and scaling touch the short waves, brightness and contrast no sign at all.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

SIDE = 32
"""Greys in a row, and rows, of what is fingerprinted."""
NEAR = 6
"""Bits that may differ between two fingerprints of the same image. Other sizes and formats differ in 1 bit on average, other
images in 30, and charts in the same frame in 18. Taking two for one loses an image, so this is on the low side."""

_places = np.arange(SIDE)
_WAVES = np.cos(np.pi * np.outer(np.arange(SIDE), 2 * _places + 1) / (2 * SIDE))
"""Row k is a wave of k half turns across the image."""
_LONGEST = sorted(((row, column) for row in _places for column in _places), key=lambda wave: (sum(wave), wave))[1:65]
"""The longest waves, without the one of no turn, which is the brightness."""
_ROWS, _COLUMNS = (np.array(places) for places in zip(*_LONGEST, strict=True))


def fingerprint(greys: NDArray[np.float64]) -> bytes:
    """8 bytes of an image of 32 x 32 greys."""
    waves = _WAVES @ (greys - greys.mean()) @ _WAVES.T
    return np.packbits(waves[_ROWS, _COLUMNS] > 0).tobytes()
