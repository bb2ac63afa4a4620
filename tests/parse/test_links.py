"""The shortcut for plain links and the resolver for all others must agree."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shoal import urls
from shoal.model import LinkKind
from shoal.parse.html import Markup
from shoal.parse.links import resolve
from shoal.parse.main_text import RawLink

BASES = ["http://site.test/", "https://www.site.test:8080/a/b.html", "http://site.test/a/b?c=/d/e", "http://1.2.3.4/x/"]


def targets(href: str, base: str) -> list[str]:
    notes = Markup(links=[RawLink(href, LinkKind.ANCHOR, "a")])
    return [link.url for link in resolve(notes, base, base, "utf-8")[0]]


@pytest.mark.parametrize("base", BASES)
@pytest.mark.parametrize(
    "href",
    [
        "x",
        "x/",
        "x/y.html",
        "/x",
        "/",
        "//other.test/x",
        "../x",
        "./x",
        "x/../y",
        ".hidden",
        "x/.",
        "x..y",
        "?q=1",
        "x?q=1",
        "http://other.test",
        "http://other.test/",
        "http://OTHER.test/x",
        "http://other.test:80/x",
        "http://other.test./x",
        "http://xn--/x",
        "http://a.xn--zca.test/",
        "http://127.0.0.1/x",
        "http://0x7f.1/x",
        "http:\\\\other.test\\x",
        "https:x",
        "%7ex",
        "%E7%94%B5",
        "%e7%94%b5",
        "电网",
        "x y",
        " x ",
        "x\ty",
        "mailto:x",
        "http://user@other.test/x",
    ],
)
def test_the_shortcut_agrees_with_the_resolver(href: str, base: str) -> None:
    resolved = urls.normalise(href, base)
    assert targets(href, base) == ([resolved] if resolved else [])


@pytest.mark.slow
@given(st.text(alphabet="aZ09-._~/:?%EF7e x\\@", max_size=30), st.sampled_from(BASES))
def test_the_shortcut_agrees_on_any_href(href: str, base: str) -> None:
    resolved = urls.normalise(href, base)
    assert targets(href, base) == ([resolved] if resolved else [])


@given(st.text(alphabet="ab-.x0", max_size=20), st.sampled_from(BASES))
def test_the_shortcut_agrees_on_any_host(host: str, base: str) -> None:
    href = f"http://{host}.test/path"
    resolved = urls.normalise(href, base)
    assert targets(href, base) == ([resolved] if resolved else [])
