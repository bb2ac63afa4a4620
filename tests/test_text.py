"""The analyser: what the same text is, whoever wrote it and however."""

import struct
import subprocess
import sys
from time import thread_time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shoal.text import Keywords, bands, fingerprint, flat, fold, similarity, terms


@pytest.mark.parametrize(
    ("text", "folded"),
    [
        ("Smart GRID", "smart grid"),
        ("ＡＢＣ１２３，", "abc123 "),
        ("智能電網與變電站", "智能电网与变电站"),
        ("Café Ångström", "cafe angstrom"),
        ("re\u0301sume\u0301", "resume"),
        ("a\x00b\x07c\u200bd\ufeff", "abcd"),
        ("line\none\ttwo", "line\none\ttwo"),
        ("ｶﾞｽ", "ガス"),
        ("ﬁne №1", "fine no1"),
        ("\ud800x", "x"),
        ("", ""),
    ],
)
def test_one_spelling(text: str, folded: str) -> None:
    assert fold(text) == folded


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Smart grids, batteries & glass.", ["smart", "grid", "battery", "glass"]),
        ("智能电网的建设", ["智能", "电网", "的", "建设"]),
        ("智能電網的建設", ["智能", "电网", "的", "建设"]),
        ("使用Python教程学习", ["使用", "python", "教程", "学习"]),
        ("5G 网络 covid19 7 42 2024", ["5g", "网络", "covid19", "42", "2024"]),
        ("Maxwell's equations don’t", ["maxwell", "equation", "don"]),
        ("Привет мир", ["привет", "мир"]),
        ("snake_case x-ray", ["snake", "case", "x", "ray"]),
        ("!!! ——。、 3", []),
        ("k" * 41 + " ok", ["ok"]),
        ("\x01 中文 \x01 word", ["中文", "word"]),
    ],
)
def test_words_in_order(text: str, expected: list[str]) -> None:
    assert terms(text) == expected


@pytest.mark.parametrize(
    ("plural", "singular"),
    [
        ("grids", "grid"),
        ("batteries", "battery"),
        ("ties", "tie"),
        ("classes", "class"),
        ("boxes", "box"),
        ("switches", "switch"),
        ("houses", "house"),
        ("sizes", "size"),
        ("heroes", "hero"),
        ("viruses", "virus"),
        ("children", "child"),
        ("analyses", "analysis"),
        ("topics", "topic"),
        ("cameras", "camera"),
    ],
)
def test_a_plural_is_its_singular(plural: str, singular: str) -> None:
    assert terms(plural) == terms(singular) == [singular]


@pytest.mark.parametrize("word", ["glass", "virus", "analysis", "physics", "series", "dns", "gas", "this", "news"])
def test_words_that_only_end_like_plurals_stay(word: str) -> None:
    assert terms(word) == [word]


@given(st.text())
def test_any_text_can_be_analysed_and_encoded(text: str) -> None:
    found = terms(text)
    flat(found).encode("utf-8")
    assert all(found)
    assert not any(character.isspace() for term in found for character in term)


@given(st.lists(st.sampled_from(["grid", "电网", "5g", "智能", "ux"]), max_size=30))
def test_analysing_flat_text_again_changes_no_latin_word(words: list[str]) -> None:
    assert [term for term in terms(flat(words)) if term.isascii()] == [word for word in words if word.isascii()]


# --- keywords ---


def counts(phrases: list[str], text: str) -> list[int]:
    return Keywords(phrases).count(flat(terms(text)))


@pytest.mark.parametrize(
    ("phrase", "text", "times"),
    [
        ("UX", "linux and UX", 1),
        ("智能电网", "发展智能电网产业，智能電網很好", 2),
        ("电网", "智能电网", 1),
        ("5G 网络", "5G网络和 5g 网络", 2),
        ("Python教程", "最好的 Python 教程", 1),
        ("Python教程", "最好的 CPython 教程", 0),
        ("power grids", "The Power Grid", 1),
        ("power grid", "power-grid", 1),
        ("power grid", "power gridlock", 0),
        ("grid", "grid grid grid", 3),
        ("ＧＲＩＤ", "grids", 1),
        ("Café", "the cafe", 1),
    ],
)
def test_a_keyword_is_found_however_it_is_written(phrase: str, text: str, times: int) -> None:
    assert counts([phrase], text) == [times]


def test_nested_and_equal_keywords_all_count() -> None:
    assert counts(["grid", "power grid", "grids", "电网", "智能电网"], "a power grid 智能电网") == [1, 1, 1, 1, 1]


