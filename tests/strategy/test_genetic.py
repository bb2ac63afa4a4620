"""The genetic algorithm. Links and pages are worked out by hand; m is 10 unless a test says otherwise.

The topic has two words of the same weight. The relevance of hints is the cosine of their counts with (1, 1): one of the words
gives 1 / sqrt 2 = 0.707107, both once give 1.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from pathlib import Path

import pytest

from shoal.model import Candidate, Link, Repriced, Seen, Term, Topic
from shoal.settings import Scope
from shoal.strategy.genetic import Genetic
from shoal.urls import key_of
from tests.crawl import simulated
from tests.running import ask
from tests.strategy.pages import Queue, seen, url_of

TOPIC = Topic(name="grid", terms=(Term(text="grid"), Term(text="substation")))
NEVER = 1e6
"""No link is so fit."""


def page(name: str, score: float, **hints: str) -> Seen:
    """A page with a link for each name, which stands in this text."""
    return linking(name, score, list(hints.items()))


def linking(name: str, score: float, links: Sequence[tuple[str, str]]) -> Seen:
    found = [Link(url=url_of(other), anchor=text, position=place) for place, (other, text) in enumerate(links)]
    return seen(score=score, hints=[0.0] * len(links), links=found, url=url_of(name), depth=1)


def grown(*visits: Seen, **parameters: float) -> Genetic:
    """A strategy that has seen these pages."""
    strategy = Genetic(TOPIC, **({"population": 10.0} | parameters))
    for visit in visits:
        list(strategy.follow(visit))
    return strategy


def generation(strategy: Genetic) -> list[str]:
    """The names of the next generation."""
    return names(asyncio.run(strategy.refresh()))


def names(repriced: Sequence[Repriced]) -> list[str]:
    known = {key_of(url_of(name)): name for name in NAMES}
    assert sorted(repriced, key=lambda one: -one.priority) == list(repriced), "the first of them goes first"
    return [known[one.key] for one in repriced]


NAMES = [
    *(letter + number for letter in "abcdfghlpqrstxyz" for number in ["", *map(str, range(30))]),
    *("http://one.example/" + letter for letter in "xyz"),
    *("http://two.example/" + letter for letter in "xyz"),
]


def fitness(candidate: Candidate) -> float:
    """Priorities are scaled by k + 1, and k is 100."""
    return candidate.priority * 101


# --- fitness ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("score", "text", "fit"),
    [
        (0.3, "", 0.3),
        (0.0, "the grid", 70.7107),
        (0.3, "the grid", 71.0107),
        (0.3, "A substation of the grid", 100.3),
        (1.0, "grid substation", 101.0),
        (0.0, "weather", 0.0),
    ],
)
def test_fit_is_the_relevance_of_the_page_and_k_times_that_of_the_hints(score: float, text: str, fit: float) -> None:
    [candidate] = Genetic(TOPIC).follow(page("p", score, a=text))
    assert fitness(candidate) == pytest.approx(fit)
    assert candidate.why == f"fitness {fit:.2f}"


def test_hints_are_the_text_before_and_after_too() -> None:
    link = Link(url=url_of("a"), before="the grid", anchor="more", after="of the substation")
    [candidate] = Genetic(TOPIC).follow(seen(score=0.0, hints=[0.0], links=[link]))
    assert fitness(candidate) == pytest.approx(100.0)


def test_chinese_hints() -> None:
    topic = Topic(name="电网", terms=(Term(text="电网"), Term(text="变电站")))
    candidates = list(Genetic(topic).follow(page("p", 0.0, a="國家電網的變電站", b="今日电网", c="首页")))
    assert [fitness(one) for one in candidates] == pytest.approx([100.0, 70.7107, 0.0], rel=1e-5)


def test_hints_of_two_pages_are_merged_and_the_better_page_counts() -> None:
    strategy = grown(page("p", 0.3, a="grid"))
    [candidate] = strategy.follow(page("q", 0.1, a="substation"))
    # Both words together: 100 * 1. Of the pages the first is the more relevant one: 0.3.
    assert fitness(candidate) == pytest.approx(100.3)
    [candidate] = strategy.follow(page("r", 0.5, a=""))
    assert fitness(candidate) == pytest.approx(100.5)
    [candidate] = strategy.follow(page("s", 0.0, a="grid grid"))
    # Counts (3, 1): 4 / sqrt(2 * 10) = 0.894427.
    assert fitness(candidate) == pytest.approx(89.9427)


def test_a_page_that_links_to_itself_is_not_its_own_parent() -> None:
    candidates = list(Genetic(TOPIC).follow(page("p", 0.9, p="grid", a="grid")))
    assert [fitness(one) for one in candidates] == pytest.approx([0.0, 71.6107])


# --- selection -------------------------------------------------------------------------------------------------------


def test_the_fittest_are_selected_and_stand_in_their_order() -> None:
    strategy = grown(page("p", 0.3, a="grid", b="grid substation", c="", d="grid"))
    # m = 10, one page: 1 + (10 - place) / 11.
    repriced = asyncio.run(strategy.refresh())
    assert names(repriced) == ["b", "a", "d", "c"]
    assert [one.priority for one in repriced] == pytest.approx([1 + 10 / 11, 1 + 9 / 11, 1 + 8 / 11, 1 + 7 / 11])
    assert repriced[0].why == "number 1 of the generation bred from 1 pages, fitness 100.30"


def test_what_was_fetched_is_not_selected() -> None:
    strategy = grown(page("p", 0.3, a="grid", b=""), page("a", 0.3, p="grid"))
    assert generation(strategy) == ["b"]


@pytest.mark.parametrize(("threshold", "selected"), [(0.2, ["a", "b"]), (0.3, ["a"]), (71.1, [])])
def test_the_least_fitness_that_is_selected(threshold: float, selected: list[str]) -> None:
    # a has 71.0107, b has 0.3 and is not above it. Without mutation (Pm = 0) nobody else comes in.
    strategy = grown(page("p", 0.3, a="grid", b=""), threshold=threshold, crossover=1.0)
    assert generation(strategy) == selected


# --- crossover -------------------------------------------------------------------------------------------------------


def test_links_that_both_parents_have() -> None:
    strategy = grown(page("p", 0.5, a="", x="", b=""), page("q", 0.5, c="", x=""), threshold=NEVER, crossover=1.0)
    assert generation(strategy) == ["x"]


def test_links_whose_hints_are_relevant_with_the_other_parents_hints_of_the_same_host() -> None:
    # k = 0 and a threshold of 0.8: selection refuses all, as Fit is the relevance of the page, 0.5. Alone each hint has 0.71.
    # Together with that of the other page on host one: 1. On host two there is only one of them.
    p = linking("p", 0.5, [("http://one.example/x", "grid"), ("http://one.example/y", "")])
    q = linking("q", 0.5, [("http://one.example/z", "substation"), ("http://two.example/x", "substation")])
    strategy = grown(p, q, k=0.0, threshold=0.8, crossover=1.0)
    assert generation(strategy) == ["http://one.example/x", "http://one.example/z"]


def test_a_page_alone_has_no_offspring() -> None:
    assert generation(grown(page("p", 0.5, a="", b=""), threshold=NEVER, crossover=1.0)) == []


def test_parents_are_the_most_important_pages() -> None:
    # No page links to another, so P is R / sum R * 0.15: p 0.9 and r 0.8 before q 0.1. Pc = 0.2: the best two pages are
    # paired, and have x in common; mutation has the other eight places.
    visits = page("p", 0.9, x="", y=""), page("q", 0.1, y=""), page("r", 0.8, x="")
    assert generation(grown(*visits, threshold=NEVER, crossover=0.2))[0] == "x"


def test_importance_is_topic_pagerank() -> None:
    # As above, but p links to q, too, and to nothing else of relevance. Sum R = 1.8:
    # P(p) = 0.15 * 0.9 / 1.8 = 0.075, P(r) = 0.15 * 0.8 / 1.8 = 0.0667,
    # P(q) = 0.15 * 0.1 / 1.8 + 0.85 * 0.075 * 0.1 / 0.1 = 0.0721: now p and q are the parents, and have y in common.
    visits = page("p", 0.9, x="", y="", q=""), page("q", 0.1, y=""), page("r", 0.8, x="")
    assert generation(grown(*visits, threshold=NEVER, crossover=0.2))[0] == "y"


def test_the_importance_of_what_was_not_fetched_is_that_of_its_hints() -> None:
    # As above, but x has hints: R(x) = 0.7071. So q gets only 0.1 / 0.8071 of what p passes on:
    # sum R = 2.5071; P(p) = 0.15 * 0.9 / 2.5071 = 0.0538, P(r) = 0.0479, P(q) = 0.0060 + 0.85 * 0.0538 * 0.1239 = 0.0117.
    visits = page("p", 0.9, x="grid", y="", q=""), page("q", 0.1, y=""), page("r", 0.8, x="")
    assert generation(grown(*visits, threshold=NEVER, crossover=0.2))[0] == "x"


# --- mutation --------------------------------------------------------------------------------------------------------


def test_a_link_that_selection_refused_gets_a_chance() -> None:
    # Pm = 0.1 of m = 10: one place, for the most important page, p. Its only refused links are b and c.
    fit = ("http://one.example/x", "grid")
    visits = linking("p", 0.0, [fit, ("b", ""), ("c", "")]), page("q", 0.0, d="")
    first, *mutants = generation(grown(*visits))
    assert first == "http://one.example/x"
    assert len(mutants) == 1
    assert set(mutants) <= {"b", "c"}


def test_mutation_is_random_and_can_be_repeated() -> None:
    def mutants(pages: int) -> list[str]:
        others = [page(f"q{number}", 0.0) for number in range(pages)]
        visits = [page("p", 0.1, **{f"x{number}": "" for number in range(30)}), *others]
        return generation(grown(*visits, threshold=NEVER))

    assert mutants(1) == mutants(1)
    assert len({tuple(mutants(pages)) for pages in range(20)}) > 5


def test_no_two_pages_bring_in_the_same_link() -> None:
    # Pm = 1: all ten places are for mutation. Each of ten pages has the same ten refused links, so each link comes in once.
    links = {f"x{number}": "" for number in range(10)}
    visits = [page(f"p{number}", 0.5, **links) for number in range(10)]
    assert sorted(generation(grown(*visits, threshold=NEVER, crossover=0.0))) == sorted(links)


def test_mutation_leaves_alone_what_is_in_the_generation_already() -> None:
    # Nine places for what both pages have; the tenth is for a refused link of p that is not among them: only b is left.
    both = {f"x{number}": "" for number in range(9)}
    visits = page("p", 0.5, **both, b=""), page("q", 0.4, **both)
    assert generation(grown(*visits, threshold=NEVER)) == [*both, "b"]


# --- a generation ----------------------------------------------------------------------------------------------------


def test_places() -> None:
    # m = 10, Pc = 0.6: six places for the fittest of twelve, four for links of the best four pages that were not selected.
    fit = page("p", 0.0, **{f"a{number}": "grid" for number in range(12)})
    refused = [page(f"q{number}", 0.0, **{f"x{number}": ""}) for number in range(9)]
    found = generation(grown(fit, *refused, crossover=0.6))
    # No page is relevant, so all are equally important, and the first four are p, q0, q1, q2. Six links of p are left.
    assert found[:6] == ["a0", "a1", "a2", "a3", "a4", "a5"]
    assert found[6] in {f"a{number}" for number in range(6, 12)}
    assert found[7:] == ["x0", "x1", "x2"]


def test_links_of_little_promise_have_a_chance_with_the_numbers_of_the_paper() -> None:
    # All links of a relevant page are above the threshold; m Pc = 9 are selected, and one of the others is a mutant.
    found = generation(grown(page("p", 0.9, **{f"a{number}": "grid" for number in range(20)})))
    assert len(found) == 10
    assert found[9] in {f"a{number}" for number in range(9, 20)}


def test_nobody_is_bred_who_cannot_be_fetched() -> None:
    strategy = grown(page("p", 0.9, a="grid", b="grid", c="grid", x=""))
    strategy.lost([key_of(url_of("a")), key_of(url_of("x"))])
    assert sorted(generation(strategy)) == ["b", "c"]


def test_crossover_gets_the_places_that_selection_leaves() -> None:
    # m = 10, Pc = 0.3. One link is fit; of the three that both parents have, two find a place.
    visits = page("p", 0.0, a="grid", x="", y="", z=""), page("q", 0.0, x="", y="", z="", b="")
    found = generation(grown(*visits, crossover=0.3))
    assert found[:3] == ["a", "x", "y"]
    assert set(found[3:]) <= {"z", "b"}


def test_every_generation_stands_before_what_is_left_of_the_last() -> None:
    queue = Queue()
    strategy = Genetic(TOPIC, population=10)

    def breed() -> None:
        for one in asyncio.run(strategy.refresh()):
            queue.frontier.reprice(one.key, one.priority, one.why)

    queue.follow(strategy, page("p", 0.0, a="grid substation", b="grid"))
    breed()
    queue.follow(strategy, page("q", 0.0, c="grid", d="grid substation"))
    breed()
    queue.follow(strategy, page("r", 0.9, f="grid substation"))  # fitter than all, but of no generation yet
    assert queue.order() == ["a", "d", "b", "c", "f"]


def test_a_generation_is_bred_when_the_last_was_fetched() -> None:
    strategy = Genetic(TOPIC, population=20)
    assert strategy.pace() == 20
    for number in range(5):
        list(strategy.follow(page(f"p{number}", 0.0, a="grid")))
    asyncio.run(strategy.refresh())
    assert strategy.pace() == 20


def test_pages_come_in_while_a_generation_is_bred() -> None:
    async def crawl() -> list[str]:
        strategy = grown(page("p", 0.3, a="grid", b=""))
        breeding = asyncio.create_task(strategy.refresh())
        await asyncio.sleep(0)
        list(strategy.follow(page("a", 0.9, c="grid", d="grid")))
        return names(await breeding)

    assert asyncio.run(crawl()) == ["a", "b"]


# --- a restart -------------------------------------------------------------------------------------------------------


def test_after_a_restart_generations_go_on_before_those_that_were() -> None:
    visits = [page(f"p{number}", 0.1, a="grid", **{f"x{number}": ""}) for number in range(5)]
    before = grown(*visits)
    last = asyncio.run(before.refresh())
    after = Genetic(TOPIC, population=10)
    after.recall(map(before.memo, visits))
    list(after.follow(page("q", 0.1, b="grid")))
    assert min(one.priority for one in asyncio.run(after.refresh())) > max(one.priority for one in last)


def test_hints_are_forgotten_when_the_user_has_changed_the_words() -> None:
    visit = page("p", 0.3, a="grid", b="")
    memo = grown(visit).memo(visit)
    other = Genetic(Topic(name="x", terms=(Term(text="weather"), Term(text="rain"))), population=10)
    other.recall([memo])
    # The graph and the relevance of the page are still true: a and b have Fit 0.3 each. "grid" is no word of the topic.
    assert names(asyncio.run(other.refresh())) == ["a", "b"]
    [candidate] = other.follow(page("q", 0.0, a=""))
    assert fitness(candidate) == pytest.approx(0.3)


@pytest.mark.slow
def test_links_out_of_scope_take_nobodys_place(tmp_path: Path) -> None:
    """Each page links to the next two and to three pages elsewhere, which say grid and are out of scope."""
    web = {}
    for number in range(60):
        outside = [f"http://grid{number}.test/{other}/grid" for other in range(3)]
        inside = [f"/{number * 2 + 1}", f"/{number * 2 + 2}"]
        web[simulated.SEED + (str(number) if number else "")] = simulated.page(*outside, *inside, text=f"grid {number}")
    crawl = simulated.Simulation(
        tmp_path, web, strategy="genetic", parameters=(("population", 10.0),), scope=Scope(kind="host"), latency=0.1
    )
    crawl.run()
    bred = ask(tmp_path, "SELECT count(*) FROM found JOIN pages USING (id) WHERE found.why LIKE '%generation%'")
    assert bred[0][0] > 30, "of 60 pages most were members of a generation"
