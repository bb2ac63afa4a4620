"""What travels through a crawl: frozen, keyword-only values that are also the wire format.

    topic ─► Link ─► Candidate ─► Task ─► Response | Redirect | Failure ─► Page ─► Verdict ─► Visit

Times are seconds since the epoch (wall clock), because they are shared between processes and stored.
"""

from __future__ import annotations

from shoal.model.entry import Candidate, Entry, Mark, Outlook, Repriced, State, Suggestion, Suggestions, Unanswered
from shoal.model.page import Count, Finite, Image, Int64, Link, LinkKind, Origin, Page, PageSummary, Term, Topic, Value
from shoal.model.visit import (
    DecodedImage,
    Evidence,
    Failure,
    Missed,
    Moved,
    Packed,
    Reason,
    Redirect,
    Response,
    ResponseHead,
    RobotsRead,
    Seen,
    SeenImage,
    Sighting,
    Status,
    Task,
    TaskKind,
    Timing,
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
