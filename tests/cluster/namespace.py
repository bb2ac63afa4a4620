"""How does a test cut the network of one process? It runs in a network namespace of its own, behind a cable that can be pulled.

    process ─ 127.0.0.1:PORT ─ socat ═ veth ═ socat ─ 127.0.0.1:PORT ─ server

So the process uses the same addresses as everybody else. Needs root, `ip` and `socat` (which comes with RabbitMQ).
"""

from __future__ import annotations

import asyncio
import os
import subprocess
from collections.abc import Sequence
from itertools import count
from typing import Self

_NUMBERS = count(os.getpid())


def is_allowed() -> bool:
    """False where nobody may make namespaces: not as root, or in a sandbox without them."""
    if os.geteuid() != 0:
        return False
    name = f"shoal-try-{os.getpid()}"
    made = subprocess.run(["ip", "netns", "add", name], capture_output=True, check=False).returncode == 0
    if made:
        subprocess.run(["ip", "netns", "delete", name], check=True)
    return made


class Namespace:
    """A network of its own, from which some ports of ours can be reached as long as the cable is in."""

    def __init__(self, ports: Sequence[int]) -> None:
        number = next(_NUMBERS)
        self.name = f"shoal-{number}"
        self._outside, self._inside = f"shoal{number}o", f"shoal{number}i"
        self._here, self._there = f"198.51.100.{number % 60 * 4 + 1}", f"198.51.100.{number % 60 * 4 + 2}"
        self._ports = ports
        self._forwarders: list[asyncio.subprocess.Process] = []

    @property
    def prefix(self) -> tuple[str, ...]:
        """What to type before a command that is to run there."""
        return ("ip", "netns", "exec", self.name)

    async def __aenter__(self) -> Self:
        await _run("ip", "netns", "add", self.name)
        await _run("ip", "link", "add", self._outside, "type", "veth", "peer", "name", self._inside, "netns", self.name)
        await _run("ip", "address", "add", f"{self._here}/30", "dev", self._outside)
        await _run("ip", "link", "set", self._outside, "up")
        for words in (("address", "add", f"{self._there}/30", "dev", self._inside), ("link", "set", self._inside, "up"),
                      ("link", "set", "lo", "up")):  # fmt: skip
            await _run(*self.prefix, "ip", *words)
        for port in self._ports:
            await self._forward((), f"TCP-LISTEN:{port},bind={self._here},fork,reuseaddr", f"TCP:127.0.0.1:{port}")
            inside = f"TCP-LISTEN:{port},bind=127.0.0.1,fork,reuseaddr"
            await self._forward(self.prefix, inside, f"TCP:{self._here}:{port}")
        return self

    async def __aexit__(self, *error: object) -> None:
        for forwarder in self._forwarders:
            forwarder.kill()
            await forwarder.wait()
        await _run("ip", "netns", "delete", self.name)
        await _run("ip", "link", "delete", self._outside, check=False)  # mostly gone with the namespace

    async def pull(self) -> None:
        """Pull the cable: nothing gets through, and nobody is told."""
        await _run("ip", "link", "set", self._outside, "down")

    async def plug(self) -> None:
        """And put it in again."""
        await _run("ip", "link", "set", self._outside, "up")

    async def _forward(self, prefix: Sequence[str], listen: str, to: str) -> None:
        process = await asyncio.create_subprocess_exec(*prefix, "socat", listen, to, stderr=asyncio.subprocess.DEVNULL)
        self._forwarders.append(process)


async def _run(*words: str, check: bool = True) -> None:
    process = await asyncio.create_subprocess_exec(*words, stderr=asyncio.subprocess.PIPE)
    _, said = await process.communicate()
    if check and process.returncode:
        raise OSError(f"{' '.join(words)}: {said.decode()}")
