"""Who asks or does something, and in which role?"""

from __future__ import annotations

from enum import StrEnum

import msgspec


class Role(StrEnum):
    """What somebody may do (`installation/permissions.py`)."""

    ADMINISTRATOR = "administrator"
    MEMBER = "member"
    VIEWER = "viewer"


class Person(msgspec.Struct, frozen=True, kw_only=True):
    """Somebody who asks or does something."""

    id: str | None
    """Owners are kept by it; None for the operator."""
    name: str
    role: Role
    made_at: float = 0.0
    last_seen: float | None = None
    has_password: bool = False
    """False for those who cannot log in (yet)."""


OPERATOR = Person(id=None, name="operator", role=Role.ADMINISTRATOR)
"""Whoever types commands: the files are theirs, so nothing could be kept from them."""
