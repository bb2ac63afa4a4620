"""Which crawl is meant by what was typed? One of the installation, by its name; or that of a folder."""

from __future__ import annotations

import shutil
import unicodedata
from pathlib import Path

import pytest

from shoal.errors import InputError, NotAllowed, UnknownCrawl
from shoal.installation import people
from shoal.installation.installation_database import writing
from shoal.installation.location import Installation
from shoal.installation.permissions import Act
from shoal.model import Term, Topic
from shoal.model.person import OPERATOR, Person, Role
from shoal.services import catalog, overview
from shoal.settings import Cluster, Settings
from shoal.store import crawl_folder as folders

SETTINGS = Settings(topic=Topic(name="grid", terms=(Term(text="grid"),)), seeds=("http://a.test/",))


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Installation:
    """With three crawls; whoever types stands in an empty folder."""
    found = Installation(home=tmp_path / "home")
    for name in ("power-grid", "电网", "solar"):
        folders.create(found.crawls / name, SETTINGS)
    (found.crawls / "notes").mkdir()
    (tmp_path / "here").mkdir()
    monkeypatch.chdir(tmp_path / "here")
    return found


@pytest.mark.parametrize("name", ["power-grid", "电网"])
def test_a_crawl_is_found_by_its_name(home: Installation, name: str) -> None:
    assert catalog.find_crawl(home, name) == home.crawls / name


def test_the_same_letters_in_another_spelling_are_the_same_name(home: Installation) -> None:
    folders.create(home.crawls / "réseau", SETTINGS)
    assert catalog.find_crawl(home, unicodedata.normalize("NFD", "réseau")) == home.crawls / "réseau"


@pytest.mark.parametrize("said", ["./elsewhere", "/tmp/x", "..", "a/b"])
def test_what_has_a_slash_is_a_folder_whether_it_is_there_or_not(home: Installation, said: str) -> None:
    assert catalog.find_crawl(home, said) == Path(said)


def test_a_folder_of_this_folder_needs_no_slash(home: Installation) -> None:
    folders.create(Path("mine"), SETTINGS)
    assert catalog.find_crawl(home, "mine") == Path("mine")


def test_two_of_one_name_are_told_apart_by_the_user(home: Installation) -> None:
    folders.create(Path("solar"), SETTINGS)
    with pytest.raises(InputError, match=r"Two crawls are called solar: one in this folder, one in .*/crawls/solar\."):
        catalog.find_crawl(home, "solar")


