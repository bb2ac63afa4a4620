"""How do we talk to RabbitMQ? To a real one, that goes away and comes back."""

from __future__ import annotations

import asyncio
import logging
import ssl
from collections.abc import AsyncIterator
from functools import partial
from pathlib import Path

import pytest

from shoal.cluster.connection import Connection, ConnectionLost, Delivery, check_url, dialled, stay_on_line
from shoal.errors import BrokerRefused, InputError
from shoal.testing.servers import RabbitMQ

pytestmark = pytest.mark.slow  # because the broker takes seconds to start


async def test_what_is_published_arrives_and_is_gone_once_it_is_acknowledged(rabbitmq: str) -> None:
    async with dialled(rabbitmq) as line:
        assert await line.declare("q") == 0
        await line.publish("q", "电网".encode())
        came = await line.get("q")
        assert came is not None
        assert (came.body.decode(), came.again) == ("电网", False)
        assert await line.get("q") is None
        line.ack(came.tag)
        assert await line.count("q") == 0


async def test_what_is_not_acknowledged_goes_to_another_who_is_told_so(rabbitmq: str) -> None:
    async with dialled(rabbitmq) as line:
        await line.declare("q")
        await line.publish("q", b"task")
        assert await line.get("q") is not None
    async with dialled(rabbitmq) as line:
        again = await line.get("q")
        assert again is not None
        assert again.again


async def test_many_are_acknowledged_at_once(rabbitmq: str) -> None:
    async with dialled(rabbitmq) as line:
        await line.declare("q")
        came: asyncio.Queue[Delivery] = asyncio.Queue()
        await line.consume("q", came.put_nowait, prefetch=10)
        await asyncio.gather(*(line.publish("q", b"%d" % n) for n in range(30)))
        first = [await came.get() for _ in range(10)]
        assert came.empty(), "no more than are wanted at once"
        line.ack(first[-1].tag, up_to=True)
        rest = [await came.get() for _ in range(10)]
        assert [int(one.body) for one in first + rest] == list(range(20))
        line.ack(rest[0].tag, up_to=True)
    async with dialled(rabbitmq) as line:
        assert await line.count("q") == 19


async def test_what_is_said_to_all_is_heard_by_all_who_listen(rabbitmq: str) -> None:
    heard: list[tuple[str, bytes, str]] = []
    both = asyncio.Event()

    def hear(who: str, said: Delivery) -> None:
        heard.append((who, said.body, said.reply_to))
        if len(heard) == 2:
            both.set()

    async with dialled(rabbitmq) as one, dialled(rabbitmq) as other:
        for who, line in (("one", one), ("other", other)):
            await line.declare_meeting("voices")
            await line.consume(await line.declare_own("voices"), partial(hear, who), ack=False)
        one.say(b"hello", at="voices", reply_to="me")
        await both.wait()
    assert sorted(heard) == [("one", b"hello", "me"), ("other", b"hello", "me")]


async def test_who_hung_up_hears_no_more(rabbitmq: str) -> None:
    async with dialled(rabbitmq) as line:
        await line.declare("q")
        came: asyncio.Queue[Delivery] = asyncio.Queue()
        consumer = await line.consume("q", came.put_nowait, prefetch=10)
        await line.hang_up(consumer)
        await line.publish("q", b"x")
        assert await line.count("q") == 1
        assert came.empty()


async def test_a_queue_is_deleted_only_when_nothing_is_in_it(rabbitmq: str) -> None:
    async with dialled(rabbitmq) as line:
        await line.declare("full")
        await line.declare("empty")
        await line.publish("full", b"x")
        await line.delete_if_empty("full")
        await line.delete_if_empty("empty")
        assert await line.count("full") == 1
        with pytest.raises(ConnectionLost, match="no queue"):
            await line.count("empty")
        assert line.is_lost
        with pytest.raises(ConnectionLost):
            await line.publish("full", b"y")


async def test_a_line_whose_broker_does_not_take_a_message_is_lost(rabbitmq: str) -> None:
    async with dialled(rabbitmq) as line:
        await line.declare("full", **{"x-max-length": 1, "x-overflow": "reject-publish"})
        with pytest.raises(ConnectionLost, match="did not take"):
            await _fill(line, "full")
        assert line.is_lost


async def _fill(line: Connection, queue: str) -> None:
    for _ in range(1000):  # a full queue takes a few more than it should
        await line.publish(queue, b"x")


# --- a broker that does not want us, or is not there -----------------------------------------------------------------


async def nothing(line: Connection) -> None:
    return


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        (lambda url: url.replace("://", "://nobody-"), "does not know this user"),
        (lambda url: url.rpartition("/")[0] + "/nowhere", "does not let this user in there"),
    ],
    ids=["user", "vhost"],
)
async def test_a_broker_that_refuses_us_is_an_error_at_once_and_no_secret_is_told(
    rabbitmq: str, change: object, sentence: str
) -> None:
    assert callable(change)
    with pytest.raises(BrokerRefused, match=sentence) as refused:
        await stay_on_line(change(rabbitmq), nothing)
    assert _password(rabbitmq) not in str(refused.value)


