"""How does a crawl begin from Python, with a loop and without? As with the command; mistakes are told in the words of Python."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import pytest

import shoal
from shoal.errors import FolderError, InputError, NoSeedReached, OwnCodeFailed
from tests.python.conftest import SEED, SlowPage
from tests.shell import served

# --- where it is kept ------------------------------------------------------------------------------------------------


def test_it_is_kept_in_the_home_under_the_name_of_its_topic(about: dict[str, Any], home: Path) -> None:
    crawl = shoal.crawl(**about)
    assert crawl.folder == home / "crawls" / "power-grid-电网"
    assert crawl.ending == "nothing left to fetch"
    assert len(crawl.pages()) == 4
    assert shoal.open("power-grid-电网").folder == crawl.folder
    assert [one.name for one in shoal.crawls()] == ["power-grid-电网"]


def test_another_home_and_another_folder(about: dict[str, Any], home: Path, tmp_path: Path) -> None:
    one = shoal.crawl(**about, home=tmp_path / "other", name="电网")
    two = shoal.crawl(**about, home=str(tmp_path / "other"), folder=tmp_path / "here" / "电网")
    assert one.folder == tmp_path / "other" / "crawls" / "电网"
    assert two.folder == tmp_path / "here" / "电网"
    assert [crawl.name for crawl in shoal.crawls(home=tmp_path / "other")] == ["电网-2", "电网"]
    assert len(shoal.open(two.folder).pages()) == 4
    assert not home.exists()


def test_a_topic_file_says_what_is_not_said_here(about: dict[str, Any], home: Path, tmp_path: Path) -> None:
    file = tmp_path / "grid.toml"
    file.write_text(f'name = "电网"\nkeywords = ["power grid"]\nseeds = ["{SEED}"]\nmax_pages = 1\n', encoding="utf-8")
    crawl = shoal.crawl(file, proxy=about["proxy"], delay=0.0, progress=False)
    assert crawl.name == "电网"
    assert len(crawl.pages()) == 1
    more = shoal.crawl(str(file), proxy=about["proxy"], delay=0.0, progress=False, max_pages=2, name="more")
    assert len(more.pages()) == 2


def test_words_one_by_one_and_several_seeds(about: dict[str, Any], home: Path) -> None:
    given = about | {"topic": ["power grid", "电网"], "seeds": [f"{SEED}tea", f"{SEED}gbk"]}
    crawl = shoal.crawl(**given)
    assert [term.text for term in crawl.topic.terms] == ["power grid", "电网"]
    assert {page.url for page in crawl.pages()} >= {f"{SEED}tea", f"{SEED}gbk"}


def test_words_with_weights(about: dict[str, Any], home: Path) -> None:
    crawl = shoal.crawl(**about | {"topic": {"power grid": 1, "电网": 0.5}})
    assert {term.text: term.weight for term in crawl.topic.terms} == {"power grid": 1.0, "电网": 0.5}


# --- going on --------------------------------------------------------------------------------------------------------


def test_it_goes_on_with_other_settings(about: dict[str, Any], home: Path) -> None:
    crawl = shoal.crawl(**about, max_pages=1)
    assert (crawl.ending, len(crawl.pages())) == ("the page budget is reached", 1)
    assert crawl.resume(max_pages=2, progress=False).ending == "the page budget is reached"
    assert shoal.open(crawl.name).resume(max_pages=10, progress=False).ending == "nothing left to fetch"
    assert len(crawl.pages()) == 4


def test_what_is_there_is_not_begun_again(crawled: shoal.Crawl, about: dict[str, Any]) -> None:
    with pytest.raises(
        InputError, match=r"There is a crawl called 电网 already: go on with shoal\.open\('电网'\)\.resume"
    ):
        shoal.crawl(**about, name="电网")
    with pytest.raises(FolderError, match=r"go on with shoal\.open\('.*电网'\)\.resume\(\), or choose another folder"):
        shoal.crawl(**about, folder=crawled.folder)


# --- mistakes --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("given", "sentence"),
    [
        ({"max_pages": "many"}, "^max_pages must be a whole number of at least 1, not 'many'"),
        ({"seeds": ()}, "^seeds must name at least one URL"),
        ({"topic": ""}, "^topic must name at least one word"),
        ({"strategy": "lerned"}, r"^strategy must be one of .*did you mean learned\?"),
        (
            {"until_done": True, "strategy": "fish"},
            r"^until_done needs .*choose learned with strategy, or say until_done=0",
        ),
        ({"strategy": "fish", "parameters": {"widht": 3}}, r"^parameters: strategy fish has no .*did you mean width\?"),
        ({"name": "a/b"}, "^A crawl cannot be called 'a/b'"),
    ],
)
def test_a_mistake_is_one_sentence_in_words_of_python(
    about: dict[str, Any], home: Path, given: dict[str, Any], sentence: str
) -> None:
    with pytest.raises(InputError, match=sentence):
        shoal.crawl(**about | given)
    assert not home.exists()


@pytest.mark.parametrize(
    ("given", "sentence"),
    [
        ({"max_page": 3}, r"there is no setting 'max_page'; did you mean max_pages\?"),
        ({"strategy": shoal.Strategy}, r"strategy must be an object, not a class: strategy=Strategy\(\)"),
        ({"judge": 0.5}, "judge must be a name or an object with judge and judge_links, but has no judge"),
        ({"topic": 5}, "topic must be words, or the Path of a topic file, not 5"),
        ({"seeds": 5}, "seeds must be a URL or several, not 5"),
    ],
)
def test_a_mistake_in_the_program_is_pythons_own(
    about: dict[str, Any], home: Path, given: dict[str, Any], sentence: str
) -> None:
    with pytest.raises(TypeError, match=sentence):
        shoal.crawl(**about | given)
    assert not home.exists()


def test_a_crawl_of_which_nothing_came_is_taken_back(about: dict[str, Any], home: Path) -> None:
    with pytest.raises(NoSeedReached, match="Not one seed could be fetched"):
        shoal.crawl(**about | {"seeds": "http://nobody.test/"}, name="电网")
    assert len(shoal.crawls()) == 0
    assert len(shoal.crawl(**about, name="电网").pages()) == 4


# --- one's own strategy and judge ------------------------------------------------------------------------------------


class Chinese(shoal.Judge):
    """Relevant is what has 变电站 in its text."""

    def judge(self, page: shoal.Page) -> shoal.Verdict:
        count = page.text.count("变电站")
        why = (shoal.Evidence(what="变电站", amount=float(count)),)
        return shoal.Verdict(score=min(count / 2, 1.0), threshold=0.5, why=why)

    def judge_links(self, links: Sequence[shoal.Link]) -> tuple[float, ...]:
        return tuple(1.0 if "gbk" in link.url else 0.1 for link in links)


class Shortest(shoal.Strategy):
    """Short addresses first."""

    def follow(self, seen: shoal.Seen) -> Iterable[shoal.Candidate]:
        for link, _, refused in shoal.promising(seen):
            yield refused or shoal.Candidate(link=link, priority=1 / len(link.url), why="it is short")


def test_objects_of_ones_own(about: dict[str, Any], home: Path) -> None:
    crawl = shoal.crawl(**about, strategy=Shortest(), judge=Chinese(), max_pages=2)
    assert crawl.explain(f"{SEED}gbk").priority_why == "it is short"
    with pytest.raises(
        InputError, match=r"has a strategy of a program's own, Shortest: .* or choose another one with strategy"
    ):
        crawl.resume(max_pages=4, progress=False)
    crawl.resume(max_pages=4, strategy="breadth", judge=Chinese(), progress=False)
    assert [page.url for page in crawl.pages(relevant=True)] == [f"{SEED}gbk"]


class Falling(Chinese):
    def judge(self, page: shoal.Page) -> shoal.Verdict:
        raise LookupError("变电站")


def test_a_mistake_in_ones_own_judge_comes_back(about: dict[str, Any], home: Path) -> None:
    with pytest.raises(OwnCodeFailed, match=r"Falling raised LookupError for http://a.test/: 变电站") as caught:
        shoal.crawl(**about, name="电网", judge=Falling())
    assert isinstance(caught.value.__cause__, LookupError)
    assert len(shoal.crawl(**about, name="电网", judge=Chinese()).pages()) == 4


# --- with a loop, in a loop, in a thread -----------------------------------------------------------------------------


async def test_a_program_with_a_loop_awaits(about: dict[str, Any], home: Path) -> None:
    crawl = await shoal.crawl_async(**about, max_pages=1)
    assert crawl.ending == "the page budget is reached"
    assert (await crawl.resume_async(max_pages=9)).ending == "nothing left to fetch"
    assert len(await asyncio.to_thread(crawl.pages)) == 4


async def test_two_at_once_in_one_loop(about: dict[str, Any], home: Path) -> None:
    one, two = await asyncio.gather(shoal.crawl_async(**about, name="one"), shoal.crawl_async(**about, name="二"))
    assert len(one.pages()) == len(two.pages()) == 4


async def test_a_cancelled_crawl_can_be_resumed(about: dict[str, Any], home: Path) -> None:
    slow = SlowPage(600.0)
    with served(slow) as server:
        task = asyncio.create_task(shoal.crawl_async(**about | {"proxy": server.proxy}, name="电网"))
        assert await asyncio.to_thread(slow.asked.wait, 30)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
    assert not shoal.open("电网").status().running
    assert len((await shoal.open("电网").resume_async(proxy=about["proxy"])).pages()) == 4


async def test_it_also_waits_where_a_loop_runs_as_in_a_notebook(about: dict[str, Any], home: Path) -> None:
    crawl = shoal.crawl(**about)
    assert len(crawl.pages()) == 4
    assert "变电站" in crawl.text(f"{SEED}gbk")
    assert crawl.explain(f"{SEED}tea").state == "done"


def test_it_waits_in_a_thread(about: dict[str, Any], home: Path) -> None:
    found: list[shoal.Crawl] = []
    thread = threading.Thread(target=lambda: found.append(shoal.crawl(**about)))
    thread.start()
    thread.join()
    assert len(found[0].pages()) == 4


async def test_the_await_form_says_mistakes_the_same_way(about: dict[str, Any], home: Path) -> None:
    with pytest.raises(InputError, match=r"^max_pages must be"):
        await shoal.crawl_async(**about, max_pages=0)
    with pytest.raises(NoSeedReached):
        await shoal.crawl_async(**about | {"seeds": "http://nobody.test/"})
    assert len(shoal.crawls()) == 0
