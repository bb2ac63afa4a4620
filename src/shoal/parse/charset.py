"""Which charset are these bytes in? Nothing that a page or server says about it is trusted unseen.

The order: byte-order mark, strict UTF-8, HTTP header, meta tag or XML declaration, statistics. A label that the bytes
contradict is dropped. Only charsets of the table have a codec: Python knows more by such names (`bz2`, `hex`), and some unpack.
"""

from __future__ import annotations

import codecs
import re

from turbohtml.detect import Detection, detect

from shoal.cache import cached

_BOMS = ((codecs.BOM_UTF8, "utf-8"), (codecs.BOM_UTF16_LE, "utf-16-le"), (codecs.BOM_UTF16_BE, "utf-16-be"))

# Python's codec for each charset: the larger one that browsers use where the label names a smaller one. The first word of
# a row is the name pages are recorded with.
_LABELS = {
    "utf-8": "utf-8 utf8 utf_8 unicode-1-1-utf-8 utf-16 utf-16le utf-16be unicode",  # 16-bit in a tag that reads as ASCII
    "gb18030": "gb18030 gbk gb2312 gb_2312-80 gb_2312 gb-2312 gb2312-80 x-gbk cp936 ms936 windows-936 euc-cn csgb2312 "
    "chinese iso-ir-58",
    "big5hkscs": "big5 big5-hkscs big5hkscs big-5 x-x-big5 cn-big5 csbig5 cp950 ms950",
    "cp932": "shift_jis shift-jis sjis x-sjis ms_kanji windows-31j csshiftjis cp932 ms932",
    "euc_jp": "euc-jp x-euc-jp cseucpkdfmtjapanese",
    "iso2022_jp": "iso-2022-jp csiso2022jp",
    "cp949": "euc-kr euckr ks_c_5601-1987 ks_c_5601-1989 ksc5601 ksc_5601 korean windows-949 cseuckr cp949",
    "cp1252": "windows-1252 iso-8859-1 iso8859-1 iso_8859-1 latin1 latin-1 l1 ascii us-ascii cp1252 x-cp1252 cp819",
    "cp1254": "windows-1254 iso-8859-9 latin5 cp1254",
    "cp874": "windows-874 tis-620 iso-8859-11",
    "cp1250": "windows-1250 cp1250",
    "cp1251": "windows-1251 cp1251 x-cp1251",
    "cp1253": "windows-1253 cp1253",
    "cp1255": "windows-1255 cp1255",
    "cp1256": "windows-1256 cp1256",
    "cp1257": "windows-1257 cp1257",
    "cp1258": "windows-1258 cp1258",
    "iso8859_2": "iso-8859-2 latin2",
    "iso8859_3": "iso-8859-3 latin3",
    "iso8859_4": "iso-8859-4 latin4",
    "iso8859_5": "iso-8859-5 cyrillic",
    "iso8859_6": "iso-8859-6 arabic",
    "iso8859_7": "iso-8859-7 greek",
    "iso8859_8": "iso-8859-8 iso-8859-8-i hebrew",
    "iso8859_10": "iso-8859-10 latin6",
    "iso8859_13": "iso-8859-13",
    "iso8859_14": "iso-8859-14",
    "iso8859_15": "iso-8859-15 latin9",
    "iso8859_16": "iso-8859-16",
    "koi8_r": "koi8-r koi8 koi",
    "koi8_u": "koi8-u koi8-ru",
    "cp866": "ibm866 cp866",
    "mac_roman": "macintosh mac x-mac-roman",
    "mac_cyrillic": "x-mac-cyrillic x-mac-ukrainian",
}
_NAMES = {label: row.split()[0] for row in _LABELS.values() for label in row.split()}
_CODECS = {row.split()[0]: codec for codec, row in _LABELS.items()}

