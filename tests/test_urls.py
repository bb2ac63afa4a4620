"""What is the same page must be the same string."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shoal.urls import MAX_URL_LENGTH, domain_of, host_of, key_of, normalise, origin_of, shown


@pytest.mark.parametrize(
    ("written", "normal"),
    [
        ("http://example.org", "http://example.org/"),
        ("HTTP://Example.ORG/Path", "http://example.org/Path"),
        ("  http://example.org/x\n", "http://example.org/x"),
        ("http://ex\tample.org/x", "http://example.org/x"),
        ("http:\\\\example.org\\x", "http://example.org/x"),
        # ports, users, fragments
        ("http://example.org:80/", "http://example.org/"),
        ("https://example.org:443/", "https://example.org/"),
        ("http://example.org:443/", "http://example.org:443/"),
        ("http://user:pw@example.org/", "http://example.org/"),
        ("http://a@b@example.org/", "http://example.org/"),
        ("http://example.org/x#part", "http://example.org/x"),
        ("http://example.org/a@b", "http://example.org/a@b"),
        # hosts
        ("http://example.org./x", "http://example.org/x"),
        ("http://example.org.:8080/x", "http://example.org:8080/x"),
        ("http://例子.测试/", "http://xn--fsqu00a.xn--0zwm56d/"),
        ("http://ｅｘａｍｐｌｅ.org/", "http://example.org/"),
        ("http://[0:0:0:0:0:0:0:1]:8080/x", "http://[::1]:8080/x"),
        ("http://[2001:DB8::1]/", "http://[2001:db8::1]/"),
        ("http://0x7f.1/", "http://127.0.0.1/"),
        ("http://2130706433/", "http://127.0.0.1/"),
        # paths
        ("http://example.org/a/../b/./c", "http://example.org/b/c"),
        ("http://example.org/a/%2e%2E/b", "http://example.org/b"),
        ("http://example.org//a", "http://example.org//a"),
        ("http://example.org/电网", "http://example.org/%E7%94%B5%E7%BD%91"),
        ("http://example.org/%b5%e7", "http://example.org/%B5%E7"),
        ("http://example.org/%7Euser/%41", "http://example.org/~user/A"),
        ("http://example.org/a%2fb", "http://example.org/a%2Fb"),
        ("http://example.org/100%", "http://example.org/100%"),
        ("http://example.org/%%341", "http://example.org/%%341"),
        ("http://example.org/%4%31", "http://example.org/%4%31"),
        ("http://example.org/a b", "http://example.org/a%20b"),
        # queries
        ("http://example.org?q=1", "http://example.org/?q=1"),
        ("http://example.org/x?", "http://example.org/x"),
        ("http://example.org/x??", "http://example.org/x??"),
        ("http://example.org/x?u=http://b/?", "http://example.org/x?u=http://b/?"),
        ("http://example.org/x?q=a+b&c=%2f", "http://example.org/x?q=a+b&c=%2F"),
    ],
)
def test_one_page_has_one_spelling(written: str, normal: str) -> None:
    assert normalise(written) == normal
    assert normalise(normal) == normal


@pytest.mark.parametrize(
    ("written", "base", "normal"),
    [
        ("b.html", "http://a.org/x/y.html", "http://a.org/x/b.html"),
        ("/b", "http://a.org/x/y.html", "http://a.org/b"),
        ("../../../b", "http://a.org/x/y.html", "http://a.org/b"),
        ("//c.org/b", "https://a.org/x", "https://c.org/b"),
        ("?page=2", "http://a.org/x?page=1", "http://a.org/x?page=2"),
        ("#top", "http://a.org/x?page=1", "http://a.org/x?page=1"),
        ("", "http://a.org/x", "http://a.org/x"),
        ("b", "no base", None),
        ("javascript:void(0)", "http://a.org/", None),
    ],
)
def test_links_are_joined_as_browsers_do(written: str, base: str, normal: str | None) -> None:
    assert normalise(written, base) == normal


@pytest.mark.parametrize(
    "written",
    [
        "",
        "example.org/x",
        "//example.org/x",
        "ftp://example.org/",
        "mailto:someone@example.org",
        "data:text/html,x",
        "http://",
        "http://a b/",
        "http://a:99999/",
        "http://./",
        "http://..:0",
        "http://[::1/",
        "http://example.org/\ud800",
        "http://example.org/" + "x" * MAX_URL_LENGTH,
        "http://example.org/" + "电" * (MAX_URL_LENGTH // 8),
    ],
)
def test_what_cannot_be_fetched_has_no_normal_form(written: str) -> None:
    assert normalise(written) is None


@given(st.text(alphabet="abcZ019%?&=/.:@#[]\\ ~电é2eF", max_size=40))
def test_the_normal_form_is_final(rest: str) -> None:
    once = normalise("http://example.org/" + rest)
    if once is not None:
        assert normalise(once) == once
        assert once.isascii()
        assert host_of(once) == "example.org"


@pytest.mark.parametrize(
    ("url", "host", "origin"),
    [
        ("http://example.org/", "example.org", "http://example.org"),
        ("https://example.org/a/b?c=/d", "example.org", "https://example.org"),
        ("http://example.org:8080/a", "example.org:8080", "http://example.org:8080"),
        ("http://[::1]:8080/a", "[::1]:8080", "http://[::1]:8080"),
        ("http://127.0.0.1/a", "127.0.0.1", "http://127.0.0.1"),
    ],
)
def test_host_and_origin(url: str, host: str, origin: str) -> None:
    assert host_of(url) == host
    assert origin_of(url) == origin


@pytest.mark.parametrize(
    ("host", "domain"),
    [
        ("example.org", "example.org"),
        ("www.example.org:8080", "example.org"),
        ("news.bbc.co.uk", "bbc.co.uk"),
        ("www.sina.com.cn", "sina.com.cn"),
        ("a.b.xn--fiqs8s", "b.xn--fiqs8s"),
        ("me.github.io", "me.github.io"),
        ("co.uk", "co.uk"),
        ("localhost:99", "localhost"),
        ("127.0.0.1", "127.0.0.1"),
        ("127.0.0.1:8080", "127.0.0.1"),
        ("[::1]", "[::1]"),
        ("[2001:db8::1]:8080", "[2001:db8::1]"),
    ],
)
def test_registered_domain(host: str, domain: str) -> None:
    assert domain_of(host) == domain


def test_keys_tell_urls_apart_and_fit_into_a_database() -> None:
    keys = {key_of(f"http://example.org/{number}") for number in range(1000)}
    assert len(keys) == 1000
    assert all(-(2**63) <= key < 2**63 for key in keys)
    assert key_of("http://example.org/1") in keys


@pytest.mark.parametrize(
    ("url", "seen"),
    [
        ("postgresql://shoal:secret@db.example:5432/shoal", "postgresql://shoal:***@db.example:5432/shoal"),
        ("amqp://shoal:sec@ret@mq.example/", "amqp://shoal:***@mq.example/"),
        (
            "postgresql://db.example/shoal?user=a&password=secret&x=1",
            "postgresql://db.example/shoal?user=a&password=***&x=1",
        ),
        ("shoal:secret@db.example/shoal", "shoal:***@db.example/shoal"),
        ("amqp://mq.example/", "amqp://mq.example/"),
        ("amqp://shoal@mq.example/", "amqp://shoal@mq.example/"),
    ],
)
def test_a_password_is_never_shown(url: str, seen: str) -> None:
    assert shown(url) == seen
