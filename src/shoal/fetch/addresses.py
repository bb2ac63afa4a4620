"""Where does a host live, and may a crawler connect there?"""

from __future__ import annotations

import asyncio
import errno
import socket
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address, ip_network
from typing import Any, Self

from aiohttp.abc import AbstractResolver, ResolveResult

from shoal.errors import InputError
from shoal.settings import Fetching

# Our own table instead of ipaddress.is_global, whose answers changed between patch releases of Python.
# From the IANA special-purpose address registries, multicast and reserved space included.
_NOT_PUBLIC_4 = tuple(
    IPv4Network(text)
    for text in (
        "0.0.0.0/8",  # this host
        "10.0.0.0/8",  # private
        "100.64.0.0/10",  # carrier-grade NAT
        "127.0.0.0/8",  # loopback
        "169.254.0.0/16",  # link-local, cloud metadata
        "172.16.0.0/12",  # private
        "192.0.0.0/24",  # protocol assignments
        "192.0.2.0/24",  # documentation
        "192.88.99.0/24",  # 6to4 relays
        "192.168.0.0/16",  # private
        "198.18.0.0/15",  # benchmarks
        "198.51.100.0/24",  # documentation
        "203.0.113.0/24",  # documentation
        "224.0.0.0/4",  # multicast
        "240.0.0.0/4",  # reserved, broadcast
    )
)
_PUBLIC_6 = IPv6Network("2000::/3")
"""The only IPv6 space given out for public hosts."""
_NOT_PUBLIC_6 = tuple(
    IPv6Network(text)
    for text in (
        "2001::/23",  # protocol assignments, Teredo among them
        "2001:db8::/32",  # documentation
        "3fff::/20",  # documentation
    )
)
_NAT64 = IPv6Network("64:ff9b::/96")


class AddressRefused(OSError):
    """The address is not public and the operator did not allow it."""

    # An OSError, so that the other addresses of the same name are still tried. The text is the same for every address,
    # because aiohappyeyeballs keeps the type of an error only when all attempts ended with the same words.
    def __init__(self, address: str) -> None:
        super().__init__(errno.EACCES, "address not allowed")
        self.address = address


class AddressGuard:
    """Lets only public addresses through, and the ranges the operator allows."""

    def __init__(self, allow: tuple[str, ...] = ()) -> None:
        self._allow = tuple(_range(text) for text in allow)

    def allowed(self, ip: str) -> bool:
        """True when a crawler may connect to this address."""
        try:
            address = ip_address(ip)
        except ValueError:
            return False
        reached = [address, *_embedded(address)]
        if any(one in network for one in reached for network in self._allow):
            return True
        return all(_is_public(one) for one in reached[1:] or reached)

    def open_socket(self, info: tuple[Any, Any, int, str, tuple[Any, ...]]) -> socket.socket:
        """A socket for one getaddrinfo entry; raises AddressRefused (this is aiohttp's `socket_factory`)."""
        family, kind, protocol, _, where = info
        if not self.allowed(where[0]):
            raise AddressRefused(where[0])
        return socket.socket(family, kind, protocol)


def is_address(name: str) -> bool:
    """True for an address, false for a name."""
    try:
        ip_address(name)
    except ValueError:
        return False
    return True


def _range(text: str) -> IPv4Network | IPv6Network:
    try:
        return ip_network(text, strict=False)
    except ValueError as error:
        raise InputError(f"“{text}” is not an address range such as 10.0.0.0/8.") from error


def _embedded(address: IPv4Address | IPv6Address) -> Iterator[IPv4Address]:
    """The IPv4 address that a mapped, 6to4 or NAT64 address leads to."""
    if isinstance(address, IPv4Address):
        return
    if found := address.ipv4_mapped or address.sixtofour:
        yield found
    elif address in _NAT64:
        yield IPv4Address(int(address) & 0xFFFFFFFF)


def _is_public(address: IPv4Address | IPv6Address) -> bool:
    if isinstance(address, IPv4Address):
        return not any(address in network for network in _NOT_PUBLIC_4)
    return address in _PUBLIC_6 and not any(address in network for network in _NOT_PUBLIC_6)


