"""`shoal strategies`: what can be chosen, and whether there are word vectors."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

from shoal import services
from shoal.cli import main
from shoal.testing.vector_packages import install_chinese


def said(capsys: pytest.CaptureFixture[str], *options: str) -> str:
    with pytest.raises(SystemExit) as ended:
        main(["strategies", *options])
    assert ended.value.code == 0
    return capsys.readouterr().out


def test_every_strategy_and_judge_is_listed(capsys: pytest.CaptureFixture[str]) -> None:
    shown = said(capsys)
    found = json.loads(said(capsys, "--json"))
    assert [one["name"] for one in found["strategies"]] == list(services.choices.names().strategies)
    assert [one["name"] for one in found["judges"]] == list(services.choices.names().judges)
    assert [one["name"] for part in ("strategies", "judges") for one in found[part] if one["name"] not in shown] == []


def test_word_vectors_are_named_or_it_is_said_how_to_get_them(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    said(capsys)  # whatever the command imports is imported now
    install_chinese(tmp_path, {"电网": (1.0,)})
    monkeypatch.setattr(sys, "path", [str(tmp_path)])
    sentences = [
        "English word vectors are not installed; `pip install 'shoal[semantic]'` installs them.",
        "Chinese word vectors come from simplechinese 0.2.15.",
    ]
    assert json.loads(said(capsys, "--json"))["vectors"] == sentences
    assert "\n".join(sentences) in said(capsys)
