"""Pages are written in many charsets, declared well, badly or not, and some are broken."""

from __future__ import annotations

import pytest

from shoal.evaluate.generated.synthetic_web import SyntheticWeb
from shoal.urls import host_of
from tests.evaluate.generated.served import html_pages

CHARSETS = {
    "chuneng.test": ("gbk", "text/html", b"charset=gbk"),
    "tielu.test": ("gb18030", "text/html", b"charset=gb2312"),
    "shuili.test": ("gbk", "text/html", b""),
    "taigang.test": ("big5", "text/html", b"charset=big5"),
    "dianwang.test": ("utf-8", "text/html; charset=utf-8", b""),
    "archive.test": ("windows-1252", "text/html", b"charset=windows-1252"),
}


@pytest.mark.parametrize(("host", "expected"), CHARSETS.items())
def test_charsets_are_declared_well_badly_or_not(
    host: str, expected: tuple[str, str, bytes], web: SyntheticWeb
) -> None:
    charset, header, meta = expected
    for page in html_pages(web):
        if host_of(page.url) == host:
            assert (page.charset, page.content_type) == (charset, header)
            assert meta in page.body
            assert meta or b"charset" not in page.body


def test_every_body_is_in_its_charset(web: SyntheticWeb) -> None:
    for page in html_pages(web):
        assert page.body.decode(page.charset).strip()


def test_a_page_labelled_gb2312_needs_gb18030(web: SyntheticWeb) -> None:
    with pytest.raises(UnicodeDecodeError):
        web.pages["http://tielu.test/rail/1.html"].body.decode("gb2312")


def test_traditional_pages_are_traditional(web: SyntheticWeb) -> None:
    text = web.pages["http://taigang.test/power-grid/index.html"].body.decode("big5")
    assert "電網" in text
    assert "电网" not in text


def test_broken_pages_are_broken_in_many_ways(web: SyntheticWeb) -> None:
    bodies = [page.body for page in html_pages(web) if host_of(page.url) in ("blog.test", "luntan.test")]
    for sign in (b"\x00", b"</a></a>", b"=oops", b"<b><i>", b"<ul><table>"):
        assert any(sign in body for body in bodies)
    assert any(b"</p>" not in body for body in bodies)
    assert any(b"<html>" not in body for body in bodies)
