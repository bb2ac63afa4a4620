"""`shoal demo`: what does this do?"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from shoal import services
from shoal.commands import live_view, options
from shoal.commands.next_command import in_folder
from shoal.commands.output import STOPPED, reply, run_async, tell, teller
from shoal.signals import stopped_by_signals

if TYPE_CHECKING:
    from shoal.crawl.termination import Ending
    from shoal.installation.location import Installation


def _topics() -> tuple[str, ...]:
    # Only here, because the laboratory takes a moment to load, and a mistake shall be told at once.
    from shoal.evaluate.generated.sites import TOPICS

    return tuple(TOPICS)


@click.command()
@options.path(
    "--dir",
    "folder",
    default=Path("demo"),
    metavar="FOLDER",
    show_default=True,
    help="Where to keep both crawls; an earlier demo there is replaced.",
)
@click.option("--topic", type=options.OneOf(_topics), default="power-grid", show_default=True, help="Which topic.")
@click.option("--pages", type=click.IntRange(min=1), default=600, show_default=True, help="How far each crawl goes.")
@click.option("--seed", type=int, default=7, show_default=True, help="What the web grows from.")
@click.option("--quiet", is_flag=True, help="Show only what came of it.")
@options.as_json
def demo(folder: Path, topic: str, pages: int, seed: int, quiet: bool, as_json: bool) -> int:
    """Crawl a topic in a web of our own, and show what came of it.

    Makes a web whose every page is known, serves it on this computer, crawls it with the strategy that learns and breadth
    first, and compares. Takes a minute.
    """
    # Here for the same reason.
    from shoal.commands.demo_tables import show_demo
    from shoal.evaluate.demo import DemoPlan, run_demo

    silent = quiet or as_json
    stopped = f"Stopped. Start anew with: shoal demo {in_folder(folder)}"

    def run(crawl: Path, installation: Installation) -> Ending:
        watch = live_view.progress(crawl, silent=silent)
        crawling = services.run.run_crawl(crawl, installation, watch, interrupted=stopped_by_signals)
        return run_async(crawling, stopped=stopped)

    outcome = run_demo(DemoPlan(folder=folder, topic=topic, pages=pages, seed=seed), run, teller(silent=silent))
    if outcome is None:
        tell(stopped)
        return STOPPED
    return reply(outcome, lambda: show_demo(outcome), as_json=as_json)
