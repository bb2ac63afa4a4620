"""Which options do several commands have? An address is read in every form that people type, and nothing else is one."""

from __future__ import annotations

import click
import pytest

from shoal.commands.options import listen_address
from shoal.settings import ListenAddress


@pytest.mark.parametrize(
    ("typed", "address"),
    [
        ("9310", ListenAddress(port=9310)),
        (":9310", ListenAddress(port=9310)),
        ("0.0.0.0:9310", ListenAddress(host="0.0.0.0", port=9310)),
        ("[::1]:9310", ListenAddress(host="::1", port=9310)),
    ],
)
def test_an_address_is_a_port_or_a_host_and_a_port(typed: str, address: ListenAddress) -> None:
    assert listen_address(typed) == address


@pytest.mark.parametrize("typed", ["", "0", "65536", "localhost", "-1", "host:", "٣١"])
def test_what_is_no_address_is_refused(typed: str) -> None:
    with pytest.raises(click.UsageError, match="is not a port"):
        listen_address(typed)
