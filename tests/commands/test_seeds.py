"""`shoal seeds` as a stranger types it: against a stand-in for SearXNG and a small web, over real HTTP."""

from __future__ import annotations

import gzip
import json
import os
import pty
import select
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from shoal import services
from shoal.seeds.selection import Listed
from shoal.testing.searxng_web import SearxngWeb, result
from shoal.testing.webserver import SimpleWeb, WebServer
from shoal.topic.topic_file import read_topic
from tests.shell import Said, Shell, served

pytestmark = pytest.mark.slow
GRID = "https://a.test/grid"
RESULTS = [
    result("https://a.test/grid", "Power grid basics", "How the grid works", ["bing", "brave"]),
    result("https://b.test/电网", "智能电网", "变电站与输电线路", ["baidu"]),
    result("https://www.a.test/grid.pdf", "The grid as PDF"),
    result("https://A.test/grid#again", "A copy"),
    result("https://c.test/", "Unrelated"),
]
URLS = ["https://a.test/grid", "https://b.test/%E7%94%B5%E7%BD%91", "https://www.a.test/grid.pdf", "https://c.test/"]
Shoal = Callable[..., Said]


@pytest.fixture
def shoal(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Shoal:
    """`shoal seeds …`, in an empty folder."""
    monkeypatch.chdir(tmp_path)
    for name in ("SHOAL_SEARXNG", "SHOAL_PROXY"):
        monkeypatch.delenv(name, raising=False)
    return partial(Shell(tmp_path), "seeds")


@pytest.fixture
def engine() -> SearxngWeb:
    return SearxngWeb(RESULTS)


@pytest.fixture
def instance(engine: SearxngWeb) -> Iterator[str]:
    with served(engine) as server:
        yield server.proxy


def topic(text: str = 'keywords = ["grid"]\nseeds = ["https://a.test/grid"]\n') -> Path:
    path = Path("t.toml")
    path.write_text(text, encoding="utf-8")
    return path


def answer(said: Said) -> dict[str, Any]:
    assert said.code == 0, said.err
    decoded: dict[str, Any] = json.loads(said.out)
    return decoded


# --- finding ---------------------------------------------------------------------------------------------------------


def test_the_list_has_number_title_address_snippet_and_words(shoal: Shoal, instance: str) -> None:
    said = shoal("find", "power grid, 电网", "--searxng", instance)
    assert said.code == 0
    assert said.out.splitlines()[:8] == [
        "1  Power grid basics",
        "   https://a.test/grid",
        "   How the grid works",
        "   matches: power grid · found by: bing, brave",
        "2  智能电网",
        "   https://b.test/%E7%94%B5%E7%BD%91",
        "   变电站与输电线路",
        "   matches: 电网 · found by: baidu",
    ]
    assert said.err == "Nothing was kept: choose with --choose 1-5,8 or --all and --topic-file FILE.toml.\n"
    assert list(Path().iterdir()) == []


def test_json_has_everything(shoal: Shoal, instance: str) -> None:
    found = answer(shoal("find", "power grid, 电网", "--searxng", instance, "--json"))
    assert [one["url"] for one in found["suggestions"]] == URLS
    assert set(found) == {"suggestions", "more", "notes", "kept", "topic_file"}
    assert {key for one in found["suggestions"] for key in one} == set(Listed.__struct_fields__)
    assert (found["kept"], found["topic_file"], found["more"]) == ([], None, False)


def test_the_environment_names_the_instance(
    shoal: Shoal, instance: str, engine: SearxngWeb, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SHOAL_SEARXNG", f"{instance}/")
    assert shoal("find", "变电站", "--language", "zh-CN").code == 0
    assert engine.asked[0] == {"q": "变电站", "format": "json", "pageno": "1", "language": "zh-CN"}


def test_an_instance_on_this_computer_is_asked_without_the_proxy(shoal: Shoal, instance: str) -> None:
    assert shoal("find", "grid", "--searxng", instance, "--proxy", "http://127.0.0.1:9", "--json").code == 0


def test_an_instance_elsewhere_is_asked_through_the_proxy(shoal: Shoal, instance: str, engine: SearxngWeb) -> None:
    assert shoal("find", "grid", "--searxng", "http://search.test/", "--proxy", instance, "--json").code == 0
    assert len(engine.asked) == 2


def test_a_new_topic_file_can_be_crawled(shoal: Shoal, instance: str) -> None:
    kept = shoal("find", "power grid, 电网=0.5", "--searxng", instance, "--choose", "1-2,4", "--topic-file", "t.toml")
    assert (kept.code, kept.err) == (0, "3 seeds added to t.toml.\n")
    settings = read_topic(Path("t.toml"), names=services.choices.names())
    assert settings.seeds == (URLS[0], URLS[1], URLS[3])
    assert [(term.text, term.weight) for term in settings.topic.terms] == [("power grid", 1.0), ("电网", 0.5)]


def test_an_existing_topic_file_keeps_its_comments_and_its_seeds(shoal: Shoal, instance: str) -> None:
    path = topic(
        '# mine\nkeywords = { "grid" = 0.7 } # heavy\nseeds = [\n  "https://a.test/grid", # home\n]\nmax_pages = 5\n'
    )
    kept = shoal("find", "grid", "--searxng", instance, "--all", "--topic-file", "t.toml")
    assert (kept.code, kept.err) == (0, "3 seeds added to t.toml, 1 was there already.\n")
    assert "a seed already" in kept.out
    text = path.read_text(encoding="utf-8")
    assert all(comment in text for comment in ("# mine", "# heavy", "# home", "max_pages = 5"))
    assert text.count('https://a.test/grid"') == 1
    assert shoal("find", "grid", "--searxng", instance, "--all", "--topic-file", "t.toml").err == (
        "0 seeds added to t.toml, 4 were there already.\n"
    )


def test_all_but_some(shoal: Shoal, instance: str) -> None:
    kept = answer(shoal("find", "grid", "--searxng", instance, "--choose", "-3", "--topic-file", "t.toml", "--json"))
    assert kept["kept"] == [URLS[0], URLS[1], URLS[3]]
    assert kept["topic_file"] == "t.toml"


def test_none_keeps_nothing_and_makes_no_file(shoal: Shoal, instance: str) -> None:
    assert shoal("find", "grid", "--searxng", instance, "--choose", "none", "--topic-file", "t.toml").code == 0
    assert not Path("t.toml").exists()


@pytest.mark.parametrize(
    ("filters", "left"),
    [
        (("--host", "a.test"), [0, 2]),
        (("--host", "b.test", "--host", "https://C.test/x"), [1, 3]),
        (("--exclude", "*.pdf"), [0, 1, 3]),
        (("--include", "*grid*", "--exclude", "*.pdf"), [0]),
        (("--include", "*电网*"), [1]),
        (("--limit", "2"), [0, 1]),
    ],
)
def test_filters(shoal: Shoal, instance: str, filters: tuple[str, ...], left: list[int]) -> None:
    found = answer(shoal("find", "grid", "--searxng", instance, "--delay", "0", "--json", *filters))
    assert [one["url"] for one in found["suggestions"]] == [URLS[place] for place in left]
    assert found["more"] == ("--limit" in filters)


def test_more_than_the_limit_is_said(shoal: Shoal, instance: str) -> None:
    said = shoal("find", "grid", "--searxng", instance, "--limit", "1")
    assert said.err.startswith("There are more than these 1; --limit N shows more of them.\n")


def test_silent_engines_are_said(shoal: Shoal) -> None:
    with served(SearxngWeb(RESULTS, silent=[("google", "CAPTCHA")])) as server:
        said = shoal("find", "grid", "--searxng", server.proxy)
    assert "Search engines that did not answer: google (CAPTCHA).\n" in said.err


def test_nothing_found_is_a_sentence_and_exit_code_1(shoal: Shoal) -> None:
    with served(SearxngWeb()) as server:
        said = shoal("find", "电网", "--searxng", server.proxy, "--all", "--topic-file", "t.toml")
        as_json = shoal("find", "电网", "--searxng", server.proxy, "--json")
        assert shoal("find", "grid", "--searxng", server.proxy, "--host", "x.test").sentence() == (
            "Nothing was found that --host, --include and --exclude let through."
        )
    assert (said.code, said.sentence()) == (1, "Nothing was found for '电网'; try other words.")
    assert (as_json.code, json.loads(as_json.out)["suggestions"]) == (1, [])
    assert not Path("t.toml").exists()


def test_titles_cannot_steer_the_terminal(shoal: Shoal) -> None:
    with served(SearxngWeb([result("http://a.test/", "\x1b[31mred\u202e", "a\x07b")])) as server:
        assert "\x1b" not in (out := shoal("find", "grid", "--searxng", server.proxy).out)
    assert "\u202e" not in out
    assert "\x07" not in out


# --- mistakes --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("engine", "complaint"),
    [
        (SearxngWeb(RESULTS, formats=["html"]), "'search: formats: [html, json]' in its settings.yml"),
        (SearxngWeb(RESULTS, questions=0), "wants no more questions"),
    ],
)
def test_an_instance_that_refuses_is_one_sentence(shoal: Shoal, instance: str, complaint: str) -> None:
    said = shoal("find", "grid", "--searxng", instance)
    assert (said.code, complaint in said.sentence()) == (2, True)


def test_a_number_that_is_not_there_keeps_nothing(shoal: Shoal, instance: str) -> None:
    said = shoal("find", "grid", "--searxng", instance, "--choose", "1,9", "--topic-file", "t.toml")
    assert said.code == 2
    assert said.err == "shoal: There is no number 9; the list goes from 1 to 4.\n"
    assert not Path("t.toml").exists()


def test_a_topic_file_that_cannot_be_used_is_told_before_anybody_is_asked(
    shoal: Shoal, instance: str, engine: SearxngWeb
) -> None:
    topic("keywords = [")
    said = shoal("find", "grid", "--searxng", instance, "--topic-file", "t.toml")
    assert said.sentence().startswith("t.toml is not TOML")
    assert engine.asked == []


# --- reading ---------------------------------------------------------------------------------------------------------


def site() -> SimpleWeb:
    entries = "".join(
        f"<url><loc>http://a.test/{path}</loc></url>" for path in ("power-grid/1", "cats", "%E7%94%B5%E7%BD%91")
    )
    sitemap = f"<urlset>{entries}</urlset>".encode()
    feed = "<rss><channel><item><title>电网新闻</title><link>http://a.test/n</link></item></channel></rss>"
    return (
        SimpleWeb()
        .robots("a.test", "User-agent: *\nDisallow:\nSitemap: http://a.test/map.xml.gz")
        .raw("http://a.test/map.xml.gz", gzip.compress(sitemap), content_type="application/x-gzip")
        .raw("http://a.test/feed", feed.encode("gbk"), content_type="application/rss+xml; charset=gb2312")
    )


@pytest.fixture
def web() -> Iterator[WebServer]:
    with served(site()) as server:
        yield server


def test_a_site_is_read_by_its_sitemaps(shoal: Shoal, web: WebServer) -> None:
    found = answer(shoal("read", "http://a.test/", "--proxy", web.proxy, "--delay", "0", "--json"))
    assert [one["url"] for one in found["suggestions"]] == [
        "http://a.test/power-grid/1",
        "http://a.test/cats",
        "http://a.test/%E7%94%B5%E7%BD%91",
    ]
    assert {one["source"] for one in found["suggestions"]} == {"http://a.test/map.xml.gz"}
    assert [access.path for access in web.log] == ["/robots.txt", "/map.xml.gz"]


def test_words_pick_out_pages_and_become_the_topic(shoal: Shoal, web: WebServer) -> None:
    kept = shoal(
        *("read", "http://a.test/", "--match", "power grid, 電網", "--proxy", web.proxy, "--delay", "0"),
        *("--all", "--topic-file", "t.toml"),
    )
    assert (kept.code, kept.err) == (0, "2 seeds added to t.toml.\n")
    text = Path("t.toml").read_text(encoding="utf-8")
    assert "power grid" in text
    assert "http://a.test/cats" not in text


def test_a_feed_in_gbk(shoal: Shoal, web: WebServer) -> None:
    said = shoal("read", "http://a.test/feed", "--proxy", web.proxy)
    assert said.out == "1  电网新闻\n   http://a.test/n\n"


def test_a_file(shoal: Shoal) -> None:
    Path("list.txt").write_text("https://a.test/1\nhttps://a.test/电网\n", encoding="gbk")
    found = answer(shoal("read", "list.txt", "--json"))
    assert [one["url"] for one in found["suggestions"]] == ["https://a.test/1", "https://a.test/%E7%94%B5%E7%BD%91"]


def test_loopback_needs_to_be_allowed(shoal: Shoal, web: WebServer) -> None:
    with served(SimpleWeb().raw("http://127.0.0.1/l", b"http://a.test/", content_type="text/plain")) as server:
        allowed = shoal("read", f"{server.proxy}/l", "--allow-private", "127.0.0.0/8", "--json")
    assert answer(allowed)["suggestions"][0]["url"] == "http://a.test/"


def test_no_match_is_a_sentence_and_exit_code_1(shoal: Shoal, web: WebServer) -> None:
    said = shoal("read", "http://a.test/", "--match", "dogs", "--proxy", web.proxy, "--delay", "0")
    assert (said.code, said.sentence()) == (1, "Nothing was found for 'dogs'; try other words.")


def test_what_is_no_list_is_one_sentence(shoal: Shoal) -> None:
    with served(SimpleWeb().page("http://b.test/", "words")) as server:
        said = shoal("read", "http://b.test/", "--proxy", server.proxy, "--delay", "0")
    assert (said.code, "b.test/ has no sitemap" in said.sentence()) == (2, True)


# --- in a terminal ---------------------------------------------------------------------------------------------------


class Terminal:
    """A command in a terminal of its own, and somebody who types."""

    def __init__(self, home: Path, *arguments: str) -> None:
        self._mine, theirs = pty.openpty()
        self._process = subprocess.Popen(
            [sys.executable, "-m", "shoal", "seeds", *arguments],
            cwd=home,
            env={**os.environ, "TERM": "dumb", "COLUMNS": "200"},
            stdin=theirs,
            stdout=theirs,
            stderr=theirs,
            start_new_session=True,
        )
        os.close(theirs)
        self.shown = ""

    def wait_for(self, words: str, seconds: float = 30.0) -> None:
        """Read until these words stand there."""
        until = time.monotonic() + seconds
        start = len(self.shown)
        while words not in self.shown[start:]:
            assert time.monotonic() < until, self.shown
            if select.select([self._mine], [], [], 0.5)[0]:
                try:
                    self.shown += os.read(self._mine, 65536).decode("utf-8", "replace")
                except OSError:  # the command is over
                    assert words in self.shown[start:], self.shown

    def type(self, line: str) -> None:
        os.write(self._mine, f"{line}\n".encode())

    def end(self) -> int:
        code = self._process.wait(30)
        os.close(self._mine)
        return code


def test_in_a_terminal_it_asks_and_asks_again_after_a_mistake(tmp_path: Path, instance: str) -> None:
    terminal = Terminal(tmp_path, "find", "智能电网", "--searxng", instance, "--topic-file", "电网.toml")
    terminal.wait_for("Which to keep?")
    terminal.type("1-9")
    terminal.wait_for("There is no number 9; the list goes from 1 to 4")
    terminal.type("first")
    terminal.wait_for("'first' is not a choice")
    terminal.type("1,2")
    terminal.wait_for("2 seeds added to 电网.toml.")
    assert terminal.end() == 0
    assert "智能电网" in (tmp_path / "电网.toml").read_text(encoding="utf-8")


def test_in_a_terminal_it_asks_for_the_file_too(tmp_path: Path, instance: str) -> None:
    terminal = Terminal(tmp_path, "find", "grid", "--searxng", instance)
    terminal.wait_for("Which to keep?")
    terminal.type("-2")
    terminal.wait_for("Into which topic file?")
    terminal.type("missing/t.toml")
    terminal.wait_for("there is no folder missing")
    terminal.type("t.toml")
    terminal.wait_for("3 seeds added to t.toml.")
    assert terminal.end() == 0


def test_end_of_input_keeps_nothing(tmp_path: Path, instance: str) -> None:
    terminal = Terminal(tmp_path, "find", "grid", "--searxng", instance, "--topic-file", "t.toml")
    terminal.wait_for("Which to keep?")
    os.write(terminal._mine, b"\x04")
    assert terminal.end() == 130
    assert list(tmp_path.iterdir()) == []


def test_none_in_a_terminal_keeps_nothing(tmp_path: Path, instance: str) -> None:
    terminal = Terminal(tmp_path, "find", "grid", "--searxng", instance)
    terminal.wait_for("Which to keep?")
    terminal.type("none")
    assert terminal.end() == 0
    assert list(tmp_path.iterdir()) == []


# --- help ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("command", [(), ("find",), ("read",)])
def test_every_command_explains_itself(shoal: Shoal, command: tuple[str, ...]) -> None:
    said = shoal(*command, "--help")
    assert (said.code, said.err) == (0, "")
    assert max(map(len, said.out.splitlines())) <= 80
