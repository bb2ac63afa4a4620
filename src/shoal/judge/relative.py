"""How often do the topic's words stand in the page, each compared with the most frequent of them? (GA (1))"""

from __future__ import annotations

from shoal.judge.cosine import CosineJudge
from shoal.judge.registry import Registered
from shoal.judge.vector import TopicVector
from shoal.model import Topic

THRESHOLD = 0.0002
"""The paper's: one of the words, once, is nearly always enough."""


def relative_judge(topic: Topic) -> CosineJudge:
    """Pages that use the heavy words of the topic, and about equally often, are about the topic.

        x_i = count of keyword i / count of the most frequent keyword        in title and main text
        score = cosine of (x_1 w_1, x_2 w_2, …) and (w_1, w_2, …)
              = sum x_i w_i^2 / sqrt(sum w_i^2 x sum x_i^2 w_i^2)

    The count of the most frequent keyword divides all x_i alike and cancels, so this is the cosine of AVSM with each word's
    weight in place of its factor; `Term.factor` itself is not in the paper's formula and does not count. A weight thus
    works twice: what a light word says hardly matters, and a page is best that names every word equally often.

    The paper has no words that speak against a page. Here one with weight w, standing x times as often as the most frequent
    keyword, adds x w to the page's vector and is -w in the topic's: it takes back x w^2, what a keyword of that weight gives,
    as it does with the other judges. The sum is cut to 0..1.
    """
    return CosineJudge(topic, threshold=THRESHOLD, factors=_weights(topic))


def relative_vector(topic: Topic) -> TopicVector:
    """The same measure for texts that are not pages."""
    return TopicVector(topic, _weights(topic))


def _weights(topic: Topic) -> list[float]:
    return [term.weight for term in (*topic.terms, *topic.negative)]


CHOICE = Registered(
    name="relative",
    summary="how evenly the page uses the topic's words, the heavy ones above all, 0 to 1",
    paper="GA (1)",
    make=relative_judge,
)
