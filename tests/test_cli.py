"""The command line as a stranger with bad luck meets it: one clear sentence, the right exit code, nothing lost."""

from __future__ import annotations

import asyncio
import csv
import io
import json
import os
import re
import signal
import sqlite3
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Any

import pytest

from shoal.cli import main
from shoal.services import crawls as app
from shoal.store.crawl_folder import lock
from shoal.testing.webserver import Answer, SimpleWeb, WebServer
from shoal.topic.topic_file import topic_from_words
from tests.test_docs import COMMANDS

HOME = "http://a.test/"
TOPIC = "power grid, 电网, 变电站=0.8"
FILE = 'keywords = ["power grid"]\nseeds = ["http://a.test/"]\n'
EXPORTED = {
    "url",
    "final_url",
    "status",
    "fetch_order",
    "fetched_at",
    "depth",
    "parent",
    "title",
    "language",
    "score",
} | {
    "relevant",
    "priority",
    "content_hash",
}


@dataclass(frozen=True)
class Said:
    """What a command answered."""

    code: int
    out: str
    err: str

    def sentence(self) -> str:
        """The one line on standard error, if there is nothing else."""
        assert self.out == ""
        assert self.err.startswith("shoal: ")
        assert self.err.count("\n") == 1, self.err
        assert self.err.rstrip().endswith((".", "?")), self.err
        return self.err.removeprefix("shoal: ").rstrip()


Shoal = Callable[..., Said]


