"""`shoal worker` says what it needs; what it does is in `tests/cluster/`."""

from __future__ import annotations

import pytest

from tests.shell import Shell


def test_without_a_broker_there_is_no_work(shoal: Shell, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("SHOAL_BROKER", raising=False)
    assert shoal("worker").sentence() == "Give the URL of the broker with --broker amqp://…, or in SHOAL_BROKER."
    assert "amqp" in shoal("worker", "--broker", "http://a.test/").sentence()
