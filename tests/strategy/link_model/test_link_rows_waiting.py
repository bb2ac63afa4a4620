"""The rows of links that wait."""

from __future__ import annotations

import numpy as np
import pytest

from shoal.strategy.link_model.link_rows import LinkTable, Rows, row_type


def rows(*keys: int, score: float = 0.0) -> Rows:
    made = np.zeros(len(keys), dtype=row_type(0))
    made["key"], made["score"] = keys, score
    return made


def with_values(links: LinkTable, **values: float) -> LinkTable:
    """Links with keys 1, 2, 3 … that are worth so much."""
    slots = links.put(rows(*range(1, len(values) + 1)))
    links.value[slots] = list(values.values())
    return links


def slot(links: LinkTable, key: int) -> int:
    found = links.find(key)
    assert found is not None
    return found


def keys(links: LinkTable) -> list[int]:
    return sorted(links.rows["key"][links.slots()].tolist())


def test_what_is_put_is_found() -> None:
    links = LinkTable()
    assert (len(links), links.find(1), links.slots().tolist()) == (0, None, [])
    slots = links.put(rows(1, -2))
    assert len(links) == 2
    assert [links.find(1), links.find(-2)] == slots.tolist()
    assert sorted(links.slots().tolist()) == sorted(slots.tolist())
    assert links.rows["key"][slots].tolist() == [1, -2]


def test_a_url_has_one_row_the_last_one() -> None:
    links = LinkTable()
    [place] = links.put(rows(1, score=0.25))
    links.ways[place], links.value[place], links.told[place] = 3, 0.5, 0.75
    assert links.put(rows(1, score=0.5)).tolist() == [place]
    assert len(links) == 1
    assert links.rows["score"][place] == 0.5
    # what is known of the URL, whatever led there, stays
    assert (links.ways[place], links.value[place], links.told[place]) == (3.0, 0.5, 0.75)


def test_a_place_that_became_free_begins_anew() -> None:
    links = LinkTable()
    [place] = links.put(rows(1))
    links.ways[place] = links.value[place] = links.expected[place] = links.told[place] = 0.5
    links.drop([1, 99])
    assert (len(links), links.find(1), links.slots().tolist()) == (0, None, [])
    assert links.put(rows(2)).tolist() == [place], "memory is used again"
    assert (links.ways[place], links.value[place], links.expected[place], links.told[place]) == (0, 0, 0, 0)


def test_there_is_room_for_all() -> None:
    links = LinkTable()
    many = rows(*range(10_000))
    first = links.put(many[:10])
    links.value[first] = 0.5
    slots = links.put(many)
    assert len(links) == 10_000
    assert np.array_equal(links.rows["key"][slots], many["key"])
    assert links.value[[slot(links, key) for key in range(10)]].tolist() == [0.5] * 10
    assert len(set(slots.tolist())) == 10_000


def test_nothing_is_put_and_nothing_dropped() -> None:
    links = with_values(LinkTable(), a=0.5)
    assert links.put(rows()).tolist() == []
    links.drop([])
    links.name_again([])
    assert keys(links) == [1]


def test_pages_that_name_a_link_again_are_counted() -> None:
    links = with_values(LinkTable(), a=0.1, b=0.2)
    links.name_again([2, 77])
    links.name_again([1, 2])
    assert links.ways[[slot(links, 1), slot(links, 2)]].tolist() == [1.0, 2.0]


def test_those_that_promise_least_are_let_go_with_some_to_spare() -> None:
    links = LinkTable(most=16)
    slots = links.put(rows(*range(20)))
    links.value[slots] = np.arange(20)
    links.shed()
    # 4 are too many, and an eighth of 16 is spare
    assert keys(links) == list(range(6, 20))
    links.shed()
    assert len(links) == 14, "there is room"


def test_as_many_as_there_is_room_for_are_kept() -> None:
    links = LinkTable(most=3)
    with_values(links, a=0.3, b=0.1, c=0.2)
    links.shed()
    assert keys(links) == [1, 2, 3]


@pytest.mark.parametrize("width", [0, 5])
def test_rows_may_say_what_words_mean(width: int) -> None:
    links = LinkTable(width)
    made = np.zeros(1, dtype=row_type(width))
    if width:
        made["meaning"] = np.arange(width) / 8
    [place] = links.put(made)
    assert links.rows.dtype == row_type(width)
    assert links.rows[place] == made[0]


def test_a_row_is_small() -> None:
    # The docstring of the module promises some 200 bytes.
    assert row_type(0).itemsize <= 220
