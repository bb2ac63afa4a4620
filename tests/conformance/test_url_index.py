"""What every shelf must show of what was committed, in memory or on disk; also after it was opened again."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest
from msgspec.structs import replace

from shoal.model import Entry, Reason, State, Term, Topic
from shoal.protocols import Shelf
from shoal.remembered import Changes, Closing, HostRecord, Known, Waiting
from shoal.settings import Cluster, Settings
from shoal.store import crawl_folder as folders
from shoal.store.crawl_store import open_store
from shoal.testing.memory_url_index import MemoryShelf
from shoal.urls import key_of

SETTINGS = Settings(topic=Topic(name="t", terms=(Term(text="t"),)), seeds=("http://a.test/",))
Commit = Callable[[Changes], Shelf]


@pytest.fixture(params=["memory", "sqlite", "sqlite opened again", "postgresql", "postgresql opened again"])
def commit(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Commit]:
    """Commits a batch, and shows the shelf as it is then."""
    if request.param == "memory":
        shelf = MemoryShelf()
        yield lambda changes: (shelf.commit(changes), shelf)[1]
        return
    database = request.getfixturevalue("postgres") if "postgresql" in request.param else ""
    folders.create(tmp_path, SETTINGS, cluster=Cluster(database=database))
    with ExitStack() as stack:
        store = stack.enter_context(open_store(tmp_path))

        def commit_on_disk(changes: Changes) -> Shelf:
            nonlocal store
            asyncio.run(store.commit(changes))
            if "opened again" in request.param:
                stack.close()
                store = stack.enter_context(open_store(tmp_path))
            return store.shelf

        yield commit_on_disk


def entry(id: int, host: str = "a.test", **changes: object) -> Entry:
    made = Entry(id=id, url=f"http://{host}/{id}", host=host, priority=0.5, anchor="Netz 电网", why="a guess")
    return replace(made, **changes)


def key(id: int, host: str = "a.test") -> int:
    return key_of(f"http://{host}/{id}")


def waiting(shelf: Shelf) -> list[Waiting]:
    return sorted(shelf.waiting(), key=lambda url: url.id)


def test_an_empty_shelf_knows_nothing(commit: Commit) -> None:
    shelf = commit(Changes())
    assert (shelf.last_id(), shelf.find(key(1)), list(shelf.hosts()), waiting(shelf)) == (0, None, [], [])


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
    assert [(url.id, url.priority) for url in waiting(shelf)] == [(2, 0.9), (3, 0.7)]


def test_a_url_repriced_and_then_settled_in_one_batch_waits_no_more(commit: Commit) -> None:
    commit(Changes(added=(entry(1),)))
    done = entry(1, priority=0.9, state=State.DONE)
    shelf = commit(Changes(changed=(done,), repriced=((done, 0.5),)))
    assert (shelf.read(1), waiting(shelf)) == (done, [])


def test_hosts_are_told_with_what_they_gave(commit: Commit) -> None:
    shelf = commit(Changes(added=(entry(1), entry(2), entry(3, "b.test", state=State.DONE))))
    assert sorted(shelf.hosts(), key=lambda host: host.name) == [HostRecord(name="a.test"), HostRecord(name="b.test")]


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
    assert waiting(shelf) == [
        Waiting(id=1, host="a.test", priority=0.5, not_before=50.0),
        Waiting(id=3, host="a.test", priority=0.5),
    ]


def test_a_closed_host_takes_what_waits_there_with_it(commit: Commit) -> None:
    commit(Changes(added=(entry(1), entry(2), entry(3, attempt=2), entry(4, "b.test"), entry(5, state=State.DONE))))
    closing = Closing(host="a.test", state=State.FAILED, reason=Reason.DNS, detail="No such name.", waiting=(3, 6))
    # 6 is added and 1 is settled in the same batch; 2 is under way.
    shelf = commit(Changes(added=(entry(6),), changed=(entry(1, state=State.DONE),), closed=(closing,)))
    states = {id: shelf.read(id).state for id in (1, 2, 4, 5, 6)}
    assert states == {1: State.DONE, 2: State.WAITING, 4: State.WAITING, 5: State.DONE, 6: State.FAILED}
    gone = shelf.read(3)
    assert (gone.state, gone.reason, gone.detail, gone.attempt) == (State.FAILED, Reason.DNS, "No such name.", 2)
    assert [url.id for url in waiting(shelf)] == [2, 4]
    assert {host.name: host.closed for host in shelf.hosts()} == {"a.test": Reason.DNS, "b.test": None}


def test_a_host_can_be_closed_before_any_url_of_it_was_seen(commit: Commit) -> None:
    closing = Closing(host="new.test", state=State.FAILED, reason=Reason.DNS, detail="")
    assert [host.closed for host in commit(Changes(closed=(closing,))).hosts()] == [Reason.DNS]
