"""Old addresses lead on by every kind of redirect, over a chain, and in a loop."""

from __future__ import annotations

from shoal.evaluate.generated.synthetic_web import SyntheticWeb


def test_redirects_of_every_kind(web: SyntheticWeb) -> None:
    redirects = [page for page in web.pages.values() if page.note == "redirect"]
    assert {page.status for page in redirects} == {200, 301, 302}
    assert all(page.location == page.links[0] for page in redirects if page.status != 200)
    assert all(b'http-equiv="refresh"' in page.body for page in redirects if page.status == 200)
    assert web.pages[web.pages["http://short.test/loop/a"].location].location == "http://short.test/loop/a"
    url, hops = "http://short.test/chain/1", 0
    while web.pages[url].location:
        url, hops = web.pages[url].location, hops + 1
    assert hops == 4
