"""The index and what is looked up in it see the same tokens."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shoal.index.analyse import chunks, cut, tokens
from shoal.text import terms


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
