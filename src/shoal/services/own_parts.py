"""Which strategy and judge has a crawl that a program passed as objects?

They live as long as the program; the folder remembers what they are called.
"""

from __future__ import annotations

from pathlib import Path

import msgspec
from msgspec.structs import replace

from shoal.crawl.own_code import is_own, name_of_own
from shoal.errors import InputError
from shoal.protocols import Judge, Strategy
from shoal.settings import STRATEGY, Settings
from shoal.strategy import JUDGE


class OwnParts(msgspec.Struct, frozen=True, kw_only=True):
    """What a program passed; None where the settings name one of ours."""

    strategy: Strategy | None = None
    judge: Judge | None = None


NOTHING_OWN = OwnParts()


def with_own(settings: Settings, own: OwnParts) -> Settings:
    """The settings as the folder keeps them: an object is remembered by the name of its class."""
    if own.strategy is not None:
        settings = replace(settings, strategy=name_of_own(own.strategy), parameters=())
    return settings if own.judge is None else replace(settings, judge=name_of_own(own.judge))


def without_own(settings: Settings) -> Settings:
    """The settings for who must do without the program: with parts of ours in the places of its objects."""
    return replace(
        settings,
        strategy=STRATEGY if is_own(settings.strategy) else settings.strategy,
        judge=JUDGE if is_own(settings.judge) else settings.judge,
    )


def check_own(folder: Path, settings: Settings, own: OwnParts, broker: str = "") -> None:
    """Each object that the crawl was begun with must be here again; and it is in this process only."""
    for what, name, given in (("strategy", settings.strategy, own.strategy), ("judge", settings.judge, own.judge)):
        if given is None and is_own(name):
            raise InputError(
                f"The crawl in {folder} has a {what} of a program's own, {name.removesuffix('()')}: go on in that program "
                f"with shoal.open({str(folder)!r}).resume({what}=…), or choose another one with --{what}."
            )
        if given is not None and (broker or settings.processes > 1):
            where = "on the machines of a broker" if broker else f"in {settings.processes} processes"
            raise InputError(f"A {what} of one's own cannot work {where}, because it is an object in this one.")
