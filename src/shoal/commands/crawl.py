"""`shoal crawl`: collect what the web says about a topic."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from functools import partial
from itertools import zip_longest
from pathlib import Path
from typing import Any

import click

from shoal import services
from shoal.commands import live_view, options
from shoal.commands.options import PATH
from shoal.commands.output import STOPPED, answer, counted, in_folder, path_text, reply, run_async, teller
from shoal.commands.status import summary, troubles
from shoal.crawl.termination import Ending
from shoal.errors import AddressTaken, InputError, NoSeedReached
from shoal.installation.location import installation_of
from shoal.printable import harmless
from shoal.settings import ListenAddress, Settings
from shoal.signals import stopped_by_signals
from shoal.store.crawl_status import Status
from shoal.store.strategy_memory import read_model
from shoal.topic import value_readers
from shoal.topic.topic_file import read_cluster, read_topic, topic_from_words

_OUTPUT = "What to print"
_UNTIL_DONE = "--until-done"
_RAISE = {
    Ending.PAGES: "--max-pages N",
    Ending.BYTES: "--max-bytes N",
    Ending.TIME: "--max-time TIME",
    Ending.DONE: "--until-done SHARE",
}
"""What lets a crawl go on that is over."""


# --- options ---------------------------------------------------------------------------------------------------------


class _Option(click.Option):
    """An option that stands under a heading in the help."""

    def __init__(self, *names: Any, section: str, **attributes: Any) -> None:
        super().__init__(*names, **attributes)
        self.section = section


class InSections(click.Command):
    """A command with so many options that its help needs headings."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Read what was typed; `--until-done` may stand alone."""
        return super().parse_args(ctx, _with_usual_share(args))

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """The options, each under its heading; those without one come last."""
        known = [option for option in self.get_params(ctx) if isinstance(option, click.Option)]
        sections: dict[str, list[tuple[str, str]]] = {}
        for option in sorted(known, key=lambda option: not isinstance(option, _Option)):
            if (line := option.get_help_record(ctx)) is not None:
                sections.setdefault(getattr(option, "section", _OUTPUT), []).append(line)
        for title, lines in sections.items():
            with formatter.section(title):
                formatter.write_dl(lines)


def _with_usual_share(args: Sequence[str]) -> list[str]:
    """`--until-done` with the usual share, where none follows: click would take the topic file behind it for the share."""
    end = args.index("--") if "--" in args else len(args)
    usual = f"{_UNTIL_DONE}={value_readers.USUAL_SHARE}"
    return [
        usual if word == _UNTIL_DONE and place < end and not value_readers.looks_like_share(behind) else word
        for place, (word, behind) in enumerate(zip_longest(args, args[1:], fillvalue=""))
    ]


def _numbers(ctx: click.Context, option: click.Parameter, given: tuple[str, ...]) -> dict[str, float] | None:
    """`--set width=10 --set depth=4` as a table; None when nothing was set."""
    numbers = {}
    for pair in given:
        name, _, number = pair.partition("=")
        try:
            numbers[name.strip()] = float(number)
        except ValueError:
            raise click.BadParameter(f"'{pair}' is not NAME=NUMBER, such as width=10.", ctx=ctx, param=option) from None
    return numbers or None


start_option = partial(click.option, cls=_Option, section="What to look for, and where to begin")
_which = partial(click.option, cls=_Option, section="Which pages")
_learn = partial(click.option, cls=_Option, section="What to learn meanwhile")
_limit = partial(click.option, cls=_Option, section="When to stop")
_asking = partial(click.option, cls=_Option, section="How to ask")
cluster_option = partial(click.option, cls=_Option, section="Many machines")
_SET = "A number of the strategy, such as width=10 (shoal strategies); repeatable."
_DONE = "Stop when the next pages promise too few relevant ones: a share below 5%, or SHARE."
crawl_options = options.together(
    _which("--strategy", metavar="NAME", help=f"Which link next: {', '.join(services.choices.names().strategies)}."),
    _which("--judge", metavar="NAME", help=f"What is relevant: {', '.join(services.choices.names().judges)}."),
    _which("--threshold", type=float, metavar="SCORE", help="A page scoring at least this is relevant."),
    _which("--scope", metavar="WORD", help="Stay near the seeds: any, host, domain, prefix (the seed's folder)."),
    _which("--include", multiple=True, metavar="PATTERN", help="Only URLs that match: '*/energy/*'; repeatable."),
    _which("--exclude", multiple=True, metavar="PATTERN", help="No URL that matches: '*.pdf'; repeatable."),
    _which("--set", "parameters", multiple=True, metavar="NAME=NUMBER", callback=_numbers, help=_SET),
    _which("--images/--no-images", default=None, help="Keep the images whose descriptions are about the topic."),
    _which("--all-images", is_flag=True, default=None, help="Keep all images of the pages, whatever they show."),
    _learn("--learn-from-seeds/--no-learn-from-seeds", default=None, help="Learn words from the seed pages."),
    _learn("--adapt-topic/--no-adapt-topic", default=None, help="Learn words from the pages found relevant."),
    _learn("--adapt-threshold/--no-adapt-threshold", default=None, help="Ask more where much is found, or less."),
    _learn("--adapt-interval", type=int, metavar="N", help="Pages between two adaptations. Default: 100."),
    _learn("--adapt-wanted", type=int, metavar="N", help="Relevant pages wanted per interval. Default: 20."),
    _limit("--max-pages", type=int, metavar="N", help="Stop after so many pages."),
    _limit("--max-pages-per-host", type=int, metavar="N", help="Take no more pages than this from one host."),
    _limit("--max-depth", type=int, metavar="N", help="Follow no more links than this from a seed."),
    _limit("--max-bytes", type=int, metavar="N", help="Stop after so many bytes of pages."),
    _limit("--max-images", type=int, metavar="N", help="Fetch no more images than this."),
    _limit("--max-time", metavar="TIME", help="Stop after so long: 90, 90s, 10m, 1h30m, 1d."),
    _limit(_UNTIL_DONE, metavar="[SHARE]", help=_DONE),
    _asking("--delay", type=float, metavar="SECONDS", help="Between requests to one host. Default: 1."),
    _asking("--per-host", type=int, metavar="N", help="Requests in flight to one host. Default: 1."),
    _asking("--concurrency", type=int, metavar="N", help="Requests in flight in all. Default: 64."),
    _asking("--hurry/--no-hurry", default=None, help="Never wait for the host of a better link. Default: no."),
    _asking("--processes", type=int, metavar="N", help="Processes that fetch and judge. Default: 1."),
    _asking("--index/--no-index", default=None, help="Make pages searchable meanwhile, or by the first search."),
    cluster_option(
        "--database", metavar="URL", help="Remember the crawl in PostgreSQL: postgresql://user:password@host/name."
    ),
    cluster_option("--broker", metavar="URL", help="Hand out the work by RabbitMQ: amqp://user:password@host/."),
    _asking("--user-agent", metavar="TEXT", help="The name we go by, to robots.txt too."),
    _asking("--contact", metavar="TEXT", help="Where a site's owner reaches you."),
    _asking("--proxy", metavar="URL", help="An HTTP proxy for all requests."),
    _asking("--allow-private", multiple=True, metavar="RANGE", help="Private addresses allowed: 127.0.0.0/8."),
)
"""Everything a topic file can say too; what is typed wins."""


