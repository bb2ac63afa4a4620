"""The cosine of the page's and the topic's vectors over the topic's words (AVSM 2.1)."""

from __future__ import annotations

from collections.abc import Sequence

from shoal.judge.registry import Registered
from shoal.judge.vector import MIXED, LinkRule, LinkScorer, TopicVector, strongest, within_unit
from shoal.model import Evidence, Page, Topic, Verdict

THRESHOLD = 0.15
"""The paper's."""


class CosineJudge:
    """Pages that use the topic's words in the proportions of their weights are about the topic.

        score = sum_d W_d f_d / sqrt(sum_d W_d^2 x sum_d f_d^2),    W_d = t_d x log(N/n_d + 0.1) x C_d / norm

    t_d: how often word d stands in title and main text; f_d: its weight in the topic, negative for words that speak
    against a page. `log(N/n_d + 0.1) x C_d`, idf and class weight, is the word's factor: who learned the topic from sample
    pages has put it into `Term.factor`. The norm cancels, and so do the factors of a topic that was typed by hand, because
    all are 1: W_d = t_d. Words against a page have a factor like all others; samples do not teach it, so learning gives
    them the mean one (`topic.term_weights.in_proportion`). The sum is cut to 0..1.

    Other judges are cosines too, with a threshold, factors or a rule for links that their papers give.
    """

    def __init__(
        self,
        topic: Topic,
        *,
        threshold: float = THRESHOLD,
        factors: Sequence[float] | None = None,
        links: LinkRule = MIXED,
    ) -> None:
        """A threshold in the topic wins; factors are those of all words, then of all negative ones (None: the topic's)."""
        self._threshold = threshold if topic.threshold is None else topic.threshold
        self._vector = TopicVector(topic, factors)
        self.judge_links = LinkScorer(self._vector, links).scores

    def judge(self, page: Page) -> Verdict:
        """The cosine, with what each word added to it."""
        counts = self._vector.count(page.flat)
        shares = self._vector.shares(counts)
        why = [
            Evidence(what=f"“{word}” {_times(count)}", amount=share)
            for word, count, share in zip(self._vector.words, counts, shares, strict=True)
            if count
        ]
        return Verdict(score=within_unit(sum(shares)), threshold=self._threshold, why=strongest(why))


def _times(count: int) -> str:
    return "once" if count == 1 else f"{count} times"


CHOICE = Registered(
    name="cosine",
    summary="how well the page's use of the topic's words fits their weights, 0 to 1",
    paper="AVSM 2.1",
    make=CosineJudge,
)
