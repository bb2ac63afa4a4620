"""How well a judge tells pages apart: the figures worked by hand, the sample, and judges on webs whose truth is known."""

from __future__ import annotations

import msgspec
import pytest
from msgspec.structs import replace

from shoal.evaluate.generated.synthetic_web import SyntheticWeb
from shoal.evaluate.jobs import JUDGING, Bench, BenchWeb, Conditions, Job, Result, code_of, key_of
from shoal.evaluate.judge_quality import JudgeQuality, quality_of, rate, sample_of
from shoal.evaluate.offline_web import GeneratedWeb, Subject
from shoal.evaluate.result_cache import ResultCache
from shoal.evaluate.simulation import simulate
from shoal.evaluate.survey import Survey
from shoal.settings import USER_AGENT, Budget, Fetching, Settings
from shoal.testing.webserver import WebAnswer
from tests.evaluate.small import HOME, SmallWeb, field_of, linked, settings, url_of

PAGES = Conditions(pages=100)


# --- the figures -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("relevant", "others", "auc", "precision"),
    [
        # Every relevant page is above every other one.
        ([0.9, 0.8], [0.3, 0.1, 0.0], 1.0, 1.0),
        # The wrong way round. At 0.2 there are 1 relevant and 2 others, at 0.1 there are 2 and 2: (1/3 + 2/4) / 2.
        ([0.1, 0.2], [0.8, 0.9], 0.0, 5 / 12),
        # Pairs won: 0.9 two, 0.5 one and a half, 0.1 none: 3.5 of 6. Precision 1/1, 2/3 (the tie is there, too), 3/5.
        ([0.9, 0.5, 0.1], [0.5, 0.2], 3.5 / 6, (1 + 2 / 3 + 3 / 5) / 3),
        # All the same is luck, and precision is the share of the relevant pages.
        ([0.0], [0.0, 0.0, 0.0], 0.5, 0.25),
        # Two relevant pages with one score: each has both of them beside it, and nobody else.
        ([0.7, 0.7], [0.1], 1.0, 1.0),
    ],
)
def test_worked_by_hand(relevant: list[float], others: list[float], auc: float, precision: float) -> None:
    quality = quality_of(relevant, others)
    assert quality.auc == pytest.approx(auc)
    assert quality.average_precision == pytest.approx(precision)


def test_a_sampled_page_stands_for_many() -> None:
    # Each of the two others stands for ten. At 0.9: 1 of 1; at 0.5: 2 of 2 + 10.
    quality = quality_of([0.9, 0.5], [0.6, 0.1], weight=10.0)
    assert quality.average_precision == pytest.approx((1 + 2 / 12) / 2)
    assert quality.auc == pytest.approx(0.75), "three of four pairs, however many pages they stand for"


@pytest.mark.parametrize(("relevant", "others"), [([], [0.5]), ([0.5], []), ([], [])])
def test_where_there_is_nothing_to_tell_apart(relevant: list[float], others: list[float]) -> None:
    assert quality_of(relevant, others) == JudgeQuality(auc=None, average_precision=None)


# --- the sample ------------------------------------------------------------------------------------------------------

URLS = [f"http://a.test/第{number}页" for number in range(500)]


def test_the_sample_is_the_same_in_whichever_order_pages_come() -> None:
    sample = sample_of(URLS, 100)
    assert sample == sample_of(reversed(URLS), 100)
    assert len(set(sample)) == 100
    assert sample_of(URLS, 50) == sample[:50], "a smaller sample is part of a larger one"
    assert len(sample_of(URLS)) == 500, "there are fewer than the usual number"


def test_the_sample_is_spread_over_the_web() -> None:
    # Half of the sample is expected of each half of the web; 35 or fewer of 100 would be three deviations away.
    first = set(URLS[:250])
    assert 35 < sum(url in first for url in sample_of(URLS, 100)) < 65


def test_topics_share_most_of_their_samples() -> None:
    """Each leaves out its own relevant pages: fifty here, fifty there."""
    one, other = set(sample_of(URLS[50:], 100)), set(sample_of(URLS[:-50], 100))
    # About a tenth of either sample are pages that the other may not take, and as many fill the places of those.
    assert len(one & other) >= 75


# --- judges ----------------------------------------------------------------------------------------------------------

# r1 and r2 are relevant and say so, d1 to d3 do not.
WEB = linked(home="d1 r1", d1="d2 d3", d2="", d3="", r1="r2", r2="")


def rated(field: BenchWeb, judge: str = "cosine", bench: Bench | None = None) -> Result:
    return (bench or Bench({"small": field}, PAGES))(Job(web="small", topic="grid", strategy=JUDGING, judge=judge))


@pytest.mark.parametrize("judge", ["boolean", "cosine", "evidence", "relative"])
def test_a_judge_that_is_right(judge: str) -> None:
    result = rated(field_of(WEB, "r1", "r2"), judge)
    assert (result.auc, result.average_precision) == (1.0, 1.0)
    assert (result.reachable, result.relevant, result.fetched, result.hits) == (6, 2, 0, ())


def test_a_judge_that_is_wrong_by_the_labels() -> None:
    # d1 scores 0 like home, d2 and d3; r1 and r2 are above it: no pair won, three of five halved.
    result = rated(field_of(WEB, "d1"))
    assert result.auc == pytest.approx(1.5 / 5)
    assert result.average_precision == pytest.approx(1 / 6)


def test_all_pages_are_relevant() -> None:
    result = rated(field_of(linked(home="r1", r1=""), "home", "r1"))
    assert (result.auc, result.average_precision, result.relevant) == (None, None, 2)


