"""The command `shoal`: arguments in, one call to `app`, text or JSON out."""

from __future__ import annotations

import asyncio
import logging
import os
import re
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar, get_args

import click
import msgspec
import uvloop

from shoal import __version__, app, terminal
from shoal.crawl.coordinator import Ending
from shoal.errors import InputError, ShoalError
from shoal.settings import Settings
from shoal.store.export import Format
from shoal.topic.file import read_topic, topic_from_words

STOPPED = 130
"""The exit code of a command that Ctrl-C ended."""
_Command = TypeVar("_Command", bound=Callable[..., Any])
_as_json = click.option("--json", "as_json", is_flag=True, help="Answer in JSON on standard output.")
_crawl_dir = click.option(
    "--dir", "folder", type=click.Path(path_type=Path), required=True, help="The folder of the crawl."
)


def main() -> None:
    """Run the command, and turn what goes wrong into one clear sentence and an exit code."""
    logging.basicConfig(format="%(message)s", level=logging.WARNING)
    try:
        code = commands(standalone_mode=False)
    except click.ClickException as error:
        error.show()
        code = error.exit_code
    except (click.Abort, KeyboardInterrupt):
        code = STOPPED
    except ShoalError as error:
        click.echo(f"shoal: {error}", err=True)
        code = error.exit_code
    except BrokenPipeError:
        # Whoever read our output has had enough (`shoal export | head`); Python must not complain at exit either.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        code = 0
    sys.exit(code)


@click.group(context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 120})
@click.version_option(__version__, prog_name="shoal")
def commands() -> None:
    """Finds what the web says about a topic: a polite, durable, fast focused crawler for Chinese and English."""


# --- crawling --------------------------------------------------------------------------------------------------------


def _crawl_options(command: _Command) -> _Command:
    """Everything a topic file can say too; what is typed here wins."""
    for option in reversed(
        [
            click.option("--strategy", help="Which link next: " + ", ".join(app.names().strategies) + "."),
            click.option("--judge", help="What is relevant: " + ", ".join(app.names().judges) + "."),
            click.option("--threshold", type=float, help="A page scoring at least this is relevant."),
            click.option("--max-pages", type=int, help="Stop after so many pages."),
            click.option("--max-pages-per-host", type=int, help="Take no more pages than this from one host."),
            click.option("--max-depth", type=int, help="Follow no more links than this from a seed."),
            click.option("--max-bytes", type=int, help="Stop after so many bytes of pages."),
            click.option("--max-time", help="Stop after so long: 90, 90s, 10m, 2h, 1d."),
            click.option("--scope", help="Stay near the seeds: any, host, domain, prefix (the seed's folder)."),
            click.option("--include", multiple=True, help="Only URLs that match (* stands for anything); repeatable."),
            click.option("--exclude", multiple=True, help="No URL that matches; repeatable."),
            click.option(
                "--delay", type=float, help="Seconds between requests to one host; 0 for one's own. Default 1."
            ),
            click.option(
                "--per-host", type=int, help="Requests in flight to one host; more than 1 for one's own only."
            ),
            click.option("--concurrency", type=int, help="Requests in flight in all. Default 64."),
            click.option("--processes", type=int, help="Worker processes; 1 does all in one process. Default 1."),
            click.option("--proxy", help="An HTTP proxy for all requests, such as http://127.0.0.1:8080."),
            click.option("--user-agent", help="The name we go by; robots.txt is matched against its first word."),
            click.option(
                "--contact", help="A page or address where a site's owner reaches you; sent with each request."
            ),
            click.option(
                "--allow-private", multiple=True, metavar="RANGE", help="Private addresses allowed: 127.0.0.0/8."
            ),
        ]
    ):
        command = option(command)
    return command


def _progress_options(command: _Command) -> _Command:
    quiet = click.option("--quiet", is_flag=True, help="Show no progress.")
    return _as_json(quiet(command))


