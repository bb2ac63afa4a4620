"""When is a page relevant enough? The threshold that moves with what the crawl brings (AVSM 2.2.1).

After interval T, in which f pages of S wanted ones came (F of S x T in all so far), r of them relevant:

    1. f > S and F > S x T                     too many come: raise, x 1.05
    2. as 1, and r < 0.3 x f                   and few of them are good: raise strongly, x 1.2, instead of 1
    3. f < S and F < S x T                     too few come: lower, x 0.95

A page has come (f) when its score reaches the threshold as it is now; it is relevant (r) when it reaches the threshold the
crawl began with too. So rule 2 undoes quickly what rule 3 lowered too far.
"""

from __future__ import annotations

from collections.abc import Iterable

from msgspec.structs import replace

from shoal.model import Topic, Value, Verdict

RAISE = 1.05
"""alpha, from 1 to 1.1."""
RAISE_STRONGLY = 1.2
"""beta, from 1.1 to 1.5."""
FEW_RELEVANT = 0.3
"""mu, from 0.1 to 0.5."""
LOWER = 0.95
"""gamma, from 0.9 to 1."""
LEAST, MOST = 0.25, 4.0
"""The threshold stays between these multiples of the one the crawl began with."""


class Threshold(Value, frozen=True, kw_only=True):
    """The threshold at one moment; it does not change, but has a successor."""

    start: float
    """The one the crawl began with."""
    wanted: int
    """S: pages wanted per interval."""
    value: float
    intervals: int = 0
    """T: intervals that are over."""
    got: int = 0
    """F: pages got in all of them."""
    why: str = ""
    """One sentence: what moved it after the last interval; empty when it stayed."""

    def after(self, verdicts: Iterable[Verdict]) -> Threshold:
        """The threshold after an interval that brought these pages."""
        # By the threshold each was judged with, because each of several topics may have its own.
        back = self.start / self.value if self.value else 1.0
        got = [verdict for verdict in verdicts if verdict.relevant]
        return self.next(got=len(got), relevant=sum(one.score >= one.threshold * back for one in got))

    def next(self, *, got: int, relevant: int) -> Threshold:
        """The threshold after an interval in which so many pages came, so many of them relevant."""
        intervals, total = self.intervals + 1, self.got + got
        factor, cause = self._rule(got, relevant, total, intervals)
        value = min(max(self.value * factor, LEAST * self.start), MOST * self.start)
        why = ""
        if value != self.value:
            why = f"The threshold {'rose' if value > self.value else 'fell'} from {self.value:.3g} to {value:.3g}: {cause}."
        return replace(self, value=value, intervals=intervals, got=total, why=why)

    def _rule(self, got: int, relevant: int, total: int, intervals: int) -> tuple[float, str]:
        """The rule that holds: its factor, and what happened in words."""
        happened = f"{got:,} pages came, {self.wanted:,} were wanted"
        if got > self.wanted and total > self.wanted * intervals:
            if relevant < FEW_RELEVANT * got:
                return RAISE_STRONGLY, f"{happened}, and only {relevant:,} of them are as good as those at the start"
            return RAISE, happened
        if got < self.wanted and total < self.wanted * intervals:
            return LOWER, happened
        return 1.0, happened

    def on(self, topic: Topic) -> Topic:
        """The topic with this threshold; those of its parts move by the same factor."""
        before = self.start if topic.threshold is None else topic.threshold
        factor = self.value / before if before else 1.0
        parts = tuple(
            replace(part, threshold=factor * (before if part.threshold is None else part.threshold))
            for part in topic.any
        )
        return replace(topic, threshold=self.value, any=parts)


def begin(start: float, wanted: int) -> Threshold:
    """The threshold of a new crawl: the user's, or else the judge's own."""
    return Threshold(start=start, wanted=wanted, value=start)
