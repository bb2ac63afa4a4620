"""What every shelf must show of what was committed, in memory or on disk; also after it was opened again."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest
from msgspec.structs import replace

from shoal.model import Entry, Reason, State, Term, Topic
from shoal.model.stored import Changes, Closing, HostRecord, Known, Waiting
from shoal.protocols import UrlIndex
from shoal.settings import Cluster, Settings
from shoal.store import crawl_folder as folders
from shoal.store.crawl_store import open_store
from shoal.testing.memory_url_index import MemoryUrlIndex
from shoal.urls import key_of

SETTINGS = Settings(topic=Topic(name="t", terms=(Term(text="t"),)), seeds=("http://a.test/",))
Commit = Callable[[Changes], UrlIndex]


@pytest.fixture(params=["memory", "sqlite", "sqlite opened again", "postgresql", "postgresql opened again"])
def commit(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Commit]:
    """Commits a batch, and shows the URL index as it is then."""
    if request.param == "memory":
        url_index = MemoryUrlIndex()
        yield lambda changes: (url_index.commit(changes), url_index)[1]
        return
    database = request.getfixturevalue("postgres") if "postgresql" in request.param else ""
    folders.create(tmp_path, SETTINGS, cluster=Cluster(database=database))
    with ExitStack() as stack:
        store = stack.enter_context(open_store(tmp_path))

        def commit_on_disk(changes: Changes) -> UrlIndex:
            nonlocal store
            asyncio.run(store.commit(changes))
            if "opened again" in request.param:
                stack.close()
                store = stack.enter_context(open_store(tmp_path))
            return store.url_index

        yield commit_on_disk


def entry(id: int, host: str = "a.test", **changes: object) -> Entry:
    url = f"http://{host}/{id}"
    made = Entry(id=id, url=url, host=host, priority=0.5, anchor="Netz 电网", why="a guess", key=key_of(url))
    return replace(made, **changes)


def key(id: int, host: str = "a.test") -> int:
    return key_of(f"http://{host}/{id}")


def waiting(url_index: UrlIndex) -> list[Waiting]:
    return sorted(url_index.waiting(), key=lambda url: url.id)


@pytest.mark.slow
def test_an_empty_shelf_knows_nothing(commit: Commit) -> None:
    url_index = commit(Changes())
    assert (url_index.last_id(), url_index.find(key(1)), list(url_index.hosts()), waiting(url_index)) == (
        0,
        None,
        [],
        [],
    )


@pytest.mark.slow
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
    url_index = commit(Changes(added=(whole, entry(8))))
    assert (url_index.read(7), url_index.read(8), url_index.last_id()) == (whole, entry(8), 8)
    assert url_index.find(key(7)) == Known(id=7, state=State.FAILED, priority=0.5, depth=3, reason=Reason.STATUS)
    assert url_index.find(key(8)) == Known(id=8, state=State.WAITING, priority=0.5, depth=0)


@pytest.mark.slow
def test_what_changed_replaces_what_was(commit: Commit) -> None:
    commit(Changes(added=(entry(1), entry(2), entry(3, state=State.SKIPPED, reason=Reason.DEPTH))))
    better = entry(2, priority=0.9, depth=1, parent=1, why="a better link", anchor="here")
    reopened = entry(3, priority=0.7)
    done = entry(1, state=State.DONE)
    url_index = commit(Changes(changed=(done, better, reopened), repriced=((better, 0.5), (reopened, 0.5))))
    assert [url_index.read(id) for id in (1, 2, 3)] == [done, better, reopened]
    assert [(url.id, url.priority) for url in waiting(url_index)] == [(2, 0.9), (3, 0.7)]


@pytest.mark.slow
def test_a_url_repriced_and_then_settled_in_one_batch_waits_no_more(commit: Commit) -> None:
    commit(Changes(added=(entry(1),)))
    done = entry(1, priority=0.9, state=State.DONE)
    url_index = commit(Changes(changed=(done,), repriced=((done, 0.5),)))
    assert (url_index.read(1), waiting(url_index)) == (done, [])


@pytest.mark.slow
def test_hosts_are_told_with_what_they_gave(commit: Commit) -> None:
    url_index = commit(Changes(added=(entry(1), entry(2), entry(3, "b.test", state=State.DONE))))
    assert sorted(url_index.hosts(), key=lambda host: host.name) == [
        HostRecord(name="a.test"),
        HostRecord(name="b.test"),
    ]


@pytest.mark.slow
def test_a_retry_tells_its_time(commit: Commit) -> None:
    commit(Changes(added=(entry(1), entry(2), entry(3))))
    url_index = commit(
        Changes(
            changed=(
                entry(1, attempt=2, not_before=50.0),
                entry(2, attempt=2, not_before=60.0, state=State.FAILED, reason=Reason.STATUS),
            )
        )
    )
    assert waiting(url_index) == [
        Waiting(id=1, host="a.test", priority=0.5, not_before=50.0),
        Waiting(id=3, host="a.test", priority=0.5),
    ]


@pytest.mark.slow
def test_a_closed_host_takes_what_waits_there_with_it(commit: Commit) -> None:
    commit(Changes(added=(entry(1), entry(2), entry(3, attempt=2), entry(4, "b.test"), entry(5, state=State.DONE))))
    closing = Closing(host="a.test", state=State.FAILED, reason=Reason.DNS, detail="No such name.", waiting=(3, 6))
    # 6 is added and 1 is settled in the same batch; 2 is under way.
    url_index = commit(Changes(added=(entry(6),), changed=(entry(1, state=State.DONE),), closed=(closing,)))
    states = {id: url_index.read(id).state for id in (1, 2, 4, 5, 6)}
    assert states == {1: State.DONE, 2: State.WAITING, 4: State.WAITING, 5: State.DONE, 6: State.FAILED}
    gone = url_index.read(3)
    assert (gone.state, gone.reason, gone.detail, gone.attempt) == (State.FAILED, Reason.DNS, "No such name.", 2)
    assert [url.id for url in waiting(url_index)] == [2, 4]
    assert {host.name: host.closed for host in url_index.hosts()} == {"a.test": Reason.DNS, "b.test": None}


@pytest.mark.slow
def test_a_host_can_be_closed_before_any_url_of_it_was_seen(commit: Commit) -> None:
    closing = Closing(host="new.test", state=State.FAILED, reason=Reason.DNS, detail="")
    assert [host.closed for host in commit(Changes(closed=(closing,))).hosts()] == [Reason.DNS]
