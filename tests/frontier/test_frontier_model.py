"""The frontier, step by step beside a model so simple that it is plainly right: nothing lost, nothing twice, best first."""

from __future__ import annotations

import asyncio
import copy
import tempfile
from collections import Counter
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from random import Random

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule
from msgspec.structs import replace

from shoal.frontier.frontier import Frontier
from shoal.frontier.host_schedule import PATIENCE, HostSchedule
from shoal.frontier.pending import PendingChanges
from shoal.frontier.politeness import Clocks
from shoal.model import Entry, Reason, State, Term, Timing, Topic
from shoal.model.stored import Closing
from shoal.settings import Politeness, Settings
from shoal.store import crawl_folder as folders
from shoal.store.crawl_store import CrawlStore, open_store
from shoal.testing.memory_ledger import MemoryLedger
from shoal.urls import host_of, key_of

URLS = [f"http://{host}.test/{page}" for host, pages in [("a", 16), ("b", 12), ("c", 2)] for page in range(pages)]
REOPENS = {Reason.DEPTH, Reason.NOFOLLOW, Reason.THRESHOLD, Reason.QUEUE_FULL, Reason.BOUND}
SETTINGS = Settings(topic=Topic(name="t", terms=(Term(text="t"),)), seeds=("http://a.test/",))
urls = st.sampled_from(URLS)
priorities = st.sampled_from([0.0, 0.25, 0.5, 0.75, 1.0])
inheritances = st.sampled_from([None, 0.0, 1.0, 2.0])


@dataclass
class Url:
    """What the model knows of a URL."""

    state: State
    reason: Reason | None
    priority: float
    depth: int
    inherited: float | None = None
    attempt: int = 1
    not_before: float = 0.0


@dataclass
class Model:
    """All that a frontier must get right, without a queue."""

    urls: dict[str, Url]
    closed: dict[str, Reason]


