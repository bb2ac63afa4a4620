"""A recording behind a proxy: what was recorded under https is there under http, and what is missing is said to be."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from shoal.evaluate.recorded.archive import open_archive
from shoal.evaluate.recorded.replay_server import ReplayedWeb
from shoal.testing.webserver import WebAnswer
from tests.evaluate.recording import page, redirect, response, save

LINKS = "<meta charset=gb2312><a href='https://www.zh.test/新闻'>电网</a> <a href=\"HTTPS://A.test/\">甲</a> <a href='https://far.test/'>远</a>"


@pytest.fixture
def web(tmp_path: Path) -> Iterator[ReplayedWeb]:
    records = (
        page("http://a.test/deep/page", "deep"),
        page("http://a.test/", "plain"),
        response("https://www.zh.test/", LINKS.encode("gbk"), headers="Strict-Transport-Security: max-age=9\r\n"),
        redirect("http://www.zh.test/", "https://www.zh.test/"),
        redirect("https://www.zh.test/old", "https://www.zh.test/?id=1&x=<b>"),
        redirect("http://a.test/away", "https://far.test/"),
        response("https://www.zh.test/?id=1&x=%3Cb%3E", b"found", content_type="text/plain"),
        response("https://www.zh.test/wide", "<a href='https://a.test/'>".encode("utf-16")),
        response("https://www.zh.test/data.js", b"'https://a.test/'", content_type="text/javascript"),
        page("http://port.test:8080/", "on a port of its own"),
        page("https://a.test/both", "secure"),
        page("http://a.test/both", "plain"),
    )
    with open_archive(save(tmp_path / "<web>.warc.gz", *records)) as archive:
        yield ReplayedWeb(archive)


def header(answer: WebAnswer, name: str) -> str:
    return next((value for key, value in answer.headers if key == name), "")


def test_plain_pages_are_as_they_were(web: ReplayedWeb) -> None:
    assert web.answer("a.test", "/", 1) == web.archive.answer("http://a.test/")
    assert b"on a port" in web.answer("port.test:8080", "/", 1).body
    assert b"plain" in web.answer("a.test", "/both", 1).body


def test_secure_pages_are_served_without_tls_and_say_so_in_gbk_too(web: ReplayedWeb) -> None:
    answer = web.answer("www.zh.test", "/", 1)
    assert answer.status == 200
    assert header(answer, "Strict-Transport-Security") == ""
    assert answer.body.decode("gbk") == (
        "<meta charset=gb2312><a href='http://www.zh.test/新闻'>电网</a> "
        "<a href=\"http://A.test/\">甲</a> <a href='https://far.test/'>远</a>"
    )


def test_a_redirect_to_the_secure_page_does_not_lead_to_itself(web: ReplayedWeb) -> None:
    assert web.answer("www.zh.test", "/", 1).status == 200


def test_other_redirects_stay_within_what_is_recorded(web: ReplayedWeb) -> None:
    moved = web.answer("www.zh.test", "/old", 1)
    assert (moved.status, header(moved, "Location")) == (301, "http://www.zh.test/?id=1&x=<b>")
    assert web.answer("www.zh.test", "/?id=1&x=<b>", 1).body == b"found"
    assert header(web.answer("a.test", "/away", 1), "Location") == "https://far.test/"


def test_only_html_whose_bytes_are_ascii_where_links_are_is_changed(web: ReplayedWeb) -> None:
    assert web.answer("www.zh.test", "/wide", 1).body.decode("utf-16") == "<a href='https://a.test/'>"
    assert web.answer("www.zh.test", "/data.js", 1).body == b"'https://a.test/'"


def test_what_was_not_recorded_is_said_to_be_missing(web: ReplayedWeb) -> None:
    for host, target in (("a.test", "/<script>"), ("far.test", "/"), ("127.0.0.1", "/x"), ("<b>", "/")):
        missing = web.answer(host, target, 1)
        assert missing.status == 404
        assert b"Not recorded" in missing.body
        assert b"<script>" not in missing.body
        assert b"<b>" not in missing.body


def test_without_a_proxy_there_is_a_list_of_what_is_here(web: ReplayedWeb) -> None:
    for host in ("127.0.0.1", "localhost"):
        index = web.answer(host, "/", 1)
        assert index.status == 200
        text = index.body.decode()
        assert "&lt;web&gt;" in text
        assert "<h2>www.zh.test</h2>" in text
        assert '<a href="http://www.zh.test/?id=1&amp;x=%3Cb%3E">' not in text, "it is not HTML"
        assert '<a href="http://a.test/deep/page">' in text


def test_homes_are_where_to_start(web: ReplayedWeb) -> None:
    assert web.start == ("http://a.test/", "http://www.zh.test/", "http://port.test:8080/")
