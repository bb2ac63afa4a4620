"""What a person sees of a topic."""

from __future__ import annotations

import pytest

from shoal.model import Origin, Page, Term, Topic
from shoal.remembered import TopicChange
from shoal.terminal import topic as screen
from shoal.topic.term_weights import Found, Lesson

GRID = Topic(
    name="power grid",
    terms=(
        Term(text="grid", weight=2.0),
        Term(text="变压器", weight=1.0, factor=1.8, origin=Origin.SEEDS),
        Term(text="kv", weight=0.01, origin=Origin.FEEDBACK),
    ),
    negative=(Term(text="fan", weight=0.5),),
    threshold=0.2,
    version=3,
)


@pytest.mark.parametrize(
    ("share", "bar"),
    [(1.0, "█" * 12), (0.5, "█" * 6), (0.0, ""), (1 / 96, "▏"), (0.0001, "▏"), (0.55, "██████▋"), (7 / 8 / 12, "▉")],
)
def test_bars(share: float, bar: str) -> None:
    # a share of 1 is 12 characters, 96 eighths: 0.55 is 52.8, rounded to 53 = 6 x 8 + 5
    assert screen.bar(share) == bar


def test_columns_stand_under_each_other_in_chinese_too() -> None:
    lines = list(screen.word_table(GRID.terms, {"grid": Found(count=1, samples=1), "kv": Found(count=0, samples=0)}))
    assert lines == [
        "          weight                factor  origin",
        "  grid     2.000  ████████████    1.00  typed, once on 1 page",
        "  变压器   1.000  ██████          1.80  from samples",
        "  kv       0.010  ▏               1.00  from feedback, on no page",
    ]
    assert len({screen.columns(line[: line.index(".")]) for line in lines[1:]}) == 1


def test_a_topic(capsys: pytest.CaptureFixture[str]) -> None:
    screen.show_topic(GRID)
    out = capsys.readouterr().out.splitlines()
    assert out[0] == "power grid  version 3"
    assert out[-3:] == ["against: fan 0.50", "", "threshold: 0.2"]


def test_several_topics(capsys: pytest.CaptureFixture[str]) -> None:
    parts = (Topic(name="a", terms=(Term(text="grid"),), threshold=0.4), Topic(name="b", terms=(Term(text="电网"),)))
    screen.show_topic(Topic(name="both", terms=(Term(text="grid"), Term(text="电网")), any=parts))
    out = capsys.readouterr().out
    assert "2 topics, each judged on its own" in out
    assert out.index("\na\n") < out.index("grid ") < out.index("\nb\n") < out.index("电网 ")
    assert "threshold: the judge's own; a: 0.4" in out


def test_what_was_learned(capsys: pytest.CaptureFixture[str]) -> None:
    page = Page(url="http://a.test/", title="A \x1b[31mred\x1b[0m title")
    screen.show_lesson(Lesson(topic=GRID, samples=1, found={"变压器": Found(count=1200, samples=3)}), [page])
    out = capsys.readouterr().out
    assert "power grid: learned from 1 page\n" in out
    assert "from samples, 1,200 times on 3 pages" in out
    assert "\x1b" not in out  # a stranger's title must not steer the terminal


def test_history(capsys: pytest.CaptureFixture[str]) -> None:
    first = Topic(name="t", terms=(Term(text="grid"), Term(text="fan", weight=0.3, origin=Origin.SEEDS)))
    second = Topic(
        name="t",
        version=2,
        threshold=0.2,
        terms=(Term(text="grid", weight=1.5), Term(text="变压器", weight=0.5, origin=Origin.FEEDBACK)),
    )
    changes = [
        TopicChange(topic=first, pages=0, at=0.0, why="as the crawl was started"),
        TopicChange(topic=second, pages=1, at=86400.0, why="Learned 变压器; dropped fan."),
    ]
    screen.show_history(changes)
    assert capsys.readouterr().out.splitlines() == [
        "version 1  after 0 pages  before the first page",
        "  as the crawl was started",
        "    grid 1.00, fan 0.30",
        "version 2  after 1 page  1970-01-02 00:00:00 UTC",
        "  Learned 变压器; dropped fan.",
        "  + 变压器 0.500",
        "  - fan 0.300",
        "  ~ grid 1.000 → 1.500",
        "  ~ threshold: the judge's own → 0.2",
    ]
