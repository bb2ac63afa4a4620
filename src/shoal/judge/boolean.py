"""How many of the topic's words occur in the page at all? (PUSH 3.2.1, as in the original Fish Search)"""

from __future__ import annotations

from shoal.judge.registry import Registered
from shoal.judge.vector import MIXED, LinkScorer, TopicVector, strongest
from shoal.model import Evidence, Page, Topic, Verdict

HALF = 0.5
ENOUGH = 2
"""Keywords that make a page relevant, however many the topic has."""


class BooleanJudge:
    """Pages in which enough of the topic's words occur are about the topic, however often they do.

        score = (keywords that occur - unwanted words that occur) / keywords

    in title and main text: the paper takes the page's text, but a menu names the topic on every page of a site. Weights and
    factors do not count. An unwanted word takes back what a keyword gives, as with `zones`. Never below 0.

    The paper compares the share with "a certain threshold" and runs with one keyword, so that any number does. The default
    here is 0.5, where table 3-3 draws the line, but never more than what two keywords give (2 / keywords): half of fifty
    keywords, or of keywords in two languages, hardly any page has. Of one or two keywords one is enough, of more it takes two.
    """

    def __init__(self, topic: Topic) -> None:
        self._vector = TopicVector(topic)
        self.judge_links = LinkScorer(self._vector, MIXED).scores
        self._wanted = len(topic.terms)
        default = min(HALF, ENOUGH / max(self._wanted, 1))
        self._threshold = default if topic.threshold is None else topic.threshold

    def judge(self, page: Page) -> Verdict:
        """The share, with what each word added to it."""
        # Whole numbers until the end: 2 of 49 must be exactly the threshold 2 / 49.
        votes = self._votes(page)
        keywords = max(self._wanted, 1)
        why = [Evidence(what=f"“{word}” occurs", amount=vote / keywords) for word, vote in votes]
        score = max(sum(vote for _, vote in votes), 0) / keywords
        return Verdict(score=score, threshold=self._threshold, why=strongest(why))

    def _votes(self, page: Page) -> list[tuple[str, int]]:
        """The words that occur, each with 1 for the page or -1 against it."""
        counts = self._vector.count(page.flat)
        found = enumerate(zip(self._vector.words, counts, strict=True))
        return [(word, 1 if place < self._wanted else -1) for place, (word, count) in found if count]


CHOICE = Registered(
    name="boolean",
    summary="the share of the topic's words that occur in the page, 0 to 1",
    paper="PUSH 3.2.1",
    make=BooleanJudge,
)
