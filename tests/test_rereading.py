"""What pages say and said: the stored text, the page as it came, every version, and what changed."""

from __future__ import annotations

from pathlib import Path

import pytest

from shoal.crawl.allowance import Ending
from shoal.errors import InputError
from shoal.model import Reason
from shoal.services import versions as rereading
from shoal.store import again
from shoal.store import crawl_folder as folders
from shoal.testing.fakes import failure, html, redirect
from tests.crawl.simulated import SEED
from tests.stocked import WEB, Stock, article

GBK = "http://a.test/%E8%BD%AC%E5%8F%98"
BREAD = "http://a.test/bread"


@pytest.fixture
def stock(tmp_path: Path) -> Stock:
    return Stock(tmp_path / "crawl")


# --- one page --------------------------------------------------------------------------------------------------------


def test_a_stored_page_says_what_it_said(stock: Stock) -> None:
    found = rereading.stored(stock.folder, GBK)
    assert (found.title, found.version, found.versions) == ("智能电网", 1, 1)
    assert "变电站把高压变成低压" in found.text
    assert (found.page.charset, found.page.language) == ("gb18030", "zh")


@pytest.mark.parametrize("url", ["a.test/bread", "http://a.test/bread#crust", "HTTP://A.TEST/bread"])
def test_a_url_may_be_typed_as_people_type(stock: Stock, url: str) -> None:
    assert rereading.stored(stock.folder, url).title == "Bread"


def test_the_page_comes_back_byte_for_byte(stock: Stock) -> None:
    assert rereading.body(stock.folder, GBK) == WEB[GBK].body  # type: ignore[union-attr]


def test_an_exact_copy_has_the_bytes_of_its_original(tmp_path: Path) -> None:
    twin = article("Twins", "We are the same, " * 30)
    web = {SEED: article("Home", "x", "/one", "/two"), "http://a.test/one": twin, "http://a.test/two": twin}
    folder = Stock(tmp_path / "c", web).folder
    assert rereading.body(folder, "http://a.test/two") == rereading.body(folder, "http://a.test/one") == twin.body  # type: ignore[union-attr]


@pytest.mark.parametrize(
    ("url", "sentence"),
    [
        ("http://a.test/nowhere", "http://a.test/nowhere was not fetched by this crawl: shoal explain says why not."),
        (
            "http://a.test/secret",
            "The text of http://a.test/secret is not stored: the page asks not to be kept (noindex).",
        ),
        ("not a url", "not a url was not fetched by this crawl: shoal explain says why not."),
    ],
)
def test_what_is_not_stored_is_said_in_one_sentence(stock: Stock, url: str, sentence: str) -> None:
    with pytest.raises(InputError) as error:
        rereading.stored(stock.folder, url)
    assert str(error.value) == sentence


def test_there_is_no_version_before_the_first(stock: Stock) -> None:
    for number in (0, 2, -1):
        with pytest.raises(InputError, match=f"has 1 version; there is no number {number}"):
            rereading.stored(stock.folder, BREAD, number)


# --- looking again ---------------------------------------------------------------------------------------------------


def test_only_what_changed_gets_a_version(stock: Stock) -> None:
    stock.serve(bread=article("Bread", "Sourdough needs three days."))
    asked = len(stock.crawl.asked)
    assert stock.look_again() is Ending.LOOKED
    assert sorted(stock.crawl.pages_asked[-5:]) == sorted(url for url in WEB if "secret" not in url)
    assert len(stock.crawl.asked) == asked + 5, "robots.txt is known"
    assert [step.number for step in rereading.steps(stock.folder, BREAD)] == [1, 2]
    assert len(rereading.steps(stock.folder, GBK)) == 1
    with folders.reading(stock.folder) as database:
        found = again.looked(database, stock.crawl.now - 900)
    assert (found.looked, found.changed, found.gone, found.waiting) == (5, (BREAD,), (), 0)


def test_what_moves_without_meaning_is_no_version(stock: Stock) -> None:
    stock.serve(bread=article("Bread", "Flour, water, salt and an oven.", head="<meta name=time content=12:45>"))
    stock.look_again()
    assert len(rereading.steps(stock.folder, BREAD)) == 1


