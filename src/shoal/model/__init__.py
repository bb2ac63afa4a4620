"""What travels through a crawl: frozen, keyword-only values that are also the wire format.

    topic ─► Link ─► Candidate ─► Task ─► Response | Redirect | Failure ─► Page ─► Verdict ─► Visit

Times are seconds since the epoch (wall clock), because they are shared between processes and stored.
"""

from __future__ import annotations

from shoal.model.entry import Candidate, Entry, Mark, Outlook, Repriced, State
from shoal.model.exchange import Failure, Reason, Redirect, Response, ResponseHead, Status, Task, TaskKind, Timing
from shoal.model.page import Image, Link, LinkKind, Page, PageSummary
from shoal.model.suggestion import Suggestion, Suggestions, Unanswered
from shoal.model.topic import Origin, Term, Topic
from shoal.model.value import Count, Finite, Int64, Value
from shoal.model.visit import (
    DecodedImage,
    Evidence,
    Missed,
    Moved,
    Packed,
    RobotsRead,
    Seen,
    SeenImage,
    Sighting,
    Verdict,
    Visit,
    size_of,
    timing_of,
)

__all__ = [
    "Candidate",
    "Count",
    "DecodedImage",
    "Entry",
    "Evidence",
    "Failure",
    "Finite",
    "Image",
    "Int64",
    "Link",
    "LinkKind",
    "Mark",
    "Missed",
    "Moved",
    "Origin",
    "Outlook",
    "Packed",
    "Page",
    "PageSummary",
    "Reason",
    "Redirect",
    "Repriced",
    "Response",
    "ResponseHead",
    "RobotsRead",
    "Seen",
    "SeenImage",
    "Sighting",
    "State",
    "Status",
    "Suggestion",
    "Suggestions",
    "Task",
    "TaskKind",
    "Term",
    "Timing",
    "Topic",
    "Unanswered",
    "Value",
    "Verdict",
    "Visit",
    "size_of",
    "timing_of",
]
