"""What a user says of pages moves a crawl at once, is shown everywhere, and can be taken back."""

from __future__ import annotations

import asyncio
import io
import json
import re
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from shoal.cli import main
from shoal.crawl.allowance import Ending
from shoal.crawl.coordinator import COMMIT_SECONDS, Coordinator
from shoal.errors import FolderError, InputError
from shoal.services import crawls as app
from shoal.services import marks as knowing
from shoal.settings import Budget, Politeness
from shoal.store.crawl_folder import lock
from shoal.testing.fakes import Answer
from shoal.testing.webserver import SimpleWeb, WebServer
from tests.crawl.simulated import SEED, Simulation, page
from tests.hearing import Listener, listener_laid
from tests.test_cli import Said, crawl_with

HOME = "http://a.test/"
GRID, DULL, IMAGE = f"{HOME}power-grid", f"{HOME}a", f"{HOME}power-grid/image"
CHINESE = f"{HOME}%E7%94%B5%E7%BD%91"
MOVED, NEW, BACK = f"{HOME}power-grid/moved", f"{HOME}power-grid/new", f"{HOME}power-grid/back"
FOLDER = "爬 行"
Shoal = Callable[..., Said]


def small_web() -> SimpleWeb:
    links = ["/power-grid", "/电网", MOVED, BACK, IMAGE, f"{GRID}/private", f"{GRID}/gone", "/a", "/b", "/c"]
    web = SimpleWeb().robots("a.test", "User-agent: *\nDisallow: /power-grid/private")
    web.page(HOME, "The power grid and its news.", links=[*links, "http://far.test/"], title="Home")
    web.page(GRID, "A power grid has substations. " * 5, title="\x1b[31mGrid")
    web.page(CHINESE, "电网调度与变电站的运行情况。" * 5, title="智能电网")
    web.redirect(MOVED, "/power-grid/new").page(NEW, "The power grid moved.", title="New")
    web.redirect(BACK, "/power-grid")
    web.raw(IMAGE, b"GIF89a", content_type="image/gif")
    for dull in "abc":
        web.page(HOME + dull, f"Nothing about that, but {dull * 20}.", title=dull)
    return web


