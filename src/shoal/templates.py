"""How does a page that a person opens come about? From a template, in the folder `templates` beside who knows what to show.

Whatever is put into a template is text, never markup, because strangers wrote it.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache

from jinja2 import Environment, PackageLoader, StrictUndefined


def filled(package: str, name: str, /, **values: object) -> Iterator[str]:
    """The page that a template of a package makes of values and functions, in parts. A name that says nothing is an error."""
    return _templates(package).get_template(name).generate(values)


@cache
def _templates(package: str) -> Environment:
    return Environment(
        loader=PackageLoader(package),
        autoescape=True,
        undefined=StrictUndefined,
        finalize=_writable,
        trim_blocks=True,
        lstrip_blocks=True,
    )


def _writable(value: object) -> object:
    """Half a surrogate pair cannot be written to a file. (What is markup already has gone through here.)"""
    return value.encode("utf-8", "replace").decode() if type(value) is str else value
