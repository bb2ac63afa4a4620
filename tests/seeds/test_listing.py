"""What was read from a document that lists pages?"""

import bz2
import gzip
import time
import tracemalloc
import zlib

import pytest

from shoal.seeds.list_document import decoded, unpacked

CHINESE = "<?xml version='1.0'?><loc>http://a.test/电网</loc>"


@pytest.mark.parametrize(
    ("body", "content_type"),
    [
        (CHINESE.encode(), ""),
        (CHINESE.encode(), "text/xml; charset=gbk"),
        (b"\xef\xbb\xbf" + CHINESE.encode(), ""),
        (CHINESE.encode("utf-16"), ""),
        (b"\xfe\xff" + CHINESE.encode("utf-16-be"), ""),
        (CHINESE.encode("gbk"), "text/xml; charset=GB2312"),
        (CHINESE.encode("gbk"), "text/xml"),
        (CHINESE.encode("gbk"), "text/xml; charset=no-such-thing"),
        (CHINESE.encode("gbk"), "text/xml; charset=hex"),
    ],
    ids=[
        "utf-8",
        "wrong header",
        "bom",
        "utf-16",
        "utf-16-be",
        "gbk by header",
        "gbk unsaid",
        "unknown",
        "not a charset",
    ],
)
def test_utf8_and_gbk_are_recognised_whatever_is_said(body: bytes, content_type: str) -> None:
    assert decoded(body, content_type) == CHINESE


@pytest.mark.parametrize(
    "label", ["bz2", "zip", "zlib_codec", "BZ2-codec", "uu", "punycode", "unicode_escape", "x" * 5000]
)
def test_what_is_no_charset_unpacks_nothing(label: str) -> None:
    """242 bytes became 300 MB of text, which is the memory of a small machine."""
    packed = bz2.compress(bytes(20 * 2**20)) if "bz2" in label.lower() else zlib.compress(bytes(20 * 2**20))
    tracemalloc.start()
    texts = [
        decoded(packed, f"text/xml; charset={label}"),
        decoded(b"<?xml version='1.0' encoding='" + label.encode() + b"'?>\xff" + packed),
    ]
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert all(len(text) <= len(packed) + 5100 for text in texts)
    assert peak < 4 * 2**20


def test_the_declaration_of_a_document_counts_when_the_bytes_are_not_utf8() -> None:
    text = "<?xml version='1.0' encoding='iso-8859-1'?><title>Stra\xdfe</title>"
    assert decoded(text.encode("latin-1")) == text


def test_a_body_that_ends_within_a_character_is_still_utf8() -> None:
    assert decoded("电网".encode()[:-1]) == "电"


def test_bytes_that_mean_nothing_are_replaced() -> None:
    assert "\ufffd" in decoded(b"a\xff\xff\xff")


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
