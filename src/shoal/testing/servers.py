"""How do tests and benchmarks get a real RabbitMQ and a real PostgreSQL?

    with PostgreSQL() as server:
        url = server.create_database()

Each server is our own: free ports of 127.0.0.1, a folder that goes with it, a password of its own. `kill` is a power cut for the
server's process, `restart` brings back the same port and the same data. Two of a kind can run side by side.
"""

from __future__ import annotations

import os
import secrets
import shutil
import signal
import socket
import struct
import subprocess
from itertools import count
from pathlib import Path
from types import TracebackType
from typing import Self

from shoal.testing.daemons import Daemon, ServerError, free_port, private_folder
from shoal.testing.packages import ensure_installed

USER = "shoal"
"""Whom both servers know."""
_START_SECONDS = 90.0
"""Far more than they need (two and six seconds), for machines that are busy with other things."""
_STOP_SECONDS = 60.0
_PATH = "/usr/lib/erlang/bin:/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"


# --- PostgreSQL ------------------------------------------------------------------------------------------------------

_SETTINGS = {
    "unix_socket_directories": "",
    "listen_addresses": "127.0.0.1",
    "max_connections": "200",
    "shared_buffers": "32MB",
    "max_wal_size": "256MB",
    "timezone": "UTC",
}
_WITHOUT_FSYNC = {"fsync": "off", "full_page_writes": "off"}
"""What is committed is with the kernel, so it survives `kill`; `synchronous_commit = off` would lose it."""


def find_postgresql() -> Path | None:
    """The programs of the newest PostgreSQL on this machine."""
    versions = sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"), key=lambda path: float(path.parts[-3]))
    found = str(versions[-1]) if versions else shutil.which("initdb")
    return Path(found).parent if found else None


class PostgreSQL:
    """A PostgreSQL server while its `with` block lasts."""

    def __init__(self, *, fsync: bool = False) -> None:
        """Without `fsync` it survives `kill` as well, but not a power cut of the machine, and is much faster."""
        self._programs = ensure_installed("postgresql", find_postgresql)
        # PostgreSQL refuses to run as root.
        self._owner = "postgres" if os.geteuid() == 0 else None
        self.port = free_port()
        self._password = secrets.token_hex(12)
        self._folder = private_folder(self._owner)
        self._names = count(1)
        settings = _SETTINGS | ({} if fsync else _WITHOUT_FSYNC) | {"port": str(self.port)}
        options = [word for name, value in settings.items() for word in ("-c", f"{name}={value}")]
        self._daemon = Daemon(
            "postgresql",
            [*self._as_owner("postgres"), "-D", str(self._data), *options],
            folder=self._folder,
            environment={"PATH": _PATH, "LC_ALL": "C.UTF-8"},
        )

    @property
    def url(self) -> str:
        """The server's own database; tests take one of their own from `create_database`."""
        return self._url("postgres")

    @property
    def is_running(self) -> bool:
        """False before `start` and after `stop` or `kill`."""
        return self._daemon.is_running

    def start(self) -> None:
        """Returns when clients can connect; after `stop` or `kill` with the port and data of before."""
        if not self._data.exists():
            self._initialise()
        # A killed server leaves this file; what it says of readiness is old.
        self._status.unlink(missing_ok=True)
        self._daemon.start()
        self._daemon.wait(self._is_ready, seconds=_START_SECONDS)

    def stop(self) -> None:
        """As an operator stops it: clients are sent away, and what is in memory is written."""
        self._daemon.end(signal.SIGINT, seconds=_STOP_SECONDS)

    def kill(self) -> None:
        """As a crash ends it: the server and all that serve its clients are gone in an instant."""
        self._daemon.end(signal.SIGKILL, seconds=_STOP_SECONDS, descendants=True)

    def restart(self) -> None:
        """Stopped and started again; after `kill`, `start` is enough."""
        self.stop()
        self.start()

    def create_database(self) -> str:
        """The URL of a new, empty database."""
        name = f"shoal_{next(self._names)}"
        # Copying files is quicker than writing each page to the log.
        self.execute(f"CREATE DATABASE {name} TEMPLATE template0 STRATEGY file_copy")
        return self._url(name)

    def drop_database(self, url: str) -> None:
        """Whoever is still connected is sent away."""
        self.execute(f"DROP DATABASE {url.rpartition('/')[2]} WITH (FORCE)")

    def execute(self, sql: str, url: str | None = None) -> str:
        """What psql prints for a statement, in the database of `url`: a look from outside, with no code of ours."""
        command = [str(self._programs / "psql"), "-XAtq", "-v", "ON_ERROR_STOP=1", "-c", sql]
        name = (url or self.url).rpartition("/")[2]
        target = {"PGHOST": "127.0.0.1", "PGPORT": str(self.port), "PGUSER": USER, "PGDATABASE": name}
        done = subprocess.run(
            command,
            env={"PATH": _PATH, **target, "PGPASSWORD": self._password},
            capture_output=True,
            text=True,
            timeout=_START_SECONDS,
            check=False,
        )
        if done.returncode:
            raise ServerError(f"PostgreSQL refused {sql!r}: {done.stderr.strip()}")
        return done.stdout.strip()

    def __enter__(self) -> Self:
        try:
            self.start()
        except BaseException:
            self._remove()
            raise
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._remove()

    def _remove(self) -> None:
        # Nobody needs what it would still write.
        self.kill()
        shutil.rmtree(self._folder)

    @property
    def _data(self) -> Path:
        return self._folder / "data"

    @property
    def _status(self) -> Path:
        return self._data / "postmaster.pid"

    def _url(self, database: str) -> str:
        return f"postgresql://{USER}:{self._password}@127.0.0.1:{self.port}/{database}"

    def _as_owner(self, program: str) -> list[str]:
        become = ["setpriv", f"--reuid={self._owner}", f"--regid={self._owner}", "--init-groups"] if self._owner else []
        return [*become, str(self._programs / program)]

    def _initialise(self) -> None:
        secret = self._folder / "password"
        secret.write_text(self._password, encoding="utf-8")
        if self._owner:
            shutil.chown(secret, self._owner, self._owner)
        choices = ["--auth=scram-sha-256", "--encoding=UTF8", "--locale=C.UTF-8", "--no-sync", f"--username={USER}"]
        done = subprocess.run(
            [*self._as_owner("initdb"), "-D", str(self._data), f"--pwfile={secret}", *choices],
            cwd=self._folder,
            capture_output=True,
            text=True,
            timeout=_START_SECONDS,
            check=False,
        )
        if done.returncode:
            raise ServerError(f"PostgreSQL cannot make its data folder: {done.stderr.strip()[-1000:]}")

    def _is_ready(self) -> bool:
        """The server says so in the last line of its status file, as `pg_ctl` reads it."""
        try:
            return self._status.read_text(encoding="utf-8").splitlines()[7].strip() == "ready"
        except (OSError, IndexError):
            return False


