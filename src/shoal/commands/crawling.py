"""`shoal crawl` and `shoal resume`: collect what the web says about a topic."""

from __future__ import annotations

import asyncio
import os
import re
import shlex
from pathlib import Path

import click

from shoal.commands import options
from shoal.commands.answer import STOPPED, path_text, print_json, run_async
from shoal.crawl.allowance import Ending
from shoal.errors import AddressTaken, FolderBusy, InputError, NoSeedReached
from shoal.services import crawls as app
from shoal.settings import Address, Settings
from shoal.store.models import read_model
from shoal.terminal import crawl as screen
from shoal.terminal.speaking import answer, tell
from shoal.topic.topic_file import read_cluster, read_topic, topic_from_words

_NO_LETTERS = re.compile(r"\W+")


@click.command(cls=options.InSections)
@click.argument("topic_file", type=click.Path(path_type=Path), required=False, metavar="[TOPIC.toml]")
@options.topic
@options.seeds
@options.new_folder
@options.model
@options.crawl
@options.metrics
@options.progress
def crawl(
    topic_file: Path | None,
    words: str | None,
    seeds: tuple[str, ...],
    folder: Path | None,
    model_file: Path | None,
    metrics: Address | None,
    as_json: bool,
    quiet: bool,
    **given: object,
) -> int:
    """Crawl a topic, best pages first.

    \b
    shoal crawl TOPIC.toml
    shoal crawl --topic 'power grid, 电网' --seed https://example.org/

    What is typed here wins over what the topic file says. Ctrl-C stops; shoal resume goes on.
    """
    settings = _settings(topic_file, words, seeds, given)
    folder = folder or Path("crawls") / _slug(settings.topic.name)
    cluster = read_cluster(topic_file, options=given, environ=os.environ)
    made = app.start_crawl(folder, settings, None if model_file is None else read_model(model_file), cluster)
    try:
        return _run(folder, metrics, as_json=as_json, quiet=quiet)
    except (NoSeedReached, AddressTaken):  # so that the same command works when the mistake is found
        app.forget_crawl(made)
        raise


@click.command(cls=options.InSections)
@options.folder
@options.no_model
@options.crawl
@options.standby
@options.metrics
@options.progress
def resume(
    folder: Path,
    model_file: Path | None,
    standby: bool,
    metrics: Address | None,
    as_json: bool,
    quiet: bool,
    **given: object,
) -> int:
    """Go on with a crawl that was stopped or died.

    Options given here replace those it was started with, from now on.
    """
    if model_file is not None:
        raise InputError("--model is for the start of a crawl: this one has learned from its own pages since.")
    app.join_crawl(folder, given, os.environ)
    while True:
        if standby:
            app.stand_by(folder, screen.unsaid if quiet else tell)
        try:
            app.change_settings(folder, given)
            return _run(folder, metrics, as_json=as_json, quiet=quiet)
        except FolderBusy:  # another one that stood by was quicker
            if not standby:
                raise


def _settings(topic_file: Path | None, words: str | None, seeds: tuple[str, ...], given: dict[str, object]) -> Settings:
    if (topic_file is None) == (words is None):
        raise InputError("Give either a topic file or --topic WORDS with at least one --seed URL.")
    if topic_file is not None:
        return read_topic(topic_file, names=app.names(), options=given | {"seeds": seeds}, environ=os.environ)
    return topic_from_words(words or "", seeds, names=app.names(), options=given, environ=os.environ)


def _slug(name: str) -> str:
    return _NO_LETTERS.sub("-", name).strip("-").lower()[:60] or "crawl"


def _run(folder: Path, metrics: Address | None, *, as_json: bool, quiet: bool) -> int:
    watch = screen.silent if quiet or as_json else screen.progress(folder)
    say = screen.unsaid if quiet or as_json else tell
    try:
        ending = run_async(app.run_crawl(folder, watch, say=say, metrics=metrics))
    except asyncio.CancelledError:  # the second Ctrl-C
        tell(f"Stopped at once. Go on with: shoal resume --dir {shlex.quote(str(folder))}")
        return STOPPED
    status = app.crawl_status(folder)
    if as_json:
        print_json({"folder": path_text(folder), "ending": ending, "outlook": status.outlook, "status": status})
    elif not quiet:
        answer(screen.ending(folder, ending, status))
    return STOPPED if ending is Ending.STOPPED else 0
