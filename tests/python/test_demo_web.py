"""Is there a web to try Shoal on? It answers until it is closed."""

from __future__ import annotations

import urllib.error
import urllib.request

import pytest

import shoal
from shoal.errors import InputError
from shoal.topic.word_readers import keywords


def body(web: shoal.DemoWeb, url: str) -> bytes:
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({"http": web.proxy}))
    with opener.open(url, timeout=30) as answer:
        return bytes(answer.read())


@pytest.mark.slow
def test_it_answers_until_it_is_closed() -> None:
    with shoal.DemoWeb("rail") as web:
        assert {term.text for term in keywords(web.topic)} >= {"railway", "铁路"}
        assert b"<html" in body(web, web.seeds[0])
        assert len(web.relevant) > 100
        assert repr(web) == f"<2,839 pages on 32 hosts, by way of {web.proxy}>"
    with pytest.raises(urllib.error.URLError):
        body(web, web.seeds[0])
    web.close()


def test_it_does_not_know_everything() -> None:
    with pytest.raises(InputError, match=r"The made-up web knows power-grid, .* it has nothing to say about tea"):
        shoal.DemoWeb("tea")
