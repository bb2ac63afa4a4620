"""What does the user want of `shoal seeds`? What cannot be meant is said in one sentence, before anybody is asked."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest

from tests.shell import Said, Shell

Shoal = Callable[..., Said]


@pytest.fixture
def shoal(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Shoal:
    """`shoal seeds …`, in an empty folder."""
    monkeypatch.chdir(tmp_path)
    for name in ("SHOAL_SEARXNG", "SHOAL_PROXY"):
        monkeypatch.delenv(name, raising=False)
    return partial(Shell(tmp_path), "seeds")


X = ("--searxng", "http://127.0.0.1:9")
T = ("--topic-file", "t.toml")
MISTAKES: dict[str, tuple[tuple[str, ...], str]] = {
    "no instance": (("find", "grid"), "Say which SearXNG instance to ask: --searxng http://127.0.0.1:8080"),
    "instance is no URL": (("find", "grid", "--searxng", "localhost:8080"), "did you mean http://localhost:8080?"),
    "nobody there": (
        ("find", "grid", *X),
        "The SearXNG instance http://127.0.0.1:9 cannot be asked: there is no connection",
    ),
    "no words": (("find", " , ", *X), "WORDS must name at least one word"),
    "only punctuation": (("find", "!!", *X), "WORDS must have words in them"),
    "bad weight": (("find", "电网=x", *X), "'电网' has 'x'"),
    "language": (("find", "grid", *X, "--language", "Chinese"), "--language must be a code such as zh"),
    "choice": (("find", "grid", *X, *T, "--choose", "x"), "'x' is not a choice; 1-5,8 keeps these"),
    "choice backwards": (("find", "grid", *X, *T, "--choose", "5-1"), "did you mean 1-5?"),
    "choice and all": (("find", "grid", *X, *T, "--choose", "1", "--all"), "either --choose or --all"),
    "no file to keep in": (("find", "grid", *X, "--all"), "Say where to keep what you choose: --topic-file FILE.toml"),
    "no such folder": (("find", "grid", *X, "--topic-file", "no/t.toml"), "there is no folder no"),
    "file is a folder": (("find", "grid", *X, "--topic-file", "."), "is a folder; give the path of a topic file"),
    "limit": (("find", "grid", *X, "--limit", "0"), "'--limit': 0 is not in the range"),
    "host": (("find", "grid", *X, "--host", "a b"), "--host must be a host name such as example.org, not 'a b'"),
    "proxy": (("find", "grid", *X, "--proxy", "nonsense"), "--proxy must be a URL"),
    "range": (("read", "http://a.test/", "--allow-private", "home"), "--allow-private must be address ranges"),
    "no such file": (
        ("read", "list.xml"),
        "'list.xml' is neither a URL nor a file that is there; did you mean https://list.xml?",
    ),
    "no scheme": (("read", "example.org/feed"), "did you mean https://example.org/feed?"),
    "folder": (("read", "."), "'.' is a folder; give a file, or a URL"),
    "bad URL": (("read", "http://"), "'http://' is not a URL that can be asked for"),
    "zero byte": (("read", "a\0b"), "cannot be read"),
    "private address": (("read", "http://127.0.0.1:9/x"), "the address 127.0.0.1 is not public"),
    "new file without words": (("read", "http://a.test/", *T), "t.toml is not there yet; say with --match which words"),
}


@pytest.mark.parametrize(("arguments", "complaint"), MISTAKES.values(), ids=MISTAKES)
def test_a_mistake_is_one_sentence_and_leaves_nothing(shoal: Shoal, arguments: tuple[str, ...], complaint: str) -> None:
    said = shoal(*arguments)
    assert complaint in said.sentence()
    assert (said.code, list(Path().iterdir())) == (2, [])
