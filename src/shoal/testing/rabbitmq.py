"""How does a test get a RabbitMQ of its own? Free ports of 127.0.0.1, folder and password are made for it, and go with it."""

from __future__ import annotations

import secrets
import signal
import socket
import struct
from itertools import count
from pathlib import Path

from shoal.testing.daemons import (
    PATH,
    START_SECONDS,
    STOP_SECONDS,
    USER,
    Daemon,
    RealServer,
    ServerError,
    free_port,
    private_folder,
)
from shoal.testing.packages import ensure_installed

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


class RabbitMQ(RealServer):
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
        self._names_daemon = Daemon("epmd", names, folder=self._folder, environment={"PATH": PATH})
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

    def start(self) -> None:
        """Returns when clients can connect; after `stop` or `kill` with the port and data of before."""
        self._control.unlink(missing_ok=True)
        if not self._names_daemon.is_running:
            self._names_daemon.start()
        self._daemon.start()
        self._daemon.wait(self._is_ready, seconds=START_SECONDS)

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
            connection.settimeout(START_SECONDS)
            connection.connect(str(self._control))
            connection.sendall(struct.pack(">I", len(asked)) + asked)
            said = answer.read()[4:].decode()
        if not said.startswith("ok "):
            raise ServerError(f"RabbitMQ cannot evaluate {erlang!r}: {said}")
        return said.removeprefix("ok ")

    def _remove(self) -> None:
        self.kill()
        self._names_daemon.end(signal.SIGKILL, seconds=STOP_SECONDS)
        super()._remove()

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
            "PATH": PATH,
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
