"""`shoal revisit`, as it is typed."""

from __future__ import annotations

from pathlib import Path

import pytest

from shoal.commands.revisit import show_revisit
from shoal.services.revisit import Revisit
from shoal.services.run import Ending
from shoal.store.revisits import Looked
from tests.shell import Shell


@pytest.mark.parametrize(
    ("looked", "said"), [(1, "1 page looked at: 1 changed"), (2_000, "2,000 pages looked at: 1 ch")]
)
def test_what_came_of_it_is_counted(looked: int, said: str, capsys: pytest.CaptureFixture[str]) -> None:
    found = Looked(looked=looked, changed=("http://a.test/bread",), gone=(), waiting=0)
    show_revisit(Path("c"), Revisit(ending=Ending.NOTHING_LEFT, found=found))
    assert said in capsys.readouterr().out


def test_what_cannot_go_together_is_refused(stocked: Shell) -> None:
    assert stocked("revisit", "http://a.test/bread", "--older-than", "1d").code == 2
    assert "--older-than" in stocked("revisit", "--older-than", "soon").err


def test_nothing_to_look_at_again_is_said(stocked: Shell) -> None:
    said = stocked("revisit", "--older-than", "36500d")
    assert said.code == 2
    assert said.err == (
        "shoal: There is no page to look at again: all were looked at lately (--older-than says how lately).\n"
    )
