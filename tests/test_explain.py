"""`shoal explain` of a URL that waits: its strategy is put together anew, and says what makes the value at this moment."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from shoal.cli import main
from shoal.model import Evidence, Term, Topic
from shoal.services import crawls as app
from shoal.services import marks as knowing
from shoal.settings import Budget
from shoal.store import crawl_folder as folders
from shoal.store.crawl_store import open_store
from shoal.testing.fakes import Answer, html
from shoal.urls import normalise
from tests.crawl.simulated import SEED, Simulation

TOPIC = Topic(name="grid", terms=(Term(text="power grid"), Term(text="智能电网")))
SUBJECTS = {"grid": "power grid", "电网": "智能电网", "sport": "football 足球"}
MANY, ENOUGH = 12, 10
"""Pages about each subject, and pages after which the crawl is over: of each subject some wait then."""


def page(title: str, *links: tuple[str, str]) -> Answer:
    anchors = "".join(f'<li><a href="{target}">{words}</a></li>' for target, words in links)
    return html("", f"<title>{title}</title><p>{f'{title}, ' * 20}</p><ul>{anchors}</ul>")


def urls(subject: str) -> list[str]:
    return [normalise(f"{SEED}{subject}/{number}") or "" for number in range(MANY)]


def web() -> dict[str, Answer]:
    """A front page that links to all pages about each subject."""
    links = [(url, f"{words} {url[-1]}") for subject, words in SUBJECTS.items() for url in urls(subject)]
    return {SEED: page("power grid", *links)} | {url: page(words) for url, words in links}


def crawled(folder: Path, strategy: str = "learned") -> Simulation:
    simulation = Simulation(
        folder, web(), strategy=strategy, judge="", topic=TOPIC, budget=Budget(max_pages=ENOUGH), workers=1
    )
    simulation.run()
    return simulation


def waiting(folder: Path, subject: str) -> str:
    """A URL that was not fetched."""
    return next(url for url in urls(subject) if app.explain_url(folder, url, in_depth=False).state == "waiting")


def value(parts: tuple[Evidence, ...]) -> float:
    return sum(part.amount for part in parts)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Of a crawl that is over; nobody may change it."""
    folder = tmp_path_factory.mktemp("crawls") / "c"
    crawled(folder)
    return folder


def test_the_reasons_are_those_of_the_strategy_as_the_next_run_would_have_it(folder: Path) -> None:
    url = waiting(folder, "电网")
    found = app.explain_url(folder, url)
    assert len(found.value_why) > 1
    with open_store(folder) as store:
        [id] = [one.id for one in store.shelf.waiting() if store.shelf.read(one.id).url == url]
        assert found.value_why == app.make_strategy(store).reasons(store.shelf.read(id))


def test_a_link_about_the_topic_has_more_to_say_for_itself(folder: Path) -> None:
    good, bad = (app.explain_url(folder, waiting(folder, subject)).value_why for subject in ("grid", "sport"))
    assert value(good) > value(bad)


def test_a_page_that_came_waits_no_more(folder: Path) -> None:
    assert app.explain_url(folder, SEED).value_why == ()


def test_a_crawl_that_is_at_work_is_not_disturbed(folder: Path) -> None:
    with folders.lock(folder):
        assert folders.is_running(folder)
        assert app.explain_url(folder, waiting(folder, "grid")).value_why


def test_who_wants_only_the_sentence_does_not_wait_for_reasons(folder: Path) -> None:
    assert app.explain_url(folder, waiting(folder, "grid"), in_depth=False).value_why == ()


def test_a_person_sees_them_with_their_signs(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    url = waiting(folder, "sport")
    assert explained(folder, url) == 0
    said = capsys.readouterr().out
    parts = app.explain_url(folder, url).value_why
    heading = said.index("\nWhat makes its value now\n")
    for part in parts:
        assert said.index(f"  {part.amount:+6.3f}  {part.what}\n") > heading


def test_a_program_reads_them_as_json(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    url = waiting(folder, "电网")
    assert explained(folder, url, "--json") == 0
    parts = app.explain_url(folder, url).value_why
    found = json.loads(capsys.readouterr().out)["value_why"]
    assert found == [{"what": part.what, "amount": pytest.approx(part.amount)} for part in parts]


def explained(folder: Path, url: str, *options: str) -> int:
    with pytest.raises(SystemExit) as ended:
        main(["explain", url, "--dir", str(folder), *options])
    return int(ended.value.code or 0)


def test_what_the_user_says_counts_at_once(tmp_path: Path) -> None:
    asked = crawled(tmp_path).pages_asked
    came = {subject: [url for url in urls(subject) if url in asked] for subject in ("grid", "电网")}
    subject = max(came, key=lambda subject: len(came[subject]))
    url = waiting(tmp_path, subject)
    before = value(app.explain_url(tmp_path, url).value_why)
    knowing.give_feedback(tmp_path, came[subject], False)
    assert value(app.explain_url(tmp_path, url).value_why) < before
    knowing.give_feedback(tmp_path, came[subject], None)
    assert value(app.explain_url(tmp_path, url).value_why) == pytest.approx(before)


def test_a_strategy_that_gives_no_reasons_needs_none(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    crawled(tmp_path, "breadth")
    url = waiting(tmp_path, "sport")
    assert app.explain_url(tmp_path, url).value_why == ()
    assert explained(tmp_path, url) == 0
    assert "value now" not in capsys.readouterr().out


def test_a_strategy_that_is_gone_is_no_reason_to_say_nothing(tmp_path: Path) -> None:
    crawled(tmp_path)
    with folders.reading(tmp_path) as database:
        settings = folders.read_settings(tmp_path, database)
        folders.write_settings(tmp_path, database, type(settings)(topic=TOPIC, seeds=(SEED,), strategy="removed"))
    assert app.explain_url(tmp_path, waiting(tmp_path, "grid")).value_why == ()