@pytest.fixture
def shoal(capfdbinary: pytest.CaptureFixture[bytes], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Shoal:
    """The command without the cost of a new process, in an empty folder."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("SHOAL_STATE_DIR", str(tmp_path / "state"))

    def run(*arguments: str) -> Said:
        with pytest.raises(SystemExit) as end:
            main(arguments)
        out, err = capfdbinary.readouterr()
        assert isinstance(end.value.code, int)
        return Said(end.value.code, out.decode(), err.decode())

    return run


def as_process(
    *arguments: str, home: Path, stdout: int = subprocess.PIPE, environ: Mapping[str, str] | None = None
) -> subprocess.CompletedProcess[bytes]:
    """The command as a shell runs it."""
    return subprocess.run(
        [sys.executable, "-m", "shoal", *arguments],
        cwd=home,
        env={**os.environ, "SHOAL_STATE_DIR": str(home / "state"), **(environ or {})},
        stdin=subprocess.DEVNULL,
        stdout=stdout,
        stderr=subprocess.PIPE,
        timeout=60,
        check=False,
    )


async def crawl_with(server: WebServer, *arguments: str, home: Path) -> Said:
    """A crawl of a test web, as a process, while the web is served by this one."""
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "shoal", *arguments, "--proxy", server.proxy),
        cwd=home,
        env=os.environ | {"SHOAL_STATE_DIR": str(home / "state")},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    out, err = await process.communicate()
    assert process.returncode is not None
    return Said(process.returncode, out.decode(), err.decode())


def left_behind(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir() if path.name != "state")


# --- a topic that cannot be used -------------------------------------------------------------------------------------

BAD_FILES: dict[str, tuple[bytes, str]] = {
    "not UTF-8": ('keywords = ["电网"]'.encode("gbk"), "not UTF-8"),
    "not TOML": (b"keywords = [", "not TOML"),
    "nothing in it": (b"", "keywords must name at least one word"),
    "unknown key": (FILE.encode() + b"max_page = 5", 'no key "max_page"; did you mean max_pages?'),
    "no seeds": (b'keywords = ["grid"]', "seeds must name at least one URL"),
    "seed not a URL": (b'keywords = ["grid"]\nseeds = ["ftp://x/"]', "http or https URLs, but 'ftp://x/' is none"),
    "seed without scheme": (b'keywords = ["grid"]\nseeds = ["x.org"]', "did you mean https://x.org?"),
    "weights not numbers": (b'keywords = {grid = "much"}\nseeds = ["http://a.test/"]', "'grid' has 'much'"),
    "unknown strategy": (FILE.encode() + b'strategy = "best-frist"', "did you mean best-first?"),
    "unknown judge": (FILE.encode() + b'judge = "cosin"', "did you mean cosine?"),
    "unknown scope": (FILE.encode() + b'scope = "domian"', "did you mean domain?"),
    "no pages wanted": (FILE.encode() + b"max_pages = 0", "max_pages must be a whole number of at least 1, not 0"),
}


@pytest.mark.parametrize(("content", "complaint"), BAD_FILES.values(), ids=BAD_FILES)
def test_a_bad_topic_file_is_one_sentence_and_leaves_no_folder(
    shoal: Shoal, tmp_path: Path, content: bytes, complaint: str
) -> None:
    (tmp_path / "topic.toml").write_bytes(content)
    said = shoal("crawl", "topic.toml", "--dir", "crawl")
    assert complaint in said.sentence()
    assert said.sentence().startswith("topic.toml")
    assert (said.code, left_behind(tmp_path)) == (2, ["topic.toml"])


WORDS = ("--topic", "grid", "--seed", HOME, "--dir", "crawl")
BAD_ARGUMENTS: dict[str, tuple[tuple[str, ...], str]] = {
    "file missing": (("crawl", "none.toml"), "none.toml: there is no such topic file"),
    "file is a folder": (("crawl", "."), "is a folder; give the path of a topic file"),
    "file and words": (("crawl", "x.toml", "--topic", "grid"), "either a topic file or --topic"),
    "neither": (("crawl",), "either a topic file or --topic"),
    "words without seed": (("crawl", "--topic", "grid"), "--seed must name at least one URL"),
    "empty words": (("crawl", "--topic", " ", "--seed", HOME), "--topic must name at least one word"),
    "only punctuation": (("crawl", "--topic", "!!", "--seed", HOME), "must have words in them"),
    "bad weight": (("crawl", "--topic", "电网=x", "--seed", HOME), "'电网' has 'x'"),
    "seed is no URL": (("crawl", "--topic", "grid", "--seed", "a b"), "--seed must be http or https URLs"),
    "seed is empty": (("crawl", "--topic", "grid", "--seed", ""), "--seed must be"),
    "pages 0": (("crawl", *WORDS, "--max-pages", "0"), "--max-pages must be a whole number of at least 1, not 0"),
    "pages -1": (("crawl", *WORDS, "--max-pages", "-1"), "--max-pages must be a whole number of at least 1, not -1"),
    "pages abc": (("crawl", *WORDS, "--max-pages", "abc"), "'--max-pages': 'abc' is not a valid integer"),
    "huge": (("crawl", *WORDS, "--max-bytes", "9" * 30), "--max-bytes must be a whole number"),
    "time nonsense": (("crawl", *WORDS, "--max-time", "soon"), "--max-time must be seconds or a duration"),
    "time negative": (("crawl", *WORDS, "--max-time", "-5"), "--max-time must be seconds or a duration"),
    "delay negative": (("crawl", *WORDS, "--delay", "-1"), "--delay must be a number that is not negative"),
    "delay nan": (("crawl", *WORDS, "--delay", "nan"), "--delay must be a number"),
    "range nonsense": (("crawl", *WORDS, "--allow-private", "home"), "--allow-private must be address ranges"),
    "proxy nonsense": (("crawl", *WORDS, "--proxy", "nonsense"), "--proxy must be a URL"),
    "proxy not http": (("crawl", *WORDS, "--proxy", "socks5://127.0.0.1:1"), "--proxy must be a URL"),
    "agent nonsense": (("crawl", *WORDS, "--user-agent", "爬虫"), "--user-agent must be one line of plain ASCII"),
    "strategy": (("crawl", *WORDS, "--strategy", "bredth"), "did you mean breadth?"),
    "judge": (("crawl", *WORDS, "--judge", "zone"), "did you mean zones?"),
    "scope": (("crawl", *WORDS, "--scope", "hosts"), "did you mean host?"),
    "unknown option": (("crawl", *WORDS, "--max-page", "5"), "--max-pages"),
    "unknown command": (("crwal",), "No such command 'crwal'"),
    "no folder given": (("status",), "Missing option '--dir'"),
    "long name": (("status", "--dir", "a" * 300), "is too long for a file or a folder"),
    "no time": (("compare", "generated", "--latency", "inf"), "'inf' is not a number of seconds"),
    "unknown number": (
        ("crawl", "--topic", "x", "--seed", "http://a.test/", "--strategy", "fish", "--set", "wdth=3"),
        '--set: strategy fish has no "wdth"; did you mean width?',
    ),
    "unknown format": (("export", "--dir", "x", "--format", "xml"), "'xml' is not one of 'jsonl'"),
}


@pytest.mark.parametrize(("arguments", "complaint"), BAD_ARGUMENTS.values(), ids=BAD_ARGUMENTS)
def test_bad_arguments_are_one_sentence_and_leave_nothing(
    shoal: Shoal, tmp_path: Path, arguments: tuple[str, ...], complaint: str
) -> None:
    said = shoal(*arguments)
    assert complaint in said.sentence()
    assert (said.code, left_behind(tmp_path)) == (2, [])


@pytest.mark.slow
def test_a_process_ends_with_the_exit_code_and_without_a_traceback(tmp_path: Path) -> None:
    ended = as_process("crawl", "none.toml", home=tmp_path)
    assert (ended.returncode, ended.stdout) == (2, b"")
    assert ended.stderr == b"shoal: none.toml: there is no such topic file.\n"


def test_no_command_shows_what_there_is(shoal: Shoal) -> None:
    said = shoal()
    assert said.code == 2
    assert all(name in said.err for name in ("crawl", "resume", "status", "explain", "export"))


# --- a folder that cannot be used ------------------------------------------------------------------------------------


def make_crawl(folder: Path) -> None:
    app.start_crawl(folder, topic_from_words("grid", [HOME], names=app.names()))


@pytest.mark.parametrize("command", [("resume",), ("status",), ("export",), ("explain", HOME)], ids=lambda c: c[0])
def test_a_folder_without_a_crawl_says_how_to_start_one(shoal: Shoal, tmp_path: Path, command: tuple[str, ...]) -> None:
    for folder in ("missing", "."):
        said = shoal(*command, "--dir", folder)
        assert re.match(r"There is no crawl in .*: start one with 'shoal crawl", said.sentence())
        assert said.code == 2
    assert left_behind(tmp_path) == []


@pytest.mark.parametrize("command", [("resume",), ("status",), ("export",), ("explain", HOME)], ids=lambda c: c[0])
@pytest.mark.parametrize(
    ("damage", "complaint"),
    [
        ("UPDATE meta SET value = '99' WHERE key = 'version'", "another version of shoal (format 99"),
        ("DELETE FROM meta WHERE key = 'version'", "another version of shoal (format 0"),
        ("DROP TABLE meta", "is damaged or not one of shoal's"),
        (None, "damaged or not one of shoal's"),
    ],
    ids=["newer", "no version", "not ours", "garbage"],
)
def test_a_folder_that_cannot_be_read_is_left_as_it_is(
    shoal: Shoal, tmp_path: Path, command: tuple[str, ...], damage: str | None, complaint: str
) -> None:
    make_crawl(tmp_path / "c")
    database = tmp_path / "c" / "crawl.sqlite"
    if damage is None:
        database.write_bytes(b"not a database, " * 1000)
    else:
        with closing(sqlite3.connect(database)) as connection, connection:
            connection.execute(damage)
    before = database.read_bytes()
    said = shoal(*command, "--dir", "c")
    assert complaint in said.sentence()
    assert (said.code, database.read_bytes() == before) == (2, True)


def test_a_crawl_is_not_started_over_another(shoal: Shoal, tmp_path: Path) -> None:
    make_crawl(tmp_path / "crawl")
    said = shoal("crawl", *WORDS)
    assert "There is a crawl in crawl already: go on with 'shoal resume --dir crawl'" in said.sentence()
    assert said.code == 2


def test_two_crawls_never_write_to_one_folder(shoal: Shoal, tmp_path: Path) -> None:
    make_crawl(tmp_path / "crawl")
    with lock(tmp_path / "crawl"):
        said = shoal("resume", "--dir", "crawl")
        assert re.search(rf"Another crawl \(process {os.getpid()}\) is running in crawl", said.sentence())
        assert said.code == 2
        assert "running" in shoal("status", "--dir", "crawl").out.splitlines()[0]


@pytest.mark.parametrize("where", ["file/below", "/proc/shoal", "/dev/null/x"])
def test_a_folder_that_cannot_be_made_is_one_sentence(shoal: Shoal, tmp_path: Path, where: str) -> None:
    (tmp_path / "file").write_text("here already")
    said = shoal("crawl", "--topic", "grid", "--seed", HOME, "--dir", where)
    assert f"The folder {where} cannot be used:" in said.sentence()
    assert (said.code, left_behind(tmp_path)) == (2, ["file"])


def test_seeds_that_cannot_be_reached_leave_nothing_in_the_way_of_a_second_try(shoal: Shoal, tmp_path: Path) -> None:
    (tmp_path / "c").mkdir()
    for _ in range(2):
        said = shoal("crawl", "--topic", "grid", "--seed", "http://127.0.0.1:9/", "--dir", "c", "--quiet")
        assert said.sentence().startswith("Not one seed could be fetched: http://127.0.0.1:9/ (")
        assert (said.code, left_behind(tmp_path / "c")) == (1, [])


# --- a crawl that went well ------------------------------------------------------------------------------------------

FOLDER = "爬 行 crawl"


def small_web() -> SimpleWeb:
    links = [
        "/power-grid",
        "/电网",
        "/power-grid/private",
        "/power-grid/moved",
        "/power-grid/gone",
        "/power-grid/image",
    ]
    web = SimpleWeb().robots("a.test", "User-agent: *\nDisallow: /power-grid/private")
    web.page(HOME, "The power grid and its news.", links=[*links, "http://elsewhere.test/", *"abcdef"], title="Home")
    web.page(f"{HOME}power-grid", "A power grid has substations. " * 5, title="\x1b[31mGrid\x1b[0m \u202egnp")
    web.page(f"{HOME}%E7%94%B5%E7%BD%91", "电网调度与变电站的运行情况。" * 5, title="智能电网")
    web.redirect(f"{HOME}power-grid/moved", "/power-grid/new").page(f"{HOME}power-grid/new", "The power grid moved.")
    web.raw(f"{HOME}power-grid/image", b"GIF89a", content_type="image/gif")
    for dull in "abcdef":
        web.page(HOME + dull, f"Nothing about that, but {dull * 20}.", title=dull)
    return web


@pytest.fixture(scope="module")
def finished(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Said]:
    """The folder in which the crawl's folder is, and what the crawl said."""
    home = tmp_path_factory.mktemp("finished")

    async def crawl() -> Said:
        async with WebServer(small_web()) as server:
            budget = ("--max-pages", "6", "--scope", "host", "--delay", "0", "--concurrency", "1")
            arguments = ("--topic", TOPIC, "--seed", HOME, "--dir", FOLDER, *budget)
            return await crawl_with(server, "crawl", *arguments, home=home)

    return home, asyncio.run(crawl())


@pytest.fixture
def crawled(finished: tuple[Path, Said], shoal: Shoal, monkeypatch: pytest.MonkeyPatch) -> Shoal:
    """Ask about the finished crawl; `--dir` need not be typed."""
    monkeypatch.chdir(finished[0])
    return lambda *arguments: shoal(*arguments, "--dir", FOLDER)


def test_a_crawl_says_why_it_is_over_and_what_to_type_next(finished: tuple[Path, Said]) -> None:
    _, said = finished
    assert said.code == 0
    assert said.err == ""
    first, *_ = said.out.splitlines()
    assert first == "The crawl is over: the page budget is reached."
    assert "6 pages" in said.out
    assert "harvest rate" in said.out
    assert f"shoal resume --dir '{FOLDER}' --max-pages N" in said.out


def test_status_lists_every_queue(crawled: Shoal) -> None:
    said = crawled("status")
    assert (said.code, said.err) == (0, "")
    assert said.out.startswith(f"{FOLDER}  not running\n6 pages")
    for line in (r"waiting +\d", r"fetching +0", r"done +6", r"moved +1", r"failed +1  status 1", r"skipped +2  "):
        assert re.search(rf"^  {line}", said.out, re.MULTILINE), said.out
    assert all(line == line.rstrip() for line in said.out.splitlines())


def test_status_as_json(crawled: Shoal) -> None:
    found = json.loads(crawled("status", "--json").out)
    queues = {name: found[name] for name in ("running", "fetching", "done", "moved", "failed", "skipped", "pages")}
    assert queues == {"running": False, "fetching": 0, "done": 6, "moved": 1, "failed": 1, "skipped": 2, "pages": 6}
    assert found["failures"] == [{"reason": "status", "count": 1}]
    assert {skip["reason"] for skip in found["skips"]} == {"robots", "scope"}
    assert found["harvest_rate"] == found["relevant"] / 6
    assert found["top_hosts"][0]["host"] == "a.test"


EXPLAINED = {
    HOME: "It was fetched as page 1 and is ",
    "a.test/电网": "It was fetched as page ",
    f"{HOME}power-grid/private": "Skipped (robots): robots.txt forbids it.",
    f"{HOME}power-grid/gone": "Failed (status): The server answered 404 Not Found.",
    f"{HOME}power-grid/moved": f"It redirects to {HOME}power-grid/new.",
    f"{HOME}power-grid/image": ", of a type that is not judged.",
    "http://elsewhere.test/": "Skipped (scope): scope is host: its host elsewhere.test is not the host of a seed.",
    f"{HOME}f": "; the crawl has reached its budget of 6 pages (--max-pages). On its host it is number ",
}


@pytest.mark.parametrize(("url", "sentence"), EXPLAINED.items(), ids=EXPLAINED)
def test_explain_reads_well_for_every_fate(crawled: Shoal, url: str, sentence: str) -> None:
    said = crawled("explain", url)
    assert (said.code, said.err) == (0, "")
    assert sentence in said.out
    assert "How we got there" in said.out
    assert f"{HOME}  a seed" in said.out
    assert "Priority" in said.out
    assert "None" not in said.out


def test_explain_shows_what_made_the_score(crawled: Shoal) -> None:
    said = crawled("explain", f"{HOME}%E7%94%B5%E7%BD%91")
    assert "“智能电网”" in said.out
    assert re.search(r"^  \+0\.\d+  “电网” ", said.out, re.MULTILINE), said.out


def test_a_strangers_title_cannot_steer_the_terminal(crawled: Shoal) -> None:
    said = crawled("explain", f"{HOME}power-grid")
    assert "Grid" in said.out
    assert "\x1b" not in said.out
    assert "\u202e" not in said.out


@pytest.mark.parametrize("url", EXPLAINED)
def test_explain_as_json(crawled: Shoal, url: str) -> None:
    found = json.loads(crawled("explain", url, "--json").out)
    assert found["state"] in {"waiting", "done", "failed", "skipped", "moved"}
    assert found["sentence"]
    assert found["path"][0]["url"] == HOME
    assert found["path"][-1]["url"] == found["url"]
    assert (found["rank"] is not None) == (found["state"] == "waiting")


@pytest.mark.parametrize(
    ("url", "complaint"),
    [
        ("", "'' is not a URL"),
        ("what is this", "'what is this' is not a URL"),
        ("mailto:someone@a.test", "is not a URL"),
        (f"{HOME}never-heard-of", f"{HOME}never-heard-of is not known to this crawl: no fetched page links to it."),
        ("http://far.test/", "is not known to this crawl: it is out of scope (scope is host"),
    ],
)
def test_explain_of_something_else_is_one_sentence(crawled: Shoal, url: str, complaint: str) -> None:
    said = crawled("explain", url)
    assert complaint in said.sentence()
    assert said.code == 2


# --- export ----------------------------------------------------------------------------------------------------------


def test_jsonl_has_the_promised_fields_in_fetch_order(crawled: Shoal) -> None:
    said = crawled("export")
    rows = [json.loads(line) for line in said.out.splitlines()]
    assert [row["fetch_order"] for row in rows] == [1, 2, 3, 4, 5, 6]
    assert all(set(row) >= EXPORTED for row in rows)
    assert (said.code, said.err) == (0, "")
    moved = next(row for row in rows if row["final_url"].endswith("/new"))
    assert (moved["url"], moved["parent"], moved["depth"]) == (f"{HOME}power-grid/moved", HOME, 1)
    assert "智能电网" in [row["title"] for row in rows]


def test_csv_has_the_same_rows(crawled: Shoal) -> None:
    lines = list(csv.DictReader(io.StringIO(crawled("export", "--format", "csv").out)))
    rows = [json.loads(line) for line in crawled("export", "--format", "jsonl").out.splitlines()]
    assert [line["final_url"] for line in lines] == [row["final_url"] for row in rows]


def test_only_the_relevant_pages(crawled: Shoal) -> None:
    rows = [json.loads(line) for line in crawled("export", "--relevant").out.splitlines()]
    assert rows
    assert all(row["relevant"] for row in rows)


@pytest.mark.parametrize("format", ["jsonl", "csv", "parquet", "warc"])
def test_every_format_can_be_a_file(crawled: Shoal, tmp_path: Path, format: str) -> None:
    target = tmp_path / "输 出"
    said = crawled("export", "--format", format, "--out", str(target))
    assert (said.code, said.out) == (0, "")
    assert re.match(r"[56] pages written to ", said.err)
    answer = json.loads(crawled("export", "--format", format, "--out", str(target), "--json").out)
    assert answer == {"pages": 5 if format == "warc" else 6, "file": str(target), "format": format}
    assert target.stat().st_size > 0


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (("--format", "parquet"), "The format parquet is not text: name a file with --out."),
        (("--format", "warc"), "The format warc is not text: name a file with --out."),
        (("--out", "missing/file"), "Cannot write missing/file: No such file or directory."),
        (("--out", "."), "Cannot write .: Is a directory."),
        (("--out", "/dev/full"), "There is no room left to write /dev/full."),
        (("--out", f"{FOLDER}/crawl.sqlite"), "is a file of the crawl itself"),
    ],
)
def test_export_to_a_bad_place_is_one_sentence(crawled: Shoal, arguments: tuple[str, ...], complaint: str) -> None:
    said = crawled("export", *arguments)
    assert complaint in said.sentence()
    assert said.code == 2


