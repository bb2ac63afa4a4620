"""`shoal demo`: what does this do?"""

from __future__ import annotations

import asyncio
import shlex
from pathlib import Path

import click

from shoal.commands import options
from shoal.commands.answer import STOPPED, print_json, run_async
from shoal.crawl.allowance import Ending
from shoal.evaluate.generated.sites import TOPICS
from shoal.services import crawls as app
from shoal.terminal import crawl as screen
from shoal.terminal.speaking import tell


@click.command()
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

    Makes a web whose every page is known, serves it on this computer, crawls it with the strategy that learns and breadth
    first, and compares. Takes a minute.
    """
    # Here, because the generated web and matplotlib take longer to load than most commands take in all.
    from shoal.evaluate.demo import Plan, run_demo
    from shoal.terminal.demo import show_demo

    silent = quiet or as_json

    def run(crawl: Path, ledger: Path) -> Ending:
        watch = screen.silent if silent else screen.progress(crawl)
        return run_async(app.run_crawl(crawl, watch, ledger_file=ledger))

    def say(sentence: str) -> None:
        if not silent:
            tell(sentence)

    try:
        outcome = run_demo(Plan(folder=folder, topic=topic, pages=pages, seed=seed), run, say)
    except asyncio.CancelledError:  # the second Ctrl-C
        outcome = None
    if outcome is None:
        tell(f"Stopped. Start anew with: shoal demo --dir {shlex.quote(str(folder))}")
        return STOPPED
    if as_json:
        print_json(outcome)
    else:
        show_demo(outcome)
    return 0