def test_a_keyword_that_says_nothing_never_counts() -> None:
    assert Keywords(["grid", "!!", "7"]).count(flat(terms("grid !! 7"))) == [1, 0, 0]


def test_no_keywords_count_nothing() -> None:
    assert Keywords([]).count("grid") == []
    assert Keywords(["?"]).count(" grid ") == [0]


# --- near-duplicates ---


def words(count: int, start: int = 0) -> list[str]:
    return [f"w{number}" for number in range(start, start + count)]


def said(words: list[str]) -> str:
    return flat(terms(" ".join(words)))


def test_a_short_text_has_no_fingerprint() -> None:
    assert fingerprint(said(words(19))) == b""
    assert bands(b"") == ()
    assert similarity(b"", b"") == 0.0


def test_a_fingerprint_is_128_numbers_of_32_bits() -> None:
    found = fingerprint(said(words(500)))
    assert len(found) == 128 * 4
    assert len(set(struct.unpack("<128I", found))) > 100


def test_near_duplicates_are_similar_and_share_a_band() -> None:
    original = words(500)
    changed = [*original[:100], "changed", *original[101:]]
    one, other = fingerprint(said(original)), fingerprint(said(changed))
    assert similarity(one, one) == 1.0
    assert similarity(one, other) > 0.9
    assert set(bands(one)) & set(bands(other))


def test_different_texts_share_nothing() -> None:
    one, other = fingerprint(said(words(500))), fingerprint(said(words(500, start=1000)))
    assert similarity(one, other) < 0.1
    assert not set(bands(one)) & set(bands(other))


def test_bands_are_twelve_signed_64_bit_numbers_that_differ_for_equal_rows() -> None:
    found = bands(struct.pack("<128I", *[7] * 128))
    assert len(set(found)) == 12
    assert all(-(2**63) <= number < 2**63 for number in found)


@pytest.mark.slow
def test_fingerprints_are_the_same_in_every_process() -> None:
    script = "from shoal.text import *; print(bands(fingerprint(flat(f'w{n}' for n in range(100)))))"
    run = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert run.stdout.strip() == str(bands(fingerprint(said(words(100)))))


# --- a fast look before a close one ----------------------------------------------------------------------------------

WORDS = [
    "battery",
    "batteries",
    "knives",
    "knife",
    "mice",
    "mouse",
    "grids",
    "电网",
    "變電站",
    "buses",
    "bus",
    "5G 网络",
    "city",
]


@given(
    st.lists(st.sampled_from(WORDS), min_size=1, max_size=3),
    st.lists(st.sampled_from([*WORDS, "的", "a", "，"]), max_size=6),
)
def test_the_fast_look_never_misses_a_phrase(phrases: list[str], said: list[str]) -> None:
    keywords = Keywords(phrases)
    text = " ".join(said)
    if any(keywords.count(flat(terms(text)))):
        assert keywords.may_stand_in(["something else", text, ""]) >= {1}


def test_the_fast_look_spares_what_says_nothing() -> None:
    assert Keywords(["power grid", "电网"]).may_stand_in(
        ["about us", "all POWERFUL grids", "联系我们", "電力", ""]
    ) == {1, 3}


def test_chinese_near_duplicates_are_similar() -> None:
    text = "".join(chr(0x4E00 + (number * 7919) % 5000) for number in range(600))
    changed = text[:300] + "变压器" + text[303:]
    assert 0.85 < similarity(fingerprint(flat(terms(text))), fingerprint(flat(terms(changed)))) < 1.0


# --- characters made to break us ---


def test_marks_in_no_order_take_time_in_proportion() -> None:
    """The standard library sorts them, one by one."""
    taken = []
    for count in (5_000, 40_000):
        began = thread_time()
        fold("か\u3099" + "\u0315" * count + "\u0301" * count)
        taken.append(thread_time() - began)
    assert taken[1] < 30 * max(taken[0], 0.001)


def test_a_voicing_mark_changes_nothing_but_its_kana() -> None:
    assert fold("ｶﾞ か\u3099 は\u309a") == "ガ が ぱ"
    assert fold("か\u3099 UPnP™") == "が upnptm"


def test_no_character_becomes_a_sentence() -> None:
    assert fold("a\ufdfab") == "a b"
    assert max(len(fold(chr(code))) for code in range(0x20000) if not 0xD800 <= code < 0xE000) <= 6
