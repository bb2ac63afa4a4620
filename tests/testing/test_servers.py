"""Do the real servers of the tests start, die and come back with their data, and leave nothing behind?"""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import asyncpg
import pytest

from shoal.testing.daemons import Daemon, ServerError, free_port, private_folder, wait_until
from shoal.testing.packages import ensure_installed
from shoal.testing.postgresql import find_postgresql
from shoal.testing.servers import PostgreSQL, RabbitMQ

_SECONDS = 20.0


def answers(port: int) -> bool:
    with socket.socket() as client:
        return client.connect_ex(("127.0.0.1", port)) == 0


# --- PostgreSQL ------------------------------------------------------------------------------------------------------


@pytest.mark.slow
def test_postgresql_keeps_what_is_committed_when_it_is_killed() -> None:
    with PostgreSQL() as server:
        url = server.create_database()
        server.execute("CREATE TABLE pages AS SELECT 7 AS id", url)
        server.kill()
        assert not answers(server.port)
        server.start()
        assert server.execute("SELECT id FROM pages", url) == "7"
        server.restart()
        assert server.execute("SELECT id FROM pages", url) == "7"


@pytest.mark.slow
def test_two_postgresql_run_side_by_side() -> None:
    with PostgreSQL() as one, PostgreSQL(fsync=True) as other:
        assert one.port != other.port
        assert one.execute("SHOW fsync") == "off"
        assert other.execute("SHOW fsync") == "on"
    assert not answers(one.port)
    assert not answers(other.port)


def test_each_test_has_a_database_of_its_own(postgres_server: PostgreSQL, postgres: str) -> None:
    other = postgres_server.create_database()
    postgres_server.execute("CREATE TABLE here (id int)", postgres)
    assert postgres_server.execute("SELECT to_regclass('here') IS NULL", other) == "t"


async def test_an_emptied_database_is_like_a_new_one(postgres_server: PostgreSQL, postgres: str) -> None:
    postgres_server.execute(
        'CREATE TABLE here (id int); CREATE SCHEMA "a; crawl"; CREATE TABLE "a; crawl".x ()', postgres
    )
    connected = await asyncpg.connect(postgres)
    await connected.execute("SELECT pg_advisory_lock(1)")
    postgres_server.empty_database(postgres)
    with pytest.raises(asyncpg.PostgresError):
        await connected.execute("SELECT 1")
    mine = "FROM pg_namespace WHERE nspname !~ '^pg_' AND nspname <> 'information_schema'"
    assert postgres_server.execute(f"SELECT string_agg(nspname, ',') {mine}", postgres) == "public"
    assert postgres_server.execute("SELECT to_regclass('here') IS NULL, pg_try_advisory_lock(1)", postgres) == "t|t"
    postgres_server.execute("CREATE TABLE here (id int)", postgres)


@pytest.mark.slow
def test_postgresql_wants_the_password(postgres_server: PostgreSQL) -> None:
    command = [str(find_postgresql()) + "/psql", "-XAtqwc", "SELECT 1"]
    url = postgres_server.url.replace(postgres_server.url.split(":")[2].partition("@")[0], "wrong")
    refused = subprocess.run([*command, url], capture_output=True, text=True, check=False)
    assert "password authentication failed" in refused.stderr


# --- RabbitMQ --------------------------------------------------------------------------------------------------------


def declare(server: RabbitMQ, vhost: str) -> None:
    server.evaluate(
        f'rabbit_amqqueue:declare(rabbit_misc:r(<<"{vhost}">>, queue, <<"tasks">>), true, false, [], none, <<"shoal">>),'
        f'rabbit_basic:publish(rabbit_misc:r(<<"{vhost}">>, exchange, <<"">>), <<"tasks">>, [{{delivery_mode, 2}}], <<"one">>).'
    )


def messages(server: RabbitMQ, vhost: str) -> str:
    return server.evaluate(
        f'[rabbit_amqqueue:info(Queue, [name, messages]) || Queue <- rabbit_amqqueue:list(<<"{vhost}">>)].'
    )


@pytest.mark.slow
def test_rabbitmq_keeps_queues_and_messages() -> None:
    with RabbitMQ() as server:
        vhost = server.create_vhost().rpartition("/")[2]
        declare(server, vhost)
        server.restart()
        assert "{messages,1}" in messages(server, vhost)
        server.kill()
        assert not answers(server.port)
        server.start()
        assert "{messages,1}" in messages(server, vhost)
    assert not answers(server.port)


