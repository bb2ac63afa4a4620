"""How does this machine work for the crawls of others? (What a worker does with its tasks: `tests/cluster/`.)"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import pytest

from shoal.cluster import connection
from shoal.cluster.worker_broker import WorkerBroker
from shoal.errors import InputError
from shoal.services import workers


@pytest.mark.parametrize("url", ["", "http://mq/", "mq:5672"])
async def test_a_broker_that_is_none_is_told_at_once(url: str) -> None:
    with pytest.raises(InputError, match="is not the URL of a broker"):
        workers.check_broker(url)
    with pytest.raises(InputError, match="is not the URL of a broker"):
        await workers.work(url)


def test_the_password_of_a_broker_is_not_shown() -> None:
    assert workers.check_broker("amqp://u:secret@mq:5672/") == "amqp://u:***@mq:5672/"


class _Once(logging.Handler):
    """Does something when a thing worth a warning happens."""

    def __init__(self, act: Callable[[], None]) -> None:
        super().__init__(logging.WARNING)
        self._act = act

    def emit(self, record: logging.LogRecord) -> None:
        self._act()


async def test_a_worker_ends_when_somebody_says_so(caplog: pytest.LogCaptureFixture) -> None:
    @contextmanager
    def interrupted(stop: Callable[[], None]) -> Iterator[None]:
        told = _Once(stop)
        connection.logger.addHandler(told)
        try:
            yield
        finally:
            connection.logger.removeHandler(told)

    seen = []

    async def watch(hand: WorkerBroker) -> None:
        seen.append(hand.name)

    done = await workers.work("amqp://u:p@127.0.0.1:1/", name="基地", watch=watch, interrupted=interrupted)
    assert (done.visits, done.failures, seen) == (0, 0, ["基地"])
    assert "is away" in caplog.text