@pytest.fixture(scope="module")
def finished(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A crawl that has stored all pages but the last two."""
    home = tmp_path_factory.mktemp("finished")

    async def crawl() -> Said:
        async with WebServer(small_web()) as server:
            words = ("--topic", "power grid, 电网, 变电站=0.8", "--seed", HOME, "--dir", FOLDER, "--scope", "host")
            budget = ("--max-pages", "6", "--delay", "0", "--concurrency", "1", "--strategy", "best-first")
            return await crawl_with(server, "crawl", *words, *budget, home=home)

    said = asyncio.run(crawl())
    assert (said.code, said.err) == (0, "")
    return home / FOLDER


@pytest.fixture
def folder(finished: Path, tmp_path: Path) -> Path:
    """A copy that a test may mark as it likes."""
    shutil.copytree(finished, tmp_path / FOLDER)
    return tmp_path / FOLDER


@pytest.fixture
def shoal(folder: Path, capfdbinary: pytest.CaptureFixture[bytes], monkeypatch: pytest.MonkeyPatch) -> Shoal:
    """Any command about the crawl; `--dir` need not be typed."""
    monkeypatch.chdir(folder.parent)

    def run(*arguments: str, typed: bytes = b"") -> Said:
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(typed)))
        with pytest.raises(SystemExit) as end:
            main([*arguments, "--dir", FOLDER])
        out, err = capfdbinary.readouterr()
        assert isinstance(end.value.code, int)
        return Said(end.value.code, out.decode(), err.decode())

    return run


def lines(folder: Path) -> list[dict[str, Any]]:
    path = folder / "feedback.jsonl"
    return [json.loads(line) for line in path.read_text().splitlines()] if path.exists() else []


def exported(shoal: Shoal, *options: str) -> dict[str, tuple[bool, bool | None]]:
    rows = [json.loads(line) for line in shoal("export", *options).out.splitlines()]
    return {row["final_url"]: (row["relevant"], row["marked"]) for row in rows}


# --- what is typed ---------------------------------------------------------------------------------------------------


def test_a_mark_is_told_with_what_the_judge_said(shoal: Shoal, folder: Path) -> None:
    said = shoal("feedback", "--irrelevant", GRID)
    assert (said.code, said.err) == (0, "")
    first, last = said.out.splitlines()
    assert re.fullmatch(rf"Marked irrelevant  {GRID}  “ \[31mGrid”  \(judged relevant, 0\.\d+\)", first)
    assert last == f"The crawl hears of it when it goes on: shoal resume --dir '{FOLDER}'"
    assert [(line["url"], line["relevant"]) for line in lines(folder)] == [(GRID, False)]


def test_a_mark_counts_wherever_pages_are_shown(shoal: Shoal) -> None:
    before = json.loads(shoal("status", "--json").out)
    shoal("feedback", "--irrelevant", GRID, CHINESE)
    shoal("feedback", "--relevant", IMAGE)
    after = json.loads(shoal("status", "--json").out)
    assert (after["relevant"], after["marked_relevant"], after["marked_irrelevant"]) == (before["relevant"] - 1, 1, 2)
    assert after["harvest_rate"] == after["relevant"] / 6
    text = shoal("status").out
    assert f"{after['relevant']} relevant by the judge and by hand (harvest rate" in text
    assert "; marked by hand: 1 relevant, 2 irrelevant\n" in text
    rows = exported(shoal)
    assert (rows[GRID], rows[CHINESE], rows[IMAGE], rows[HOME]) == (
        (False, False),
        (False, False),
        (True, True),
        (True, None),
    )
    assert set(exported(shoal, "--relevant")) == {url for url, (relevant, _) in rows.items() if relevant}
    explained = shoal("explain", "a.test/电网").out
    assert re.search(
        r"and was judged relevant .*\. You marked it irrelevant on \d{4}-\d\d-\d\d \d\d:\d\d UTC\.", explained
    )
    assert re.search(r"^ +0\.\d{3}  relevant, the threshold is", explained, re.MULTILINE), "that is the judge's"


def test_the_last_of_several_marks_counts(shoal: Shoal, folder: Path) -> None:
    shoal("feedback", "--relevant", GRID)
    shoal("feedback", "--irrelevant", GRID)
    assert exported(shoal)[GRID] == (False, False)
    again = shoal("feedback", "--irrelevant", GRID)
    assert again.out.startswith(f"Marked before as irrelevant  {GRID}")
    assert again.out.count("\n") == 1, "nothing changed, so there is nothing to hear of"
    assert [line["relevant"] for line in lines(folder)] == [True, False]


def test_a_mark_can_be_taken_back(shoal: Shoal, folder: Path) -> None:
    shoal("feedback", "--irrelevant", GRID)
    said = shoal("feedback", "--forget", GRID, HOME)
    assert said.out.splitlines()[0].startswith(f"No longer marked irrelevant  {GRID}")
    assert said.out.splitlines()[1].startswith(f"Was not marked  {HOME}")
    assert exported(shoal)[GRID] == (True, None)
    assert [line["relevant"] for line in lines(folder)] == [False, None]
    assert "marked" not in shoal("explain", GRID).out
    assert shoal("feedback", "--list").out == f"No page of {FOLDER} is marked.\n"


@pytest.mark.parametrize("typed", [CHINESE, f"{HOME}电网", "a.test/电网"])
def test_a_chinese_url_is_known_in_any_spelling(shoal: Shoal, folder: Path, typed: str) -> None:
    said = shoal("feedback", "--relevant", typed)
    assert said.out.startswith(f"Marked relevant  {CHINESE}  “智能电网”  (judged relevant, ")
    assert (f"; typed as {typed})" in said.out) == (typed != CHINESE)
    assert [line["url"] for line in lines(folder)] == [CHINESE]


def test_a_url_that_redirects_counts_for_the_page_it_led_to(shoal: Shoal, folder: Path) -> None:
    said = shoal("feedback", "--irrelevant", MOVED, BACK, NEW)
    assert [line["url"] for line in lines(folder)] == [NEW, GRID]
    assert said.out.splitlines()[0].endswith(f"; typed as {MOVED})")
    assert said.out.count("Marked irrelevant") == 2, "one page is marked once"


@pytest.mark.parametrize("encoding", ["utf-8", "gbk", "utf-8-sig"])
def test_urls_come_from_standard_input(shoal: Shoal, folder: Path, encoding: str) -> None:
    said = shoal("feedback", "--relevant", HOME, "-", typed=f"\r\n{HOME}电网\r\n\n  {GRID}  ".encode(encoding))
    assert said.code == 0
    assert [line["url"] for line in lines(folder)] == [HOME, CHINESE, GRID]


def test_urls_come_through_a_pipe(folder: Path) -> None:
    ended = subprocess.run(
        [sys.executable, "-m", "shoal", "feedback", "--relevant", "-", "--json", "--dir", FOLDER],
        cwd=folder.parent,
        input=f"{CHINESE}\n{IMAGE}\n".encode(),
        capture_output=True,
        timeout=60,
        check=False,
    )
    assert (ended.returncode, ended.stderr) == (0, b"")
    assert [found["url"] for found in json.loads(ended.stdout)["pages"]] == [CHINESE, IMAGE]


def test_as_json(shoal: Shoal) -> None:
    shoal("feedback", "--irrelevant", GRID)
    answer = json.loads(shoal("feedback", "--relevant", "a.test/power-grid", IMAGE, "--json").out)
    assert answer["running"] is False
    grid, image = answer["pages"]
    assert 0 < grid.pop("score") < 1
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d+Z", grid.pop("at"))
    assert grid == {
        "asked": "a.test/power-grid",
        "url": GRID,
        "title": "\x1b[31mGrid",
        "before": False,
        "relevant": True,
        "judged": True,
    }
    assert (image["judged"], image["score"], image["before"]) == (None, None, None)
    listed = json.loads(shoal("feedback", "--list", "--json").out)
    assert [(mark["url"], mark["relevant"]) for mark in listed] == [(GRID, True), (IMAGE, True)]


def test_the_list_shows_what_holds_with_the_judge(shoal: Shoal) -> None:
    shoal("feedback", "--irrelevant", CHINESE)
    shoal("feedback", "--relevant", IMAGE, GRID)
    shoal("feedback", "--forget", GRID)
    first, second = shoal("feedback", "--list").out.splitlines()
    assert re.fullmatch(rf"irrelevant  [-\d]+ [:\d]+ UTC  {CHINESE}  “智能电网”  \(judged relevant, 0\.\d+\)", first)
    assert re.fullmatch(rf"relevant    [-\d]+ [:\d]+ UTC  {IMAGE}  \(not judged\)", second)


def test_a_crawl_at_work_keeps_nobody_from_speaking(shoal: Shoal, folder: Path) -> None:
    with lock(folder):
        said = shoal("feedback", "--relevant", GRID)
    assert said.out.splitlines()[-1] == "The crawl that is running hears of it now."
    assert [line["url"] for line in lines(folder)] == [GRID]


# --- what cannot be done ---------------------------------------------------------------------------------------------

NOT_FETCHED = {
    f"{HOME}c": rf"^{HOME}c has no page to mark, it is waiting: It waits at rank \d of \d by priority; the crawl has",
    f"{GRID}/gone": rf"^{GRID}/gone has no page to mark, it is failed: The server answered 404 Not Found\.$",
    f"{GRID}/private": rf"^{GRID}/private has no page to mark, it is skipped: robots\.txt forbids it\.$",
    f"{HOME}never": rf"^{HOME}never is not known to this crawl: no fetched page links to it\.$",
    "http://other.test/": r"^http://other\.test/ is not known to this crawl: it is out of scope",
    "what is this": r"^'what is this' is not a URL",
    "": r"^'' is not a URL",
}


@pytest.mark.parametrize(("url", "complaint"), NOT_FETCHED.items(), ids=NOT_FETCHED)
@pytest.mark.parametrize("what", ["--relevant", "--irrelevant", "--forget"])
def test_only_fetched_pages_can_be_marked(shoal: Shoal, folder: Path, what: str, url: str, complaint: str) -> None:
    said = shoal("feedback", what, GRID, url)
    assert re.search(complaint, said.sentence()), said.err
    assert (said.code, lines(folder)) == (2, []), "not even the page that could be marked is"


def test_of_many_urls_without_a_page_the_first_is_named_and_the_others_counted(shoal: Shoal) -> None:
    said = shoal("feedback", "--relevant", f"{GRID}/gone", GRID, f"{HOME}c", f"{HOME}never")
    assert "it is failed (2 more of these URLs have no page either): The server" in said.sentence()


BAD: dict[str, tuple[tuple[str, ...], str]] = {
    "nothing said": ((GRID,), "Give exactly one of --relevant, --irrelevant, --forget, --list."),
    "both": (("--relevant", "--irrelevant", GRID), "--relevant and --irrelevant contradict each other"),
    "no page": (("--relevant",), "--relevant needs at least one URL, or - for standard input"),
    "list of one": (("--list", GRID), "--list shows all that was said and takes no URL"),
    "nothing on standard input": (("--forget", "-"), "Standard input has no URL in it"),
}


@pytest.mark.parametrize(("arguments", "complaint"), BAD.values(), ids=BAD)
def test_bad_arguments_are_one_sentence(shoal: Shoal, folder: Path, arguments: tuple[str, ...], complaint: str) -> None:
    said = shoal("feedback", *arguments)
    assert complaint in said.sentence()
    assert (said.code, lines(folder)) == (2, [])


def test_a_folder_without_a_crawl_says_how_to_start_one(tmp_path: Path) -> None:
    with pytest.raises(FolderError, match="There is no crawl in"):
        knowing.give_feedback(tmp_path, [GRID], True)
    with pytest.raises(FolderError, match="There is no crawl in"):
        knowing.opinions(tmp_path)
    assert list(tmp_path.iterdir()) == []


def test_a_torn_file_is_read_up_to_where_it_is_torn(shoal: Shoal, folder: Path) -> None:
    shoal("feedback", "--irrelevant", GRID, CHINESE)
    whole = (folder / "feedback.jsonl").read_bytes()
    (folder / "feedback.jsonl").write_bytes(whole[:-5])
    assert (exported(shoal)[GRID], exported(shoal)[CHINESE]) == ((False, False), (True, None))
    shoal("feedback", "--irrelevant", NEW)
    assert [line["url"] for line in lines(folder)] == [GRID, NEW]


@pytest.mark.parametrize(
    "command", [("status",), ("export",), ("explain", GRID), ("feedback", "--list"), ("resume", "--quiet")]
)
def test_a_damaged_file_is_one_sentence_that_names_the_line(
    shoal: Shoal, folder: Path, command: tuple[str, ...]
) -> None:
    (folder / "feedback.jsonl").write_text(f'{{"url":"{GRID}","relevant":true,"at":1}}\nnonsense\n')
    said = shoal(*command)
    assert said.sentence().startswith(f"{FOLDER}/feedback.jsonl, line 2: it is not an opinion in JSON")
    assert said.code == 2


def test_the_file_is_not_overwritten_by_an_export(shoal: Shoal, folder: Path) -> None:
    shoal("feedback", "--relevant", GRID)
    said = shoal("export", "--out", f"{FOLDER}/feedback.jsonl")
    assert "is a file of the crawl itself" in said.sentence()
    assert [line["url"] for line in lines(folder)] == [GRID]


# --- what the crawl makes of it --------------------------------------------------------------------------------------

LIKED = "http://b.test/0"
OTHERS = [f"http://c.test/{number}" for number in range(30)]
LIKE_IT = [f"http://b.test/{number}" for number in range(1, 10)]


@pytest.fixture
def listeners() -> Iterator[list[Listener]]:
    with listener_laid() as made:
        yield made


def crawl_of(folder: Path, **settings: Any) -> Simulation:
    """One page of b.test, many of c.test, then more of b.test: one page a second, in this order."""
    urls = [LIKED, *OTHERS, *LIKE_IT]
    web: dict[str, Answer] = {SEED: page(*urls)} | {url: page(text=url) for url in urls}
    politeness = Politeness(delay=0.0)
    return Simulation(folder, web, latency=1.0, workers=1, strategy="listener", politeness=politeness, **settings)


def at(seconds: float, act: Callable[[], object]) -> None:
    asyncio.get_running_loop().call_later(seconds, act)


def test_without_a_word_of_the_user_pages_come_in_their_order(tmp_path: Path, listeners: list[Listener]) -> None:
    crawl = crawl_of(tmp_path)
    assert crawl.run() is Ending.NOTHING_LEFT
    assert crawl.pages_asked == [SEED, LIKED, *OTHERS, *LIKE_IT]
    assert (listeners[0].heard, listeners[0].refreshed) == ([], [])


def test_a_running_crawl_hears_of_a_mark_and_turns_to_what_is_like_it(
    tmp_path: Path, listeners: list[Listener]
) -> None:
    crawl = crawl_of(tmp_path)

    async def scene(coordinator: Coordinator) -> Ending:
        at(15.25, lambda: knowing.give_feedback(tmp_path, [LIKED], True, crawl.clock))
        return await crawl.crawl(coordinator)

    assert crawl.play(scene) is Ending.NOTHING_LEFT
    [listener] = listeners
    assert [(said.url, said.relevant) for said in listener.heard] == [(LIKED, True)]
    assert listener.refreshed == [1]
    # Heard with the next commit, at most half a second later; the requests go out once a second.
    heard = listener.heard[0].at + COMMIT_SECONDS
    after = [task.url for moment, task in crawl.servers.requests if task.kind == "page" and moment > heard]
    assert sorted(after[: len(LIKE_IT)]) == LIKE_IT
    assert len(after) > len(LIKE_IT) + 10


def test_a_running_crawl_hears_that_a_mark_is_taken_back(tmp_path: Path, listeners: list[Listener]) -> None:
    crawl = crawl_of(tmp_path)

    async def scene(coordinator: Coordinator) -> Ending:
        for seconds, relevant in ((10.0, False), (20.0, True), (22.0, None)):
            at(seconds, lambda said=relevant: knowing.give_feedback(tmp_path, [LIKED], said, crawl.clock))  # type: ignore[misc]
        return await crawl.crawl(coordinator)

    crawl.play(scene)
    assert [said.relevant for said in listeners[0].heard] == [False, True, None]
    assert listeners[0].refreshed == [1, 2, 3]


def test_what_is_said_during_a_refresh_gets_a_refresh_of_its_own(tmp_path: Path, listeners: list[Listener]) -> None:
    crawl = crawl_of(tmp_path)

    async def scene(coordinator: Coordinator) -> Ending:
        listeners[0].slowness = 10.0
        at(6.0, lambda: knowing.give_feedback(tmp_path, [LIKED], True))
        at(9.0, lambda: knowing.give_feedback(tmp_path, [SEED], False))
        return await crawl.crawl(coordinator)

    crawl.play(scene)
    assert listeners[0].refreshed == [1, 2]


def test_a_crawl_that_goes_on_knows_all_that_was_said(tmp_path: Path, listeners: list[Listener]) -> None:
    crawl = crawl_of(tmp_path, budget=Budget(max_pages=5))
    assert crawl.run() is Ending.PAGES
    knowing.give_feedback(tmp_path, [LIKED, SEED], False)
    knowing.give_feedback(tmp_path, [LIKED], True)
    knowing.give_feedback(tmp_path, [SEED], None)
    app.change_settings(tmp_path, {"max_pages": 8})
    assert crawl.run() is Ending.PAGES
    assert [(said.url, said.relevant) for said in listeners[1].heard] == [(LIKED, True)]
    assert listeners[1].refreshed == [1]
    app.change_settings(tmp_path, {"max_pages": 100})
    crawl.run()
    assert [(said.url, said.relevant) for said in listeners[2].heard] == [(LIKED, True)]


def test_what_was_said_before_is_known_before_the_first_request(tmp_path: Path, listeners: list[Listener]) -> None:
    crawl = crawl_of(tmp_path, budget=Budget(max_pages=5))
    crawl.run()
    knowing.give_feedback(tmp_path, [LIKED], True)
    app.change_settings(tmp_path, {"max_pages": 100})

    async def scene(coordinator: Coordinator) -> int:
        running = asyncio.create_task(coordinator.run())
        await asyncio.sleep(0)
        known = len(listeners[1].heard)
        coordinator.stop()
        await running
        return known

    assert crawl.play(scene) == 1


def test_marks_leave_the_figures_of_the_running_crawl_alone(tmp_path: Path, listeners: list[Listener]) -> None:
    crawl = crawl_of(tmp_path, budget=Budget(max_pages=5))
    crawl.run()
    knowing.give_feedback(tmp_path, [LIKED], True)

    async def relevant(coordinator: Coordinator) -> int:
        return coordinator.statistics().relevant

    assert crawl.play(relevant) == 0
    assert app.crawl_status(tmp_path).relevant == 1


def test_a_page_that_is_only_waiting_is_marked_when_it_is_there(tmp_path: Path, listeners: list[Listener]) -> None:
    crawl = crawl_of(tmp_path, budget=Budget(max_pages=5))
    crawl.run()
    with pytest.raises(InputError, match="it is waiting"):
        knowing.give_feedback(tmp_path, [LIKE_IT[0]], True)
    app.change_settings(tmp_path, {"max_pages": 100})
    crawl.run()
    assert knowing.give_feedback(tmp_path, [LIKE_IT[0]], True).pages[0].before is None
    assert [row.marked for row in app.fetched_pages(tmp_path) if row.final_url == LIKE_IT[0]] == [True]
