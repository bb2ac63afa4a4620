"""What does a crawl look for, how did that change, and what do example pages say that it should?"""

from __future__ import annotations

import asyncio
import dataclasses
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

import msgspec
from msgspec.structs import replace

from shoal.errors import InputError
from shoal.model import Page, Topic
from shoal.model.stored import TopicChange
from shoal.services.choices import names
from shoal.settings import Cluster, Politeness, Settings
from shoal.store import crawl_folder as folders
from shoal.store import strategy_memory
from shoal.topic import relevance_feedback, value_readers, word_readers
from shoal.topic.combined import name_of
from shoal.topic.relevance_feedback import TopicDifference
from shoal.topic.setting_entry import SettingEntry
from shoal.topic.setting_readers import value_in
from shoal.topic.term_weights import MOST_LEARNED, LearnedTopic, learn, words_of
from shoal.topic.topic_file import read_cluster, read_fetching, read_topic, topic_from_words
from shoal.topic.topic_writer import new_topic_file
from shoal.topic.word_frequencies import general

_NOTHING: Mapping[str, object] = {}
_NO_ENVIRONMENT: Mapping[str, str] = {}
_DELAY = Politeness().delay

# --- what was written down -------------------------------------------------------------------------------------------


def topic_of(topic_file: Path, environ: Mapping[str, str] = _NO_ENVIRONMENT) -> Topic:
    """What a topic file says a crawl looks for."""
    return read_topic(topic_file, names=names(), environ=environ, seeds_needed=False).topic


def settings_of(
    topic_file: Path, environ: Mapping[str, str] = _NO_ENVIRONMENT, options: Mapping[str, object] = _NOTHING
) -> Settings:
    """All that a crawl is, from a topic file, the environment and options, which win."""
    return read_topic(topic_file, names=names(), options=options, environ=environ)


def settings_from_words(
    words: str | Iterable[str],
    seeds: Iterable[str],
    environ: Mapping[str, str] = _NO_ENVIRONMENT,
    options: Mapping[str, object] = _NOTHING,
) -> Settings:
    """The same without a file: `power grid, substation=0.8` and the URLs to start from."""
    return topic_from_words(words, seeds, names=names(), options=options, environ=environ)


def servers_of(
    topic_file: Path | None, environ: Mapping[str, str] = _NO_ENVIRONMENT, options: Mapping[str, object] = _NOTHING
) -> Cluster:
    """The servers of a crawl, from its topic file, the environment and options."""
    return read_cluster(topic_file, options=options, environ=environ)


def value_of(entry: SettingEntry, text: str) -> object:
    """What was typed for a setting that has no option of its own, as a topic file would say it."""
    return value_in(entry, text)


# --- how it changed --------------------------------------------------------------------------------------------------


def topic_history(folder: Path) -> list[TopicChange]:
    """Every version of the topic, the one that the crawl was started with first."""
    with folders.reading(folder) as database:
        return strategy_memory.topic_history(database, folders.read_settings(folder, database).topic)


def difference(before: Topic, now: Topic) -> TopicDifference:
    """What became of the words of a topic from one version to another; the strongest first."""
    return relevance_feedback.difference(before, now)


# --- what example pages say ------------------------------------------------------------------------------------------


class Lesson(msgspec.Struct, frozen=True, kw_only=True):
    """A topic that was learned from example pages."""

    learned: LearnedTopic
    pages: tuple[Page, ...]
    """What it was learned from."""
    seeds: tuple[str, ...]
    """Those of them that have a URL: where a crawl begins."""


async def learn_topic(
    places: Sequence[str],
    *,
    words: str = "",
    name: str | None = None,
    most: int | None = None,
    out: Path | None = None,
    overwrite: bool = False,
    delay: float = _DELAY,
    asking: Mapping[str, object] = _NOTHING,
    environ: Mapping[str, str] = _NO_ENVIRONMENT,
) -> Lesson:
    """Learn a topic from example pages, URLs or files, and from words that guide; with `out`, make a topic file of it.

    `asking` says how to talk to servers, in the words of the options.
    """
    _check_places(places, out, overwrite)
    start, fetching = _typed(words, name), read_fetching(asking, environ=environ)
    # Here, because the HTTP client takes a third of a second to load, and a mistake shall be told at once.
    from shoal.seeds.examples import read_samples

    pages = await read_samples(places, fetching, delay=delay)
    learned = await asyncio.to_thread(_learned, start, pages, most or MOST_LEARNED)
    lesson = Lesson(learned=learned, pages=tuple(pages), seeds=_seeds(places, pages))
    if out is not None:
        new_topic_file(out, learned.topic, lesson.seeds, found=learned.found, overwrite=overwrite)
    return lesson


def _check_places(places: Sequence[str], out: Path | None, overwrite: bool) -> None:
    if not places:
        raise InputError("Say which pages to learn from: --from URL or --from FILE")
    if out is not None and out.exists() and not overwrite:
        raise InputError(f"{out} is there already; give it another name, or say --force to replace it")


def _typed(words: str, name: str | None) -> Topic:
    """What guides the learning: the words that were typed, if there are any."""
    option = "--topic"
    try:
        terms = word_readers.keywords(words)
        option = "--name"
        return Topic(name="" if name is None else value_readers.line(name), terms=terms)
    except ValueError as error:
        raise InputError(f"{option} {error}") from None


def _learned(start: Topic, pages: Sequence[Page], most: int) -> LearnedTopic:
    lesson = learn(start, [words_of(page, start) for page in pages], general(), most=most)
    if not lesson.topic.terms:
        raise InputError("The pages have no words that could make a topic; give others, or words with --topic")
    languages = tuple(dict.fromkeys(page.language for page in pages if page.language))
    named = replace(lesson.topic, name=start.name or name_of(lesson.topic.terms), languages=languages)
    return dataclasses.replace(lesson, topic=named)


def _seeds(places: Sequence[str], pages: Sequence[Page]) -> tuple[str, ...]:
    """Example pages that have a URL are where a crawl begins."""
    read = zip(dict.fromkeys(places), pages, strict=True)
    return value_readers.seeds([place for place, page in read if not page.url.startswith("file:")])
