"""`shoal replay`: what was recorded, as if the web were still there."""

from __future__ import annotations

import shlex
from pathlib import Path

import click

from shoal.commands import options
from shoal.commands.answer import print_json, run_async
from shoal.commands.options import Seconds
from shoal.terminal.speaking import answer


@click.command()
@click.argument("file", type=click.Path(path_type=Path), metavar="FILE.warc.gz")
@click.option("--port", type=click.IntRange(0, 65535), default=0, metavar="N", help="Default: any that is free.")
@click.option(
    "--log",
    type=click.Path(path_type=Path, dir_okay=False),
    metavar="FILE",
    help="Append every request to this file, a line of JSON each.",
)
@click.option("--latency", type=Seconds(), default=0.0, metavar="SECONDS", help="What every answer takes at least.")
@options.as_json
def replay(file: Path, port: int, log: Path | None, latency: float, as_json: bool) -> int:
    """Serve a WARC file on this computer, for a crawl or a browser.

    \b
    shoal replay pages.warc.gz --port 8080
    shoal crawl TOPIC.toml --proxy http://127.0.0.1:8080 --delay 0

    It is an HTTP proxy that knows only what is in the file. Pages recorded under https are served under http. Ctrl-C ends it.
    """
    # Here, because the reader of WARC files and the server take longer to load than most commands take in all.
    from shoal.evaluate.recorded.archive import open_archive
    from shoal.evaluate.recorded.replay_server import Served, serve

    def show(served: Served) -> None:
        if as_json:
            print_json(served)
        else:
            answer(_greeting(served.proxy, served.pages, served.hosts, served.start))

    with open_archive(file) as archive:
        run_async(serve(archive, port=port, log=log, latency=latency, ready=show))
    return 0


def _greeting(proxy: str, pages: int, hosts: int, start: tuple[str, ...]) -> str:
    """How to use it, with a command that works as it stands."""
    lines = [
        f"{pages:,} pages of {hosts:,} host{'s' if hosts != 1 else ''} at {proxy}; Ctrl-C ends it.",
        "",
        f"  crawl:    shoal crawl --topic WORDS --proxy {proxy} --delay 0 --seed {shlex.quote(start[0])}",
        f"  browser:  set {proxy} as its HTTP proxy, or open it to see what is there",
        "",
        "Pages to start from:",
        *(f"  {url}" for url in start),
    ]
    return "\n".join(lines)
