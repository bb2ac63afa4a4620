"""`shoal model export` and `shoal model show`: what did a crawl learn that another one could begin with?"""

from __future__ import annotations

import shlex
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

import click

from shoal import services
from shoal.commands import options
from shoal.commands.console import say
from shoal.commands.output import counted, path_text, reply, tell, whole

if TYPE_CHECKING:
    from shoal.model import Topic
    from shoal.store.strategy_memory import Model

_SHOWN_WORDS = 12


@click.group()
def model() -> None:
    """Carry what a crawl learned to another one."""


@model.command(short_help="Write what a crawl learned to a file.")
@options.whole_crawl
@options.path("--out", required=True, metavar="FILE", help="The model file to write.")
@options.as_json
def export(folder: Path, out: Path, as_json: bool) -> int:
    """Write what the strategy of a crawl learned to a file.

    \b
    shoal model export power-grid --out grid.model
    shoal crawl other.toml --strategy learned --model grid.model

    The crawl must not be running.
    """
    written = services.models.export_model(folder, out)
    learned = f"What {written.strategy} learned from {counted(written.pages, 'page')} is in {out}."
    sentences = f"{learned}\n{_advice(out, written)}"
    return reply(_written_out(out, written), lambda: tell(sentences), as_json=as_json)


@model.command(short_help="Say what is in a model file.")
@click.argument("file", type=options.PATH, metavar="FILE")
@options.as_json
def show(file: Path, as_json: bool) -> int:
    """Say what is in a model file: who learned it, when, from how many pages, and about which topic."""
    found = services.models.read_model(file)
    return reply(_written_out(file, found), lambda: show_model(file, found), as_json=as_json)


def _written_out(file: Path, found: Model) -> dict[str, object]:
    return {
        "file": path_text(file),
        "format": services.models.FORMAT,
        "strategy": found.strategy,
        "shoal": found.shoal,
        "topic": whole(found.topic),
        "pages": found.pages,
        "at": datetime.fromtimestamp(found.at, UTC),
        "bytes": len(found.knowledge),
    }


def show_model(file: Path, model: Model) -> None:
    """What is in a model file, and what to do with it."""
    say(f"{file}  learned by {model.strategy} from {counted(model.pages, 'page')}", "bold")
    say(f"  topic      {model.topic.name}: {_words(model.topic)}")
    say(f"  taken      {datetime.fromtimestamp(model.at, UTC):%Y-%m-%d %H:%M:%S} UTC, by shoal {model.shoal}")
    say(f"  knowledge  {len(model.knowledge):,} bytes")
    say(_advice(file, model))


def _advice(file: Path, model: Model) -> str:
    return f"Begin with it: shoal crawl TOPIC.toml --strategy {model.strategy} --model {shlex.quote(str(file))}"


def _words(topic: Topic) -> str:
    """The heaviest words; a topic that has learned may have a hundred."""
    heaviest = sorted(topic.terms, key=lambda term: -term.weight)
    shown = ", ".join(f"{term.text} {term.weight:.2f}" for term in heaviest[:_SHOWN_WORDS])
    return f"{shown} and {more} more" if (more := len(heaviest) - _SHOWN_WORDS) > 0 else shown