# --- RabbitMQ --------------------------------------------------------------------------------------------------------

_NODE = "shoal@localhost"
"""All our servers have this name, and none meets another: each has its own register of names (epmd)."""
_CONTROL = """
spawn(fun() ->
  {ok, Listening} = gen_tcp:listen(0, [{ifaddr, {local, os:getenv("SHOAL_CONTROL")}}, binary, {packet, 4}, {active, false}]),
  Serve = fun Serve() ->
    {ok, Connection} = gen_tcp:accept(Listening),
    {ok, Asked} = gen_tcp:recv(Connection, 0),
    Said = try
      {ok, Tokens, _} = erl_scan:string(unicode:characters_to_list(Asked)),
      {ok, Expressions} = erl_parse:parse_exprs(Tokens),
      {value, Value, _} = erl_eval:exprs(Expressions, []),
      io_lib:format("ok ~tp", [Value])
    catch Kind:Reason -> io_lib:format("~tp: ~tp", [Kind, Reason]) end,
    gen_tcp:send(Connection, unicode:characters_to_binary(Said)),
    gen_tcp:close(Connection),
    Serve()
  end,
  Serve()
end).
"""
"""A door for `evaluate`, read by the server when it starts: `rabbitmqctl` takes seconds for what takes milliseconds here."""
_GREETING = b"AMQP\x00\x00\x09\x01"


def find_rabbitmq() -> Path | None:
    """The programs of RabbitMQ, without the wrappers that want to be a service's user."""
    places = [Path("/usr/lib/rabbitmq/bin"), *Path("/opt").glob("rabbitmq*/sbin")]
    return next((place for place in places if (place / "rabbitmq-server").exists()), None)


