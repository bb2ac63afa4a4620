"""What pages say and said: the stored text, the page as it came, every version, and what changed."""

from __future__ import annotations

from pathlib import Path

import pytest

from shoal.errors import InputError
from shoal.services import versions
from tests.crawl.simulated import SEED
from tests.stocked import WEB, Stock, article

GBK = "http://a.test/%E8%BD%AC%E5%8F%98"
BREAD = "http://a.test/bread"


@pytest.fixture
def stock(tmp_path: Path) -> Stock:
    return Stock(tmp_path / "crawl")


# --- one page --------------------------------------------------------------------------------------------------------


def test_a_stored_page_says_what_it_said(stock: Stock) -> None:
    found = versions.stored(stock.folder, GBK)
    assert (found.title, found.version, found.versions) == ("智能电网", 1, 1)
    assert "变电站把高压变成低压" in found.text
    assert (found.page.charset, found.page.language) == ("gb18030", "zh")


@pytest.mark.parametrize("url", ["a.test/bread", "http://a.test/bread#crust", "HTTP://A.TEST/bread"])
def test_a_url_may_be_typed_as_people_type(stock: Stock, url: str) -> None:
    assert versions.stored(stock.folder, url).title == "Bread"


def test_the_page_comes_back_byte_for_byte(stock: Stock) -> None:
    assert versions.body(stock.folder, GBK) == WEB[GBK].body  # type: ignore[union-attr]


def test_an_exact_copy_has_the_bytes_of_its_original(tmp_path: Path) -> None:
    twin = article("Twins", "We are the same, " * 30)
    web = {SEED: article("Home", "x", "/one", "/two"), "http://a.test/one": twin, "http://a.test/two": twin}
    folder = Stock(tmp_path / "c", web).folder
    assert versions.body(folder, "http://a.test/two") == versions.body(folder, "http://a.test/one") == twin.body  # type: ignore[union-attr]


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
        versions.stored(stock.folder, url)
    assert str(error.value) == sentence


def test_there_is_no_version_before_the_first(stock: Stock) -> None:
    for number in (0, 2, -1):
        with pytest.raises(InputError, match=f"has 1 version; there is no number {number}"):
            versions.stored(stock.folder, BREAD, number)


# --- looking again ---------------------------------------------------------------------------------------------------


def test_earlier_versions_stay_readable(stock: Stock) -> None:
    stock.serve(bread=article("Bread", "Sourdough needs three days."))
    stock.look_again()
    old, new = (versions.stored(stock.folder, BREAD, number) for number in (1, 2))
    assert ("oven" in old.text, "oven" in new.text) == (True, False)
    assert old.until == new.at
    assert b"oven" in versions.body(stock.folder, BREAD, 1)
    assert b"Sourdough" in versions.body(stock.folder, BREAD)


# --- what changed ----------------------------------------------------------------------------------------------------


def kinds(stock: Stock, url: str) -> list[tuple[str, str]]:
    return [(line.kind, line.text) for line in versions.difference(stock.folder, url).lines]


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
        versions.difference(stock.folder, BREAD)


def test_a_text_of_many_like_lines_is_compared_in_no_time() -> None:
    old, new = "\n".join("ab" * 10_000), "\n".join("ba" * 10_000)
    assert versions._compared(old, new)
