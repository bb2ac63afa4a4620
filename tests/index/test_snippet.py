"""A snippet shows what was asked, in the page's own spelling."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shoal.errors import InputError
from shoal.index.query import parse
from shoal.index.snippet import snippet


def marked(text: str, query: str, width: int = 200) -> str:
    """The snippet with brackets around what is marked."""
    return "".join(f"[{part}]" if is_match else part for part, is_match in snippet(text, parse(query), width).parts)


@pytest.mark.parametrize(
    ("text", "query", "expected"),
    [
        ("Smart grids balance power.", "grid", "Smart [grids] balance power."),
        ("智慧電網與變電站", "变电站", "智慧電網與[變電站]"),
        ("智慧电网与变电站", "變電站", "智慧电网与[变电站]"),
        ("the ＧＲＩＤ is full", "grid", "the [ＧＲＩＤ] is full"),
        ("the grid is half", "ＧＲＩＤ", "the [grid] is half"),
        ("mice and men", "mouse man", "[mice] and [men]"),
        ("indices of batteries", "index battery", "[indices] of [batteries]"),
        ("使用Python教程学习", "python", "使用[Python]教程学习"),
        ("gridlock in the linux ux grid", "grid ux", "gridlock in the linux [ux] [grid]"),
        ("grid power, then power grid", '"power grid"', "grid power, then [power grid]"),
        ("an x ray, an x-ray", "x-ray", "an [x ray], an [x-ray]"),
        ("Maxwell's law", "maxwell", "[Maxwell's] law"),
        ("Café au lait", "cafe", "[Café] au lait"),
        ("用Café的", "cafe", "用[Café]的"),
        ("my re\u0301sume\u0301, again", "resume", "my [re\u0301sume]\u0301, again"),
        ("a ﬁne day", "fine", "a [ﬁne] day"),
        ("\x1b\x1f\r:0¼", "01", "\x1b :[0¼]"),
        ("智能，电网", "智能电网", "[智能，电网]"),
        ("one\n\ntwo   grid", "grid", "one two [grid]"),
        ("of the grid", "of the grid", "of the [grid]"),
        ("nothing here", "elephant", "nothing here"),
        ("nothing asked", "site:example.org", "nothing asked"),
        ("Привет, мир!", "МИР", "Привет, [мир]!"),
        ("", "grid", ""),
    ],
)
def test_marks(text: str, query: str, expected: str) -> None:
    assert marked(text, query) == expected


def test_the_window_with_most_different_words_wins() -> None:
    text = (
        "grid grid grid. " + "filler words go here. " * 50 + "The smart grid has a battery. " + "and more filler. " * 50
    )
    assert marked(text, "smart grid battery", 80).startswith("…The [smart] [grid] has a [battery].")


def test_a_word_far_down_is_shown_with_others() -> None:
    text = "The grid. " + "filler words go here. " * 1000 + "The battery of a grid. " + "and more filler. " * 50
    assert "The [battery] of a [grid]." in marked(text, "grid battery", 80)


def test_a_longer_word_is_not_taken_for_the_word_where_a_look_ends() -> None:
    text = ("a " * 1000)[:1995] + " gridlock, " + "b " * 500 + "the grid."
    assert "the [grid]." in marked(text, "grid")


def test_it_begins_with_a_sentence_and_ends_with_a_word() -> None:
    text = "Something else entirely. " * 20 + "Here comes the grid at last, followed by extraordinarily long words."
    piece = marked(text, "grid", 60)
    assert piece == "…Here comes the [grid] at last, followed by extraordinarily…"


def test_chinese_begins_with_a_sentence() -> None:
    text = "这里没有什么内容可以看。" * 30 + "電網的建設。" + "后面还有很多别的内容。" * 30
    assert marked(text, "电网", 20) == "…[電網]的建設。后面还有很多别的内容。后面还…"


def test_places_are_right_where_folding_changes_lengths() -> None:
    text = "\u200b\u200b\u200bﬁﬁﬁ re\u0301 " * 2000 + "the smart grid is here. " + "\u00ad tail " * 2000
    assert "the [smart] [grid] is here." in marked(text, "smart grid")


def test_the_beginning_when_nothing_matches() -> None:
    assert marked("First sentence. " * 100, "elephant", 40) == "First sentence. First sentence. First…"


def test_a_long_text_is_fast() -> None:
    chinese = "这是一个很长的文本，没有什么特别的内容；" * 10_000
    english = "this is a long text that says nothing in particular; " * 4_000
    for text in (chinese[:200_000] + "电网", english[:200_000] + " grid"):
        marked(text, "电网 grid")
        started = time.process_time()
        assert "[" in marked(text, "电网 grid")
        assert time.process_time() - started < 0.2, "a tenth of that is normal"


@pytest.mark.slow
@given(st.text(max_size=400), st.text(max_size=20), st.integers(20, 120))
def test_any_text_and_any_query(text: str, typed: str, width: int) -> None:
    try:
        query = parse(typed)
    except InputError:
        return
    piece = snippet(text, query, width).text
    assert len(piece) <= width + 2
    assert piece.strip("…").strip() in " ".join(text.split())


@given(st.sampled_from(["電網", "Grids", "ＧＲＩＤ", "x-ray", "变电站"]), st.text("ab 。.的\u200bﬁ\n", max_size=3000))
def test_what_is_there_is_shown(word: str, around: str) -> None:
    text = f"{around} {word} {around}"
    assert any(is_match for _, is_match in snippet(text, parse(word)).parts)
