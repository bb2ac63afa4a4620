"""What does the text of a link say about the page behind it? Nothing else is asked (RESTORE 3.2)."""

from __future__ import annotations

from shoal.judge.cosine import CosineJudge
from shoal.judge.registry import Registered
from shoal.judge.vector import ANCHOR
from shoal.model import Topic

THRESHOLD = 0.2
"""The paper's, for links and pages alike."""


def anchor_judge(topic: Topic) -> CosineJudge:
    """Links by the cosine of their anchor text with the topic; URL and surroundings say nothing. Pages as `cosine` does."""
    return CosineJudge(topic, threshold=THRESHOLD, links=ANCHOR)


CHOICE = Registered(
    name="anchor",
    summary="pages as cosine does; links by their own text and nothing else, 0 to 1",
    paper="RESTORE 3.2",
    make=anchor_judge,
)
