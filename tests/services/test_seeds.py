"""Where could a crawl begin? What is wanted is checked first, and what was chosen is kept once. (As typed: `tests/commands/`.)"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from shoal.errors import InputError
from shoal.services import seeds
from shoal.testing.searxng_web import SearxngWeb, result
from shoal.testing.webserver import WebServer
from shoal.topic.topic_file import load

LIST = "https://a.test/grid\nhttps://b.test/电网\nhttps://sub.b.test/bread.pdf\n"


@pytest.fixture
def place(tmp_path: Path) -> str:
    """A list of addresses."""
    (tmp_path / "addresses.txt").write_text(LIST, encoding="utf-8")
    return str(tmp_path / "addresses.txt")


def urls(found: seeds.FoundSeeds) -> list[str]:
    return [one.url for one in found.suggestions]


async def test_only_what_is_wanted_is_found(place: str) -> None:
    everything = await seeds.read_place(seeds.plan_search(called="--match"), place)
    assert urls(everything) == [
        "https://a.test/grid",
        "https://b.test/%E7%94%B5%E7%BD%91",
        "https://sub.b.test/bread.pdf",
    ]
    near = seeds.plan_search(called="--match", hosts=["https://b.test:443/x"], exclude=["*.pdf"])
    assert urls(await seeds.read_place(near, place)) == ["https://b.test/%E7%94%B5%E7%BD%91"]
    assert urls(await seeds.read_place(seeds.plan_search("电网", called="--match"), place)) == [
        "https://b.test/%E7%94%B5%E7%BD%91"
    ]
    assert (await seeds.read_place(seeds.plan_search(called="--match", limit=1), place)).more


async def test_what_is_chosen_is_kept_once(place: str, tmp_path: Path) -> None:
    file = tmp_path / "电网.toml"
    wanted = seeds.plan_search("grid, 电网, bread", topic_file=file, choose="1-2")
    found = await seeds.read_place(wanted, place)
    assert wanted.choice is not None
    kept = seeds.chosen(wanted.choice, found)
    assert seeds.keep_seeds(file, kept, wanted) == 2
    again = seeds.plan_search("grid, 电网, bread", topic_file=file, keep_all=True)
    assert again.known == set(urls(found)[:2])
    found = await seeds.read_place(again, place)
    assert [one.known for one in found.suggestions] == [True, True, False]
    assert again.choice is not None
    assert seeds.keep_seeds(file, seeds.chosen(again.choice, found), again) == 1
    assert load(file)["seeds"] == urls(found)


async def test_an_engine_is_asked_in_the_language_of_the_words() -> None:
    engine = SearxngWeb([result("https://b.test/电网", "智能电网", "变电站与输电线路", ["baidu"])])
    async with WebServer(engine) as server:
        found = await seeds.ask_engine(seeds.plan_search("变电站"), server.proxy)
    assert [(one.title, one.matched) for one in found.suggestions] == [("智能电网", ("变电站",))]


@pytest.mark.parametrize(
    ("wanted", "complaint"),
    [
        ({"words": " , "}, "WORDS must name at least one word"),
        ({"words": "电网=x"}, "'电网' has 'x'"),
        ({"words": "grid", "hosts": ["a b"]}, "--host must be a host name"),
        ({"words": "grid", "choose": "1", "keep_all": True}, "either --choose or --all"),
        ({"words": "grid", "keep_all": True}, "Say where to keep what you choose"),
        ({"words": "grid", "topic_file": Path("no/t.toml")}, "there is no folder no"),
        ({"words": "grid", "asking": {"proxy": "nonsense"}}, "--proxy must be a URL"),
        ({"words": "grid", "environ": {"SHOAL_PROXY": "nonsense"}}, "SHOAL_PROXY must be a URL"),
    ],
)
def test_what_cannot_be_wanted_is_told_before_anybody_is_asked(wanted: dict[str, Any], complaint: str) -> None:
    with pytest.raises(InputError, match=complaint):
        seeds.plan_search(**wanted)


async def test_a_place_that_is_none_is_one_sentence(tmp_path: Path) -> None:
    wanted = seeds.plan_search(called="--match")
    for place, complaint in (
        ("list.xml", r"neither a URL nor a file that is there; did you mean https://list\.xml\?"),
        (str(tmp_path), "is a folder; give a file, or a URL"),
        ("http://", "is not a URL that can be asked for"),
        ("a\0b", "cannot be read"),
    ):
        with pytest.raises(InputError, match=complaint):
            await seeds.read_place(wanted, place)
    with pytest.raises(InputError, match="Say which SearXNG instance to ask"):
        await seeds.ask_engine(seeds.plan_search("grid"), "")


def test_a_file_that_seeds_cannot_go_into_is_one_sentence(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="is not there yet; say with --match which words"):
        seeds.check_topic_file(tmp_path / "t.toml", seeds.plan_search(called="--match"))
    seeds.check_topic_file(tmp_path / "t.toml", seeds.plan_search("grid"))
