"""What is known of a URL, while the URL index does not have it yet, and while it is on its way there?"""

from __future__ import annotations

from msgspec.structs import replace

from shoal.frontier.pending import PendingChanges
from shoal.model import Entry, Reason, State
from shoal.testing.memory_url_index import MemoryUrlIndex
from shoal.urls import key_of

URL = "http://a.test/"


def entry(pending: PendingChanges, priority: float = 0.5) -> Entry:
    return Entry(id=pending.new_id(), url=URL, host="a.test", priority=priority)


def test_a_url_is_known_before_during_and_after_its_commit() -> None:
    url_index = MemoryUrlIndex()
    pending = PendingChanges(url_index)
    new = entry(pending)
    pending.add(new, key_of(URL))
    for step in ["added", "in transit", "in the URL index"]:
        known = pending.find(key_of(URL))
        assert known is not None, step
        assert (known.id, known.state, pending.read(new.id)) == (new.id, State.WAITING, new), step
        assert pending.unsaved(new.id) is (step != "in the URL index")
        if step == "added":
            url_index.commit(pending.take())
        elif step == "in transit":
            pending.committed()


def test_what_happens_while_a_batch_is_under_way_belongs_to_the_next() -> None:
    url_index = MemoryUrlIndex()
    pending = PendingChanges(url_index)
    new = entry(pending)
    pending.add(new, key_of(URL))
    batch = pending.take()
    done = replace(new, state=State.DONE)
    pending.change(new, done)
    url_index.commit(batch)
    pending.committed()
    assert url_index.read(new.id).state is State.WAITING
    assert pending.read(new.id) is done
    second = pending.take()
    assert (second.added, second.changed) == ((), (done,))
    assert sorted(second.tally) == [(State.WAITING, None, -1), (State.DONE, None, 1)]


def test_a_url_settled_before_it_was_ever_saved_is_added_as_it_is() -> None:
    pending = PendingChanges(MemoryUrlIndex())
    new = entry(pending)
    pending.add(new, key_of(URL))
    failed = replace(new, state=State.FAILED, reason=Reason.STATUS)
    pending.reprice(new, replace(new, priority=0.9))
    pending.change(replace(new, priority=0.9), failed)
    batch = pending.take()
    assert (batch.added, batch.changed, batch.repriced) == ((failed,), (), ())
    assert batch.tally == ((State.FAILED, Reason.STATUS, 1),)


def test_a_repriced_url_says_what_the_shelf_thought_of_it() -> None:
    url_index = MemoryUrlIndex()
    pending = PendingChanges(url_index)
    first = entry(pending, priority=0.5)
    pending.add(first, key_of(URL))
    url_index.commit(pending.take())
    pending.committed()
    second, third = replace(first, priority=0.7), replace(first, priority=0.9)
    pending.reprice(first, second)
    pending.reprice(second, third)
    batch = pending.take()
    assert (batch.changed, batch.repriced) == ((third,), ((third, 0.5),))


def test_ids_go_on_after_those_of_the_last_run() -> None:
    url_index = MemoryUrlIndex()
    pending = PendingChanges(url_index)
    pending.add(entry(pending), key_of(URL))
    url_index.commit(pending.take())
    assert PendingChanges(url_index).new_id() == 2