# --- streams and terminals of all kinds ------------------------------------------------------------------------------

POOR = {
    "ascii": {"PYTHONIOENCODING": "ascii"},
    "C": {"LC_ALL": "C", "LANG": "C"},
}


@pytest.mark.slow
@pytest.mark.parametrize("environ", POOR.values(), ids=POOR)
def test_a_terminal_without_chinese_is_no_reason_to_fail(finished: tuple[Path, Said], environ: dict[str, str]) -> None:
    home, _ = finished
    explained = as_process("explain", "a.test/电网", "--dir", FOLDER, home=home, environ=environ)
    assert (explained.returncode, explained.stderr) == (0, b"")
    exported = as_process("explain", "a.test/电网", "--dir", FOLDER, "--json", home=home, environ=environ)
    assert json.loads(exported.stdout)["title"] == "智能电网"


@pytest.mark.slow
def test_a_reader_that_has_had_enough_is_no_error(finished: tuple[Path, Said]) -> None:
    home, _ = finished
    for command in (("export",), ("status",), ("explain", HOME, "--json")):
        reading, writing = os.pipe()
        os.close(reading)
        ended = as_process(*command, "--dir", FOLDER, home=home, stdout=writing)
        os.close(writing)
        assert (ended.returncode, ended.stderr) == (0, b""), command


