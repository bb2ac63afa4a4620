"""In which zones of the page do the topic's words stand: title, meta keywords, anchor texts? (PUSH 3.2.2)"""

from __future__ import annotations

from shoal.judge.registry import Registered
from shoal.judge.vector import MIXED, LinkScorer, TopicVector, flat_title, strongest
from shoal.model import Evidence, Page, Topic, Verdict
from shoal.text import Keywords, flattened

TITLE, META, ANCHORS = 1.0, 0.8, 0.3
"""What a word in each zone is worth."""
PAPER_THRESHOLD = 0.5


class ZonesJudge:
    """Pages that name the topic where authors say what a page is about.

        score = sum over keywords (1 if in the title + 0.8 if in meta keywords + 0.3 if in an anchor text) / keywords

    from 0 to 2.1. The weights of the keywords do not count. A word that speaks against the page and stands in its title
    takes back what a keyword in the title gives; elsewhere it may be in a menu and says nothing. Never below 0.

    The paper's threshold is 0.5, and fits its two or three keywords: of five keywords even one that stands in all three
    zones gives only 2.1 / 5 = 0.42. The default here is therefore 0.5, but never more than what one keyword in the title
    gives (1 / keywords): of five keywords, 0.2.
    """

    def __init__(self, topic: Topic) -> None:
        self._words = tuple(term.text for term in topic.terms)
        self._unwanted = tuple(term.text for term in topic.negative)
        self._keywords = Keywords(self._words)
        self._against = Keywords(self._unwanted)
        self.judge_links = LinkScorer(TopicVector(topic), MIXED).scores
        default = min(PAPER_THRESHOLD, TITLE / max(len(self._words), 1))
        self._threshold = default if topic.threshold is None else topic.threshold

    def judge(self, page: Page) -> Verdict:
        """The sum over the zones, with what each word in each zone added to it."""
        title = flat_title(page)
        why = self._found("the title", TITLE, title)
        why += self._found("meta keywords", META, flattened(page.keywords))
        # A newline between two anchors, so that no phrase is found across them.
        why += self._found("a link's text", ANCHORS, "\n".join({flattened(link.anchor) for link in page.links}))
        why += [
            Evidence(what=f"“{word}” in the title", amount=-TITLE / len(self._words))
            for word, count in zip(self._unwanted, self._against.count(title), strict=True)
            if count
        ]
        score = max(sum(one.amount for one in why), 0.0)
        return Verdict(score=score, threshold=self._threshold, why=strongest(why))

    def _found(self, zone: str, worth: float, flat_text: str) -> list[Evidence]:
        counts = self._keywords.count(flat_text)
        share = worth / max(len(self._words), 1)
        found = (word for word, count in zip(self._words, counts, strict=True) if count)
        return [Evidence(what=f"“{word}” in {zone}", amount=share) for word in found]


CHOICE = Registered(
    name="zones",
    summary="how many of the topic's words stand in title, meta keywords and link texts, 0 to 2.1",
    paper="PUSH 3.2.2",
    make=ZonesJudge,
)
