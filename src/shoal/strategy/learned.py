"""Learned: the link with the best prospects, by all that the crawl has seen so far. Our own strategy, and the default."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import islice
from typing import NamedTuple, Self

import msgspec
import numpy as np

from shoal.cache import cached
from shoal.judge.evidence import Words
from shoal.judge.registry import Parameter, Registered
from shoal.model import Candidate, Entry, Evidence, Link, Mark, Outlook, Repriced, Seen, Topic
from shoal.protocols import (
    Forecaster,
    LeaseObserver,
    LinkExplainer,
    MarkLearner,
    Persistent,
    Portable,
    Repricer,
    Strategy,
)
from shoal.strategy import promising
from shoal.strategy.link_model.explanation import reasons_for, sentence
from shoal.strategy.link_model.features import Features, Floats, hand_on
from shoal.strategy.link_model.link_rows import (
    PLACES,
    FoundLink,
    LinkTable,
    Rows,
    Slots,
    SourcePage,
    hints_beside,
    page_place,
    rows_of,
)
from shoal.strategy.link_model.persistence import Memo, knowledge_of, pack_rows, read_memos, restore
from shoal.strategy.link_model.pricing import EXPLORE, LinkPricing
from shoal.strategy.link_model.valuation import (
    HUBS,
    KEPT,
    BayesianRegression,
    LinkModel,
    Observation,
    leads_prior,
    worth_prior,
)
from shoal.topic.word_vectors import Meanings, spaces
from shoal.urls import key_of

MARK_PAGES = 10.0
"""What a user says of a page counts like so many pages."""
MOST_WAYS = 6
"""A link is looked at again, whether this way to it promises more, until so many pages link to it."""
MOST_LINKS = 1_000
"""Links of one page that are valued; the others wait behind all that are."""
_NO_WAYS: Floats = np.zeros(0, dtype=np.float32)
_key_of = cached(size=20_000)(key_of)  # most links of a page were on the page before
_PAGES = 50_000
"""Pages whose links are remembered, for marks: the latest."""


class _Flight(NamedTuple):
    """A link that does not wait any more: it is being fetched, or its page came."""

    row: Rows
    ways: Floats
    """How many pages linked there (one number)."""
    value: float
    """What it was worth while it waited."""
    worth: float = 0.0
    """What its places were told to expect meanwhile."""
    leads: float = 0.0
    ordered: bool = False
    """Fetched whatever it is worth: to explore, or as a check."""


class _Arrival(NamedTuple):
    """A link whose page came."""

    flight: _Flight
    features: Features
    """As they were just before."""


class _Came(NamedTuple):
    """A page that was fetched."""

    judged: float
    """What the judge thought of it."""
    arrival: _Arrival | None
    """The link that led there; None for a seed."""
    observation: Observation | None


class Learned(Strategy, Repricer, LeaseObserver, LinkExplainer, MarkLearner, Forecaster, Portable, Persistent):
    """Values every link by what it says, where it stands and how its like have fared; learns from every page.

    Sole owner of its links and its model; all of it runs on the event loop.
    """

    def __init__(self, topic: Topic, meanings: Meanings, model: LinkModel, pricing: LinkPricing) -> None:
        """Of the topic only the words: the rest is in the judge's verdict on the page and its hints on the links."""
        self._named = Words(topic).links
        self._meanings = meanings
        self._links = model.links
        self._model = model
        self._pricing = pricing
        self._flying: dict[int, _Flight] = {}
        """Links being fetched, by key. Their places count as if a usual page had come: many at once must not all hope alike."""
        self._over: set[int] = set()
        """Keys of URLs that were fetched or will never be."""
        self._came: dict[int, _Came] = {}
        """The latest pages, by key."""
        self._marks: dict[int, bool] = {}
        """What the user said of pages, by key."""
        self._memo = b""
        self._last: _Arrival | None = None
        """Of the page that came last."""

    @classmethod
    def make(
        cls,
        topic: Topic,
        meanings: Meanings | None = None,
        *,
        hubs: float = HUBS,
        kept: float = KEPT,
        explore: float = EXPLORE,
        host_share: float = 1.0,
    ) -> Self:
        """Put together from its parts; what words mean, the word vectors say that are installed, unless others are given."""
        meanings = Meanings(spaces()) if meanings is None else meanings
        links = LinkTable(meanings.width)
        worth = BayesianRegression(worth_prior(meanings.of_topic(topic).astype(np.float64)), kept)
        model = LinkModel(links, worth, BayesianRegression(leads_prior(), kept), hubs=hubs)
        return cls(topic, meanings, model, LinkPricing(links, model, explore=explore, host_share=host_share))

    # --- pages come ----------------------------------------------------------------------------------------------------

    def follow(self, seen: Seen) -> Iterable[Candidate]:
        """Learn from the page, then value its links."""
        key = key_of(seen.task.url)
        judged = min(max(seen.verdict.score, 0.0), 1.0) if seen.verdict is not None else 0.0
        relevant = seen.verdict is not None and seen.verdict.relevant
        flight = self._land(key)
        source = self._source(seen, key, self._worth(key, judged), flight)
        links = list(promising(seen))
        found = self._distinct(links, key)
        known = [one.key for one in found if self._links.find(one.key) is not None]
        self._links.name_again(known)
        new, again, slots = self._sorted(found)
        rows = rows_of([*new, *again], source, hints_beside(found), self._named.parts, self._meanings)
        ways = np.concatenate([np.ones(len(new), dtype=np.float32), self._links.ways[slots]])
        self._last, features = self._read(flight, rows, ways)
        leads = self._model.gain(rows[: len(new)], features[: len(new)])
        hand_on(features, rows, leads)
        self._count(key, self._last, judged, leads, relevant=relevant)
        rows = self._keep(rows, features, slots)
        self._memo = msgspec.msgpack.encode(
            Memo(
                key=key,
                worth=judged,
                leads=leads,
                relevant=relevant,
                ordered=flight is not None and flight.ordered,
                width=self._links.width,
                rows=pack_rows(rows),
                again=np.array(known, dtype="<i8").tobytes(),
            )
        )
        keys = {seen.task.url: key} | {one.link.url: one.key for one in found}
        return [refused or self._candidate(link, keys.get(link.url)) for link, _, refused in links]

    def _read(self, flight: _Flight | None, rows: Rows, ways: Floats) -> tuple[_Arrival | None, Features]:
        """The features of the link that led to the page, and those of the links on it, all in one go."""
        if flight is None:
            return None, self._model.features_of(rows, ways)
        features = self._model.features_of(np.concatenate([flight.row, rows]), np.concatenate([flight.ways, ways]))
        # A copy, because it is kept for long: a part would keep all of them.
        return _Arrival(flight, features[:1].copy()), features[1:]

    def _land(self, key: int) -> _Flight | None:
        """The link that led to a page, and does not wait any more; None for a seed."""
        self._over.add(key)
        flight = self._flying.pop(key, None) or self._take(key)
        if flight is not None and flight.worth:
            self._model.counts.add(flight.row["places"], -flight.worth, -flight.leads, pages=-1.0)
        return flight

    def _take(self, key: int) -> _Flight | None:
        """A link out of those that wait."""
        if (slot := self._links.find(key)) is None:
            return None
        links = self._links
        one = slice(slot, slot + 1)
        flight = _Flight(links.rows[one].copy(), links.ways[one].copy(), float(links.value[slot]))
        links.drop([key])
        return flight

    def _worth(self, key: int, judged: float) -> float:
        """What a page is worth: as the user says, or else as the judge says."""
        return float(self._marks[key]) if key in self._marks else judged

    def _source(self, seen: Seen, key: int, score: float, flight: _Flight | None) -> SourcePage:
        above = _above(score, flight)
        count = len(seen.page.links) if seen.page is not None else 0
        return SourcePage(key=key, url=seen.task.url, depth=seen.task.depth, score=score, above=above, links=count)

    @staticmethod
    def _distinct(links: Iterable[tuple[Link, float, Candidate | None]], page: int) -> list[FoundLink]:
        """Each URL that may be followed once, as it was named best; not the page itself, and not too many."""
        best: dict[str, tuple[Link, float]] = {}
        for link, hint, refused in links:
            if refused is None and (link.url not in best or hint > best[link.url][1]):
                best[link.url] = link, hint
        keys = {url: _key_of(url) for url in islice(best, MOST_LINKS)}
        return [
            FoundLink(link, keys[url], hint)
            for url, (link, hint) in islice(best.items(), MOST_LINKS)
            if keys[url] != page
        ]

    def _sorted(self, found: Sequence[FoundLink]) -> tuple[list[FoundLink], list[FoundLink], Slots]:
        """Links that are new, and those that wait already and may have been found in a better way, with where they are."""
        over, flying, ways = self._over, self._flying, self._links.ways
        pairs = [(one, self._links.find(one.key)) for one in found]
        new = [one for one, slot in pairs if slot is None and one.key not in over and one.key not in flying]
        again = [(one, slot) for one, slot in pairs if slot is not None and ways[slot] <= MOST_WAYS]
        return new, [one for one, _ in again], np.array([slot for _, slot in again], dtype=np.int64)

    def _keep(self, rows: Rows, features: Features, slots: Slots) -> Rows:
        """Take in the links that are new (the first ones) and those that are worth more than in their slots until now."""
        new = len(rows) - len(slots)
        better = np.ones(len(rows), dtype=np.bool_)
        better[new:] = self._model.value(features)[new:] > self._links.value[slots]
        rows = rows[better]
        self._value(self._put(rows), features[better])
        return rows

    def _count(self, key: int, arrival: _Arrival | None, judged: float, leads: float, *, relevant: bool) -> None:
        worth = self._worth(key, judged)
        times = MARK_PAGES if key in self._marks else 1.0
        observation, expected, ordered = None, worth, False
        if arrival is not None:
            row, ordered = arrival.flight.row, arrival.flight.ordered
            expected = float(self._model.expected(arrival.features)[0])
            self._model.led(row, alive=True)
            observation = self._model.learn(row, arrival.features, worth, leads, times)
        self._came[key] = _Came(judged, arrival, observation)
        while len(self._came) > _PAGES:
            del self._came[next(iter(self._came))]
        self._pricing.came(key, worth, relevant=relevant, expected=expected, ordered=ordered)

    def _put(self, rows: Rows) -> Slots:
        slots = self._links.put(rows)
        self._links.ways[slots] = self._links.ways[slots].clip(1.0)
        return slots

    def _value(self, slots: Slots, features: Features) -> None:
        links = self._links
        links.value[slots] = self._model.value(features)
        links.expected[slots] = self._model.expected(features)
        # The frontier keeps the best price of several ways to a page.
        links.told[slots] = links.told[slots].clip(links.value[slots])

    def _candidate(self, link: Link, key: int | None) -> Candidate:
        if key is None:
            return Candidate(link=link, priority=0.0, why=f"not among the first {MOST_LINKS:,} links of its page")
        if (slot := self._links.find(key)) is None:
            return Candidate(link=link, priority=0.0, why="known already", key=key)
        price = float(self._links.told[slot])
        return Candidate(link=link, priority=price, why=self._pricing.why(key, price), key=key)

    # --- links go out --------------------------------------------------------------------------------------------------

    def chosen(self, entry: Entry) -> None:
        """The link flies; its places count as if a usual page had come by it."""
        key = entry.key or key_of(entry.url)
        if (slot := self._links.find(key)) is None:
            return
        ordered = self._pricing.is_ordered(slot)
        flight = self._take(key)
        assert flight is not None, "it was found a moment ago"
        counts = self._model.counts
        self._flying[key] = flight = flight._replace(worth=counts.mean_worth, leads=counts.mean_leads, ordered=ordered)
        counts.add(flight.row["places"], flight.worth, flight.leads)

    def why(self, entry: Entry) -> str:
        """What made the link worth so much that it was fetched."""
        if self._last is None or self._last.flight.ordered:
            return ""
        flight, features = self._last
        return sentence(reasons_for(self._model, flight.row, features, entry), flight.value)

    def reasons(self, entry: Entry) -> tuple[Evidence, ...]:
        """What makes the value of a link, in words."""
        if (slot := self._links.find(entry.key or key_of(entry.url))) is None:
            return ()
        row, features = self._links.rows[slot : slot + 1], self._model.features(np.array([slot]))
        return reasons_for(self._model, row, features, entry)

    def lost(self, keys: Iterable[int]) -> None:
        """They will not come."""
        for key in keys:
            was_asked = key in self._flying
            flight = self._land(key)
            if flight is not None and was_asked:
                self._model.led(flight.row, alive=False)
            self._pricing.failed(key, ordered=flight is not None and flight.ordered)

    def pace(self) -> int:
        """The longer, the more pages came and the more links wait."""
        return self._pricing.pace()

    async def refresh(self) -> Sequence[Repriced]:
        """The prices that changed by what was learned."""
        return await self._pricing.reprice()

    def outlook(self, pages: int) -> Outlook:
        """What the next pages will bring."""
        return self._pricing.outlook(pages)

    # --- what a user says ----------------------------------------------------------------------------------------------

    def learn_mark(self, mark: Mark) -> None:
        """The page is worth what the user says, and so are its like; its links stand on a page of that worth."""
        key = key_of(mark.url)
        self._marks.pop(key, None)
        if mark.relevant is not None:
            self._marks[key] = mark.relevant
        if (page := self._came.get(key)) is None:
            return
        worth = self._worth(key, page.judged)
        if (arrival := page.arrival) is not None and page.observation is not None:
            times = MARK_PAGES if mark.relevant is not None else 1.0
            observation = self._model.correct(arrival.flight.row, arrival.features, page.observation, worth, times)
            self._came[key] = page._replace(observation=observation)
        slots = self._links.slots()
        on_it = slots[self._links.rows["places"][slots, PLACES.index("page")] == page_place(key)]
        self._links.rows["score"][on_it] = worth
        self._links.rows["above"][on_it] = _above(worth, page.arrival.flight if page.arrival else None)

    # --- what outlives the process -------------------------------------------------------------------------------------

    def memo(self, seen: Seen) -> bytes:
        """What the page taught, and the links it brought."""
        return self._memo

    def recall(self, memos: Iterable[bytes]) -> None:
        """Live through all pages again, in the order in which they came."""
        due = self._pricing.pace()
        for memo, rows, again in read_memos(memos, self._links.width):
            flight = self._land(memo.key)
            flight = flight._replace(ordered=memo.ordered) if flight else None
            self._links.name_again(again)
            arrival, _ = self._read(flight, rows[:0], _NO_WAYS)
            self._count(memo.key, arrival, memo.worth, memo.leads, relevant=memo.relevant)
            slots = self._put(rows[[key not in self._over for key in rows["key"].tolist()]])
            self._value(slots, self._model.features(slots))
            due -= 1
            if due <= 0:
                self._pricing.solve()
                self._links.shed()
                due = self._pricing.pace()
        self._pricing.reprice_all()

    def knowledge(self) -> bytes:
        """The sum of all pages, without the links that wait."""
        return knowledge_of(self._model)

    def begin_with(self, knowledge: bytes) -> None:
        """Believe what another crawl learned."""
        restore(self._model, knowledge)


def _above(score: float, flight: _Flight | None) -> float:
    """The score of a page, or half of what stood above the link that led there."""
    return max(score, 0.5 * float(flight.row["above"][0])) if flight is not None else score


CHOICE = Registered(
    name="learned",
    summary="the link with the best prospects, by all that the crawl has seen so far",
    paper="",
    make=Learned.make,
    judge="evidence",
    parameters=(
        Parameter("hubs", HUBS, least=0.0, most=10.0, what="how much it counts that a page leads to good pages"),
        Parameter("kept", KEPT, least=0.9, most=1.0, what="how much of the past is kept with each page"),
        Parameter("explore", EXPLORE, least=0.0, most=1.0, what="the share of pages that explore when little pays"),
        Parameter("host_share", 1.0, least=0.001, most=1.0, what="hosts with a larger share of the pages must wait"),
    ),
)
