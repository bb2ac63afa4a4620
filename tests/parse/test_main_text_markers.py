"""Marks tell where links and boxes stand, and nothing of them is left behind."""

import pytest

from shoal.model import LinkKind
from shoal.parse.html import read
from shoal.parse.main_text import (
    BOX,
    BOX_END,
    HEADING,
    SPAN,
    SPAN_END,
    Box,
    RawImage,
    RawLink,
    TextSection,
    place,
    sections,
)


def link(href: str = "x") -> RawLink:
    return RawLink(href, LinkKind.ANCHOR, "a")


def one_section(text: str) -> list[TextSection]:
    return [TextSection(text, False, False, 0)]


def test_links_are_told_where_they_stand() -> None:
    first, second = link(), link()
    text = place(one_section(f"see\n\n{SPAN}one{SPAN_END} and {SPAN}two\nlines{SPAN_END}{HEADING}"), [first, second])
    assert text == "see one and two lines"
    assert [text[span.start : span.end] for span in (first, second)] == ["one", "two lines"]


def test_an_image_belongs_to_the_link_it_stands_in() -> None:
    around, inside, outside = link(), RawImage("i", "Alt", ""), RawImage("j", "Alt", "")
    place(one_section(f"{SPAN}{SPAN}{SPAN_END}text{SPAN_END}{SPAN}{SPAN_END}"), [around, inside, outside])
    assert (inside.link, outside.link, around.label) == (around, None, "Alt")


@pytest.mark.parametrize(
    ("boxes", "noise", "main"),
    [
        ([Box.NOISE, Box.MAIN], [True, True, True], [False, False, False]),
        ([Box.MAIN, Box.NOISE], [False, True, False], [True, True, True]),
        ([Box.MAIN, Box.HEADER], [False, False, False], [True, True, True]),
        ([Box.HEADER, Box.HEADER], [True, True, True], [False, False, False]),
    ],
)
def test_what_a_box_in_a_box_means(boxes: list[Box], noise: list[bool], main: list[bool]) -> None:
    found = sections(f"a{BOX}b{BOX}c{BOX_END}d{BOX_END}e", boxes)
    assert [section.text for section in found] == ["a", "b", "c", "d", "e"]
    assert [section.noise for section in found] == [False, *noise, False]
    assert [section.main for section in found] == [False, *main, False]


def test_a_link_stays_open_across_sections() -> None:
    found = sections(f"{SPAN}a{BOX}b{SPAN_END}c{BOX_END}d", [Box.NOISE])
    assert [section.links for section in found] == [0, 1, 0]


@pytest.mark.parametrize("mark", [SPAN, SPAN_END, BOX, BOX_END, HEADING])
def test_a_page_cannot_forge_a_mark(mark: str) -> None:
    markup = read(f"<body>a&#x{ord(mark):x};b<div class=nav>&#{ord(mark)};<a href=x>c</a></div>")
    assert markup.text == "a\ufffdb \ufffdc"
    assert [(raw.href, markup.text[raw.start : raw.end]) for raw in markup.links] == [("x", "c")]


@pytest.mark.parametrize(
    ("body", "hrefs"),
    [
        ("<math><area href=a><iframe src=b>text", ["a", "b"]),
        ("<math><area href=a><mrow><iframe src=b><a href=c>text", ["a", "b", "c"]),
        ("<math><iframe src=a><a href=b>text", ["a", "b"]),
        ("<math><frame src=a><area href=b><nav><a href=c>text", ["a", "b", "c"]),
        ("<math><title><a href=a>text</a><nav>", ["a"]),
        ("<math><script type='application/ld+json'><a href=a>text", ["a"]),
        ("<math><area href=a><a href=b style='background:url(x.jpg)'>text", ["a", "b"]),
        ("<math><title><main style='background:url(x.jpg)'><area href=a>text", ["a"]),
    ],
)
def test_in_a_formula_anything_may_hold_anything(body: str, hrefs: list[str]) -> None:
    markup = read(f"<p>before {body}</math><p><a href=z>behind</a>")
    assert [raw.href for raw in markup.links] == [*hrefs, "z"]
    last = markup.links[-1]
    assert markup.text[last.start : last.end] == "behind"


def test_the_text_of_a_frame_is_not_that_of_the_page() -> None:
    assert read("<p>a<iframe src=x>no frames here</iframe>b").text == "ab"


def test_if_a_mark_is_lost_no_place_is_known() -> None:
    lost = link()
    assert place(one_section(f"see {SPAN}one two"), [lost]) == "see one two"
    assert place(one_section(f"see {SPAN}one{SPAN_END} two"), [lost, link()]) == "see one two"
    assert (lost.start, lost.end) == (0, 0)
    assert [section.text for section in sections(f"a{BOX}b", [Box.NOISE])] == ["ab"]
    assert [section.text for section in sections(f"a{BOX}b{BOX_END}", [])] == ["ab"]
