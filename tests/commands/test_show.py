"""`shoal show`, as it is typed."""

from __future__ import annotations

from tests.shell import Shell
from tests.stocked import WEB


def test_show_prints_the_text(stocked: Shell) -> None:
    out = stocked("show", "a.test/bread").out
    assert out.startswith("Bread\nhttp://a.test/bread\nFetched 1970-01-12")
    assert "Flour, water, salt and an oven." in out


def test_show_html_prints_the_bytes_of_the_page(stocked: Shell) -> None:
    code, out, _ = stocked.bytes("show", "--html", "http://a.test/转变")
    assert (code, out) == (0, WEB["http://a.test/%E8%BD%AC%E5%8F%98"].body)  # type: ignore[union-attr]


def test_what_cannot_go_together_is_refused(stocked: Shell) -> None:
    assert stocked("show", "http://a.test/bread", "--html", "--json").code == 2