@pytest.mark.slow
def test_a_full_disk_behind_standard_output_is_one_sentence(finished: tuple[Path, Said]) -> None:
    home, _ = finished
    for command in (("export",), ("status",), ("explain", HOME, "--json")):
        with open("/dev/full", "wb") as full:
            ended = as_process(*command, "--dir", FOLDER, home=home, stdout=full.fileno())
        assert ended.returncode == 2, command
        assert ended.stderr.startswith(b"shoal: There is no room left"), ended.stderr
        assert ended.stderr.count(b"\n") == 1


def test_a_narrow_window_breaks_no_url(finished: tuple[Path, Said]) -> None:
    home, _ = finished
    said = as_process(
        "explain", f"{HOME}power-grid/gone", "--dir", FOLDER, home=home, environ={"COLUMNS": "20", "NO_COLOR": "1"}
    )
    assert f"{HOME}power-grid/gone" in said.stdout.decode().splitlines()
    assert b"\x1b" not in said.stdout


# --- going on --------------------------------------------------------------------------------------------------------


@pytest.mark.slow
async def test_a_spent_crawl_says_so_and_goes_on_with_a_larger_budget(tmp_path: Path) -> None:
    (tmp_path / "电网.toml").write_text(
        'name = "智能 电网"\nkeywords = { "电网" = 1.0, "power grid" = 1 }\nseeds = ["http://a.test/"]\n'
        "max_pages = 2\ndelay = 0\nscope = 'host'\n",
        encoding="utf-8",
    )
    async with WebServer(small_web()) as server:
        first = await crawl_with(server, "crawl", "电网.toml", "--json", home=tmp_path)
        again = await crawl_with(server, "resume", "--dir", "crawls/智能-电网", home=tmp_path)
        more = await crawl_with(
            server, "resume", "--dir", "crawls/智能-电网", "--max-pages", "99", "--json", home=tmp_path
        )
    answer: dict[str, Any] = json.loads(first.out)
    assert (first.code, answer["folder"], answer["ending"]) == (0, "crawls/智能-电网", "the page budget is reached")
    assert (again.code, again.out.splitlines()[0]) == (0, "The crawl is over: the page budget is reached.")
    last: dict[str, Any] = json.loads(more.out)
    assert (last["ending"], last["status"]["pages"], last["status"]["waiting"]) == ("nothing left to fetch", 11, 0)


