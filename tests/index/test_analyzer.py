"""The index and what is looked up in it see the same tokens."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shoal.index.analyzer import chunks, cut, entries, is_han, looked_up, tokens
from shoal.text import flattened, terms


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Smart grids", ("smart", "grid")),
        ("智能電網", ("智", "能", "电", "网")),
        ("使用Python教程", ("使", "用", "python", "教", "程")),
        ("ＡＢＣ，电 网", ("abc", "电", "网")),
        ("…🙂 7", ()),
    ],
)
def test_tokens(text: str, expected: tuple[str, ...]) -> None:
    assert tokens(text) == expected


@given(st.text(max_size=60))
def test_the_tokens_are_the_terms_with_chinese_in_characters(text: str) -> None:
    assert "".join(tokens(text)) == "".join(terms(text))


def test_chunks_change_with_the_script() -> None:
    assert chunks("Python教程x-ray") == [("python",), ("教", "程"), ("x", "ray")]
    assert chunks("电网，变电站") == [("电", "网"), ("变", "电", "站")]


def test_chinese_is_cut_into_words() -> None:
    assert cut(tuple("智能电网建设")) == [("智", "能"), ("电", "网"), ("建", "设")]


# --- bigrams ----------------------------------------------------------------------------------------------------------

MIXED = st.text("电网站超ab ，", max_size=14)
"""So few characters that the same ones meet again and again."""


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Smart grids", "smart grid"),
        ("智能電網", "智能 能电 电网"),
        ("电网，变电站", "电网 网变 变电 电站"),
        ("B超检查", "b 超 超检 检查"),
        ("使用Python教程", "使用 用 python 教 教程"),
        ("Сеть 电网 🙂", "сеть 电 电网"),
        ("站", ""),
        ("", ""),
    ],
)
def test_entries(text: str, expected: str) -> None:
    assert found_in(text) == tuple(expected.split())


def test_a_long_run_has_the_pairs_of_its_pieces() -> None:
    long = "的一是在不了有和人这中大为上个国我以要他时来用们生到作地于出就分对成会可主发年"
    assert found_in(long) == tuple(long[place : place + 2] for place in range(len(long) - 1))


def test_characters_stand_apart() -> None:
    assert characters_of("电网 grid，電站") == ["电", "网", "电", "站"]
    assert characters_of("grid") == []


@given(MIXED, st.data())
def test_whatever_stands_together_is_found(text: str, data: st.DataObject) -> None:
    found = tokens(text)
    start = data.draw(st.integers(0, len(found)))
    some = found[start : data.draw(st.integers(start, len(found)))]
    if len(some) == 1 and is_han(some[0]):
        assert some[0] in characters_of(text)
    else:
        assert stands_in(looked_up(some), found_in(text))


@given(MIXED, MIXED)
def test_nothing_else_is_found(text: str, other: str) -> None:
    asked = tokens(other)
    if len(asked) > 1 and stands_in(looked_up(asked), found_in(text)):
        assert stands_in(asked, tokens(text))


def found_in(text: str) -> tuple[str, ...]:
    return tuple(entries(flattened(text))[0].split())


def characters_of(text: str) -> list[str]:
    return entries(flattened(text))[1].split()


def stands_in(some: tuple[str, ...], all: tuple[str, ...]) -> bool:
    return any(all[place : place + len(some)] == some for place in range(len(all) - len(some) + 1))
