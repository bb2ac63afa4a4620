"""The floors hold, rise with what was measured, and are lowered only on purpose. `make test` runs the gate itself."""

from __future__ import annotations

from pathlib import Path

import pytest

from shoal.errors import InputError
from shoal.evaluate.gate import (
    FLOORS,
    IMAGES,
    TOLERANCE,
    ahead_of,
    judged,
    main,
    read_floors,
    table,
    updated,
    write_floors,
)
from shoal.evaluate.generated.sites import TOPICS
from shoal.strategy import strategies

MEASURED = {"fish": 0.5004, "learned": 0.9, "breadth": 0.3}
FLOOR = {"fish": 0.52, "breadth": 0.25, "forgotten": 0.4}
LINES = judged(MEASURED, FLOOR)


def test_verdicts_the_best_first() -> None:
    assert [(line.name, line.verdict, line.fails) for line in LINES] == [
        ("learned", "HAS NO FLOOR", True),
        ("fish", "BELOW ITS FLOOR", True),
        ("breadth", "better", False),
        ("forgotten", "IS GONE", True),
    ]


def test_the_default_must_be_above_all_others() -> None:
    assert ahead_of("learned", LINES) == []
    assert ahead_of("fish", LINES) == ["learned"]
    assert ahead_of("fish", judged({"fish": 0.5, "breadth": 0.5}, {})) == ["breadth"]
    assert ahead_of("gone", LINES) == ["learned", "fish", "breadth"]


@pytest.mark.parametrize(
    ("measured", "verdict"),
    [
        (0.5, "ok"),
        (0.5 - 0.9 * TOLERANCE, "ok"),
        (0.5 - 1.1 * TOLERANCE, "BELOW ITS FLOOR"),
        (0.5 + 1.1 * TOLERANCE, "better"),
    ],
)
def test_only_the_last_digits_are_left_to_arithmetic(measured: float, verdict: str) -> None:
    [line] = judged({"fish": measured}, {"fish": 0.5})
    assert line.verdict == verdict


def test_an_update_raises_and_adds_but_never_lowers() -> None:
    assert updated(LINES, lower=False) == {"learned": 0.9, "fish": 0.52, "breadth": 0.3, "forgotten": 0.4}


def test_lowering_is_asked_for() -> None:
    # Rounded down, so that what was measured is never below its own floor.
    assert updated(LINES, lower=True) == {"learned": 0.9, "fish": 0.5, "breadth": 0.3}


def test_the_table_says_which_and_why() -> None:
    assert table(LINES).splitlines() == [
        "strategy   measured  floor",
        "learned       0.900      –  HAS NO FLOOR",
        "fish          0.500  0.520  BELOW ITS FLOOR",
        "breadth       0.300  0.250  better",
        "forgotten         –  0.400  IS GONE",
    ]


def test_the_file_keeps_what_it_was_given(tmp_path: Path) -> None:
    path = tmp_path / "floors.toml"
    assert read_floors(path) == {}
    write_floors(path, FLOOR)
    assert read_floors(path) == FLOOR
    assert [line.split()[0] for line in path.read_text().splitlines()[2:]] == ["fish", "forgotten", "breadth"]


def test_images_have_a_section_of_their_own(tmp_path: Path) -> None:
    path = tmp_path / "floors.toml"
    floors = {"fish": 0.52, f"{IMAGES}.times-breadth": 2.5, f"{IMAGES}.recall": 0.6}
    write_floors(path, floors)
    assert path.read_text().endswith("[images]\ntimes-breadth = 2.500\nrecall = 0.600\n")
    assert read_floors(path) == floors


def test_images_have_floors_but_lead_nobody() -> None:
    lines = judged({"learned": 0.9, f"{IMAGES}.times-breadth": 2.4}, {"learned": 0.9, f"{IMAGES}.times-breadth": 2.5})
    assert ahead_of("learned", lines) == []
    assert table(lines).splitlines()[1:] == [
        "learned                  0.900  0.900  ok",
        "images.times-breadth     2.400  2.500  BELOW ITS FLOOR",
    ]


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        ("fish = ", "is not TOML"),
        ('fish = "x"', "must be a number"),
        ('[images]\nrecall = "x"', "must be a number"),
        ("images = 1", "must be a section"),
    ],
)
def test_a_broken_file_is_one_sentence(tmp_path: Path, content: str, sentence: str) -> None:
    (tmp_path / "floors.toml").write_text(content)
    with pytest.raises(InputError, match=sentence):
        read_floors(tmp_path / "floors.toml")


@pytest.mark.parametrize("arguments", [["--lower"], ["--nonsense"], ["--floors", "{broken}"]])
def test_mistakes_cost_no_time(tmp_path: Path, arguments: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "broken").write_text("=")
    with pytest.raises(SystemExit, match="2"):
        main([argument.replace("{broken}", str(tmp_path / "broken")) for argument in arguments])
    assert "error:" in capsys.readouterr().err


def test_every_strategy_has_its_floor_in_the_file() -> None:
    """The gate says so, too, but a minute later."""
    floors = read_floors(Path(__file__).parents[2] / FLOORS)
    assert set(floors) == {
        *strategies(),
        "images.times-breadth",
        "images.recall",
        "search.ndcg",
        "search.precision",
    }
    assert set(TOPICS) >= {"power-grid", "rail", "smart-home"}
