"""`shoal topic show` and `shoal topic learn`: what does a crawl look for, and what do example pages say it should?"""

from __future__ import annotations

import os
import shlex
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

import click

from shoal import services
from shoal.commands.console import BAR, bar, say
from shoal.commands.options import PATH, as_json, few_requests, folder_if_any, path
from shoal.commands.output import counted, path_text, print_json, reply, run_async, tell, whole
from shoal.errors import InputError
from shoal.installation.location import installation_of
from shoal.model import Origin, Page, Term, Topic
from shoal.printable import padded, width_of

if TYPE_CHECKING:
    from shoal.model.stored import TopicChange
    from shoal.topic.term_weights import LearnedTopic, TermStatistics

_ORIGINS = {Origin.HAND: "typed", Origin.SEEDS: "from samples", Origin.ADAPTED: "from relevant pages"}
_NOTHING: Mapping[str, TermStatistics] = {}


@click.group()
def topic() -> None:
    """Show what a crawl looks for, and learn a topic from example pages."""


# --- show ------------------------------------------------------------------------------------------------------------


@topic.command(short_help="Show the words of a topic, their weights and where they came from.")
@click.argument("topic_file", type=PATH, required=False, metavar="[TOPIC.toml]")
@folder_if_any
@click.option("--history", is_flag=True, help="Every version the topic had in this crawl, and what changed.")
@as_json
def show(topic_file: Path | None, folder: Path | None, history: bool, as_json: bool) -> int:
    """Show the words of a topic, their weights and where they came from.

    \b
    shoal topic show grid.toml
    shoal topic show --crawl power-grid --history
    """
    if (topic_file is None) == (folder is None):
        raise InputError("Give either a topic file or --crawl NAME")
    if history and folder is None:
        raise InputError("--history needs --crawl NAME: only the topic of a crawl changes")
    if folder is not None:
        changes = services.topics.topic_history(folder)
        return _show_history(changes, as_json) if history else _show(changes[-1].topic, as_json)
    assert topic_file is not None
    if not topic_file.exists() and str(topic_file) in services.catalog.names_at_home(installation_of(os.environ)):
        raise InputError(f"There is no topic file {topic_file}; for the crawl: shoal topic show --crawl {topic_file}")
    return _show(services.topics.topic_of(topic_file, os.environ), as_json)


def _show(shown: Topic, as_json: bool) -> int:
    return reply(_written_out(shown), lambda: show_topic(shown), as_json=as_json)


def _show_history(changes: list[TopicChange], as_json: bool) -> int:
    before = [changes[0], *changes]
    written = [_change(old.topic, change) for old, change in zip(before, changes, strict=False)]
    return reply(written, lambda: show_history(changes), as_json=as_json)


def _written_out(shown: Topic) -> dict[str, object]:
    first = {"name": shown.name, "version": shown.version, "threshold": shown.threshold}
    return {**first, **whole(shown), "any": [_written_out(part) for part in shown.any]}


def _change(old: Topic, change: TopicChange) -> dict[str, object]:
    found = services.topics.difference(old, change.topic)
    return {
        "version": change.topic.version,
        "pages": change.pages,
        "at": change.at,
        "why": change.why,
        "learned": [term.text for term in found.learned],
        "dropped": [term.text for term in found.dropped],
        "moved": [{"text": new.text, "from": one.weight, "to": new.weight} for one, new in found.moved],
        "topic": _written_out(change.topic),
    }


# --- learn -----------------------------------------------------------------------------------------------------------


@topic.command(name="learn", short_help="Make a topic file from example pages.")
@click.option("--from", "sources", multiple=True, metavar="URL|FILE", help="An example page; repeatable.")
@click.argument("more", nargs=-1, metavar="[URL|FILE]...")
@click.option("--topic", "words", default="", metavar="WORDS", help="Words that guide: 'power grid, substation=0.8'.")
@click.option("--name", metavar="NAME", help="What the topic is called. Default: its first words.")
@path("--out", metavar="FILE.toml", help="The topic file to write.")
@click.option(
    "--terms",
    "most",
    type=click.IntRange(1, 500),
    help="Learn at most so many words. Default: 40.",
)
@click.option("--force", is_flag=True, help="Replace the file if it is there.")
@few_requests
@as_json
def learn_topic(
    sources: tuple[str, ...],
    more: tuple[str, ...],
    words: str,
    name: str | None,
    out: Path | None,
    most: int | None,
    force: bool,
    delay: float,
    as_json: bool,
    **fetching: object,
) -> int:
    """Make a topic file from example pages.

    \b
    shoal topic learn --from saved.html --topic 'power grid' --out grid.toml
    shoal topic learn --from 样本/*.html --out 电网.toml

    The pages are files (HTML or text, in any encoding) or URLs, which become the seeds. Two or more teach much better
    than one.
    """
    lesson = run_async(
        services.topics.learn_topic(
            (*sources, *more),
            words=words,
            name=name,
            most=most,
            out=out,
            overwrite=force,
            delay=delay,
            asking=fetching,
            environ=os.environ,
        )
    )
    if as_json:
        print_json(_lesson_written_out(lesson.learned, lesson.pages, out))
    else:
        show_lesson(lesson.learned, lesson.pages)
        tell(_advice(out, bool(lesson.seeds)))
    return 0