def test_what_is_not_text_scores_nothing() -> None:
    web = linked(home="image r1", r1="")
    web.simple.answering(url_of("image"), WebAnswer(headers=(("Content-Type", "image/png"),), body=b"the grid"))
    # It ties with home, and r1 is above it.
    assert rated(field_of(web, "image")).auc == pytest.approx(0.25)


def test_a_page_that_may_not_be_kept_counts_for_nobody() -> None:
    web = linked(home="r1 r2 d1", r1="", d1="")
    web.simple.answering(url_of("r2"), page_of("<meta name='robots' content='noindex'><p>the grid</p>"))
    # Were r2 one of the others, it would be as good as r1.
    assert rated(field_of(web, "r1", "r2")).auc == 1.0


def page_of(html: str, charset: str = "utf-8") -> WebAnswer:
    return WebAnswer(headers=(("Content-Type", f"text/html; charset={charset}"),), body=html.encode(charset))


LONG = "智能电网是电网的智能化，它建立在集成的、高速双向通信网络的基础上，通过先进的传感和测量技术实现电网的可靠运行。"


def test_a_copy_of_a_relevant_page_is_no_mistake() -> None:
    web = linked(home="r1 copy d1", d1="")
    web.simple.answering(url_of("r1"), page_of(f"<title>电网</title><p>{LONG}</p>", "gbk"))
    web.simple.answering(url_of("copy"), page_of(f"<title>电网</title><p>{LONG}</p>"))
    assert rated(field_of(web, "r1")).auc == 1.0
    web.simple.answering(url_of("copy"), page_of(f"<title>电网</title><p>电网</p><p>{'另一篇文章' * 20}</p>"))
    auc = rated(field_of(web, "r1")).auc
    assert auc is not None
    assert auc < 1.0, "another text with the same words is one"


def test_pages_are_read_as_a_crawl_reads_them() -> None:
    """What a judge has read a crawl finds in the cache, and must not find anything else than it would have read itself."""
    web = SmallWeb()
    web.simple.answering(HOME, page_of(f"<title>电网</title><p>{LONG}</p><p>grid</p>", "gbk"))
    own = settings(fetching=Fetching(max_body=80))
    read, crawled = ResultCache(), ResultCache()
    rate(web, own, "cosine", [HOME], [], read)
    simulate(web, own, cache=crawled)
    key = web.name, own.fetching.user_agent
    pages = [cache.page(key, HOME, lambda: None) for cache in (read, crawled)]
    assert pages[0] is not None
    assert pages[0] == pages[1]
    assert "grid" not in pages[0].text, "too long, so it is cut"


# --- a whole web -----------------------------------------------------------------------------------------------------


@pytest.mark.slow
def test_on_the_generated_web_a_judge_is_better_than_luck_and_always_as_good(
    web: SyntheticWeb, surveyed: Survey
) -> None:
    settings = Settings(topic=web.topic("rail"), seeds=web.seeds("rail"), label="rail")
    subject = Subject(name="rail", settings=settings, labelled=web.relevant("rail"))
    field = BenchWeb(web=GeneratedWeb(web), surveys={USER_AGENT: surveyed}, subjects={"rail": subject}, stamp="1")
    job = Job(web=field.web.name, topic="rail", strategy=JUDGING, judge="cosine")
    near = Conditions(pages=100, max_depth=2)  # some hundred pages are enough
    bench = Bench({job.web: field}, near)
    first = bench(job)
    assert first.auc is not None
    assert 0.5 < first.auc < 1.0
    assert first.average_precision is not None
    assert first.relevant / first.reachable < first.average_precision < 1.0, "above what luck would give"
    for other in (bench, Bench({job.web: field}, near)):
        again = other(job)
        assert replace(again, seconds=0.0) == replace(first, seconds=0.0)


# --- done before -----------------------------------------------------------------------------------------------------

JOB = Job(web="small", topic="grid", strategy=JUDGING, judge="cosine")


def test_a_rating_depends_on_where_crawls_can_get_to_but_not_on_how_they_go() -> None:
    field = field_of(WEB, "r1")
    same = [
        key_of(JOB, field, conditions)
        for conditions in (PAGES, Conditions(pages=9), Conditions(pages=9, delay=1.0, concurrency=3, latency=2.0))
    ]
    assert len(set(same)) == 1
    different = [
        same[0],
        key_of(JOB, field, Conditions(pages=100, max_depth=2)),
        key_of(replace(JOB, judge="zones"), field, PAGES),
        key_of(JOB, field_of(WEB, "r1", "r2"), PAGES),
        key_of(JOB, field_of(WEB, "r1", stamp="2"), PAGES),
        key_of(JOB, field_of(WEB, "r1", budget=Budget(max_depth=1)), PAGES),
    ]
    assert len(set(different)) == len(different)


def test_a_rating_depends_on_the_judges_and_on_no_strategy() -> None:
    names = {f"{file.parent.name}/{file.name}" for file in code_of(JUDGING)}
    assert {"judge/cosine.py", "judge/evidence.py", "evaluate/judge_quality.py", "evaluate/result_cache.py"} <= names
    assert not [name for name in names if name.startswith(("strategy/", "learned/"))]
    assert "evaluate/judge_quality.py" not in {f"{file.parent.name}/{file.name}" for file in code_of("breadth")}


def test_the_name_of_a_rating_says_what_it_is() -> None:
    assert str(JOB) == "small/grid judged by cosine"


def test_lines_of_before_there_were_ratings_are_understood() -> None:
    line = (
        b'{"key":"k","job":{"web":"w","topic":"t","strategy":"fish"},"reachable":9,"relevant":2,"fetched":4,"hits":[1]}'
    )
    old = msgspec.json.decode(line, type=Result)
    assert (old.auc, old.average_precision, old.hits) == (None, None, (1,))
