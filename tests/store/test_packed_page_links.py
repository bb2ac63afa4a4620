"""What pages say of each other by their links survives being packed."""

from __future__ import annotations

from shoal.model import Link, LinkKind
from shoal.store.packed_page import pack_links, unpack_links
from shoal.urls import key_of

OWN = "http://a.test/"


def link(url: str, anchor: str = "", **more: object) -> Link:
    return Link(url=url, anchor=anchor, **more)  # type: ignore[arg-type]


def read(*links: Link) -> dict[int, str]:
    keys, anchors = unpack_links(pack_links(links, OWN))
    return dict(zip(keys, anchors, strict=True))


def test_each_target_comes_back_with_its_words() -> None:
    said = read(link("http://b.test/", "电网\n调度"), link("http://c.test/", "power grid"))
    assert said == {key_of("http://b.test/"): "电网\n调度", key_of("http://c.test/"): "power grid"}


def test_of_several_links_to_a_page_the_longest_words_count() -> None:
    said = read(
        link("http://b.test/", "more"), link("http://b.test/", "the power grid"), link("http://b.test/", "here")
    )
    assert said == {key_of("http://b.test/"): "the power grid"}


def test_a_link_without_words_is_a_link() -> None:
    assert read(link("http://b.test/")) == {key_of("http://b.test/"): ""}


def test_what_speaks_of_nobody_does_not_count() -> None:
    assert pack_links([link(OWN, "home")], OWN) == b""
    assert pack_links([link("http://b.test/", "ad", rel=("nofollow",))], OWN) == b""
    assert pack_links([link("http://b.test/", "", kind=LinkKind.CANONICAL)], OWN) == b""


def test_a_very_long_anchor_is_cut() -> None:
    assert read(link("http://b.test/", "网" * 500)) == {key_of("http://b.test/"): "网" * 100}