class RabbitMQ:
    """A RabbitMQ server while its `with` block lasts."""

    def __init__(self) -> None:
        programs = ensure_installed("rabbitmq-server", find_rabbitmq)
        self.port = free_port()
        self._password = secrets.token_hex(12)
        self._folder = private_folder()
        self._names = count(1)
        self._write_files()
        # Started by us and in the foreground: the server would leave it running for ever.
        epmd_port = str(free_port())
        names = ["epmd", "-port", epmd_port, "-address", "127.0.0.1"]
        self._names_daemon = Daemon("epmd", names, folder=self._folder, environment={"PATH": _PATH})
        self._daemon = Daemon(
            "rabbitmq",
            [str(programs / "rabbitmq-server")],
            folder=self._folder,
            environment=self._environment(epmd_port),
        )

    @property
    def url(self) -> str:
        """The server's first virtual host; tests take one of their own from `create_vhost`."""
        return self._url("%2F")

    @property
    def is_running(self) -> bool:
        """False before `start` and after `stop` or `kill`."""
        return self._daemon.is_running

    def start(self) -> None:
        """Returns when clients can connect; after `stop` or `kill` with the port and data of before."""
        self._control.unlink(missing_ok=True)
        if not self._names_daemon.is_running:
            self._names_daemon.start()
        self._daemon.start()
        self._daemon.wait(self._is_ready, seconds=_START_SECONDS)

    def stop(self) -> None:
        """As an operator stops it: clients are sent away, and what is in memory is written."""
        self._daemon.end(signal.SIGTERM, seconds=_STOP_SECONDS)

    def kill(self) -> None:
        """As a crash ends it."""
        self._daemon.end(signal.SIGKILL, seconds=_STOP_SECONDS, descendants=True)

    def restart(self) -> None:
        """Stopped and started again; after `kill`, `start` is enough."""
        self.stop()
        self.start()

    def create_vhost(self) -> str:
        """The URL of a new, empty virtual host."""
        name = f"shoal_{next(self._names)}"
        self.evaluate(
            f'ok = rabbit_vhost:add(<<"{name}">>, <<"{USER}">>), rabbit_auth_backend_internal:set_permissions('
            f'<<"{USER}">>, <<"{name}">>, <<".*">>, <<".*">>, <<".*">>, <<"{USER}">>).'
        )
        return self._url(name)

    def delete_vhost(self, url: str) -> None:
        """Whoever is still connected is sent away."""
        self.evaluate(f'rabbit_vhost:delete(<<"{url.rpartition("/")[2]}">>, <<"{USER}">>).')

    def close_connections(self) -> None:
        """As an operator throws all clients out; they may come again at once."""
        self.evaluate(
            '[rabbit_networking:close_connection(Pid, "closed by a test") || Pid <- rabbit_networking:connections()].'
        )

    def evaluate(self, erlang: str) -> str:
        """What the server answers to expressions, which end with a full stop: `rabbitmqctl eval` in milliseconds."""
        asked = erlang.encode()
        with socket.socket(socket.AF_UNIX) as connection, connection.makefile("rb") as answer:
            connection.settimeout(_START_SECONDS)
            connection.connect(str(self._control))
            connection.sendall(struct.pack(">I", len(asked)) + asked)
            said = answer.read()[4:].decode()
        if not said.startswith("ok "):
            raise ServerError(f"RabbitMQ cannot evaluate {erlang!r}: {said}")
        return said.removeprefix("ok ")

    def __enter__(self) -> Self:
        try:
            self.start()
        except BaseException:
            self._remove()
            raise
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._remove()

    def _remove(self) -> None:
        # Nobody needs what it would still write.
        self.kill()
        self._names_daemon.end(signal.SIGKILL, seconds=_STOP_SECONDS)
        shutil.rmtree(self._folder)

    @property
    def _control(self) -> Path:
        return self._folder / "control"

    def _url(self, vhost: str) -> str:
        return f"amqp://{USER}:{self._password}@127.0.0.1:{self.port}/{vhost}"

    def _write_files(self) -> None:
        files = {
            "rabbitmq.conf": f"listeners.tcp.1 = 127.0.0.1:{self.port}\ndefault_user = {USER}\n"
            f"default_pass = {self._password}\nlog.file = false\nlog.console = true\nlog.console.level = info\n",
            "environment.conf": "",
            "plugins": "[].\n",
            "control.erl": _CONTROL,
        }
        for name, text in files.items():
            (self._folder / name).write_text(text, encoding="utf-8")

    def _environment(self, epmd_port: str) -> dict[str, str]:
        """Nothing of the machine's own RabbitMQ is read or written."""
        arguments = f'-kernel inet_dist_use_interface {{127,0,0,1}} -eval file:eval("{self._folder}/control.erl").'
        return {
            "PATH": _PATH,
            "LC_ALL": "C.UTF-8",
            "HOME": str(self._folder),  # where the Erlang cookie is made
            "RABBITMQ_CONF_ENV_FILE": f"{self._folder}/environment.conf",
            "RABBITMQ_CONFIG_FILE": f"{self._folder}/rabbitmq.conf",
            "RABBITMQ_NODENAME": _NODE,
            "RABBITMQ_MNESIA_BASE": f"{self._folder}/mnesia",
            "RABBITMQ_LOG_BASE": f"{self._folder}/log",
            "RABBITMQ_ENABLED_PLUGINS_FILE": f"{self._folder}/plugins",
            "RABBITMQ_DIST_PORT": str(free_port()),
            "RABBITMQ_SERVER_ADDITIONAL_ERL_ARGS": arguments,
            "ERL_EPMD_PORT": epmd_port,
            "ERL_EPMD_ADDRESS": "127.0.0.1",
            "RUNNING_UNDER_SYSTEMD": "true",  # the process we start becomes the server, instead of a shell that waits for it
            "SHOAL_CONTROL": str(self._control),
        }

    def _is_ready(self) -> bool:
        """It greets a client, and the door for `evaluate`, which it opens last, is there."""
        try:
            with socket.create_connection(("127.0.0.1", self.port), timeout=5) as connection:
                connection.sendall(_GREETING)
                return connection.recv(1) == b"\x01" and self._control.exists()
        except OSError:
            return False
