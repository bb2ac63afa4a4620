"""The main text is what a reader came for."""

import pytest

from shoal.parse.html import read
from shoal.parse.main_text import is_noise, main_text

FIRST = "The transmission network carries electricity from the power stations to the towns of the country."
SECOND = "Substations change the voltage, and dispatchers keep demand and supply in balance at every moment."
CHINESE = "智能电网是以物理电网为基础的现代化电网，它需要可靠的通信网络，也需要大量的数据分析。变电站改变电压，调度员使供需平衡。"
MENU = "".join(f"<li><a href=/{name}>{name}</a>" for name in ("Home", "Products", "Prices", "Contact", "Imprint"))


def text_of(body: str) -> str:
    return main_text(read(body).sections)


@pytest.mark.parametrize(
    "noise",
    [
        f"<nav><ul>{MENU}</ul></nav>",
        f"<ul>{MENU}</ul>",
        f"<div class='main-nav clearfix'>{MENU}</div>",
        "<div id=sidebar><p>Weather today: sunny and warm.</div>",
        "<footer><p>Write to us at the old mill.</footer>",
        "<div role=contentinfo><p>Write to us at the old mill.</div>",
        "<aside>Weather today</aside>",
        "<header><p>The site with the slogan</header>",
        "<div class=cookie-banner>We use small files</div>",
        "<p>© 2024 Example. All rights reserved.",
        "<p>京ICP备12345678号 版权所有",
        "<script>var x = 'hidden'</script><style>p{}</style>",
        "<select><option>Choose a country</select>",
        "<button>Press here</button>",
        "<textarea>Type here</textarea>",
        "<noframes><p>Get a newer browser</noframes>",
        "<noscript>Please switch scripts on</noscript>",
    ],
)
def test_noise_is_left_out(noise: str) -> None:
    expected = f"{FIRST}\n{SECOND}"
    assert text_of(f"<body>{noise}<div><p>{FIRST}<p>{SECOND}</div>") == expected
    assert text_of(f"<body><div><p>{FIRST}<p>{SECOND}</div>{noise}") == expected


@pytest.mark.parametrize("tag", ["main", "article", "div role=main"])
def test_main_and_article_hold_the_text(tag: str) -> None:
    body = (
        f"<body><p>Something beside it.<{tag}><header><h1>Grids</h1></header><p>{FIRST}<p>{SECOND}</{tag.split()[0]}>"
    )
    assert text_of(body) == f"Grids\n{FIRST}\n{SECOND}"


def test_links_in_the_text_stay_but_lists_of_links_go() -> None:
    body = f"<main><p>{FIRST} <a href=x>More</a><p><a href=y>One link</a><p>{SECOND}<ul>{MENU}</ul><p>End."
    assert text_of(body) == f"{FIRST} More\nOne link\n{SECOND}\nEnd."


def test_a_hub_page_keeps_its_links_as_text() -> None:
    assert "Products" in text_of(f"<body><ul>{MENU}</ul>")


@pytest.mark.parametrize("wrapper", ["<div class=sidebar>", "<aside>", "<div id=menu>"])
def test_a_page_never_loses_all_its_text_to_a_wrong_name(wrapper: str) -> None:
    assert FIRST in text_of(f"<body>{wrapper}<p>{FIRST}<p>{SECOND}")


def test_chinese_text_counts_as_much_as_english() -> None:
    body = f"<body><div class=nav>导航 首页 产品 新闻 联系我们 关于我们 网站地图</div><p>{CHINESE}"
    assert text_of(body) == CHINESE


def test_blocks_are_lines_and_white_space_is_single() -> None:
    body = f"<body><p>{FIRST}\n\n   and  more<br>next<table><tr><td>cell one<td>cell two</table><p>{SECOND}"
    assert text_of(body) == f"{FIRST} and more\nnext\ncell one\ncell two\n{SECOND}"


@pytest.mark.parametrize(
    ("body", "lines"),
    [
        ("one<font><b><p>two</p>three</b></font>four", ["one", "two", "threefour"]),
        ("<form>one<div>two</div>three</form>", ["one", "two", "three"]),
        ("<ul>one<li>two<ul><li>three</ul></ul>four", ["one", "two", "three", "four"]),
        ("<center>one</center>two<pre>three\n  four</pre>", ["one", "two", "three four"]),
        ("<table><caption>one<tr><th>two<td>three<table><td>four</table></table>", ["one", "two", "three", "four"]),
        ("o<b>n</b><span>e</span>&nbsp; two\u3000<i> three </i> .", ["one two three ."]),
    ],
)
def test_every_block_is_a_line_of_its_own(body: str, lines: list[str]) -> None:
    assert text_of(f"<body>{body}").split("\n") == lines


@pytest.mark.parametrize(
    ("names", "expected"),
    [
        ("nav", True),
        ("main-nav", True),
        ("site-footer", True),
        ("leftMenu", True),
        ("footer_links", True),
        ("related-list", True),
        ("wide breadcrumbs", True),
        ("content", False),
        ("content-with-sidebar", False),
        ("navigating-the-web", False),
        ("adaptive", False),
        ("shared-knowledge", False),
        ("has-menu-open-content-body", False),
    ],
)
def test_names_that_mean_noise(names: str, expected: bool) -> None:
    assert is_noise(names, "") is expected
