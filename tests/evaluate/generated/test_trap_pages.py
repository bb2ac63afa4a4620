"""The traps have no end, and are the same every time."""

from __future__ import annotations

import pytest

from shoal.evaluate.generated.synthetic_web import SyntheticWeb
from shoal.evaluate.generated.trap_pages import trap
from shoal.urls import host_of, normalise

ENTRANCES = [
    "http://events.test/calendar?month=2026-05",
    "http://shop.test/list?page=1&sid=start",
    "http://shop.test/browse/",
]


@pytest.mark.parametrize("entrance", ENTRANCES)
def test_the_menu_leads_into_a_trap_without_end(entrance: str, web: SyntheticWeb) -> None:
    assert entrance in web.pages[f"http://{host_of(entrance)}/"].links
    url, seen = entrance, set()
    for _ in range(200):
        seen.add(url)
        page = trap(7, host_of(url), url.removeprefix(f"http://{host_of(url)}"))
        assert page is not None
        assert page.note == "trap"
        assert all(normalise(link) == link for link in page.links)
        url = next(link for link in reversed(page.links) if link not in seen and link not in web.pages)


@pytest.mark.parametrize(
    "target",
    [
        "/calendar?month=2026-13",
        "/calendar?month=2026-00",
        "/calendar",
        "/browse/green/",
        "/browse",
        "/browser/",
        "/gone",
    ],
)
@pytest.mark.parametrize("host", ["events.test", "shop.test", "energy.test"])
def test_other_addresses_are_not_trapped(host: str, target: str) -> None:
    assert trap(7, host, target) is None


def test_a_trap_page_is_the_same_every_time() -> None:
    assert trap(7, "events.test", "/calendar?month=2031-05") == trap(7, "events.test", "/calendar?month=2031-05")


def test_the_server_answers_with_trap_pages(web: SyntheticWeb) -> None:
    assert web.answer("events.test", "/calendar?month=2031-05", 9).status == 200
    assert web.answer("events.test", "/calendar?month=never", 9).status == 404
