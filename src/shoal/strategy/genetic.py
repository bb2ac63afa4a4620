"""The genetic algorithm: each generation of links is bred from the best pages of all before it (GA 3).

    Fit(link) = r_parent + k r_hint        r_hint: relevance of the link's hints (anchor and context), merged over all its pages
    importance of a page = topic PageRank with the relevance of pages, and of the hints of those that were not fetched

One generation, out of m links:
1. selection: the fittest links above the threshold;
2. crossover: of the most important m Pc pages two and two are parents; their offspring are the links that both have, then
   the links of one whose hints are relevant together with the other's hints on the same host;
3. mutation: from the most important m Pm pages a link each, at random, that was not selected.
Selection and crossover share m Pc places, in this order, and mutation has the other m Pm (Pc + Pm = 1): selection alone could
fill all of them for ever, and the paper wants to give links of low relevance a chance.
"""

from __future__ import annotations

import asyncio
import math
from array import array
from collections import Counter
from collections.abc import Container, Iterable, Iterator, Sequence
from itertools import islice
from random import Random

import msgspec

from shoal.cache import cached
from shoal.judge.registry import Parameter, Registered
from shoal.judge.relative import relative_vector
from shoal.model import Candidate, Int64, Link, Repriced, Seen, Topic
from shoal.strategy import promising
from shoal.strategy.crawled_graph import CrawledGraph, LinkRanking, readable
from shoal.strategy.graph import Values
from shoal.text import flattened
from shoal.urls import host_of, key_of

POPULATION, CROSSOVER, HINT_WEIGHT, THRESHOLD = 100, 0.9, 100.0, 0.0002
_Hints = dict[int, int]
"""How often each of the topic's words, by its place, stands in the hints of a link."""
_NONE: _Hints = {}
_host_key = cached(size=10_000)(key_of)


class Bred(msgspec.Struct, frozen=True, tag="genes", array_like=True):
    """What is stored of a page: its relevance, and its links with their hosts and hints."""

    page: Int64
    relevance: float
    words: Int64
    """Which words the hints are counted by: after the user has changed the topic, they say nothing any more."""
    links: list[tuple[Int64, Int64, _Hints]]

    def __post_init__(self) -> None:
        if not (math.isfinite(self.relevance) and self.relevance >= 0):
            raise ValueError("not a relevance")


