"""How are the benchmark pages served? By an nginx of our own: own configuration, own folders, a free loopback port.

The system's nginx service is neither used nor touched. A request in proxy form (`GET http://h0001.test/ HTTP/1.1`) is
answered by its host name, so this nginx can also play the proxy behind which a thousand hosts live.
"""

from __future__ import annotations

import getpass
import os
import shutil
import socket
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from benchmarks.access_log import FORMAT, AccessLog

PACKAGES = ("nginx-light", "libnginx-mod-http-echo")
ECHO_MODULES = (
    Path("/usr/lib/nginx/modules/ngx_http_echo_module.so"),
    Path("/usr/share/nginx/modules/ngx_http_echo_module.so"),
)


class NotInstalled(Exception):
    """A program the benchmark needs is missing; the message says what to install."""


@dataclass(frozen=True, kw_only=True)
class Server:
    """A running nginx."""

    url: str
    """Without a slash at the end."""
    log: AccessLog


@contextmanager
def serve(root: Path, *, by_host: bool = False, answer_after: float = 0.0) -> Iterator[Server]:
    """Serve a folder until the block ends.

    by_host: each folder in `root` is the site of the host of that name.
    answer_after: seconds that the server takes before it answers.
    """
    program, echo = _installed()
    port = _free_port()
    with tempfile.TemporaryDirectory(prefix="shoal-nginx-") as name:
        folder = Path(name)
        log = AccessLog(folder / "access.log")
        config = folder / "nginx.conf"
        config.write_text(
            _configuration(folder, root, port=port, echo=echo, by_host=by_host, answer_after=answer_after)
        )
        command = [program, "-p", str(folder), "-e", str(folder / "error.log"), "-c", str(config)]
        process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        try:
            _wait_until_open(process, port, folder / "error.log")
            yield Server(url=f"http://127.0.0.1:{port}", log=log)
        finally:
            process.terminate()
            process.wait()


def _configuration(folder: Path, root: Path, *, port: int, echo: Path, by_host: bool, answer_after: float) -> str:
    files = f"root {root}{'/$host' if by_host else ''};"
    # The file is sent from a second location: within one, echo's sleep and nginx's own file handler exclude each other.
    locations = (
        f"location / {{ echo_sleep {answer_after}; echo_exec @files; }}\n    location @files {{ {files} }}"
        if answer_after
        else f"location / {{ {files} }}"
    )
    temporary = "\n  ".join(
        f"{kind}_temp_path {folder}/{kind};" for kind in ("client_body", "proxy", "fastcgi", "uwsgi", "scgi")
    )
    # As root nginx would hand its worker to another user, who may not read our temporary folders.
    user = f"user {getpass.getuser()};" if os.geteuid() == 0 else ""
    return f"""{user}
daemon off;
worker_processes 1;
worker_rlimit_nofile 16384;
pid {folder}/nginx.pid;
load_module {echo};
events {{ worker_connections 8192; }}
http {{
  types {{ text/html html; text/plain txt; }}
  {temporary}
  log_format benchmark '{FORMAT}';
  access_log {folder}/access.log benchmark;
  sendfile on;
  tcp_nopush on;
  gzip off;
  keepalive_requests 10000000;
  keepalive_timeout 75s;
  log_not_found off;
  server {{
    listen 127.0.0.1:{port} backlog=4096;
    {locations}
  }}
}}
"""


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def _wait_until_open(process: subprocess.Popen[bytes], port: int, errors: Path) -> None:
    for _ in range(200):
        if process.poll() is not None:
            break
        with socket.socket() as knock:
            if knock.connect_ex(("127.0.0.1", port)) == 0:
                return
        time.sleep(0.05)
    said = errors.read_text() if errors.exists() else ""
    raise RuntimeError(f"nginx did not start: {said.strip() or 'it said nothing'}")


def _installed() -> tuple[str, Path]:
    """nginx and its echo module, installed first when they are missing and we may."""
    found = _find()
    if found is None and os.geteuid() == 0 and shutil.which("apt-get"):
        subprocess.run(["apt-get", "update", "-qq"], check=False)
        subprocess.run(["apt-get", "install", "-y", "-qq", "--no-install-recommends", *PACKAGES], check=False)
        found = _find()
    if found is None:
        raise NotInstalled(f"The benchmarks need nginx with its echo module: apt-get install {' '.join(PACKAGES)}")
    return found


def _find() -> tuple[str, Path] | None:
    program = shutil.which("nginx", path=os.environ.get("PATH", "") + ":/usr/sbin:/usr/local/sbin")
    echo = next((module for module in ECHO_MODULES if module.exists()), None)
    return (program, echo) if program and echo else None
