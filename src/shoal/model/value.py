"""Which shape has everything that travels? Frozen, keyword-only, and held to what can be while it is read."""

from __future__ import annotations

from typing import Annotated

import msgspec
from msgspec import Meta

Finite = Annotated[float, Meta(ge=-1e300, le=1e300)]
"""What comes from another process is held to this while it is read: neither infinite nor "not a number"."""
Count = Annotated[int, Meta(ge=0, le=2**53)]
Int64 = Annotated[int, Meta(ge=-(2**63), le=2**63 - 1)]
"""What a database calls a number."""


class Value(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """The common shape of all that travels: it cannot change, and it is encoded without its defaults."""
