"""Which options do several commands have? An address is read in every form that people type, and nothing else is one."""

from __future__ import annotations

import json

import click
import pytest

from shoal.commands.options import listen_address
from shoal.settings import ListenAddress
from shoal.store import crawl_folder as folders
from tests.shell import Shell
from tests.store.pages import SETTINGS


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


# --- which crawl -----------------------------------------------------------------------------------------------------


@pytest.fixture
def named(shoal: Shell) -> Shell:
    """Somebody whose installation has one crawl."""
    folders.create(shoal.home / "state" / "crawls" / "电网", SETTINGS)
    return shoal


@pytest.mark.parametrize(
    "how", [("电网",), ("--crawl", "电网"), ("--dir", "state/crawls/电网"), ("./state/crawls/电网",)]
)
def test_a_crawl_is_named_in_any_of_these_ways(named: Shell, how: tuple[str, ...]) -> None:
    assert json.loads(named("status", *how, "--json").out)["pages"] == 0


def test_a_command_with_words_of_its_own_wants_the_option(named: Shell) -> None:
    assert (
        named("search", "--crawl", "电网", "变电站").out == "There is no page to be searched yet.\nNo page was found.\n"
    )


@pytest.mark.parametrize("command", [("status",), ("mark", "--list"), ("export",)])
def test_who_names_none_hears_which_there_are(named: Shell, command: tuple[str, ...]) -> None:
    assert named(*command).sentence() == "Say which crawl, by its name or its folder: there is 电网."


def test_a_search_asks_all_crawls_unless_some_are_named(named: Shell) -> None:
    for name in ("grid", "风电"):
        folders.create(named.home / "state" / "crawls" / name, SETTINGS)
    folders.create(named.home / "here", SETTINGS)

    def asked(*how: str) -> list[str]:
        return list(json.loads(named("search", "变电站", *how, "--json").out)["crawls"])

    assert asked() == ["grid", "电网", "风电"]
    assert asked("--crawl", "风电", "--dir", "here") == ["here", "风电"]
    assert asked("--crawl", "grid", "--crawl", "./state/crawls/grid") == ["grid"]
    assert (
        named("search", "x", "--crawl", "grids").sentence().startswith('There is no crawl called "grids"; did you mean')
    )


def test_a_search_where_there_is_no_crawl_is_one_sentence(shoal: Shell) -> None:
    assert "there are none here yet" in shoal("search", "grid").sentence()


def test_a_crawl_is_named_once(named: Shell) -> None:
    assert named("status", "电网", "--dir", "x").sentence().startswith("Name the crawl once, not as 电网 and as x.")


def test_a_mistyped_name_brings_the_right_one(named: Shell) -> None:
    assert named("status", "电冈").sentence() == 'There is no crawl called "电冈": there is 电网.'
    folders.create(named.home / "state" / "crawls" / "power-grid", SETTINGS)
    assert named("status", "powergrit").sentence() == 'There is no crawl called "powergrit"; did you mean power-grid?'
