"""The generated web, made once for all tests that only look at it."""

from __future__ import annotations

import pytest

from shoal.evaluate.generated.synthetic_web import Web, generate


@pytest.fixture(scope="session")
def web() -> Web:
    return generate()
