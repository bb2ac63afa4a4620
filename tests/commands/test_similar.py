"""`shoal similar`, as it is typed."""

from __future__ import annotations

from tests.shell import Shell


def test_similar_pages_are_shown(stocked: Shell) -> None:
    out = stocked("similar", "http://a.test/transformer").out
    assert out.index("Substations") < out.index("match")
    assert stocked("similar", "http://a.test/none").code == 2