def _lesson_written_out(lesson: LearnedTopic, pages: Sequence[Page], out: Path | None) -> dict[str, object]:
    return {
        "file": None if out is None else path_text(out),
        "pages": [{"url": page.url, "title": page.title, "charset": page.charset} for page in pages],
        "topic": _written_out(lesson.topic),
        "found": {text: {"count": one.count, "pages": one.samples} for text, one in lesson.found.items()},
    }


def _advice(out: Path | None, seeds: bool) -> str:
    if out is None:
        return "Nothing was written; --out FILE.toml makes a topic file of it."
    begin = "" if seeds else " --seed URL"
    return f"Written to {out}. Crawl with: shoal crawl {shlex.quote(str(out))}{begin}"


# --- printing --------------------------------------------------------------------------------------------------------


def show_topic(topic: Topic) -> None:
    """The words of a topic, those that speak against a page, and the threshold."""
    say(f"{topic.name}  version {topic.version}", "bold")
    if topic.any:
        say(f"{len(topic.any)} topics, each judged on its own; a page counts when one of them matches")
    for part in topic.each:
        if topic.any:
            say(f"\n{part.name}", "bold")
        _say_words(part)
    say(f"\n{_threshold(topic)}")


def show_lesson(lesson: LearnedTopic, pages: Sequence[Page]) -> None:
    """What was learned, and from which pages."""
    say(f"{lesson.topic.name}: learned from {counted(lesson.samples, 'page')}", "bold")
    for page in pages:
        say(f"  {page.url}  “{page.title}”", "dim")
    say("")
    _say_words(lesson.topic, lesson.found)


def show_history(changes: Sequence[TopicChange]) -> None:
    """Every version with what became other: + came, - went, ~ weighs more or less."""
    before: Topic | None = None
    for change in changes:
        say(f"version {change.topic.version}  after {counted(change.pages, 'page')}  {_when(change.at)}", "bold")
        say(f"  {change.why}")
        for line, style in _changes(before, change.topic):
            say(line, style)
        before = change.topic


# --- words -----------------------------------------------------------------------------------------------------------


def _say_words(topic: Topic, found: Mapping[str, TermStatistics] = _NOTHING) -> None:
    for line in word_table(topic.terms, found):
        say(line)
    if topic.negative:
        say(f"against: {_listed(topic.negative)}")


def word_table(words: Sequence[Term], found: Mapping[str, TermStatistics] = _NOTHING) -> Iterator[str]:
    """One line a word: its weight as a number and as a bar, what one occurrence counts, and where it came from."""
    heaviest = max((term.weight for term in words), default=1.0)
    width = max((width_of(term.text) for term in words), default=0)
    yield f"  {'':{width}}  weight  {'':{BAR}}  factor  origin"
    for term in words:
        yield (
            f"  {padded(term.text, width)}  {term.weight:6.3f}  {bar(term.weight / heaviest):{BAR}}  {term.factor:6.2f}  "
            f"{_ORIGINS[term.origin]}{_often(found.get(term.text))}"
        )


def _often(found: TermStatistics | None) -> str:
    if found is None:
        return ""
    times = "once" if found.count == 1 else f"{found.count:,} times"
    return f", {times} on {counted(found.samples, 'page')}" if found.count else ", on no page"


def _threshold(topic: Topic) -> str:
    own = [part for part in topic.any if part.threshold not in (None, topic.threshold)]
    parts = "".join(f"; {part.name}: {part.threshold:.3g}" for part in own)
    whole = "the judge's own" if topic.threshold is None else f"{topic.threshold:.3g}"
    return f"threshold: {whole}{parts}"


# --- history ---------------------------------------------------------------------------------------------------------


def _changes(before: Topic | None, now: Topic) -> Iterator[tuple[str, str]]:
    if before is None:
        yield f"    {_listed(now.terms)}", "dim"
        return
    found = services.topics.difference(before, now)
    yield from ((f"  + {term.text} {term.weight:.3f}", "green") for term in found.learned)
    yield from ((f"  - {term.text} {term.weight:.3f}", "red") for term in found.dropped)
    yield from ((f"  ~ {new.text} {old.weight:.3f} → {new.weight:.3f}", "") for old, new in found.moved)
    if before.threshold != now.threshold:
        yield f"  ~ {_threshold(before)} → {_threshold(now).removeprefix('threshold: ')}", ""


def _listed(words: Iterable[Term]) -> str:
    return ", ".join(f"{term.text} {term.weight:.2f}" for term in words)


def _when(at: float) -> str:
    return f"{datetime.fromtimestamp(at, UTC):%Y-%m-%d %H:%M:%S} UTC" if at else "before the first page"
