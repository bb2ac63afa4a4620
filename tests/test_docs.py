"""Are the documents true? Every command, option, path and reason that they name exists, and none is missing."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import unquote

import click
import pytest

from shoal.cli import commands
from shoal.model import Reason
from shoal.services.overview import CrawlSummary
from shoal.store.crawl_status import Status
from shoal.store.exporters import ExportRow
from shoal.store.provenance import UrlExplanation
from shoal.topic.setting_table import ENVIRONMENT

ROOT = Path(__file__).parent.parent
DOCUMENTS = [path for name in ("*.md", "docs/**/*.md", "benchmarks/*.md") for path in sorted(ROOT.glob(name))]


def leaves(group: click.Group, before: str = "") -> Iterator[tuple[str, click.Command]]:
    """Every command that can be typed, by all of its words: `topic show`."""
    context = click.Context(group)
    for name in group.list_commands(context):
        command = group.get_command(context, name)
        assert command is not None
        if isinstance(command, click.Group):
            yield from leaves(command, f"{before}{name} ")
        elif not command.hidden:
            yield before + name, command


COMMANDS = dict(leaves(commands))


def read(path: str) -> str:
    return (ROOT / path).read_text(encoding="utf-8")


def section(document: str, heading: str) -> str:
    """What stands below a heading, up to the next of its kind."""
    found = re.search(rf"^## {heading}$(.*?)(?=^## |\Z)", read(document), re.MULTILINE | re.DOTALL)
    assert found, f"{document} has no heading '## {heading}'"
    return found[1]


# --- the command line ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_and_option_is_documented(name: str) -> None:
    text = section("docs/commands.md", f"shoal {name}")
    options = [option for param in COMMANDS[name].params if isinstance(param, click.Option) for option in param.opts]
    assert [option for option in options if not re.search(rf"`{option}[ `]", text)] == []


def test_every_command_is_in_the_table_at_the_top() -> None:
    table = read("docs/commands.md").partition("\n## ")[0]
    assert [name for name in COMMANDS if f"](#shoal-{name.replace(' ', '-')})" not in table] == []


@pytest.mark.parametrize("name", COMMANDS)
def test_no_option_is_documented_that_does_not_exist(name: str) -> None:
    known = {option for param in COMMANDS[name].params for option in (*param.opts, *param.secondary_opts)}
    named = set(re.findall(r"`(--[a-z-]+)", section("docs/commands.md", f"shoal {name}")))
    assert named - known == set()


@pytest.mark.parametrize(
    ("command", "fields"),
    [
        ("crawls", CrawlSummary.__struct_fields__),
        ("status", Status.__struct_fields__),
        ("explain", UrlExplanation.__struct_fields__),
        ("export", ExportRow.__struct_fields__),
    ],
)
def test_every_field_of_an_answer_is_documented(command: str, fields: tuple[str, ...]) -> None:
    text = section("docs/commands.md", f"shoal {command}")
    assert [field for field in fields if f"`{field}`" not in text] == []


def test_the_environment_is_documented() -> None:
    text = read("docs/commands.md")
    assert [name for name in (*ENVIRONMENT, "SHOAL_HOME") if f"`{name}`" not in text] == []


def command_lines() -> Iterator[tuple[str, str]]:
    """Every `shoal …` in a block of shell, with the document it stands in."""
    for document in DOCUMENTS:
        for block in re.findall(
            r"^```(?:sh|bash|console|)\n(.*?)^```", document.read_text(encoding="utf-8"), re.M | re.S
        ):
            for line in block.replace("\\\n", " ").splitlines():
                if found := re.match(r"(?:\$ )?(?:\.venv/bin/)?(shoal .*)", line.strip()):
                    yield str(document.relative_to(ROOT)), found[1]


@pytest.mark.parametrize(("document", "line"), sorted(set(command_lines())))
def test_every_command_line_can_be_typed(document: str, line: str) -> None:
    words = shlex.split(line, comments=True)[1:]
    words = words[: next((place for place, word in enumerate(words) if word in "|>&&;"), len(words))]
    context = click.Context(commands, info_name="shoal", resilient_parsing=False)
    if words[0].startswith("-"):
        return
    command: click.Command | None = commands
    while isinstance(command, click.Group):
        name, command, words = command.resolve_command(context, words)
    assert command is not None
    command.make_context(name, words, parent=context)


# --- paths -----------------------------------------------------------------------------------------------------------


def links() -> Iterator[tuple[str, str]]:
    for document in DOCUMENTS:
        for target in re.findall(r"\]\(([^)\s]+)\)", document.read_text(encoding="utf-8")):
            if "://" not in target and not target.startswith("mailto:"):
                yield str(document.relative_to(ROOT)), target


@pytest.mark.parametrize(("document", "target"), sorted(set(links())))
def test_every_link_leads_somewhere(document: str, target: str) -> None:
    path, _, anchor = unquote(target).partition("#")
    place = (ROOT / document).parent / path if path else ROOT / document
    assert place.exists(), f"{document} links to {path}, which is not there"
    if anchor and place.suffix == ".md":
        headings = re.findall(r"^#+ (.*)$", place.read_text(encoding="utf-8"), re.MULTILINE)
        assert anchor in {_anchor(heading) for heading in headings}


def _anchor(heading: str) -> str:
    """As GitHub makes them."""
    return re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-")


def test_every_folder_of_the_source_is_on_the_map() -> None:
    source = ROOT / "src" / "shoal"
    folders = [
        path.parent.relative_to(source).as_posix() for path in source.rglob("__init__.py") if path.parent != source
    ]
    text = read("ARCHITECTURE.md")
    assert [folder for folder in folders if f"{folder}/" not in text] == []


def test_every_module_at_the_top_is_on_the_map() -> None:
    text = read("ARCHITECTURE.md")
    modules = [path.name for path in (ROOT / "src" / "shoal").glob("*.py") if not path.name.startswith("__")]
    assert [name for name in modules if name not in text] == []


# --- reasons ---------------------------------------------------------------------------------------------------------


def test_every_reason_is_explained_and_no_other() -> None:
    explained = re.findall(r"^\| `([a-z-]+)` \|", read("docs/reasons.md"), re.MULTILINE)
    assert sorted(explained) == sorted(Reason)
