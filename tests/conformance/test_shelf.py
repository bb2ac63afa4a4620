"""What every shelf must show of what was committed, in memory or on disk; also after it was opened again."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest
from msgspec.structs import replace

from shoal.model import Changes, Closing, Entry, HostRecord, Known, Reason, Retry, State, Term, Topic
from shoal.protocols import Shelf
from shoal.settings import Settings
from shoal.store import folder as folders
from shoal.store.crawl import open_store
from shoal.testing.shelf import MemoryShelf
from shoal.urls import key_of

START = (float("-inf"), 0)
SETTINGS = Settings(topic=Topic(name="t", terms=(Term(text="t"),)), seeds=("http://a.test/",))
Commit = Callable[[Changes], Shelf]


@pytest.fixture(params=["memory", "sqlite", "sqlite opened again"])
def commit(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Commit]:
    """Commits a batch, and shows the shelf as it is then."""
    if request.param == "memory":
        shelf = MemoryShelf()
        yield lambda changes: (shelf.commit(changes), shelf)[1]
        return
    folders.create(tmp_path, SETTINGS)
    with ExitStack() as stack:
        store = stack.enter_context(open_store(tmp_path))

        def commit_on_disk(changes: Changes) -> Shelf:
            nonlocal store
            asyncio.run(store.commit(changes))
            if request.param == "sqlite opened again":
                stack.close()
                store = stack.enter_context(open_store(tmp_path))
            return store.shelf

        yield commit_on_disk


def entry(id: int, host: str = "a.test", **changes: object) -> Entry:
    made = Entry(id=id, url=f"http://{host}/{id}", host=host, priority=0.5, anchor="Netz 电网", why="a guess")
    return replace(made, **changes)


def key(id: int, host: str = "a.test") -> int:
    return key_of(f"http://{host}/{id}")


def test_an_empty_shelf_knows_nothing(commit: Commit) -> None:
    shelf = commit(Changes())
    assert (shelf.last_id(), shelf.find(key(1)), list(shelf.best("a.test", START))) == (0, None, [])
    assert (list(shelf.worst(5)), list(shelf.hosts()), list(shelf.retries())) == ([], [], [])


def test_an_entry_comes_back_as_it_was_committed(commit: Commit) -> None:
    whole = entry(
        7,
        depth=3,
        parent=2,
        origin=4,
        hop=1,
        attempt=2,
        state=State.FAILED,
        reason=Reason.STATUS,
        detail="It said 404.",
    )
    shelf = commit(Changes(added=(whole, entry(8))))
    assert (shelf.read(7), shelf.read(8), shelf.last_id()) == (whole, entry(8), 8)
    assert shelf.find(key(7)) == Known(id=7, state=State.FAILED, priority=0.5, depth=3, reason=Reason.STATUS)
    assert shelf.find(key(8)) == Known(id=8, state=State.WAITING, priority=0.5, depth=0)


def test_what_changed_replaces_what_was(commit: Commit) -> None:
    commit(Changes(added=(entry(1), entry(2), entry(3, state=State.SKIPPED, reason=Reason.DEPTH))))
    better = entry(2, priority=0.9, depth=1, parent=1, why="a better link", anchor="here")
    reopened = entry(3, priority=0.7)
    done = entry(1, state=State.DONE)
    shelf = commit(Changes(changed=(done, better, reopened), repriced=((better, 0.5), (reopened, 0.5))))
    assert [shelf.read(id) for id in (1, 2, 3)] == [done, better, reopened]
    assert list(shelf.best("a.test", START)) == [(-0.9, 2), (-0.7, 3)]


def test_a_url_repriced_and_then_settled_in_one_batch_waits_no_more(commit: Commit) -> None:
    commit(Changes(added=(entry(1),)))
    done = entry(1, priority=0.9, state=State.DONE)
    shelf = commit(Changes(changed=(done,), repriced=((done, 0.5),)))
    assert (shelf.read(1), list(shelf.best("a.test", START))) == (done, [])


def test_the_best_come_first_and_from_any_place_on(commit: Commit) -> None:
    priorities = [0.2, 0.8, 0.5, 0.5, 0.5, 0.1]
    added = [entry(id, priority=priority) for id, priority in enumerate(priorities, 1)]
    shelf = commit(Changes(added=(*added, entry(9, "b.test"), entry(10, state=State.DONE, priority=1.0))))
    order = [(-0.8, 2), (-0.5, 3), (-0.5, 4), (-0.5, 5), (-0.2, 1), (-0.1, 6)]
    assert list(shelf.best("a.test", START)) == order
    assert list(shelf.best("a.test", (-0.5, 4))) == order[2:]
    assert list(shelf.best("a.test", (-0.5, 6))) == order[4:]
    assert list(shelf.best("nobody.test", START)) == []


def test_the_worst_come_first_the_latest_of_equals_before_the_others(commit: Commit) -> None:
    added = [entry(id, f"{id % 2}.test", priority=priority) for id, priority in enumerate([0.3, 0.1, 0.1, 0.9], 1)]
    shelf = commit(Changes(added=(*added, entry(9, priority=0.0, state=State.DONE))))
    assert [worst.id for worst in shelf.worst(3)] == [3, 2, 1]


def test_hosts_tell_what_waits_there(commit: Commit) -> None:
    shelf = commit(Changes(added=(entry(1), entry(2, priority=0.8), entry(3, "b.test", state=State.DONE))))
    assert sorted(shelf.hosts(), key=lambda host: host.name) == [
        HostRecord(name="a.test", waiting=2, best=0.8),
        HostRecord(name="b.test", waiting=0, best=0.0),
    ]


def test_a_retry_tells_its_time(commit: Commit) -> None:
    commit(Changes(added=(entry(1), entry(2), entry(3))))
    shelf = commit(
        Changes(
            changed=(
                entry(1, attempt=2, not_before=50.0),
                entry(2, attempt=2, not_before=60.0, state=State.FAILED, reason=Reason.STATUS),
            )
        )
    )
    assert list(shelf.retries()) == [Retry(id=1, host="a.test", priority=0.5, not_before=50.0)]
    assert [id for _, id in shelf.best("a.test", START)] == [1, 3], "it waits like the others"


def test_a_closed_host_takes_all_that_waits_there_with_it_save_what_is_under_way(commit: Commit) -> None:
    commit(Changes(added=(entry(1), entry(2), entry(3, attempt=2), entry(4, "b.test"), entry(5, state=State.DONE))))
    closing = Closing(host="a.test", state=State.FAILED, reason=Reason.DNS, detail="No such name.", leased=(2,))
    # 6 is added and 1 is settled in the same batch.
    shelf = commit(Changes(added=(entry(6),), changed=(entry(1, state=State.DONE),), closed=(closing,)))
    states = {id: shelf.read(id).state for id in (1, 2, 5, 6)} | {4: shelf.read(4).state}
    assert states == {1: State.DONE, 2: State.WAITING, 5: State.DONE, 6: State.FAILED, 4: State.WAITING}
    gone = shelf.read(3)
    assert (gone.state, gone.reason, gone.detail, gone.attempt) == (State.FAILED, Reason.DNS, "No such name.", 2)
    assert [id for _, id in shelf.best("a.test", START)] == [2]
    assert {host.name: (host.waiting, host.closed) for host in shelf.hosts()} == {
        "a.test": (1, Reason.DNS),
        "b.test": (1, None),
    }


def test_a_host_can_be_closed_before_any_url_of_it_was_seen(commit: Commit) -> None:
    closing = Closing(host="new.test", state=State.FAILED, reason=Reason.DNS, detail="")
    assert [host.closed for host in commit(Changes(closed=(closing,))).hosts()] == [Reason.DNS]