@pytest.mark.slow
def test_two_rabbitmq_run_side_by_side(rabbitmq_server: RabbitMQ) -> None:
    with RabbitMQ() as other:
        vhost = other.create_vhost().rpartition("/")[2]
        assert vhost in other.evaluate("rabbit_vhost:list_names().")
        assert other.evaluate("nodes().") == "[]", "they have the same name and do not know of each other"
    assert answers(rabbitmq_server.port)


@pytest.mark.slow
def test_each_test_has_a_vhost_of_its_own(rabbitmq_server: RabbitMQ, rabbitmq: str) -> None:
    other = rabbitmq_server.create_vhost()
    declare(rabbitmq_server, rabbitmq.rpartition("/")[2])
    assert messages(rabbitmq_server, other.rpartition("/")[2]) == "[]"
    rabbitmq_server.delete_vhost(other)
    assert other.rpartition("/")[2] not in rabbitmq_server.evaluate("rabbit_vhost:list_names().")


@pytest.mark.slow
def test_all_clients_are_thrown_out(rabbitmq_server: RabbitMQ) -> None:
    with socket.create_connection(("127.0.0.1", rabbitmq_server.port), timeout=_SECONDS) as client:
        client.sendall(b"AMQP\x00\x00\x09\x01")
        client.recv(4096)
        rabbitmq_server.close_connections()
        with suppress(ConnectionResetError):
            assert client.recv(4096) == b""
    assert answers(rabbitmq_server.port)


@pytest.mark.slow
def test_what_rabbitmq_cannot_evaluate_is_told(rabbitmq_server: RabbitMQ) -> None:
    with pytest.raises(ServerError, match="badarith"):
        rabbitmq_server.evaluate("1 / 0.")


# --- what is left behind ---------------------------------------------------------------------------------------------


@pytest.fixture
def open_folder() -> Iterator[Path]:
    """Unlike `tmp_path`, the user of PostgreSQL can reach it."""
    with tempfile.TemporaryDirectory() as folder:
        Path(folder).chmod(0o755)
        yield Path(folder)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["PostgreSQL", "RabbitMQ"])
def test_nothing_is_left_when_the_tests_are_killed(name: str, open_folder: Path) -> None:
    program = (
        f"from shoal.testing.servers import {name} as S\nwith S() as server: print(server.port, flush=True); input()"
    )
    with subprocess.Popen(
        [sys.executable, "-c", program],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        env={**os.environ, "TMPDIR": str(open_folder)},
    ) as tests:
        assert tests.stdout is not None
        port = int(tests.stdout.readline())
        assert answers(port)
        assert list(open_folder.iterdir())
        tests.kill()
    assert wait_until(lambda: not working_in(open_folder) and not list(open_folder.iterdir()), seconds=_SECONDS)
    assert not answers(port)


def working_in(folder: Path) -> list[str]:
    """The processes that have their working folder below `folder`; it may be removed already."""
    found = []
    for link in Path("/proc").glob("[0-9]*/cwd"):
        with suppress(OSError):
            found += [link.parent.name] if str(link.readlink()).startswith(str(folder)) else []
    return found


def test_a_server_that_does_not_start_shows_the_end_of_its_log() -> None:
    folder = private_folder()
    daemon = Daemon("complaint", ["sh", "-c", "echo no room in here; exit 3"], folder=folder, environment=os.environ)
    daemon.start()
    with pytest.raises(ServerError, match=r"(?s)complaint did not start.*no room in here"):
        daemon.wait(lambda: False, seconds=_SECONDS)
    assert not daemon.is_running
    shutil.rmtree(folder)


def test_a_missing_server_is_one_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "geteuid", lambda: 1000)
    with pytest.raises(ServerError, match="apt-get install rabbitmq-server"):
        ensure_installed("rabbitmq-server", lambda: None)


def test_ports_are_not_those_of_outgoing_connections() -> None:
    lowest = int(Path("/proc/sys/net/ipv4/ip_local_port_range").read_text(encoding="utf-8").split()[0])
    assert all(free_port() < lowest for _ in range(20))
