"""A typing mistake finds what was meant, and nothing else."""

from __future__ import annotations

import pytest

from shoal.index.query import parse
from shoal.index.searcher import Index
from tests.index.pages import index_of, page

TEXT = "transformer voltage grid grip grip battery electricity 电网 mp3player"


@pytest.fixture(scope="module")
def index(tmp_path_factory: pytest.TempPathFactory) -> Index:
    pages = [page(1, TEXT), page(2, "grip"), page(3, "something else", title="Substation")]
    return index_of(tmp_path_factory.mktemp("spelling"), pages)


@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        ("trnasformer", "transformer"),  # two letters swapped
        ("transfomer", "transformer"),  # one missing
        ("transformmer", "transformer"),
        ("tramsfirmer", "transformer"),  # two wrong ones in a long word
        ("trnasforemr", "transformer"),  # two pairs swapped
        ("tranformeer", "transformer"),  # one missing, one too many
        ("ttansformer", "transformer"),  # at the beginning
        ("ransformer", "transformer"),
        ("volatge", "voltage"),
        ("grit", "grip"),  # as near as grid, but on more pages
        ("substatoin", "substation"),  # a word of the title only
        ("Transfomers", "transformer"),
    ],
)
def test_one_word(index: Index, typed: str, meant: str) -> None:
    results = index.search(parse(typed))
    assert [words.text for words in results.query.wanted] == [meant]
    assert results.hits
    assert results.notes == (f"Searched for '{meant}' instead of '{typed}'.",)


@pytest.mark.parametrize(
    "typed", ["grid", "elephant", "gri", "vlotgae", "trnasfoemrr", "电往", "mp3plaver", '"trnasformer"']
)
def test_left_as_it_is(index: Index, typed: str) -> None:
    results = index.search(parse(typed))
    assert not any("instead of" in note for note in results.notes)


def test_a_word_among_others(index: Index) -> None:
    results = index.search(parse("grid trnasformer -fan"))
    assert [hit.id for hit in results.hits] == [1]
    assert results.notes == ("Searched for 'transformer' instead of 'trnasformer'.",)
