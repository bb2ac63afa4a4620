"""What was read from a document that lists pages?"""

import gzip
import time
import tracemalloc

import pytest

from shoal.seeds.list_document import plain, suggestion, unpacked


def test_gzip_is_recognised_by_its_first_bytes_and_may_have_several_parts() -> None:
    assert unpacked(b"plain") == (b"plain", "")
    assert unpacked(gzip.compress(b"one ") + gzip.compress(b"two")) == (b"one two", "")


@pytest.mark.parametrize(
    ("packed", "problem"),
    [
        (gzip.compress(b"x" * 100_000, mtime=0)[:60], "its gzip ends too early"),
        (gzip.compress(b"x" * 1000, mtime=0)[:10] + b"\xff" * 60, "its gzip is damaged"),
    ],
    ids=["cut", "damaged"],
)
def test_damage_is_named(packed: bytes, problem: str) -> None:
    assert unpacked(packed)[1] == problem


@pytest.mark.slow
def test_a_bomb_stays_small() -> None:
    bomb = gzip.compress(bytes(64 * 2**20))
    tracemalloc.start()
    started = time.perf_counter()
    body, problem = unpacked(bomb, largest=2**20)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert (len(body), problem) == (2**20, "it is larger than 1 MiB")
    assert peak < 4 * 2**20
    assert time.perf_counter() - started < 5


def test_a_gzip_of_very_many_parts_is_left_and_each_part_costs_the_same() -> None:
    """What was left of the body was copied for each of them: 2 MB took half a minute."""

    def cost(parts: int) -> float:
        packed = gzip.compress(b"x" * 1000, 0, mtime=0) * parts
        started = time.thread_time()
        assert len(unpacked(packed)[0]) == 1000 * parts
        return time.thread_time() - started

    assert cost(8000) < 8 * cost(2000) + 0.05
    assert unpacked(gzip.compress(b"", mtime=0) * 20_000) == (b"", "its gzip has more than 10,000 parts")


@pytest.mark.parametrize(
    "url", ["", "  ", "ftp://a.test/", "javascript:alert(1)", "magnet:?xt=1", "http://", "//x", "电网"]
)
def test_what_is_no_http_address_is_no_suggestion(url: str) -> None:
    assert suggestion(url) is None


def test_a_suggestion_is_one_line_in_normal_form() -> None:
    made = suggestion(" HTTP://A.test:80/%7eb/#part\n", title="a\n\t b", snippet="x" * 400, engines=["bing"])
    assert made is not None
    assert (made.url, made.title, made.engines) == ("http://a.test/~b/", "a b", ("bing",))
    assert len(made.snippet) == 300
    assert made.snippet.endswith("x…")


def test_markup_becomes_text() -> None:
    assert " ".join(plain("<p>Grid &amp; <b>电网</b>").split()) == "Grid & 电网"
    assert len(plain("<" * 10**6)) == 5000
