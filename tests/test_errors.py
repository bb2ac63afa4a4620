"""How can an operation fail? However deep task groups wrap it, the user hears the first thing that went wrong."""

from __future__ import annotations

import pytest

from shoal.errors import InputError, ShoalError, StorageFull, first_of

FULL = StorageFull("The disk is full.")


@pytest.mark.parametrize(
    "group",
    [
        ExceptionGroup("one", [FULL, ValueError()]),
        ExceptionGroup("three", [ExceptionGroup("two", [ExceptionGroup("one", [FULL])]), InputError("later")]),
        BaseExceptionGroup("stopped", [ExceptionGroup("one", [FULL]), KeyboardInterrupt()]),
    ],
)
def test_the_first_error_comes_out_of_its_wrapping(group: BaseExceptionGroup[BaseException]) -> None:
    assert first_of(group) is FULL


def test_only_what_no_sentence_says_better_has_an_exit_code_of_its_own() -> None:
    codes = {
        kind.__name__: kind.exit_code for kind in ShoalError.__subclasses__() if kind.exit_code != ShoalError.exit_code
    }
    assert codes == {"NoSeedReached": 1}
