"""The command `shoal`: arguments in, one call to `app`, text or JSON out."""

from __future__ import annotations

import asyncio
import errno
import io
import logging
import os
import re
import shlex
import sys
from collections.abc import Coroutine, Sequence
from pathlib import Path
from typing import Any, TypeVar, get_args

import click
import msgspec
import uvloop

from shoal import __version__, app, options, terminal
from shoal.crawl.coordinator import Ending
from shoal.errors import InputError, NoSeedReached, ShoalError, StorageFull
from shoal.evaluate.sites import TOPICS
from shoal.settings import Settings
from shoal.store.export import Format
from shoal.topic.file import read_topic, topic_from_words

STOPPED = 130
"""The exit code of a command that Ctrl-C ended."""
_Result = TypeVar("_Result")


def main(arguments: Sequence[str] | None = None) -> None:
    """Run what was typed, and turn what goes wrong into one clear sentence and an exit code."""
    logging.basicConfig(format="%(message)s", level=logging.WARNING)
    _print_anything()
    try:
        code = commands(arguments, standalone_mode=False)
    except click.exceptions.NoArgsIsHelpError as error:
        error.show()
        code = error.exit_code
    except click.ClickException as error:
        _complain(error.format_message() + _where_to_look(error))
        code = error.exit_code
    except (click.Abort, KeyboardInterrupt):
        code = STOPPED
    except ShoalError as error:
        _complain(str(error))
        code = error.exit_code
    sys.exit(code)


