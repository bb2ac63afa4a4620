"""Dates are understood however they are written, and never invented; a page's word about its language counts until its script
says otherwise."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shoal.parse.metadata import iso_date, language_of, published


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


# --- language --------------------------------------------------------------------------------------------------------

ENGLISH = "The power grid delivers electricity from the producers to the consumers of a country. "
CHINESE = "智能电网是以物理电网为基础的现代化电网，发展很快，需要可靠的通信网络。"
JAPANESE = "電力網は発電所から消費者へ電気を送るためのネットワークです。とても大切です。"
KOREAN = "전력망은 발전소에서 소비자에게 전기를 보내는 네트워크입니다."


@pytest.mark.parametrize(
    ("text", "declared", "language"),
    [
        (ENGLISH, "en-GB", "en"),
        (ENGLISH, "", "en"),
        (ENGLISH, "zh-CN", "en"),
        (ENGLISH, "fr", "fr"),
        (CHINESE, "", "zh"),
        (CHINESE, "en", "zh"),
        (CHINESE, "zh-Hant", "zh"),
        (JAPANESE, "", "ja"),
        (JAPANESE, "zh", "ja"),
        (KOREAN, "en", "ko"),
        ("Das Stromnetz ist ein Netzwerk zur Übertragung und Verteilung elektrischer Energie.", "", "de"),
        ("Электрическая сеть служит для передачи и распределения энергии потребителям.", "", "ru"),
        (ENGLISH, "english", "en"),
        ("Home Page\nCourse Syllabus\nLecture Outlines\nHomework Assignments\nProgramming Assignments", "", ""),
        ("La rete elettrica porta la corrente dalle centrali alle case di tutto il paese.", "", "it"),
        ("42", "", ""),
        ("", "zh", "zh"),
        ("", "", ""),
        (CHINESE[:12] + ENGLISH * 5, "en", "en"),
    ],
)
def test_the_language(text: str, declared: str, language: str) -> None:
    assert language_of(text, declared) == language
