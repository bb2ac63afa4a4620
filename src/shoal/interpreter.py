"""What does a process that crawls want of Python?"""

from __future__ import annotations

import gc


def tune() -> None:
    """What travels has no cycles: looking for them among millions of small objects again and again finds nothing."""
    gc.set_threshold(100_000, 50, 100)
