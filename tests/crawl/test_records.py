"""What is known of a URL, while the shelf does not have it yet, and while it is on its way there?"""

from __future__ import annotations

from msgspec.structs import replace

from shoal.frontier.pending import Records
from shoal.model import Entry, Reason, State
from shoal.testing.memory_url_index import MemoryShelf
from shoal.urls import key_of

URL = "http://a.test/"


def entry(records: Records, priority: float = 0.5) -> Entry:
    return Entry(id=records.new_id(), url=URL, host="a.test", priority=priority)


def test_a_url_is_known_before_during_and_after_its_commit() -> None:
    shelf = MemoryShelf()
    records = Records(shelf)
    new = entry(records)
    records.add(new, key_of(URL))
    for step in ["added", "in transit", "on the shelf"]:
        known = records.find(key_of(URL))
        assert known is not None, step
        assert (known.id, known.state, records.read(new.id)) == (new.id, State.WAITING, new), step
        assert records.unsaved(new.id) is (step != "on the shelf")
        if step == "added":
            shelf.commit(records.take())
        elif step == "in transit":
            records.committed()


def test_what_happens_while_a_batch_is_under_way_belongs_to_the_next() -> None:
    shelf = MemoryShelf()
    records = Records(shelf)
    new = entry(records)
    records.add(new, key_of(URL))
    batch = records.take()
    done = replace(new, state=State.DONE)
    records.change(new, done)
    shelf.commit(batch)
    records.committed()
    assert shelf.read(new.id).state is State.WAITING
    assert records.read(new.id) is done
    second = records.take()
    assert (second.added, second.changed) == ((), (done,))
    assert sorted(second.tally) == [(State.WAITING, None, -1), (State.DONE, None, 1)]


def test_a_url_settled_before_it_was_ever_saved_is_added_as_it_is() -> None:
    records = Records(MemoryShelf())
    new = entry(records)
    records.add(new, key_of(URL))
    failed = replace(new, state=State.FAILED, reason=Reason.STATUS)
    records.reprice(new, replace(new, priority=0.9))
    records.change(replace(new, priority=0.9), failed)
    batch = records.take()
    assert (batch.added, batch.changed, batch.repriced) == ((failed,), (), ())
    assert batch.tally == ((State.FAILED, Reason.STATUS, 1),)


def test_a_repriced_url_says_what_the_shelf_thought_of_it() -> None:
    shelf = MemoryShelf()
    records = Records(shelf)
    first = entry(records, priority=0.5)
    records.add(first, key_of(URL))
    shelf.commit(records.take())
    records.committed()
    second, third = replace(first, priority=0.7), replace(first, priority=0.9)
    records.reprice(first, second)
    records.reprice(second, third)
    batch = records.take()
    assert (batch.changed, batch.repriced) == ((third,), ((third, 0.5),))


def test_ids_go_on_after_those_of_the_last_run() -> None:
    shelf = MemoryShelf()
    records = Records(shelf)
    records.add(entry(records), key_of(URL))
    shelf.commit(records.take())
    assert Records(shelf).new_id() == 2