_HEADER = re.compile(r"charset\s*+=\s*+[\"']?+\s*+([^\s\"';,]++)", re.IGNORECASE)
_COMMENT = re.compile(rb"<!--.*?-->|(<!--.*+)", re.DOTALL)
"""A comment; one that is not closed is found once, not from each of its beginnings, and stays."""
_META = re.compile(
    rb"<meta\s[^<>]*?charset\s*+=\s*+[\"']?+\s*+([\w.:-]++)|<\?xml\s[^<>]*?encoding\s*+=\s*+[\"']([\w.:-]++)", re.I
)
_TAG = re.compile(rb"<[^<>]{0,2000}+>")
_PRESCAN = 4096
_SAMPLE = 50_000
"""Bytes that the statistics look at; more does not make them surer, only slower."""
_FEW = 40
"""Bytes beyond ASCII that are too few for statistics: some names in a list of addresses."""
_HIGH = bytes(range(0x80, 0x100))


def decode(body: bytes, content_type: str = "", host: str = "") -> tuple[str, str]:
    """The text of a body and the name of its charset; bytes that mean nothing are replaced."""
    for mark, codec in _BOMS:
        if body.startswith(mark):
            return body[len(mark) :].decode(codec, "replace"), codec
    label = _declared(body, content_type)
    if not (body.isascii() and label in _CODECS):
        try:
            # Bytes of another charset that are valid UTF-8 by chance are so rare that every label is overruled.
            text, used = codecs.utf_8_decode(body)
        except UnicodeDecodeError:
            text, used = "", 0
        if used == len(body) or not text.isascii():  # what was cut off may end within a character
            return text, "utf-8"
    return _decode_by_evidence(body, label, host)


def encoder(charset: str) -> str:
    """The Python codec that writes what a page of this charset would send."""
    return _CODECS.get(charset, "utf-8")


def _declared(body: bytes, content_type: str) -> str:
    """The charset that header or meta tag name, or an empty string."""
    match = _HEADER.search(content_type)
    by_header = _NAMES.get(match.group(1).lower(), "") if match else ""
    # Many servers add Latin-1 to everything; the author's tag knows better.
    if by_header and by_header != "windows-1252":
        return by_header
    head = body[:_PRESCAN]
    tag = _META.search(_COMMENT.sub(rb"\1", head) if b"<!--" in head else head)
    by_meta = (tag.group(1) or tag.group(2)).decode("ascii", "replace").lower() if tag else ""
    return _NAMES.get(by_meta, "") or by_header


def _decode_by_evidence(body: bytes, label: str, host: str) -> tuple[str, str]:
    """By the label unless the bytes contradict it, else by statistics."""
    high = len(body) - len(body.translate(None, _HIGH))
    if label == "windows-1252" and high > len(body) // 10:
        label = ""  # every byte is valid in it, so only this many accents can tell that it is wrong
    if label:
        text = body.decode(_CODECS[label], "replace")
        if text.count("\ufffd") <= high // 20:
            return text, label
    guess = "gb18030" if high < _FEW and _is_gb2312(body) else _guess(body, host)
    if guess == "windows-1252" and (text := body.decode("utf-8", "replace")).count("\ufffd") <= high // 20:
        return text, "utf-8"
    return body.decode(_CODECS[guess], "replace"), guess


def _is_gb2312(body: bytes) -> bool:
    """Every byte beyond ASCII has a neighbour with which it is a Chinese character: rare in all other charsets."""
    try:
        body.decode("gb2312")
    except UnicodeDecodeError:
        return False
    return True


def _guess(body: bytes, host: str) -> str:
    """What the statistics say about the text; tags are cut out, because the detector would believe what they say."""
    sample = _TAG.sub(b" ", body[: 4 * _SAMPLE])[:_SAMPLE]
    found = detect(sample, _hint(host.rpartition(".")[2].lower())).encoding or ""
    return _NAMES.get(found.lower(), "windows-1252")


@cached(size=1000)
def _hint(top_level: str) -> Detection:
    """A host in `.cn` or `.jp` tells about the charset of its pages."""
    return Detection(tld=top_level if top_level.isascii() and top_level.isalpha() else None)
