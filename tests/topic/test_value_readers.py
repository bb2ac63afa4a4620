"""Values that can be used come out in their final type; others end in a sentence."""

from __future__ import annotations

import pytest

from shoal.topic import value_readers


@pytest.mark.parametrize(
    ("given", "seconds"),
    [
        (90, 90),
        (1.5, 1.5),
        ("90", 90),
        ("90s", 90),
        ("10m", 600),
        ("2h", 7200),
        ("1d", 86400),
        ("1h30m", 5400),
        ("1 H", 3600),
    ],
)
def test_durations(given: object, seconds: float) -> None:
    assert value_readers.duration(given) == seconds


@pytest.mark.parametrize(
    "given", [0, -1, "0s", "soon", "", "10x", "m", "1h x", "1.2.3", True, None, [], float("inf"), 10**400]
)
def test_what_is_no_duration(given: object) -> None:
    with pytest.raises(ValueError, match="must be seconds or a duration such as"):
        value_readers.duration(given)


@pytest.mark.parametrize(
    ("given", "sentence"),
    [
        ("example.org/x", "must be whole URLs, but 'example.org/x' has no scheme; did you mean https://example.org/x?"),
        (
            "localhost:8080",
            "must be whole URLs, but 'localhost:8080' has no scheme; did you mean https://localhost:8080?",
        ),
        (["http://ok.example/", "power grid"], "must be http or https URLs, but 'power grid' is none"),
        ("mailto:a@b.example", "must be http or https URLs, but 'mailto:a@b.example' is none"),
        ("ftp://b.example/", "must be http or https URLs, but 'ftp://b.example/' is none"),
        ("", "must be one line of text, not ''"),
        ([5], "must be one line of text, not 5"),
    ],
)
def test_what_is_no_seed(given: object, sentence: str) -> None:
    with pytest.raises(ValueError, match="must") as caught:
        value_readers.seeds(given)
    assert str(caught.value) == sentence


def test_seeds_come_out_in_normal_form_and_once() -> None:
    assert value_readers.seeds(["HTTP://X.example", "http://x.example/#top", "http://y.example/电"]) == (
        "http://x.example/",
        "http://y.example/%E7%94%B5",
    )


def test_a_long_value_does_not_fill_the_screen() -> None:
    with pytest.raises(ValueError, match="must") as caught:
        value_readers.seeds("x" * 100_000)
    assert len(str(caught.value)) < 200


@pytest.mark.parametrize(
    ("given", "numbers"),
    [
        ({"width": 10, "share": 0.5}, (("width", 10.0), ("share", 0.5))),
        ("width=10, share=0.5", (("width", 10.0), ("share", 0.5))),
        (("width=10", "share = -1"), (("width", 10.0), ("share", -1.0))),
        ({}, ()),
    ],
)
def test_named_numbers(given: object, numbers: tuple[tuple[str, float], ...]) -> None:
    assert value_readers.named_numbers(given) == numbers


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ("width", "'width' has none"),
        ("width=", "'width' has ''"),
        ("width=wide", "'width' has 'wide'"),
        ({"width": True}, "'width' has True"),
        ({"width": float("nan")}, "'width' has nan"),
        ({"width": {"x": 1}}, "'width' has {'x': 1}"),
    ],
)
def test_what_are_no_named_numbers(given: object, said: str) -> None:
    with pytest.raises(ValueError, match="must be names with numbers, such as width=10, but ") as caught:
        value_readers.named_numbers(given)
    assert str(caught.value).endswith(said)


@pytest.mark.parametrize(
    ("given", "count"),
    [
        (500_000, 500_000),
        ("500000", 500_000),
        ("500k", 500_000),
        ("500 kB", 500_000),
        ("20MB", 20_000_000),
        ("20m", 20_000_000),
        ("1.5GiB", 1_610_612_736),
        ("2Ki", 2048),
        (" 7 B ", 7),
        ("1TB", 10**12),
    ],
)
def test_sizes(given: object, count: int) -> None:
    assert value_readers.byte_count(1)(given) == count


@pytest.mark.parametrize(
    "given", ["", "MB", "20 pages", "1.5", "-1k", "1e9", "٣MB", "1,000", 1.5, True, None, [], "1" * 31]
)
def test_what_is_no_size(given: object) -> None:
    with pytest.raises(ValueError, match=r"^must be a number of bytes, such as 500000, '500k' or '20MB', not "):
        value_readers.byte_count(1)(given)


@pytest.mark.parametrize("given", [0, "0", "9999999999TB", 2**63, 10**400])
def test_sizes_that_cannot_be(given: object) -> None:
    with pytest.raises(ValueError, match=r"^must be from 1 to 9223372036854775807 bytes, not "):
        value_readers.byte_count(1)(given)
