"""What can be chosen by name is what is there, each with a line about it."""

from __future__ import annotations

from shoal import services
from shoal.settings import STRATEGY


def test_everything_that_can_be_named_is_described() -> None:
    found, names = services.choices.choices(), services.choices.names()
    assert tuple(one.name for one in found.strategies) == names.strategies
    assert tuple(one.name for one in found.judges) == names.judges
    assert all(one.summary for one in (*found.strategies, *found.judges))


def test_one_strategy_is_the_usual_one_and_every_other_names_its_judge() -> None:
    found = services.choices.choices()
    assert [one.name for one in found.strategies if one.default] == [STRATEGY]
    judges = {one.name for one in found.judges}
    assert {one.judge for one in found.strategies} <= judges


def test_numbers_that_can_be_set_have_a_range() -> None:
    numbers = services.choices.names().parameters
    assert numbers["fish"]["width"][0] < numbers["fish"]["width"][1]
    assert "breadth" in numbers
