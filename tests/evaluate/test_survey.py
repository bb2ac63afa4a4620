"""A survey follows links as a crawl would: robots.txt, nofollow, redirects and scope, worked by hand on small webs."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from shoal.evaluate.generated.synthetic_web import SyntheticWeb
from shoal.evaluate.simulation import simulate
from shoal.evaluate.survey import Ground, Survey, cache_folder, kept_survey, stamp_of, survey
from shoal.settings import Budget, Fetching, Scope, Settings
from shoal.testing.webserver import WebAnswer
from tests.evaluate.recording import CHINESE
from tests.evaluate.small import HOME, SmallWeb, linked, settings, url_of


def reached(web: SmallWeb, given: Settings | None = None) -> list[str]:
    """The names of all pages that can be reached."""
    given = given or settings()
    ground = Ground(survey(web, user_agent=given.fetching.user_agent), given)
    return sorted(url.removeprefix("http://") for url in ground.names(ground.reachable))


# --- links -----------------------------------------------------------------------------------------------------------


def test_links_as_numbers_in_the_order_of_each_page() -> None:
    found = survey(linked(home="b a missing b", a="home", b=""))
    assert found.urls == (HOME, url_of("a"), url_of("b"))
    assert (found.pages, found.starts, found.links) == (3, (0, 2, 3, 3), (2, 1, 0))


def test_what_no_link_leads_to_is_not_reached() -> None:
    assert reached(linked(home="a", a="", island="a")) == ["a.test/", "a.test/a"]


def test_nofollow_of_a_link_and_of_a_page() -> None:
    web = linked(a="hidden", hidden="", b="")
    web.simple.page(HOME, links=["/a"], head='<link rel="canonical nofollow" href="/b">')
    web.simple.page(url_of("a"), links=["/hidden"], head='<meta name="robots" content="nofollow">')
    assert reached(web) == ["a.test/", "a.test/a"]


def test_what_a_page_asks_of_one_crawler_holds_for_that_one() -> None:
    web = linked(home="a", b="")
    web.simple.page(url_of("a"), links=["/b"], head='<meta name="mybot" content="nofollow">')
    assert reached(web) == ["a.test/", "a.test/a", "a.test/b"]
    assert reached(web, settings(fetching=Fetching(user_agent="MyBot/2.0"))) == ["a.test/", "a.test/a"]


def test_a_page_that_asks_not_to_be_kept_is_followed_but_not_there_to_be_found() -> None:
    web = linked(home="a", r1="")
    web.simple.page(url_of("a"), "grid", links=["/r1"], head='<meta name="robots" content="noindex">')
    ground = Ground(survey(web), settings())
    assert ground.names(ground.relevant([url_of("a"), url_of("r1")])) == [url_of("r1")]


def test_chinese_in_gbk() -> None:
    web = SmallWeb()
    web.simple.raw(HOME, CHINESE.encode("gbk")).page(url_of("zhan"), "变电站")
    assert reached(web) == ["a.test/", "a.test/zhan"]


# --- redirects -------------------------------------------------------------------------------------------------------


def test_a_redirect_is_the_page_it_leads_to() -> None:
    web = linked(home="old", new="a", a="")
    web.simple.redirect(url_of("old"), "/older").redirect(url_of("older"), "/new")
    assert reached(web) == ["a.test/", "a.test/a", "a.test/new"]


def test_a_redirect_to_a_path_in_gbk_arrives() -> None:
    web = linked(home="old")
    web.simple.redirect(url_of("old"), "电网".encode("gbk").decode("latin-1")).page(url_of("%B5%E7%CD%F8"), "电网")
    assert reached(web) == ["a.test/", "a.test/%B5%E7%CD%F8"]


def test_a_redirect_with_spaces_around_it_leads_where_a_crawl_goes() -> None:
    web = linked(home="old", new="")
    web.simple.redirect(url_of("old"), " /new\t")
    assert reached(web) == ["a.test/", "a.test/new"]
    assert {page.url for page in simulate(web, settings()).pages} == {HOME, url_of("new")}


def test_redirects_that_never_end_lead_nowhere() -> None:
    web = linked(home="one away")
    web.simple.redirect(url_of("one"), "/two").redirect(url_of("two"), "/one").redirect(url_of("away"), "/missing")
    assert reached(web) == ["a.test/"]


def test_a_label_on_an_address_that_sends_elsewhere_counts_for_the_page() -> None:
    web = linked(home="old", new="")
    web.simple.redirect(url_of("old"), "/new")
    ground = Ground(survey(web), settings())
    assert ground.names(ground.relevant([url_of("old"), url_of("new"), url_of("unknown")])) == [url_of("new")]


def test_a_seed_may_be_a_redirect() -> None:
    web = linked(home="a", a="")
    web.simple.redirect("http://old.test/", HOME)
    seeds = ("http://old.test/",)
    ground = Ground(survey(web, also=seeds), settings(seeds=seeds))
    assert sorted(ground.names(ground.reachable)) == [HOME, url_of("a")]


# --- what may be asked -----------------------------------------------------------------------------------------------


def test_robots_txt_holds_for_pages_seeds_and_stations_on_the_way() -> None:
    web = linked(home="private a old", private="b", a="", b="")
    web.simple.redirect(url_of("old"), "/b").robots("a.test", "User-agent: shoal\nDisallow: /private\nDisallow: /old\n")
    assert reached(web) == ["a.test/", "a.test/a"]
    assert reached(web, settings(seeds=(url_of("private"),))) == []


def test_robots_txt_is_read_for_the_name_we_go_by() -> None:
    web = linked(home="a", a="")
    web.simple.robots("a.test", "User-agent: other\nDisallow: /a\n")
    assert reached(web) == ["a.test/", "a.test/a"]
    assert reached(web, settings(fetching=Fetching(user_agent="Other/1.0"))) == ["a.test/"]


@pytest.mark.parametrize(("status", "pages"), [(404, 2), (403, 2), (500, 0), (429, 0)])
def test_a_robots_txt_that_cannot_be_read(status: int, pages: int) -> None:
    web = linked(home="a", a="")
    web.simple.robots("a.test", "nothing", status=status)
    assert len(reached(web)) == pages


def test_a_robots_txt_that_lies_elsewhere() -> None:
    web = linked(home="a", a="")
    web.simple.redirect("http://a.test/robots.txt", "http://b.test/robots.txt")
    web.simple.robots("b.test", "User-agent: *\nDisallow: /a\n")
    assert reached(web) == ["a.test/"]


def test_scope_holds_for_links_and_for_where_redirects_lead_but_not_for_seeds() -> None:
    web = linked(home="a old", a="")
    web.simple.page(HOME, links=["/a", "/old", "http://b.test/"]).page("http://b.test/").page("http://c.test/")
    web.simple.redirect(url_of("old"), "http://c.test/")
    host = Scope(kind="host")
    assert reached(web, settings(scope=host)) == ["a.test/", "a.test/a"]
    assert reached(web, settings(scope=Scope(include=("*/a",)))) == ["a.test/", "a.test/a"]
    assert reached(web) == ["a.test/", "a.test/a", "b.test/", "c.test/"]


def test_no_further_than_the_depth_limit() -> None:
    web = linked(home="a", a="b", b="c", c="")
    assert reached(web, settings(budget=Budget(max_depth=2))) == ["a.test/", "a.test/a", "a.test/b"]


# --- against a crawl, and against who made the web -------------------------------------------------------------------


def test_a_crawl_without_a_budget_fetches_exactly_what_is_reachable() -> None:
    web = linked(home="a private old island2", a="b", b="home", private="c", c="", island="b", new="c")
    web.simple.redirect(url_of("old"), "/new").robots("a.test", "User-agent: *\nDisallow: /private\n")
    pages = simulate(web, settings(strategy="breadth")).pages
    assert sorted(page.url.removeprefix("http://") for page in pages) == reached(web)


@pytest.mark.slow
def test_of_the_generated_web_it_finds_what_its_maker_knows(web: SyntheticWeb, surveyed: Survey) -> None:
    for topic in web.topics:
        ground = Ground(surveyed, Settings(topic=web.topic(topic), seeds=web.seeds(topic)))
        pages = {url for url in web.reachable(web.seeds(topic)) if web.pages[url].status == 200}
        assert set(ground.names(ground.reachable)) == pages
        about = [url for url, page in web.pages.items() if topic in page.topics and page.note in ("article", "hub")]
        assert frozenset(ground.names(ground.relevant(about))) == web.relevant(topic)


@pytest.mark.slow
def test_several_processes_find_the_same() -> None:
    names = [f"p{number}" for number in range(600)]  # three chunks
    web = linked(home=" ".join(names), **dict.fromkeys(names, "home p7"))
    heard: list[tuple[int, int]] = []
    assert survey(web, processes=2, progress=lambda done, of: heard.append((done, of))) == survey(web)
    assert len(heard) == 3
    assert heard[-1] == (601, 601)


# --- kept for the next time ------------------------------------------------------------------------------------------


class Closed(SmallWeb):
    """A web that nobody may look into any more."""

    def answer(self, url: str, nth: int = 0) -> WebAnswer | None:
        raise AssertionError(f"{url} is asked for again")


def test_the_second_time_no_page_is_read(tmp_path: Path) -> None:
    web = linked(home="a", a="")
    first = kept_survey(web, "stamp", tmp_path / "new" / "folder")
    assert kept_survey(Closed(web.simple), "stamp", tmp_path / "new" / "folder") == first
    with pytest.raises(AssertionError, match="asked for again"):
        kept_survey(Closed(web.simple), "another", tmp_path / "new" / "folder")
    with pytest.raises(AssertionError, match="asked for again"):
        kept_survey(Closed(web.simple), "stamp", tmp_path / "new" / "folder", user_agent="Other/1.0")


@pytest.mark.parametrize("content", [b"", b"\x81", b"not a survey"])
def test_what_is_not_a_whole_survey_is_made_again(tmp_path: Path, content: bytes) -> None:
    web = linked(home="a", a="")
    first = kept_survey(web, "stamp", tmp_path)
    [file] = tmp_path.iterdir()
    file.write_bytes(content)
    assert kept_survey(web, "stamp", tmp_path) == first
    assert isinstance(kept_survey(Closed(web.simple), "stamp", tmp_path), Survey)


def test_a_place_that_cannot_be_written_to_costs_only_time(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    assert kept_survey(linked(home=""), "stamp", tmp_path / "file").pages == 1


def test_the_stamp_changes_with_the_file_and_with_the_pages(tmp_path: Path) -> None:
    file = tmp_path / "web.warc"
    file.write_bytes(b"one")
    web = linked(home="")
    stamps = [stamp_of(str(file), web), stamp_of(str(tmp_path), web)]
    assert stamps[0] == stamps[1], "a folder with this file is this file"
    file.write_bytes(b"three")
    stamps.append(stamp_of(str(file), web))
    os.utime(file, (1, 1))
    stamps.append(stamp_of(str(file), web))
    stamps += [
        stamp_of("generated", web),
        stamp_of("generated", linked(home="a")),
        stamp_of(str(file), SmallWeb(name="b")),
    ]
    assert len(set(stamps)) == len(stamps) - 1


@pytest.mark.parametrize(
    ("environ", "folder"),
    [
        ({"SHOAL_CACHE_DIR": "/x"}, "/x/surveys"),
        ({"XDG_CACHE_HOME": "/c"}, "/c/shoal/surveys"),
        ({"XDG_CACHE_HOME": "relative"}, f"{Path.home()}/.cache/shoal/surveys"),
        ({}, f"{Path.home()}/.cache/shoal/surveys"),
    ],
)
def test_where_surveys_are_kept(environ: dict[str, str], folder: str) -> None:
    assert str(cache_folder(environ)) == folder
