"""`shoal compare`: which strategy is worth using?"""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from shoal.commands import options
from shoal.commands.output import STOPPED, reply, tell
from shoal.commands.setting_options import finished_by

if TYPE_CHECKING:
    from shoal.evaluate.compare import ComparisonPlan

_PAGES, _PAGES_WITH_IMAGES = 2000, 300


@click.command()
@click.argument("sources", nargs=-1, required=True, metavar="SOURCE…")
@click.option(
    "--strategy",
    "strategies",
    multiple=True,
    metavar="NAME",
    shell_complete=finished_by("strategy"),
    help="Only this one; repeatable. Default: all.",
)
@click.option(
    "--judge",
    "judges",
    multiple=True,
    metavar="NAME",
    shell_complete=finished_by("judge"),
    help="Instead of each strategy's own; repeatable.",
)
@click.option("--topic", "topics", multiple=True, metavar="NAME", help="Only this one, or WEB/NAME; repeatable.")
@click.option(
    "--pages",
    type=click.IntRange(min=1),
    metavar="N",
    help="How far each crawl goes. Default: 2000, with --images 300.",
)
@click.option("--images", is_flag=True, help="Compare crawls for images, with and without judging them.")
@options.path("--labels", metavar="FILE", help="Which pages are relevant. Default: NAME.labels.tsv.")
@options.path("--topic-file", "topic_files", multiple=True, metavar="FILE", help="Default: every NAME.TOPIC.toml.")
@click.option(
    "--delay", type=options.seconds, metavar="SECONDS", help="Let hosts wait, as in a live crawl. Default: no."
)
@click.option("--max-depth", type=click.IntRange(min=0), metavar="N", help="Links from a seed. Default: no limit.")
@click.option("--concurrency", type=click.IntRange(min=1), metavar="N", help="Requests in flight. Default: 1.")
@click.option(
    "--latency", type=options.seconds, default=0.1, show_default=True, metavar="SECONDS", help="How long servers take."
)
@click.option("--jobs", type=click.IntRange(min=1), metavar="N", help="Processes. Default: one per processor.")
@options.path(
    "--out",
    "folder",
    default=Path("compare"),
    show_default=True,
    metavar="FOLDER",
    help="Where to write tables, plots and the report; an earlier comparison there is replaced.",
)
@click.option("--resume", is_flag=True, help="Go on with the comparison in that folder: what is done stays.")
@click.option("--title", default="", metavar="TEXT", help="The heading of the report.")
@options.quiet
@options.as_json
def compare(images: bool, quiet: bool, as_json: bool, **given: Any) -> int:
    """Compare strategies on webs whose truth is known.

    SOURCE is a recorded web (a WARC file with NAME.labels.tsv and NAME.TOPIC.toml beside it), a folder of such webs, or
    the word generated. Every strategy crawls every topic, offline and by a clock that jumps, and is measured against a
    crawler that knows all pages. Without --delay no host is waited for, so that nothing but the order counts.

    With --images one strategy crawls each topic of the generated web for images: only those whose descriptions are about
    the topic, then all, then all of a crawl that follows no topic. Counted is what came in the same time.

    \b
    shoal compare generated
    shoal compare generated --images --delay 1
    shoal compare zhmed.warc.xz --strategy fish --strategy restore --pages 500
    """
    # Only here, because the laboratory takes a moment to load, and a mistake shall be told at once.
    from shoal.commands.comparison_tables import show_comparison, show_image_comparison
    from shoal.commands.comparison_view import watching
    from shoal.evaluate.compare import run_compare
    from shoal.evaluate.image_standings import ImageComparison

    plan = _plan(images=images, **given)
    try:
        with watching(silent=quiet or as_json) as watcher:
            comparison = run_compare(plan, watcher)
    except KeyboardInterrupt:
        again = "" if plan.resume else " with --resume"
        tell(f"Stopped. What is finished is kept in {plan.folder}: go on by typing the same again{again}.")
        return STOPPED
    if isinstance(comparison, ImageComparison):
        return reply(comparison, lambda: show_image_comparison(comparison), as_json=as_json, quiet=quiet)
    return reply(comparison, lambda: show_comparison(comparison), as_json=as_json, quiet=quiet)


def _plan(
    *,
    images: bool,
    pages: int | None,
    delay: float | None,
    concurrency: int | None,
    latency: float,
    max_depth: int | None,
    jobs: int | None,
    **given: Any,
) -> ComparisonPlan:
    """What was typed; the rest of it has the names that a plan has."""
    # Here for the same reason.
    from shoal.evaluate.compare import ComparisonPlan
    from shoal.evaluate.jobs import Conditions
    from shoal.evaluate.survey import cache_folder

    conditions = Conditions(
        pages=pages or (_PAGES_WITH_IMAGES if images else _PAGES),
        delay=delay,
        concurrency=concurrency,
        latency=latency,
        max_depth=max_depth,
    )
    processes = jobs or os.cpu_count() or 1
    cache = cache_folder(os.environ)
    return ComparisonPlan(images=images, conditions=conditions, processes=processes, cache=cache, **given)