async def test_quiet_says_nothing(tmp_path: Path) -> None:
    async with WebServer(small_web()) as server:
        arguments = ("--topic", TOPIC, "--seed", HOME, "--dir", "c", "--max-pages", "2", "--delay", "0", "--quiet")
        assert await crawl_with(server, "crawl", *arguments, home=tmp_path) == Said(0, "", "")


class SlowWeb:
    """One page that takes its time, and tells when it was asked for."""

    def __init__(self) -> None:
        self.asked = asyncio.Event()
        self._web = SimpleWeb().page(HOME, "The power grid.", delay=1.5)

    def answer(self, host: str, target: str, nth: int) -> Answer:
        if target == "/":
            self.asked.set()
        return self._web.answer(host, target, nth)


@pytest.mark.slow
async def test_the_first_ctrl_c_finishes_what_is_in_flight(tmp_path: Path) -> None:
    web = SlowWeb()
    async with WebServer(web) as server:
        process = await asyncio.create_subprocess_exec(
            *(sys.executable, "-m", "shoal", "crawl", "--topic", "grid", "--seed", HOME, "--dir", "c"),
            *("--proxy", server.proxy, "--delay", "0"),
            cwd=tmp_path,
            env=os.environ | {"SHOAL_STATE_DIR": str(tmp_path / "state")},
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
        await web.asked.wait()
        process.send_signal(signal.SIGINT)
        out, err = await process.communicate()
    assert process.returncode == 130
    assert err == b"Finishing 1 request in flight; Ctrl-C again stops at once.\n"
    assert out.startswith(b"Stopped.\n1 page ")
    assert out.endswith(b"Go on with: shoal resume --dir c\n")


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A disk of one megabyte."""
    place = tmp_path / "disk"
    place.mkdir()
    mounted = _mount(place, "size=1m")
    if mounted.returncode:
        pytest.fail(f"This test mounts a small tmpfs, so it must run as root, with CAP_SYS_ADMIN: {mounted.stderr!r}")
    yield place
    subprocess.run(["umount", str(place)], check=True)


def _mount(place: Path, options: str) -> subprocess.CompletedProcess[bytes]:
    return subprocess.run(
        ["mount", "-t", "tmpfs", "-o", options, "tmpfs", str(place)], capture_output=True, check=False
    )


@pytest.mark.slow
@pytest.mark.parametrize("processes", ["1", "2"])
async def test_a_full_disk_loses_nothing(small_disk: Path, tmp_path: Path, processes: str) -> None:
    folder = str(small_disk / "c")
    web = SimpleWeb()
    numbers = range(60)
    for number in numbers:
        text = Random(number).randbytes(20_000).hex(" ", 4)  # which no packing makes much smaller
        web.page(f"{HOME}{number or ''}", text, links=[f"/{other}" for other in numbers if other], title=f"{number}")
    arguments = ("--topic", "grid", "--seed", HOME, "--dir", folder, "--delay", "0.05", "--processes", processes)
    async with WebServer(web) as server:
        full = await crawl_with(server, "crawl", *arguments, "--quiet", home=tmp_path)
        assert full.sentence().startswith("The disk is full: make room where ")
        assert full.code == 2
        assert 0 < json.loads(as_process("status", "--dir", folder, "--json", home=tmp_path).stdout)["pages"] < 60
        still = await crawl_with(server, "resume", "--dir", folder, "--quiet", home=tmp_path)
        assert (still.code, still.sentence()) == (2, full.sentence())
        assert not _mount(small_disk, "remount,size=64m").returncode
        rest = await crawl_with(server, "resume", "--dir", folder, "--json", home=tmp_path)
    assert rest.code == 0, rest.err
    assert json.loads(rest.out)["status"]["pages"] == 60
    exported = as_process("export", "--dir", folder, home=tmp_path).stdout.splitlines()
    assert len({json.loads(line)["url"] for line in exported}) == len(exported) == 60


# --- help ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("words", COMMANDS)
def test_every_command_and_option_explains_itself_and_can_speak_json(shoal: Shoal, words: str) -> None:
    said = shoal(*words.split(), "--help")
    assert (said.code, said.err) == (0, "")
    assert max(map(len, said.out.splitlines())) <= 80
    params = COMMANDS[words].params
    assert [
        param.name for param in params if param.param_type_name == "option" and not getattr(param, "help", "")
    ] == []
    assert "as_json" in {param.name for param in params}