def test_who_stands_in_the_home_itself_means_one_and_the_same(
    home: Installation, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(home.crawls)
    assert catalog.find_crawl(home, "solar") == home.crawls / "solar"


def test_an_unknown_name_brings_the_nearest(home: Installation) -> None:
    with pytest.raises(UnknownCrawl, match=r'^There is no crawl called "powergrid"; did you mean power-grid\?$'):
        catalog.find_crawl(home, "powergrid")


def test_or_all_there_are(home: Installation) -> None:
    with pytest.raises(UnknownCrawl, match=r'^There is no crawl called "xyz": there are power-grid, solar, 电网\.$'):
        catalog.find_crawl(home, "xyz")


def test_many_are_not_all_listed(home: Installation) -> None:
    for number in range(20):
        folders.create(home.crawls / f"c{number:02}", SETTINGS)
    assert str(catalog.no_crawl_named(home)).endswith("c11 and 11 more (shoal crawls).")


@pytest.mark.parametrize("said", ["x" * 300, "电" * 90, "a\0b"])
def test_what_no_folder_can_be_called_is_no_crawl(home: Installation, said: str) -> None:
    with pytest.raises(UnknownCrawl, match="There is no crawl called"):
        catalog.find_crawl(home, said)


def test_where_there_is_none_it_says_how_to_begin(tmp_path: Path) -> None:
    with pytest.raises(UnknownCrawl, match=r"there are none here yet\. Start one with 'shoal crawl'\.$"):
        catalog.find_crawl(Installation(home=tmp_path / "nothing"), "grid")


def test_a_home_that_is_a_file_has_no_crawls(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    assert list(catalog.crawl_folders(Installation(home=tmp_path / "file"))) == []


# --- new ones --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("topic", "name"),
    [
        ("Power grid, 电网", "power-grid-电网"),
        ("C++", "c"),
        ("!?", "crawl"),
        ("变电站", "变电站"),
        ("x" * 59 + " y", "x" * 59),
    ],
)
def test_a_topic_names_its_crawl(topic: str, name: str) -> None:
    assert catalog.name_for(topic) == name


def test_a_new_crawl_is_kept_in_the_home(home: Installation) -> None:
    assert catalog.place_for(home, "风电") == home.crawls / "风电"


def test_a_name_that_is_taken_is_refused(home: Installation) -> None:
    with pytest.raises(InputError, match="There is a crawl called solar already: go on with 'shoal resume solar'"):
        catalog.place_for(home, "solar")


@pytest.mark.parametrize("name", ["", " ", "a/b", "..", ".hidden", "-x", "a\nb", "电" * 70, " a"])
def test_what_nobody_could_type_or_keep_is_no_name(home: Installation, name: str) -> None:
    with pytest.raises(InputError, match="A crawl cannot be called"):
        catalog.place_for(home, name)


# --- kept elsewhere --------------------------------------------------------------------------------------------------


def test_a_crawl_elsewhere_is_found_by_its_name_once_it_was_written_down(home: Installation, tmp_path: Path) -> None:
    folders.create(tmp_path / "风电", SETTINGS)
    with pytest.raises(UnknownCrawl):
        catalog.find_crawl(home, "风电")
    catalog.write_down(home, tmp_path / "风电", now=lambda: 5.0)
    catalog.write_down(home, tmp_path / "风电", now=lambda: 6.0)
    assert catalog.find_crawl(home, "风电") == tmp_path / "风电"
    assert [name for name, _ in catalog.crawl_folders(home)] == ["power-grid", "solar", "电网", "风电"]


def test_a_crawl_elsewhere_hides_behind_none_at_home(home: Installation, tmp_path: Path) -> None:
    for name in ("solar", "wind", "wind-2"):
        folders.create(tmp_path / name, SETTINGS)
        catalog.write_down(home, tmp_path / name)
    assert catalog.find_crawl(home, "solar") == home.crawls / "solar"
    assert catalog.find_crawl(home, "solar-2") == tmp_path / "solar"
    folders.create(home.crawls / "wind", SETTINGS)  # as by somebody who copies a folder
    assert catalog.find_crawl(home, "wind") == home.crawls / "wind"
    assert catalog.find_crawl(home, "wind-2") == tmp_path / "wind-2"
    assert catalog.find_crawl(home, "wind-3") == tmp_path / "wind"
    assert len(overview.list_crawls(home)) == 7


def test_a_crawl_at_home_need_not_be_written_down(home: Installation) -> None:
    catalog.write_down(home, home.crawls / "电网")
    assert not home.file.exists()


def test_of_one_that_is_written_down_and_gone_the_list_says_so(home: Installation, tmp_path: Path) -> None:
    folders.create(tmp_path / "gone", SETTINGS)
    catalog.write_down(home, tmp_path / "gone")
    shutil.rmtree(tmp_path / "gone")
    with pytest.raises(
        UnknownCrawl, match=r"^The crawl gone is gone: .* 'shoal crawls --forget gone' takes it off the list\.$"
    ):
        catalog.find_crawl(home, "gone")
    problems = {crawl.name: crawl.problem for crawl in overview.list_crawls(home) if crawl.problem}
    assert list(problems) == ["gone"]
    assert problems["gone"] == f"The folder {tmp_path / 'gone'} is gone."
    assert catalog.take_off_list(home, "gone") == tmp_path / "gone"
    assert "gone" not in dict(catalog.crawl_folders(home))


def test_a_crawl_of_another_machine_has_its_name_here_too(postgres: str, tmp_path: Path) -> None:
    cluster = Cluster(database=postgres)
    folders.create(tmp_path / "there" / "电网", SETTINGS, cluster=cluster)
    here = Installation(home=tmp_path / "here", database=postgres)
    assert catalog.find_crawl(here, "电网") == here.crawls / "电网"
    assert [(crawl.name, crawl.topic) for crawl in overview.list_crawls(here)] == [("电网", SETTINGS.topic.name)]
    with folders.reading(catalog.find_crawl(here, "电网")) as database:
        assert folders.read_settings(here.crawls / "电网", database).topic == SETTINGS.topic
    assert not here.crawls.exists(), "who only looks leaves nothing behind"


# --- whose -----------------------------------------------------------------------------------------------------------


def person(home: Installation, name: str, role: Role = Role.MEMBER) -> Person:
    with writing(home) as connection:
        return people.add(connection, name=name, role=role, now=0.0)


@pytest.fixture
def ada(home: Installation) -> Person:
    """A member, who has one crawl at home and one elsewhere."""
    ada, elsewhere = person(home, "Ada"), home.home.parent / "elsewhere" / "wind"
    folders.create(elsewhere, SETTINGS)
    for folder in (home.crawls / "solar", elsewhere):
        catalog.write_down(home, folder, ada)
    return ada


def seen(home: Installation, asker: Person) -> list[str]:
    return sorted(crawl.name for crawl in overview.list_crawls(home, asker))


def test_a_person_sees_what_is_theirs_and_who_administers_sees_all(home: Installation, ada: Person) -> None:
    everything = ["power-grid", "solar", "wind", "电网"]
    assert seen(home, ada) == ["solar", "wind"]
    assert seen(home, person(home, "Bob")) == []
    assert seen(home, OPERATOR) == seen(home, person(home, "Eve", Role.ADMINISTRATOR)) == everything
    assert catalog.find_crawl(home, "solar", ada, Act.CHANGE) == home.crawls / "solar"


@pytest.mark.parametrize("said", ["power-grid", "电网", "../home/crawls/power-grid", "no-such"])
def test_what_others_have_is_not_there_by_any_name(home: Installation, ada: Person, said: str) -> None:
    with pytest.raises(UnknownCrawl, match=r"^There is no crawl called .*: there are solar, wind\.$"):
        catalog.find_crawl(home, said, ada)


def test_a_viewer_reads_what_is_theirs_and_changes_nothing(home: Installation, ada: Person) -> None:
    with writing(home) as connection:
        viewer = people.change_role(connection, str(ada.id), Role.VIEWER)
    assert catalog.find_crawl(home, "wind", viewer).name == "wind"
    with pytest.raises(NotAllowed, match=r"^Ada may not change the crawl wind: ask its owner or an administrator\."):
        catalog.find_crawl(home, "wind", viewer, Act.CHANGE)
    with pytest.raises(NotAllowed, match=r"^Ada may look at crawls, but not start one: ask an administrator\."):
        catalog.place_for(home, "new", viewer)
    assert catalog.place_for(home, "new", ada) == home.crawls / "new"


def test_a_crawl_that_took_the_place_of_theirs_is_not_theirs(home: Installation, ada: Person) -> None:
    shutil.rmtree(home.crawls / "solar")
    folders.create(home.crawls / "solar", SETTINGS)
    assert seen(home, ada) == ["wind"]


def test_whose_crawl_it_was_is_the_operators_when_they_have_left(home: Installation, ada: Person) -> None:
    with writing(home) as connection:
        people.remove(connection, str(ada.id))
    assert seen(home, ada) == []
