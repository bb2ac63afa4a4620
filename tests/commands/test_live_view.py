"""Who waits for a crawl sees what their window can show."""

from __future__ import annotations

from functools import partial
from pathlib import Path

import pytest

from shoal.commands import live_lines, live_screen, live_view


def test_a_screen_is_drawn_only_where_there_is_one(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("FORCE_COLOR", raising=False)
    assert live_view.progress(Path("c"), silent=False) is live_lines.tell_lines
    monkeypatch.setenv("FORCE_COLOR", "1")
    drawn = live_view.progress(Path("c"), silent=False)
    assert isinstance(drawn, partial)
    assert drawn.func is live_screen.draw
    assert live_view.progress(Path("c"), silent=True) not in (live_lines.tell_lines, drawn)
