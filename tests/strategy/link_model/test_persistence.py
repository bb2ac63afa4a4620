"""What was learned outlives the process: memos of pages, and knowledge for another crawl."""

from __future__ import annotations

import zlib
from collections.abc import Callable

import msgspec
import numpy as np
import pytest

from shoal.errors import InputError
from shoal.strategy.link_model.hashing import BUCKETS, hash_token
from shoal.strategy.link_model.link_rows import Rows, row_type
from shoal.strategy.link_model.persistence import (
    MOST_KNOWN,
    Knowledge,
    Memo,
    knowledge_of,
    pack_rows,
    read_memos,
    restore,
)
from shoal.strategy.link_model.valuation import LinkModel
from tests.strategy.link_model.pages import found, model, model_with_vectors, rows

ROWS = rows([found("a/1", "grid", 0.5), found("b/2", "电网", 0.25), found("http://y.example/c", "", 0.0)])


def memo(given: Rows = ROWS, *, again: bytes = b"", width: int = 0, **fields: float) -> bytes:
    values = {"key": -7, "worth": 0.5, "leads": 0.25} | fields
    made = Memo(**values, relevant=True, ordered=False, width=width, rows=pack_rows(given), again=again)  # type: ignore[arg-type]
    return msgspec.msgpack.encode(made)


# --- memos -----------------------------------------------------------------------------------------------------------


def test_a_memo_comes_back_whole() -> None:
    again = np.array([5, -6], dtype="<i8").tobytes()
    [(one, back, keys)] = read_memos([memo(again=again)], width=0)
    assert (one.key, one.worth, one.leads, one.relevant, one.ordered) == (-7, 0.5, 0.25, True, False)
    assert np.array_equal(back, ROWS)
    assert keys == [5, -6]


def test_a_page_without_links_has_a_memo() -> None:
    [(one, back, keys)] = read_memos([memo(rows([]))], width=0)
    assert (len(back), one.rows, keys) == (0, b"", [])
    assert back.dtype == row_type(0)


def test_when_word_vectors_are_installed_or_removed_rows_lose_their_meaning_only() -> None:
    with_meaning = np.zeros(3, dtype=row_type(4))
    for name in row_type(0).names or ():
        with_meaning[name] = ROWS[name]
    with_meaning["meaning"] = 0.5
    [(_, removed, _)] = read_memos([memo(with_meaning, width=4)], width=0)
    assert np.array_equal(removed, ROWS)
    [(_, installed, _)] = read_memos([memo(ROWS)], width=4)
    assert installed.dtype == row_type(4)
    assert np.array_equal(installed["places"], ROWS["places"])
    assert not installed["meaning"].any()
    [(_, other, _)] = read_memos([memo(with_meaning, width=4)], width=5)
    assert not other["meaning"].any(), "other vectors say other things"
    [(_, same, _)] = read_memos([memo(with_meaning, width=4)], width=4)
    assert np.array_equal(same, with_meaning)


def changed(name: str, value: int) -> Rows:
    made = ROWS.copy()
    made[name][0] = value
    return made


@pytest.mark.parametrize(
    "damaged",
    [
        b"",
        b"\xff\x00",
        "电网".encode("gbk"),
        memo()[:-1],
        memo() + b"\x00",
        msgspec.msgpack.encode(["links", 1, True, b""]),
        msgspec.msgpack.encode(["learned", 1, 0.5, 0.25, True]),
        msgspec.msgpack.encode({"type": "learned"}),
        memo(worth=1.5),
        memo(worth=-0.5),
        memo(worth=float("nan")),
        memo(leads=float("inf")),
        memo(key=2**63),
        memo(width=7),
        memo(width=-1),
        memo(again=b"seven b"),
        memo(changed("places", BUCKETS)),
        memo(changed("anchor", -1)),
        memo(changed("address", BUCKETS)),
        msgspec.msgpack.encode(["learned", 1, 0.5, 0.25, True, False, 0, b"no zlib", b""]),
        msgspec.msgpack.encode(["learned", 1, 0.5, 0.25, True, False, 0, zlib.compress(b"odd"), b""]),
    ],
)
def test_what_is_damaged_or_of_others_is_left_out(damaged: bytes) -> None:
    assert [one.key for one, _, _ in read_memos([damaged, memo(key=1), damaged], width=0)] == [1]


def test_no_flipped_bit_ends_a_crawl() -> None:
    whole = memo()
    for place in range(len(whole)):
        flipped = bytes([*whole[:place], whole[place] ^ 0x10, *whole[place + 1 :]])
        for _, back, _ in read_memos([flipped], width=0):
            assert np.array_equal(back, ROWS) or not len(back), "the checksum of rows finds what is damaged in them"


@pytest.mark.slow
def test_a_memo_that_would_fill_the_memory_is_cut() -> None:
    bomb = zlib.compress(bytes(200 * 2**20), 9)
    data = msgspec.msgpack.encode(["learned", 1, 0.5, 0.25, True, False, 0, bomb, b""])
    assert sum(len(back) * back.dtype.itemsize for _, back, _ in read_memos([data], width=0)) <= 64 * 2**20


