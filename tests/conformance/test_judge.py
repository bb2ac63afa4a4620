"""What every judge keeps, whatever its formula, also when it judges several topics at once.

A new file in `judge/` is tested here without a change.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import msgspec
import pytest

from shoal.judge import judges, make_judge
from shoal.judge.registry import Registered
from shoal.model import Link, Page, Response, Term, Timing, Topic
from shoal.parse.parser import HtmlParser
from shoal.protocols import Judge

HIGHEST = 2.1
"""Of all judges of ALGORITHMS 2; the highest score of `zones`."""

ENGLISH = Topic(
    name="grid",
    terms=(Term(text="power grid"), Term(text="substation", weight=0.8)),
    negative=(Term(text="ventilator"),),
)
CHINESE = Topic(name="电网", terms=(Term(text="电网"), Term(text="变电站", weight=0.8)), negative=(Term(text="风扇"),))
TRADITIONAL = Topic(
    name="電網", terms=(Term(text="電網"), Term(text="變電站", weight=0.8)), negative=(Term(text="風扇"),)
)
POETRY = Topic(name="诗", terms=(Term(text="poetry"), Term(text="诗歌")))
"""None of the pages is about it."""

BY_RARITY = {"evidence"}
"""Judges that ask how rare a word is in its language, and how long a page is: of translations they think alike, but no more."""
ALIKE = 0.15
"""So much may what they think of translations differ."""
BY_URL = {"evidence"}
"""Judges to whom the URL of a link says as much as its text."""

Maker = Callable[[Topic], Judge]
TOPICS = pytest.mark.parametrize(
    ("topic", "language"),
    [(ENGLISH, "english"), (CHINESE, "simplified"), (CHINESE, "traditional")],
    ids=["english", "simplified", "traditional"],
)

# The same three pages in each language: about the topic, about something near it, about nothing.
PAGES = {
    "english": [
        ("Power grids today", "The power grid has a substation. " * 3, "More about the power grid"),
        ("A walk in the hills", "We passed a substation, and then a lake. " * 3, "Images"),
        ("Recipes", "Take two eggs and some flour. " * 3, "Home"),
    ],
    "simplified": [
        ("今日电网", "电网里有变电站。" * 3, "更多电网消息"),
        ("山中散步", "我们路过变电站，然后到了湖边。" * 3, "图片"),
        ("菜谱", "取两个鸡蛋和一些面粉。" * 3, "首页"),
    ],
    "traditional": [
        ("今日電網", "電網裡有變電站。" * 3, "更多電網消息"),
        ("山中散步", "我們路過變電站，然後到了湖邊。" * 3, "圖片"),
        ("菜譜", "取兩個雞蛋和一些麵粉。" * 3, "首頁"),
    ],
}


def page(title: str, text: str, anchor: str, encoding: str = "utf-8") -> Page:
    html = (
        f'<html><head><meta charset="{encoding}"><title>{title}</title><meta name="keywords" content="{title}"></head>'
        f'<body><main><p>{text}</p><p>{text}</p><a href="/next">{anchor}</a></main></body></html>'
    )
    response = Response(
        url="http://x.example/",
        status=200,
        headers=(("content-type", "text/html"),),
        body=html.encode(encoding),
        timing=Timing(started=0.0, answered=0.0, ended=0.0),
    )
    parsed = HtmlParser().parse(response)
    assert parsed is not None
    return parsed


def pages(language: str, encoding: str = "utf-8") -> list[Page]:
    return [page(*parts, encoding) for parts in PAGES[language]]


def among_several(name: str, topic: Topic) -> Judge:
    """The judge of this topic and of another that has nothing to say."""
    whole = Topic(name="both", terms=(*POETRY.terms, *topic.terms), any=(POETRY, topic), threshold=topic.threshold)
    return make_judge(name, whole)


@pytest.fixture(params=[f"{name}{among}" for name in sorted(judges()) for among in ("", " among several")])
def asked(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture
def name(asked: str) -> str:
    return asked.partition(" ")[0]


@pytest.fixture
def make(asked: str, name: str) -> Maker:
    return lambda topic: among_several(name, topic) if asked != name else make_judge(name, topic)


def scores(judge: Judge, given: list[Page]) -> list[float]:
    return [judge.judge(one).score for one in given]


@pytest.mark.parametrize("choice", judges().values(), ids=judges())
def test_it_says_what_it_is(choice: Registered[Judge]) -> None:
    assert choice.name == choice.name.lower()
    assert choice.summary
    assert "\n" not in choice.summary


@TOPICS
def test_pages_about_the_topic_score_best_and_others_nothing(make: Maker, topic: Topic, language: str) -> None:
    judge = make(topic)
    about, near, nothing = scores(judge, pages(language))
    assert HIGHEST >= about > near >= nothing == 0.0
    assert judge.judge(pages(language)[0]).relevant
    assert not judge.judge(pages(language)[2]).relevant


def test_chinese_and_english_are_equal(make: Maker, name: str) -> None:
    english = scores(make(ENGLISH), pages("english"))
    chinese = scores(make(CHINESE), pages("simplified"))
    if name in BY_RARITY:
        assert chinese == pytest.approx(english, abs=ALIKE)
    else:  # nearly, because what the parser takes for main text depends on the length of paragraphs
        assert chinese == pytest.approx(english, rel=0.01)
    assert order(chinese) == order(english)
    verdicts = [make(CHINESE).judge(one).relevant for one in pages("simplified")]
    assert verdicts == [make(ENGLISH).judge(one).relevant for one in pages("english")]


def order(given: Sequence[float]) -> list[int]:
    """The places of scores, the best first."""
    return sorted(range(len(given)), key=lambda place: -given[place])


@pytest.mark.parametrize("topic", [CHINESE, TRADITIONAL], ids=["simplified topic", "traditional topic"])
def test_both_ways_of_writing_chinese_are_one(make: Maker, topic: Topic) -> None:
    judge = make(topic)
    assert scores(judge, pages("traditional")) == scores(judge, pages("simplified"))


def test_the_encoding_of_a_page_does_not_matter(make: Maker) -> None:
    judge = make(CHINESE)
    assert [judge.judge(one) for one in pages("simplified", "gbk")] == [judge.judge(one) for one in pages("simplified")]


def test_nothing_scores_nothing(make: Maker) -> None:
    verdict = make(ENGLISH).judge(Page(url="http://x.example/"))
    assert (verdict.score, verdict.why) == (0.0, ())
    assert make(ENGLISH).judge_links([Link(url="http://x.example/")]) == (0.0,)


def test_the_same_page_has_the_same_verdict(make: Maker) -> None:
    given = pages("english")[0]
    judge = make(ENGLISH)
    assert judge.judge(given) == judge.judge(given) == make(ENGLISH).judge(given)


def test_a_verdict_has_reasons_and_travels(make: Maker) -> None:
    verdict = make(ENGLISH).judge(pages("english")[0])
    amounts = [abs(one.amount) for one in verdict.why]
    assert amounts == sorted(amounts, reverse=True)
    assert sum(one.amount for one in verdict.why) == pytest.approx(verdict.score)
    assert msgspec.msgpack.decode(msgspec.msgpack.encode(verdict), type=type(verdict)) == verdict


def test_the_users_threshold_wins(make: Maker) -> None:
    topic = msgspec.structs.replace(ENGLISH, threshold=0.77)
    assert make(topic).judge(pages("english")[0]).threshold == 0.77


def test_unwanted_words_in_title_and_text_make_it_worse(make: Maker) -> None:
    title, text, anchor = PAGES["english"][0]
    judge = make(ENGLISH)
    unwanted = page(f"{title}: ventilator", f"{text} ventilator", anchor)
    assert judge.judge(unwanted).score < judge.judge(pages("english")[0]).score


# --- links -----------------------------------------------------------------------------------------------------------

# The same in each language: all of the topic, a part of it, with an unwanted word, nothing.
ANCHORS = {
    "english": ("the power grid and its substation", "the substation", "a substation with a ventilator", "here"),
    "simplified": ("电网和它的变电站", "变电站", "有风扇的变电站", "这里"),
    "traditional": ("電網和它的變電站", "變電站", "有風扇的變電站", "這裡"),
}


def link_scores(judge: Judge, language: str) -> tuple[float, ...]:
    return judge.judge_links([Link(url="http://x.example/1", anchor=anchor) for anchor in ANCHORS[language]])


@TOPICS
def test_links_are_judged_by_their_text(make: Maker, topic: Topic, language: str) -> None:
    whole, part, spoilt, nothing = link_scores(make(topic), language)
    assert 1 >= whole > part > spoilt >= nothing == 0.0


@TOPICS
def test_links_in_all_languages_are_equal(make: Maker, name: str, topic: Topic, language: str) -> None:
    ours, english = link_scores(make(topic), language), link_scores(make(ENGLISH), "english")
    assert ours == (pytest.approx(english, abs=ALIKE) if name in BY_RARITY else english)
    assert order(ours) == order(english)


def test_no_link_promises_more_than_one_whose_text_names_the_topic(make: Maker, name: str) -> None:
    """Whether surroundings and URL count at all is for each judge to say (`tests/judge/test_vector.py`)."""
    words, plain = "the power grid and its substation", "http://x.example/1"
    links = (
        Link(url=plain, anchor=words),
        Link(url=plain, anchor="here", before=words),
        Link(url=plain, anchor="here", after=words),
        Link(url="http://x.example/power-grid/substation", anchor="here"),
        Link(url=plain, anchor="here"),
    )
    anchor, before, after, in_url, nothing = make(ENGLISH).judge_links(links)
    assert anchor >= before == after >= nothing == 0.0
    assert anchor >= in_url >= nothing
    assert anchor > in_url or name in BY_URL


def test_every_link_is_judged_for_itself(make: Maker) -> None:
    judge = make(ENGLISH)
    links = [Link(url="http://x.example/1", anchor=anchor) for anchor in ANCHORS["english"]]
    assert judge.judge_links([]) == ()
    assert judge.judge_links(links[::-1]) == judge.judge_links(links)[::-1]
    assert judge.judge_links(links) == tuple(judge.judge_links([link])[0] for link in links)
