"""The generated web as a process of its own: `python -m shoal.evaluate.serve --port 0 --log access.jsonl --seed 7`.

Its first line on standard output is the port. Tests that kill crawlers need the server, and its log, to outlive them.
"""

from __future__ import annotations

import argparse
import asyncio
import signal
from pathlib import Path

from shoal.evaluate.synthetic import generate
from shoal.testing.webserver import WebServer


def main() -> None:
    """Serve until SIGTERM or Ctrl-C."""
    parser = argparse.ArgumentParser(prog="python -m shoal.evaluate.serve", description="Serve the generated web.")
    parser.add_argument("--port", type=int, default=0, help="0 takes any free port")
    parser.add_argument("--log", type=Path, help="append every request to this file, a line of JSON each")
    parser.add_argument("--seed", type=int, default=7)
    given = parser.parse_args()
    asyncio.run(serve(given.seed, given.port, given.log))


async def serve(seed: int, port: int, log: Path | None) -> None:
    """Print the port, then answer until told to stop."""
    stopped = asyncio.Event()
    loop = asyncio.get_running_loop()
    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, stopped.set)
    async with WebServer(generate(seed), port=port, log=log) as server:
        print(server.port, flush=True)
        await stopped.wait()


if __name__ == "__main__":
    main()