def test_earlier_versions_stay_readable(stock: Stock) -> None:
    stock.serve(bread=article("Bread", "Sourdough needs three days."))
    stock.look_again()
    old, new = (rereading.stored(stock.folder, BREAD, number) for number in (1, 2))
    assert ("oven" in old.text, "oven" in new.text) == (True, False)
    assert old.until == new.at
    assert b"oven" in rereading.body(stock.folder, BREAD, 1)
    assert b"Sourdough" in rereading.body(stock.folder, BREAD)


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
    found = rereading.stored(stock.folder, BREAD)
    assert (found.versions, found.page.gone) == (1, "")
    assert found.until.timestamp() > found.at.timestamp() + 900


def test_a_page_that_is_gone_keeps_what_it_said(stock: Stock) -> None:
    stock.serve(bread=failure("", status=404, detail="The server answered 404 Not Found."))
    stock.look_again()
    found = rereading.stored(stock.folder, BREAD)
    assert found.page.gone == "The server answered 404 Not Found."
    assert "oven" in found.text
    stock.serve(bread=WEB[BREAD])
    stock.look_again()
    assert rereading.stored(stock.folder, BREAD).page.gone == ""


def test_a_page_that_moved_leaves_its_new_place_to_the_next_run(stock: Stock) -> None:
    stock.serve(bread=redirect("", "http://a.test/bakery", status=301), bakery=article("Bakery", "Rolls."))
    stock.look_again()
    assert "moved to http://a.test/bakery" in rereading.stored(stock.folder, BREAD).page.gone
    assert "http://a.test/bakery" not in stock.crawl.pages_asked
    stock.crawl.run()
    assert rereading.stored(stock.folder, "http://a.test/bakery").title == "Bakery"


def test_new_links_of_a_changed_page_wait_for_the_next_run(stock: Stock) -> None:
    stock.serve(bread=article("Bread", "Rolls too.", "/rolls"), rolls=article("Rolls", "Small breads."))
    assert stock.look_again() is Ending.LOOKED
    assert "http://a.test/rolls" not in stock.crawl.pages_asked
    assert stock.crawl.run() is Ending.NOTHING_LEFT
    assert rereading.stored(stock.folder, "http://a.test/rolls").title == "Rolls"


def test_looking_again_costs_nothing_of_the_page_budget(tmp_path: Path) -> None:
    from shoal.settings import Budget  # here, because only this test needs one

    stock = Stock(tmp_path / "c", budget=Budget(max_pages=3))
    assert stock.look_again() is Ending.PAGES
    assert len(stock.crawl.pages_asked) == 6


def test_stopped_in_the_middle_it_goes_on_where_it_was(stock: Stock) -> None:
    with folders.reading(stock.folder) as database:
        pages = [id for (id,) in database.execute("SELECT id FROM pages WHERE noindex = 0")]
        assert again.want_these(database, pages) == 5
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


# --- what changed ----------------------------------------------------------------------------------------------------


def kinds(stock: Stock, url: str) -> list[tuple[str, str]]:
    return [(line.kind, line.text) for line in rereading.difference(stock.folder, url).lines]


def test_a_difference_shows_what_went_and_what_came(stock: Stock) -> None:
    stock.serve(bread=article("Bread", "Flour, water, salt and a stone oven."))
    stock.look_again()
    found = kinds(stock, BREAD)
    assert ("removed", "Flour, water, salt and an oven.") in found
    assert ("added", "Flour, water, salt and a stone oven.") in found
    assert [kind for kind, _ in found].count("removed") == 1


def test_a_long_chinese_paragraph_is_compared_sentence_by_sentence(tmp_path: Path) -> None:
    sentences = [f"第{number}座变电站已经投入运行，负责人是工程师小李。" for number in range(20)]
    old, new = "".join(sentences), "".join([*sentences[:9], "第九座变电站正在检修。", *sentences[10:]])
    web = {SEED: article("电网", old, charset="gbk", language="zh")}
    stock = Stock(tmp_path / "c", web)
    stock.crawl.servers.serve(SEED, article("电网", new, charset="gbk", language="zh"))
    stock.look_again()
    changed = [(kind, text) for kind, text in kinds(stock, SEED) if kind in ("added", "removed")]
    assert changed == [("removed", sentences[9]), ("added", "第九座变电站正在检修。")]


def test_a_page_that_never_changed_has_no_difference(stock: Stock) -> None:
    with pytest.raises(InputError, match="has not changed since it was first fetched"):
        rereading.difference(stock.folder, BREAD)


def test_a_text_of_many_like_lines_is_compared_in_no_time() -> None:
    old, new = "\n".join("ab" * 10_000), "\n".join("ba" * 10_000)
    assert rereading._compared(old, new)
