"""Where is this installation? Where the environment says, else where programs of this user keep their data."""

from __future__ import annotations

from pathlib import Path

import pytest

from shoal.installation.location import Installation, installation_of
from shoal.settings import Cluster


@pytest.mark.parametrize(
    ("environ", "platform", "expected"),
    [
        ({"SHOAL_HOME": "/srv/shoal", "XDG_DATA_HOME": "/xdg"}, "linux", "/srv/shoal"),
        ({"XDG_DATA_HOME": "/xdg"}, "linux", "/xdg/shoal"),
        ({"XDG_DATA_HOME": "not/absolute", "HOME": "/home/li"}, "linux", "/home/li/.local/share/shoal"),
        ({"SHOAL_HOME": "", "HOME": "/home/li"}, "linux", "/home/li/.local/share/shoal"),
        ({"HOME": "/Users/li", "XDG_DATA_HOME": "/xdg"}, "darwin", "/Users/li/Library/Application Support/shoal"),
    ],
)
def test_home_is_where_programs_keep_their_data(environ: dict[str, str], platform: str, expected: str) -> None:
    assert installation_of(environ, platform).home == Path(expected)


def test_a_relative_home_does_not_move_with_us(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert installation_of({"SHOAL_HOME": "here"}).home == tmp_path / "here"


def test_servers_and_secrets_come_from_the_environment() -> None:
    environ = {
        "HOME": "/home/li",
        "SHOAL_DATABASE": "postgresql://u:p@db/x",
        "SHOAL_BROKER": "amqp://u:p@mq/",
        "SHOAL_PROXY": "http://u:p@proxy:1",
    }
    found = installation_of(environ)
    assert found.cluster == Cluster(database="postgresql://u:p@db/x", broker="amqp://u:p@mq/")
    assert found.proxy == "http://u:p@proxy:1"
    assert ":p@" not in repr(found)


def test_everything_is_below_the_home() -> None:
    installation = Installation(home=Path("/srv/shoal"))
    assert {installation.crawls.parent, installation.file.parent, installation.hosts.parent} == {installation.home}