def _password(url: str) -> str:
    return url.partition("://")[2].partition("@")[0].partition(":")[2]


@pytest.mark.parametrize("url", ["", "http://a/", "amqp://user:secret@host:port/", "amqp://u:secret@h:99999999/"])
def test_what_is_no_url_of_a_broker_is_said_without_the_password(url: str) -> None:
    with pytest.raises(InputError, match="amqp://user:password@host") as wrong:
        check_url(url)
    assert "secret" not in str(wrong.value)


async def test_a_broker_that_goes_away_is_waited_for_and_said_so_once(
    rabbitmq: str, rabbitmq_server: RabbitMQ, caplog: pytest.LogCaptureFixture
) -> None:
    lines: list[Connection] = []
    again = asyncio.Event()

    async def use(line: Connection) -> None:
        lines.append(line)
        await line.declare("q")
        if len(lines) == 1:
            await line.publish("q", b"kept")
            await asyncio.to_thread(rabbitmq_server.restart)
            await asyncio.Event().wait()
        assert await line.count("q") == 1
        again.set()

    with caplog.at_level(logging.WARNING):
        await stay_on_line(rabbitmq, use)
    assert again.is_set()
    assert lines[0].is_lost
    said = [record.getMessage() for record in caplog.records]
    assert len(said) == 2, said
    assert "is away" in said[0]
    assert "is back" in said[1]
    assert _password(rabbitmq) not in " ".join(said)


async def test_an_error_in_the_use_of_a_line_is_no_reason_to_dial_again(rabbitmq: str) -> None:
    async def fail(line: Connection) -> None:
        raise ZeroDivisionError

    with pytest.raises(BaseExceptionGroup) as failed:
        await stay_on_line(rabbitmq, fail)
    assert failed.group_contains(ZeroDivisionError)


async def test_a_large_message_arrives_whole_and_in_few_pieces(rabbitmq: str) -> None:
    """The library has no option for it, so we change what it keeps to itself: who updates it sees whether that still works."""
    pieces: list[int] = []
    async with dialled(rabbitmq) as line:
        received = line._connection._on_data_available

        def receive(data: bytes) -> None:
            pieces.append(len(data))
            received(data)

        line._connection._on_data_available = receive
        await line.declare("q")
        large = bytes(range(256)) * 4096
        await line.publish("q", large)
        came = await line.get("q")
        assert came is not None
        assert came.body == large
        line.ack(came.tag)
    assert max(pieces) > 4096


# --- TLS -------------------------------------------------------------------------------------------------------------


@pytest.fixture
async def tls(rabbitmq: str, rabbitmq_server: RabbitMQ, tmp_path: Path) -> AsyncIterator[tuple[str, Path]]:
    """The URL of the same broker behind TLS, and the certificate of who vouches for it."""
    key, certificate = tmp_path / "key.pem", tmp_path / "certificate.pem"
    subject = ("-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost")
    made = (
        "openssl",
        "req",
        "-x509",
        "-newkey",
        "rsa:2048",
        "-nodes",
        "-days",
        "2",
        "-keyout",
        str(key),
        "-out",
        str(certificate),
    )
    process = await asyncio.create_subprocess_exec(*made, *subject, stderr=asyncio.subprocess.DEVNULL)
    assert await process.wait() == 0
    context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    context.load_cert_chain(certificate, key)

    async def forward(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        there = await asyncio.open_connection("127.0.0.1", rabbitmq_server.port)
        await asyncio.gather(_pump(reader, there[1]), _pump(there[0], writer))

    server = await asyncio.start_server(forward, "127.0.0.1", 0, ssl=context)
    port = server.sockets[0].getsockname()[1]
    yield (
        rabbitmq.replace("amqp://", "amqps://").replace(f"127.0.0.1:{rabbitmq_server.port}", f"localhost:{port}"),
        certificate,
    )
    server.close()


async def _pump(source: asyncio.StreamReader, target: asyncio.StreamWriter) -> None:
    while data := await source.read(2**16):
        target.write(data)
    target.close()


async def test_a_line_may_go_through_tls(tls: tuple[str, Path], monkeypatch: pytest.MonkeyPatch) -> None:
    url, certificate = tls
    monkeypatch.setenv("SSL_CERT_FILE", str(certificate))
    async with dialled(url) as line:
        await line.declare("q")
        await line.publish("q", b"x")
        assert await line.count("q") == 1


async def test_a_certificate_that_nobody_vouches_for_is_not_believed(tls: tuple[str, Path]) -> None:
    with pytest.raises(ConnectionLost, match="certificate"):
        async with dialled(tls[0]):
            pytest.fail("it was believed")