# --- the command -----------------------------------------------------------------------------------------------------


@click.command(cls=InSections)
@click.argument("topic_file", type=PATH, required=False, metavar="[TOPIC.toml]")
@start_option("--topic", "words", metavar="WORDS", help="Instead of a file: 'power grid, substation=0.8, 电网'.")
@start_option("--seed", "seeds", multiple=True, metavar="URL", help="A URL to start from; repeatable.")
@start_option("--name", metavar="NAME", help=f"{options.NEW} Default: that of the topic.")
@start_option("--dir", "folder", type=PATH, metavar="FOLDER", help="Keep it there, not in the installation's home.")
@start_option(
    "--model", "model_file", type=PATH, metavar="FILE", help="Begin with what another crawl learned (shoal model)."
)
@crawl_options
@options.metrics
@options.progress
def crawl(
    topic_file: Path | None,
    words: str | None,
    seeds: tuple[str, ...],
    name: str | None,
    folder: Path | None,
    model_file: Path | None,
    metrics: ListenAddress | None,
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
    folder = options.new_crawl(name, folder, services.catalog.name_for(settings.topic.name))
    cluster = read_cluster(topic_file, options=given, environ=os.environ)
    made = services.crawls.start_crawl(
        folder, settings, None if model_file is None else read_model(model_file), cluster
    )
    try:
        return run_to_the_end(folder, metrics, as_json=as_json, quiet=quiet)
    except (NoSeedReached, AddressTaken):  # so that the same command works when the mistake is found
        services.crawls.forget_crawl(made)
        raise


def _settings(topic_file: Path | None, words: str | None, seeds: tuple[str, ...], given: dict[str, object]) -> Settings:
    if (topic_file is None) == (words is None):
        raise InputError("Give either a topic file or --topic WORDS with at least one --seed URL.")
    if topic_file is not None:
        return read_topic(
            topic_file, names=services.choices.names(), options=given | {"seeds": seeds}, environ=os.environ
        )
    return topic_from_words(words or "", seeds, names=services.choices.names(), options=given, environ=os.environ)


def run_to_the_end(folder: Path, metrics: ListenAddress | None, *, as_json: bool, quiet: bool) -> int:
    """Crawl until something ends it, and say what came of it."""
    silent = quiet or as_json
    watch = live_view.progress(folder, silent=silent)
    stopped = f"Stopped at once. Go on with: shoal resume {in_folder(folder)}"
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
    return STOPPED if ending is Ending.STOPPED else 0


def outcome(folder: Path, ending: Ending, status: Status) -> str:
    """What a crawl says when it is over: why, what came of it, and what can be done now."""
    why = "Stopped." if ending is Ending.STOPPED else f"The crawl is over: {ending}."
    leftovers = f"{counted(status.waiting, 'URL')} waiting, {status.failed:,} failed, {status.skipped:,} skipped"
    parts = (why, *summary(status), leftovers, *troubles(folder, status), *_advice(in_folder(folder), ending, status))
    return harmless("\n".join(parts))


def _advice(where: str, ending: Ending, status: Status) -> Iterator[str]:
    if ending in (Ending.STOPPED, Ending.RESTING):
        yield f"Go on with: shoal resume {where}"
        return
    if ending in _RAISE and status.waiting:
        yield f"Go on with: shoal resume {where} {_RAISE[ending]}"
    yield f"Look with: shoal status {where}"
    if status.images:
        yield f"Look with: shoal images {where} --html gallery.html"
    yield f"Search with: shoal search {where} WORDS"
    yield f"Take with: shoal export {where}"