class Genetic(CrawledGraph):
    """Breeds the next links to fetch. What is not in the present generation waits behind it, the fittest first."""

    def __init__(
        self,
        topic: Topic,
        *,
        population: float = POPULATION,
        crossover: float = CROSSOVER,
        k: float = HINT_WEIGHT,
        threshold: float = THRESHOLD,
    ) -> None:
        super().__init__()
        self._vector = relative_vector(topic)
        self._words = key_of("\n".join(self._vector.words))
        self._population, self._k, self._threshold = round(population), k, threshold
        self._parents = round(population * crossover)
        self._mutants = self._population - self._parents
        # By the number of each URL in the graph:
        self._relevance = array("d")
        """Of the page, or of its hints until it is fetched."""
        self._best_parent = array("d")
        """The relevance of the most relevant page that links to it."""
        self._fitness = array("d")
        self._hosts = array("q")
        """The key of its host."""
        self._hints: dict[int, _Hints] = {}
        """By key: merged over all pages that link to it; only of URLs that have any and wait."""
        self._importance: Values | None = None
        """At the last generation."""
        self._last_bred: tuple[Seen, Bred] | None = None
        """A page is followed and then stored: its hints are counted once."""

    # --- a page comes ------------------------------------------------------------------------------------------------

    def follow(self, seen: Seen) -> Iterable[Candidate]:
        """Each link with its fitness, scaled to 1 at most, which every member of a generation has."""
        if seen.page is None or seen.verdict is None:
            return
        bred = self._read_genes(seen)
        self._breed(bred)
        keys = (key for key, _, _ in bred.links)
        for link, _, refused in promising(seen):
            yield refused or self._fitted(link, next(keys))

    def _fitted(self, link: Link, key: int) -> Candidate:
        fitness = self._fit(key)
        return Candidate(link=link, priority=fitness / (self._k + 1), why=f"fitness {fitness:.2f}", key=key)

    def memo(self, seen: Seen) -> bytes:
        """The page's relevance, and its links with their hints."""
        judged = seen.page is not None and seen.verdict is not None
        return msgspec.msgpack.encode(self._read_genes(seen)) if judged else b""

    def recall(self, memos: Iterable[bytes]) -> None:
        """Put graph and hints together again."""
        for bred in readable(memos, Bred):
            self._breed(bred)

    def _read_genes(self, seen: Seen) -> Bred:
        if self._last_bred is None or self._last_bred[0] is not seen:
            self._last_bred = seen, self._bred(seen)
        return self._last_bred[1]

    def _bred(self, seen: Seen) -> Bred:
        assert seen.verdict is not None
        links = [link for link, _, refused in promising(seen) if refused is None]
        hosts = (_host_key(host_of(link.url)) for link in links)
        hints = self._count(links)
        return Bred(
            key_of(seen.task.url),
            seen.verdict.score,
            self._words,
            list(zip((key_of(link.url) for link in links), hosts, hints, strict=True)),
        )

    def _count(self, links: Sequence[Link]) -> Iterator[_Hints]:
        lines = [f"{link.before} {link.anchor} {link.after}" for link in links]
        worth_a_look = self._vector.may_stand_in(lines)
        for place, line in enumerate(lines):
            counts = self._vector.count(flattened(line)) if place in worth_a_look else []
            yield {word: count for word, count in enumerate(counts) if count}

    def _breed(self, bred: Bred) -> None:
        if self.graph.is_fetched(bred.page):
            return
        self.graph.add(bred.page, (key for key, _, _ in bred.links))
        grown = len(self.graph) - len(self._fitness)
        for values in (self._relevance, self._best_parent, self._fitness):
            values.extend([0.0] * grown)
        self._hosts.extend([0] * grown)
        self._relevance[self.graph.number(bred.page)] = bred.relevance
        self._hints.pop(bred.page, None)
        for key, host, hints in bred.links:
            self._hosts[self.graph.number(key)] = host
            if self.graph.is_fetched(key):  # the page itself may be among them
                continue
            if hints and bred.words == self._words:
                self._hints[key] = _merged(self._hints.get(key, _NONE), hints)
            self._weigh(key, bred.relevance)

    def _weigh(self, key: int, parent: float) -> None:
        """Another page of this relevance links to the URL. Of all its pages the most relevant one counts."""
        number = self.graph.number(key)
        self._best_parent[number] = max(self._best_parent[number], parent)
        self._relevance[number] = self._relevant(self._hints.get(key, _NONE))
        self._fitness[number] = self._best_parent[number] + self._k * self._relevance[number]

    def _relevant(self, hints: _Hints) -> float:
        if not hints:
            return 0.0
        return self._vector.cosine([hints.get(place, 0) for place in range(len(self._vector.words))])

    # --- a generation ------------------------------------------------------------------------------------------------

    def stride(self) -> int:
        """A generation is over when it was fetched."""
        return self._population

    async def refresh(self) -> Sequence[Repriced]:
        """The next generation, the fittest first."""
        if not (born := self.graph.fetched):
            return ()
        then, relevance = self.moment(), self._relevance[:]
        self._importance = await asyncio.to_thread(then.topic_pagerank, relevance, self._importance)
        fitness, most = self._fitness[: len(then)], max(self._parents, self._mutants)
        important = LinkRanking(self.graph, then, self._importance).best_pages(most)
        fittest = LinkRanking(self.graph, then, fitness).best_waiting(self._parents, self.gone)
        pages = [key for key, _ in important]
        selected = [key for key, value in fittest if value > self._threshold]
        members = dict.fromkeys(islice(await self._crossed(pages[: self._parents], selected), self._parents))
        members |= dict.fromkeys(self._mutated(pages[: self._mutants], members, Random(born)))
        return [self._priced(key, place, born) for place, key in enumerate(members)]

    async def _crossed(self, pages: Sequence[int], selected: Sequence[int]) -> dict[int, None]:
        """What was selected, and behind it the offspring of two pages after the other until all places are taken."""
        found = dict.fromkeys(selected)
        for one, other in zip(pages[::2], pages[1::2], strict=False):
            if len(found) >= self._parents:
                break
            found |= dict.fromkeys(self._offspring(self._open_links(one), self._open_links(other)))
            await asyncio.sleep(0)  # there may be many pairs, and the crawl does not wait for all of them
        return found

    def _offspring(self, ours: Sequence[int], theirs: Sequence[int]) -> Iterator[int]:
        both = set(theirs)
        yield from (key for key in ours if key in both)
        yield from self._helped(ours, theirs)
        yield from self._helped(theirs, ours)

    def _helped(self, links: Sequence[int], others: Sequence[int]) -> Iterator[int]:
        """Links whose hints, merged with the other parent's hints on the same host, are relevant."""
        on_host: dict[int, Counter[int]] = {}
        for key in others:
            on_host.setdefault(self._hosts[self.graph.number(key)], Counter()).update(self._hints.get(key, _NONE))
        for key in links:
            hints = _merged(self._hints.get(key, _NONE), on_host.get(self._hosts[self.graph.number(key)], _NONE))
            if self._relevant(hints) > self._threshold:
                yield key

    def _mutated(self, pages: Sequence[int], members: Container[int], random: Random) -> Iterator[int]:
        """Of each page a link that was not selected, and that no page before has brought in."""
        taken: set[int] = set()
        for page in pages:
            if refused := [key for key in self._open_links(page) if key not in members and key not in taken]:
                taken.add(chosen := random.choice(refused))
                yield chosen

    def _open_links(self, page: int) -> list[int]:
        return [key for key in self.graph.targets(page) if not self.graph.is_fetched(key) and not self.is_lost(key)]

    def _fit(self, key: int) -> float:
        return self._fitness[self.graph.number(key)]

    def _priced(self, key: int, place: int, born: int) -> Repriced:
        """Every generation stands before all that is left of those before it.

        Generations are counted by the pages that they are bred from, which a restart does not change.
        """
        priority = born + (self._population - place) / (self._population + 1)
        why = f"number {place + 1} of the generation bred from {born} pages, fitness {self._fit(key):.2f}"
        return Repriced(key=key, priority=priority, why=why)


def _merged(one: _Hints, other: _Hints) -> _Hints:
    return Counter(one) + Counter(other) if one and other else one or other


CHOICE = Registered(
    name="genetic",
    summary="breeds each generation of links from the most important pages so far",
    paper="GA 3",
    make=Genetic,
    judge="relative",
    parameters=(
        Parameter("population", POPULATION, least=10, most=100_000, what="links of one generation"),
        Parameter("crossover", CROSSOVER, least=0.0, most=1.0, what="their share by selection and crossover"),
        Parameter("k", HINT_WEIGHT, least=0.0, most=1e6, what="what the hints count, against the page"),
        Parameter("threshold", THRESHOLD, least=0.0, most=1e6, what="the least fitness that is selected"),
    ),
)
