"""What is a charset called, and which codec reads it? Names come from strangers: only those in this table have a codec.

Python knows more codecs by such names (`bz2`, `hex`, `punycode`): some of them unpack, some are slow, none is a page's charset.
"""

from __future__ import annotations

# Python's codec for each charset: the larger one that browsers use where the label names a smaller one. The first word of
# a row is the name pages are recorded with.
LABELS = {
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
_CODECS = {label: codec for codec, row in LABELS.items() for label in row.split()}


def codec_of(label: str) -> str | None:
    """The codec for what a server or a document calls its charset; None when nobody knows it."""
    return _CODECS.get(label.strip().lower())
