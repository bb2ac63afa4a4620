"""Where does a host live? Its name is looked up before it is asked, because hosts at one address share what that address gets.

A look-up has a bounded time, and so many are under way at once. What cannot be looked up is no reason to wait: whoever asks the
host will hear why, and that is the failure of a request like any other.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from functools import partial
from types import TracebackType
from typing import Self

from shoal.fetch.addresses import AddressGuard, CachingResolver, is_address
from shoal.settings import Fetching

AT_ONCE = 64
"""Look-ups under way; with 20 ms each that is 3,000 new hosts a second."""
Tell = Callable[[str], None]


class HostLocator:
    """Looks hosts up by a resolver that the fetcher can use too: it need not ask again. Implements `protocols.Locator`.

    Use it as `async with`; sole owner of the look-ups under way.
    """

    def __init__(self, resolver: CachingResolver, settings: Fetching, *, at_once: int = AT_ONCE) -> None:
        self.resolver = resolver
        self._guard = AddressGuard(settings.allow_private)
        self._patience = settings.connect_timeout
        self._at_once = at_once
        self._asking: dict[str, asyncio.Task[str]] = {}

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        asking = list(self._asking.values())
        for task in asking:
            task.cancel()
        await asyncio.gather(*asking, return_exceptions=True)
        await self.resolver.close()

    @property
    def has_room(self) -> bool:
        """False when so many look-ups are under way that another one would only wait."""
        return len(self._asking) < self._at_once

    def ask(self, host: str, tell: Tell) -> None:
        """Look a host up, unless that is under way; `tell` hears its address, empty when it has none that may be asked."""
        if host not in self._asking:
            self._asking[host] = task = asyncio.get_running_loop().create_task(self._find(host))
            task.add_done_callback(partial(self._found, host, tell))

    def _found(self, host: str, tell: Tell, task: asyncio.Task[str]) -> None:
        del self._asking[host]
        if not task.cancelled():
            tell(task.result())

    async def _find(self, host: str) -> str:
        name = _name(host)
        return next((address for address in await self._addresses(name) if self._guard.allowed(address)), "")

    async def _addresses(self, name: str) -> list[str]:
        if is_address(name):
            return [name]
        try:
            async with asyncio.timeout(self._patience):
                return [entry["host"] for entry in await self.resolver.resolve(name)]
        except Exception:  # the request that follows will meet it too, and says what it means
            return []


def _name(host: str) -> str:
    """The host without its port, and an address without its brackets."""
    if host.startswith("["):
        return host[1:].partition("]")[0]
    return host.partition(":")[0]
