"""`shoal crawl`: collect what the web says about a topic."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import click

from shoal import services
from shoal.commands import options
from shoal.commands.next_command import alone, in_crawl
from shoal.commands.options import PATH
from shoal.commands.output import STOPPED, answer, counted, path_text, reply, run_async, teller
from shoal.commands.setting_options import InSections, crawl_options, setting_option, start_option, with_settings
from shoal.commands.start import start_in_background
from shoal.errors import AddressTaken, InputError, NoSeedReached
from shoal.installation.location import installation_of
from shoal.printable import harmless
from shoal.settings import ListenAddress, Settings
from shoal.topic.setting_table import setting

if TYPE_CHECKING:
    from shoal.services.run import Ending
    from shoal.services.status import Status


@click.command(cls=InSections)
@click.argument("topic_file", type=PATH, required=False, metavar="[TOPIC.toml]")
@setting_option("keywords")
@setting_option("seeds")
@start_option("--name", metavar="NAME", help=f"{options.NEW} Default: that of the topic.")
@start_option("--dir", "folder", type=PATH, metavar="FOLDER", help="Keep it there, not in the installation's home.")
@start_option(
    "--model", "model_file", type=PATH, metavar="FILE", help="Begin with what another crawl learned (shoal model)."
)
@crawl_options
@options.metrics
@options.background
@options.progress
def crawl(
    topic_file: Path | None,
    keywords: str | None,
    seeds: tuple[str, ...],
    name: str | None,
    folder: Path | None,
    model_file: Path | None,
    metrics: ListenAddress | None,
    background: bool,
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
    given = with_settings(given)
    settings = _settings(topic_file, keywords, seeds, given)
    folder = options.new_crawl(name, folder, services.catalog.name_for(settings.topic.name))
    model = None if model_file is None else services.models.read_model(model_file)
    cluster = services.topics.servers_of(topic_file, os.environ, given)
    made = services.crawls.start_crawl(folder, settings, model, cluster)
    if background:
        return start_in_background(folder, metrics, as_json=as_json, quiet=quiet)
    try:
        return run_to_the_end(folder, metrics, as_json=as_json, quiet=quiet)
    except (NoSeedReached, AddressTaken):  # so that the same command works when the mistake is found
        services.crawls.forget_crawl(made)
        raise


def _settings(topic_file: Path | None, words: str | None, seeds: tuple[str, ...], given: dict[str, object]) -> Settings:
    if (topic_file is None) == (words is None):
        raise InputError("Give either a topic file or --topic WORDS with at least one --seed URL.")
    if topic_file is not None:
        return services.topics.settings_of(topic_file, os.environ, given | {"seeds": seeds})
    return services.topics.settings_from_words(words or "", seeds, os.environ, given)


def run_to_the_end(folder: Path, metrics: ListenAddress | None, *, as_json: bool, quiet: bool) -> int:
    """Crawl until something ends it, and say what came of it."""
    # Only here, because they load what a running crawl needs, and a mistake shall be told at once.
    from shoal.commands import live_view
    from shoal.signals import stopped_by_signals

    silent = quiet or as_json
    watch = live_view.progress(folder, silent=silent)
    stopped = f"Stopped at once. Go on with: shoal resume {alone(folder)}"
    ending = run_async(
        services.run.run_crawl(
            folder,
            installation_of(os.environ),
            watch,
            say=teller(silent=silent),
            interrupted=stopped_by_signals,
            metrics=metrics,
        ),
        stopped=stopped,
    )
    status = services.status.crawl_status(folder)
    whole = {"folder": path_text(folder), "ending": ending, "outlook": status.outlook, "status": status}
    reply(whole, lambda: answer(outcome(folder, ending, status)), as_json=as_json, quiet=quiet)
    return STOPPED if ending is services.run.Ending.STOPPED else 0


def outcome(folder: Path, ending: Ending, status: Status) -> str:
    """What a crawl says when it is over: why, what came of it, and what can be done now."""
    # Only here, for the same reason.
    from shoal.commands.status import summary, troubles

    why = "Stopped." if ending is services.run.Ending.STOPPED else f"The crawl is over: {ending}."
    leftovers = f"{counted(status.waiting, 'URL')} waiting, {status.failed:,} failed, {status.skipped:,} skipped"
    parts = (why, *summary(folder, status), leftovers, *troubles(folder, status), *_advice(folder, ending, status))
    return harmless("\n".join(parts))


def _advice(folder: Path, ending: Ending, status: Status) -> Iterator[str]:
    kinds, where = services.run.Ending, alone(folder)
    if ending in (kinds.STOPPED, kinds.RESTING):
        yield f"Go on with: shoal resume {where}"
        return
    larger = {
        kinds.PAGES: "max_pages",
        kinds.BYTES: "max_bytes",
        kinds.TIME: "max_time",
        kinds.DONE: "until_done",
    }
    if ending in larger and status.waiting:
        yield f"Go on with: shoal resume {where} {setting(larger[ending]).sample}"
    yield f"Look with: shoal status {where}"
    if status.images:
        yield f"Look with: shoal images {in_crawl(folder)} --html gallery.html"
    yield f"Search with: shoal search {in_crawl(folder)} WORDS"
    yield f"Take with: shoal export {where}"
