"""Bytes are read in the charset they are in, whatever anybody says about them."""

import bz2
import tracemalloc
import zlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shoal.parse.charset import decode

CHINESE = "智能电网是以物理电网为基础的现代化电网，发展很快。电力系统的调度与保护需要可靠的通信网络和数据分析。" * 3
TRADITIONAL = "智慧電網是以物理電網為基礎的現代化電網，發展很快。電力系統的調度與保護需要可靠的通訊網路和資料分析。" * 3


def page(text: str, charset: str, meta: str = "") -> bytes:
    return f"<html><head>{meta}<title>t</title></head><body><p>{text}</p></body></html>".encode(charset)


@pytest.mark.parametrize(
    ("body", "header", "text", "charset"),
    [
        (page(CHINESE, "gbk"), "text/html; charset=gb2312", CHINESE, "gb18030"),
        (page(CHINESE, "gbk"), 'text/html; Charset="GBK"', CHINESE, "gb18030"),
        (page(CHINESE, "gbk", "<meta charset=gb_2312-80>"), "text/html", CHINESE, "gb18030"),
        (
            page(CHINESE, "gbk", '<meta http-equiv="Content-Type" content="text/html; charset=gb2312">'),
            "text/html",
            CHINESE,
            "gb18030",
        ),
        (page(CHINESE, "gbk"), "text/html", CHINESE, "gb18030"),
        (page(CHINESE, "gb18030"), "", CHINESE, "gb18030"),
        (page(CHINESE, "gbk", "<meta charset=utf-8>"), "text/html; charset=utf-8", CHINESE, "gb18030"),
        (page(CHINESE, "gbk", "<meta charset=gbk>"), "text/html; charset=iso-8859-1", CHINESE, "gb18030"),
        (page(CHINESE, "gbk"), "text/html; charset=iso-8859-1", CHINESE, "gb18030"),
        (page(TRADITIONAL, "big5"), "text/html; charset=big5", TRADITIONAL, "big5"),
        (page(TRADITIONAL, "big5"), "text/html", TRADITIONAL, "big5"),
        (page(TRADITIONAL, "big5", "<meta charset=big5-hkscs>"), "", TRADITIONAL, "big5"),
        (page(CHINESE, "utf-8"), "", CHINESE, "utf-8"),
        (page(CHINESE, "utf-8", "<meta charset=gbk>"), "text/html; charset=gb2312", CHINESE, "utf-8"),
        (page(CHINESE, "utf-8-sig"), "text/html; charset=gbk", CHINESE, "utf-8"),
        (b"\xff\xfe" + CHINESE.encode("utf-16-le"), "", CHINESE, "utf-16-le"),
        (b"\xfe\xff" + CHINESE.encode("utf-16-be"), "", CHINESE, "utf-16-be"),
        (page("日本語の文章です。" * 9, "shift_jis", "<meta charset=x-sjis>"), "", "日本語の文章です。", "shift_jis"),
        (page("日本語の文章です。" * 9, "iso2022_jp"), "text/html; charset=iso-2022-jp", "日本語の文章", "iso-2022-jp"),
        (page("한국어 문장입니다. " * 9, "euc_kr", "<meta charset=ks_c_5601-1987>"), "", "한국어 문장", "euc-kr"),
        (page("Français déjà vu", "cp1252"), "text/html; charset=latin1", "Français déjà vu", "windows-1252"),
        (page("Привет, мир. Это русский текст.", "cp1251"), "; charset=windows-1251", "Привет, мир.", "windows-1251"),
        (page("plain", "ascii"), "text/html; charset=nonsense", "plain", "utf-8"),
        (page(CHINESE, "gbk", "<!-- <meta charset=big5> --><meta charset=gbk>"), "", CHINESE, "gb18030"),
        (b'<?xml version="1.0" encoding="gb2312"?><html>' + CHINESE.encode("gbk"), "", CHINESE, "gb18030"),
    ],
)
def test_the_right_charset(body: bytes, header: str, text: str, charset: str) -> None:
    decoded, name = decode(body, header)
    assert text in decoded
    assert name == charset