# --- names -----------------------------------------------------------------------------------------------------------

Lookup = Callable[[str], tuple[str, ...]]
"""The addresses of a name, best first; OSError when there are none. Called in a thread, so it may block."""


class NoSuchName(OSError):
    """The name server says there is no such name; asking again does not help."""


def ask_system(name: str) -> tuple[str, ...]:
    """What the operating system's resolver answers."""
    try:
        found = socket.getaddrinfo(name, None, type=socket.SOCK_STREAM)
    except UnicodeError as error:  # a label of more than 63 characters, or an empty one
        raise NoSuchName(socket.EAI_NONAME, "not a host name") from error
    except socket.gaierror as error:
        if error.errno in (socket.EAI_NONAME, socket.EAI_NODATA):
            raise NoSuchName(*error.args) from error
        raise
    return tuple(str(entry[4][0]) for entry in found)


class CachingResolver(AbstractResolver):
    """Looks names up in its own threads, remembers the answers for a while, and asks once however many want to know."""

    def __init__(
        self,
        lookup: Lookup = ask_system,
        *,
        threads: int = 32,
        ttl: float = 300.0,
        negative_ttl: float = 30.0,
        size: int = 50_000,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._lookup = lookup
        self._ttl = ttl
        self._negative_ttl = negative_ttl
        self._size = size
        self._clock = clock
        # Not the event loop's own pool: that has six threads on two cores, and a dead name server holds one for long.
        self._pool = ThreadPoolExecutor(threads, thread_name_prefix="dns")
        # Both are changed only on the event loop: `resolve` and the callback of a finished look-up.
        self._known: dict[str, tuple[float, tuple[str, ...] | OSError]] = {}
        self._asking: dict[str, asyncio.Future[tuple[str, ...]]] = {}

    async def resolve(
        self, host: str, port: int = 0, family: socket.AddressFamily = socket.AF_UNSPEC
    ) -> list[ResolveResult]:
        """aiohttp's way to ask. A caller that is cancelled does not disturb others who wait for the same name."""
        answer = self._remembered(host)
        if answer is None:
            answer = await asyncio.shield(self._asking.get(host) or self._ask(host))
        elif isinstance(answer, OSError):
            raise answer.with_traceback(None)  # or it would collect the traces of everybody who asked
        return [_entry(host, ip, port) for ip in answer]

    def _remembered(self, host: str) -> tuple[str, ...] | OSError | None:
        expires, answer = self._known.get(host, (0.0, None))
        return answer if expires > self._clock() else None

    def _ask(self, host: str) -> asyncio.Future[tuple[str, ...]]:
        future = asyncio.get_running_loop().run_in_executor(self._pool, self._lookup, host)
        self._asking[host] = future
        future.add_done_callback(partial(self._remember, host))
        return future

    def _remember(self, host: str, future: asyncio.Future[tuple[str, ...]]) -> None:
        del self._asking[host]
        if future.cancelled():
            return
        error = future.exception()
        self._known.pop(host, None)
        if error is None:
            self._known[host] = self._clock() + self._ttl, future.result()
        elif isinstance(error, OSError):
            self._known[host] = self._clock() + self._negative_ttl, error
        if len(self._known) > self._size:
            del self._known[next(iter(self._known))]  # the oldest answer

    async def close(self) -> None:
        """Forget the threads; a look-up under way ends by itself."""
        self._pool.shutdown(wait=False, cancel_futures=True)


def _entry(host: str, ip: str, port: int) -> ResolveResult:
    family = socket.AF_INET6 if ":" in ip else socket.AF_INET
    flags = socket.AI_NUMERICHOST | socket.AI_NUMERICSERV
    return {"hostname": host, "host": ip, "port": port, "family": family, "proto": 0, "flags": flags}


# --- where does a host live ------------------------------------------------------------------------------------------

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

    async def __aexit__(self, *_: object) -> None:
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
