"""A bar is as long as its share, and who wants no progress sees none."""

from __future__ import annotations

import pytest

from shoal.commands.console import bar, progress_bar, say


@pytest.mark.parametrize(
    ("share", "drawn"),
    [
        (0.0, ""),
        (0.0001, "▏"),  # never nothing for more than nothing
        (1 / 96, "▏"),
        (7 / 8 / 12, "▉"),
        (0.5, "█" * 6),
        (0.55, "██████▋"),  # 12 characters are 96 eighths: 52.8, rounded to 53 = 6 x 8 + 5
        (1.0, "█" * 12),
        (1.2, "█" * 12),
    ],
)
def test_bars(share: float, drawn: str) -> None:
    assert bar(share) == drawn


def test_progress_is_drawn_for_whoever_waits(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FORCE_COLOR", "1")  # as if a terminal were there
    for silent in (True, False):
        with progress_bar("Reading", "pages", silent=silent, after=0.0) as report:
            report(1, 2)
        assert ("Reading" in capsys.readouterr().err) is not silent


def test_a_line_is_never_folded(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "10")
    say("电网 " * 20)
    assert capsys.readouterr().out == "电网 " * 20 + "\n"
