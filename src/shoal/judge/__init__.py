"""Is it about the topic? One file per judge; a new file that declares a `CHOICE` is found by itself."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache

from msgspec.structs import replace

from shoal.judge.registry import Choice, choices_in
from shoal.judge.several import Several
from shoal.model import Topic
from shoal.protocols import Judge


@cache
def judges() -> Mapping[str, Choice[Judge]]:
    """Every judge there is, by name; `judges()["cosine"].make(topic)` builds one for one topic."""
    return choices_in(__name__, __path__)


def make_judge(name: str, topic: Topic) -> Judge:
    """The named judge for this topic, or for each of its topics when it has several (`Topic.any`).

    One of several topics that has no threshold of its own takes that of the whole, and else the judge's default.
    """
    make = judges()[name].make
    if not topic.any:
        return make(topic)
    return Several([(one.name, make(_with_threshold(one, topic.threshold))) for one in topic.any])


def _with_threshold(topic: Topic, threshold: float | None) -> Topic:
    return replace(topic, threshold=threshold) if topic.threshold is None else topic
