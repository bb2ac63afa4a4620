"""The strategy that listens (`tests/hearing.py`), as shoal finds one: a file with a `CHOICE`."""

from __future__ import annotations

from shoal.judge.registry import Registered
from tests.hearing import Listener

CHOICE = Registered(name="listener", summary="hosts that the user likes first", paper="", make=Listener)