# --- knowledge -------------------------------------------------------------------------------------------------------


def taught(pages: int = 5) -> LinkModel:
    """A model that saw a section pay, and another that did not."""
    made = model()
    good, bad = ROWS[:1], ROWS[1:2]
    for _ in range(pages):
        for row, worth in ((good, 1.0), (bad, 0.0)):
            made.learn(row, features_of(made, row), worth, worth / 2)
    made.solve()
    return made


def features_of(made: LinkModel, given: Rows = ROWS) -> np.ndarray:
    return made.features_of(given, np.ones(len(given), dtype=np.float32))


def test_who_saw_nothing_knows_nothing() -> None:
    assert knowledge_of(model()) == b""


def test_who_begins_with_what_another_learned_thinks_like_it() -> None:
    teacher, pupil = taught(), model()
    restore(pupil, knowledge_of(teacher))
    assert pupil.value(features_of(pupil)) == pytest.approx(teacher.value(features_of(teacher)), abs=1e-5)
    good, bad, _ = pupil.value(features_of(pupil)).tolist()
    assert good > bad + 0.5
    assert (pupil.counts.mean_worth, pupil.counts.mean_leads) == (teacher.counts.mean_worth, teacher.counts.mean_leads)
    assert pupil.pages == 0, "it has seen nothing itself"


def test_the_experience_with_a_tokens_counts_for_no_more_than_twenty_pages() -> None:
    teacher, pupil = taught(50), model()
    restore(pupil, knowledge_of(teacher))
    word = hash_token("a:grid")
    assert teacher.counts.pages[word] == 50.0
    assert (pupil.counts.pages[word], MOST_KNOWN) == (20.0, 20.0)
    # its mean stays
    assert pupil.counts.worth[word] == pytest.approx(20.0)
    assert pupil.counts.leads[word] == pytest.approx(10.0)
    few, pupil = taught(3), model()
    restore(pupil, knowledge_of(few))
    assert pupil.counts.pages[word] == 3.0


def test_knowledge_can_be_handed_on_and_on() -> None:
    first, second, third = taught(), model(), model()
    restore(second, knowledge_of(first))
    second.learn(ROWS[:1], features_of(second, ROWS[:1]), 0.0, 0.0)
    second.solve()
    restore(third, knowledge_of(second))
    assert third.value(features_of(third)) == pytest.approx(second.value(features_of(second)), abs=1e-5)


def known(change: Callable[[Knowledge], Knowledge]) -> bytes:
    return msgspec.msgpack.encode(change(msgspec.msgpack.decode(knowledge_of(taught()), type=Knowledge)))


def tokens(numbers: list[int], *sums: list[float]) -> bytes:
    return np.array(numbers, dtype="<i4").tobytes() + np.array(sums, dtype="<f4").tobytes()


@pytest.mark.parametrize(
    "damaged",
    [
        b"",
        b"\xff\x00",
        "电网".encode("gbk"),
        memo(),
        knowledge_of(taught())[:-1],
        knowledge_of(taught()).replace(b"learned-1", b"learned-0"),
        known(lambda one: msgspec.structs.replace(one, pages=-1)),
        known(lambda one: msgspec.structs.replace(one, worth=b"")),
        known(lambda one: msgspec.structs.replace(one, leads=one.leads[8:])),
        known(lambda one: msgspec.structs.replace(one, leads=bytes(len(one.leads)))),
        known(lambda one: msgspec.structs.replace(one, means=(0.0, 0.0, 0.0))),
        known(lambda one: msgspec.structs.replace(one, means=(float("nan"), 0.0, 0.0))),
        known(lambda one: msgspec.structs.replace(one, tokens=one.tokens[1:])),
        known(lambda one: msgspec.structs.replace(one, tokens=tokens([BUCKETS], [1.0], [0.5], [0.5]))),
        known(lambda one: msgspec.structs.replace(one, tokens=tokens([-1], [1.0], [0.5], [0.5]))),
        known(lambda one: msgspec.structs.replace(one, tokens=tokens([7], [0.0], [0.5], [0.5]))),
        known(lambda one: msgspec.structs.replace(one, tokens=tokens([7], [1.0], [float("nan")], [0.5]))),
    ],
)
def test_what_is_no_knowledge_is_refused_in_one_sentence(damaged: bytes) -> None:
    with pytest.raises(InputError) as refused:
        restore(model(), damaged)
    assert str(refused.value).count(".") == 1
    assert "\n" not in str(refused.value)


def test_what_was_learned_with_word_vectors_is_refused_without_them() -> None:
    with_vectors = model_with_vectors(np.array([1.0, 0.0]))
    row = np.zeros(1, dtype=row_type(2))
    with_vectors.learn(row, features_of(with_vectors, row), 0.5, 0.5)
    with pytest.raises(InputError):
        restore(model(), knowledge_of(with_vectors))
