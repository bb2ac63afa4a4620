"""What can a program do with rows? Count, slice, look, and hand them to pandas and polars; what strangers wrote stays text."""

from __future__ import annotations

import sys
from datetime import UTC, datetime

import msgspec
import pandas
import polars
import pytest

from shoal.errors import InputError
from shoal.python.rows import Rows


class Part(msgspec.Struct, frozen=True):
    what: str
    amount: float


class Found(msgspec.Struct, frozen=True, kw_only=True):
    url: str
    title: str = ""
    score: float | None = None
    at: datetime = datetime(2024, 5, 1, 12, 30, tzinfo=UTC)
    why: tuple[Part, ...] = ()
    relevant: bool = False


EVIL = '<script>alert("x")</script>\x1b[31m'
ONE = Found(url="http://a.test/", title="变电站", score=0.25, why=(Part("电网", 1.0),), relevant=True)
TWO = Found(url='javascript:alert("x")', title=EVIL)


def rows(*found: Found, total: int | None = None, notes: tuple[str, ...] = ()) -> Rows[Found]:
    return Rows(Found, found, show=("score", "at", "relevant", "url", "title"), total=total, notes=notes)


def test_it_is_a_sequence() -> None:
    found = rows(ONE, TWO, total=9, notes=("The newest pages may be missing.",))
    assert list(found) == [ONE, TWO]
    assert (len(found), found[1], ONE in found, found.total) == (2, TWO, True, 9)
    last = found[1:]
    assert (list(last), last.total, last.notes) == ([TWO], 9, found.notes)


def test_dicts_are_plain() -> None:
    [first] = rows(ONE).to_dicts()
    first["why"] = list(first["why"])
    assert first == {
        "url": "http://a.test/",
        "title": "变电站",
        "score": 0.25,
        "at": ONE.at,
        "why": [{"what": "电网", "amount": 1.0}],
        "relevant": True,
    }


def test_frames_of_pandas() -> None:
    frame = rows(ONE, TWO).to_pandas()
    assert list(frame.columns) == list(Found.__struct_fields__)
    assert list(frame["title"]) == ["变电站", EVIL]
    assert frame["at"].dt.tz is not None
    assert pandas.isna(frame["score"][1])
    assert list(rows().to_pandas().columns) == list(Found.__struct_fields__)


def test_frames_of_polars() -> None:
    frame = rows(TWO, ONE).to_polars()
    assert frame.columns == list(Found.__struct_fields__)
    assert frame["score"].to_list() == [None, 0.25]
    assert frame["at"].dtype == polars.Datetime(time_zone="UTC")
    assert frame["why"].to_list()[1] == [{"what": "电网", "amount": 1.0}]
    assert rows().to_polars().columns == list(Found.__struct_fields__)


@pytest.mark.parametrize("library", ["pandas", "polars"])
def test_without_the_library_one_sentence_says_what_to_install(library: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, library, None)
    with pytest.raises(
        InputError, match=f"A DataFrame needs {library}, which is not installed: type 'pip install {library}'"
    ):
        getattr(rows(ONE), f"to_{library}")()


def test_in_a_terminal() -> None:
    text = repr(rows(ONE, TWO, total=30, notes=("Did you mean grid?",)))
    lines = text.splitlines()
    assert lines[0].split() == ["score", "at", "relevant", "url", "title"]
    assert lines[1].split() == ["0.25", "2024-05-01", "12:30", "yes", "http://a.test/", "变电站"]
    assert lines[2].startswith("–")
    assert lines[-1] == "2 of 30 rows. Did you mean grid?"
    assert "\x1b" not in text
    assert repr(rows()) == "0 rows."
    assert repr(rows(*[ONE] * 12)).splitlines()[-1] == "12 rows, 10 shown."


def test_columns_stand_below_each_other_in_any_script() -> None:
    shown = Rows(Found, [Found(url="变电站", title="x"), Found(url="grid", title="y")], show=("url", "title"))
    assert repr(shown).splitlines()[:3] == ["url     title", "变电站  x", "grid    y"]


def test_in_a_notebook() -> None:
    html = rows(ONE, TWO)._repr_html_()
    assert '<a href="http://a.test/" target="_blank" rel="noreferrer noopener">http://a.test/</a>' in html
    assert html.count("<a ") == 1, "only what is on the web can be clicked on"
    assert "<script" not in html
    assert "&lt;script&gt;" in html
    assert "<img" not in html
    assert "2 rows." in html