@commands.command()
@click.argument("topic_file", type=click.Path(path_type=Path), required=False)
@click.option("--topic", "words", help="Instead of a topic file: words and phrases, 'power grid, substation=0.8'.")
@click.option("--seed", "seeds", multiple=True, help="A URL to start from; repeatable.")
@click.option("--dir", "folder", type=click.Path(path_type=Path), help="Where to keep the crawl. Default crawls/NAME.")
@_crawl_options
@_progress_options
def crawl(
    topic_file: Path | None,
    words: str | None,
    seeds: tuple[str, ...],
    folder: Path | None,
    as_json: bool,
    quiet: bool,
    **options: object,
) -> int:
    """Crawl a topic: shoal crawl TOPIC.toml, or shoal crawl --topic WORDS --seed URL."""
    settings = _settings(topic_file, words, seeds, options)
    folder = folder or Path("crawls") / _slug(settings.topic.name)
    app.start_crawl(folder, settings)
    return _run(folder, as_json=as_json, quiet=quiet)


@commands.command()
@_crawl_dir
@_crawl_options
@_progress_options
def resume(folder: Path, as_json: bool, quiet: bool, **options: object) -> int:
    """Go on with a crawl that was stopped or died; options given here replace those it was started with."""
    app.change_settings(folder, options)
    return _run(folder, as_json=as_json, quiet=quiet)


def _settings(
    topic_file: Path | None, words: str | None, seeds: tuple[str, ...], options: dict[str, object]
) -> Settings:
    if (topic_file is None) == (words is None):
        raise InputError("Give either a topic file or --topic WORDS with at least one --seed URL.")
    if topic_file is not None:
        chosen = options | ({"seeds": seeds} if seeds else {})
        return read_topic(topic_file, names=app.names(), options=chosen, environ=os.environ)
    return topic_from_words(words or "", seeds, names=app.names(), options=options, environ=os.environ)


def _slug(name: str) -> str:
    return re.sub(r"[^\w]+", "-", name).strip("-").lower()[:60] or "crawl"


def _run(folder: Path, *, as_json: bool, quiet: bool) -> int:
    watch = terminal.silent if quiet or as_json else terminal.progress(folder)
    try:
        ending = _run_async(app.run_crawl(folder, watch))
    except asyncio.CancelledError:  # the second Ctrl-C
        click.echo(f"Stopped at once. Go on with: shoal resume --dir {folder}", err=True)
        return STOPPED
    status = app.crawl_status(folder)
    if as_json:
        _print_json({"folder": str(folder), "ending": ending, "status": status})
    elif not quiet:
        click.echo(terminal.ending(folder, ending, status))
    return STOPPED if ending is Ending.STOPPED else 0


@commands.command("work-for", hidden=True)
@click.argument("socket_number", type=int)
def work_for(socket_number: int) -> int:
    """Be a worker process of a crawl with --processes; started by the crawl itself."""
    _run_async(app.work_for(socket_number))
    return 0


def _run_async(main: Any) -> Any:
    with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        return runner.run(main)


# --- looking ---------------------------------------------------------------------------------------------------------


@commands.command()
@_crawl_dir
@_as_json
def status(folder: Path, as_json: bool) -> int:
    """How does a crawl stand: its queues, hosts and rates."""
    found = app.crawl_status(folder)
    if as_json:
        _print_json(found)
    else:
        terminal.show_status(folder, found)
    return 0


@commands.command()
@click.argument("url")
@_crawl_dir
@_as_json
def explain(url: str, folder: Path, as_json: bool) -> int:
    """Why was this URL fetched, why this score, or why not."""
    found = app.explain_url(folder, url)
    if as_json:
        _print_json(found)
    else:
        terminal.show_explanation(found)
    return 0


@commands.command()
@_crawl_dir
@click.option("--format", type=click.Choice(get_args(Format)), default="jsonl", show_default=True)
@click.option("--out", type=click.Path(path_type=Path), help="A file; JSONL and CSV go to standard output without it.")
@click.option("--relevant", is_flag=True, help="Only the pages that were judged relevant.")
@_as_json
def export(folder: Path, format: Format, out: Path | None, relevant: bool, as_json: bool) -> int:
    """Write the fetched pages as JSONL, CSV, Parquet or WARC, in the order in which they were fetched."""
    count = app.export_pages(folder, format, out, relevant_only=relevant)
    if out is not None and as_json:
        _print_json({"pages": count, "file": str(out), "format": format})
    elif out is not None:
        click.echo(f"{count:,} pages written to {out}.", err=True)
    return 0


def _print_json(value: object) -> None:
    click.echo(msgspec.json.format(msgspec.json.encode(value), indent=2).decode())
