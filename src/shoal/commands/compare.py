"""`shoal compare`: which strategy is worth using?"""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from shoal.commands import options
from shoal.commands.answer import STOPPED, print_json
from shoal.commands.options import Seconds
from shoal.terminal.speaking import tell

if TYPE_CHECKING:
    from shoal.evaluate.compare import Plan

_PATH = click.Path(path_type=Path)
_PAGES, _PAGES_WITH_IMAGES = 2000, 300


@click.command(short_help="Compare strategies on webs whose truth is known.")
@click.argument("sources", nargs=-1, required=True, metavar="SOURCE…")
@click.option(
    "--strategy", "strategies", multiple=True, metavar="NAME", help="Only this one; repeatable. Default: all."
)
@click.option("--judge", "judges", multiple=True, metavar="NAME", help="Instead of each strategy's own; repeatable.")
@click.option("--topic", "topics", multiple=True, metavar="NAME", help="Only this one, or WEB/NAME; repeatable.")
@click.option(
    "--pages",
    type=click.IntRange(min=1),
    metavar="N",
    help="How far each crawl goes. Default: 2000, with --images 300.",
)
@click.option("--images", is_flag=True, help="Compare crawls for pictures, with and without judging them.")
@click.option("--labels", type=_PATH, metavar="FILE", help="Which pages are relevant. Default: NAME.labels.tsv.")
@click.option(
    "--topic-file", "topic_files", type=_PATH, multiple=True, metavar="FILE", help="Default: every NAME.TOPIC.toml."
)
@click.option("--delay", type=Seconds(), metavar="SECONDS", help="Let hosts wait, as in a live crawl. Default: no.")
@click.option("--max-depth", type=click.IntRange(min=0), metavar="N", help="Links from a seed. Default: no limit.")
@click.option("--concurrency", type=click.IntRange(min=1), metavar="N", help="Requests in flight. Default: 1.")
@click.option(
    "--latency",
    type=Seconds(),
    default=0.1,
    show_default=True,
    metavar="SECONDS",
    help="How long servers take.",
)
@click.option("--jobs", type=click.IntRange(min=1), metavar="N", help="Processes. Default: one per processor.")
@click.option(
    "--out",
    "folder",
    type=_PATH,
    default=Path("compare"),
    show_default=True,
    metavar="FOLDER",
    help="Where to write tables, pictures and the report; an earlier comparison there is replaced.",
)
@click.option("--resume", is_flag=True, help="Go on with the comparison in that folder: what is done stays.")
@click.option("--title", default="", metavar="TEXT", help="The heading of the report.")
@options.quiet
@options.as_json
def compare(
    sources: tuple[str, ...],
    strategies: tuple[str, ...],
    judges: tuple[str, ...],
    topics: tuple[str, ...],
    pages: int | None,
    images: bool,
    labels: Path | None,
    topic_files: tuple[Path, ...],
    delay: float | None,
    concurrency: int | None,
    max_depth: int | None,
    latency: float,
    jobs: int | None,
    folder: Path,
    resume: bool,
    title: str,
    quiet: bool,
    as_json: bool,
) -> int:
    """Compare strategies on webs whose truth is known.

    SOURCE is a recorded web (a WARC file with NAME.labels.tsv and NAME.TOPIC.toml beside it), a folder of such webs, or
    the word generated. Every strategy crawls every topic, offline and by a clock that jumps, and is measured against a
    crawler that knows all pages. Without --delay no host is waited for, so that nothing but the order counts.

    With --images one strategy crawls each topic of the generated web for pictures: only those whose descriptions are about
    the topic, then all, then all of a crawl that follows no topic. Counted is what came in the same time.

    \b
    shoal compare generated
    shoal compare generated --images --delay 1
    shoal compare zhmed.warc.xz --strategy fish --strategy restore --pages 500
    """
    # Here, because scipy and the generated web take longer to load than most commands take in all.
    from shoal.evaluate.compare import Plan, run_compare
    from shoal.evaluate.jobs import Conditions
    from shoal.evaluate.survey import cache_folder
    from shoal.terminal.compare import show_comparison, watching

    plan = Plan(
        sources=sources,
        strategies=strategies,
        judges=judges,
        topics=topics,
        conditions=Conditions(
            pages=pages or (_PAGES_WITH_IMAGES if images else _PAGES),
            delay=delay,
            concurrency=concurrency,
            latency=latency,
            max_depth=max_depth,
        ),
        labels=labels,
        topic_files=topic_files,
        folder=folder,
        resume=resume,
        processes=jobs or os.cpu_count() or 1,
        cache=cache_folder(os.environ),
        title=title,
    )
    if images:
        return _compare_images(plan, silent=quiet or as_json, as_json=as_json)
    try:
        with watching(silent=quiet or as_json) as watcher:
            comparison = run_compare(plan, watcher)
    except KeyboardInterrupt:
        again = "" if "--resume" in sys.argv else " with --resume"
        tell(f"Stopped. What is finished is kept in {folder}: go on by typing the same again{again}.")
        return STOPPED
    if as_json:
        print_json(comparison)
    elif not quiet:
        show_comparison(comparison)
    return 0


def _compare_images(plan: Plan, *, silent: bool, as_json: bool) -> int:
    # Here for the same reason.
    from shoal.evaluate.pictured.compare import run_picture_compare
    from shoal.terminal.compare import watching
    from shoal.terminal.pictured import show_picture_comparison

    try:
        with watching(silent=silent) as watcher:
            comparison = run_picture_compare(plan, watcher)
    except KeyboardInterrupt:
        tell("Stopped. A comparison of pictures is written at its end, so nothing of it is kept.")
        return STOPPED
    if as_json:
        print_json(comparison)
    elif not silent:
        show_picture_comparison(comparison)
    return 0
