"""How does a run of a crawl stand at this moment, and what do others want of it? For those who do not run it themselves."""

from __future__ import annotations

from typing import Literal

from shoal.model.page import Value

RunWord = Literal["running", "paused", "stopping", "ended", "failed"]
"""How a run stands, as it says itself; one that was killed says nothing of it."""
WishWord = Literal["run", "pause", "stop"]


class RunRecord(Value, frozen=True, kw_only=True):
    """Which process runs a crawl, or ran it last; written when it begins."""

    id: str
    """Another one for each run."""
    pid: int
    host: str
    """The name of its machine."""
    born: str = ""
    """Tells the process from another one that has its number later (`os_process.born`); empty where the system does not say."""
    began: float
    heeds_signals: bool = False
    """SIGTERM asks it to stop, and the second one ends it; a program that only has a crawl in it would end with it."""


class LiveFigures(Value, frozen=True, kw_only=True):
    """A run at the moment of its last commit, twice a second."""

    run: str = ""
    """`RunRecord.id`."""
    at: float
    """By the clock of its computer, which may have been set since: never judge by it whether a crawl lives."""
    state: RunWord
    why: str = ""
    """Why it is over; empty while it goes on."""
    pages: int = 0
    """Over all runs, as all that does not say otherwise."""
    relevant: int = 0
    failed: int = 0
    """In this run, like the next two."""
    skipped: int = 0
    retries: int = 0
    in_flight: int = 0
    """Requests under way, robots.txt and images included."""
    waiting: int = 0
    """URLs."""
    side_tasks: int = 0
    """Images that wait, and pages to look at again."""
    images: int = 0
    bytes: int = 0
    elapsed: float = 0.0
    """Seconds of crawling; none while it is paused."""
    rate: float = 0.0
    """Pages per second, lately."""
    hosts: int = 0
    """That are known."""
    workers: int = 0
    """On other machines, that are at work."""
    internal: int = 0
    """Bugs of ours that pages brought to light."""


class Wish(Value, frozen=True, kw_only=True):
    """What somebody wants of a crawl that runs."""

    id: str
    """A wish is obeyed once."""
    want: WishWord
    at: float
    by: str = ""
    """Who wants it, for people."""