def test_a_few_bad_bytes_do_not_change_the_charset() -> None:
    decoded, name = decode(page(CHINESE, "utf-8").replace("网".encode(), b"\xff", 1), "text/html; charset=utf-8")
    assert name == "utf-8"
    assert decoded.count("\ufffd") == 1


def test_a_body_cut_inside_a_character_keeps_its_charset() -> None:
    assert decode((CHINESE * 10).encode()[:-1])[1] == "utf-8"


def test_the_top_level_domain_helps_where_there_is_little_text() -> None:
    assert decode("联通公司".encode("gbk"), host="www.example.cn") == ("联通公司", "gb18030")


@pytest.mark.slow
@given(st.binary(max_size=300), st.text(max_size=40), st.sampled_from(["", "a.cn", "a.jp", "[::1]", "127.0.0.1"]))
def test_any_bytes_can_be_read(body: bytes, header: str, host: str) -> None:
    text, _ = decode(body, f"text/html; charset={header}", host)
    text.encode("utf-8")


@given(
    st.binary(max_size=200), st.sampled_from(["utf-8", "gbk", "big5", "shift_jis", "euc-kr", "iso-2022-jp", "utf-16"])
)
def test_any_bytes_can_be_read_under_any_label(body: bytes, label: str) -> None:
    text, _ = decode(b"<meta charset=%s>" % label.encode() + body)
    text.encode("utf-8")


# --- documents that list pages ---------------------------------------------------------------------------------------

LISTED = "<?xml version='1.0'?><title>智能电网的发展很快</title><loc>http://a.test/电网</loc>"


@pytest.mark.parametrize(
    ("body", "content_type"),
    [
        (LISTED.encode(), ""),
        (LISTED.encode(), "text/xml; charset=gbk"),
        (b"\xef\xbb\xbf" + LISTED.encode(), ""),
        (LISTED.encode("utf-16"), ""),
        (b"\xfe\xff" + LISTED.encode("utf-16-be"), ""),
        (LISTED.encode("gbk"), "text/xml; charset=GB2312"),
        (LISTED.encode("gbk"), "text/xml"),
        (LISTED.encode("gbk"), "text/xml; charset=no-such-thing"),
        (LISTED.encode("gbk"), "text/xml; charset=hex"),
    ],
    ids=[
        "utf-8",
        "wrong header",
        "bom",
        "utf-16",
        "utf-16-be",
        "gbk by header",
        "gbk unsaid",
        "unknown",
        "not a charset",
    ],
)
def test_utf8_and_gbk_are_recognised_whatever_is_said(body: bytes, content_type: str) -> None:
    assert decode(body, content_type)[0] == LISTED


@pytest.mark.slow
@pytest.mark.parametrize(
    "label", ["bz2", "zip", "zlib_codec", "BZ2-codec", "uu", "punycode", "unicode_escape", "x" * 5000]
)
def test_what_is_no_charset_unpacks_nothing(label: str) -> None:
    """242 bytes became 300 MB of text, which is the memory of a small machine."""
    packed = bz2.compress(bytes(20 * 2**20)) if "bz2" in label.lower() else zlib.compress(bytes(20 * 2**20))
    tracemalloc.start()
    texts = [
        decode(packed, f"text/xml; charset={label}")[0],
        decode(b"<?xml version='1.0' encoding='" + label.encode() + b"'?>\xff" + packed)[0],
    ]
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert all(len(text) <= len(packed) + 5100 for text in texts)
    assert peak < 4 * 2**20


def test_the_declaration_of_a_document_counts_when_the_bytes_are_not_utf8() -> None:
    text = "<?xml version='1.0' encoding='iso-8859-1'?><title>Stra\xdfe</title>"
    assert decode(text.encode("latin-1"))[0] == text


def test_a_body_that_ends_within_a_character_is_still_utf8() -> None:
    assert decode("电网".encode()[:-1]) == ("电", "utf-8")
