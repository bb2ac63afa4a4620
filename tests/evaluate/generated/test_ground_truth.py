"""Only an image that is allowed, sent and large enough can be had."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from shoal.evaluate.generated.ground_truth import WebImage

IMAGE = WebImage(url="http://a.test/x.png", motif="x", width=64, height=200)


def test_an_image_like_any_other_can_be_had() -> None:
    assert IMAGE.can_be_had
    assert not IMAGE.is_icon


@pytest.mark.parametrize(
    "change", [{"width": 63}, {"height": 1}, {"sent": "gone"}, {"sent": "bomb"}, {"allowed": False}]
)
def test_some_cannot(change: dict[str, Any]) -> None:
    changed = replace(IMAGE, **change)
    assert not changed.can_be_had
    assert changed.is_icon == bool(change.keys() & {"width", "height"})
