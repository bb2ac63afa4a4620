"""`shoal explain`: why was this URL fetched, or why not?"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from shoal import services
from shoal.commands import options
from shoal.commands.console import say
from shoal.commands.output import reply, run_async

if TYPE_CHECKING:
    from shoal.model import Evidence
    from shoal.store.provenance import PathStep, UrlExplanation


@click.command()
@click.argument("url", metavar="URL")
@options.folder
@options.as_json
def explain(url: str, folder: Path, as_json: bool) -> int:
    """Why was this URL fetched, why this score, or why not."""
    found = run_async(services.explain.explain_in_depth(folder, url))
    return reply(found, lambda: show_explanation(found), as_json=as_json)


def show_explanation(found: UrlExplanation) -> None:
    """Why a URL was fetched, why this score, or why not."""
    say(found.url, "bold")
    if found.title:
        say(f"“{found.title}”")
    say(_fate(found))
    say("\nHow we got there, with the score of each page", "bold")
    for step in found.path:
        say(_step(step))
    say("\nPriority", "bold")
    say(f"  {_priority(found.priority)}  {found.priority_why or 'no reason was kept'}")
    if found.value_why:  # the priority may be older: only those that decide what comes next are kept up to date
        say("\nWhat makes its value now", "bold")
        _show_evidence(found.value_why)
    if found.score is not None and found.threshold is not None:
        say("\nScore", "bold")
        verdict = "relevant" if found.score >= found.threshold else "not relevant"  # the judge's, also of a marked page
        say(f"  {found.score:6.3f}  {verdict}, the threshold is {found.threshold:.3f}")
        _show_evidence(found.evidence)


def _priority(priority: float) -> str:
    """That of a seed is no measure of anything."""
    return " first" if priority >= services.explain.SEED_PRIORITY else f"{priority:6.3f}"


def _show_evidence(parts: Sequence[Evidence]) -> None:
    for part in parts:
        say(f"  {part.amount:+6.3f}  {part.what}")


def _fate(found: UrlExplanation) -> str:
    """What became of it: done, moved and waiting say so themselves, a failure or a refusal gets its word in front."""
    sentence = found.sentence if found.sentence.endswith(".") else f"{found.sentence}."
    if found.reason:
        tries = f" after {found.attempts} attempts" if found.attempts > 1 else ""
        sentence = f"{found.state.capitalize()}{tries} ({found.reason}): {sentence}"
    if found.host_rank is not None:
        sentence += f" On its host it is number {found.host_rank.place:,} of {found.host_rank.of:,}."
    if found.retry_at is not None:
        sentence += f" It is tried again not before {found.retry_at:%Y-%m-%d %H:%M:%S} UTC."
    return sentence


def _step(step: PathStep) -> str:
    score = "   –" if step.score is None else f"{step.score:.2f}"
    link = f"by the link “{step.anchor}”" if step.anchor else "by a link without words"
    how = {"seed": "a seed", "redirect": "by a redirect"}.get(step.by, link)
    return f"  {score}  {step.url}  {how}"
