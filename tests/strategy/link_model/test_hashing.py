"""What a link says and where it leads, token by token."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shoal.strategy.link_model.hashing import (
    BUCKETS,
    MOST_TOKENS,
    NO_TOKEN,
    address_words,
    anchor_tokens,
    hash_token,
    is_next_page,
    url_tokens,
    words_in,
)

# --- words -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", []),
        ("，。— !", []),
        ("The Power GRID, the grid", ["the", "power", "grid"]),
        ("RTCPeerConnection", ["rtc", "peer", "connection"]),
        ("smartGrid2", ["smart", "grid", "0"]),
        ("Ｇｒｉｄ café", ["grid", "cafe"]),
        # numbers count by how many digits they have, up to four
        ("7 42 365 2024 1234567", ["0", "00", "000", "0000"]),
        # of Chinese, pairs before single characters
        ("电网", ["电网", "电", "网"]),
        ("变电站", ["变电", "电站", "变", "电", "站"]),
        ("變電站", ["变电", "电站", "变", "电", "站"]),
        # what stands apart is no pair
        ("电 网", ["电", "网"]),
        ("智能grid电网", ["grid", "智能", "电网", "智", "能", "电", "网"]),
    ],
)
def test_words(text: str, words: list[str]) -> None:
    assert words_in(text) == words


def test_anchor_and_address_are_two_things() -> None:
    [anchor] = anchor_tokens("grid")
    assert anchor == hash_token("a:grid")
    assert hash_token("u:grid") in url_tokens("http://x.example/grid").words
    assert anchor not in url_tokens("http://x.example/grid").words


def test_only_the_first_tokens_count() -> None:
    words = [f"w{'x' * place}" for place in range(MOST_TOKENS + 5)]
    assert anchor_tokens(" ".join(words)) == anchor_tokens(" ".join(words[:MOST_TOKENS]))
    assert len(url_tokens(f"http://x.example/{'-'.join(words)}").words) == MOST_TOKENS


@pytest.mark.parametrize(
    ("url", "words"),
    [
        ("http://x.example/", []),
        # what every address says is left out
        ("http://x.example/index.html", []),
        ("http://www.grid.example/energy/smart_grid.php?page=2", ["energy", "smart", "grid", "page", "0"]),
        ("http://x.example/%E7%94%B5%E7%BD%91/", ["电网", "电", "网"]),
        # the same in GBK
        ("http://x.example/%B5%E7%CD%F8.htm", ["电网", "电", "网"]),
        ("http://x.example/powerGrid", ["power", "grid"]),
    ],
)
def test_words_of_an_address(url: str, words: list[str]) -> None:
    assert address_words(url) == words


# --- places ----------------------------------------------------------------------------------------------------------


def same(one: str, other: str) -> dict[str, bool]:
    pairs = zip(url_tokens(one)._asdict().items(), url_tokens(other), strict=True)
    return {name: ours == theirs for (name, ours), theirs in pairs if name != "words"}


@pytest.mark.parametrize(
    ("one", "other", "places"),
    [
        ("http://x.example/a/b/1.html", "http://x.example/a/b/2.html", {"host", "section", "folder", "shape", "twin"}),
        ("http://x.example/a/b/1.html", "http://x.example/a/b/c.html", {"host", "section", "folder", "shape"}),
        # the shape counts folders and looks at the ending only
        ("http://x.example/a/b/1.html", "http://x.example/a/c/d.html", {"host", "section", "shape"}),
        ("http://x.example/a/b/1.html", "http://x.example/a/1.html", {"host", "section"}),
        ("http://x.example/a/1.html", "http://x.example/a/1.pdf", {"host", "section", "folder"}),
        ("http://x.example/a/b", "http://x.example/c/d", {"host", "shape"}),
        ("http://x.example/~ann/", "http://x.example/~bob/", {"host", "shape"}),
        ("http://x.example/~ann/", "http://x.example/ann/", {"host"}),
        # what is asked for belongs to the whole address, not to its shape
        ("http://x.example/a?page=2", "http://x.example/a?page=31", {"host", "section", "folder", "shape", "twin"}),
        ("http://x.example/a?page=2", "http://x.example/a?list=2", {"host", "section", "folder", "shape"}),
        ("http://x.example/a", "https://x.example/a", {"host", "section", "folder", "shape"}),
        ("http://x.example/a", "http://y.example/a", set()),
    ],
)
def test_places(one: str, other: str, places: set[str]) -> None:
    assert {name for name, shared in same(one, other).items() if shared} == places


def test_the_shape_is_also_a_word_that_all_hosts_share() -> None:
    one, other = url_tokens("http://x.example/~ann/"), url_tokens("http://y.example/~bob/")
    assert set(one.words) & set(other.words) == {hash_token("s:~x/")}
    assert one.shape != other.shape


# --- lists -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "anchor",
    [
        *("2", " 17 ", "[3]", "(4)", "２", "page 12", "Page2"),
        *("next", "Next", "NEXT »", "next page", "more", "More news", "older posts", "last", "»", ">>", "›", "→"),
        *("第3页", "第 3 页", "3页", "下一页", "下页", "后一页", "尾页", "末页", "更多"),
        *("第3頁", "第 12 頁", "下一頁", "下頁", "後一頁", "尾頁", "末頁"),
    ],
)
def test_what_turns_a_page(anchor: str) -> None:
    assert is_next_page(anchor)


@pytest.mark.parametrize(
    "anchor",
    [
        "",
        "home",
        "previous",
        "上一页",
        "上一頁",
        "首页",
        "12345",
        "nextcloud",
        "the next step",
        "grid 2",
        "第三章",
        "更多电网",
    ],
)
def test_what_does_not(anchor: str) -> None:
    assert not is_next_page(anchor)


# --- numbers ---------------------------------------------------------------------------------------------------------


@pytest.mark.slow
@given(st.text(max_size=40))
def test_every_tokens_has_a_number_that_is_not_nothing(text: str) -> None:
    assert NO_TOKEN < hash_token(text) < BUCKETS
    assert all(NO_TOKEN < number < BUCKETS for number in anchor_tokens(text))
    assert len(set(words_in(text))) == len(words_in(text))


def test_numbers_are_the_same_in_every_process() -> None:
    # What is stored is read by another process, so nothing may depend on Python's own hashes. The check value of CRC-32:
    assert hash_token("123456789") == 0xCBF43926 % (2**18 - 1) + 1
