"""`shoal revisit`, as it is typed."""

from __future__ import annotations

from tests.shell import Shell


def test_what_cannot_go_together_is_refused(stocked: Shell) -> None:
    assert stocked("revisit", "http://a.test/bread", "--older-than", "1d").code == 2
    assert "--older-than" in stocked("revisit", "--older-than", "soon").err


def test_nothing_to_look_at_again_is_said(stocked: Shell) -> None:
    said = stocked("revisit", "--older-than", "36500d")
    assert said.code == 2
    assert said.err == (
        "shoal: There is no page to look at again: all were looked at lately (--older-than says how lately).\n"
    )
