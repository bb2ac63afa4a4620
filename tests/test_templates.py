"""Templates show what they are given as text, and refuse what they are not given."""

from __future__ import annotations

import sys
from collections.abc import Iterator

import pytest
from jinja2 import UndefinedError

from shoal.templates import filled


@pytest.fixture(scope="module")
def package(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """A package with one template."""
    root = tmp_path_factory.mktemp("packages")
    folder = root / "some_pages" / "templates"
    folder.mkdir(parents=True)
    folder.joinpath("page.html").write_text("<p>{{ twice(said) }}</p>", encoding="utf-8")
    folder.parent.joinpath("__init__.py").touch()
    sys.path.append(str(root))
    yield "some_pages"
    sys.path.remove(str(root))
    sys.modules.pop("some_pages", None)


def page(package: str, **values: object) -> str:
    return "".join(filled(package, "page.html", twice=lambda text: 2 * text, **values))


def test_what_is_put_in_is_text(package: str) -> None:
    assert page(package, said="<b>") == "<p>&lt;b&gt;&lt;b&gt;</p>"


def test_half_a_pair_can_be_written(package: str) -> None:
    assert page(package, said="\ud800").encode() == b"<p>??</p>"


def test_a_name_that_says_nothing_is_an_error(package: str) -> None:
    with pytest.raises(UndefinedError):
        page(package, sad="grid")
