"""The generated web as a process of its own: `python -m shoal.evaluate.serve --port 0 --log access.jsonl --seed 7`.

Its first line on standard output is the port. Tests that kill crawlers need the server, and its log, to outlive them.
"""

from __future__ import annotations

import argparse
import asyncio
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

from shoal.evaluate.generated.synthetic_web import generate
from shoal.signals import stopped_by_signals
from shoal.testing.webserver import ServedWeb, WebAnswer, WebServer


def main() -> None:
    """Serve until SIGTERM or Ctrl-C."""
    parser = argparse.ArgumentParser(prog="python -m shoal.evaluate.serve", description="Serve the generated web.")
    parser.add_argument("--port", type=int, default=0, help="0 takes any free port")
    parser.add_argument("--log", type=Path, help="append every request to this file, a line of JSON each")
    parser.add_argument("--seed", type=int, default=7)
    parser.add_argument("--latency", type=float, default=0.0, help="seconds that every answer takes at least")
    parser.add_argument("--until-eof", action="store_true", help="stop too when standard input ends: with the parent")
    given = parser.parse_args()
    asyncio.run(serve(given.seed, given.port, given.log, latency=given.latency, until_eof=given.until_eof))


@dataclass(frozen=True, slots=True)
class FarAway:
    """A web whose every answer travels for a while, as on a real network."""

    web: ServedWeb
    latency: float

    def answer(self, host: str, target: str, nth: int) -> WebAnswer:
        """What the web says, not before the latency is over."""
        answer = self.web.answer(host, target, nth)
        return replace(answer, delay=max(answer.delay, self.latency))


async def serve(seed: int, port: int, log: Path | None, *, latency: float = 0.0, until_eof: bool = False) -> None:
    """Print the port, then answer until told to stop."""
    web = FarAway(generate(seed), latency)
    stopped = asyncio.Event()
    if until_eof:
        asyncio.get_running_loop().add_reader(sys.stdin.fileno(), stopped.set)
    with stopped_by_signals(stopped.set):
        async with WebServer(web, port=port, log=log) as server:
            print(server.port, flush=True)
            await stopped.wait()


@contextmanager
def serving(seed: int, log: Path | None = None, latency: float = 0.0) -> Iterator[str]:
    """The generated web in a process of its own; the value is the proxy to ask.

    The process ends with the block, and should we be killed, with us: it stops when our end of its standard input closes.
    It lives in a session of its own, so that Ctrl-C reaches only the crawler, whose last requests are then answered.
    """
    options = ["--seed", str(seed), "--latency", str(latency), "--until-eof", *(["--log", str(log)] if log else [])]
    with subprocess.Popen(
        [sys.executable, "-m", "shoal.evaluate.serve", *options],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        start_new_session=True,
    ) as process:
        assert process.stdout is not None
        try:
            port = process.stdout.readline().strip().decode()
            if not port:
                raise ChildProcessError("the server of the generated web did not start")
            yield f"http://127.0.0.1:{port}"
        finally:
            process.terminate()
            process.wait()  # before its pipes are closed, which it may be about to write to


if __name__ == "__main__":
    main()
