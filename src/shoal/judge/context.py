"""What do a link's text and its surroundings say about the page behind it? (IMAGE 1.1-1.3)"""

from __future__ import annotations

from shoal.judge.cosine import CosineJudge
from shoal.judge.registry import Registered
from shoal.judge.vector import CONTEXT
from shoal.model import Topic


def context_judge(topic: Topic) -> CosineJudge:
    """Links by the cosine of anchor text and up to 50 characters either side, read as one text, with the topic.

    The URL says nothing. Pages are judged as `cosine` does, with its threshold: the paper leaves that number to the user.
    """
    return CosineJudge(topic, links=CONTEXT)


CHOICE = Registered(
    name="context",
    summary="pages as cosine does; links by their text and 50 characters either side, 0 to 1",
    paper="IMAGE 1.1-1.3",
    make=context_judge,
)
