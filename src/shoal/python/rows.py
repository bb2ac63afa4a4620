"""How does a program get many answers? As a sequence of frozen rows, which a notebook shows as a table and pandas as a frame."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Any, Generic, TypeVar, overload

import msgspec

from shoal.errors import InputError
from shoal.printable import harmless, padded, width_of
from shoal.templates import filled
from shoal.text import shortened

if TYPE_CHECKING:
    import pandas
    import polars

Row = TypeVar("Row", bound=msgspec.Struct, covariant=True)
_LINES, _WIDTH = 10, 60
"""How many rows, and characters of a value, somebody sees who only looks."""


class Rows(Sequence[Row], Generic[Row]):
    """Frozen rows in an order that means something; `to_pandas()`, `to_polars()` and `to_dicts()` hand them on."""

    def __init__(
        self,
        kind: type[Row],
        rows: Iterable[Row],
        *,
        show: Sequence[str],
        total: int | None = None,
        notes: tuple[str, ...] = (),
    ) -> None:
        """`show` are the fields that somebody sees who only looks."""
        self._kind = kind
        self._rows = tuple(rows)
        self._show = tuple(show)
        self.total = len(self._rows) if total is None else total
        """How many there are in all, if these are the first of them."""
        self.notes = notes
        """What is worth knowing about the answer, in sentences."""

    def __len__(self) -> int:
        return len(self._rows)

    @overload
    def __getitem__(self, place: int) -> Row: ...

    @overload
    def __getitem__(self, place: slice) -> Rows[Row]: ...

    def __getitem__(self, place: int | slice) -> Row | Rows[Row]:
        if isinstance(place, slice):
            return Rows(self._kind, self._rows[place], show=self._show, total=self.total, notes=self.notes)
        return self._rows[place]

    # --- for other programs ------------------------------------------------------------------------------------------

    @property
    def columns(self) -> tuple[str, ...]:
        """The fields of every row."""
        return self._kind.__struct_fields__

    def to_dicts(self) -> list[dict[str, Any]]:
        """A plain dict for each row, times as `datetime`; what is nested is a dict, too."""
        return [_plain(row) for row in self._rows]

    def to_pandas(self) -> pandas.DataFrame:
        """A DataFrame of pandas, a column for each field."""
        try:
            import pandas  # here, because a program may live without it
        except ModuleNotFoundError:
            raise _missing("pandas") from None
        return pandas.DataFrame(self.to_dicts(), columns=list(self.columns))

    def to_polars(self) -> polars.DataFrame:
        """A DataFrame of polars, a column for each field."""
        try:
            import polars  # here, because a program may live without it
        except ModuleNotFoundError:
            raise _missing("polars") from None
        rows = self.to_dicts()
        if not rows:
            return polars.DataFrame(schema=list(self.columns))
        return polars.DataFrame(rows, infer_schema_length=None)

    # --- for people --------------------------------------------------------------------------------------------------

    def __repr__(self) -> str:
        cells = [self._show, *([text for text, _ in row] for row in self._looked_at())]
        widths = [max(map(width_of, column)) for column in zip(*cells, strict=True)]
        lines = ["  ".join(map(padded, row, widths)) for row in cells]
        return harmless("\n".join(line.rstrip() for line in (*(lines if self._rows else ()), self._summary())))

    def _repr_html_(self) -> str:
        """What a notebook shows: text that strangers wrote is escaped, and nothing is loaded from anywhere."""
        cells = [[(text, _address(value)) for text, value in row] for row in self._looked_at()]
        return "".join(filled("shoal.python", "rows.html", show=self._show, rows=cells, summary=self._summary()))

    def _looked_at(self) -> list[list[tuple[str, object]]]:
        """Of the first rows what is shown: as text, and as it is."""
        values = [[getattr(row, name) for name in self._show] for row in self._rows[:_LINES]]
        return [[(_shown(value), value) for value in row] for row in values]

    def _summary(self) -> str:
        of = f" of {self.total:,}" if self.total > len(self) else ""
        what = "row" if len(self) == 1 and not of else "rows"
        shown = f", {_LINES} shown" if len(self) > _LINES else ""
        return " ".join((f"{len(self):,}{of} {what}{shown}.", *self.notes))


def _shown(value: object) -> str:
    if isinstance(value, datetime):
        return f"{value:%Y-%m-%d %H:%M}"
    if value is None or value == "":
        return "–"
    if isinstance(value, bool):
        return "yes" if value else "no"
    return shortened(f"{value:.3g}" if isinstance(value, float) else str(value), _WIDTH)


def _address(value: object) -> str:
    """Where a click on it leads: only what is on the web can be clicked on."""
    return value if isinstance(value, str) and value.startswith(("http://", "https://")) else ""


def _plain(value: Any) -> Any:
    return msgspec.to_builtins(value, builtin_types=(datetime, bytes))


def _missing(library: str) -> InputError:
    return InputError(
        f"A DataFrame needs {library}, which is not installed: type 'pip install {library}', or use to_dicts()."
    )
