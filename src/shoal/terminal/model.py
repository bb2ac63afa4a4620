"""How does a model look in a terminal? Who learned it, when, from how many pages, and about which topic."""

from __future__ import annotations

import shlex
from datetime import UTC, datetime
from pathlib import Path

from shoal.model import Topic
from shoal.printable import harmless
from shoal.store.models import Model
from shoal.terminal.speaking import speaker

_SHOWN_WORDS = 12


def show_model(file: Path, model: Model) -> None:
    """What is in a model file, and what to do with it."""
    say = speaker()
    say(f"{file}  learned by {model.strategy} from {_pages(model)}", "bold")
    say(f"  topic      {model.topic.name}: {_words(model.topic)}")
    say(f"  taken      {datetime.fromtimestamp(model.at, UTC):%Y-%m-%d %H:%M:%S} UTC, by shoal {model.shoal}")
    say(f"  knowledge  {len(model.knowledge):,} bytes")
    say(_advice(file, model))


def written(file: Path, model: Model) -> str:
    """What to say when a model was written."""
    return harmless(f"What {model.strategy} learned from {_pages(model)} is in {file}.\n{_advice(file, model)}")


def _advice(file: Path, model: Model) -> str:
    return f"Begin with it: shoal crawl TOPIC.toml --strategy {model.strategy} --model {shlex.quote(str(file))}"


def _pages(model: Model) -> str:
    return "1 page" if model.pages == 1 else f"{model.pages:,} pages"


def _words(topic: Topic) -> str:
    """The heaviest words; a topic that has learned may have a hundred."""
    heaviest = sorted(topic.terms, key=lambda term: -term.weight)
    shown = ", ".join(f"{term.text} {term.weight:.2f}" for term in heaviest[:_SHOWN_WORDS])
    return f"{shown} and {more} more" if (more := len(heaviest) - _SHOWN_WORDS) > 0 else shown
