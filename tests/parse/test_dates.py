"""Dates are understood however they are written, and never invented."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shoal.parse.dates import iso_date, published


@pytest.mark.parametrize(
    ("written", "iso"),
    [
        ("2024-03-05", "2024-03-05"),
        ("2024-03-05T10:20:30+08:00", "2024-03-05T10:20:30+08:00"),
        ("2024-03-05T10:20:30.123Z", "2024-03-05T10:20:30Z"),
        ("2024-03-05 10:20", "2024-03-05T10:20:00"),
        ("2024-03-05T10:20:30+0800", "2024-03-05T10:20:30+08:00"),
        ("2024-03", "2024-03"),
        ("2024/3/5", "2024-03-05"),
        ("2024.03.05", "2024-03-05"),
        ("20240305", "2024-03-05"),
        ("2024年3月5日", "2024-03-05"),
        ("2024 年 3 月 5 日 08:30", "2024-03-05T08:30:00"),
        ("2024年3月", "2024-03"),
        ("March 5, 2024", "2024-03-05"),
        ("5th March 2024", "2024-03-05"),
        ("Tue, 05 Mar 2024 10:20:30 GMT", "2024-03-05T10:20:30Z"),
        ("2024-02-30", ""),
        ("2024-13-01", ""),
        ("2024-03-05T99:99:99", "2024-03-05"),
        ("5 Foo 2024", ""),
        ("yesterday", ""),
        ("", ""),
    ],
)
def test_a_date_however_it_is_written(written: str, iso: str) -> None:
    assert iso_date(written) == iso


@pytest.mark.parametrize(
    ("stated", "url", "text", "found"),
    [
        (["nonsense", "2023-01-02"], "http://a.b/2024/03/05/x", "", "2023-01-02"),
        ([], "http://a.b/2024/03/05/x.html", "", "2024-03-05"),
        ([], "http://a.b/news/2024-03/x.html", "", "2024-03"),
        ([], "http://a.b/20240305/x.html", "", "2024-03-05"),
        ([], "http://a.b/item/202499/x", "", ""),
        ([], "http://a.b/", "标题\n发布时间：2024-03-05 10:20 来源：新华社", "2024-03-05T10:20:00"),
        ([], "http://a.b/", "2024年3月5日 记者报道", "2024-03-05"),
        ([], "http://a.b/", "Posted on 2024-03-05 by Ann", "2024-03-05"),
        ([], "http://a.b/", "x" * 600 + "2024年3月5日", ""),
        ([], "http://a.b/", "Version 2024.1 is out", ""),
    ],
)
def test_the_most_trustworthy_date_counts(stated: list[str], url: str, text: str, found: str) -> None:
    assert published(stated, url, text) == found


@given(st.text(alphabet="0123456789-/.年月日T: +ZMarch,", max_size=60))
def test_any_string_is_a_date_or_none(value: str) -> None:
    assert iso_date(value) == "" or len(iso_date(value)) >= len("2024-03")
