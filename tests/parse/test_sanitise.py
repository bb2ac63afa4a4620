"""A page cannot grow into a tree many times its size, and loses nothing by that."""

from __future__ import annotations

import subprocess
import sys
from functools import cache

import pytest
from turbohtml import parse

from shoal.parse.html import read
from shoal.parse.sanitise import MAX_HTML, MAX_TAGS, sanitised
from shoal.testing.fuzz.slow_pages import slow_pages

SIZE = 100_000
MULTIPLIED = [name for name in slow_pages(1000) if "copied" in name or name in ("two bodies", "two roots")]


@cache
def pages(size: int) -> dict[str, bytes]:
    return slow_pages(size)


def _grown(html: str) -> int:
    """How many elements and attributes the tree of a page has."""
    return sum(1 + len(element.attrs) for element in parse(html).iter_elements())


@pytest.mark.slow
@pytest.mark.parametrize("name", MULTIPLIED)
def test_a_tree_is_hardly_larger_than_its_page(name: str) -> None:
    assert _grown(sanitised(pages(SIZE)[name].decode())) < 4 * SIZE


@pytest.mark.slow
def test_the_same_pages_grow_without_it() -> None:
    """Or the test above proves nothing."""
    small = slow_pages(SIZE // 10)
    assert _grown(small["links copied"].decode()) > 10 * SIZE
    assert _grown(small["formatting copied"].decode()) > 5 * SIZE


@pytest.mark.parametrize(
    "html",
    [
        "",
        "<p>Text</p>",
        "<b>x</b>" * 200,
        "<p>a <b>b</b> <a href=x title=y>c</a></p>" * 1000,
        "<p>a <b class=x>b</b> <a href=x title=y>c</a></p>" * 50,
        "<html><body>" + "<p>" + "word " * 50_000,
        "<body><body><body>" + "x" * 100_000,
        "<p " + " ".join(f"a{number}" for number in range(20_000)) + ">",
    ],
)
def test_what_is_not_dangerous_stays_as_it_is(html: str) -> None:
    assert sanitised(html) == html


def test_formatting_loses_its_name_and_nothing_else() -> None:
    """All that it is for is looks, so whatever was read before is read again."""
    part = "<p><b class=c{0}>bold {0} <i>and <a href=/{0}>link {0}</a></i></b> <FONT SIZE={0}>large</FONT><br/>end</p>"
    html = "".join(part.format(number) for number in range(1000))
    assert sanitised(html) != html
    plain = html.replace("<b ", "<q ").replace("</b>", "</q>").replace("<i>", "<q>").replace("</i>", "</q>")
    noted, expected = read(html), read(plain.replace("<FONT", "<q").replace("</FONT>", "</q>"))
    assert noted.text == expected.text
    assert [(link.href, link.start, link.end) for link in noted.links] == [
        (link.href, link.start, link.end) for link in expected.links
    ]
    assert len(noted.links) == 1000


def test_a_link_with_attributes_without_end_is_none() -> None:
    crowd = " ".join(f"a{number}=1" for number in range(200))
    html = f"<p><a href=/1 {crowd}>one</a><a href=/2>two</a>" + "<p>text" * 15_000
    assert [link.href for link in read(html).links] == ["/2"]


@pytest.mark.parametrize(
    "trick", ['x=">" ', "x='>' ", 'x = ">" ', 'x=a"b ', "' ", '" x=">" ', '=" x=">" ', "x==' y='>' ", "/"]
)
def test_no_spelling_hides_a_crowd(trick: str) -> None:
    crowd = " ".join(f"a{number}" for number in range(5000))
    html = f"<p><A {trick}{crowd}>x" + "<p>text" * 15_000 + "\"'>"
    assert _grown(sanitised(html)) < 100_000


def test_further_roots_are_not_read() -> None:
    html = "<html lang=en><body>" + "".join(f"<body a{number}>text {number}" for number in range(20_000))
    assert sanitised(html).count("<body") == 3
    assert read(html).language == "en"
    assert read(html).text.endswith("text 19999")


def test_names_without_end_are_cut() -> None:
    name = "x" * 70_000
    assert "xx" not in sanitised(f"<{name}>text<{name} a=b>")


DEEP = "<table><td>" * 127
ENDINGS = ["<b><p></b>", "<a><p></a>", "<a><p><a>", "<nobr><p><nobr>", "x<i>x<p>x</i>"]


@pytest.mark.slow
@pytest.mark.parametrize("ending", ENDINGS)
@pytest.mark.parametrize("above", ["<x><x><x>", "<DIV><div><x>", "<svg><g></svg><math><mi><x>"])
def test_a_table_at_the_deepest_level_ends_no_process(above: str, ending: str) -> None:
    """In a process of its own, because the parser ends it."""
    read_it = "import sys; from shoal.parse.html import read; print(len(read(sys.stdin.read()).text))"
    html = f"{above}{DEEP}</TABLE>{ending}text"
    done = subprocess.run([sys.executable, "-c", read_it], input=html, text=True, capture_output=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    assert int(done.stdout) >= len("text")


def test_a_table_of_a_large_page_stays_one() -> None:
    rows = "<tr>" + "<td>cell <br> and <img src=x></td>" * 6 + "</tr>"
    html = "<div><p>text</p><table>" + rows * 100 + "</table></div>"
    assert sanitised(html) == html


def test_where_tables_may_be_too_deep_cells_are_boxes_all_the_same() -> None:
    table = "<table class=nav><tr><td>one<td>two <a href=/1>link</a><tr><th>three</table>"
    html = "<p>before</p>" + "<div>" * 600 + "</div>" * 600 + table + "behind"
    assert "<table" not in sanitised(html)
    noted, expected = read(html), read(f"<p>before</p>{table}behind")
    assert noted.text == expected.text
    assert [(link.href, link.start, link.end) for link in noted.links] == [
        (link.href, link.start, link.end) for link in expected.links
    ]
    assert [section.noise for section in noted.sections] == [section.noise for section in expected.sections]


def test_a_page_is_read_up_to_its_limits() -> None:
    assert len(sanitised("x" * (MAX_HTML + 1))) == MAX_HTML
    many = "<p>x" * (MAX_TAGS + 10)
    assert sanitised(many) == "<p>x" * MAX_TAGS
    assert sanitised("<" * (MAX_TAGS + 1)) == "<" * MAX_TAGS