class FrontierBesideModel(RuleBasedStateMachine):
    """With four URLs in memory at most, or nearly so, everything goes to the URL index and back all the time."""

    per_host = 1

    def __init__(self) -> None:
        super().__init__()
        self.stack = ExitStack()
        self.folder = Path(self.stack.enter_context(tempfile.TemporaryDirectory()))
        folders.create(self.folder, SETTINGS)
        self.now = 1000.0
        self.model = Model({}, {})
        self.durable = copy.deepcopy(self.model)
        self.open_run()

    def open_run(self) -> None:
        self.run = ExitStack()
        self.store: CrawlStore = self.run.enter_context(open_store(self.folder))
        self.clocks = Clocks(
            Politeness(delay=1, per_host=self.per_host), MemoryLedger(), longest_request=60, random=Random(1)
        )
        self.pending = PendingChanges(self.store.url_index)
        self.host_schedule = HostSchedule(self.clocks, front=1)
        self.frontier = Frontier(self.store.url_index, self.pending, self.host_schedule)
        self.leased: dict[str, Entry] = {}
        self.asked_at: dict[str, float] = {}
        self.blocked: set[str] = set()
        self.in_transit: Model | None = None

    def teardown(self) -> None:
        self.drain()
        self.run.close()
        self.stack.close()

    # --- what can happen ---------------------------------------------------------------------------------------------

    @rule(
        url=urls,
        priority=priorities,
        depth=st.integers(0, 3),
        refused=st.sampled_from([None, None, None, *REOPENS]),
        inherited=inheritances,
    )
    def add(self, url: str, priority: float, depth: int, refused: Reason | None, inherited: float | None = 0.0) -> None:
        state = State.WAITING if refused is None else State.SKIPPED
        entry = Entry(id=0, url=url, host=host_of(url), priority=priority, depth=depth, inherited=inherited)
        entry = replace(entry, state=state, reason=refused)
        news = self.frontier.is_news(url, priority, depth, inherited, refused=refused is not None)
        before = copy.deepcopy(self.model.urls.get(url))
        waits_now = self.expect_add(entry)
        if not news:
            assert self.model.urls.get(url) == before, "what is no news must change nothing"
        assert self.frontier.add(entry) == waits_now

    def expect_add(self, entry: Entry) -> bool:
        known, closed = self.model.urls.get(entry.url), self.model.closed.get(entry.host)
        wanted = entry.state is State.WAITING
        if known is None:
            refused = (State.SKIPPED, closed) if wanted and closed else (entry.state, entry.reason)
            self.model.urls[entry.url] = Url(*refused, entry.priority, entry.depth, entry.inherited)
            return refused[0] is State.WAITING
        if not wanted or closed or entry.url in self.leased:
            return False
        if known.state is State.SKIPPED and known.reason in REOPENS:
            self.model.urls[entry.url] = Url(State.WAITING, None, entry.priority, entry.depth, entry.inherited)
            return True
        if known.state is State.WAITING:
            known.priority, known.depth = max(known.priority, entry.priority), min(known.depth, entry.depth)
            both = known.inherited, entry.inherited
            known.inherited = None if None in both else max(value for value in both if value is not None)
        return False

    @rule(host=st.sampled_from("ab"), start=st.integers(0, 6), step=st.sampled_from([-0.01, 0.0, 0.01]))
    def add_many(self, host: str, start: int, step: float) -> None:
        """More than fit in memory."""
        for page in range(start, start + 10):
            if (url := f"http://{host}.test/{page}") in URLS:
                self.add(url, 0.5 + page * step, 1, None)

    @precondition(lambda self: self.waiting())
    @rule(data=st.data(), priority=priorities)
    def raise_or_lower(self, data: st.DataObject, priority: float) -> None:
        """Something is heard of a URL that waits: after a retry, in memory, or in the URL index."""
        resting = [url for url in self.waiting() if self.model.urls[url].not_before > self.now]
        url = data.draw(st.sampled_from(sorted(resting or self.waiting())))
        if data.draw(st.booleans()):
            self.add(url, priority, 0, None)
        else:
            self.reprice(url, priority)

    @rule(turns=st.integers(1, 6), at_once=st.integers(1, 3), patient=st.booleans())
    def work(self, turns: int, at_once: int, patient: bool) -> None:
        """Fetch some pages."""
        for _ in range(turns):
            self.now += 1.5
            for _ in range(at_once):
                self.pop(patient)
            for entry in list(self.leased.values()):
                self.finish(self.leased.pop(entry.url), State.DONE, None)

    @rule(priority=priorities, wait=st.sampled_from([2.0, 20.0]))
    def fail_and_be_heard_of(self, priority: float, wait: float) -> None:
        """A link to a URL that rests must not wake it."""
        self.now += 1.5
        self.pop()
        for entry in list(self.leased.values()):
            self.rest(self.leased.pop(entry.url), wait)
            self.add(entry.url, priority, 0, None)
        self.now += 1.5
        self.pop()

    @rule(url=urls, priority=priorities)
    def reprice(self, url: str, priority: float) -> None:
        self.frontier.reprice(key_of(url), priority, "because")
        known = self.model.urls.get(url)
        if known and known.state is State.WAITING and url not in self.leased:
            known.priority = priority

    @rule(patient=st.booleans())
    def pop(self, patient: bool = False) -> None:
        allowed = [url for url in self.waiting() if self.may_be_asked(url)]
        task = self.frontier.pop(self.now, patient=patient)
        if task is None:
            assert not allowed or (patient and self.something_better_waits(allowed))
            assert self.host_schedule.is_holding_back == bool(allowed)
            return
        entry = self.frontier.leased[task.id]
        assert (task.kind, task.url, task.host, task.depth) == ("page", entry.url, entry.host, entry.depth)
        assert (task.attempt, task.inherited) == (entry.attempt, entry.inherited)
        assert not (patient and self.something_better_waits(allowed))
        self.asked_at[entry.host] = self.now
        known = self.model.urls[entry.url]
        assert entry.url in allowed
        assert entry.priority == known.priority == max(self.model.urls[url].priority for url in allowed)
        assert (entry.depth, entry.attempt, entry.state) == (known.depth, known.attempt, State.WAITING)
        assert entry.inherited == known.inherited
        self.leased[entry.url] = entry

    def waiting(self) -> list[str]:
        return [
            url for url, known in self.model.urls.items() if known.state is State.WAITING and url not in self.leased
        ]

    def may_be_asked(self, url: str) -> bool:
        host = host_of(url)
        if host in self.blocked or self.clocks.busy(host) or self.clocks.next_at(host) > self.now:
            return False
        return self.model.urls[url].not_before <= self.now

    def something_better_waits(self, allowed: list[str]) -> bool:
        """A URL of a host that will be free soon is clearly better than all that may be asked for now."""
        best = max(self.model.urls[url].priority for url in allowed)
        others = [url for url in self.waiting() if url not in allowed and self.will_be_free(url)]
        return any(self.model.urls[url].priority - best > 0.1 * self.model.urls[url].priority for url in others)

    def will_be_free(self, url: str) -> bool:
        host = host_of(url)
        if host in self.blocked or self.model.urls[url].not_before > self.now:
            return False
        return not self.clocks.busy(host) or self.asked_at[host] > self.now - PATIENCE

    @precondition(lambda self: self.leased)
    @rule(data=st.data(), state=st.sampled_from([State.DONE, State.FAILED, State.MOVED, State.SKIPPED]))
    def settle(self, data: st.DataObject, state: State) -> None:
        reason = {State.FAILED: Reason.STATUS, State.SKIPPED: Reason.THRESHOLD}.get(state)
        self.finish(self.leased.pop(data.draw(st.sampled_from(sorted(self.leased)))), state, reason)

    def finish(self, entry: Entry, state: State, reason: Reason | None) -> None:
        self.release(entry)
        self.frontier.settle(entry, state, reason)
        self.model.urls[entry.url].state, self.model.urls[entry.url].reason = state, reason
        self.host_schedule.free(entry.host)

    @precondition(lambda self: self.leased)
    @rule(data=st.data(), wait=st.sampled_from([0.0, 0.5, 3.0, 20.0]))
    def retry(self, data: st.DataObject, wait: float) -> None:
        self.rest(self.leased.pop(data.draw(st.sampled_from(sorted(self.leased)))), wait)

    def rest(self, entry: Entry, wait: float) -> None:
        self.release(entry)
        self.frontier.retry(entry, self.now + wait)
        known = self.model.urls[entry.url]
        if not self.shares_fate(entry):
            known.attempt, known.not_before = known.attempt + 1, self.now + wait
        self.host_schedule.free(entry.host)

    @precondition(lambda self: self.leased)
    @rule(data=st.data())
    def put_back(self, data: st.DataObject) -> None:
        entry = self.leased.pop(data.draw(st.sampled_from(sorted(self.leased))))
        self.release(entry)
        self.frontier.put_back(entry)
        self.host_schedule.block(entry.host)
        self.shares_fate(entry)
        self.blocked.add(entry.host)
        self.host_schedule.free(entry.host)

    def release(self, entry: Entry) -> None:
        self.clocks.release(entry.host, Timing(started=self.now, answered=self.now, ended=self.now))

    def shares_fate(self, entry: Entry) -> bool:
        if closed := self.model.closed.get(entry.host):
            self.model.urls[entry.url].state, self.model.urls[entry.url].reason = State.SKIPPED, closed
        return closed is not None

    @precondition(lambda self: self.blocked)
    @rule()
    def unblock(self) -> None:
        host = self.blocked.pop()
        self.host_schedule.block(host, blocked=False)
        self.host_schedule.free(host)

    @rule(seconds=st.sampled_from([0.3, 1.0, 5.0]))
    def wait(self, seconds: float) -> None:
        self.now += seconds

    @rule(host=st.sampled_from(["b.test", "c.test"]))
    def close(self, host: str) -> None:
        self.frontier.close(Closing(host=host, state=State.FAILED, reason=Reason.DNS, detail="gone"))
        if host in self.model.closed:
            return
        self.model.closed[host] = Reason.DNS
        for url in self.waiting():
            if host_of(url) == host:
                self.model.urls[url].state, self.model.urls[url].reason = State.FAILED, Reason.DNS

    # --- batches -----------------------------------------------------------------------------------------------------

    @precondition(lambda self: self.in_transit is None)
    @rule()
    def take(self) -> None:
        """Everything that follows until `commit` happens while the batch is on its way to the disk."""
        self.in_transit = copy.deepcopy(self.model)
        self.changes = self.pending.take()

    @precondition(lambda self: self.in_transit is not None)
    @rule(crash=st.booleans())
    def commit(self, crash: bool) -> None:
        assert self.in_transit is not None
        asyncio.run(self.store.commit(self.changes))
        self.durable, self.in_transit = self.in_transit, None
        self.check_disk()
        if crash:
            self.kill()
        else:
            self.pending.committed()
            self.frontier.trim(len(URLS))

    @rule(crash=st.booleans())
    def save(self, crash: bool) -> None:
        """All that happened so far becomes durable."""
        if self.in_transit is not None:
            self.commit(crash=False)
        self.take()
        self.commit(crash)

    @rule(limit=st.integers(1, 4))
    def drop_worst(self, limit: int) -> None:
        order = {url: self.known_id(url) for url in self.waiting()}
        worst = sorted(order, key=lambda url: (self.model.urls[url].priority, -order[url]))[:limit]
        self.frontier.trim(max(0, len(order) - limit))
        for url in worst:
            self.model.urls[url].state, self.model.urls[url].reason = State.SKIPPED, Reason.QUEUE_FULL

    def known_id(self, url: str) -> int:
        known = self.pending.find(key_of(url))
        assert known is not None
        return known.id

    @rule()
    def kill(self) -> None:
        """The process dies: what was not committed never happened."""
        self.run.close()
        self.model = copy.deepcopy(self.durable)
        self.open_run()
        for url, known in self.model.urls.items():
            if known.state is State.WAITING and host_of(url) in self.model.closed:  # it was under way at the time
                known.state, known.reason = State.SKIPPED, self.model.closed[host_of(url)]

    # --- what must always hold ---------------------------------------------------------------------------------------

    @invariant()
    def counts_what_waits(self) -> None:
        assert len(self.frontier) == len(self.waiting())
        assert set(self.leased) == {entry.url for entry in self.frontier.leased.values()}

    @invariant()
    def knows_every_url(self) -> None:
        for url, expected in self.model.urls.items():
            known = self.pending.find(key_of(url))
            assert known is not None
            if host_of(url) not in self.model.closed:  # their fate is written with the next batch
                assert (known.state, known.reason) == (expected.state, expected.reason)
                assert (known.priority, known.depth) == (expected.priority, expected.depth)
                assert known.inherited == expected.inherited

    def check_disk(self) -> None:
        database = folders.connect(self.folder)
        rows = database.execute(
            "SELECT url, state, reason, priority, depth, inherited, attempt, not_before FROM urls"
        ).fetchall()
        found = {url: Url(State(state), reason, *rest) for url, state, reason, *rest in rows}
        assert found == self.durable.urls
        tally = {(state, reason or None): n for state, reason, n in database.execute("SELECT * FROM tally") if n}
        assert tally == Counter((url.state, url.reason) for url in found.values())
        database.close()

    def drain(self) -> None:
        """In the end everything that waits comes out, once each."""
        for host in list(self.blocked):
            self.host_schedule.block(host, blocked=False)
        self.blocked.clear()
        for entry in list(self.leased.values()):
            self.finish(self.leased.pop(entry.url), State.DONE, None)
        expected = self.waiting()
        came: list[str] = []
        while len(self.frontier) and len(came) < len(URLS) + 1:
            self.now += 30
            while (next_one := self.frontier.pop(self.now)) is not None:
                came.append(next_one.url)
                self.finish(self.frontier.leased[next_one.id], State.DONE, None)
            assert len(self.frontier) == 0 or self.frontier.ready_at() is not None
        assert sorted(came) == sorted(expected)


class WithTwoRequestsPerHost(FrontierBesideModel):
    """The same for the user's own hosts, where two requests may be under way at once."""

    per_host = 2


_often = settings(max_examples=60, stateful_step_count=40, deadline=None, suppress_health_check=[HealthCheck.too_slow])
TestFrontierBesideModel = pytest.mark.slow(FrontierBesideModel.TestCase)
TestFrontierBesideModel.settings = _often
TestWithTwoRequestsPerHost = pytest.mark.slow(WithTwoRequestsPerHost.TestCase)
TestWithTwoRequestsPerHost.settings = _often
