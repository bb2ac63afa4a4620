"""What is set for a crawl? However it is shown, no password is."""

from __future__ import annotations

import msgspec
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


def test_settings_that_were_kept_before_one_of_them_became_a_constant_are_read() -> None:
    kept = Settings(topic=Topic(name="t", terms=(Term(text="t"),)), seeds=("http://a.test/",), fetching=FETCHING)
    text = msgspec.json.encode(kept).replace(b'"max_body":', b'"max_header_bytes":65536,"max_body":')
    assert b"max_header_bytes" in text
    assert msgspec.json.decode(text, type=Settings) == kept