def _print_anything() -> None:
    """A terminal without Chinese shows the codes of the characters; it must not end the command."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")


def _complain(sentence: str) -> None:
    end = "" if sentence.endswith((".", "?", "!")) else "."
    click.echo(f"shoal: {sentence}{end}", err=True)


def _where_to_look(error: click.ClickException) -> str:
    context = error.ctx if isinstance(error, click.UsageError) else None
    return f" See {context.command_path} --help." if context is not None else ""


class _Commands(click.Group):
    """All commands, in the order in which they are needed."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """As they stand in this file."""
        return list(self.commands)

    def invoke(self, ctx: click.Context) -> object:
        """Run one; that standard output is gone or full has the same answer for all."""
        try:
            code = super().invoke(ctx)
            if sys.stdout is not None:  # None: the caller closed it
                sys.stdout.flush()
            return code
        except BrokenPipeError:
            # Whoever read our output has had enough (`shoal export | head`); Python must not complain at exit either.
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            return 0
        except OSError as error:
            if error.errno != errno.ENOSPC:
                raise
            raise StorageFull("There is no room left where the output goes.") from error


@click.group(cls=_Commands, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 120})
@click.version_option(__version__, prog_name="shoal")
def commands() -> None:
    """Finds what the web says about a topic: a polite, durable, fast focused crawler for Chinese and English."""


# --- the demo --------------------------------------------------------------------------------------------------------


@commands.command()
@click.option(
    "--dir",
    "folder",
    type=click.Path(path_type=Path),
    default=Path("demo"),
    metavar="FOLDER",
    show_default=True,
    help="Where to keep both crawls; an earlier demo there is replaced.",
)
@click.option("--topic", type=click.Choice(tuple(TOPICS)), default="power-grid", show_default=True, help="Which topic.")
@click.option("--pages", type=click.IntRange(min=1), default=600, show_default=True, help="How far each crawl goes.")
@click.option("--seed", type=int, default=7, show_default=True, help="What the web grows from.")
@click.option("--quiet", is_flag=True, help="Show only what came of it.")
@options.as_json
def demo(folder: Path, topic: str, pages: int, seed: int, quiet: bool, as_json: bool) -> int:
    """Crawl a topic in a web of our own, and show what came of it.

    Makes a web whose every page is known, serves it on this computer, crawls it best first and breadth first, and
    compares. Takes half a minute.
    """
    # Here, because the generated web and matplotlib take longer to load than most commands take in all.
    from shoal.evaluate.demo import Plan, run_demo
    from shoal.terminal_demo import show_demo

    silent = quiet or as_json

    def run(crawl: Path, ledger: Path) -> Ending:
        watch = terminal.silent if silent else terminal.progress(crawl)
        return _run_async(app.run_crawl(crawl, watch, ledger_file=ledger))

    def say(sentence: str) -> None:
        if not silent:
            click.echo(sentence, err=True)

    try:
        outcome = run_demo(Plan(folder=folder, topic=topic, pages=pages, seed=seed), run, say)
    except asyncio.CancelledError:  # the second Ctrl-C
        outcome = None
    if outcome is None:
        click.echo(f"Stopped. Start anew with: shoal demo --dir {shlex.quote(str(folder))}", err=True)
        return STOPPED
    if as_json:
        _print_json(outcome)
    else:
        show_demo(outcome)
    return 0


# --- crawling --------------------------------------------------------------------------------------------------------


@commands.command(cls=options.InSections)
@click.argument("topic_file", type=click.Path(path_type=Path), required=False, metavar="[TOPIC.toml]")
@options.topic
@options.seeds
@options.new_folder
@options.crawl
@options.progress
def crawl(
    topic_file: Path | None,
    words: str | None,
    seeds: tuple[str, ...],
    folder: Path | None,
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
    app.start_crawl(folder, settings)
    try:
        return _run(folder, as_json=as_json, quiet=quiet)
    except NoSeedReached:  # so that the same command works when the mistake is found
        app.forget_crawl(folder)
        raise


@commands.command(cls=options.InSections)
@options.folder
@options.crawl
@options.progress
def resume(folder: Path, as_json: bool, quiet: bool, **given: object) -> int:
    """Go on with a crawl that was stopped or died.

    Options given here replace those it was started with, from now on.
    """
    app.change_settings(folder, given)
    return _run(folder, as_json=as_json, quiet=quiet)


def _settings(topic_file: Path | None, words: str | None, seeds: tuple[str, ...], given: dict[str, object]) -> Settings:
    if (topic_file is None) == (words is None):
        raise InputError("Give either a topic file or --topic WORDS with at least one --seed URL.")
    if topic_file is not None:
        return read_topic(topic_file, names=app.names(), options=given | {"seeds": seeds}, environ=os.environ)
    return topic_from_words(words or "", seeds, names=app.names(), options=given, environ=os.environ)


def _slug(name: str) -> str:
    return re.sub(r"[^\w]+", "-", name).strip("-").lower()[:60] or "crawl"


def _run(folder: Path, *, as_json: bool, quiet: bool) -> int:
    watch = terminal.silent if quiet or as_json else terminal.progress(folder)
    try:
        ending = _run_async(app.run_crawl(folder, watch))
    except asyncio.CancelledError:  # the second Ctrl-C
        click.echo(f"Stopped at once. Go on with: shoal resume --dir {shlex.quote(str(folder))}", err=True)
        return STOPPED
    status = app.crawl_status(folder)
    if as_json:
        _print_json({"folder": _text(folder), "ending": ending, "status": status})
    elif not quiet:
        click.echo(terminal.ending(folder, ending, status))
    return STOPPED if ending is Ending.STOPPED else 0


def _run_async(main: Coroutine[Any, Any, _Result]) -> _Result:
    with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        return runner.run(main)


# --- looking ---------------------------------------------------------------------------------------------------------


@commands.command()
@options.folder
@options.as_json
def status(folder: Path, as_json: bool) -> int:
    """How does a crawl stand: its queues, hosts and rates."""
    found = app.crawl_status(folder)
    if as_json:
        _print_json(found)
    else:
        terminal.show_status(folder, found)
    return 0


@commands.command()
@click.argument("url", metavar="URL")
@options.folder
@options.as_json
def explain(url: str, folder: Path, as_json: bool) -> int:
    """Why was this URL fetched, why this score, or why not."""
    found = app.explain_url(folder, url)
    if as_json:
        _print_json(found)
    else:
        terminal.show_explanation(found)
    return 0


@commands.command(short_help="Write the fetched pages as JSONL, CSV, Parquet or WARC.")
@options.folder
@click.option(
    "--format", type=click.Choice(get_args(Format)), default="jsonl", show_default=True, help="How to write them."
)
@click.option(
    "--out",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="Where to write them; JSONL and CSV go to standard output without it.",
)
@click.option("--relevant", is_flag=True, help="Only the pages that were judged relevant.")
@options.as_json
def export(folder: Path, format: Format, out: Path | None, relevant: bool, as_json: bool) -> int:
    """Write the fetched pages as JSONL, CSV, Parquet or WARC.

    One row per page, relevant or not, in the order in which they were fetched.
    """
    count = app.export_pages(folder, format, out, relevant_only=relevant)
    if out is not None and as_json:
        _print_json({"pages": count, "file": _text(out), "format": format})
    elif out is not None:
        # Only bodies make a WARC file, so it has fewer pages than a table of the same crawl.
        left_out = "; exact copies and files that are not text have no record" if format == "warc" else ""
        click.echo(f"{count:,} pages written to {out}{left_out}.", err=True)
    return 0


def _print_json(value: object) -> None:
    # As bytes, because JSON is UTF-8 whatever the terminal speaks.
    click.echo(msgspec.json.format(msgspec.json.encode(value), indent=2))


def _text(path: Path) -> str:
    """A path as JSON can hold it, even if its name is not UTF-8."""
    return os.fsencode(path).decode(errors="replace")
