"""In which order do the found pages come? The best first, each once, newer ones first if wanted, near-copies as one."""

from __future__ import annotations

from pathlib import Path

import pytest

from shoal.index.index_folder import IndexWriter
from shoal.index.query import parse, today
from shoal.index.ranking import RESCORED
from shoal.index.schema import Freshness
from tests.index.pages import FILLER, NOW, found, index_of, page

FRESH = Freshness(today=today(NOW))


def test_title_and_nearness_count(tmp_path: Path) -> None:
    pages = [
        page(1, "smart people and a grid of bars and a lot of other words"),
        page(2, "people and a smart grid of bars and a lot of other words"),
        page(3, "people and a smart grid of bars and a lot of other words", title="Smart grid"),
    ]
    assert found(index_of(tmp_path, [*pages, *FILLER]), "smart grid") == [3, 2, 1]


def test_topic_and_links_lift_a_page(tmp_path: Path) -> None:
    pages = [
        page(1, "grid"),
        page(2, "grid", importance=1.0),
        page(3, "grid", score=0.5),
        page(4, "grid", score=0.5, relevant=True),
    ]
    index = index_of(tmp_path, pages)
    assert found(index, "grid") == [4, 3, 2, 1]
    assert found(index, "site:example.org") == [4, 3, 2, 1]


@pytest.mark.slow
def test_equal_pages_come_by_their_number_and_each_once(tmp_path: Path) -> None:
    with IndexWriter(tmp_path) as writer:
        for start in range(0, 300, 50):
            writer.add(page(id, "grid") for id in reversed(range(start, start + 50)))
            writer.commit()
    index = index_of(tmp_path, [])
    for query in ("grid", "site:example.org", "-fan"):
        pages = [found(index, query, offset=offset, limit=7) for offset in range(0, 301, 7)]
        assert [id for ids in pages for id in ids] == list(range(300))


def test_more_says_whether_there_is_another_page(tmp_path: Path) -> None:
    index = index_of(tmp_path, [page(id, "grid") for id in range(20)])
    assert index.search(parse("grid"), offset=0).more
    assert not index.search(parse("grid"), offset=10).more
    beyond = index.search(parse("grid"), offset=100)
    assert (beyond.hits, beyond.more, beyond.total) == ((), False, 20)


def test_fresh_pages_first_if_wanted(tmp_path: Path) -> None:
    pages = [
        page(1, "grid grid grid", published="2014"),
        page(2, "grid", published="2024-10-01"),
        page(3, "grid", published="2023"),
    ]
    index = index_of(tmp_path, [*pages, *FILLER])
    assert found(index, "grid")[0] == 1
    assert found(index, "grid", fresh=FRESH)[0] == 2
    assert found(index, "grid", fresh=Freshness(today=today(NOW), half_life=1e6)) == found(index, "grid")


def test_fresh_is_stable_over_pages(tmp_path: Path) -> None:
    count = RESCORED + 50
    index = index_of(tmp_path, [page(id, "grid", published=f"{2000 + id % 20}") for id in range(count)])
    pages = [found(index, "grid", offset=offset, limit=150, fresh=FRESH) for offset in range(0, count, 150)]
    ids = [id for page_of_hits in pages for id in page_of_hits]
    assert sorted(ids) == list(range(count))
    assert ids[0] == 19
    assert ids[RESCORED:] == list(range(RESCORED, count))


def test_near_copies_are_one_hit(tmp_path: Path) -> None:
    copies = [page(id, "grid", group=5, score=0.1 * (id % 3)) for id in range(5, 9)]
    others = [page(id, "grid fan") for id in range(20, 50)]
    index = index_of(tmp_path, [*copies, *others])
    results = index.search(parse("grid"), limit=100)
    (hit,) = [hit for hit in results.hits if hit.id < 20]
    assert (hit.id, hit.similar) == (5, 3)
    assert (results.total, len(results.hits)) == (34, 31)
    assert all(other.similar == 0 for other in results.hits if other.id != 5)
    pages = [found(index, "grid", offset=offset, limit=4) for offset in range(0, 32, 4)]
    assert sorted(id for ids in pages for id in ids) == [5, *range(20, 50)]


def test_near_copies_are_counted_among_more_pages_than_were_looked_at(tmp_path: Path) -> None:
    copies = [page(1, "grid grid grid"), page(2, "grid", group=1), page(3, "grid", group=1), page(4, "lines", group=1)]
    others = [page(id, "a grid among" + " words" * (id // 10)) for id in range(10, 310)]
    hit, *more = index_of(tmp_path, [*copies, *others]).search(parse("grid"), limit=3).hits
    assert (hit.id, hit.similar) == (1, 2)
    assert [other.similar for other in more] == [0, 0]


def test_many_near_copies_do_not_hide_the_others(tmp_path: Path) -> None:
    copies = [page(id, "grid grid grid", group=1) for id in range(1, 700)]
    index = index_of(tmp_path, [*copies, page(900, "grid and more"), page(901, "grid and much more")])
    results = index.search(parse("grid"), limit=2)
    assert [(hit.id, hit.similar) for hit in results.hits] == [(1, 698), (900, 0)]
    assert results.more
