"""What is asked for once more? Pages that are looked at again keep what they said, and only what changed gets a version."""

from __future__ import annotations

from pathlib import Path

import pytest

from shoal.crawl.termination import Ending
from shoal.model import Reason
from shoal.services import versions
from shoal.store import crawl_folder as folders
from shoal.store import revisits
from shoal.testing.fakes import failure, html, redirect
from tests.stocked import WEB, Stock, article

GBK = "http://a.test/%E8%BD%AC%E5%8F%98"
BREAD = "http://a.test/bread"


@pytest.fixture
def stock(tmp_path: Path) -> Stock:
    return Stock(tmp_path / "crawl")


def test_only_what_changed_gets_a_version(stock: Stock) -> None:
    stock.serve(bread=article("Bread", "Sourdough needs three days."))
    asked = len(stock.crawl.asked)
    assert stock.look_again() is Ending.LOOKED
    assert sorted(stock.crawl.pages_asked[-5:]) == sorted(url for url in WEB if "secret" not in url)
    assert len(stock.crawl.asked) == asked + 5, "robots.txt is known"
    assert [step.number for step in versions.steps(stock.folder, BREAD)] == [1, 2]
    assert len(versions.steps(stock.folder, GBK)) == 1
    with folders.reading(stock.folder) as database:
        found = revisits.looked(database, stock.crawl.now - 900)
    assert (found.looked, found.changed, found.gone, found.waiting) == (5, (BREAD,), (), 0)


def test_what_moves_without_meaning_is_no_version(stock: Stock) -> None:
    stock.serve(bread=article("Bread", "Flour, water, salt and an oven.", head="<meta name=time content=12:45>"))
    stock.look_again()
    assert len(versions.steps(stock.folder, BREAD)) == 1


def test_the_server_may_say_that_nothing_changed(tmp_path: Path) -> None:
    web = dict(WEB)
    bread = web[BREAD]
    web[BREAD] = html("", bread.body, content_type="text/html")  # type: ignore[union-attr]
    headers = (("content-type", "text/html"), ("etag", '"abc"'), ("last-modified", "Mon, 01 Jan 2024 00:00:00 GMT"))
    web[BREAD] = type(bread)(url="", status=200, headers=headers, body=bread.body, timing=bread.timing)  # type: ignore[call-arg,union-attr]
    stock = Stock(tmp_path / "c", web)
    stock.serve(bread=failure("", Reason.UNCHANGED, status=304))
    stock.look_again()
    (task,) = [task for _, task in stock.crawl.servers.requests[-5:] if task.url == BREAD]
    assert (task.etag, task.last_modified) == ('"abc"', "Mon, 01 Jan 2024 00:00:00 GMT")
    found = versions.stored(stock.folder, BREAD)
    assert (found.versions, found.page.gone) == (1, "")
    assert found.until.timestamp() > found.at.timestamp() + 900


def test_a_page_that_is_gone_keeps_what_it_said(stock: Stock) -> None:
    stock.serve(bread=failure("", status=404, detail="The server answered 404 Not Found."))
    stock.look_again()
    found = versions.stored(stock.folder, BREAD)
    assert found.page.gone == "The server answered 404 Not Found."
    assert "oven" in found.text
    stock.serve(bread=WEB[BREAD])
    stock.look_again()
    assert versions.stored(stock.folder, BREAD).page.gone == ""


def test_a_page_that_moved_leaves_its_new_place_to_the_next_run(stock: Stock) -> None:
    stock.serve(bread=redirect("", "http://a.test/bakery", status=301), bakery=article("Bakery", "Rolls."))
    stock.look_again()
    assert "moved to http://a.test/bakery" in versions.stored(stock.folder, BREAD).page.gone
    assert "http://a.test/bakery" not in stock.crawl.pages_asked
    stock.crawl.run()
    assert versions.stored(stock.folder, "http://a.test/bakery").title == "Bakery"


def test_new_links_of_a_changed_page_wait_for_the_next_run(stock: Stock) -> None:
    stock.serve(bread=article("Bread", "Rolls too.", "/rolls"), rolls=article("Rolls", "Small breads."))
    assert stock.look_again() is Ending.LOOKED
    assert "http://a.test/rolls" not in stock.crawl.pages_asked
    assert stock.crawl.run() is Ending.NOTHING_LEFT
    assert versions.stored(stock.folder, "http://a.test/rolls").title == "Rolls"


def test_looking_again_costs_nothing_of_the_page_budget(tmp_path: Path) -> None:
    from shoal.settings import Budget  # here, because only this test needs one

    stock = Stock(tmp_path / "c", budget=Budget(max_pages=3))
    assert stock.look_again() is Ending.PAGES
    assert len(stock.crawl.pages_asked) == 6


def test_stopped_in_the_middle_it_goes_on_where_it_was(stock: Stock) -> None:
    with folders.reading(stock.folder) as database:
        pages = [id for (id,) in database.execute("SELECT id FROM pages WHERE noindex = 0")]
        assert revisits.want_these(database, pages) == 5
    asked = len(stock.crawl.pages_asked)

    async def stop_soon(coordinator: object) -> Ending:
        import asyncio  # here, because only this test needs it

        asyncio.get_running_loop().call_later(2.5, coordinator.stop)  # type: ignore[attr-defined]
        return await stock.crawl.crawl(coordinator)  # type: ignore[arg-type]

    assert stock.crawl.play(stop_soon, new_pages=False) is Ending.STOPPED
    done = len(stock.crawl.pages_asked) - asked
    assert 0 < done < 5
    assert stock.crawl.run(new_pages=False) is Ending.LOOKED
    assert len(stock.crawl.pages_asked) - asked == 5
