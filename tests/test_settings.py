"""What is set for a crawl? However it is shown, no password is."""

from __future__ import annotations

import pytest
from rich.pretty import pretty_repr

from shoal.model import Term, Topic
from shoal.settings import Cluster, Fetching, Settings

SECRET = "hunter2"
FETCHING = Fetching(proxy=f"http://u:{SECRET}@proxy.test:8080")


@pytest.mark.parametrize(
    "settings",
    [
        FETCHING,
        Cluster(database=f"postgresql://u:{SECRET}@db.test/x", broker=f"amqp://u:{SECRET}@mq.test/"),
        Settings(topic=Topic(name="t", terms=(Term(text="t"),)), seeds=("http://a.test/",), fetching=FETCHING),
    ],
    ids=lambda settings: type(settings).__name__,
)
@pytest.mark.parametrize("show", [repr, str, pretty_repr])
def test_settings_are_shown_without_passwords(settings: object, show: object) -> None:
    assert callable(show)
    shown = show(settings)
    assert SECRET not in shown
    assert ".test" in shown, "all else is shown"
