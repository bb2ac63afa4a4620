"""What is kept of a document."""

from __future__ import annotations

import pytest

from shoal.index.schema import factor_of, link_factor, sites_of, topic_factor


@pytest.mark.parametrize(
    ("host", "sites"),
    [
        ("www.example.co.uk", ["www.example.co.uk", "example.co.uk", "co.uk", "uk"]),
        ("localhost:8080", ["localhost:8080", "localhost"]),
        ("127.0.0.1:81", ["127.0.0.1:81", "127.0.0.1"]),
        ("[::1]:81", ["[::1]:81", "[::1]"]),
        ("[::1]", ["[::1]"]),
    ],
)
def test_sites_of_a_host(host: str, sites: list[str]) -> None:
    assert sites_of(host) == sites


def test_a_page_that_nobody_judged_nor_links_to_has_no_advantage() -> None:
    assert topic_factor(0, False) * link_factor(0) == 1 == factor_of(0)


def test_topic_counts_more_than_links() -> None:
    assert topic_factor(255, True) == 1.75
    assert link_factor(255) == pytest.approx(1.1)
