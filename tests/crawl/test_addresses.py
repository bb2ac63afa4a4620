"""Which addresses may a crawler connect to, and what do names resolve to?"""

import asyncio
import socket
import threading

import pytest

from shoal.errors import InputError
from shoal.fetch.addresses import AddressGuard, AddressRefused, CachingResolver, NoSuchName, ask_system
from shoal.testing.fakes import ManualClock

PUBLIC = ["8.8.8.8", "1.1.1.1", "223.5.5.5", "100.63.255.255", "172.32.0.1", "2606:4700::1111", "2400:3200::1"]
EMBEDDED_PUBLIC = ["::ffff:8.8.8.8", "64:ff9b::808:808", "2002:808:808::1"]
NOT_PUBLIC = [
    *("0.0.0.0", "10.1.2.3", "100.64.0.1", "100.127.255.254", "127.0.0.1", "127.255.0.1", "169.254.169.254"),
    *("172.16.0.1", "172.31.255.255", "192.0.0.8", "192.0.2.1", "192.88.99.1", "192.168.1.1", "198.18.0.1"),
    *("198.51.100.7", "203.0.113.9", "224.0.0.1", "239.255.255.255", "240.0.0.1", "255.255.255.255"),
    *("::", "::1", "::7f00:1", "fc00::1", "fd12:3456::1", "fe80::1", "fe80::1%eth0", "fec0::1", "ff02::1", "100::1"),
    *("2001:db8::1", "3fff::1", "2001::1", "2001:0:7f00:1::", "64:ff9b:1::1", "5f00::1"),
]
EMBEDDED_PRIVATE = [
    *("::ffff:127.0.0.1", "::ffff:10.0.0.1", "::ffff:169.254.169.254", "64:ff9b::7f00:1", "64:ff9b::a9fe:a9fe"),
    *("2002:7f00:1::1", "2002:a00:1::1"),
]


@pytest.mark.parametrize("ip", [*PUBLIC, *EMBEDDED_PUBLIC])
def test_public_addresses_may_be_connected_to(ip: str) -> None:
    assert AddressGuard().allowed(ip)


@pytest.mark.parametrize("ip", [*NOT_PUBLIC, *EMBEDDED_PRIVATE, "", "localhost", "127.1", "0x7f.1"])
def test_everything_else_is_refused(ip: str) -> None:
    assert not AddressGuard().allowed(ip)


@pytest.mark.parametrize(
    ("ip", "expected"),
    [
        ("127.0.0.1", True),
        ("::ffff:127.0.0.1", True),
        ("10.0.0.5", False),
        ("fd00::5", True),
        ("fd01::5", False),
        ("::1", False),
        ("8.8.8.8", True),
    ],
)
def test_the_operator_allows_ranges(ip: str, expected: bool) -> None:
    assert AddressGuard(("127.0.0.0/8", "fd00::/16")).allowed(ip) is expected


def test_a_range_that_is_none_is_the_users_mistake() -> None:
    with pytest.raises(InputError, match=r"10\.0\.0\.0/99"):
        AddressGuard(("10.0.0.0/99",))


def test_the_guard_makes_sockets_only_for_what_it_allows() -> None:
    guard = AddressGuard()
    with pytest.raises(AddressRefused) as caught:
        guard.open_socket((socket.AF_INET, socket.SOCK_STREAM, 0, "", ("127.0.0.1", 80)))
    assert caught.value.address == "127.0.0.1"
    guard.open_socket((socket.AF_INET, socket.SOCK_STREAM, 0, "", ("8.8.8.8", 80))).close()


class Names:
    """A name server made of a dictionary; counts the questions, and waits for `gate`."""

    def __init__(self, names: dict[str, tuple[str, ...]]) -> None:
        self.names = names
        self.asked: list[str] = []
        self.gate = threading.Event()
        self.gate.set()

    def __call__(self, name: str) -> tuple[str, ...]:
        self.asked.append(name)
        self.gate.wait()
        if name not in self.names:
            raise NoSuchName(socket.EAI_NONAME, "no such name")
        return self.names[name]


async def hosts(resolver: CachingResolver, name: str) -> list[str]:
    return [entry["host"] for entry in await resolver.resolve(name, 80)]


async def test_answers_are_remembered_until_they_expire() -> None:
    clock, names = ManualClock(), Names({"a.test": ("8.8.8.8", "2606::1")})
    resolver = CachingResolver(names, ttl=300, clock=clock)
    assert await hosts(resolver, "a.test") == ["8.8.8.8", "2606::1"]
    clock.advance(299)
    await hosts(resolver, "a.test")
    assert names.asked == ["a.test"]
    clock.advance(2)
    await hosts(resolver, "a.test")
    assert names.asked == ["a.test", "a.test"]
    await resolver.close()


async def test_a_missing_name_is_remembered_for_a_shorter_time() -> None:
    clock, names = ManualClock(), Names({})
    resolver = CachingResolver(names, negative_ttl=30, clock=clock)
    for _ in range(3):
        with pytest.raises(NoSuchName):
            await hosts(resolver, "gone.test")
    assert names.asked == ["gone.test"]
    clock.advance(31)
    names.names["gone.test"] = ("9.9.9.9",)
    assert await hosts(resolver, "gone.test") == ["9.9.9.9"]
    await resolver.close()


async def test_many_who_ask_for_one_name_share_one_question() -> None:
    names = Names({"a.test": ("8.8.8.8",)})
    names.gate.clear()
    resolver = CachingResolver(names)
    async with asyncio.TaskGroup() as group:
        waiting = [group.create_task(hosts(resolver, "a.test")) for _ in range(20)]
        await asyncio.sleep(0)
        waiting[0].cancel()
        names.gate.set()
    assert waiting[0].cancelled()
    assert all(task.result() == ["8.8.8.8"] for task in waiting[1:])
    assert names.asked == ["a.test"]
    await resolver.close()


async def test_the_memory_of_names_is_bounded() -> None:
    names = Names({f"{i}.test": ("8.8.8.8",) for i in range(5)})
    resolver = CachingResolver(names, size=3)
    for name in names.names:
        await hosts(resolver, name)
    await hosts(resolver, "4.test")
    assert len(names.asked) == 5, "the newest is remembered"
    await hosts(resolver, "0.test")
    assert len(names.asked) == 6, "the oldest is forgotten"
    await resolver.close()


@pytest.mark.parametrize("name", ["a..b", "x" * 64 + ".test"])
def test_what_cannot_be_a_host_name_is_no_such_name(name: str) -> None:
    """Both fail before any name server is asked, so the test needs no network."""
    with pytest.raises(NoSuchName):
        ask_system(name)


def test_the_system_knows_this_machine() -> None:
    assert "127.0.0.1" in ask_system("localhost")
