"""`shoal replay`: what was recorded, as if the web were still there."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import TYPE_CHECKING

import click

from shoal.commands import options
from shoal.commands.output import answer, counted, reply, run_async

if TYPE_CHECKING:
    from shoal.evaluate.recorded.replay_server import Served


@click.command()
@click.argument("file", type=options.PATH, metavar="FILE.warc.gz")
@click.option("--port", type=click.IntRange(0, 65535), default=0, metavar="N", help="Default: any that is free.")
@click.option(
    "--log",
    type=click.Path(path_type=Path, dir_okay=False),
    metavar="FILE",
    help="Append every request to this file, a line of JSON each.",
)
@click.option(
    "--latency", type=options.seconds, default=0.0, metavar="SECONDS", help="What every answer takes at least."
)
@options.as_json
def replay(file: Path, port: int, log: Path | None, latency: float, as_json: bool) -> int:
    """Serve a WARC file on this computer, for a crawl or a browser.

    \b
    shoal replay pages.warc.gz --port 8080
    shoal crawl TOPIC.toml --proxy http://127.0.0.1:8080 --delay 0

    It is an HTTP proxy that knows only what is in the file. Pages recorded under https are served under http. Ctrl-C ends it.
    """
    # Only here, because what reads WARC files is an extra, and --help does without.
    from shoal.evaluate.recorded.archive import open_archive
    from shoal.evaluate.recorded.replay_server import serve

    def show(served: Served) -> None:
        reply(served, lambda: answer(_greeting(served)), as_json=as_json)

    with open_archive(file) as archive:
        run_async(serve(archive, port=port, log=log, latency=latency, ready=show))
    return 0


def _greeting(served: Served) -> str:
    """How to use it, with a command that works as it stands."""
    proxy, start = served.proxy, served.start
    lines = [
        f"{served.pages:,} pages of {counted(served.hosts, 'host')} at {proxy}; Ctrl-C ends it.",
        "",
        f"  crawl:    shoal crawl --topic WORDS --proxy {proxy} --delay 0 --seed {shlex.quote(start[0])}",
        f"  browser:  set {proxy} as its HTTP proxy, or open it to see what is there",
        "",
        "Pages to start from:",
        *(f"  {url}" for url in start),
    ]
    return "\n".join(lines)
