"""`shoal demo`, as it is typed; what it shows is asked in `test_demo_tables.py`."""

from __future__ import annotations

from tests.shell import Shell


def test_the_topics_are_those_of_the_generated_web(shoal: Shell) -> None:
    assert "power-grid" in shoal("demo", "--help").out
    said = shoal("demo", "--topic", "电网")
    assert (
        said.code,
        said.err.startswith("shoal: Invalid value for '--topic': '电网' is not one of 'power-grid'"),
    ) == (2, True)


def test_a_folder_of_somebody_else_is_not_replaced(shoal: Shell) -> None:
    (shoal.home / "demo").mkdir()
    (shoal.home / "demo" / "precious").write_text("x")
    assert shoal("demo", "--json").code == 2
    assert (shoal.home / "demo" / "precious").read_text() == "x"
