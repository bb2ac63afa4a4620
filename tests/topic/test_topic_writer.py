"""Topic files that a person can edit, and files that keep what a person wrote."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from msgspec.structs import replace

from shoal.errors import InputError
from shoal.model import Origin, Term, Topic
from shoal.topic.setting_readers import Names
from shoal.topic.term_weights import TermStatistics
from shoal.topic.topic_file import read_topic
from shoal.topic.topic_writer import add_seeds, new_topic_file, topic_text

NAMES = Names(strategies=("best-first",), judges=("cosine",))
SEEDS = ["https://example.org/", "http://x.example/%E7%94%B5"]
LEARNED = Topic(
    name='电网 "smart"',
    terms=(
        Term(text="power grid", weight=2.0, factor=3.0),
        Term(text="变压器", weight=0.4234567, factor=1.0, origin=Origin.SEEDS),
        Term(text='a.b "c"', weight=0.25, factor=2.0, origin=Origin.ADAPTED),
    ),
    negative=(Term(text="fan", weight=0.5),),
    languages=("zh", "en"),
    threshold=0.2,
)


def back(path: Path) -> Topic:
    return read_topic(path, names=NAMES, seeds_needed=False).topic


def test_a_topic_comes_back_as_it_was_written(tmp_path: Path) -> None:
    path = tmp_path / "grid.toml"
    new_topic_file(path, LEARNED, SEEDS)
    settings = read_topic(path, names=NAMES)
    assert settings.seeds == tuple(SEEDS)
    # factors are written in proportion to their mean, (3 + 1 + 2) / 3 = 2; what feedback found counts as learned
    assert settings.topic == replace(
        LEARNED,
        terms=(
            Term(text="power grid", weight=2.0, factor=1.5),
            Term(text="变压器", weight=0.423, factor=0.5, origin=Origin.SEEDS),
            Term(text='a.b "c"', weight=0.25, factor=1.0, origin=Origin.SEEDS),
        ),
        negative=(Term(text="fan", weight=0.5, factor=0.5),),
    )


def test_it_says_where_each_word_came_from() -> None:
    found = {"power grid": TermStatistics(count=0, samples=0), "变压器": TermStatistics(count=1200, samples=3)}
    lines = topic_text(LEARNED, SEEDS, found=found).splitlines()
    assert lines[0].startswith("# A topic for shoal")
    assert '"power grid" = {weight = 2.0, factor = 1.5} # typed: in none of the samples' in lines
    assert '"变压器" = {weight = 0.423, factor = 0.5} # from the samples: 1,200 times in 3' in lines
    assert '"a.b \\"c\\"" = 0.25 # learned while crawling' in lines


def test_typed_words_alone_need_no_factors() -> None:
    text = topic_text(Topic(name="grid", terms=(Term(text="grid"), Term(text="电网", weight=0.5))), [])
    assert '[keywords]\ngrid = 1.0 # typed\n"电网" = 0.5 # typed\n' in text
    assert "factor" not in text
    assert "# The URLs a crawl begins at; there must be one.\nseeds = []" in text


def test_several_topics_come_back_too(tmp_path: Path) -> None:
    path = tmp_path / "both.toml"
    everyones = Term(text="toy", weight=2.0)
    parts = (
        Topic(name="a", terms=(Term(text="grid"),), negative=(Term(text="fan"), everyones), threshold=0.4),
        Topic(name="b", terms=(Term(text="电网"),), negative=(everyones,), threshold=0.2),
    )
    both = Topic(name="both", terms=(*parts[0].terms, *parts[1].terms), negative=(everyones,), threshold=0.2, any=parts)
    new_topic_file(path, both, SEEDS)
    assert back(path) == both


def test_a_file_is_not_replaced_by_accident(tmp_path: Path) -> None:
    path = tmp_path / "grid.toml"
    path.write_text("precious", encoding="utf-8")
    path.chmod(0o640)
    with pytest.raises(InputError, match="is there already; give it another name, or say --force to replace it"):
        new_topic_file(path, LEARNED, SEEDS)
    assert path.read_text(encoding="utf-8") == "precious"
    new_topic_file(path, LEARNED, SEEDS, overwrite=True)
    assert back(path).name == LEARNED.name
    assert path.stat().st_mode & 0o777 == 0o640
    assert os.listdir(tmp_path) == ["grid.toml"]


def test_where_nothing_can_be_written(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"^Cannot write .*/grid.toml: No such file or directory\.$"):
        new_topic_file(tmp_path / "nowhere" / "grid.toml", LEARNED, SEEDS)
    with pytest.raises(InputError, match=r"^Cannot write .*: Is a directory\.$"):
        new_topic_file(tmp_path, LEARNED, SEEDS, overwrite=True)
    assert os.listdir(tmp_path) == []


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (
            '# mine\nname = "x" # c\nseeds = [\n  # first\n  "http://a.test/", # home\n]\n\n# words\n[keywords]\na = 1\n',
            '# mine\nname = "x" # c\nseeds = [\n  # first\n  "http://a.test/", # home\n  "http://b.test/",\n]\n\n# words\n'
            "[keywords]\na = 1\n",
        ),
        (
            'seeds = ["http://a.test/"] # one\nkeywords = ["电网"]\n',
            'seeds = ["http://a.test/", "http://b.test/"] # one\nkeywords = ["电网"]\n',
        ),
        (
            'seeds = "http://a.test/" # one\nname="x"\n',
            'seeds = [\n    "http://a.test/",\n    "http://b.test/",\n] # one\nname="x"\n',
        ),
    ],
)
def test_seeds_are_added_and_all_else_stays(tmp_path: Path, before: str, after: str) -> None:
    path = tmp_path / "grid.toml"
    path.write_text(before, encoding="utf-8")
    assert add_seeds(path, ["http://b.test", "http://A.test/"]) == ("http://b.test/",)
    assert path.read_text(encoding="utf-8") == after
    assert add_seeds(path, ["http://b.test/"]) == ()


def test_a_file_without_seeds_gets_them_above_its_tables(tmp_path: Path) -> None:
    path = tmp_path / "grid.toml"
    path.write_text("# mine\n# all mine\n\n[keywords]\na=1 # w\n", encoding="utf-8")
    assert add_seeds(path, ["http://b.test/"]) == ("http://b.test/",)
    assert path.read_text(encoding="utf-8") == (
        '# mine\n# all mine\nseeds = [\n    "http://b.test/",\n]\n\n[keywords]\na=1 # w\n'
    )


@pytest.mark.parametrize(
    ("before", "urls", "sentence"),
    [
        (None, ["http://b.test/"], "there is no such topic file"),
        (b"name = '\xb5\xe7'", ["http://b.test/"], "is not UTF-8 text"),
        (b"name = ", ["http://b.test/"], "is not TOML: "),
        (b"max_pages = " + b"9" * 5000, ["http://b.test/"], "is not TOML: a number in it has too many digits"),
        (b"name = " + b"[" * 2000, ["http://b.test/"], "is not TOML: its values are too deep within each other"),
        (b"seeds = 5", ["http://b.test/"], "seeds must be one line of text, not 5"),
        (b"seeds = []", ["b.test"], "seeds must be whole URLs, but 'b.test' has no scheme"),
    ],
)
def test_what_cannot_be_added_is_one_sentence(
    tmp_path: Path, before: bytes | None, urls: list[str], sentence: str
) -> None:
    path = tmp_path / "grid.toml"
    if before is not None:
        path.write_bytes(before)
    with pytest.raises(InputError) as caught:
        add_seeds(path, urls)
    assert sentence in str(caught.value)
    assert "\n" not in str(caught.value)
    assert before is None or path.read_bytes() == before
