"""How is the table of settings read by people? As tables of Markdown, which stand between markers in docs/commands.md.

python -m shoal.topic.setting_document docs/commands.md        writes them anew; a test says when that is due
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

from shoal.errors import InputError
from shoal.files import written
from shoal.topic.setting_entry import Kind, SettingEntry
from shoal.topic.setting_table import SECTIONS, SETTINGS
from shoal.topic.value_readers import quoted

_BEGIN, _NAMED, _END = "<!-- settings: ", " -->\n", "<!-- end -->"
_KINDS: dict[Kind, str] = {
    "line": "a line of text",
    "header": "a line of ASCII text",
    "user_agent": "a product name, as `MyCrawler/1.0`",
    "proxy": "a URL",
    "database": "a URL",
    "broker": "a URL",
    "choice": "a word",
    "yes": "true or false",
    "whole": "a whole number",
    "number": "a number",
    "bytes": "a size",
    "time": "a time",
    "share": "a share",
    "languages": "codes of languages",
    "patterns": "patterns",
    "networks": "ranges of addresses",
    "urls": "URLs",
    "words": "words, with weights or without",
    "learned": "a table of words and weights",
    "topics": "tables `[[any]]`",
    "numbers": "a table of numbers",
}


def rewritten(document: str) -> str:
    """The document with every table between markers as the settings are now."""
    first, *blocks = document.split(_BEGIN)
    return first + "".join(map(_block, blocks))


def _block(text: str) -> str:
    name, _, rest = text.partition(_NAMED)
    _, end, after = rest.partition(_END)
    if name not in _TABLES or not end:
        raise InputError(f"There is no table of settings {quoted(name)}, or it has no end: {_END}")
    return f"{_BEGIN}{name}{_NAMED}\n{_TABLES[name]()}\n{_END}{after}"


def _table(*rows: tuple[str, ...]) -> str:
    head, *body = ("| " + " | ".join(row) + " |" for row in rows)
    return "\n".join((head, "|---" * len(rows[0]) + "|", *body)) + "\n"


def options_of(section: str) -> str:
    """The options of a section: how each is typed, what it does, and what holds without it."""
    rows = (
        (_code(_typed(entry)), _means(entry), _usual(entry))
        for entry in SETTINGS
        if entry.section == section and entry.option
    )
    return _table(("option", "means", "default"), *rows)


def keys() -> str:
    """Every key of a topic file."""
    return _table(("key", "what it is", "default", "typed", "who", "means"), *map(_key, SETTINGS))


def _key(entry: SettingEntry) -> tuple[str, ...]:
    who = "anybody" if entry.allows("person") else "operator"
    typed = entry.option.partition("/")[0] or ("--setting" if entry.resumable else "")
    what = f"{_KINDS[entry.kind]}{f', {entry.range}' if entry.range else ''}{f' {entry.unit}' if entry.unit else ''}"
    least = f", from {entry.written(entry.person_least)} on" if entry.person_least is not None else ""
    return _code(entry.name), what, _usual(entry), _code(typed), who + least, _means(entry)


def again() -> str:
    """The options that may be given when a crawl goes on, in one line."""
    named = (entry.option.partition("/")[0] for entry in SETTINGS if entry.option and entry.resumable)
    return ", ".join(_code(option) for option in (*named, "--setting")) + "\n"


def _typed(entry: SettingEntry) -> str:
    return entry.option.replace("/", "`, `") if entry.kind == "yes" else f"{entry.spelling} {entry.placeholder}"


def _means(entry: SettingEntry) -> str:
    return entry.help.en.replace("|", "\\|").replace("*", "\\*")


def _usual(entry: SettingEntry) -> str:
    return _code(entry.written(entry.default)) or (entry.unset.en if entry.unset else "")


def _code(text: str) -> str:
    return f"`{text}`" if text else ""


_TABLES = {section: (lambda section=section: options_of(section)) for section in SECTIONS} | {
    "keys": keys,
    "again": again,
}


def _write(paths: Iterator[Path]) -> None:
    for path in paths:
        text = rewritten(path.read_text(encoding="utf-8"))
        with written(path) as file:
            file.write(text.encode())


if __name__ == "__main__":
    _write(map(Path, sys.argv[1:]))
