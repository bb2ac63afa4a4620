"""What does this address say, wherever it moved?"""

import pytest

from shoal.fetch.polite_client import PoliteClient, in_a_sentence, is_wanted
from shoal.model import Failure, Response, Unanswered
from shoal.testing.fakes import FakeFetcher, html, redirect


class Pauses:
    """Takes the place of sleeping."""

    def __init__(self) -> None:
        self.taken: list[float] = []

    async def __call__(self, seconds: float) -> None:
        self.taken.append(seconds)


async def test_redirects_are_followed() -> None:
    fetcher = FakeFetcher(
        {
            "http://a.test/": redirect("", "https://a.test/"),
            "https://a.test/": redirect("", "https://b.test/x"),
            "https://b.test/x": html("", "here"),
        }
    )
    answer = await PoliteClient(fetcher).ask("http://a.test/")
    assert isinstance(answer, Response)
    assert (answer.url, answer.body) == ("https://b.test/x", b"here")


async def test_a_ring_of_redirects_ends() -> None:
    fetcher = FakeFetcher({"http://a.test/": redirect("", "http://a.test/")})
    answer = await PoliteClient(fetcher).ask("http://a.test/")
    assert answer == Unanswered(why="http://a.test/ sends us on more than 10 times")
    assert len(fetcher.asked) == 11


async def test_who_shall_stay_does_not_follow_to_another_host() -> None:
    fetcher = FakeFetcher({"http://a.test/": redirect("", "http://169.254.169.254/")})
    answer = await PoliteClient(fetcher).ask("http://a.test/", stay=True)
    assert answer == Unanswered(why="http://a.test/ sends us on to 169.254.169.254; give that address instead")
    assert len(fetcher.asked) == 1


async def test_a_failure_is_handed_on() -> None:
    answer = await PoliteClient(FakeFetcher({})).ask("http://a.test/")
    assert isinstance(answer, Failure)
    assert answer.status == 404


async def test_between_two_requests_to_a_host_there_is_a_pause() -> None:
    pauses = Pauses()
    asker = PoliteClient(FakeFetcher({}), delay=1.5, sleep=pauses)
    for url in ("http://a.test/1", "http://b.test/1", "http://a.test/2", "http://a.test/3"):
        await asker.ask(url)
    assert pauses.taken == [1.5, 1.5]


@pytest.mark.parametrize(
    "kind", ["application/json", "text/xml", "application/rss+xml", "application/x-gzip", "", "binary/octet-stream"]
)
def test_anything_that_may_be_a_list_is_downloaded(kind: str) -> None:
    assert is_wanted(kind)


@pytest.mark.parametrize("kind", ["image/png", " Video/mp4; x=1"])
def test_images_are_not(kind: str) -> None:
    assert not is_wanted(kind)


def test_a_sentence_can_end_another() -> None:
    assert in_a_sentence("The server answered 404.") == "the server answered 404"
    assert in_a_sentence("") == ""
