"""Webs to measure on are found with their topics and labels; what is missing is one sentence."""

from __future__ import annotations

import pickle
from collections.abc import Sequence
from pathlib import Path

import pytest

from shoal.errors import InputError
from shoal.evaluate.generated.sites import SITES
from shoal.evaluate.generated.synthetic_web import SyntheticWeb
from shoal.evaluate.offline_web import MeasuredWeb, open_web
from tests.evaluate.recording import CHINESE, page, redirect, response, save

pytestmark = pytest.mark.slow

HOME, NEXT, CHINA = "http://a.test/", "http://a.test/next", "http://zh.test/"
TOPIC = 'name = "Power grid"\nseeds = ["http://a.test/"]\nkeywords = "grid, 电网"\n'


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A web with two topics: one says what it is called in the labels, the other is called as its file is."""
    make_web(tmp_path, "small")
    return tmp_path


def make_web(folder: Path, name: str) -> None:
    chinese = response(CHINA, CHINESE.encode("gbk"))
    save(
        folder / f"{name}.warc.gz",
        page(HOME, "grid", NEXT),
        page(NEXT, "rail"),
        chinese,
        redirect("http://c.test/", HOME),
    )
    (folder / f"{name}.labels.tsv").write_text(f"{HOME}\tpower\n{CHINA}\tpower\n{NEXT}\trail\n")
    (folder / f"{name}.grid.toml").write_text('label = "power"\n' + TOPIC)
    (folder / f"{name}.rail.toml").write_text(TOPIC)


def complaint(source: Path | str, *, labels: Path | None = None, topics: Sequence[Path] = ()) -> str:
    with pytest.raises(InputError) as caught, open_web(str(source), labels=labels, topics=topics):
        pass
    return str(caught.value)


def names(webs: Sequence[MeasuredWeb]) -> list[tuple[str, list[str]]]:
    return [(one.web.name, [subject.name for subject in one.subjects]) for one in webs]


# --- recorded webs ---------------------------------------------------------------------------------------------------


def test_a_recording_is_measured_by_what_stands_beside_it(folder: Path) -> None:
    with open_web(str(folder / "small.warc.gz")) as (measured,):
        assert set(measured.web.urls()) == {HOME, NEXT, CHINA}
        grid, rail = measured.subjects
        assert (grid.name, grid.settings.label, grid.labelled) == ("grid", "power", frozenset((HOME, CHINA)))
        assert (rail.name, rail.settings.label, rail.labelled) == ("rail", "rail", frozenset((NEXT,)))
        assert grid.settings.seeds == (HOME,)
        assert [term.text for term in grid.settings.topic.terms] == ["grid", "电网"]


def test_topics_and_labels_can_be_given(folder: Path, tmp_path: Path) -> None:
    labels, topic = tmp_path / "mine.tsv", tmp_path / "mine.toml"
    labels.write_text(f"{NEXT}\tmine\n")
    topic.write_text(TOPIC)
    with open_web(str(folder / "small.warc.gz"), labels=labels, topics=[topic]) as (measured,):
        assert [(subject.name, subject.labelled) for subject in measured.subjects] == [("mine", frozenset((NEXT,)))]


def test_a_folder_is_all_its_webs(folder: Path) -> None:
    make_web(folder, "other[1]")
    with open_web(str(folder)) as webs:
        assert names(webs) == [("other[1]", ["grid", "rail"]), ("small", ["grid", "rail"])]
        assert all(one.web.answer(HOME) for one in webs)


def test_a_web_can_be_sent_to_another_process(folder: Path) -> None:
    with open_web(str(folder / "small.warc.gz")) as (measured,):
        copy = pickle.loads(pickle.dumps(measured))
        assert copy.subjects == measured.subjects
        assert copy.web.answer(CHINA) == measured.web.answer(CHINA)
        copy.web.close()


def test_labels_for_pages_that_are_not_there_are_a_warning(folder: Path) -> None:
    with (folder / "small.labels.tsv").open("a") as table:
        table.write("http://c.test/\tpower\nhttp://gone.test/\trail\n")
    warnings: list[str] = []
    with open_web(str(folder / "small.warc.gz"), warn=warnings.append) as (measured,):
        # c.test redirects, and counts for where it leads.
        assert measured.subjects[0].labelled == {HOME, CHINA, "http://c.test/"}
    (warning,) = warnings
    assert warning.endswith("1 of 5 labelled URLs are not pages of the web and do not count: http://gone.test/.")


def test_mistakes_are_one_sentence(folder: Path) -> None:
    web, labels = folder / "small.warc.gz", folder / "small.labels.tsv"
    assert complaint(folder / "no.warc") == (
        f"{folder}/no.warc: there is no such file or folder; a web is a WARC file, or 'generated'"
    )
    assert complaint(folder, labels=labels) == (
        f"{folder} is a folder: labels and topic files belong to one web, so name its WARC file."
    )
    labels.write_text(f"{HOME}\tpower\nhttp://gone.test/\trail\n")
    assert complaint(web) == f"{labels}: no page of the web is labelled 'rail'"
    labels.write_text(f"{HOME}\tpower\n")
    assert complaint(web) == (
        f"{labels}: no page is labelled 'rail', which {folder}/small.rail.toml asks for; its topics are power"
    )
    labels.write_text("http://gone.test/\tpower\nhttp://gone.test/\trail\n")
    assert complaint(web).startswith(f"{labels}: not one of its 1 URLs is a page of the web")
    (folder / "small.rail.toml").unlink()
    (folder / "small.grid.toml").unlink()
    assert complaint(web) == f"{web}: there is no topic file beside it, such as small.TOPIC.toml"
    labels.unlink()
    assert complaint(web) == f"{labels}: there is no such file of labels"
    web.unlink()
    assert complaint(folder) == f"{folder}: there is no WARC file in this folder"


# --- the generated web -----------------------------------------------------------------------------------------------


def test_the_generated_web_knows_its_own_truth(web: SyntheticWeb) -> None:
    with open_web("generated") as (measured,):
        assert measured.web.name == "generated"
        grid = next(subject for subject in measured.subjects if subject.name == "power-grid")
        assert grid.labelled == web.relevant("power-grid")
        assert grid.settings.topic == web.topic("power-grid")
        assert grid.labelled <= set(measured.web.urls())
        seed = measured.web.answer(grid.settings.seeds[0])
        assert seed is not None
        assert seed.body == web.pages[grid.settings.seeds[0]].body
        assert measured.web.answer("http://nowhere.test/") is None
        copy = pickle.loads(pickle.dumps(measured.web))
        assert copy.urls() == measured.web.urls()


def test_some_generated_hosts_refuse_their_first_requests_when_somebody_counts(web: SyntheticWeb) -> None:
    host = next(site.host for site in SITES if site.refuses)
    url = next(url for url, page in web.pages.items() if url.startswith(f"http://{host}/") and page.status == 200)
    with open_web("generated") as (measured,):
        first, any_other = measured.web.answer(url, 1), measured.web.answer(url)
        assert first is not None
        assert any_other is not None
        assert (first.status, any_other.status) == (429, 200)


def test_another_seed_is_another_web() -> None:
    with open_web("generated:8") as (measured,):
        assert measured.web.name == "generated:8"
    assert complaint("generated:x") == (
        "'generated:x': the seed of the generated web is a whole number, as in generated:7."
    )
    assert complaint("generated", topics=[Path("x.toml")]) == (
        "The generated web has its own topics and labels: leave --labels and topic files out."
    )
