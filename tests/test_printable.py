"""What may be told of what a stranger said? Words, and nothing that steers a terminal."""

from __future__ import annotations

import json
import logging
import shlex
import subprocess
import sys

import pytest

from shoal.printable import Formatter, escaped, harmless, padded, typed, width_of
from tests.evil_words import EVIL, dangerous


def test_what_is_harmless_stays() -> None:
    text = "电网\u3000调度 café 📈\nnext\xa0line"
    assert harmless(text) == text
    assert not dangerous(harmless(EVIL))


def test_a_terminal_has_twice_the_room_for_a_chinese_character_and_none_for_an_accent() -> None:
    texts = ("grid", "电网", "ｇｒ", "cafe\u0301")
    assert list(map(width_of, texts)) == [4, 4, 4, 4]
    assert [padded("电网", 6), padded("电网", 6, left=False), padded("电网", 2)] == ["电网  ", "  电网", "电网"]


def test_json_says_the_same() -> None:
    said = json.dumps({"title": EVIL + "电网\U000e0001"}, ensure_ascii=False)
    assert json.loads(escaped(said)) == json.loads(said)
    assert not dangerous(escaped(said))


def test_logs_and_their_tracebacks_are_clean() -> None:
    try:
        raise ValueError(EVIL)
    except ValueError:
        record = logging.LogRecord("x", logging.ERROR, "x", 1, "it says %s", (EVIL,), sys.exc_info())
    assert not dangerous(Formatter("%(message)s").format(record))


@pytest.mark.parametrize(
    "path", ["/a/b-c_1.x", "电网/一", "a b", "全\u3000角", "it's", '"$x"', "`a`", "a\\b", "*", "a!b c"]
)
def test_a_path_means_the_same_to_a_shell(path: str) -> None:
    ran = subprocess.run(["sh", "-c", f"printf '%s|' --dir {typed(path)} --json"], capture_output=True, check=True)
    assert ran.stdout.decode() == f"--dir|{path}|--json|"
    assert shlex.split(typed(path)) == [path]
