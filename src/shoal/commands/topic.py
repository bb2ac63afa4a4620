"""`shoal topic show` and `shoal topic learn`: what does a crawl look for, and what do example pages say it should?"""

from __future__ import annotations

import dataclasses
import os
import shlex
from collections.abc import Sequence
from pathlib import Path

import click
from msgspec.structs import replace

from shoal.commands.answer import path_text, print_json, run_async
from shoal.commands.options import Seconds, as_json
from shoal.errors import InputError
from shoal.model import Page, Term, Topic
from shoal.remembered import TopicChange
from shoal.services import crawls as app
from shoal.settings import Fetching
from shoal.terminal import topic as screen
from shoal.terminal.speaking import tell
from shoal.topic import value_readers as values
from shoal.topic.combined import name_of
from shoal.topic.relevance_feedback import difference
from shoal.topic.term_weights import MOST_LEARNED, Lesson, learn, words_of
from shoal.topic.topic_file import read_fetching, read_topic
from shoal.topic.topic_writer import new_topic_file
from shoal.topic.word_frequencies import general


@click.group(short_help="Show what a crawl looks for; learn a topic from pages.")
def topic() -> None:
    """Show what a crawl looks for, and learn a topic from example pages."""


# --- show ------------------------------------------------------------------------------------------------------------


@topic.command(short_help="Show the words of a topic, their weights and where they came from.")
@click.argument("topic_file", type=click.Path(path_type=Path), required=False, metavar="[TOPIC.toml]")
@click.option("--dir", "folder", type=click.Path(path_type=Path), metavar="FOLDER", help="The topic of this crawl.")
@click.option("--history", is_flag=True, help="Every version the topic had in this crawl, and what changed.")
@as_json
def show(topic_file: Path | None, folder: Path | None, history: bool, as_json: bool) -> int:
    """Show the words of a topic, their weights and where they came from.

    \b
    shoal topic show grid.toml
    shoal topic show --dir crawls/power-grid --history
    """
    if (topic_file is None) == (folder is None):
        raise InputError("Give either a topic file or --dir FOLDER")
    if history and folder is None:
        raise InputError("--history needs --dir FOLDER: only the topic of a crawl changes")
    if folder is not None:
        changes = app.topic_history(folder)
        return _show_history(changes, as_json) if history else _show(changes[-1].topic, as_json)
    assert topic_file is not None
    return _show(read_topic(topic_file, names=app.names(), environ=os.environ, seeds_needed=False).topic, as_json)


def _show(shown: Topic, as_json: bool) -> int:
    if as_json:
        print_json(_written_out(shown))
    else:
        screen.show_topic(shown)
    return 0


def _show_history(changes: list[TopicChange], as_json: bool) -> int:
    if not as_json:
        screen.show_history(changes)
        return 0
    before = [changes[0].topic, *(change.topic for change in changes)]
    print_json([_change(old, change) for old, change in zip(before, changes, strict=False)])
    return 0


def _written_out(shown: Topic) -> dict[str, object]:
    """With its defaults, because who reads JSON does not know them."""
    fields: dict[str, object] = {
        "name": shown.name,
        "version": shown.version,
        "threshold": shown.threshold,
        "terms": [_word(term) for term in shown.terms],
        "negative": [_word(term) for term in shown.negative],
        "languages": shown.languages,
        "any": [_written_out(part) for part in shown.any],
    }
    return fields


def _word(term: Term) -> dict[str, object]:
    return {"text": term.text, "weight": term.weight, "factor": term.factor, "origin": term.origin}


def _change(old: Topic, change: TopicChange) -> dict[str, object]:
    found = difference(old, change.topic)
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
@click.option("--out", type=click.Path(path_type=Path), metavar="FILE.toml", help="The topic file to write.")
@click.option(
    "--terms",
    "most",
    type=click.IntRange(1, 500),
    default=MOST_LEARNED,
    show_default=True,
    help="Learn at most so many words.",
)
@click.option("--force", is_flag=True, help="Replace the file if it is there.")
@click.option("--delay", type=Seconds(), default=1.0, show_default=True, help="Seconds between requests to one host.")
@click.option("--user-agent", metavar="TEXT", help="The name we go by.")
@click.option("--contact", metavar="TEXT", help="Where a site's owner reaches you.")
@click.option("--proxy", metavar="URL", help="An HTTP proxy for all requests.")
@click.option("--allow-private", multiple=True, metavar="RANGE", help="Private addresses allowed: 127.0.0.0/8.")
@as_json
def learn_topic(
    sources: tuple[str, ...],
    more: tuple[str, ...],
    words: str,
    name: str | None,
    out: Path | None,
    most: int,
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
    places = (*sources, *more)
    if not places:
        raise InputError("Say which pages to learn from: --from URL or --from FILE")
    if out is not None and out.exists() and not force:
        raise InputError(f"{out} is there already; give it another name, or say --force to replace it")
    start = _typed(words, name)
    pages = _read(places, read_fetching(fetching, environ=os.environ), delay)
    lesson = _lesson(start, pages, most)
    urls = values.seeds(
        [place for place, page in zip(dict.fromkeys(places), pages, strict=True) if not page.url.startswith("file:")]
    )
    if out is not None:
        new_topic_file(out, lesson.topic, urls, found=lesson.found, overwrite=force)
    if as_json:
        print_json(_lesson_written_out(lesson, pages, out))
    else:
        screen.show_lesson(lesson, pages)
        tell(_advice(out, bool(urls)))
    return 0


def _typed(words: str, name: str | None) -> Topic:
    """What guides the learning: the words that were typed, if there are any."""
    option = "--topic"
    try:
        terms = values.keywords(words)
        option = "--name"
        return Topic(name="" if name is None else values.line(name), terms=terms)
    except ValueError as error:
        raise InputError(f"{option} {error}") from None


def _read(places: Sequence[str], fetching: Fetching, delay: float) -> list[Page]:
    # Here, because the HTTP client takes a third of a second to load, and a mistake shall be told at once.
    from shoal.seeds.examples import read_samples

    return run_async(read_samples(places, fetching, delay=delay))


def _lesson(start: Topic, pages: Sequence[Page], most: int) -> Lesson:
    lesson = learn(start, [words_of(page, start) for page in pages], general(), most=most)
    if not lesson.topic.terms:
        raise InputError("The pages have no words that could make a topic; give others, or words with --topic")
    languages = tuple(dict.fromkeys(page.language for page in pages if page.language))
    named = replace(lesson.topic, name=start.name or name_of(lesson.topic.terms), languages=languages)
    return dataclasses.replace(lesson, topic=named)


def _lesson_written_out(lesson: Lesson, pages: Sequence[Page], out: Path | None) -> dict[str, object]:
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
