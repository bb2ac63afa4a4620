"""Whatever happens in one visit, it is that visit's result, and the worker goes on."""

from __future__ import annotations

import msgspec

from shoal.crawl.worker import work
from shoal.model import Missed, Reason, RobotsRead, Task, Timing, Visit

TASKS = [Task(id=number, url=f"http://a.test/{number}", host="a.test") for number in range(1, 4)]
NOW = Timing(started=1.0, answered=1.0, ended=1.0)


class ListBroker:
    """Hands out some tasks, and sends results as bytes, as a broker to another process does."""

    def __init__(self) -> None:
        self.tasks = list(TASKS)
        self.settled: list[Visit] = []

    async def lease(self) -> Task | None:
        return self.tasks.pop(0) if self.tasks else None

    async def settle(self, visit: Visit) -> None:
        self.settled.append(msgspec.msgpack.decode(msgspec.msgpack.encode(visit), type=Visit))


class Stumbling:
    """A visitor that cannot handle the second page, and brings something unspeakable of the third."""

    async def visit(self, task: Task) -> Visit:
        if task.id == 2:
            raise ValueError("node has no parent")
        return RobotsRead(task=task, text="\udce1" if task.id == 3 else "fine", timing=NOW)


async def test_an_exception_costs_its_url_and_nothing_else() -> None:
    broker = ListBroker()
    await work(broker, Stumbling())
    first, second, third = broker.settled
    assert isinstance(first, RobotsRead)
    assert isinstance(second, Missed)
    assert (second.task, second.failure.reason, second.failure.heals) == (TASKS[1], Reason.INTERNAL, False)
    assert "ValueError" in second.failure.detail
    assert "node has no parent" in second.failure.trace
    assert isinstance(third, Missed), "what cannot be sent home is a failure, too"
    assert "UnicodeEncodeError" in third.failure.detail


async def test_memory_that_ran_out_is_one_of_them() -> None:
    class Greedy:
        async def visit(self, task: Task) -> Visit:
            raise MemoryError

    broker = ListBroker()
    await work(broker, Greedy())
    assert [visit.failure.reason for visit in broker.settled if isinstance(visit, Missed)] == [Reason.INTERNAL] * 3
