"""What every judge keeps, whatever its formula. A new file in `crawl/judge/` is tested here without a change."""

from __future__ import annotations

import msgspec
import pytest

from shoal.crawl.choice import Choice
from shoal.crawl.judge import judges
from shoal.crawl.parse import HtmlParser
from shoal.model import Link, Page, Response, Term, Timing, Topic
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

# The same three pages in each language: about the topic, about something near it, about nothing.
PAGES = {
    "english": [
        ("Power grids today", "The power grid has a substation. " * 3, "More about the power grid"),
        ("A walk in the hills", "We passed a substation, and then a lake. " * 3, "Pictures"),
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


@pytest.fixture(params=sorted(judges()))
def choice(request: pytest.FixtureRequest) -> Choice[Judge]:
    return judges()[request.param]


def scores(judge: Judge, given: list[Page]) -> list[float]:
    return [judge.judge(one).score for one in given]


def test_it_says_what_it_is(choice: Choice[Judge]) -> None:
    assert choice.name == choice.name.lower()
    assert choice.summary
    assert "\n" not in choice.summary


@pytest.mark.parametrize(
    ("topic", "language"),
    [(ENGLISH, "english"), (CHINESE, "simplified"), (CHINESE, "traditional")],
    ids=lambda x: str(x)[:9],
)
def test_pages_about_the_topic_score_best_and_others_nothing(
    choice: Choice[Judge], topic: Topic, language: str
) -> None:
    judge = choice.make(topic)
    about, near, nothing = scores(judge, pages(language))
    assert HIGHEST >= about > near >= nothing == 0.0
    assert judge.judge(pages(language)[0]).relevant
    assert not judge.judge(pages(language)[2]).relevant


def test_chinese_and_english_are_equal(choice: Choice[Judge]) -> None:
    # Nearly, because what the parser takes for main text depends on the length of paragraphs.
    english = scores(choice.make(ENGLISH), pages("english"))
    assert scores(choice.make(CHINESE), pages("simplified")) == pytest.approx(english, rel=0.01)


@pytest.mark.parametrize("topic", [CHINESE, TRADITIONAL], ids=["simplified topic", "traditional topic"])
def test_both_ways_of_writing_chinese_are_one(choice: Choice[Judge], topic: Topic) -> None:
    judge = choice.make(topic)
    assert scores(judge, pages("traditional")) == scores(judge, pages("simplified"))


def test_the_encoding_of_a_page_does_not_matter(choice: Choice[Judge]) -> None:
    judge = choice.make(CHINESE)
    assert [judge.judge(one) for one in pages("simplified", "gbk")] == [judge.judge(one) for one in pages("simplified")]


def test_nothing_scores_nothing(choice: Choice[Judge]) -> None:
    verdict = choice.make(ENGLISH).judge(Page(url="http://x.example/"))
    assert (verdict.score, verdict.why) == (0.0, ())
    assert choice.make(ENGLISH).judge_links([Link(url="http://x.example/")]) == (0.0,)


def test_the_same_page_has_the_same_verdict(choice: Choice[Judge]) -> None:
    given = pages("english")[0]
    judge = choice.make(ENGLISH)
    assert judge.judge(given) == judge.judge(given) == choice.make(ENGLISH).judge(given)


def test_a_verdict_has_reasons_and_travels(choice: Choice[Judge]) -> None:
    verdict = choice.make(ENGLISH).judge(pages("english")[0])
    amounts = [abs(one.amount) for one in verdict.why]
    assert amounts == sorted(amounts, reverse=True)
    assert sum(one.amount for one in verdict.why) == pytest.approx(verdict.score)
    assert msgspec.msgpack.decode(msgspec.msgpack.encode(verdict), type=type(verdict)) == verdict


def test_the_users_threshold_wins(choice: Choice[Judge]) -> None:
    topic = msgspec.structs.replace(ENGLISH, threshold=0.77)
    assert choice.make(topic).judge(pages("english")[0]).threshold == 0.77


def test_unwanted_words_in_title_and_text_make_it_worse(choice: Choice[Judge]) -> None:
    title, text, anchor = PAGES["english"][0]
    judge = choice.make(ENGLISH)
    unwanted = page(f"{title}: ventilator", f"{text} ventilator", anchor)
    assert judge.judge(unwanted).score < judge.judge(pages("english")[0]).score


def test_links_are_judged_by_their_words(choice: Choice[Judge]) -> None:
    judge = choice.make(ENGLISH)
    url = "http://x.example/1"
    links = (
        Link(url=url, anchor="the power grid and its substation"),
        Link(url=url, anchor="here", before="the power grid and its substation"),
        Link(url="http://x.example/power-grid/substation", anchor="here"),
        Link(url=url, anchor="here"),
    )
    anchor, around, in_url, nothing = judge.judge_links(links)
    assert 1 >= anchor > around > nothing == 0.0
    assert anchor > in_url > nothing
