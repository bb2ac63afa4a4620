"""What may something be called? What one can type, in any script."""

from __future__ import annotations

import pytest

from shoal.errors import InputError
from shoal.installation.names import checked_name, login_from, made_of


@pytest.mark.parametrize("name", ["power-grid", "电网", "變電站_2", "Überblick.1", "हिन्दी", "2026", "x" * 100])
def test_what_can_be_typed_is_a_name(name: str) -> None:
    assert checked_name(name, "A crawl") == name


@pytest.mark.parametrize(
    ("name", "problem"),
    [
        ("", "at least one letter"),
        ("power grid", "but no ' '"),
        ("a/b", "but no '/'"),
        ("电网，二", "but no '，'"),
        ("..", "begins with a letter"),
        ("-x", "begins with a letter"),
        ("a\x1b[31m", "but no"),
        ("x" * 101, "at most 100"),
        ("电" * 67, "at most 200 bytes, which are 66 Chinese characters"),
    ],
)
def test_what_cannot_be_typed_is_none(name: str, problem: str) -> None:
    with pytest.raises(InputError, match=r"^A crawl cannot be called '.*'?: a name .*\.$") as caught:
        checked_name(name, "A crawl")
    assert problem in str(caught.value)
    assert str(caught.value).isprintable()


def test_two_spellings_of_a_letter_are_one_name() -> None:
    assert checked_name("Überblick", "A crawl") == checked_name("U\u0308berblick", "A crawl")


def test_nobody_looks_like_somebody_else() -> None:
    assert login_from("Ａｌｉｃｅ") == login_from("ALICE") == "alice"
    assert login_from("电网") != login_from("電網")


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("My crawl (2)", "My-crawl-2"),
        ("电网 与 变电站", "电网-与-变电站"),
        (".hidden", "hidden"),
        ("--", ""),
        ("☃", ""),
        ("x" * 200, "x" * 100),
        ("电" * 100, "电" * 66),
    ],
)
def test_a_name_is_made_of_any_text(text: str, name: str) -> None:
    assert made_of(text) == name
    assert not name or checked_name(name, "A crawl") == name
